"""The dense stage on a sparse W: a matrix product over (max, f), row by row."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core._jit import kernel
from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.dense.rules import RULES, Rows, Thresholds, two_hop
from sdsc_core.memory import check_memory
from sdsc_core.sparse.sound import square_csr

PATHS_A_BLOCK = 4_000_000  # two-hop paths that one block of rows may follow


def sparse_pass(
    base: sp.csr_array,
    W: sp.csr_array,
    rule: str,
    thresholds: Thresholds,
    n_jobs: int | None,
    progress: Progress | None,
    client: Any = None,
) -> sp.csr_array:
    """One pass: the maximum of ``base`` and of all two-hop paths, first step in base, then in W.

    For a single pass ``base`` is W itself.
    """
    n = W.shape[0]
    strong = off_diagonal(W, above=thresholds.theta2)
    room = _room(Rows.of(base), Rows.of(strong if base is W else base), Rows.of(strong))
    # The rows as they are found, and once more put together; most pairs have several paths.
    check_memory(24 * int(room.sum()) + 12 * strong.nnz, "the dense stage", n, name="W")
    rows = partial(_sparse_block, Rows.of(base), Rows.of(strong), RULES[rule], thresholds, room)
    block = max(64, int(n * PATHS_A_BLOCK / max(1, room.sum())))
    parts = run_blocks(rows, n, block, n_jobs=n_jobs, progress=progress, client=client)
    counts, indices, data = (np.concatenate([part[k] for part in parts]) for k in range(3))
    del parts  # what is put together is converted below, which takes as much again
    indptr = np.concatenate([[0], np.cumsum(counts)])
    # Conversion sorts in linear time: the CSC of a symmetric matrix is its sorted CSR. After one
    # pass W* is symmetric; after several only up to rounding, so it is converted back.
    columns = square_csr(data, indices, indptr).tocsc()
    if base is W:
        return square_csr(columns.data, columns.indices, columns.indptr)
    return columns.tocsr()


def _sparse_block(
    base: Rows, strong: Rows, rule: int, thresholds: Thresholds, room: Any, start: int, stop: int
) -> tuple[Any, Any, Any]:
    size = int(room[start:stop].sum())
    counts = np.zeros(stop - start, np.int64)
    indices, data = np.empty(size, np.int32), np.empty(size)
    n = _sparse_rows(start, base, strong, rule, thresholds, counts, indices, data)
    return counts, indices[:n], data[:n]


@kernel
def _room(base, left, strong):
    """How many entries each row may come to have: its own, and one for each path of two steps."""
    n = len(base.indptr) - 1
    room = np.empty(n, np.int64)
    for i in range(n):
        paths = base.indptr[i + 1] - base.indptr[i]
        for e in range(left.indptr[i], left.indptr[i + 1]):
            k = left.columns[e]
            paths += strong.indptr[k + 1] - strong.indptr[k]
        room[i] = min(paths, n)
    return room


@kernel
def _sparse_rows(start, base, strong, rule, thresholds, counts, indices, data):
    indptr, columns, values = base
    theta1, theta2 = thresholds
    strong_ptr, strong_columns, strong_values = strong
    n_points = indptr.shape[0] - 1
    before = np.zeros(n_points)
    after = np.zeros(n_points)
    seen = np.full(n_points, -1, np.int64)
    out = 0
    for r in range(counts.shape[0]):
        i = start + r
        first = out
        for e in range(indptr[i], indptr[i + 1]):
            j = columns[e]
            before[j] = after[j] = values[e]
            seen[j] = i
            indices[out] = j
            out += 1
        for e in range(indptr[i], indptr[i + 1]):
            k, w_ik = columns[e], values[e]
            if k == i or w_ik <= theta2:
                continue
            for f in range(strong_ptr[k], strong_ptr[k + 1]):
                j = strong_columns[f]
                if j == i:
                    continue
                w_ij = before[j] if seen[j] == i else 0.0
                v = two_hop(rule, w_ik, strong_values[f], w_ij, theta1, theta2)
                if seen[j] != i and v > 0:
                    before[j] = after[j] = 0.0
                    seen[j] = i
                    indices[out] = j
                    out += 1
                if seen[j] == i and v > after[j]:
                    after[j] = v
        for e in range(first, out):
            data[e] = after[indices[e]]
        counts[r] = out - first
    return out
