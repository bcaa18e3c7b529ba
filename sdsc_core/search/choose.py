"""Which strategy: a cost model of the three, with a short trial of the tree on the data.

Costs are nanoseconds of one core; only their ratios matter. For N points in D dimensions, of which
r are in use, and n steps of each point:

    blocks  n N² (a D + b)                        a product and its maximum for each step
    Gram    N² (a D / 2 + c) + n N² e             half a product, then rows of it
    tree    n N (q + (g₀ + g₁ r) groups + (l₀ + l₁ r) leaves), once it has been grown and tried

How many groups and leaves a query looks at depends on the data alone: the trial asks for a few
points, and once more for what is left of them after a first pick, which is how later steps look.
The tree is tried up to MOST_DIMENSIONS in use, beyond which it never pruned enough. The choice
changes the time, never a pick.
"""

from typing import Protocol

import numpy as np

from sdsc_core.blocks import Progress, tick
from sdsc_core.memory import TooLarge, available_memory, check_memory, free_room
from sdsc_core.search.blocks import Array, Blocks, Indices
from sdsc_core.search.gram import Gram, gram_bytes
from sdsc_core.search.tree import MOST_ROWS, Tree, dimensions

STRATEGIES = ("auto", "tree", "gram", "blocks")
PRODUCT, PASS = 0.025, 0.9  # a and b: a multiply-add of the BLAS, a pass over the products
MIRROR, STEP = 2.5, 0.7  # c and e: storing two integers, adding a row and its maximum
GROUP, GROUP_DIMENSION = 35.0, 1.6  # g₀ and g₁
LEAF, LEAF_DIMENSION = 22.0, 3.1  # l₀ and l₁
QUERY = 500.0  # q
TRIED = 96  # points of the trial
FEW_POINTS = 1000  # up to here everything takes milliseconds, a trial too
MOST_DIMENSIONS = 64
MEMORY_SHARE = 0.4  # of what is free, for the Gram matrix
TICK = 0.2  # seconds that a block should take


class Rows(Protocol):
    """A block of residuals, each of them a sum of points, searched step by step."""

    def change(self, points: Indices, weights: Array) -> None:
        """Residual r has become larger by Σ_a weights_ra z_points_ra; a weight of 0 is skipped."""

    def find(self, residuals: Array, n_picks: int = 1) -> tuple[Indices, Array]:
        """The points j ≠ own with the largest |residual · z_j|, −1 for none, and the products."""


class Search(Protocol):
    """Exact search among fixed points Z (N, D), rows of unit norm or zero.

    ``order`` is the order in which the points are best asked for, ``block_rows`` how many at once.
    ``follows`` says whether `Rows.change` is listened to.
    """

    name: str
    follows: bool
    Z: Array
    order: Indices
    block_rows: int

    def rows(self, own: Indices) -> Rows: ...


def make_search(
    Z: Array,
    n_steps: int,
    search: str = "auto",
    *,
    n_picks: int = 1,
    memory_mb: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Search:
    """The search that takes the least time for ``n_steps`` steps of every point, with ``n_picks``.

    ``memory_mb`` bounds what a Gram matrix may take; None is a share of what the machine has free.

    >>> Z = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> rows = make_search(Z, 1).rows(np.arange(3))
    >>> rows.change(np.arange(3)[:, None], np.ones((3, 1)))
    >>> picks, products = rows.find(Z)
    >>> picks.ravel().tolist(), products.ravel().round(2).tolist()
    ([1, 2, 1], [0.6, 0.8, 0.8])
    """
    Z = np.ascontiguousarray(Z, dtype=np.float64)
    n = len(Z)

    def waiting(done: int, total: int) -> None:
        tick(progress, 0, n)

    if search == "tree":
        return _tree(Z, n_steps, n_picks, n_jobs, waiting)
    if search == "gram":
        return Gram(Z, n_jobs, waiting)
    if search == "blocks":
        return Blocks(Z)
    costs = costs_of_products(n, Z.shape[1], n_steps)
    if gram_bytes(n) > _budget(memory_mb):
        del costs["gram"]
    if n > FEW_POINTS and dimensions(Z) <= MOST_DIMENSIONS:
        tree = _tree(Z, n_steps, n_picks, n_jobs, waiting)
        if tree.cost * n_steps * n < min(costs.values()):
            return tree
    if min(costs, key=costs.__getitem__) == "gram" and _granted(Z):
        return Gram(Z, n_jobs, waiting)
    return Blocks(Z)


def costs_of_products(n: int, d: int, n_steps: int) -> dict[str, float]:
    """Nanoseconds of the two strategies that do not depend on the data."""
    return {
        "blocks": n_steps * n * n * (PRODUCT * d + PASS),
        "gram": n * n * (PRODUCT * d / 2 + MIRROR + n_steps * STEP),
    }


def _tree(Z: Array, n_steps: int, n_picks: int, n_jobs: int | None, progress: Progress) -> Tree:
    tree = Tree(Z, n_jobs, progress)
    tree.cost = cost_of_query(tree, n_picks)
    rows = 1e9 * TICK / (tree.cost * n_steps)
    tree.block_rows = int(np.clip(rows, 64, MOST_ROWS))
    return tree


def cost_of_query(tree: Tree, n_picks: int = 1) -> float:
    """Nanoseconds of a query, from what a few look at: for points, and for what a pick leaves."""
    own = tree.order[:: max(1, len(tree.order) // TRIED)][:TRIED]
    residuals = tree.Z[own]
    if n_picks == 1:
        picks, products = tree.find(residuals, own)
        residuals = residuals - products * tree.Z[picks[:, 0]]
    _, _, work = tree.counted(residuals, own, n_picks)
    groups, leaves = work / len(own)
    r = tree.dimensions
    return groups * (GROUP + GROUP_DIMENSION * r) + leaves * (LEAF + LEAF_DIMENSION * r) + QUERY


def _budget(memory_mb: float | None) -> float:
    if memory_mb is not None:
        return memory_mb * 1e6
    return min(MEMORY_SHARE * available_memory(), free_room())


def _granted(Z: Array) -> bool:
    """Whether the Gram matrix may be taken beside the points; others may have come first."""
    try:
        check_memory(gram_bytes(len(Z)) + 5 * Z.nbytes, "a search", len(Z))
    except TooLarge:
        return False
    return True
