"""What a picture of W and W* needs: entries in the order of display, class blocks, causes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity, check_choice
from sdsc_core.dense import LOWERED, RAISED, Changes
from sdsc_core.figures.cells import grids, places
from sdsc_core.memory import check_memory

LIMIT = 1_500_000  # entries of a triangle that are sent as they are; beyond, cells are merged
GRID = 512  # cells a side after merging
ENTRY_BYTES = 200  # a drawn entry at the largest moment
ORDERS = ("class", "cluster", "loaded")
BETWEEN = 8  # added to the cause of an entry between classes
CAUSES = {
    2: "condition 1", 3: "condition 2", 4: "condition 3", 5: "two-hop path",
    RAISED + 1: "raised", LOWERED + 1: "lowered",
}  # fmt: skip


def ordering(how: str, truth: Any, found: Any) -> NDArray[np.int64]:
    """Points in the order of display: by true class, by found cluster, or as loaded.

    >>> ordering("class", [1, 0, 1], None).tolist()
    [1, 0, 2]
    """
    check_choice(how, "order", ORDERS)
    labels = {"class": truth, "cluster": found, "loaded": None}[how]
    if labels is None:
        return np.arange(len(truth if truth is not None else found))
    return np.argsort(labels, kind="stable")


@dataclass(frozen=True)
class MatrixView:
    """Entries of the upper triangle in display positions, and what is written beside them.

    ``cell`` is the number of points that one position stands for: 1 unless the matrix was merged.
    ``cause`` is 0 for an entry that stayed, else a key of CAUSES, with BETWEEN where it joins two
    classes. ``merge`` says what is shown where several cells share a dot (one of cells.MERGES),
    ``held`` what ``w`` and ``star`` of merged positions hold.
    """

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    w: NDArray[np.float32]
    star: NDArray[np.float32]
    cause: NDArray[np.uint8]
    index: NDArray[np.int64]
    cell: int
    whole: int
    classes: tuple[str, ...] = ()
    class_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    blocks: tuple[tuple[int, int, str], ...] = ()
    panels: tuple[tuple[str, str], ...] = (("w", "W"), ("star", "W*"))
    log: bool = False
    ticks: tuple[tuple[str, float], ...] = (("0", 0.0), ("1", 1.0))
    pairs: tuple[tuple[int, int], ...] = ()
    point: int = -1
    alt: str = ""
    axis: str = "as loaded"
    symbols: tuple[str, str] = ("w", "w*")
    merge: str = "auto"
    held: str = "max"


def matrix_view(
    W: Affinity,
    W_star: Affinity,
    order: NDArray[np.int64],
    *,
    causes: Changes | None = None,
    window: tuple[int, int, int, int] | None = None,
    **options: Any,
) -> MatrixView:
    """The entries of W and W* (N, N) in the order of display.

    With over LIMIT entries, positions are merged, by the option ``merge`` (see `cells.resolved`); a
    ``window`` (x0, y0, x1, y1) small enough comes back with its true cells.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.5], [0, 0.5, 0]])
    >>> v = matrix_view(W, W, np.array([2, 1, 0]))
    >>> v.rows.tolist(), v.cols.tolist(), (10 * v.w).round().tolist()
    ([1, 0], [2, 1], [9.0, 5.0])
    """
    n, place = W.shape[0], places(order)
    most = max(sp.csr_array(A).nnz // 2 for A in (W, W_star))
    check_memory(ENTRY_BYTES * min(most, LIMIT) + 64 * n, "its picture", n, name="W")
    if most > LIMIT and window is None:
        return _merged(W, W_star, order, causes, most, options)
    (keys_w, values), (keys_star, raised) = _upper(W), _upper(W_star)
    keys = _union(keys_w, keys_star)
    w, star = np.zeros(len(keys)), np.zeros(len(keys))
    w[np.searchsorted(keys, keys_w)] = values
    star[np.searchsorted(keys, keys_star)] = raised
    cause = np.zeros(len(keys), np.uint8)
    if causes is not None:
        cause[np.searchsorted(keys, causes.i * n + causes.j)] = _codes(causes, place, options)
    rows, cols = place[keys // n], place[keys % n]
    rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    whole = len(rows)
    if whole > LIMIT and window is not None:
        x0, y0, x1, y1 = window
        low, high = min(x0, y0), max(x1, y1)
        keep = (rows >= low) & (rows < high) & (cols >= low) & (cols < high)
        if keep.sum() <= LIMIT:
            rows, cols, w, star, cause = (a[keep] for a in (rows, cols, w, star, cause))
    if len(rows) > LIMIT:
        return _merged(W, W_star, order, causes, whole, options)
    return MatrixView(
        rows, cols, w.astype(np.float32), star.astype(np.float32), cause, order, 1, whole, **options
    )


def _union(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """`np.union1d` of numbers in ascending order, which are merged instead of hashed."""
    both = np.sort(np.concatenate([a, b]), kind="stable")
    return both[np.diff(both, prepend=-1) > 0]


def _merged(
    W: Affinity,
    W_star: Affinity,
    order: NDArray[np.int64],
    causes: Changes | None,
    whole: int,
    options: dict[str, Any],
) -> MatrixView:
    """The view of so many entries that cells are merged, without a list of them all."""
    cell, place = -(-len(order) // GRID), places(order)
    at, size = place // cell, -(-len(order) // cell)
    held, (w, star) = grids(options.get("merge", "auto"), at, size, W, W_star)
    why = np.zeros((size, size), np.uint8)
    if causes is not None:
        i, j = at[causes.i], at[causes.j]
        cells = size * np.minimum(i, j) + np.maximum(i, j)
        np.maximum.at(why.ravel(), cells, _codes(causes, place, options))
    rows, cols = shown = np.nonzero(np.triu(w + star))
    return MatrixView(
        rows, cols, w[shown], star[shown], why[shown], order, cell, whole,
        **(options | {"held": held}),
    )  # fmt: skip


def _codes(causes: Changes, place: NDArray[np.int64], options: dict[str, Any]) -> NDArray[np.uint8]:
    """What raised each entry, and whether it joins two classes, where these are known."""
    code = np.where(causes.condition > 0, causes.condition + 1, 5)
    class_of = options.get("class_of", ())
    if len(class_of):
        code = code + BETWEEN * (class_of[place[causes.i]] != class_of[place[causes.j]])
    return code.astype(np.uint8)


def class_blocks(
    labels: NDArray[np.int64], order: NDArray[np.int64], names: tuple[str, ...]
) -> tuple[tuple[int, int, str], ...]:
    """Runs of one label along the order: (start, stop, name).

    >>> class_blocks(np.array([0, 0, 1]), np.arange(3), ("a", "b"))
    ((0, 2, 'a'), (2, 3, 'b'))
    """
    along = labels[order]
    starts = np.flatnonzero(np.diff(along, prepend=along[0] - 1))
    stops = np.append(starts[1:], len(along))
    return tuple((int(a), int(b), str(names[along[a]])) for a, b in zip(starts, stops, strict=True))


def _upper(W: Affinity) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Entries above the diagonal: i N + j, ascending, and their values."""
    W = sp.csr_array(W)
    W.sort_indices()
    entries = sp.coo_array(sp.triu(W, k=1))
    keep = entries.data > 0
    keys = entries.row.astype(np.int64) * W.shape[0] + entries.col
    return keys[keep], entries.data[keep]
