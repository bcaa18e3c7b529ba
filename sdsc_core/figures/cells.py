"""A matrix too large to show: neighbouring points share a cell.

A cell shows the maximum of its entries, since a mean hides the few links of a sparse matrix; but
with thousands of points nearly every cell holds a link, and the maximum makes a density of 0.1 %
look full. There the mean, or the share of nonzero entries, tells more.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.checks import Affinity, check_choice
from sdsc_core.sparse.entries import places_of


def places(order: Any) -> NDArray[np.int64]:
    """Where each point stands in an order of the points, (N,).

    >>> places([2, 0, 1]).tolist()
    [1, 2, 0]
    """
    order = np.asarray(order)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


MERGES = ("auto", "max", "mean", "density")
FULL, TIMES = 0.25, 4.0  # a picture looks full from so many filled cells, so many times the truth
HIGHEST = 0.99  # quantile of the filled cells that has the darkest colour


def largest_by_cell(
    W: Affinity, cell_of: NDArray[np.int64], size: int, dtype: Any = np.float64
) -> NDArray[Any]:
    """The largest entry of W (N, N) in each of size × size cells; ``cell_of`` (N,) is each point's.

    >>> largest_by_cell(np.array([[0, 3.0, 1], [3, 0, 2], [1, 2, 0]]), np.array([0, 0, 1]), 2)
    array([[3., 2.], [2., 0.]])
    """
    return _grid(W, cell_of, size, 0).astype(dtype, copy=False)


def by_cell(
    W: Affinity, cell_of: NDArray[np.int64], size: int, how: str = "max"
) -> NDArray[np.float32]:
    """Maximum, mean or density (share of nonzero entries) of W (N, N) in each of size × size cells.

    >>> W, cells = np.array([[0, 3.0, 1], [3, 0, 0], [1, 0, 0]]), np.array([0, 0, 1])
    >>> by_cell(W, cells, 2, "mean").tolist(), by_cell(W, cells, 2, "density").tolist()
    ([[1.5, 0.5], [0.5, 0.0]], [[0.5, 0.5], [0.5, 0.0]])
    """
    check_choice(how, "merge", MERGES[1:])
    if how == "max":
        return largest_by_cell(W, cell_of, size, np.float32)
    total = _grid(W, cell_of, size, MERGES.index(how) - 1)
    points = np.bincount(cell_of, minlength=size)
    area = np.maximum(1, np.outer(points, points))
    return (total / area).astype(np.float32)


def resolved(merge: str, *matrices: tuple[Affinity, NDArray[np.int64], int]) -> str:
    """What cells show: as asked; for "auto" the mean where the maximum makes a matrix look full.

    ``matrices`` are W, the cell of each point, and the number of cells a side.

    >>> W = np.eye(400)[:, np.random.default_rng(0).permutation(400)]  # one link in 400
    >>> [resolved("auto", (W, np.arange(400) // each, 400 // each)) for each in (2, 10, 20)]
    ['max', 'max', 'mean']
    """
    check_choice(merge, "merge", MERGES)
    if merge != "auto":
        return merge
    return "mean" if any(_looks_full(*m) for m in matrices) else "max"


def grids(
    merge: str, cell_of: NDArray[np.int64], size: int, *matrices: Affinity
) -> tuple[str, list[NDArray[np.float32]]]:
    """What cells show, as `resolved` says, and `by_cell` of each matrix, in as few passes.

    >>> W, cells = np.array([[0, 3.0, 1], [3, 0, 0], [1, 0, 0]]), np.array([0, 0, 1])
    >>> how, (grid,) = grids("auto", cells, 2, W)
    >>> how, grid.tolist()
    ('max', [[3.0, 1.0], [1.0, 0.0]])
    """
    check_choice(merge, "merge", MERGES)
    if merge == "auto":
        means = [by_cell(W, cell_of, size, "mean") for W in matrices]
        if any(_is_full(*pair) for pair in zip(means, matrices, strict=True)):
            return "mean", means
        merge = "max"
    return merge, [by_cell(W, cell_of, size, merge) for W in matrices]


def _looks_full(W: Affinity, cell_of: NDArray[np.int64], size: int) -> bool:
    return _is_full(by_cell(W, cell_of, size, "density"), W)


def _is_full(grid: NDArray[np.float32], W: Affinity) -> bool:
    """By a grid of means or densities."""
    filled, true = float((grid > 0).mean()), sp.csr_array(W).nnz / W.shape[0] ** 2
    return filled > FULL and filled > TIMES * true


def highest(*grids: NDArray[np.float32]) -> float:
    """The value that has the darkest colour in pictures of means or densities.

    >>> highest(np.array([[0.0, 0.5], [0.5, 0.0]], np.float32))
    0.5
    """
    filled = np.concatenate([grid[grid > 0] for grid in grids])
    return float(np.quantile(filled, HIGHEST)) if len(filled) else 1.0


def _grid(W: Affinity, cell_of: NDArray[np.int64], size: int, how: int) -> NDArray[np.float64]:
    """The largest entry (0), the sum (1) or the number of nonzeros (2) in each cell."""
    W = sp.csr_array(W)
    grid = np.zeros((size, size))
    _fill(*places_of(W), W.data, cell_of, how, grid)
    return grid


@kernel
def _fill(indptr, indices, data, cell_of, how, grid):
    for i in range(len(cell_of)):
        row = grid[cell_of[i]]
        for e in range(indptr[i], indptr[i + 1]):
            c, v = cell_of[indices[e]], data[e]
            if how == 0:
                row[c] = max(row[c], v)
            elif how == 1:
                row[c] += v
            else:
                row[c] += v != 0
