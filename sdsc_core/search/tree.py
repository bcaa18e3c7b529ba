"""Search in few dimensions: a tree over directions, exact and far below brute force.

A node is an axis c and a half-angle φ: every point of it, or its negative, lies within φ of c. For
a query q with t = |⟨q, c⟩| no point of the node can have a product above
cos(max(0, ∠(q, c) − φ)) = t·cosφ + √(1 − t²)·sinφ, or 1 where t ≥ cosφ.
"""

import numpy as np

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, gram
from sdsc_core.search.blocks import Array, BlockRows, Indices, to_unit
from sdsc_core.search.exact import ROUNDING, TIE, dot, drop_below, offer, settle
from sdsc_core.search.grow import CHILDREN, LEAF, grow
from sdsc_core.search.vector import lowest_bit, products_from, within

WAITING = 16 * CHILDREN  # nodes that can wait: CHILDREN for each level
MOST_ROWS = 16384  # in a block: many, so that neighbours follow each other
FEW, MANY = 64, 1000  # dimensions; counting takes D³
SPREAD = 1e-7  # directions in which the points spread less than this are left out


_within = within(CHILDREN)
_products_from = products_from(LEAF)


@kernel
def _push(mask, t, base, waiting, offers, n):
    """Put the children in the mask on the stack, the nearest on top."""
    bottom = n
    while mask:
        c = lowest_bit(mask)
        mask &= mask - 1
        at = n
        while at > bottom and offers[at - 1] > t[c]:
            offers[at], waiting[at] = offers[at - 1], waiting[at - 1]
            at -= 1
        offers[at], waiting[at] = t[c], base + c
        n += 1
    return n


@kernel
def _floor(best, margin):
    """The least product that still counts, cos α, and sin α."""
    floor = best - margin
    return floor, np.float32(np.sqrt(1.0 - np.float64(floor) ** 2))


@kernel
def _collect(q, own, nodes, margin, top, candidates, values, scratch, work):
    """All points within the margin of the best ones; their number."""
    axes, cosines, sines, first, points, ids = nodes
    waiting, offers, t, products = scratch
    n_leaves, g = points.shape[0], axes.shape[0] - 1
    n, last = 0, top.shape[0] - 1
    floor, height = _floor(top[last], margin)
    mask = _within(q, axes, g, floor, height, cosines, sines, t)
    stack = _push(mask, t, g * CHILDREN, waiting, offers, 0)
    while stack:
        stack -= 1
        group, child = waiting[stack] // CHILDREN, waiting[stack] % CHILDREN
        if offers[stack] < floor * cosines[group, child] - height * sines[group, child]:
            continue
        node = first[group] + child
        if node >= n_leaves:
            work[0] += 1
            g = node - n_leaves
            mask = _within(q, axes, g, floor, height, cosines, sines, t)
            stack = _push(mask, t, g * CHILDREN, waiting, offers, stack)
            continue
        work[1] += 1
        mask = _products_from(q, points, node, floor, products)
        while mask:
            c = lowest_bit(mask)
            mask &= mask - 1
            value, k = products[c], ids[node, c]
            if value >= floor and k >= 0 and k != own:
                n = offer(value, k, top, candidates, values, n)
                floor, height = _floor(top[last], margin)
    return drop_below(floor, candidates, values, n)


@kernel
def _route(Q, nodes, leaves):
    """The leaf that each query would be in, going down to the nearest axis."""
    products, zero = np.empty(CHILDREN, np.float32), np.float32(0.0)
    n_leaves = nodes.points.shape[0]
    for i in range(Q.shape[0]):
        node = n_leaves + nodes.axes.shape[0] - 1
        while node >= n_leaves:
            g = node - n_leaves
            _within(Q[i], nodes.axes, g, zero, zero, nodes.cosines, nodes.sines, products)
            best = 0
            for c in range(CHILDREN):
                if products[c] > products[best]:
                    best = c
            node = nodes.first[g] + best
        leaves[i] = node


@kernel
def _find(Q, turns, own, residuals, norms, Z, nodes, margin, picks, products, work):
    """The picks of each query, asked in an order in which neighbours follow each other.

    What the one before found is a first bound for the next.
    """
    n = Z.shape[0]
    candidates, values, exact = np.empty(n, np.int64), np.empty(n, np.float32), np.empty(n)
    top = np.empty(picks.shape[1], np.float32)
    scratch = (
        np.empty(WAITING, np.int64),
        np.empty(WAITING, np.float32),
        np.empty(CHILDREN, np.float32),
        np.empty(LEAF, np.float32),
    )
    before = -1
    for i in turns:
        picks[i] = -1
        if norms[i] == 0.0:
            continue
        top[:] = 0.0
        if picks.shape[1] == 1 and before >= 0 and before != own[i]:
            top[0] = abs(dot(residuals[i], Z[before])) / norms[i]
        count = _collect(Q[i], own[i], nodes, margin, top, candidates, values, scratch, work)
        settle(residuals[i], norms[i], Z, candidates, count, exact, picks[i], products[i])
        before = picks[i, 0]


class Tree:
    """Strategy for few dimensions, see `sdsc_core.search.Search`.

    Rounding. Let ρ = 2⁻²⁴, r the dimensions that are kept and τ the longest part left out. Query
    and point rounded to float32 are off by ρ of their norm, a product of r terms in any order by
    rρ more, what is left out by τ: |product − ⟨q, z⟩| ≤ (r + 3)ρ + τ = E. The same holds for an
    axis, so t is off by E; cosφ, sinφ, sinα and the three operations that make the least t from
    them by ρ each at most, together 6ρ. Lowering the floor by e lowers the least t = cos(α + φ) by
    sin(α + φ)/sin α · e ≥ e as long as it is positive, where α + φ ≤ 90°. So a floor that lies
    2E + 7ρ below the best product found, once E for the best and once for the rest, loses nothing:
    neither a node that holds the best point, nor the point, nor one that ties with it. A query
    with only κ < 1 of its norm in the kept dimensions has t ≥ floor·cosφ − √(κ² − floor²)·sinφ for
    such a node; the root taken with κ = 1 asks for less, which loses nothing either.
    """

    name = "tree"
    follows = False

    def __init__(self, Z: Array, n_jobs: int | None = None, progress: Progress | None = None):
        self.Z = Z
        some = Z.any(axis=1)
        ids = np.flatnonzero(some)
        self.basis, left_out = _basis(Z)
        rows = (Z[ids] if self.basis is None else Z[ids] @ self.basis).astype(np.float32)
        self.dimensions = rows.shape[1]
        self.nodes = grow(rows, ids, n_jobs, progress)
        self.order = np.concatenate([ids, np.flatnonzero(~some)])
        self.block_rows = MOST_ROWS
        self.cost = 0.0
        self.margin = 2 * ((self.dimensions + 8) * ROUNDING + left_out)

    def rows(self, own: Indices) -> BlockRows:
        return BlockRows(self, own)

    def find(self, residuals: Array, own: Indices, n_picks: int = 1) -> tuple[Indices, Array]:
        return self.counted(residuals, own, n_picks)[:2]

    def counted(
        self, residuals: Array, own: Indices, n_picks: int = 1
    ) -> tuple[Indices, Array, Indices]:
        """The picks and products, and how many groups and leaves were looked at."""
        unit, norms = to_unit(residuals)
        Q = (unit if self.basis is None else unit @ self.basis).astype(np.float32)
        picks, products = np.full((len(own), n_picks), -1), np.zeros((len(own), n_picks))
        leaves, work = np.empty(len(own), np.int64), np.zeros(2, np.int64)
        if not len(self.nodes.points):
            return picks, products, work
        _route(Q, self.nodes, leaves)
        turns = np.argsort(leaves, kind="stable")
        margin = np.float32(self.margin + (n_picks + 1) * TIE)
        _find(Q, turns, own, residuals, norms, self.Z, self.nodes, margin, picks, products, work)
        return picks, products, work


def dimensions(Z: Array) -> int:
    """How many dimensions are in use, by a sample of the points; not counted if few or many."""
    n, d = Z.shape
    if not FEW < d <= MANY:
        return d
    some = Z[:: max(1, n // (4 * d))]
    spreads = np.linalg.eigvalsh(gram(some.T))
    return int((spreads > len(some) * SPREAD**2).sum())


def _basis(Z: Array) -> tuple[Array | None, float]:
    """Directions in which the points spread (D, r), and the longest part that they leave out.

    Centred points leave out one; points on a few subspaces of a large space leave out most.
    """
    if len(Z) < Z.shape[1]:
        return None, 0.0
    spreads, vectors = np.linalg.eigh(gram(Z.T))
    small = spreads <= len(Z) * SPREAD**2
    if not small.any() or small.all():
        return None, 0.0
    left_out = np.sqrt(((Z @ vectors[:, small]) ** 2).sum(axis=1).max())
    return np.ascontiguousarray(vectors[:, ~small]), float(left_out)
