"""A matrix too large to show: neighbouring points share a cell, which shows their maximum.

A mean would hide the few links of a sparse matrix.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity


def places(order: Any) -> NDArray[np.int64]:
    """Where each point stands in an order of the points, (N,).

    >>> places([2, 0, 1]).tolist()
    [1, 2, 0]
    """
    order = np.asarray(order)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def largest_by_cell(
    W: Affinity, cell_of: NDArray[np.int64], size: int, dtype: Any = np.float64
) -> NDArray[Any]:
    """The largest entry of W (N, N) in each of size × size cells; ``cell_of`` (N,) is each point's.

    >>> largest_by_cell(np.array([[0, 3.0, 1], [3, 0, 2], [1, 2, 0]]), np.array([0, 0, 1]), 2)
    array([[3., 2.], [2., 0.]])
    """
    W = sp.csr_array(W)
    grid = np.zeros(size * size, dtype)
    cells = np.repeat(cell_of * size, np.diff(W.indptr)) + cell_of[W.indices]
    np.maximum.at(grid, cells, W.data.astype(dtype, copy=False))  # quick where all is of one type
    return grid.reshape(size, size)
