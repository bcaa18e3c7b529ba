"""Products of a sparse matrix with vectors in kernels, of a large one in threads."""

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import run_blocks
from sdsc_core.sparse.entries import places_of

PARTS = 16  # of the rows, which threads share

Vectors = NDArray[np.float64]


def product_in_threads(A: sp.csr_array) -> Callable[[Vectors], Vectors]:
    """x (N, m) ↦ A x, from entries of A rounded to 32 bits, since reading them takes the time.

    The result does not depend on the number of threads.

    >>> product_in_threads(sp.csr_array(np.eye(3)))(np.array([[1.0], [2.0], [3.0]])).ravel()
    array([1., 2., 3.])
    """
    n = A.shape[0]
    matrix = *places_of(A), A.data.astype(np.float32)

    def times(x: Vectors) -> Vectors:
        out = np.empty((x.shape[1], n))
        for column, result in zip(x.T, out, strict=True):
            work = partial(_times, *matrix, np.ascontiguousarray(column), result)
            run_blocks(work, n, -(-n // PARTS))
        return out.T

    return times


def shifted_product(
    A: sp.csr_array, weak: Vectors, known: Vectors, aside: float
) -> Callable[[Vectors], Vectors]:
    """x (N,) ↦ (A + weak weakᵀ − aside · known knownᵀ) x, for weak (N,) and known (N, m).

    In one kernel: for some hundred points SciPy and NumPy take thrice as long to be called.

    >>> times = shifted_product(sp.csr_array(np.eye(2)), np.zeros(2), np.array([[1.0], [0.0]]), 2.0)
    >>> times(np.array([3.0, 4.0])).tolist()
    [-3.0, 4.0]
    """
    matrix, linked = (*places_of(A), A.data), bool(weak.any())
    columns = np.ascontiguousarray(known.T)

    def times(x: Vectors) -> Vectors:
        out = np.empty(len(x))
        _shifted(*matrix, weak, linked, columns, aside, x, out)
        return out

    return times


@kernel
def _shifted(indptr, indices, data, weak, linked, known, aside, x, out):
    for i in range(len(out)):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e] * x[indices[e]]
        out[i] = total
    if linked:
        _add(weak, 1.0, x, out)
    for column in known:
        _add(column, -aside, x, out)


@kernel(fastmath={"reassoc", "contract"})
def _add(v, share, x, out):
    """out + share · v vᵀ x, in place."""
    part = 0.0
    for i in range(len(v)):
        part += v[i] * x[i]
    part *= share
    for i in range(len(v)):
        out[i] += part * v[i]


@kernel(fastmath={"reassoc", "contract"})
def _times(indptr, indices, data, x, out, start, stop):
    for i in range(start, stop):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e] * x[indices[e]]
        out[i] = total
