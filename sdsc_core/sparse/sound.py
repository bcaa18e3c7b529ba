"""Sparse matrices as they come: looked at before SciPy's compiled code reads beyond their end."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class Damaged(ValueError):
    """Places of a sparse matrix that lie outside it, or parts whose lengths do not agree."""


def square_csr(
    data: NDArray[np.float64], indices: NDArray[np.integer], indptr: NDArray[np.integer]
) -> sp.csr_array:
    """A square CSR array of these parts, with 32-bit indices where they suffice."""
    n = len(indptr) - 1
    kind = np.int32 if max(n, len(data)) < 2**31 else np.int64
    parts = data, indices.astype(kind, copy=False), indptr.astype(kind, copy=False)
    return sp.csr_array(parts, shape=(n, n))


def as_sound_csr(W: Any) -> sp.csr_array:
    """A sparse matrix of any format as CSR; `Damaged` where SciPy would read beyond its end.

    CSR itself is left to `canonical`, since nothing is read to wrap it.

    >>> as_sound_csr(sp.coo_array(np.eye(2))).nnz
    2
    """
    look = _LOOKS.get(W.format)
    try:
        if look is not None and not look(W):
            raise Damaged
        return sp.csr_array(W)
    except (ValueError, IndexError):
        raise Damaged(f"This {W.format} matrix is damaged.") from None


def canonical(W: sp.csr_array) -> sp.csr_array:
    """A square W with sorted rows and without stored zeros; `Damaged` where it is.

    >>> canonical(sp.csr_array(([1.0, 0.0], [1, 0], [0, 2, 2]), shape=(2, 2))).nnz
    1
    """
    W = _whole(sp.csr_array, W)
    W = square_csr(W.data, W.indices, W.indptr)
    if not (W.has_canonical_format and W.data.all()):
        W = W.copy()
        W.sum_duplicates()
        W.eliminate_zeros()  # a stored zero is no edge
    return W


def _whole(kind: Any, W: Any) -> Any:
    """W made anew, since what a matrix says of its own order may be out of date."""
    try:
        W = kind((W.data, W.indices, W.indptr), shape=W.shape)
        W.check_format(full_check=True)  # a kernel would read beyond the end
    except ValueError:
        raise Damaged(f"This {W.format} matrix is damaged.") from None
    return W


def _coo(W: Any) -> bool:
    return len(W.coords) == W.ndim and all(
        len(at) == len(W.data) and (not len(at) or 0 <= at.min() <= at.max() < size)
        for at, size in zip(W.coords, W.shape, strict=True)
    )


def _dia(W: Any) -> bool:
    return W.data.ndim == 2 and W.offsets.shape == W.data.shape[:1]


def _lil(W: Any) -> bool:
    lengths = ([len(row) for row in part] for part in (W.rows, W.data))
    return len(W.rows) == len(W.data) == W.shape[0] and len({*map(tuple, lengths)}) == 1


_LOOKS = {
    "csc": lambda W: _whole(sp.csc_array, W) is not None,
    "bsr": lambda W: _whole(sp.bsr_array, W) is not None,
    "coo": _coo,
    "dia": _dia,
    "lil": _lil,
}
