"""LAPACK on large matrices, without Python's lock.

SciPy's own functions keep the lock until LAPACK has ended, seconds for some thousand points, and
with it all other sessions of a server and the Stop of their own. The same routines, as SciPy hands
them out to compiled code, are called here as foreign functions, which let go of it.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address
from numpy.typing import NDArray

Array = NDArray[np.float64]


def lowest_pairs(A: Array, count: int) -> tuple[Array, Array]:
    """The ``count`` lowest eigenvalues, ascending, and vectors (N, count) of a symmetric matrix.

    ``A`` is overwritten, as by all functions here.

    >>> lowest_pairs(np.diag([3.0, 1.0, 2.0]), 2)[0].tolist()
    [1.0, 2.0]
    """
    return _pairs(A, b"I", 0.0, 0.0, count)


def pairs_above(A: Array, limit: float) -> tuple[Array, Array]:
    """Eigenvalues above a limit, ascending, and their vectors.

    >>> pairs_above(np.diag([3.0, 1.0, 2.0]), 1.5)[0].tolist()
    [2.0, 3.0]
    """
    return _pairs(A, b"V", limit, np.inf, len(A))


def _pairs(A: Array, what: bytes, low: float, high: float, most: int) -> tuple[Array, Array]:
    A, n = _own(A), len(A)
    values, vectors = np.empty(n), np.empty((n, most), order="F")
    found, support = ctypes.c_int(), np.empty(2 * max(1, most), np.intc)
    work, whole = np.empty(1), np.empty(1, np.intc)
    for rooms in ((-1, -1), None):  # first it says how much room it wants
        if rooms is None:
            rooms = int(work[0]), int(whole[0])
            work, whole = np.empty(rooms[0]), np.empty(rooms[1], np.intc)
        info = _call(
            "dsyevr", b"V", what, b"L", n, A, n, low, high, 1, most, 0.0, found, values, vectors,
            n, support, work, rooms[0], whole, rooms[1],
        )  # fmt: skip
    if info:
        raise np.linalg.LinAlgError("The eigenvalues of a matrix could not be found.")
    return values[: found.value], vectors[:, : found.value]


def positive_solve(A: Array, B: Array) -> Array:
    """A⁻¹ B for a symmetric positive definite matrix; a LinAlgError where it is not.

    >>> positive_solve(np.diag([4.0, 16.0]), np.eye(2)).tolist()
    [[0.25, 0.0], [0.0, 0.0625]]
    """
    A, X, n = _own(A), np.array(B, order="F"), len(A)
    if _call("dposv", b"U", n, X.shape[1], A, n, X, n):
        raise np.linalg.LinAlgError("A matrix is not positive definite.")
    return X


def is_positive(A: Array) -> bool:
    """Whether a symmetric matrix is positive definite.

    >>> is_positive(np.diag([1.0, 2.0])), is_positive(np.diag([1.0, -2.0]))
    (True, False)
    """
    return not _call("dpotrf", b"U", len(A), _own(A), len(A))


def _own(A: Array) -> Array:
    """As LAPACK reads it: of a symmetric matrix rows are columns."""
    return np.ascontiguousarray(np.asarray_chkfinite(A, np.float64))


def _call(name: str, *arguments: Any) -> int:
    """Call a routine, which takes everything by its address; what it says of how it went."""
    info = ctypes.c_int()
    given = [_address(value) for value in (*arguments, info)]
    _routine(name, len(given))(*given)
    return info.value


def _address(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        return ctypes.byref(ctypes.c_double(value))
    return ctypes.byref(value if isinstance(value, ctypes.c_int) else ctypes.c_int(value))


@cache
def _routine(name: str, arguments: int) -> Any:
    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)
