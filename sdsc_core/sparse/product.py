"""Products of a large sparse matrix with vectors, in threads."""

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


@kernel(fastmath={"reassoc", "contract"})
def _times(indptr, indices, data, x, out, start, stop):
    for i in range(start, stop):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e] * x[indices[e]]
        out[i] = total
