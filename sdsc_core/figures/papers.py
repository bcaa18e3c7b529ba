"""Figures for papers: SVG, PDF or PNG of a chosen size, with the colours of the screen.

Lines and letters are vectors; a matrix is a picture within them, a dot for each cell. Each function
returns a Matplotlib figure, which a notebook shows; `figure_file` makes the bytes of a file.
"""

import io
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._version import __version__
from sdsc_core.checks import check_choice
from sdsc_core.extras import require
from sdsc_core.figures.charts import WRONG, colour
from sdsc_core.figures.matrix import BETWEEN, CAUSES, MatrixView
from sdsc_core.figures.paper_cells import CAUSE, cells_of, dots_of, shade
from sdsc_core.figures.sizes import check_pixels

KINDS = ("svg", "pdf", "png")
MM = 25.4  # in an inch
NAME = 9  # letters of a class beside a matrix
MANY = 3000  # points; beyond, dots are a picture too, or a viewer takes seconds for them
_lock = threading.RLock()  # Matplotlib's settings are the whole process's


@dataclass(frozen=True)
class Paper:
    """How a figure is printed: its width in mm, the size of its letters in points, its caption.

    >>> Paper(width=85).width
    85
    """

    width: float = 170.0
    font: float = 8.0
    caption: str = ""

    def __post_init__(self) -> None:
        if not 30 <= self.width <= 1000 or not 3 <= self.font <= 40:
            raise ValueError(
                f"width is {self.width:g} mm and font {self.font:g} pt; give 30 to 1000 mm and 3"
                " to 40 pt."
            )

    @property
    def letter(self) -> float:
        """Millimetres that a letter takes, about."""
        return 0.58 * self.font / 72 * MM

    @property
    def line(self) -> float:
        """Millimetres from one line of text to the next."""
        return 1.35 * self.font / 72 * MM

    def lines(self) -> list[str]:
        """The caption in lines that are no longer than the figure is wide."""
        from matplotlib.textpath import TextPath

        room, lines, used = 0.97 * self.width / MM * 72, [""], 0.0
        for word in self.caption.split():
            wide = TextPath((0, 0), f"{word}x", size=self.font, usetex=False).get_extents().width
            if used and used + wide > room:
                lines, used = [*lines, ""], 0.0
            lines[-1], used = f"{lines[-1]} {word}".strip(), used + wide
        return lines if self.caption else []


def paper_matrices(view: MatrixView, paper: Paper | None = None) -> Any:
    """The matrices of a `matrix_view` in its order, with class borders and its colour scale.

    >>> from sdsc_core.figures import matrix_view
    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.5], [0, 0.5, 0]])
    >>> figure = paper_matrices(matrix_view(W, W, np.arange(3)))
    >>> len(figure.subfigs[0].axes)  # two matrices and the colour scale
    3
    """
    paper = paper or Paper()
    count = len(view.panels)
    longest = max((len(name) for _, _, name in view.blocks), default=0)
    side = paper.width / count - 2.5 * paper.line - min(longest, NAME) * paper.letter
    with _style(paper):
        figure, main = _sheet(paper, side + 10 * paper.line)
        axes = main.subplots(1, count, squeeze=False)[0]
        for panel, (kind, title) in zip(axes, view.panels, strict=True):
            _matrix(panel, view, kind, side, paper)
            room = int(paper.width / count / paper.letter / 1.6)
            panel.set_title(_fit(title, room), loc="left", fontweight="bold", parse_math=False)
        _scale(main, axes, view, paper)
        return _settled(figure)


def paper_embedding(
    sides: Sequence[tuple[str, NDArray[np.float64]]],
    groups: NDArray[np.int64] | Sequence[NDArray[np.int64]],
    names: Sequence[str],
    *,
    wrong: Sequence[NDArray[np.bool_]] | None = None,
    paper: Paper | None = None,
) -> Any:
    """Spectral embeddings side by side, as `embedding` takes them: (N, 2), or (N, 3) turned.

    >>> two = [("W", np.eye(4)[:, :2]), ("W*", np.eye(4)[:, :2])]
    >>> figure = paper_embedding(two, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> [text.get_text() for text in figure.subfigs[0].legends[0].get_texts()]
    ['a', 'b']
    """
    paper = paper or Paper()
    n = len(sides[0][1])
    groups = np.broadcast_to(groups, (len(sides), n))
    columns = max(1, int(paper.width / (paper.line * (3 + max(map(len, names)) * 0.45))))
    rows = -(-(len(names) + (wrong is not None)) // columns)
    with _style(paper):
        high = min(0.8 * paper.width / len(sides), 90) + (3.5 + rows) * paper.line
        figure, main = _sheet(paper, high)
        axes = main.subplots(1, len(sides), squeeze=False)[0]
        for k, (panel, (title, at)) in enumerate(zip(axes, sides, strict=True)):
            bad = None if wrong is None else wrong[k]
            _dots(panel, _flat(at), groups[k], names, bad, paper)
            room = int(paper.width / len(sides) / paper.letter / 1.6)
            panel.set_title(_fit(title, room), loc="left", fontweight="bold", parse_math=False)
            panel.tick_params(labelsize=paper.font)  # ticks are made when the file is
            three = at.shape[1] == 3
            panel.set_xlabel("three axes, turned" if three else "axis 1")
            panel.set_ylabel("" if three else "axis 2")
        _legend(main, axes, columns)
        return _settled(figure)


def paper_eigenvalues(sides: Sequence[tuple[str, Any, int]], *, paper: Paper | None = None) -> Any:
    """Top eigenvalues of affinities by name, each with its k and the gap after the k-th.

    >>> figure = paper_eigenvalues([("W", [1.0, 0.9, 0.2], 2)])
    >>> figure.subfigs[0].axes[0].texts[0].get_text()
    'gap after 2: 0.700'
    """
    paper = paper or Paper()
    with _style(paper):
        figure, main = _sheet(paper, min(0.6 * paper.width / len(sides), 70) + 4 * paper.line)
        axes = main.subplots(1, len(sides), squeeze=False)[0]
        for panel, (name, values, k) in zip(axes, sides, strict=True):
            values = np.asarray(values, float)
            rank = np.arange(1, len(values) + 1)
            shown = [colour(0) if r <= k else CAUSE[0] for r in rank]
            panel.bar(rank, values, color=shown)
            if 0 < k < len(values):
                panel.axvline(k + 0.5, color=WRONG, linestyle="--", linewidth=0.1 * paper.font)
                gap = f"gap after {k}: {values[k - 1] - values[k]:.3f}"
                panel.text(k + 0.6, 1.02, gap, ha="left" if k < len(values) / 2 else "right")
            low = float(values.min())
            panel.set_ylim(min(0.0, low) if low < 0.3 else low - 0.1, 1.12)
            panel.tick_params(labelsize=paper.font)
            panel.set_xlabel("number")
            panel.set_ylabel("eigenvalue")
            star = name.replace("*", "^*")
            panel.set_title(f"Eigenvalues of $D^{{-1/2}}{star}D^{{-1/2}}$", loc="left")
        return _settled(figure)


def figure_file(figure: Any, kind: str, dpi: int = 300) -> bytes:
    """The bytes of an .svg, .pdf or .png; ``dpi`` are the dots in an inch of what is no vector.

    Letters of a PDF are letters of an embedded TrueType font, those of an SVG outlines, so that
    they look the same everywhere. The same figure gives the same bytes.

    >>> figure_file(paper_eigenvalues([("W", [1.0, 0.9, 0.2], 2)]), "pdf")[:5]
    b'%PDF-'
    """
    check_choice(kind, "kind", KINDS)
    if not 50 <= dpi <= 1200:
        raise ValueError(f"dpi is {dpi}; give 50 to 1200.")
    made, said = f"SDSC Explorer {__version__}", figure.get_label()
    about: dict[str, Any] = {
        "svg": {"Creator": made, "Date": None, "Description": said},
        "pdf": {"Creator": made, "CreationDate": None, "Subject": said},
        "png": {"Software": made, "Description": said},
    }[kind]
    if kind == "png" or figure.findobj(lambda artist: bool(artist.get_rasterized())):
        check_pixels(*(dpi * figure.get_size_inches()))
    buffer = io.BytesIO()
    with _style(Paper()):
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=about)
    return buffer.getvalue()


@contextmanager
def _style(paper: Paper) -> Iterator[None]:
    """Matplotlib's settings within, for one thread at a time."""
    matplotlib = require("matplotlib", "Drawing figures for papers")
    line = 0.08 * paper.font
    settings = {
        "font.size": paper.font, "axes.titlesize": paper.font + 1, "axes.labelsize": paper.font,
        "xtick.labelsize": paper.font, "ytick.labelsize": paper.font, "legend.fontsize": paper.font,
        "axes.linewidth": line, "xtick.major.width": line, "ytick.major.width": line,
        "pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "sdsc", "text.usetex": False,
        "axes.spines.top": True, "axes.spines.right": True,
    }  # fmt: skip
    with _lock, matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a name may have letters that no font here has
        yield


def _sheet(paper: Paper, high: float) -> tuple[Any, Any]:
    """A figure so many mm high, with room for the caption below; and the part above that."""
    from matplotlib.figure import Figure

    lines = paper.lines()
    below = (len(lines) + 0.8) * paper.line if lines else 0.01
    figure = Figure((paper.width / MM, (high + below) / MM), layout="constrained")
    figure.set_label(paper.caption)
    parts: Any = figure.subfigures(2, 1, height_ratios=[high, below])
    main, foot = parts
    if lines:
        foot.text(0.01, 0.95, "\n".join(lines), va="top", parse_math=False, linespacing=1.25)
    return figure, main


def _settled(figure: Any) -> Any:
    """The figure with everything in its place: each file of it is then the same figure."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _matrix(panel: Any, view: MatrixView, kind: str, side: float, paper: Paper) -> None:
    n = len(view.index)
    panel.imshow(cells_of(view, kind), extent=(0, n, n, 0), interpolation="none")
    for _, stop, _ in view.blocks[:-1]:
        for line in (panel.axhline, panel.axvline):
            line(stop, color="#31333f", alpha=0.35, linewidth=0.06 * paper.font)
    wide = {(a, b): (b - a) / n * side for a, b, _ in view.blocks}
    named = [(a, b, _fit(name, NAME)) for a, b, name in view.blocks if wide[a, b] > paper.line]
    upright = any(len(name) * paper.letter > wide[a, b] for a, b, name in named)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_ticks([(a + b) / 2 for a, b, name in named], [name for _, _, name in named])
        axis.set_tick_params(length=0, labelsize=paper.font)
        for label in axis.get_ticklabels():
            label.set_parse_math(False)
            label.set_rotation(90 if upright and axis is panel.xaxis else 0)
    panel.xaxis.tick_top()
    _, points, held, _ = dots_of(view)
    shown = {"max": "the largest", "mean": "the mean", "density": "the density"}[held]
    more = f"; each dot: {shown} of {points}×{points} entries" if points > 1 else ""
    panel.set_xlabel(f"point j ({view.axis}){more}")
    panel.xaxis.set_label_position("bottom")
    panel.set_ylabel("point i")


def _fit(name: str, letters: int) -> str:
    """As much of a name as there is room for, as on the screen."""
    return name if len(name) <= letters else name[: letters - 1] + "…" if letters > 1 else ""


def _scale(main: Any, axes: Any, view: MatrixView, paper: Paper) -> None:
    """The scale of similarities with its marks, and what colours of causes mean."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    of_similarity = ListedColormap(shade(np.linspace(0, 1, 256), view.log))
    bar = main.colorbar(
        ScalarMappable(cmap=of_similarity), ax=list(axes), orientation="horizontal", shrink=0.4,
        aspect=40, anchor=(0.0, 0.5),
    )  # fmt: skip
    _, _, held, top = dots_of(view)
    marks = view.ticks if held == "max" else (("0", 0.0), (f"{top:.2g}", 1.0))
    bar.set_ticks([value for _, value in marks], labels=[name for name, _ in marks])
    bar.ax.tick_params(labelsize=paper.font)
    what = {"max": "similarity", "mean": "mean similarity", "density": "share of links"}[held]
    bar.set_label(what + (", logarithmic colours" if view.log else ""))
    if any(kind == "cause" for kind, _ in view.panels):
        used = sorted(set(np.unique(view.cause % BETWEEN).tolist()) - {0})
        patches = [Patch(color=CAUSE[k - 1], label=CAUSES[k]) for k in used]
        if patches:
            bar.ax.legend(handles=patches, loc="center left", bbox_to_anchor=(1.05, 0.5),
                          frameon=False, ncols=len(patches))  # fmt: skip


def _flat(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 2) of a plane; three axes are turned as the screen does at first."""
    if at.shape[1] == 2:
        return at
    (cy, sy), (cp, sp) = ((np.cos(a), np.sin(a)) for a in (0.6, 0.4))
    across, away = cy * at[:, 0] + sy * at[:, 1], cy * at[:, 1] - sy * at[:, 0]
    return np.column_stack([across, cp * at[:, 2] + sp * away])


def _dots(
    panel: Any, at: NDArray[np.float64], groups: NDArray[np.int64], names: Sequence[str],
    bad: NDArray[np.bool_] | None, paper: Paper,
) -> None:  # fmt: skip
    size = (0.45 * paper.font) ** 2 if len(at) <= MANY else (0.2 * paper.font) ** 2
    options: dict[str, Any] = {"linewidths": 0, "rasterized": len(at) > MANY}
    for g, name in enumerate(names):
        panel.scatter(*at[groups == g].T, s=size, color=colour(g), alpha=0.8, label=name, **options)
    if bad is not None and bad.any():
        options["linewidths"] = 0.12 * paper.font
        panel.scatter(
            *at[bad].T, s=1.6 * size, color=WRONG, marker="x", label="misplaced", **options
        )


def _legend(main: Any, axes: Any, columns: int) -> None:
    found: dict[str, Any] = {}
    for panel in axes:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    legend = main.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=columns, frameon=False,
        handletextpad=0.1,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
