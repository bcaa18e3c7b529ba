"""Plotly figures of a clustering; usable in a notebook.

>>> from sdsc_core.figures import eigenvalues
>>> eigenvalues([1.0, 0.9, 0.2], 2).layout.title.text
'Eigenvalues of D⁻¹ᐟ²W*D⁻¹ᐟ²'
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from sdsc_core.blocks import gram
from sdsc_core.checks import Affinity
from sdsc_core.figures.cells import by_cell, highest, places, resolved
from sdsc_core.figures.sizes import (
    MOST_CELLS,
    check_affinities,
    check_confusion,
    check_embedding,
    check_projection,
    check_sheet,
)
from sdsc_core.metrics import confusion
from sdsc_core.spectra import Spectrum

# Okabe and Ito's colours, told apart with any kind of colour vision, then others; their
# vermilion is kept for what is wrong.
PALETTE = [
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#8c6bb1", "#a6761d", "#66a61e", "#7f7f7f", "#f0e442"),
]
WRONG = "#d55e00"
CHOSEN = "#0072b2"
FEW = 8  # columns that have room for words
MANY_COLUMNS = 200  # of an embedding; beyond, only the axes that are shown are computed
MOST_SVG = 1500  # points; beyond, WebGL draws them


def colour(k: int) -> str:
    """Colour of class or cluster k; they repeat after ten."""
    return PALETTE[k % len(PALETTE)]


def projection(spectrum: Spectrum, k: int, dims: int) -> NDArray[np.float64]:
    """The rows that k-means sees, (N, k), on their first principal axes, (N, dims).

    >>> from sdsc_core import spectrum
    >>> projection(spectrum(np.kron(np.eye(2), 1 - np.eye(3)), 2), 2, 2).shape
    (6, 2)
    """
    check_projection(len(spectrum.vectors), k)
    rows = spectrum.embedding(k)
    centred = rows - rows.mean(axis=0)
    axes = _axes(centred, dims)
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
    out = np.zeros((len(rows), dims))
    out[:, : axes.shape[1]] = centred @ axes
    return out


def _axes(centred: NDArray[np.float64], dims: int) -> NDArray[np.float64]:
    """The first principal axes, (k, dims) or fewer; of many columns no others are looked for."""
    k = centred.shape[1]
    if k > MANY_COLUMNS:
        times: Any = LinearOperator((k, k), lambda x: centred.T @ (centred @ x), dtype=np.float64)
        start: Any = np.random.default_rng(0).standard_normal(k)
        with suppress(ArpackNoConvergence):
            values, axes = eigsh(times, dims, which="LA", v0=start, tol=1e-6, maxiter=100)
            return axes[:, np.argsort(-values)]
    return np.linalg.eigh(gram(centred.T))[1][:, ::-1][:, :dims]


def match_clusters(labels: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels renamed so that a cluster has the number and colour of its match in another result.

    A cluster without a match gets a number that the other result does not have.

    >>> match_clusters(np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1])).tolist()
    [0, 0, 1, 1]
    """
    _, matched = confusion(reference, labels)
    used = np.flatnonzero(matched >= 0)
    name = np.full(labels.max() + 1, -1)
    name[matched[used]] = used
    alone = name < 0  # more clusters than the other has: numbers of their own
    name[alone] = reference.max() + 1 + np.arange(alone.sum())
    return name[labels]


def literal(names: Sequence[str]) -> list[str]:
    """Names as they are, which Plotly would read as HTML."""
    return [escape(str(name), quote=False) for name in names]


def embedding(
    sides: Sequence[tuple[str, NDArray[np.float64]]],
    groups: NDArray[np.int64] | Sequence[NDArray[np.int64]],
    names: Sequence[str],
    *,
    wrong: Sequence[NDArray[np.bool_]] | None = None,
    chosen: int = -1,
    height: int = 380,
    titles: Sequence[str] | None = None,
) -> go.Figure:
    """Spectral embeddings side by side, (N, 2) or (N, 3) each, coloured by group.

    ``groups`` are the same for all sides, or one array for each. ``wrong`` marks misplaced points
    of each side, ``chosen`` one point in all of them. ``titles`` say what each point is called.

    For notebooks and for a file that needs no server. The app draws the same on a canvas, since
    this takes 78 ms and 53 kB for two sides of 640 points, and a slider would wait for it; what the
    canvas is sent takes 0.2 ms and 14 kB.
    """
    # Plain dictionaries, checked once at the end: building it piece by piece takes five times as
    # long.
    n, dims = sides[0][1].shape
    groups = np.broadcast_to(groups, (len(sides), n))
    traces: list[dict[str, Any]] = []
    listed: set[str] = set()
    layout: dict[str, Any] = {
        "title": {"text": "Spectral embedding"}, "height": height, "annotations": [],
        "margin": {"l": 50, "r": 10, "t": 64, "b": 44}, "uirevision": "keep", "dragmode": "pan",
        "legend": {"orientation": "v", "itemsizing": "constant"},
    }  # fmt: skip
    called = None if titles is None else literal(titles)
    check_embedding(n, len(sides), 0 if called is None else sum(map(len, called)) // max(1, n))
    hover = "point %{customdata}" if called is None else "%{text}"
    for column, (title, at) in enumerate(sides):
        axes = _place(layout, title, (column, len(sides)), at.shape)
        bad = None if wrong is None else wrong[column]
        parts = _parts(groups[column], literal(names), bad, chosen)
        for what, name, marker in parts:
            if not len(what):
                continue
            size = marker["size"] / (1.5 if dims == 3 else 1)
            traces.append(
                dict(zip("xyz", at[what].T.round(4), strict=False)) | axes
                | {
                    "mode": "markers", "name": name, "marker": marker | {"size": size},
                    "customdata": what, "legendgroup": name, "showlegend": name not in listed,
                    "hovertemplate": f"{hover}<br>{name}<extra></extra>",
                }
                | ({} if called is None else {"text": [called[k] for k in what]})
            )  # fmt: skip
            listed.add(name)
    return go.Figure({"data": traces, "layout": layout})


def _place(
    layout: dict[str, Any], title: str, place: tuple[int, int], shape: tuple[int, ...]
) -> dict[str, Any]:
    """Give a column its share of the width; the kind of its traces and the axes they lie on."""
    (column, columns), (n, dims) = place, shape
    width = (1 - 0.06 * (columns - 1)) / columns
    left = column * (width + 0.06)
    number = str(column + 1) if column else ""
    layout["annotations"].append(
        {
            "text": title, "x": left + width / 2, "y": 1, "xref": "paper", "yref": "paper",
            "xanchor": "center", "yanchor": "bottom", "showarrow": False, "font": {"size": 16},
        }
    )  # fmt: skip
    domain = [left, left + width]
    if dims == 3:
        layout[f"scene{number}"] = {"domain": {"x": domain, "y": [0, 1]}}
        return {"type": "scatter3d", "scene": f"scene{number}"}
    x = {"domain": domain, "anchor": f"y{number}", "title": {"text": "axis 1"}}
    layout[f"xaxis{number}"] = x
    layout[f"yaxis{number}"] = {"anchor": f"x{number}", "title": {"text": "axis 2"}}
    kind = "scatter" if n <= MOST_SVG else "scattergl"
    return {"type": kind, "xaxis": f"x{number}", "yaxis": f"y{number}"}


def _parts(
    groups: NDArray[np.int64],
    names: Sequence[str],
    wrong: NDArray[np.bool_] | None,
    chosen: int,
) -> Iterator[tuple[NDArray[np.int64], str, dict[str, Any]]]:
    """Points that are drawn alike: each group, those in the wrong cluster, the chosen one."""
    for group, name in enumerate(names):
        mine = np.flatnonzero(groups == group)
        yield mine, name, {"color": colour(group), "size": 6, "opacity": 0.8}
    if wrong is not None:
        marker = {"color": WRONG, "size": 7, "symbol": "x"}
        yield np.flatnonzero(wrong), "misplaced", marker
    if chosen >= 0:
        marker = {"color": WRONG, "size": 16, "symbol": "circle-open"}
        yield np.array([chosen]), "chosen", marker


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
    """Classes against clusters, from `confusion`; the right points lie on the diagonal.

    Every column keeps a head of its own: many have the number alone, upright where it is narrow.

    >>> confusion_matrix(np.eye(12, dtype=int), list("abcdefghijkl"), np.arange(12)).data[0].x[:2]
    ('0', '1')
    """
    check_confusion(*table.shape)
    word = "cluster " if len(clusters) <= FEW else ""
    columns = [f"{word}{c}" if c >= 0 else f"none ({i})" for i, c in enumerate(clusters)]
    heat = {
        "type": "heatmap", "z": table, "x": columns, "y": literal(classes), "colorscale": "Blues",
        "texttemplate": "%{z}", "hovertemplate": "%{y} in %{x}: %{z}<extra></extra>",
        "colorbar": {"title": {"text": "points"}},
    }  # fmt: skip
    layout = {
        "title": {"text": "Classes and the clusters matched to them"},
        "xaxis": {"title": {"text": "found cluster"}, "type": "category", "dtick": 1},
        "yaxis": {
            "title": {"text": "true class"}, "autorange": "reversed", "type": "category",
            "dtick": 1,
        },
        "height": max(300, 26 * len(classes) + 120), "margin": {"l": 90, "r": 10, "t": 50, "b": 60},
    }  # fmt: skip
    return go.Figure({"data": [heat], "layout": layout})


def affinities(
    sides: Sequence[tuple[str, Affinity]],
    order: Any = None,
    titles: Sequence[str] | None = None,
    merge: str = "auto",
) -> go.Figure:
    """W and W* as heat maps that zoom together, for a notebook or a file.

    Above 500 points neighbouring cells are merged, and the title says by what: ``merge`` is "max",
    "mean", "density", or "auto" for the mean where the maximum would look full.
    ``titles`` say what each point is called.

    >>> affinities([("W", 1 - np.eye(3))]).data[0].z.shape
    (3, 3)
    """
    figure = make_subplots(1, len(sides), subplot_titles=[t for t, _ in sides], shared_yaxes=True)
    n = sides[0][1].shape[0]
    order = np.arange(n) if order is None else np.asarray(order)
    cell = -(-n // MOST_CELLS)
    letters = 0 if titles is None else sum(map(len, titles)) // max(1, n)
    check_affinities([W for _, W in sides], letters)
    called = [f"point {k}" for k in range(n)] if titles is None else literal(titles)
    more = f" and up to {cell - 1} more" if cell > 1 else ""
    at = [called[k] + more for k in order[::cell]]
    cell_of, size = places(order) // cell, -(-n // cell)
    how = resolved(merge, *((W, cell_of, size) for _, W in sides)) if cell > 1 else "max"
    grids = [by_cell(W, cell_of, size, how) for _, W in sides]
    for column, z in enumerate(grids, 1):
        figure.add_trace(
            go.Heatmap(
                z=z, x=at, y=at, coloraxis="coloraxis",
                hovertemplate="i: %{y}<br>j: %{x}<br>%{z:.4f}<extra></extra>",
            ), 1, column,
        )  # fmt: skip
    of = {"max": "largest", "mean": "mean", "density": "share of nonzeros"}[how]
    note = f", each cell the {of} of {cell}×{cell}" if cell > 1 else ""
    named = {"type": "category", "showticklabels": False}  # the names are too long for an axis
    figure.update_xaxes(matches="x", title="point j", **named)
    figure.update_yaxes(matches="y", autorange="reversed", title="point i", **named)
    top = 1.0 if how == "max" else highest(*grids)
    figure.update_layout(
        title="Affinity" + note,
        coloraxis={"colorscale": "Blues", "cmin": 0, "cmax": top},
        height=560,
    )
    return figure


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def contact_sheet(
    images: NDArray[Any],
    framed: NDArray[np.bool_],
    columns: int = 12,
    zoom: int = 1,
    chosen: int = -1,
) -> NDArray[np.uint8]:
    """Grey pictures (N, h, w) in rows as one RGB picture; framed ones have an orange border.

    The border of the chosen one is blue, and outside a framed one's.

    >>> contact_sheet(np.zeros((3, 4, 4), np.uint8), np.array([True, False, False])).shape
    (8, 24, 3)
    """
    count, high, wide = images.shape
    check_sheet(count, high, wide, zoom)
    images = np.repeat(np.repeat(images, zoom, axis=1), zoom, axis=2)
    n, h, w = images.shape
    columns = max(1, min(columns, n))
    rows = -(-n // columns)
    edge = 2
    high, wide = h + 2 * edge, w + 2 * edge
    sheet = np.full((rows * high, columns * wide, 3), 255, np.uint8)
    for i in range(n):
        r, c = divmod(i, columns)
        tile = sheet[r * high : (r + 1) * high, c * wide : (c + 1) * wide]
        inner = int(i == chosen)
        if i == chosen:
            tile[:] = _rgb(CHOSEN)
        if framed[i]:
            tile[inner : high - inner, inner : wide - inner] = _rgb(WRONG)
        tile[edge:-edge, edge:-edge] = images[i][..., None]
    return sheet
