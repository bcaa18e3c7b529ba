"""Figures of one pair under the dense stage: triangle, scale, θ, and the functions of Table 1."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from sdsc_core.checks import check_choice
from sdsc_core.dense import (
    DISTANCE_RULES,
    DISTANCES,
    Explanation,
    Offer,
    to_distance,
    to_similarity,
)
from sdsc_core.figures.charts import WRONG, colour
from sdsc_core.figures.graphs import NEW, OLD
from sdsc_core.tracing import LEVELS, Piece, level

# As the matrix colours its causes: condition 1, 2, 3; grey where none applies.
CONDITIONS = {0: "#9aa0a6", 1: "#0072b2", 2: "#e69f00", 3: "#009e73"}
BANDS = [f"rgba(136, 136, 136, {a})" for a in (0.06, 0.13, 0.22, 0.34)]  # from weak up
STEEP = 10.0  # distances beyond are cut off


def two_hop_value(w_ik: Any, w_kj: Any, transform: str) -> NDArray[np.float64]:
    """What the way over k is worth: the sum of two distances, turned back into a similarity.

    >>> two_hop_value(0.9, 0.8, "D1").round(2).item()
    0.7
    """
    path = to_distance(w_ik, transform) + to_distance(w_kj, transform)
    return to_similarity(path, transform)


def triangle(
    pair: Explanation,
    offer: Offer | None,
    groups: NDArray[np.int64],
    names: Sequence[str],
    *,
    thetas: tuple[float, float, float] | None = None,
    transform: str | None = None,
    images: NDArray[Any] | None = None,
) -> go.Figure:
    """i, j and an intermediate point k with the three similarities; ``offer`` is what k offers.

    ``thetas`` adds the level of each similarity (PCE), ``transform`` its distance (D1–D3).
    """
    places = {"i": (-1.0, 0.0), "j": (1.0, 0.0), "k": (0.0, 1.15)}
    points = {"i": pair.i, "j": pair.j} | ({"k": offer.k} if offer else {})

    def describe(symbol: str, w: float) -> str:
        text = f"{symbol} = {w:.4f}"
        if thetas:
            return f"{text}<br>{level(w, *thetas)}"
        return f"{text}<br>d = {to_distance(w, transform or 'D1').item():.3f}".replace("inf", "∞")

    figure = go.Figure()
    wins = offer is not None and offer.value > pair.before
    links = [("i", "j", describe("w<sub>ij</sub>", pair.before), OLD, "dot", (0.0, -0.2))]
    if offer:
        links += [
            ("i", "k", describe("w<sub>ik</sub>", offer.w_ik), OLD, "solid", (-0.42, 0.05)),
            ("k", "j", describe("w<sub>kj</sub>", offer.w_kj), OLD, "solid", (0.42, 0.05)),
        ]
    for a, b, text, tone, dash, (dx, dy) in links:
        (x0, y0), (x1, y1) = places[a], places[b]
        figure.add_scatter(
            x=[x0, x1], y=[y0, y1], mode="lines", line={"color": tone, "width": 3, "dash": dash},
            hoverinfo="skip",
        )  # fmt: skip
        figure.add_annotation(
            x=(x0 + x1) / 2 + dx, y=(y0 + y1) / 2 + dy, text=text, showarrow=False
        )
    if wins and offer:
        figure.add_scatter(
            x=[-1, 0, 1], y=[0.0, 0.22, 0.0], mode="lines", hoverinfo="skip",
            line={"color": NEW, "width": 4, "shape": "spline", "dash": "dash"},
        )  # fmt: skip
        figure.add_annotation(
            x=0, y=0.36, showarrow=False, text=f"<b>offers {offer.value:.4f}</b>",
            font={"color": NEW},
        )  # fmt: skip
    _corners(figure, places, points, groups, names, images)
    figure.update_xaxes(visible=False, range=[-1.6, 1.6], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.62, 1.6], fixedrange=True)
    title = f"i = {pair.i}, j = {pair.j}" + (f", over k = {offer.k}" if offer else "")
    figure.update_layout(
        title=title, showlegend=False, height=360, margin={"l": 6, "r": 6, "t": 44, "b": 6}
    )
    return figure


def _corners(
    figure: go.Figure,
    places: dict[str, tuple[float, float]],
    points: dict[str, int],
    groups: NDArray[np.int64],
    names: Sequence[str],
    images: NDArray[Any] | None,
) -> None:
    """The points themselves, as pictures where there are any."""
    for symbol, p in points.items():
        x, y = places[symbol]
        name, tone = escape(str(names[groups[p]])), colour(int(groups[p]))
        figure.add_scatter(
            x=[x], y=[y], mode="markers", hovertemplate=f"{symbol} = {p}, {name}<extra></extra>",
            marker={"size": 66 if images is not None else 26, "color": tone, "symbol": "square"},
        )  # fmt: skip
        if images is not None:
            figure.add_layout_image(
                source=_png(images[p]), x=x, y=y, xref="x", yref="y", sizex=0.4, sizey=0.4,
                xanchor="center", yanchor="middle", layer="above",
            )  # fmt: skip
        figure.add_annotation(
            x=x, y=y + (0.32 if symbol == "k" else -0.38), showarrow=False,
            text=f"<b>{symbol} = {p}</b> ({name})",
        )  # fmt: skip


def _png(picture: NDArray[Any]) -> Any:
    from PIL import Image

    zoom = max(1, 96 // max(picture.shape))
    return Image.fromarray(np.kron(picture, np.ones((zoom, zoom), np.uint8)))


def scale(pair: Explanation, offer: Offer | None, thetas: tuple[float, float, float]) -> go.Figure:
    """The three similarities, before and after, on the scale with the levels of Definition 1."""
    rows = [("w*<sub>ij</sub> after", pair.after, NEW, "diamond")]
    rows.append(("w<sub>ij</sub> before", pair.before, OLD, "diamond-open"))
    if offer:
        rows.append(("w<sub>kj</sub>", offer.w_kj, OLD, "circle"))
        rows.append(("w<sub>ik</sub>", offer.w_ik, OLD, "circle"))
    figure = go.Figure()
    edges = [0.0, *reversed(thetas), 1.0]
    for name, tint, low, high in zip(LEVELS, BANDS, edges[:-1], edges[1:], strict=True):
        figure.add_vrect(low, high, fillcolor=tint, line_width=0, layer="below")
        figure.add_annotation(
            x=(low + high) / 2, y=1.0, yref="paper", yanchor="bottom", showarrow=False,
            text=name.replace("extremely ", "extremely<br>"), font={"size": 11},
        )  # fmt: skip
    for k, theta in enumerate(thetas):
        figure.add_vline(theta, line_dash="dash", line_width=1.5, line_color=OLD)
        figure.add_annotation(
            x=theta, y=0.0, yref="paper", yanchor="bottom", xanchor="left", showarrow=False,
            xshift=3, text=f"θ{'₁₂₃'[k]}", font={"size": 13},
        )  # fmt: skip
    for name, value, tone, symbol in rows:
        figure.add_scatter(
            x=[0, value], y=[name, name], mode="lines", line={"color": tone, "width": 2},
            hoverinfo="skip",
        )  # fmt: skip
        figure.add_scatter(
            x=[value], y=[name], mode="markers+text", text=[f"{value:.4f}"], cliponaxis=False,
            textposition="top left" if value > 0.85 else "top right",
            marker={"color": tone, "size": 13, "symbol": symbol},
            hovertemplate=f"{name} = {value:.6f}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(title="similarity", range=[-0.02, 1.03], fixedrange=True)
    figure.update_yaxes(fixedrange=True, range=[-0.9, len(rows) - 0.4])
    figure.update_layout(
        title="On the scale of Definition 1", showlegend=False, height=360,
        margin={"l": 10, "r": 16, "t": 84, "b": 40},
    )  # fmt: skip
    return figure


def paths(pair: Explanation, offer: Offer | None, transform: str) -> go.Figure:
    """The direct distance and the way over k, laid end to end; the shorter one counts."""
    check_choice(transform, "transform", DISTANCE_RULES)
    direct = to_distance(pair.before, transform).item()
    legs = [to_distance(w, transform).item() for w in (offer.w_ik, offer.w_kj)] if offer else []
    known = [v for v in (direct, sum(legs)) if np.isfinite(v)]
    end = 1.15 * max(known, default=1.0)
    figure = go.Figure()
    drawn = direct if np.isfinite(direct) else end
    figure.add_bar(
        y=["direct"], x=[drawn], orientation="h", marker_color=OLD, textposition="inside",
        text=[f"d<sub>ij</sub> = {direct:.3f}".replace("inf", "∞")], hoverinfo="skip",
    )  # fmt: skip
    for name, value, tone in zip(("ik", "kj"), legs, (NEW, "#8c6bb1"), strict=False):
        figure.add_bar(
            y=["over k"], x=[value], orientation="h", marker_color=tone, textposition="inside",
            text=[f"d<sub>{name}</sub> = {value:.3f}"], hoverinfo="skip",
        )  # fmt: skip
    figure.update_xaxes(
        title=f"distance, d = {DISTANCES[transform].text}", range=[0, end], fixedrange=True
    )
    figure.update_yaxes(fixedrange=True)
    figure.update_layout(
        title="Which way is shorter", barmode="stack", showlegend=False, height=360,
        margin={"l": 10, "r": 16, "t": 60, "b": 40},
    )  # fmt: skip
    return figure


def over_theta(
    sweeps: Sequence[tuple[str, float, Sequence[Piece]]], height: int = 300
) -> go.Figure:
    """w*_ij over one θ at a time: (name, its present value, pieces of `sweep`) for each."""
    figure = make_subplots(1, len(sweeps), shared_yaxes=True, horizontal_spacing=0.05)
    seen: set[int] = set()
    for column, (name, now, pieces) in enumerate(sweeps, 1):
        for p in pieces:
            what = f"condition {p.condition}" if p.condition else "none: w stays"
            over = f" over k = {p.witness}" if p.condition else ""
            figure.add_scatter(
                x=[p.low, p.high], y=[p.value, p.value], mode="lines", name=what,
                line={"color": CONDITIONS[p.condition], "width": 5},
                legendgroup=what, showlegend=p.condition not in seen,
                hovertemplate=f"{name} from {p.low:.4f} to {p.high:.4f}<br>{what}{over}<br>"
                f"w* = {p.value:.4f}<extra></extra>", row=1, col=column,
            )  # fmt: skip
            seen.add(p.condition)
        figure.add_vline(now, line_color=WRONG, line_dash="dash", row=1, col=column)
        figure.add_annotation(
            x=now, y=1.0, yref="paper", yanchor="bottom", showarrow=False, row=1, col=column,
            text=f"now {now:.2f}", font={"color": WRONG},
        )  # fmt: skip
        figure.update_xaxes(title=name, range=[0, 1.01], row=1, col=column)
    figure.update_yaxes(title="w*<sub>ij</sub>", range=[-0.04, 1.04], col=1)
    figure.update_layout(
        title="What another θ would give", height=height, legend={"orientation": "h", "y": -0.3},
        margin={"l": 50, "r": 10, "t": 64, "b": 44},
    )  # fmt: skip
    return figure


def transforms(transform: str, offer: Offer | None = None) -> go.Figure:
    """The three functions of Table 1: distance over similarity, the chosen one heavy."""
    w = np.linspace(0.02, 1, 197)
    figure = go.Figure()
    for k, rule in enumerate(DISTANCE_RULES):
        d = to_distance(w, rule)
        figure.add_scatter(
            x=w, y=np.where(d <= STEEP, d, np.nan), mode="lines",
            name=f"{rule}: d = {DISTANCES[rule].text}",
            line={"color": colour(k), "width": 4 if rule == transform else 1.5},
            hovertemplate="w = %{x:.2f}: d = %{y:.3f}<extra></extra>",
        )  # fmt: skip
    if offer:
        at = [offer.w_ik, offer.w_kj]
        figure.add_scatter(
            x=at, y=to_distance(at, transform), mode="markers+text", name="this k",
            text=["ik", "kj"], textposition="top right", marker={"color": NEW, "size": 11},
        )  # fmt: skip
    figure.update_layout(
        title="From similarity to distance (Table 1)", xaxis_title="similarity w",
        yaxis_title="distance d", height=360, legend={"x": 0.98, "xanchor": "right", "y": 0.98},
        margin={"l": 50, "r": 10, "t": 50, "b": 44}, yaxis_range=[-0.2, STEEP],
    )  # fmt: skip
    return figure


def two_hop_maps(transform: str, offer: Offer | None = None) -> go.Figure:
    """What the way over k is worth for every w_ik and w_kj, under each function of Table 1."""
    w = np.linspace(0.01, 1, 100)
    titles = [f"<b>{r}</b>" if r == transform else r for r in DISTANCE_RULES]
    figure = make_subplots(1, 3, subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.04)
    for column, rule in enumerate(DISTANCE_RULES, 1):
        figure.add_trace(
            go.Contour(
                x=w, y=w, z=two_hop_value(w[None], w[:, None], rule), coloraxis="coloraxis",
                contours={"start": 0, "end": 1, "size": 0.1, "showlabels": True},
                hovertemplate="w<sub>ik</sub> = %{x:.2f}, w<sub>kj</sub> = %{y:.2f}:"
                " worth %{z:.3f}<extra></extra>",
            ), 1, column,
        )  # fmt: skip
        if offer:
            figure.add_scatter(
                x=[offer.w_ik], y=[offer.w_kj], mode="markers", row=1, col=column,
                marker={"color": NEW, "size": 13, "symbol": "x"}, showlegend=False,
                hovertemplate=f"k = {offer.k}: worth "
                f"{two_hop_value(offer.w_ik, offer.w_kj, rule).item():.4f}<extra></extra>",
            )  # fmt: skip
    figure.update_xaxes(title="w<sub>ik</sub>")
    figure.update_yaxes(title="w<sub>kj</sub>", col=1)
    figure.update_layout(
        title="What the way over k is worth, w<sub>ik</sub> and w<sub>kj</sub> given",
        coloraxis={"colorscale": "Blues", "cmin": 0, "cmax": 1, "colorbar": {"title": "worth"}},
        height=360, margin={"l": 50, "r": 10, "t": 74, "b": 44},
    )  # fmt: skip
    return figure
