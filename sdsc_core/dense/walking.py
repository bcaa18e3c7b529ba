"""Diffusion, a dense stage beyond the paper: a few steps of a lazy walk over the links of W."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_count,
    is_sparse,
    n_entries,
)
from sdsc_core.dense.rules import Rows
from sdsc_core.memory import check_memory
from sdsc_core.sparse.sound import square_csr

TIED = 1e-9  # what comes this near to the last value that is kept, as a share of it, stays too
MOST_STEPS = 100  # half of the walk stays at each, and must not become 0
ROWS_AT_A_TIME, BLOCKS = 512, 256  # rows of a block, at least; how many blocks, at most


def diffusion(
    W: Any,
    steps: int = 3,
    neighbours: int = 10,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Affinity:
    """W* by a few steps of diffusion over S = D^{-1/2} W D^{-1/2}, sparsified after each.

    Row i begins with point i alone and takes t steps v ← ½(v + vS), half of it staying where it is
    (Zhou and others 2004; as a stage before spectral clustering of subspaces Li, Liu and Li 2018).
    After each step the ``neighbours`` largest similarities with other points stay, which keeps W*
    sparse and drops what leaked far away. Then w*_ij is the larger one of the two directions,
    divided by the largest of all.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1], sparse or dense; its diagonal is not used.
    steps : t, from 1 to 100; points up to t links away can be linked.
    neighbours : how many others a row keeps; what equals the last of them stays too.
    client : a `distributed.Client`, as for `imc`.

    Returns
    -------
    W* as W was, CSR or array, without a diagonal. Entries rise and fall: w*_ij sums over all walks
    from i to j, so that no single point explains it.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.9], [0, 0.9, 0]])
    >>> diffusion(W, steps=2)[0].round(3).tolist()
    [0.0, 1.0, 0.354]
    """
    W = check_affinity(W, unit=True)
    check_memory(38 * n_entries(W), "diffusion", W.shape[0], name="W")
    rows = walk_matrix(W)
    A = walks(rows, steps, neighbours, n_jobs, progress, client)
    star = sp.csr_array(A.maximum(A.T))
    if star.nnz:
        star.data /= star.data.max()
    return star if is_sparse(W) else star.toarray()


def walk_matrix(W: Affinity) -> sp.csr_array:
    """S = D^{-1/2} W D^{-1/2} without W's diagonal; a point without links has an empty row.

    >>> walk_matrix(np.array([[0, 0.5], [0.5, 0]])).toarray().round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    S = off_diagonal(sp.csr_array(W))
    root = np.sqrt(S.sum(axis=1))
    of = np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))
    S.data /= root[of] * root[S.indices]
    return S


def walks(
    S: sp.csr_array,
    steps: int = 3,
    neighbours: int = 10,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> sp.csr_array:
    """Where the lazy walk from each point is after so many steps, (N, N), without its start.

    >>> walks(sp.csr_array(np.array([[0, 1.0], [1.0, 0]])), 1).toarray().tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    steps = check_count(steps, "steps", 1, MOST_STEPS)
    n = S.shape[0]
    neighbours = min(check_count(neighbours, "neighbours", 1), n)  # 64 bits in a kernel
    kept = min(neighbours + 1, n)
    size = 48 * n * kept + 12 * S.nnz
    check_memory(size, "diffusion", n, name="W", instead="give fewer points or neighbours")
    work = partial(_walk_block, Rows.of(S), steps, neighbours)
    block = max(ROWS_AT_A_TIME, -(-n // BLOCKS))
    parts = run_blocks(work, n, block, n_jobs=n_jobs, progress=progress, client=client)
    counts, indices, data = (np.concatenate(p) for p in zip(*parts, strict=True))
    found = square_csr(data, indices, np.concatenate([[0], np.cumsum(counts)]))
    found.sort_indices()
    return found


def walk(S: sp.csr_array, start: int, steps: int, neighbours: int) -> NDArray[np.float64]:
    """Where the walk from one point is after so many steps, (N,), the point itself included.

    >>> walk(sp.csr_array(np.array([[0, 1.0], [1.0, 0]])), 0, 1, 1).tolist()
    [0.5, 0.5]
    """
    n = S.shape[0]
    row, others = np.zeros(n), (np.zeros(n), np.empty(n, np.int32), np.empty(n, np.int32))
    _walk(*Rows.of(S), start, steps, min(neighbours, n), row, *others)
    return row


def _walk_block(S: Rows, steps: int, neighbours: int, start: int, stop: int) -> Any:
    n = len(S.indptr) - 1
    counts, rows = np.zeros(stop - start, np.int64), []
    room = np.empty(n), np.zeros(n), np.empty(n, np.int32), np.empty(n, np.int32)
    for i in range(start, stop):
        size = _walk(*S, i, steps, neighbours, *room)
        at = room[2][:size]
        at = at[at != i]
        counts[i - start] = len(at)
        rows.append((at.copy(), room[0][at]))
    places, values = zip(*rows, strict=True)
    return counts, np.concatenate(places), np.concatenate(values)


@kernel
def _walk(indptr, columns, values, i, steps, neighbours, now, then, at, found):
    """The row of point i in ``now``, at the first places of ``at``, how many of them; ``then``
    must come, and goes, full of zeros; elsewhere ``now`` stays as it was."""
    now[i] = 1.0
    at[0] = i
    size = 1
    for _ in range(steps):
        n = 0
        for a in range(size):
            k = at[a]
            half = 0.5 * now[k]
            now[k] = 0.0
            if half > 0.0 and then[k] == 0.0:
                found[n] = k
                n += 1
            then[k] += half
            for e in range(indptr[k], indptr[k + 1]):
                j, more = columns[e], half * values[e]
                if more > 0.0 and then[j] == 0.0:  # what is too small for a number is nothing
                    found[n] = j
                    n += 1
                then[j] += more
        least = 0.0
        if n - 1 > neighbours:  # the point itself is always among those that were found
            others = np.empty(n - 1)
            m = 0
            for a in range(n):
                if found[a] != i:
                    others[m] = then[found[a]]
                    m += 1
            least = (1.0 - TIED) * np.partition(others, m - neighbours)[m - neighbours]
        size = 0
        for a in range(n):
            j = found[a]
            if j == i or then[j] >= least:
                now[j] = then[j]
                at[size] = j
                size += 1
            then[j] = 0.0
    return size
