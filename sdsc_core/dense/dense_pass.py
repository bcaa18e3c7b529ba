"""The dense stage on a dense W: a (min, +) product of distances in tiles; all shortest paths."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from sdsc_core._jit import kernel
from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Progress, run_blocks, tick
from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.dense.rules import to_distance, to_similarity
from sdsc_core.memory import check_memory

TILE = 256  # columns of a tile of the dense product; a row of it stays in the first cache
SEEN = 1.0 - 5e-7  # float32 tells a distance this much shorter, and rounding does not make one
DENSE_BYTES = 36  # an entry of W at the largest moment: distances, the shorter ones, W*
ROWS_AT_A_TIME = 256  # of all shortest paths, between two reports of progress


def dense_passes(
    W: NDArray[np.float64],
    transform: str,
    hops: int,
    n_jobs: int | None,
    progress: Progress | None,
    client: Any = None,
) -> NDArray[np.float64]:
    """W* of a dense W: ``hops`` times the shorter of a distance and of a path over one point."""
    check_memory(DENSE_BYTES * W.size, "the dense stage", len(W), name="W")
    with np.errstate(over="ignore"):  # too far for float32 is infinitely far
        D = to_distance(W, transform).astype(np.float32)
    np.fill_diagonal(D, np.inf)  # k is neither i nor j
    best = D
    for _ in range(hops):
        rows = partial(_min_plus_block, best, D)
        parts = run_blocks(rows, len(W), TILE, n_jobs=n_jobs, progress=progress, client=client)
        best = np.concatenate(parts)
        _mirror(best)
        np.fill_diagonal(best, np.inf)
    # Only where a path is shorter: float32 must not touch the other entries.
    return np.where(best < SEEN * D, np.maximum(W, to_similarity(best, transform)), W)


def _min_plus_block(left: Any, D: Any, start: int, stop: int) -> Any:
    best = left[start:stop].copy()
    _min_plus_rows(left, D, best, start)
    return best


@kernel
def _min_plus_rows(left, D, best, start):
    """best_ij = min(best_ij, left_ik + d_kj) for rows from ``start`` on, and columns j ≥ start;
    the rest follows by symmetry.

    Four k at a time, so that a tile of a row of ``best`` is loaded and stored once for four.
    """
    n = D.shape[0]
    quads = n - n % 4
    for j0 in range(start, n, TILE):
        j1 = min(j0 + TILE, n)
        for k in range(0, quads, 4):
            d0, d1, d2, d3 = D[k, j0:j1], D[k + 1, j0:j1], D[k + 2, j0:j1], D[k + 3, j0:j1]
            for r in range(best.shape[0]):
                row, steps = best[r, j0:j1], left[start + r, k : k + 4]
                a, b, c, d = steps[0], steps[1], steps[2], steps[3]
                for j in range(j1 - j0):
                    u, v = a + d0[j], b + d1[j]
                    u = v if v < u else u
                    w, v = c + d2[j], d + d3[j]
                    w = v if v < w else w
                    u = w if w < u else u
                    row[j] = u if u < row[j] else row[j]
        for k in range(quads, n):
            for r in range(best.shape[0]):
                a = left[start + r, k]
                for j in range(j0, j1):
                    v = a + D[k, j]
                    best[r, j] = v if v < best[r, j] else best[r, j]


@kernel
def _mirror(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = A[j, i]


def all_paths(W: Affinity, transform: str, progress: Progress | None) -> Affinity:
    """W* over all shortest paths, by Dijkstra's algorithm."""
    n = W.shape[0]
    # One N × N array, and for a sparse W a CSR array of all its entries.
    check_memory(
        8 * n * n + (12 * n * n if is_sparse(W) else 0),
        "a dense stage over all shortest paths (hops=None)",
        n,
        name="W",
        instead="give fewer points or a number of hops",
    )
    graph = off_diagonal(sp.csr_array(W))
    # A distance of 0 (D1, w = 1) must not read as "no edge".
    graph.data = np.maximum(to_distance(graph.data, transform), 1e-300)
    star = np.empty((n, n))
    for start in range(0, n, ROWS_AT_A_TIME):
        tick(progress, start, n)
        rows = np.arange(start, min(start + ROWS_AT_A_TIME, n))
        shortest = dijkstra(graph, indices=rows)
        shortest[np.arange(len(rows)), rows] = np.inf
        own = W[rows].toarray() if is_sparse(W) else W[rows]
        star[rows] = np.maximum(to_similarity(shortest, transform), own)
    _larger_of_both(star)
    return _to_sparse(star) if is_sparse(W) else star


@kernel
def _larger_of_both(A):
    """A path summed from its other end may differ in the last bit."""
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = A[j, i] = max(A[i, j], A[j, i])


def _to_sparse(A: NDArray[np.float64]) -> sp.csr_array:
    """CSR without the coordinates that SciPy would note in between, three times its size."""
    n = len(A)
    starts = np.concatenate([[0], np.cumsum([np.count_nonzero(row) for row in A])])
    indices = np.empty(starts[-1], np.int32 if starts[-1] < 2**31 else np.int64)
    data = np.empty(starts[-1])
    for row, a, b in zip(A, starts, starts[1:], strict=False):
        indices[a:b] = np.flatnonzero(row)
        data[a:b] = row[indices[a:b]]
    return sp.csr_array((data, indices, starts.astype(indices.dtype)), shape=(n, n))
