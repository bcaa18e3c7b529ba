"""Algorithms 2 and 4, the dense stage: one two-hop maximum, four rules.

For PCE, D1, D2 and D3 alike, w*_ij is the largest of w_ij and of f(w_ik, w_kj, w_ij) over the
points k that i and j share; only f differs. `two_hop` below is that f.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from sdsc_core._jit import kernel
from sdsc_core.affinities import compact, off_diagonal
from sdsc_core.blocks import Progress, run_blocks, tick
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_choice,
    check_count,
    check_star,
    check_thetas,
    is_sparse,
)

RULES = {"PCE": 0, "D1": 1, "D2": 2, "D3": 3}
DISTANCE_RULES = ("D1", "D2", "D3")
DENSE_STAGES = (None, "PCE", *DISTANCE_RULES)
PATHS_A_BLOCK = 4_000_000  # two-hop paths that one block of rows may follow
TILE = 256  # columns of a tile of the dense product; a row of it stays in the first cache
SEEN = 1.0 - 5e-7  # float32 tells a distance this much shorter, and rounding does not make one
ROWS_AT_A_TIME = 256  # of all shortest paths, between two reports of progress
E_INVERSE = float(np.exp(-1.0))


@kernel
def condition(w_ik, w_kj, w_ij, theta1, theta2):
    """Definition 2: the TUR condition (1, 2, 3) of the triple, or 0."""
    low, high = min(w_ik, w_kj), max(w_ik, w_kj)
    if low > theta1:
        return 1 if w_ij <= theta1 else 0
    if low > theta2 and high > theta1:
        return 2 if w_ij <= theta2 else 0
    if low > theta2:
        return 3 if w_ij == 0 else 0
    return 0


@kernel
def two_hop(rule, w_ik, w_kj, w_ij, theta1, theta2):
    """The value that k offers to the pair (i, j); 0 where it offers none."""
    if rule == 0:  # PCE, Algorithm 2
        case = condition(w_ik, w_kj, w_ij, theta1, theta2)
        if case == 1:
            return 0.5 * (w_ik + w_kj)
        if case == 2:
            return min(w_ik, w_kj)
        if case == 3:
            return 0.5 * max(w_ik, w_kj)
        return 0.0
    if w_ik <= 0 or w_kj <= 0:
        return 0.0
    if rule == 1:  # d = 1 − w
        return max(0.0, w_ik + w_kj - 1.0)
    if rule == 2:  # d = 1 − ln w
        return w_ik * w_kj * E_INVERSE
    return w_ik * w_kj / (w_ik + w_kj)  # d = 1 / w


def pce(
    W: Any,
    theta1: float = 0.8,
    theta2: float = 0.6,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> sp.csr_array:
    """Piecewise Correlation Estimation, Algorithm 2, with Definitions 1 and 2.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1].
    theta1, theta2 : 1 ≥ θ₁ > θ₂ ≥ 0. A value equal to θ₁ is strong, not extremely strong.

    Returns
    -------
    W* : (N, N) CSR. Every k reads W, and the largest value that any k gives wins; so w* ≥ w and
    the order of the points does not matter. The time goes with the two-hop paths above θ₂.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> pce(W).toarray()[0].tolist()
    [0.0, 0.9, 0.7]
    """
    W = sp.csr_array(check_affinity(W, unit=True))
    theta1, theta2 = check_thetas(theta1, theta2)
    return _sparse_pass(W, W, "PCE", theta1, theta2, n_jobs, progress)


def densify(
    W: Any,
    transform: str = "D3",
    hops: int | None = 1,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Affinity:
    """The universal dense stage, Algorithm 4, with the transformations of Table 1.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1], sparse or dense.
    transform : "D1": d = 1 − w; "D2": d = 1 − ln w; "D3": d = 1 / w.
    hops : intermediate points on a path. 1 is the paper's single pass, which reads d and not d*;
        more go beyond the paper, and None takes all shortest paths, by Dijkstra's algorithm; it
        is refused where the result, in which nearly all pairs are linked, would not fit.

    Returns
    -------
    W* as W was, CSR or array. On a dense W the distances are float32, and what they do not show,
    a change by less than 5e-7 of a distance, is none.

    >>> W = np.array([[0, 0.8, 0], [0.8, 0, 0.4], [0, 0.4, 0]])
    >>> densify(sp.csr_array(W), "D1").toarray()[0].round(2).tolist()
    [0.0, 0.8, 0.2]
    """
    W = check_affinity(W, unit=True)
    check_choice(transform, "transform", DISTANCE_RULES)
    if hops is None:
        return _all_paths(W, transform, progress)
    hops = check_count(hops, "hops", 1, None, ", or None for all shortest paths")
    if not is_sparse(W):
        return _dense_passes(W, transform, hops, n_jobs, progress)
    result = W
    for _ in range(hops):
        result = _sparse_pass(result, W, transform, 0.0, 0.0, n_jobs, progress)
    return result if hops == 1 else sp.csr_array(result.maximum(result.T))


# Sparse: a product over (max, f), row by row.


def dense_stage(
    W: Affinity,
    dense: str | None = "PCE",
    theta1: float = 0.8,
    theta2: float = 0.6,
    hops: int | None = 1,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Affinity:
    """Step 2 of Algorithm 3: W* by PCE or by D1, D2, D3; W itself for None.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> dense_stage(W, None) is W
    True
    """
    check_choice(dense, "dense", DENSE_STAGES)
    if dense is None:
        check_affinity(W)
        return W
    if dense == "PCE":
        star = pce(W, theta1, theta2, n_jobs=n_jobs, progress=progress)
        return star if sp.issparse(W) else compact(star)
    return densify(W, dense, hops, n_jobs=n_jobs, progress=progress)


def _sparse_pass(
    base: sp.csr_array,
    W: sp.csr_array,
    rule: str,
    theta1: float,
    theta2: float,
    n_jobs: int | None,
    progress: Progress | None,
) -> sp.csr_array:
    n = W.shape[0]
    strong = off_diagonal(W, above=theta2)
    degrees = np.diff(strong.indptr)
    left = strong if base is W else base
    paths = sp.csr_array((np.ones(left.nnz), left.indices, left.indptr), shape=(n, n)) @ degrees
    room = np.minimum(paths.astype(np.int64) + np.diff(base.indptr), n)
    rows = partial(_sparse_block, _parts(base), _parts(strong), RULES[rule], theta1, theta2, room)
    block = max(64, int(n * PATHS_A_BLOCK / max(1, room.sum())))
    parts = run_blocks(rows, n, block, n_jobs=n_jobs, progress=progress)
    counts, indices, data = (np.concatenate(p) for p in zip(*parts, strict=True))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    # Turned once more the rows come out sorted, in linear time; W* is symmetric for one pass.
    unsorted = sp.csr_array((data, indices, indptr), shape=(n, n))
    turned = unsorted.tocsc()
    if base is W:
        return sp.csr_array((turned.data, turned.indices, turned.indptr), shape=(n, n))
    return turned.tocsr()


def _parts(W: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    return W.indptr.astype(np.int64), W.indices.astype(np.int32), W.data


def _sparse_block(base, strong, rule, theta1, theta2, room, start, stop):
    size = int(room[start:stop].sum())
    counts = np.zeros(stop - start, np.int64)
    indices, data = np.empty(size, np.int32), np.empty(size)
    n = _sparse_rows(start, base, strong, rule, theta1, theta2, counts, indices, data)
    return counts, indices[:n], data[:n]


@kernel
def _sparse_rows(start, base, strong, rule, theta1, theta2, counts, indices, data):
    indptr, columns, values = base
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


# Dense: a (min, +) product of distances in tiles.


def to_distance(w: Any, transform: str) -> NDArray[np.float64]:
    """Table 1, step 1: similarities in [0, 1] as distances.

    >>> to_distance([0.5, 0.0], "D3").tolist()
    [2.0, inf]
    """
    w = np.asarray(w, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        if transform == "D1":
            return 1.0 - w
        return 1.0 - np.log(w) if transform == "D2" else 1.0 / w


def to_similarity(d: Any, transform: str) -> NDArray[np.float64]:
    """Table 1, last step: distances as similarities.

    >>> to_similarity([2.0, np.inf], "D3").tolist()
    [0.5, 0.0]
    """
    d = np.asarray(d, dtype=np.float64)
    if transform == "D1":
        return np.maximum(1.0 - d, 0.0)
    return np.exp(1.0 - d) if transform == "D2" else 1.0 / d


def _dense_passes(
    W: NDArray[np.float64],
    transform: str,
    hops: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # too far for float32 is infinitely far
        D = to_distance(W, transform).astype(np.float32)
    np.fill_diagonal(D, np.inf)  # k is neither i nor j
    best = D.copy()
    for _ in range(hops):
        left = best.copy() if hops > 1 else D
        rows = partial(_min_plus_block, left, D, best)
        run_blocks(rows, len(W), TILE, n_jobs=n_jobs, progress=progress)
        _mirror(best)
        np.fill_diagonal(best, np.inf)
    # Only where a path is shorter: float32 must not touch the other entries.
    return np.where(best < SEEN * D, np.maximum(W, to_similarity(best, transform)), W)


def _min_plus_block(left, D, best, start, stop):
    _min_plus_rows(left, D, best, start, stop)


@kernel
def _min_plus_rows(left, D, best, start, stop):
    """best_ij = min(best_ij, left_ik + d_kj) for j ≥ start; the rest follows by symmetry.

    Four k at a time, so that a tile of a row of ``best`` is loaded and stored once for four.
    """
    n = D.shape[0]
    quads = n - n % 4
    for j0 in range(start, n, TILE):
        j1 = min(j0 + TILE, n)
        for k in range(0, quads, 4):
            d0, d1, d2, d3 = D[k, j0:j1], D[k + 1, j0:j1], D[k + 2, j0:j1], D[k + 3, j0:j1]
            for i in range(start, stop):
                row = best[i, j0:j1]
                a, b, c, d = left[i, k], left[i, k + 1], left[i, k + 2], left[i, k + 3]
                for j in range(j1 - j0):
                    u, v = a + d0[j], b + d1[j]
                    u = v if v < u else u
                    w, v = c + d2[j], d + d3[j]
                    w = v if v < w else w
                    u = w if w < u else u
                    row[j] = u if u < row[j] else row[j]
        for k in range(quads, n):
            for i in range(start, stop):
                a = left[i, k]
                for j in range(j0, j1):
                    v = a + D[k, j]
                    best[i, j] = v if v < best[i, j] else best[i, j]


@kernel
def _mirror(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = A[j, i]


def _all_paths(W: Affinity, transform: str, progress: Progress | None) -> Affinity:
    from sdsc_core.methods._memory import check_memory  # the methods build on this module

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


# Why an entry is what it is.


@dataclass(frozen=True)
class Offer:
    """What one intermediate point k offers to a pair."""

    k: int
    w_ik: float
    w_kj: float
    condition: int  # TUR condition 1–3, 0 for none; 0 throughout for D1–D3
    value: float


@dataclass(frozen=True)
class Explanation:
    """Why w*_ij is what it is. ``witness`` is the k that wins, −1 where w_ij stands."""

    i: int
    j: int
    before: float
    after: float
    condition: int
    witness: int
    offers: tuple[Offer, ...]


def explain(
    W: Any, i: int, j: int, theta1: float = 0.8, theta2: float = 0.6, rule: str = "PCE"
) -> Explanation:
    """The condition of Definition 2 and the witness k behind w*_ij, with every k's offer.

    With ``rule`` D1, D2 or D3 the same for Algorithm 4. Ties go to the lowest k.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> e = explain(W, 0, 2)
    >>> e.condition, e.witness, e.before, e.after
    (2, 1, 0.0, 0.7)
    """
    W = sp.csr_array(check_affinity(W, unit=True))
    theta1, theta2 = _thetas(rule, theta1, theta2)
    i, j = (check_count(v, s, 0, W.shape[0] - 1) for v, s in ((i, "i"), (j, "j")))
    if i == j:
        raise ValueError(f"i and j are both {i}; give two different points.")
    row_i, row_j = W[[i]].toarray().ravel(), W[[j]].toarray().ravel()
    before = float(row_i[j])
    offers = []
    for k in np.flatnonzero((row_i > 0) & (row_j > 0)):
        if k in (i, j):
            continue
        a, b = float(row_i[k]), float(row_j[k])
        case = int(condition(a, b, before, theta1, theta2)) if rule == "PCE" else 0
        value = float(two_hop(RULES[rule], a, b, before, theta1, theta2))
        offers.append(Offer(int(k), a, b, case, value))
    best = max(offers, key=lambda o: o.value, default=None)
    if best is None or best.value <= before:
        return Explanation(i, j, before, before, 0, -1, tuple(offers))
    return Explanation(i, j, before, best.value, best.condition, best.k, tuple(offers))


@dataclass(frozen=True)
class Changes:
    """Entries i < j that the dense stage raised, each with its condition and witness."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    condition: NDArray[np.int64]
    witness: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.i)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.i, self.j, self.before, self.after, self.condition, self.witness))


def changes(
    W: Any, W_star: Any, rule: str = "PCE", theta1: float = 0.8, theta2: float = 0.6
) -> Changes:
    """All entries that one pass of the dense stage raised, with the reason for each.

    W and W* are (N, N), sparse or dense. The witness is −1 where no single k explains an entry,
    as happens in a W* of several hops or of another rule. θ counts for PCE alone.

    >>> W = sp.csr_array(np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]]))
    >>> [c.tolist() for c in changes(W, pce(W))]
    [[0], [2], [0.0], [0.7], [2], [1]]
    """
    theta1, theta2 = _thetas(rule, theta1, theta2)
    W = sp.csr_array(check_affinity(W, unit=True))
    W_star = sp.csr_array(check_star(W, W_star))
    raised = sp.coo_array(sp.triu(W_star - W, k=1))
    keep = raised.data > 0
    i, j = (raised.row[keep].astype(np.int64), raised.col[keep].astype(np.int64))
    # Where nothing was raised SciPy would give sparse arrays.
    before, after = (A[i, j] if len(i) else np.empty(0) for A in (W, W_star))
    cases, witness = np.zeros(len(i), np.int64), np.full(len(i), -1)
    _witnesses(i, j, _parts(W), RULES[rule], theta1, theta2, before, cases, witness)
    return Changes(i, j, before, after, cases, witness)


def _thetas(rule: Any, theta1: Any, theta2: Any) -> tuple[float, float]:
    check_choice(rule, "rule", tuple(RULES))
    return check_thetas(theta1, theta2) if rule == "PCE" else (0.0, 0.0)


@kernel
def _witnesses(i, j, W, rule, theta1, theta2, before, cases, witness):
    """Merge rows i and j of W to find, for each pair, the k that offers most."""
    indptr, columns, values = W
    for p in range(i.shape[0]):
        a, a1 = indptr[i[p]], indptr[i[p] + 1]
        b, b1 = indptr[j[p]], indptr[j[p] + 1]
        best = before[p]
        while a < a1 and b < b1:
            if columns[a] < columns[b]:
                a += 1
            elif columns[a] > columns[b]:
                b += 1
            else:
                k = columns[a]
                v = two_hop(rule, values[a], values[b], before[p], theta1, theta2)
                if v > best and k != i[p] and k != j[p]:
                    best = v
                    witness[p] = k
                    if rule == 0:
                        cases[p] = condition(values[a], values[b], before[p], theta1, theta2)
                a += 1
                b += 1
