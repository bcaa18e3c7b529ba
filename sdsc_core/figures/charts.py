"""Plotly figures of a clustering; usable in a notebook.

>>> from sdsc_core.figures import eigenvalues
>>> eigenvalues([1.0, 0.9, 0.2], 2).layout.title.text
'Eigenvalues of D⁻¹ᐟ²W*D⁻¹ᐟ²'
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import scipy.sparse as sp
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from sdsc_core.checks import Affinity
from sdsc_core.spectral import Spectrum

# Okabe and Ito's colours, told apart with any kind of colour vision, then others; their
# vermilion is kept for what is wrong.
PALETTE = [
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#8c6bb1", "#a6761d", "#66a61e", "#7f7f7f", "#f0e442"),
]
WRONG = "#d55e00"
MOST_SVG = 1500  # points; beyond, WebGL draws them
MOST_CELLS = 500


def colour(k: int) -> str:
    """Colour of class or cluster k; they repeat after ten."""
    return PALETTE[k % len(PALETTE)]


def projection(spectrum: Spectrum, k: int, dims: int) -> NDArray[np.float64]:
    """The rows that k-means sees, (N, k), on their first principal axes, (N, dims).

    >>> from sdsc_core import spectrum
    >>> projection(spectrum(np.kron(np.eye(2), 1 - np.eye(3)), 2), 2, 2).shape
    (6, 2)
    """
    rows = spectrum.embedding(k)
    centred = rows - rows.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dims]
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
    out = np.zeros((len(rows), dims))
    out[:, : axes.shape[1]] = centred @ axes
    return out


def embedding(
    sides: Sequence[tuple[str, NDArray[np.float64]]],
    groups: NDArray[np.int64],
    names: Sequence[str],
    *,
    wrong: Sequence[NDArray[np.bool_]] | None = None,
    chosen: int = -1,
    height: int = 380,
) -> go.Figure:
    """Spectral embeddings side by side, (N, 2) or (N, 3) each, coloured by group.

    ``wrong`` marks misplaced points of each side, ``chosen`` one point in all of them.
    """
    dims = sides[0][1].shape[1]
    kind = "scene" if dims == 3 else "xy"
    figure = make_subplots(
        1, len(sides), subplot_titles=[t for t, _ in sides], specs=[[{"type": kind}] * len(sides)],
        horizontal_spacing=0.06,
    )  # fmt: skip
    point = _points(dims, len(groups))
    for column, (_, at) in enumerate(sides, 1):
        bad = wrong[column - 1] if wrong is not None else np.zeros(len(at), bool)
        for group in range(len(names)):
            mine = np.flatnonzero(groups == group)
            if not len(mine):
                continue
            where = dict(zip("xyz", at[mine].T.round(4), strict=False))
            marker = {"color": colour(group), "size": 4 if dims == 3 else 6, "opacity": 0.8}
            figure.add_trace(
                point(
                    **where, mode="markers", name=str(names[group]), marker=marker,
                    customdata=mine, legendgroup=str(group), showlegend=column == 1,
                    hovertemplate=f"point %{{customdata}}<br>{names[group]}<extra></extra>",
                ), 1, column,
            )  # fmt: skip
        for what, title, symbol, size in (
            (np.flatnonzero(bad), "misplaced", "x", 7),
            (np.array([chosen]) if chosen >= 0 else np.empty(0, int), "chosen", "circle-open", 16),
        ):
            if len(what):
                where = dict(zip("xyz", at[what].T.round(4), strict=False))
                marker = {"color": WRONG, "size": size / (2 if dims == 3 else 1), "symbol": symbol}
                figure.add_trace(
                    point(
                        **where, mode="markers", name=title, marker=marker, customdata=what,
                        showlegend=column == 1, legendgroup=title,
                        hovertemplate=f"point %{{customdata}}, {title}<extra></extra>",
                    ), 1, column,
                )  # fmt: skip
    axis = {"title": "axis 1"}
    if dims == 2:
        figure.update_xaxes(**axis)
        figure.update_yaxes(title="axis 2")
    figure.update_layout(
        title="Spectral embedding", height=height, margin={"l": 50, "r": 10, "t": 64, "b": 44},
        legend={"orientation": "v", "itemsizing": "constant"}, uirevision="keep", dragmode="pan",
    )  # fmt: skip
    return figure


def _points(dims: int, n: int) -> Any:
    if dims == 3:
        return go.Scatter3d
    return go.Scatter if n <= MOST_SVG else go.Scattergl


def eigenvalues(values: Any, k: int, title: str = "Eigenvalues of D⁻¹ᐟ²W*D⁻¹ᐟ²") -> go.Figure:
    """Top eigenvalues with the gap after the k-th, by which a number of clusters is suggested."""
    values = np.asarray(values)
    figure = go.Figure()
    rank = np.arange(1, len(values) + 1)
    used = [PALETTE[0] if r <= k else "#9aa0a6" for r in rank]
    figure.add_bar(
        x=rank, y=values, marker_color=used, hovertemplate="λ%{x} = %{y:.4f}<extra></extra>"
    )
    if 0 < k < len(values):
        gap = values[k - 1] - values[k]
        figure.add_vline(k + 0.5, line_dash="dash", line_color=WRONG)
        figure.add_annotation(
            x=k + 0.5, y=1.0, yref="paper", showarrow=False, xanchor="left",
            text=f" gap after {k}: {gap:.3f}",
        )  # fmt: skip
    low = min(0.0, float(values.min())) if values.min() < 0.3 else float(values.min()) - 0.1
    figure.update_layout(
        title=title, xaxis_title="number", yaxis_title="eigenvalue", yaxis_range=[low, 1.05],
        height=330, margin={"l": 50, "r": 10, "t": 50, "b": 44}, showlegend=False,
    )  # fmt: skip
    return figure


def confusion_matrix(
    table: NDArray[np.int64], classes: Sequence[str], clusters: NDArray[np.int64]
) -> go.Figure:
    """Classes against clusters, from `confusion`; the right points lie on the diagonal."""
    columns = [f"cluster {c}" if c >= 0 else f"none ({i})" for i, c in enumerate(clusters)]
    figure = go.Figure(
        go.Heatmap(
            z=table, x=columns, y=list(classes), colorscale="Blues", texttemplate="%{z}",
            hovertemplate="%{y} in %{x}: %{z}<extra></extra>", colorbar_title="points",
        )
    )  # fmt: skip
    figure.update_layout(
        title="Classes and the clusters matched to them", xaxis_title="found cluster",
        yaxis_title="true class", yaxis_autorange="reversed",
        height=max(300, 26 * len(classes) + 120), margin={"l": 90, "r": 10, "t": 50, "b": 60},
    )  # fmt: skip
    return figure


def affinities(sides: Sequence[tuple[str, Affinity]], order: Any = None) -> go.Figure:
    """W and W* as heat maps that zoom together, for a notebook or a file.

    Above 500 points neighbouring cells are merged by their maximum, and the title says so.

    >>> affinities([("W", 1 - np.eye(3))]).data[0].z.shape
    (3, 3)
    """
    figure = make_subplots(1, len(sides), subplot_titles=[t for t, _ in sides], shared_yaxes=True)
    n = sides[0][1].shape[0]
    order = np.arange(n) if order is None else np.asarray(order)
    cell = -(-n // MOST_CELLS)
    for column, (_, W) in enumerate(sides, 1):
        z = _merged(W, order, cell)
        at = np.arange(len(z)) * cell
        figure.add_trace(
            go.Heatmap(
                z=z, x=at, y=at, coloraxis="coloraxis",
                hovertemplate="i = %{y}, j = %{x}: %{z:.4f}<extra></extra>",
            ), 1, column,
        )  # fmt: skip
    note = f", each cell the largest of {cell}×{cell}" if cell > 1 else ""
    figure.update_xaxes(matches="x", title="point j")
    figure.update_yaxes(matches="y", autorange="reversed", title="point i")
    figure.update_layout(
        title="Affinity" + note,
        coloraxis={"colorscale": "Blues", "cmin": 0, "cmax": 1},
        height=560,
    )
    return figure


def _merged(W: Affinity, order: NDArray[np.int64], cell: int) -> NDArray[np.float32]:
    n = W.shape[0]
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    entries = sp.coo_array(W)
    size = -(-n // cell)
    z = np.zeros((size, size), np.float32)
    np.maximum.at(z, (place[entries.row] // cell, place[entries.col] // cell), entries.data)
    return z


def contact_sheet(
    images: NDArray[Any], framed: NDArray[np.bool_], columns: int = 12, zoom: int = 1
) -> NDArray[np.uint8]:
    """Grey pictures (N, h, w) in rows as one RGB picture; the framed ones have a coloured border.

    >>> contact_sheet(np.zeros((3, 4, 4), np.uint8), np.array([True, False, False])).shape
    (8, 24, 3)
    """
    images = np.repeat(np.repeat(images, zoom, axis=1), zoom, axis=2)
    n, h, w = images.shape
    columns = max(1, min(columns, n))
    rows = -(-n // columns)
    edge = 2
    sheet = np.full((rows * (h + 2 * edge), columns * (w + 2 * edge), 3), 255, np.uint8)
    border = np.array([int(WRONG[k : k + 2], 16) for k in (1, 3, 5)], np.uint8)
    for i in range(n):
        r, c = divmod(i, columns)
        top, left = r * (h + 2 * edge), c * (w + 2 * edge)
        if framed[i]:
            sheet[top : top + h + 2 * edge, left : left + w + 2 * edge] = border
        sheet[top + edge : top + edge + h, left + edge : left + edge + w] = images[i][..., None]
    return sheet
