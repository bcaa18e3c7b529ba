"""Figures of a data set before it is clustered: classes, norms, variance, pictures."""

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdsc_core.datasets import scattering
from sdsc_core.figures.charts import PALETTE, WRONG, contact_sheet, literal

GREY = "#9aa0a6"
MARGIN = {"l": 55, "r": 15, "t": 45, "b": 45}
SHORT = 24  # characters of a class name on an axis
PICTURE_ROW = 56  # pixels for a row of pictures on the screen


def class_sizes(
    names: Sequence[str], sizes: Any, chosen: Any = None, *, height: int = 300
) -> go.Figure:
    """Points of each class as bars; with ``chosen``, those that are left of them.

    >>> [bars.name for bars in class_sizes(["a", "b"], [3, 4], [3, 0]).data]
    ['as loaded', 'prepared']
    """
    at = np.arange(len(names))
    figure = go.Figure()
    sides = [("as loaded", np.asarray(sizes), PALETTE[0] if chosen is None else GREY)]
    if chosen is not None:
        sides.append(("prepared", np.asarray(chosen), PALETTE[0]))
    for title, values, colour in sides:
        figure.add_bar(
            x=at, y=values, name=title, marker_color=colour, customdata=literal(names),
            hovertemplate=f"%{{customdata}}: %{{y:,}} points, {title}<extra></extra>",
        )  # fmt: skip
    step = max(1, -(-len(names) // 20))
    figure.update_layout(
        title="Class sizes",
        xaxis={
            "title": "class",
            "tickvals": at[::step],
            "ticktext": [_short(name) for name in names[::step]],
            "autotickangles": [0, -45, -90],  # to the right the last one would be cut off
        },
        yaxis_title="points", height=height, margin=MARGIN, barmode="overlay",
        showlegend=chosen is not None, legend={"orientation": "h", "y": 1.12, "x": 1,
                                               "xanchor": "right", "yanchor": "bottom"},
    )  # fmt: skip
    return figure


def norm_histogram(norms: Any, *, height: int = 300) -> go.Figure:
    """How the ℓ2 norms of the samples are spread.

    >>> int(norm_histogram([1.0, 1.0, 2.0]).data[0].y.sum())
    3
    """
    norms = np.asarray(norms, dtype=np.float64)
    norms = norms[np.isfinite(norms)]
    spread = np.ptp(norms) if norms.size else 0.0
    same = spread <= 1e-3 * norms.max(initial=0.0)  # less is rounding, which would look like much
    centre = float(norms.mean()) if norms.size else 1.0
    limits = (centre - 0.5, centre + 0.5) if same else (norms.min(), norms.max())
    counts, edges = np.histogram(norms, 11 if same else 30, limits)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges), marker_color=PALETTE[0],
            customdata=np.column_stack([edges[:-1], edges[1:]]),
            hovertemplate="norm %{customdata[0]:.4g} to %{customdata[1]:.4g}: %{y:,} points"
            "<extra></extra>",
        )
    )  # fmt: skip
    figure.update_layout(
        title="Norms of the samples", xaxis_title="ℓ2 norm", yaxis_title="points",
        height=height, margin=MARGIN, bargap=0.05,
    )  # fmt: skip
    return figure


def variance_kept(curve: Any, chosen: int = 0, *, height: int = 300) -> go.Figure:
    """Share of the variance that the first components keep; ``chosen`` of them are marked.

    >>> variance_kept([0.7, 0.9, 1.0, 1.0], 2).layout.annotations[0].text
    ' 2 keep 90.0 %'
    """
    curve = 100 * np.asarray(curve, dtype=np.float64)
    rank = np.arange(1, len(curve) + 1)
    figure = go.Figure(
        go.Scatter(
            x=rank, y=curve, mode="lines+markers", line_color=PALETTE[0], marker_size=5,
            hovertemplate="%{x} components keep %{y:.1f} %<extra></extra>",
        )
    )  # fmt: skip
    if 1 <= chosen <= len(curve):
        left = chosen <= len(curve) / 2
        figure.add_vline(chosen, line_dash="dash", line_color=WRONG)
        figure.add_annotation(
            x=chosen, y=0.08, yref="paper", showarrow=False, xanchor="left" if left else "right",
            text=f" {chosen} keep {curve[chosen - 1]:.1f} %{'' if left else ' '}",
        )  # fmt: skip
    figure.update_layout(
        title="Variance kept by PCA", xaxis_title="principal components",
        yaxis_title="variance kept, %", yaxis_range=[0, 104], height=height, margin=MARGIN,
    )  # fmt: skip
    return figure


def examples(
    images: NDArray[Any], labels: NDArray[np.int64] | None, names: Sequence[str], each: int = 10
) -> go.Figure:
    """The first pictures of each class, a row a class; without labels rows of the first ones.

    >>> examples(np.zeros((5, 4, 4), np.uint8), np.array([0, 0, 1, 1, 1]), ["a", "b"]).data[0].name
    '2 rows'
    """
    if labels is None:
        shown = np.arange(min(len(images), 6 * each))
        rows = [shown[k : k + each] for k in range(0, len(shown), each)]
        names = [f"{row[0]} to {row[-1]}" for row in rows]
    else:
        rows = [np.flatnonzero(labels == k)[:each] for k in range(len(names))]
    thin = max(
        1, images.shape[1] // (2 * PICTURE_ROW)
    )  # no finer than a screen of twice the density shows
    small = images[:, ::thin, ::thin]
    zoom = max(1, PICTURE_ROW // small.shape[1])
    blank = np.full((1, *small.shape[1:]), 255, np.uint8)
    width = max(len(row) for row in rows)
    sheet = contact_sheet(
        np.concatenate(
            [np.concatenate([small[row], blank.repeat(width - len(row), 0)]) for row in rows]
        ),
        np.zeros(len(rows) * width, bool),
        columns=width,
        zoom=zoom,
    )
    figure = go.Figure(
        go.Image(source=picture_uri(sheet), x0=0, y0=0, name=f"{len(rows)} rows", hoverinfo="skip")
    )
    step = sheet.shape[0] / len(rows)
    figure.update_layout(
        title="First samples" if labels is None else "Examples of each class",
        height=PICTURE_ROW * len(rows) + 90, margin={"l": 10, "r": 10, "t": 45, "b": 40},
        xaxis={"title": "sample", "showticklabels": False, "ticks": "", "showgrid": False,
               "zeroline": False},
        yaxis={
            "title": "points" if labels is None else "class", "showgrid": False,
            "constraintoward": "top",
            "tickvals": [(k + 0.5) * step - 0.5 for k in range(len(rows))],
            "ticktext": [_short(name) for name in names], "zeroline": False,
        },
        dragmode=False,
    )  # fmt: skip
    return figure


def _short(name: str) -> str:
    return literal([name if len(name) <= SHORT else name[: SHORT - 1] + "…"])[0]


def picture_uri(picture: NDArray[np.uint8]) -> str:
    """A picture (h, w) or (h, w, 3) as an address that holds all of it.

    >>> picture_uri(np.zeros((4, 4), np.uint8))[:22]
    'data:image/png;base64,'
    """
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def scattering_maps(images: NDArray[Any], *, height: int = 190) -> go.Figure:
    """The first picture, and its scattering features of order 1: a row for each scale.

    >>> scattering_maps(np.eye(16)[None]).layout.annotations[1].text
    'lines of each direction, fine to coarse'
    """
    image = np.asarray(images[:1], np.float64)
    maps = scattering(image)[0, 1:25]
    tiles = maps.reshape(3, 8, *maps.shape[1:])
    tiles = tiles / tiles.max(axis=(1, 2, 3), keepdims=True).clip(1e-12)  # each scale by itself
    framed = np.pad(tiles, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    mosaic = framed.transpose(0, 2, 1, 3).reshape(3 * framed.shape[2], 8 * framed.shape[3])
    options = {"colorscale": "gray", "showscale": False, "hoverinfo": "skip"}
    figure = go.Figure()
    figure.add_heatmap(z=image[0], **options)
    figure.add_heatmap(z=mosaic, xaxis="x2", yaxis="y2", **options)
    bare = {"visible": False}
    upright = bare | {"autorange": "reversed"}
    figure.update_layout(
        xaxis=bare | {"domain": [0, 0.25]}, yaxis=upright | {"scaleanchor": "x"},
        xaxis2=bare | {"domain": [0.3, 1], "anchor": "y2"}, yaxis2=upright | {"anchor": "x2"},
        height=height, margin={"l": 5, "r": 5, "t": 25, "b": 5},
        annotations=[
            {"text": text, "x": x, "y": 1.02, "xref": "paper", "yref": "paper", "xanchor": "left",
             "yanchor": "bottom", "showarrow": False}
            for text, x in (("a picture", 0), ("lines of each direction, fine to coarse", 0.3))
        ],
    )  # fmt: skip
    return figure
