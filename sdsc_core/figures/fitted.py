"""Figures of found subspaces: singular values, angles, distances, and a basis as pictures."""

from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdsc_core.figures.charts import MOST_SVG, WRONG, colour
from sdsc_core.fitted import Subspace, Subspaces

MOST_POINTS = 20_000  # that a chart of distances shows
FIRST = 40  # singular values that are drawn
MOST_VECTORS = 24  # of a basis that are drawn


def singular_values(found: Subspaces, chosen: int = -1) -> go.Figure:
    """Singular values of each cluster over its largest, with a ring at the dimension used.

    >>> from sdsc_core import subspaces
    >>> figure = singular_values(subspaces(np.eye(4)[[0, 0, 1, 1]], [0, 0, 1, 1]))
    >>> [trace.name for trace in figure.data if trace.showlegend]
    ['cluster 0', 'cluster 1']
    """
    figure, rings = go.Figure(), []
    for c, subspace in enumerate(found.each):
        shown = subspace.singular_values[:FIRST]
        top = shown[0] if len(shown) and shown[0] > 0 else 1.0
        y, name = np.maximum(shown / top, 1e-6), escape(f"cluster {found.names[c]}")
        figure.add_scatter(
            x=np.arange(1, len(y) + 1), y=y, mode="lines+markers", name=name, showlegend=True,
            line={"color": colour(c), "width": 4 if c == chosen else 1.5}, marker={"size": 4},
            hovertemplate=f"{name}: σ%{{x}} / σ1 = %{{y:.4f}}<extra></extra>",
        )  # fmt: skip
        if 0 < subspace.dimension <= len(y):
            rings.append((subspace.dimension, y[subspace.dimension - 1], colour(c), name))
    if rings:
        dimension, height, tones, names = zip(*rings, strict=True)
        figure.add_scatter(
            x=dimension, y=height, mode="markers", text=names, showlegend=False,
            marker={"symbol": "circle-open", "size": 13, "color": tones, "line": {"width": 2}},
            hovertemplate="%{text}: dimension %{x}<extra></extra>",
        )  # fmt: skip
    figure.update_layout(
        title="Singular values; a ring marks the dimension", xaxis_title="number",
        yaxis={"title": "σ / largest σ", "type": "log"}, height=380,
        margin={"l": 60, "r": 10, "t": 50, "b": 44},
    )  # fmt: skip
    return figure


def angles(found: Subspaces, mean: bool = False) -> go.Figure:
    """The smallest, or the mean, principal angle between each two subspaces, in degrees.

    >>> from sdsc_core import subspaces
    >>> angles(subspaces(np.eye(4)[[0, 0, 1, 1]], [0, 0, 1, 1])).data[0].z[0][1]
    np.float64(90.0)
    """
    names = [escape(str(name)) for name in found.names]
    heat = {
        "type": "heatmap", "z": found.mean_angles if mean else found.angles, "x": names, "y": names,
        "colorscale": "Blues_r", "zmin": 0, "zmax": 90,
        "texttemplate": "%{z:.0f}" if len(names) <= 20 else "",
        "hovertemplate": "cluster %{y} and %{x}: %{z:.2f}°<extra></extra>", "hoverongaps": False,
        "colorbar": {"title": {"text": "degrees"}},
    }  # fmt: skip
    what = "Mean" if mean else "Smallest"
    layout = {
        "title": {"text": f"{what} principal angle"}, "height": 380,
        "xaxis": {"title": {"text": "cluster"}, "type": "category"},
        "yaxis": {"title": {"text": "cluster"}, "type": "category", "autorange": "reversed"},
        "margin": {"l": 60, "r": 10, "t": 50, "b": 44},
    }  # fmt: skip
    return go.Figure({"data": [heat], "layout": layout})


def shown_points(found: Subspaces) -> NDArray[np.int64]:
    """The points that a chart of distances shows: all, or the worst half and some of the rest."""
    n = len(found.labels)
    if n <= MOST_POINTS:
        return np.arange(n)
    order = found.worst(n)
    half = MOST_POINTS // 2
    rest = order[half:]
    return np.sort(np.concatenate([order[:half], rest[:: -(-len(rest) // half)]]))


def distances(found: Subspaces, chosen: int = -1) -> go.Figure:
    """Distance to the own subspace against that to the next; beyond the line another is nearer.

    >>> from sdsc_core import subspaces
    >>> figure = distances(subspaces(np.eye(4)[[0, 0, 1, 1]], [0, 0, 1, 1]))
    >>> [trace.name for trace in figure.data]
    ['cluster 0', 'cluster 1', 'as near']
    """
    at = shown_points(found)
    own, next_ = found.points.own, found.points.next
    figure = go.Figure()
    kind = go.Scatter if len(at) <= MOST_SVG else go.Scattergl
    for c, name in enumerate(found.names):
        mine = at[(found.labels[at] == c) & np.isfinite(next_[at])]
        figure.add_trace(
            kind(
                x=own[mine], y=next_[mine], mode="markers", customdata=mine,
                name=escape(f"cluster {name}"),
                marker={"color": colour(c), "size": 6, "opacity": 0.75},
                unselected={"marker": {"opacity": 0.75}},
                hovertemplate="point %{customdata}<br>own %{x:.4g}, next %{y:.4g}<extra></extra>",
            )
        )  # fmt: skip
    finite = next_[np.isfinite(next_)]
    end = float(max(own.max(initial=0.0), finite.max(initial=0.0))) or 1.0
    figure.add_scatter(
        x=[0, end], y=[0, end], mode="lines", name="as near", hoverinfo="skip",
        line={"color": "#888888", "dash": "dash", "width": 1},
    )  # fmt: skip
    if 0 <= chosen < len(own) and np.isfinite(next_[chosen]):
        figure.add_scatter(
            x=[own[chosen]], y=[next_[chosen]], mode="markers", name=f"point {chosen}",
            hoverinfo="skip", marker={"symbol": "circle-open", "size": 16, "color": WRONG},
        )  # fmt: skip
    figure.update_layout(
        title="Below the line another subspace is nearer", dragmode="pan", height=420,
        xaxis={"title": "distance to the own subspace", "rangemode": "tozero"},
        yaxis={"title": "distance to the next subspace", "rangemode": "tozero"},
        margin={"l": 60, "r": 10, "t": 50, "b": 44}, clickmode="event+select",
    )  # fmt: skip
    return figure


def basis_pictures(subspace: Subspace, height: int, width: int) -> NDArray[np.uint8]:
    """The basis as grey pictures (r, height, width): middle grey is 0; the mean first where affine.

    >>> from sdsc_core import fit_subspaces
    >>> [line] = fit_subspaces(np.array([[1.0, 0], [2, 0]]), [0, 0])
    >>> basis_pictures(line, 1, 2).tolist()
    [[[255, 128]]]
    """
    rows = [*([] if subspace.mean is None else [subspace.mean]), *subspace.basis[:MOST_VECTORS]]
    pictures = np.full((len(rows), height, width), 128, np.uint8)
    for k, row in enumerate(rows):
        top = np.abs(row).max()
        if top > 0:
            pictures[k] = np.clip(np.rint(128 + 127 * row / top), 0, 255).reshape(height, width)
    return pictures


def basis_lines(subspace: Subspace, c: int) -> go.Figure:
    """The basis as curves over the features, for data that is no pictures."""
    figure = go.Figure()
    for k, row in enumerate(subspace.basis[:MOST_VECTORS]):
        figure.add_scatter(
            x=np.arange(len(row)), y=row, mode="lines", name=f"direction {k + 1}",
            line={"color": colour(k), "width": 2 if k == 0 else 1.2},
        )  # fmt: skip
    layout: dict[str, Any] = {"l": 50, "r": 10, "t": 50, "b": 44}
    figure.update_layout(
        title=f"Basis of cluster {c}", xaxis_title="feature", yaxis_title="weight", height=330,
        margin=layout,
    )  # fmt: skip
    return figure
