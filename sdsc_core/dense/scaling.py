"""Sinkhorn, a dense stage beyond the paper: similarities scaled until all points weigh the same."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Progress, n_threads, tick
from sdsc_core.checks import Affinity, check_affinity, check_number, is_sparse, n_entries
from sdsc_core.memory import check_memory

CLOSE = 1e-12  # by how much the sum of a row may differ from 1
MOST_SWEEPS = 5000  # over all rows; a dozen or two are the rule


def sinkhorn(
    W: Any,
    self_weight: float = 1.0,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Affinity:
    """W* with w*_ij = d_i w_ij d_j, where D(W + sI)D is doubly stochastic.

    Every row and column of the scaled matrix sums to 1 (Sinkhorn 1964; for spectral clustering
    Zass and Shashua 2006, for subspace clustering Lim, Vidal and Haeffele 2020): a point with many
    strong links loses weight in each of them, a point with few weak ones gains. Links are neither
    added nor removed, but most entries change, upwards or downwards.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1], sparse or dense; its diagonal is not used.
    self_weight : s in (0, 1], the similarity of a point with itself while rows are scaled. With it
        a scaling always exists and is unique, which a graph without it may not have: a point with
        one link alone would have to be its neighbour's only one.
    n_jobs, client : not used, since the work is one row after the other.

    Returns
    -------
    W* as W was, CSR or array, without a diagonal, divided by its largest entry.

    >>> W = np.array([[0, 1.0, 1.0], [1.0, 0, 0], [1.0, 0, 0]])
    >>> sinkhorn(W)[0].round(3).tolist(), (W + np.eye(3)).sum(axis=1).tolist()
    ([0.0, 1.0, 1.0], [3.0, 2.0, 2.0])
    """
    n_threads(n_jobs)  # refused here, though nothing uses it
    W = check_affinity(W, unit=True)
    # W's places and values, W* and what it is multiplied by, of an array before it is sparse too.
    check_memory(50 * n_entries(W), "Sinkhorn", W.shape[0], name="W")
    rows = off_diagonal(sp.csr_array(W))
    d = scaling_factors(rows, self_weight, progress)
    star = rows.copy()
    of = np.repeat(np.arange(len(d)), np.diff(rows.indptr))
    star.data = rows.data * (d[of] * d[rows.indices])  # symmetric to the last bit
    if star.nnz:
        star.data /= star.data.max()
    return star if is_sparse(W) else star.toarray()


def scaling_factors(
    W: sp.csr_array, self_weight: float = 1.0, progress: Progress | None = None
) -> NDArray[np.float64]:
    """d (N,) with d_i (Σ_j w_ij d_j + s d_i) = 1, for a W without a diagonal.

    One d_i after the other takes the root of its own equation: coordinate descent on
    ½ Σ_ij a_ij exp(y_i + y_j) − Σ_i y_i, convex in y = ln d, whose minimum it is.

    >>> scaling_factors(sp.csr_array(np.array([[0, 1.0], [1.0, 0]]))).round(6).tolist()
    [0.707107, 0.707107]
    """
    own = check_number(self_weight, "self_weight", 0.01, 1)
    n = W.shape[0]
    check_memory(12 * W.nnz + 32 * n, "Sinkhorn", n, name="W")
    d = np.ones(n)
    parts = W.indptr.astype(np.int64), W.indices.astype(np.int32, copy=False), W.data
    gap = np.inf
    for sweep in range(MOST_SWEEPS):
        tick(progress, sweep, 0)
        gap = _sweep(*parts, own, d)
        if gap <= CLOSE:
            break
    return d


@kernel
def _sweep(indptr, columns, values, own, d):
    """Each d_i as the root of its equation; by how much the worst row missed 1 before."""
    gap = 0.0
    for i in range(d.shape[0]):
        others = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            others += values[e] * d[columns[e]]
        gap = max(gap, abs(d[i] * (others + own * d[i]) - 1.0))
        # The root of s d² + o d = 1 in a form that does not subtract near equals.
        d[i] = 2.0 / (others + np.sqrt(others * others + 4.0 * own))
    return gap
