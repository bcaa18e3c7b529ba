"""Exact search for the point most correlated with a residual; IMC and OMP both use it.

A fast pass proposes: every point whose product with the residual may be the largest, given the
rounding of that pass. A fixed-order product in float64 then decides between the few that are left.
So the pick does not depend on blocks, threads or the BLAS, and ties go to the lowest index.
"""

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel

TIE = 1e-12  # products closer than this (times the residual's norm) are tied
NOTHING = 1e-10  # a correlation below this is none
LANES = 64
CANDIDATES = 32
TILE = 4096


@kernel
def dot(a, b):
    """Product of two vectors in one fixed order, whoever calls it."""
    n = a.shape[0]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    tail = n - n % 8
    for i in range(0, tail, 8):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        s4 += a[i + 4] * b[i + 4]
        s5 += a[i + 5] * b[i + 5]
        s6 += a[i + 6] * b[i + 6]
        s7 += a[i + 7] * b[i + 7]
    for i in range(tail, n):
        s0 += a[i] * b[i]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def largest_abs(q, lanes):
    """max |q_k|, and in ``lanes`` the maximum over each k modulo LANES.

    Lane by lane, because LLVM vectorises that without reordering anything.
    """
    n = q.shape[0]
    lanes[:] = 0.0
    tail = n - n % LANES
    for k in range(0, tail, LANES):
        for lane in range(LANES):
            v = abs(q[k + lane])
            lanes[lane] = v if v > lanes[lane] else lanes[lane]
    for k in range(tail, n):
        lanes[k - tail] = max(lanes[k - tail], abs(q[k]))
    return lanes.max()


@kernel
def reaching(q, lanes, floor, own, found):
    """Indices k ≠ own with |q_k| ≥ floor, into ``found``; their number. Few lanes hold one."""
    n = 0
    for lane in range(LANES):
        if lanes[lane] >= floor:
            for k in range(lane, q.shape[0], LANES):
                if abs(q[k]) >= floor and k != own:
                    found[n] = k
                    n += 1
    return n


@kernel
def decide(candidates, products, n, residual, Z, tie):
    """Index and product of the largest |residual · z_k|; ties go to the lowest index."""
    best = 0.0
    for c in range(n):
        products[c] = dot(residual, Z[candidates[c]])
        best = max(best, abs(products[c]))
    pick, product = -1, 0.0
    for c in range(n):
        k = candidates[c]
        if abs(products[c]) >= best - tie and (pick < 0 or k < pick):
            pick, product = k, products[c]
    return pick, product


@kernel
def _propose(Q, first, own, margin, best, candidates, values, counts):
    """Keep, for each row of Q, the columns that may hold its largest entry so far."""
    lanes = np.zeros(LANES, Q.dtype)
    found = np.empty(Q.shape[1], np.int64)
    size = candidates.shape[1]
    for r in range(Q.shape[0]):
        if first <= own[r] < first + Q.shape[1]:
            Q[r, own[r] - first] = 0.0
        top = largest_abs(Q[r], lanes)
        best[r] = max(best[r], top)
        floor = best[r] - margin
        if top < floor or counts[r] > size:
            continue
        n = reaching(Q[r], lanes, floor, own[r] - first, found)
        if counts[r] + n > size:
            counts[r] = _drop_below(floor, candidates[r], values[r], counts[r])
        if counts[r] + n > size:
            counts[r] = size + 1  # too many near-ties to keep: every point is a candidate
            continue
        for c in found[:n]:
            candidates[r, counts[r]] = first + c
            values[r, counts[r]] = abs(Q[r, c])
            counts[r] += 1


@kernel
def _drop_below(floor, candidates, values, n):
    kept = 0
    for c in range(n):
        if values[c] >= floor:
            candidates[kept] = candidates[c]
            values[kept] = values[c]
            kept += 1
    return kept


@kernel
def _settle(residuals, norms, Z, own, candidates, counts, picks, products):
    n_points = Z.shape[0]
    everyone = np.empty(n_points, np.int64)
    scratch = np.empty(n_points, np.float64)
    for r in range(residuals.shape[0]):
        picks[r] = -1
        if norms[r] == 0.0:
            continue
        n = counts[r]
        if n > candidates.shape[1]:
            n = 0
            for k in range(n_points):
                if k != own[r]:
                    everyone[n] = k
                    n += 1
        else:
            everyone[:n] = candidates[r, :n]
        pick, product = decide(everyone, scratch, n, residuals[r], Z, TIE * norms[r])
        if pick >= 0 and abs(product) > NOTHING * norms[r]:
            picks[r], products[r] = pick, product


class Search:
    """Search among fixed points ``Z`` (N, D), rows of unit norm or zero.

    >>> Z = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> picks, products = Search(Z)(Z, np.arange(3))
    >>> picks.tolist(), products.round(2).tolist()
    ([1, 2, 1], [0.6, 0.8, 0.8])
    """

    def __init__(self, Z: NDArray[np.float64]):
        self.Z = np.ascontiguousarray(Z, dtype=np.float64)
        single = self.Z.astype(np.float32)
        starts = range(0, len(single), TILE)
        self._tiles = [(k, np.ascontiguousarray(single[k : k + TILE].T)) for k in starts]
        # |float32 product − exact| ≤ (D + 2) 2⁻²⁴ for unit vectors, for the best and for a rival.
        self._margin = np.float32(2 * (self.Z.shape[1] + 4) * 2.0**-23)

    def __call__(
        self, residuals: NDArray[np.float64], own: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """For each residual (B, D) the pick j ≠ own (−1 for none) and its product (signed)."""
        n_rows, n_points = len(residuals), len(self.Z)
        norms = np.sqrt(np.einsum("ij,ij->i", residuals, residuals))
        scale = np.divide(1.0, norms, out=np.zeros(n_rows), where=norms > 0)
        unit = (residuals * scale[:, None]).astype(np.float32)
        best = np.zeros(n_rows, np.float32)
        candidates = np.empty((n_rows, CANDIDATES), np.int64)
        values = np.empty((n_rows, CANDIDATES), np.float32)
        counts = np.zeros(n_rows, np.int64)
        buffer = np.empty((n_rows, min(TILE, n_points)), np.float32)
        for first, columns in self._tiles:
            Q = np.matmul(unit, columns, out=buffer[:, : columns.shape[1]])
            _propose(Q, first, own, self._margin, best, candidates, values, counts)
        picks = np.empty(n_rows, np.int64)
        products = np.zeros(n_rows)
        _settle(residuals, norms, self.Z, own, candidates, counts, picks, products)
        return picks, products
