"""Search by products: blocks of residuals times tiles of points, with the maximum taken at once.

Needs little memory and no structure in the data; the others are measured against it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.search.exact import ROUNDING, TIE, drop_below, offer, settle

PART = 64  # products whose maximum is kept, to look only where the best may be
CANDIDATES = 32
TILE = 4096
BLOCK = 256
AGAIN = 16  # rows at once that keep any number of candidates

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel
def largest_abs(q, parts):
    """max |q_k|, and in ``parts`` the maximum of each PART entries in turn.

    By the bits without the sign, which order as the numbers do: LLVM vectorises the maximum of
    integers, and of floats only if it may ignore NaN.
    """
    bits, largest, sign_off = q.view(np.int32), parts.view(np.int32), np.int32(0x7FFFFFFF)
    n = q.shape[0]
    for p in range(-(-n // PART)):
        part, top = bits[p * PART : min((p + 1) * PART, n)], np.int32(0)
        for k in range(part.shape[0]):
            top = max(top, np.int32(part[k] & sign_off))
        largest[p] = top
    return parts[: -(-n // PART)].max()


@kernel
def keep(q, parts, first, own, margin, top, candidates, values, n):
    """Add the columns of q that may be among the best to the candidates; their new number.

    It is −1 from where there were too many near-ties to keep, while ``top`` is still followed.
    Few parts hold a candidate.
    """
    last, full = top.shape[0] - 1, n < 0
    n = max(n, 0)
    for p in range(-(-q.shape[0] // PART)):
        if parts[p] < top[last] - margin:
            continue  # no candidate in this part
        for k in range(p * PART, min((p + 1) * PART, q.shape[0])):
            value = abs(q[k])
            if value >= top[last] - margin and first + k != own:
                if n == candidates.shape[0]:
                    n = drop_below(top[last] - margin, candidates, values, n)
                if n == candidates.shape[0]:
                    n, full = 0, True
                n = offer(value, first + k, top, candidates, values, n)
    return -1 if full else n


@kernel
def _propose(Q, first, own, margin, top, candidates, values, counts):
    """Keep, for each row of Q, the columns that may hold its largest entries so far."""
    parts = np.empty(Q.shape[1] // PART + 1, np.float32)
    last = top.shape[1] - 1
    for r in range(Q.shape[0]):
        if first <= own[r] < first + Q.shape[1]:
            Q[r, own[r] - first] = 0.0
        if largest_abs(Q[r], parts) >= top[r, last] - margin:
            counts[r] = keep(
                Q[r], parts, first, own[r], margin, top[r], candidates[r], values[r], counts[r]
            )


@kernel
def _settle(residuals, norms, Z, margin, top, candidates, values, counts, picks, products):
    scratch = np.empty(candidates.shape[1])
    last = top.shape[1] - 1
    for r in range(residuals.shape[0]):
        if norms[r] > 0.0 and counts[r] >= 0:
            n = drop_below(top[r, last] - margin, candidates[r], values[r], counts[r])
            settle(residuals[r], norms[r], Z, candidates[r], n, scratch, picks[r], products[r])


def to_unit(residuals: Array) -> tuple[Array, Array]:
    """Residuals of unit norm, zero ones as they are, and the norms."""
    norms = np.sqrt(np.einsum("ij,ij->i", residuals, residuals))
    scale = np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0)
    return residuals * scale[:, None], norms


class Blocks:
    """Strategy for any data, see `sdsc_core.search.Search`."""

    name = "blocks"
    follows = False

    def __init__(self, Z: Array):
        self.Z = Z
        self.order = np.arange(len(Z))
        self.block_rows = BLOCK
        single = Z.astype(np.float32)
        starts = range(0, len(single), TILE)
        self._tiles = [(k, np.ascontiguousarray(single[k : k + TILE].T)) for k in starts]
        # Rounding of both vectors, and of D products and sums in any order: for unit vectors
        # |float32 product − exact| ≤ (D + 2) 2⁻²⁴ (1 + 2⁻¹⁰) for D < 2¹³, and D + 3 leaves room
        # for the float64 that decides. Once for the best, once for a rival.
        self._margin = 2 * (Z.shape[1] * (1 + 2.0**-10) + 4) * ROUNDING

    def rows(self, own: Indices) -> "BlockRows":
        return BlockRows(self, own)

    def find(self, residuals: Array, own: Indices, n_picks: int = 1) -> tuple[Indices, Array]:
        unit, norms = to_unit(residuals)
        picks, products = np.full((len(own), n_picks), -1), np.zeros((len(own), n_picks))
        left = np.flatnonzero(norms)
        if len(left) < len(own):  # all products with a zero residual tie
            if len(left):
                picks[left], products[left] = self.find(residuals[left], own[left], n_picks)
            return picks, products
        top = np.zeros((len(own), n_picks), np.float32)
        size = max(CANDIDATES, 4 * n_picks)
        args = (unit.astype(np.float32), residuals, norms, own, top)
        counts = self._pass(*args, size, picks, products)
        # A second pass keeps all near-ties; the best value of all is known for it.
        again = np.flatnonzero(counts < 0)
        if n_picks > 1:
            top[:] = 0.0
        for start in range(0, len(again), AGAIN):
            some = again[start : start + AGAIN]
            found = picks[some], products[some]
            self._pass(*[a[some] for a in args], len(self.Z), *found)  # type: ignore[call-arg]
            picks[some], products[some] = found
        return picks, products

    def _pass(self, unit, residuals, norms, own, top, size, picks, products) -> Indices:
        margin = np.float32(self._margin + (picks.shape[1] + 1) * TIE)
        candidates = np.empty((len(own), size), np.int64)
        values = np.empty((len(own), size), np.float32)
        counts = np.zeros(len(own), np.int64)
        buffer = np.empty((len(own), min(TILE, len(self.Z))), np.float32)
        for first, columns in self._tiles:
            Q = np.matmul(unit, columns, out=buffer[:, : columns.shape[1]])
            _propose(Q, first, own, margin, top, candidates, values, counts)
        _settle(residuals, norms, self.Z, margin, top, candidates, values, counts, picks, products)
        return counts


class BlockRows:
    """A block of rows of a search that keeps nothing from step to step."""

    def __init__(self, search: Any, own: Indices):
        self._search, self._own = search, own

    def find(self, residuals: Array, n_picks: int = 1) -> tuple[Indices, Array]:
        return self._search.find(residuals, self._own, n_picks)

    def change(self, points: Indices, weights: Array) -> None:
        pass
