"""Search where N² fits into memory: one product X·Xᵀ, after which a step costs N.

Products are kept as 16-bit integers with a known error. A residual is a sum of points, so its
products follow from rows of the matrix; what lies within the error of the best is decided in
float64.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
def _add(q, weight, row, parts):
    """Add to the products of one residual; the largest |q_k| of each PART entries in ``parts``.

    By the bits without the sign, as `largest_abs`.
    """
    bits, largest, sign_off = q.view(np.int32), parts.view(np.int32), np.int32(0x7FFFFFFF)
    n = q.shape[0]
    for p in range(-(-n // PART)):
        low, high = p * PART, min((p + 1) * PART, n)
        part, added, values = q[low:high], row[low:high], bits[low:high]
        for k in range(part.shape[0]):
            part[k] += weight * np.float32(added[k])
        top = np.int32(0)
        for k in range(values.shape[0]):
            top = max(top, np.int32(values[k] & sign_off))
        largest[p] = top


class Kept(NamedTuple):
    """What a block of B rows keeps from step to step.

    ``Q`` (B, N) are the products of their residuals with all points, ``parts`` the largest |q| of
    each PART of them; ``errors`` (B,) is what rounding may have added to a row, ``totals`` (B,) the
    sum of all |w| that went into it.
    """

    Q: NDArray[np.float32]
    parts: NDArray[np.float32]
    errors: Array
    totals: Array


class Sums(NamedTuple):
    """Σ_a w_a z_{p_a} for each of B rows: ``points`` and ``weights`` (B, A)."""

    points: Indices
    weights: Array


class Asked(NamedTuple):
    """What B rows ask for: their ``residuals`` (B, D); ``own`` (B,) are not to be picked."""

    residuals: Array
    own: Indices


class Found(NamedTuple):
    """``picks`` and ``products`` (B, n_picks), the best first; −1 and 0 where there is none."""

    picks: Indices
    products: Array


@kernel
def _change(q, R, points, weights, parts, totals, error):
    """Add Σ_a w_a R[p_a] to q; what rounding may have added to its error.

    A weight w adds its share of R's error; the sum itself rounds by ρ of what it may hold, at most
    the sum of all |w| so far, which ``totals`` (1,) holds.
    """
    added = 0.0
    for a in range(points.shape[0]):
        w = weights[a]
        if w != 0.0:
            _add(q, np.float32(w / SCALE), R[points[a]], parts)
            totals[0] += abs(w)
            added += abs(w) * (error + 4 * ROUNDING) + 2 * ROUNDING * totals[0]
    return added


@kernel
def _find(kept, R, error, sums, asked, Z, found):
    """Bring each row up to date and make its picks; where the error leaves too many candidates.

    Change and search of a row follow each other, while it is in the cache.
    """
    Q, parts, errors, totals = kept
    points, weights = sums
    residuals, own = asked
    picks, products = found
    candidates, values = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES, np.float32)
    scratch, full = np.empty(CANDIDATES), np.zeros(Q.shape[0], np.bool_)
    top = np.empty(picks.shape[1], np.float32)
    last = picks.shape[1] - 1
    for r in range(Q.shape[0]):
        errors[r] += _change(Q[r], R, points[r], weights[r], parts[r], totals[r : r + 1], error)
        norm = np.sqrt(dot(residuals[r], residuals[r]))
        if norm == 0.0:
            continue
        Q[r, own[r]] = 0.0
        p = own[r] // PART
        largest_abs(Q[r, p * PART : (p + 1) * PART], parts[r, p : p + 1])
        margin = np.float32((2 * errors[r] + (last + 2) * TIE * norm) * (1 + 2.0**-20))
        top[:] = 0.0
        if last == 0:
            top[0] = parts[r].max()
        n = keep(Q[r], parts[r], 0, own[r], margin, top, candidates, values, 0)
        if n < 0:
            full[r] = True
            continue  # it is searched anew
        n = drop_below(top[last] - margin, candidates, values, n)
        settle(residuals[r], norm, Z, candidates, n, scratch, picks[r], products[r])
    return full


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
        n_rows, n = len(own), len(search.Z)
        self._kept = Kept(
            np.zeros((n_rows, n), np.float32),
            np.zeros((n_rows, -(-n // PART)), np.float32),
            np.zeros(n_rows),
            np.zeros(n_rows),
        )
        self._nothing = Sums(np.empty((n_rows, 0), np.int64), np.empty((n_rows, 0)))
        self._sums = self._nothing

    def change(self, points: Indices, weights: Array) -> None:
        """Noted for `find`, which goes through the rows anyway."""
        before = self._sums
        self._sums = Sums(np.hstack([before.points, points]), np.hstack([before.weights, weights]))

    def find(self, residuals: Array, n_picks: int = 1) -> tuple[Indices, Array]:
        own, search = self._own, self._search
        found = Found(np.full((len(own), n_picks), -1), np.zeros((len(own), n_picks)))
        asked = Asked(residuals, own)
        full = _find(self._kept, search.R, search.error, self._sums, asked, search.Z, found)
        self._sums = self._nothing
        picks, products = found
        if full.any():
            picks[full], products[full] = search.by_blocks(residuals[full], own[full], n_picks)
        return picks, products
