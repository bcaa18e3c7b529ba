"""Search where N² fits into memory: one product X·Xᵀ, after which a step costs N.

Products are kept as 16-bit integers with a known error. A residual is a sum of points, so its
products follow from rows of the matrix; what lies within the error of the best is decided in
float64.
"""

from functools import partial

import numpy as np

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.search.blocks import (
    PART,
    Array,
    Blocks,
    Indices,
    keep,
    largest_abs,
)
from sdsc_core.search.exact import ROUNDING, TIE, dot, drop_below, settle

SCALE = 32700.0  # room for a product that rounds to more than 1
SIDE = 512  # of a square of the product
PATCH = 32  # side of the squares in which one is mirrored, so that both sides stay in the cache
CACHE = 4 << 20  # bytes for the products of one block of rows
CANDIDATES = 256


def gram_bytes(n: int) -> int:
    """Memory of the matrix."""
    return 2 * n * n


@kernel
def _to_integers(products, out):
    scale, half = np.float32(SCALE), np.float32(0.5)
    for j in range(products.shape[0]):
        v = products[j] * scale
        out[j] = np.int16(v + half if v >= 0 else v - half)


@kernel
def _store(Q, R, a, b):
    """Put a square of products and its mirror image into R as integers."""
    n_rows, n_columns = Q.shape
    patch = np.empty((PATCH, PATCH), np.int16)
    for i0 in range(0, n_rows, PATCH):
        height = min(PATCH, n_rows - i0)
        for i in range(i0, i0 + height):
            _to_integers(Q[i], R[a + i, b : b + n_columns])
        if a == b:
            continue
        for j0 in range(0, n_columns, PATCH):
            width = min(PATCH, n_columns - j0)
            for i in range(height):
                row = R[a + i0 + i, b + j0 : b + j0 + width]
                for j in range(width):
                    patch[j, i] = row[j]
            for j in range(width):
                R[b + j0 + j, a + i0 : a + i0 + height] = patch[j, :height]


@kernel(fastmath={"contract"})
def _add(q, weight, row):
    for k in range(q.shape[0]):
        q[k] += weight * np.float32(row[k])


@kernel
def _change(Q, R, points, weights, errors, totals, error):
    """Add Σ_a w_a R[p_a] to each row of Q, and what rounding may have added to its error.

    A weight w adds its share of R's error; the sum itself rounds by ρ of what it may hold, at most
    the sum of all |w| so far.
    """
    for r in range(Q.shape[0]):
        for a in range(points.shape[1]):
            w = weights[r, a]
            if w != 0.0:
                _add(Q[r], np.float32(w / SCALE), R[points[r, a]])
                totals[r] += abs(w)
                errors[r] += abs(w) * (error + 4 * ROUNDING) + 2 * ROUNDING * totals[r]


@kernel
def _find(Q, errors, residuals, own, Z, picks, products, full):
    """The picks of each row; ``full`` where the error leaves too many candidates."""
    parts = np.empty(Q.shape[1] // PART + 1, np.float32)
    candidates, values = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES, np.float32)
    scratch = np.empty(CANDIDATES)
    top = np.empty(picks.shape[1], np.float32)
    last = picks.shape[1] - 1
    for r in range(Q.shape[0]):
        norm = np.sqrt(dot(residuals[r], residuals[r]))
        if norm == 0.0:
            continue
        Q[r, own[r]] = 0.0
        top[:] = 0.0
        margin = np.float32((2 * errors[r] + (last + 2) * TIE * norm) * (1 + 2.0**-20))
        top[0] = largest_abs(Q[r], parts)
        if last:
            top[0] = 0.0
        n = keep(Q[r], parts, 0, own[r], margin, top, candidates, values, 0)
        if n < 0:
            full[r] = True
            continue
        n = drop_below(top[last] - margin, candidates, values, n)
        settle(residuals[r], norm, Z, candidates, n, scratch, picks[r], products[r])


class Gram:
    """Strategy where N² fits, see `sdsc_core.search.Search`.

    Error of an entry: (D + 3)·2⁻²⁴ of the product in float32, as for `Blocks`, and half a unit of
    the last place, 1/(2·SCALE); both are kept for each row as weights are added to it.
    """

    name = "gram"
    follows = True

    def __init__(self, Z: Array, n_jobs: int | None = None, progress: Progress | None = None):
        n, d = Z.shape
        self.Z = Z
        self.order = np.arange(n)
        self.block_rows = int(np.clip(CACHE // (4 * n), 16, 256))
        self.error = (d * (1 + 2.0**-10) + 4) * ROUNDING + 0.5001 / SCALE
        self.R = np.empty((n, n), np.int16)
        self._single = Z.astype(np.float32)
        self._blocks: Blocks | None = None
        starts = range(0, n, SIDE)
        squares = [(a, b) for a in starts for b in starts if b >= a]
        run_blocks(
            partial(self._squares, squares), len(squares), 1, n_jobs=n_jobs, progress=progress
        )

    def _squares(self, squares: list[tuple[int, int]], start: int, stop: int) -> None:
        for a, b in squares[start:stop]:
            Q = self._single[a : a + SIDE] @ self._single[b : b + SIDE].T
            _store(Q, self.R, a, b)

    def rows(self, own: Indices) -> "GramRows":
        return GramRows(self, own)

    def by_blocks(self, residuals: Array, own: Indices, n_picks: int) -> tuple[Indices, Array]:
        """For rows whose error leaves too many candidates: products made afresh."""
        if self._blocks is None:
            self._blocks = Blocks(self.Z)
        return self._blocks.find(residuals, own, n_picks)


class GramRows:
    """A block of rows: products of their residuals with all points, as the residuals change."""

    def __init__(self, search: Gram, own: Indices):
        self._search, self._own = search, own
        self._Q = np.zeros((len(own), len(search.Z)), np.float32)
        self._errors, self._totals = np.zeros(len(own)), np.zeros(len(own))

    def change(self, points: Indices, weights: Array) -> None:
        _change(
            self._Q, self._search.R, points, weights, self._errors, self._totals,
            self._search.error,
        )  # fmt: skip

    def find(self, residuals: Array, n_picks: int = 1) -> tuple[Indices, Array]:
        own, Z = self._own, self._search.Z
        picks, products = np.full((len(own), n_picks), -1), np.zeros((len(own), n_picks))
        full = np.zeros(len(own), np.bool_)
        _find(self._Q, self._errors, residuals, own, Z, picks, products, full)
        if full.any():
            again = self._search.by_blocks(residuals[full], own[full], n_picks)
            picks[full], products[full] = again
        return picks, products
