"""How W and W* grow with Γ, as changes from one Γ to the next on a grid of cells."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity
from sdsc_core.figures.cells import largest_by_cell, places

MOST_CELLS = 700  # cells a side of a growing matrix; beyond, neighbours are merged


@dataclass(frozen=True)
class Frames:
    """W and W* for a growing Γ, as changes from one Γ to the next on a grid of cells.

    Frame t runs from ``starts[t]`` to ``starts[t + 1]`` in ``at`` (row · size + column, above the
    diagonal) and ``value`` (0 to 255): first for W, then for what W* has above W, or for W* itself.
    """

    size: int
    cell: int  # points that a cell stands for, along each side
    w_starts: list[int]
    w_at: NDArray[np.uint32]
    w_value: NDArray[np.uint8]
    star_starts: list[int]
    star_at: NDArray[np.uint32]
    star_value: NDArray[np.uint8]


def frames(
    pairs: Iterable[tuple[Affinity, Affinity]], order: NDArray[np.int64], whole: bool = False
) -> Frames:
    """`Frames` of (W, W*) for Γ = 1, 2, …, with the points in the given order.

    Where W* raised an entry its value goes to the second part, and 0 where it did not; with
    ``whole`` all of W* does, as a stage that also lowers entries needs it.

    >>> a = np.array([[0, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0]])
    >>> f = frames([(a, a), (a, a + 0.5 * np.eye(3)[::-1] * [1, 0, 1])], np.arange(3))
    >>> f.w_at.tolist(), f.w_starts, f.star_at.tolist(), f.star_starts, f.star_value.tolist()
    ([1, 5], [0, 2, 2], [2], [0, 0, 1], [128])
    """
    n = len(order)
    cell = -(-n // MOST_CELLS)
    size = -(-n // cell)
    cell_of = places(order) // cell
    parts: tuple[list, list] = ([], [])
    last = [np.zeros(size * size, np.uint8), np.zeros(size * size, np.uint8)]
    for W, W_star in pairs:
        W = sp.csr_array(W)
        raised = sp.csr_array(W_star)
        raised = raised if whole else raised.multiply(raised > W)
        for which, matrix in enumerate((W, sp.csr_array(raised))):
            grid = _grid(matrix, cell_of, size)
            changed = np.flatnonzero(grid != last[which])
            parts[which].append((changed.astype(np.uint32), grid[changed]))
            last[which] = grid
    return Frames(size, cell, *_joined(parts[0]), *_joined(parts[1]))


def _grid(W: sp.csr_array, cell_of: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """The largest value in each cell above the diagonal, in 255 levels; 0 for none."""
    grid = np.triu(largest_by_cell(W, cell_of, size)).ravel()
    levels = np.maximum(1, np.rint(255 * grid)).astype(np.uint8)
    return np.where(grid > 0, levels, np.uint8(0))


def _joined(parts: list) -> tuple[list[int], NDArray[np.uint32], NDArray[np.uint8]]:
    sizes = [len(at) for at, _ in parts]
    starts = [0, *np.cumsum(sizes).tolist()]
    return starts, np.concatenate([a for a, _ in parts]), np.concatenate([v for _, v in parts])
