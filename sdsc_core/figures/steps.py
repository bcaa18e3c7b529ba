"""How W and W* grow with Γ, as changes from one Γ to the next on a grid of cells."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity

MOST_CELLS = 700  # cells a side of a growing matrix; beyond, neighbours are merged


@dataclass(frozen=True)
class Frames:
    """W and W* for a growing Γ, as changes from one Γ to the next on a grid of cells.

    Frame t runs from ``starts[t]`` to ``starts[t + 1]`` in ``at`` (row · size + column, above the
    diagonal) and ``value`` (0 to 255): first for W, then for what W* has above W.
    """

    size: int
    cell: int  # points that a cell stands for, along each side
    w_starts: list[int]
    w_at: NDArray[np.uint32]
    w_value: NDArray[np.uint8]
    star_starts: list[int]
    star_at: NDArray[np.uint32]
    star_value: NDArray[np.uint8]


def frames(pairs: Iterable[tuple[Affinity, Affinity]], order: NDArray[np.int64]) -> Frames:
    """`Frames` of (W, W*) for Γ = 1, 2, …, with the points in the given order.

    Where W* raised an entry its value goes to the second part, and 0 where it did not.

    >>> a = np.array([[0, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0]])
    >>> f = frames([(a, a), (a, a + 0.5 * np.eye(3)[::-1] * [1, 0, 1])], np.arange(3))
    >>> f.w_at.tolist(), f.w_starts, f.star_at.tolist(), f.star_starts, f.star_value.tolist()
    ([1, 5], [0, 2, 2], [2], [0, 0, 1], [128])
    """
    n = len(order)
    cell = -(-n // MOST_CELLS)
    size = -(-n // cell)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n) // cell
    parts: tuple[list, list] = ([], [])
    last = [np.zeros(size * size, np.uint8), np.zeros(size * size, np.uint8)]
    for W, W_star in pairs:
        W = sp.csr_array(W)
        raised = sp.csr_array(W_star)
        raised = raised.multiply(raised > W)
        for which, matrix in enumerate((W, sp.csr_array(raised))):
            grid = _grid(matrix, place, size)
            changed = np.flatnonzero(grid != last[which])
            parts[which].append((changed.astype(np.uint32), grid[changed]))
            last[which] = grid
    return Frames(size, cell, *_joined(parts[0]), *_joined(parts[1]))


def _grid(W: sp.csr_array, place: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """The largest value in each cell above the diagonal, in 255 levels; 0 for none."""
    entries = sp.coo_array(W)
    rows, cols = place[entries.row], place[entries.col]
    keep = (rows <= cols) & (entries.data > 0)
    grid = np.zeros(size * size, np.uint8)
    values = np.maximum(1, np.rint(255 * entries.data[keep])).astype(np.uint8)
    np.maximum.at(grid, rows[keep] * size + cols[keep], values)
    return grid


def _joined(parts: list) -> tuple[list[int], NDArray[np.uint32], NDArray[np.uint8]]:
    sizes = [len(at) for at, _ in parts]
    starts = [0, *np.cumsum(sizes).tolist()]
    return starts, np.concatenate([a for a, _ in parts]), np.concatenate([v for _, v in parts])
