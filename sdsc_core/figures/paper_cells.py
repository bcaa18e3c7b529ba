"""The dots of a matrix in a file: merged where they are too many, in the colours of the screen."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.figures.cells import by_cell, highest, resolved
from sdsc_core.figures.matrix import BETWEEN, MatrixView

# The colours of pages/components: similarities from white to dark, and what raised an entry.
SCALE = ("#ffffff", "#dce9f6", "#9ecae1", "#4292c6", "#08519c", "#03152f")
CAUSE = ("#9aa0a6", "#0072b2", "#e69f00", "#009e73", "#cc79a7")
PALE = 120 / 255  # of a raised entry inside a class
FAINT = 0.08  # of the scale, so that the smallest similarity is seen
MOST_CELLS = 1500  # a side of a matrix; more are merged as on the screen


def _table() -> NDArray[np.float64]:
    """The 256 colours of a similarity, (256, 3), from 0 to 1."""
    stops = np.array([[int(s[k : k + 2], 16) for k in (1, 3, 5)] for s in SCALE]) / 255
    at = np.linspace(0, len(SCALE) - 1, 256)
    return np.column_stack([np.interp(at, range(len(SCALE)), c) for c in stops.T])


def shade(values: NDArray[Any], log: bool) -> NDArray[np.float64]:
    """Colours (..., 3) of similarities, on the linear or the log scale of the screen."""
    level = np.log10(1 + 99 * values) / 2 if log else values
    return _table()[np.rint(255 * np.minimum(1, FAINT + (1 - FAINT) * level)).astype(int)]


def dots_of(view: MatrixView) -> tuple[dict[str, NDArray[np.float64]], int, str, float]:
    """Grids of w, w* and cause as a file has them, how many points a side one dot stands for, what
    it shows of them ("max", "mean" or "density", as on the screen), and the value that is darkest.

    >>> from sdsc_core.figures import matrix_view
    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.5], [0, 0.5, 0]])
    >>> grids, points, held, top = dots_of(matrix_view(W, W, np.arange(3)))
    >>> grids["w"].round(1).tolist() == W.tolist(), points, held, top
    (True, 1, 'max', 1.0)
    """
    n = -(-len(view.index) // view.cell)
    step = -(-n // MOST_CELLS)
    size, at, held = -(-n // step), np.arange(n) // step, view.held
    shape = (n, n)
    upper: dict[str, NDArray[Any]] = {"w": view.w, "star": view.star, "cause": view.cause}
    whole = {}
    for kind, values in upper.items():
        A = sp.csr_array((values.astype(float), (view.rows, view.cols)), shape)
        whole[kind] = A.maximum(A.T)  # the diagonal of merged cells stands in both
    if step > 1:
        held = resolved(view.merge, *((whole[kind], at, size) for kind in ("star", "w")))
    grids = {
        kind: by_cell(A, at, size, "max" if kind == "cause" else held).astype(float)
        for kind, A in whole.items()
    }
    merged = [grids[kind].astype(np.float32) for kind in ("w", "star")]
    return grids, view.cell * step, held, 1.0 if held == "max" else highest(*merged)


def cells_of(view: MatrixView, kind: str) -> NDArray[np.float64]:
    """The matrix of a view as RGBA (n, n, 4): ``kind`` is "w", "star" or "cause".

    >>> from sdsc_core.figures import matrix_view
    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.5], [0, 0.5, 0]])
    >>> cells_of(matrix_view(W, W, np.arange(3)), "w")[..., 3].tolist()  # 0 shows the paper
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    grids, _, _, top = dots_of(view)
    grid = grids[kind]
    there, out = grid > 0, np.zeros((*grid.shape, 4))
    if kind != "cause":
        out[there, :3] = shade(np.minimum(1, grid[there] / top), view.log)
        out[there, 3] = 1
        return out
    full = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in CAUSE]) / 255
    why = grid[there].astype(int)
    out[there, :3] = full[why % BETWEEN - 1]
    out[there, 3] = np.where(why > BETWEEN, 1, PALE) if len(view.class_of) else 1
    return out
