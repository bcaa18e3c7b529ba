"""Two clusterings of the same points: counts, and the best one-to-one map between them.

Of many classes and clusters the table of all counts would be N × N, nearly all of it empty. Then
only the cells that hold a point are looked at, and each part by itself that shares no class and no
cluster with the others.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from sdsc_core.memory import check_memory

MANY = 1 << 22  # cells of a table, beyond which it is not made
CELL_BYTES = 24  # of a cell, with the copies that the Hungarian method makes

Labels = NDArray[np.int64]


def table_of(truth: Labels, found: Labels) -> NDArray[np.int64]:
    """Counts (classes, clusters) of labels that count from 0.

    >>> table_of(np.array([0, 0, 1]), np.array([1, 1, 0])).tolist()
    [[0, 2], [1, 0]]
    """
    shape = _shape(truth, found)
    _check_table(*shape)
    counts = np.bincount(truth * shape[1] + found, minlength=shape[0] * shape[1])
    return counts.reshape(shape)


def is_large(truth: Labels, found: Labels) -> bool:
    """Whether a table of these is better not made.

    >>> is_large(np.arange(9), np.arange(9)), is_large(np.arange(9000), np.arange(9000))
    (False, True)
    """
    rows, columns = _shape(truth, found)
    return rows * columns > MANY


def cells_of(truth: Labels, found: Labels) -> tuple[Labels, Labels, Labels]:
    """Class, cluster and count of each cell that holds a point, row by row.

    >>> [part.tolist() for part in cells_of(np.array([0, 0, 1]), np.array([1, 1, 0]))]
    [[0, 1], [1, 0], [2, 1]]
    """
    columns = _shape(truth, found)[1]
    keys, counts = np.unique(truth * columns + found, return_counts=True)
    return keys // columns, keys % columns, counts


def best_map(
    truth: Labels, found: Labels, table: NDArray[np.int64] | None = None
) -> tuple[Labels, Labels, int]:
    """Classes, the cluster of each, and how many points that makes right (Hungarian method).

    ``table`` is their `table_of`, where it is there already.

    >>> best_map(np.array([0, 0, 1]), np.array([1, 1, 0]))
    (array([0, 1]), array([1, 0]), 3)
    """
    if table is None:
        if is_large(truth, found):
            return _by_parts(*cells_of(truth, found))
        table = table_of(truth, found)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return rows, columns, int(table[rows, columns].sum())


def _shape(truth: Labels, found: Labels) -> tuple[int, int]:
    return int(truth.max()) + 1, int(found.max()) + 1


def _check_table(rows: int, columns: int) -> None:
    if rows * columns > MANY:
        what = f"A table of {rows:,} classes and {columns:,} clusters"
        check_memory(CELL_BYTES * rows * columns, what, None, instead="give fewer of them")


def _by_parts(rows: Labels, columns: Labels, counts: Labels) -> tuple[Labels, Labels, int]:
    """`best_map` from the cells that hold a point."""
    n = int(rows.max()) + 1
    size = n + int(columns.max()) + 1
    links = sp.coo_array((np.ones(len(rows), np.int8), (rows, n + columns)), shape=(size, size))
    part = connected_components(links, directed=False)[1][rows]
    cells = np.bincount(part)
    alone = cells[part] == 1  # nothing else to choose
    order = np.argsort(part, kind="stable")
    ends = np.cumsum(cells)
    found = [(rows[alone], columns[alone], int(counts[alone].sum()))]
    for k in np.flatnonzero(cells > 1):
        at = order[ends[k] - cells[k] : ends[k]]
        found.append(_part(rows[at], columns[at], counts[at]))
    matched, to, right = zip(*found, strict=True)
    return np.concatenate(matched), np.concatenate(to), sum(right)


def _part(rows: Labels, columns: Labels, counts: Labels) -> tuple[Labels, Labels, int]:
    (own, i), (other, j) = (np.unique(of, return_inverse=True) for of in (rows, columns))
    _check_table(len(own), len(other))
    table = np.zeros((len(own), len(other)), np.int64)
    table[i, j] = counts
    a, b = linear_sum_assignment(table, maximize=True)
    return own[a], other[b], int(table[a, b].sum())
