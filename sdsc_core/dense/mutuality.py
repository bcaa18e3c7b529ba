"""Mutual, a stage beyond the paper: a link stays only where each of its ends is near the other."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_count,
    is_sparse,
    n_entries,
)
from sdsc_core.memory import check_memory
from sdsc_core.sparse.sound import square_csr

ROWS_AT_A_TIME = 4096


def mutual(
    W: Any,
    neighbours: int = 10,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Affinity:
    """W* that keeps w_ij where j is among the nearest of i and i among the nearest of j.

    The mutual k-nearest-neighbour graph (Brito and others 1997; von Luxburg 2007, section 2.2) of
    an affinity: w*_ij = w_ij if w_ij ≥ t_i and w_ij ≥ t_j, else 0, where t_i is the k-th largest
    similarity of point i. It takes links away, and adds none: above all those of points that
    many others chose, which chose few of them. A point whose every link is one-sided is left
    without any.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1], sparse or dense.
    neighbours : k, from 1; what equals the k-th is near as well, and a point with fewer links keeps
        all of its own side.

    Returns
    -------
    W* as W was, CSR or array; a diagonal stays.

    >>> W = np.array([[0, 0.9, 0.8], [0.9, 0, 0.7], [0.8, 0.7, 0]])
    >>> mutual(W, 1).tolist()
    [[0.0, 0.9, 0.0], [0.9, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    W = check_affinity(W, unit=True)
    k = check_count(neighbours, "neighbours", 1)
    # Of each entry its row, whether it stays, and itself; of an array before it is sparse too.
    each = 30 if is_sparse(W) else 34
    check_memory(each * n_entries(W), "the mutual graph", W.shape[0], name="W")
    rows = sp.csr_array(W)
    least = nearness(rows, k, n_jobs, progress)
    of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    to = rows.indices
    keep = (rows.data >= least[of]) & (rows.data >= least[to]) | (of == to)
    counts = np.bincount(of[keep], minlength=rows.shape[0])
    star = square_csr(rows.data[keep], to[keep], np.concatenate([[0], np.cumsum(counts)]))
    return star if is_sparse(W) else star.toarray()


def nearness(
    W: sp.csr_array,
    neighbours: int,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """The k-th largest similarity of each point (N,), 0 where it has fewer.

    >>> nearness(sp.csr_array(np.array([[0, 0.9, 0.8], [0.9, 0, 0], [0.8, 0, 0]])), 2).tolist()
    [0.8, 0.0, 0.0]
    """
    least = np.zeros(W.shape[0])
    k = min(neighbours, len(least))  # a kernel has room for no more than 64 bits
    parts = W.indptr.astype(np.int64), W.indices, W.data, k, least
    work = partial(_least_block, parts)
    run_blocks(work, len(least), ROWS_AT_A_TIME, n_jobs=n_jobs, progress=progress)
    return least


def _least_block(parts: tuple[Any, ...], start: int, stop: int) -> None:
    _least_rows(*parts, start, stop)


@kernel
def _least_rows(indptr, columns, values, k, least, start, stop):
    for i in range(start, stop):
        row = np.empty(indptr[i + 1] - indptr[i])
        n = 0
        for e in range(indptr[i], indptr[i + 1]):
            if columns[e] != i:
                row[n] = values[e]
                n += 1
        if n >= k:
            least[i] = np.partition(row[:n], n - k)[n - k]
