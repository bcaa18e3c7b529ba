"""Small graphs: what lies around a pair of points, and the pictures that explain a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import scipy.sparse as sp
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from sdsc_core.checks import Affinity, check_count
from sdsc_core.figures.charts import WRONG, colour, literal

OLD = "#8a9099"  # links of W; readable on light and dark
NEW = "#c2419a"  # links that the dense stage raised; always dashed too
MOST = 17  # points around a pair; more cannot be told apart
STEPS = 150  # of the layout


@dataclass(frozen=True)
class Graph:
    """A small graph to draw: W (n, n), the group and the place (n, 2) of each point.

    ``star`` is W* where links that were raised are to be drawn too; ``names`` stand in the nodes.
    """

    title: str
    W: NDArray[np.float64]
    groups: NDArray[np.int64]
    at: NDArray[np.float64]
    star: NDArray[np.float64] | None = None
    names: tuple[str, ...] = ()


def around(W_star: Affinity, seeds: Sequence[int], most: int = MOST) -> NDArray[np.int64]:
    """The seeds, then the points with the strongest links to any of them, at most ``most``.

    >>> W = np.array([[0, 0.9, 0.2], [0.9, 0, 0], [0.2, 0, 0]])
    >>> around(W, [0], 2).tolist()
    [0, 1]
    """
    W_star = sp.csr_array(W_star)
    seeds = [check_count(s, "seeds", 0, W_star.shape[0] - 1) for s in seeds]
    best = W_star[seeds].toarray().max(axis=0)
    best[seeds] = 0
    order = np.argsort(-best, kind="stable")[: max(0, most - len(seeds))]
    return np.concatenate([seeds, order[best[order] > 0]]).astype(np.int64)


def layout(A: NDArray[np.float64], pinned: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places (n, 2) of a small graph by springs; the first points stay where ``pinned`` says.

    >>> layout(1 - np.eye(3), np.array([[0.0, 0.0]]))[0].tolist()
    [0.0, 0.0]
    """
    n, fixed = len(A), len(pinned)
    at = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    at[:fixed] = pinned
    ideal = 1.6 / np.sqrt(n)
    for step in range(STEPS):
        apart = at[:, None] - at[None]
        far = np.maximum(np.linalg.norm(apart, axis=2), 0.03)
        push = ideal**2 / far**2 - A * far / ideal  # repulsion of all, attraction of links
        move = (apart * push[:, :, None]).sum(axis=1) - 0.3 * at
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        at[fixed:] += (move / length * np.minimum(length, 0.15 * (1 - step / STEPS)))[fixed:]
    return at


def neighbourhood(
    W: Affinity,
    W_star: Affinity,
    pair: tuple[int, int],
    witness: int,
    groups: NDArray[np.int64],
    names: Sequence[str],
    *,
    strong: float = 0.0,
    height: int = 430,
) -> go.Figure:
    """The graph around a pair i, j and its witness k (−1 for none), coloured by group.

    Links of W above ``strong`` are solid, weaker ones thin, links that the dense stage raised
    dashed, and those that it lowered or took away dotted and dashed; the pair itself stands out,
    and so do the two links by which k vouches for it.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> star = np.array([[0, 0.9, 0.7], [0.9, 0, 0.7], [0.7, 0.7, 0]])
    >>> figure = neighbourhood(W, star, (0, 2), 1, np.zeros(3, int), ["a"])
    >>> [trace.name for trace in figure.data if trace.showlegend]
    ['strong link of W', 'the pair i, j', 'a']
    """
    i, j = pair
    seeds = [i, j] if witness < 0 else [i, j, witness]
    nodes = around(W_star, seeds)
    w, star = (_dense(A, nodes) for A in (W, W_star))
    corners = np.array([[-0.7, -0.25], [0.7, -0.25], [0.0, 0.65]])[: len(seeds)]
    at = layout(np.minimum(star, 1), corners)
    figure = go.Figure()
    a, b = np.nonzero(np.triu(np.maximum(w, star), 1))
    before, after = w[a, b], star[a, b]
    raised, lowered, same = after > before, after < before, after == before
    chosen = (a == 0) & (b == 1)
    via = (a < 2) & (b == 2) & (witness >= 0)
    kinds = [
        ("weak link of W", (before > 0) & (before <= strong) & same & ~via, OLD, 1, "dot"),
        ("strong link of W", (before > strong) & same & ~via, OLD, 2, "solid"),
        ("raised by the dense stage", raised & ~chosen, NEW, 1.5, "dash"),
        ("lowered by the dense stage", lowered & ~chosen, OLD, 1, "dashdot"),
        ("strong link of W", via, OLD, 5, "solid"),
        ("the pair i, j", chosen, WRONG, 4, "dash" if raised[chosen].any() else "solid"),
    ]
    seen: set[str] = set()
    for name, mine, line, width, dash in kinds:
        if mine.any():
            text = [
                f"{nodes[p]} – {nodes[q]}: w = {x:.4f}, w* = {y:.4f}"
                for p, q, x, y in zip(a[mine], b[mine], before[mine], after[mine], strict=True)
            ]
            style = {"color": line, "width": width, "dash": dash}
            _edges(figure, at, a[mine], b[mine], style, name, text, show=name not in seen)
            seen.add(name)
    marks = ["<b>i</b>", "<b>j</b>", "<b>k</b>"][: len(seeds)]
    labels = marks + [""] * (len(nodes) - len(seeds))
    _nodes(figure, at, groups[nodes], names, labels, [f"point {p}" for p in nodes], len(seeds))
    _without_axes(figure, height, at)
    figure.update_layout(title="The graph around the pair")
    return figure


def small_graphs(graphs: Sequence[Graph], *, weights: bool = False, height: int = 260) -> go.Figure:
    """Graphs of a few points side by side; links between groups stand out.

    >>> at = np.array([[0.0, 0], [1, 0]])
    >>> len(small_graphs([Graph("a link", 1 - np.eye(2), np.zeros(2, int), at)]).data)
    3
    """
    figure = make_subplots(1, len(graphs), subplot_titles=[g.title for g in graphs])
    for column, g in enumerate(graphs, 1):
        star = g.W if g.star is None else g.star
        a, b = np.nonzero(np.triu(star, 1))
        raised = star[a, b] > g.W[a, b]
        across = g.groups[a] != g.groups[b]
        for mine, style in (
            (~raised & ~across, {"color": OLD, "width": 2.5}),
            (~raised & across, {"color": WRONG, "width": 2.5}),
            (raised & ~across, {"color": NEW, "width": 2.5, "dash": "dash"}),
            (raised & across, {"color": WRONG, "width": 2.5, "dash": "dash"}),
        ):
            if mine.any():
                shown = [f"{star[p, q]:.2f}" for p, q in zip(a[mine], b[mine], strict=True)]
                _edges(figure, g.at, a[mine], b[mine], style, "", shown, column=column)
                if weights:
                    _weights(figure, g.at, a[mine], b[mine], shown, column)
        titles = [f"point {p}" for p in range(len(g.W))]
        _nodes(figure, g.at, g.groups, (), list(g.names) or [""] * len(g.W), titles, 0, column)
        _frame(figure, g.at, column)
    figure.update_layout(
        height=height, margin={"l": 10, "r": 10, "t": 40, "b": 10}, showlegend=False
    )
    figure.update_annotations(font_size=14)
    return figure


def profiles(X: NDArray[np.float64], points: Sequence[tuple[str, int, int]]) -> go.Figure:
    """Features of a few points, given as (title, point, group), for data without pictures.

    >>> profiles(np.eye(3), [("i", 0, 0), ("j", 2, 1)]).data[1].name
    'j'
    """
    figure = go.Figure()
    for (title, point, group), dash in zip(points, ("solid", "dash", "dot"), strict=False):
        line = {"color": colour(group), "dash": dash, "width": 2}
        figure.add_scatter(y=X[point], mode="lines", name=title, line=line)
    figure.update_layout(
        title="Features of the points", xaxis_title="feature", yaxis_title="value", height=230,
        margin={"l": 50, "r": 10, "t": 44, "b": 40},
    )  # fmt: skip
    return figure


def row_of_c(row: NDArray[np.float64], groups: NDArray[np.int64], i: int = 0) -> go.Figure:
    """The coefficients c_ij of one point (N,), each bar in the colour of x_j's group.

    >>> row_of_c(np.array([0, 0.9, 0.4]), np.array([0, 0, 1])).data[0].y.tolist()
    [0.0, 0.9, 0.4]
    """
    figure = go.Figure()
    figure.add_bar(
        y=row, marker_color=[colour(int(g)) for g in groups],
        hovertemplate=f"c of {i} and %{{x}}: %{{y:.2f}}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        title=f"Row {i} of C", xaxis_title="point j", yaxis_title="coefficient", height=260,
        margin={"l": 50, "r": 10, "t": 40, "b": 44}, xaxis_dtick=1,
    )  # fmt: skip
    return figure


def growth(
    names: Sequence[str],
    vol: tuple[NDArray[np.float64], NDArray[np.float64]],
    cut: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> go.Figure:
    """vol (eq. 7) and cut (eq. 6) of each cluster in W and W*.

    >>> one = np.ones(1)
    >>> [bar.name for bar in growth(["a"], (one, 2 * one), (one, one)).data]
    ['vol in W', 'added to vol', 'cut in W', 'added to cut']
    """
    figure = go.Figure()
    names = literal(names)
    for title, (before, after), line, group in (
        ("vol", vol, "#0072b2", 0),
        ("cut", cut, WRONG, 1),
    ):
        bars = ((f"{title} in W", before, 0.45), (f"added to {title}", after - before, 1.0))
        for name, height, shade in bars:
            figure.add_bar(
                x=names, y=height, name=name, offsetgroup=group, opacity=shade,
                marker={"color": line},
                base=before if name.startswith("added") else None,
                hovertemplate=f"%{{x}}, {name}: %{{y:.2f}}<extra></extra>",
            )  # fmt: skip
    figure.update_layout(
        title="vol and cut of each cluster", xaxis_title="cluster", yaxis_title="similarity",
        height=400, margin={"l": 50, "r": 10, "t": 76, "b": 40}, barmode="group",
        xaxis_type="category", legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
    )  # fmt: skip
    return figure


def _dense(A: Affinity, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    part = sp.csr_array(A)[nodes][:, nodes].toarray()
    np.fill_diagonal(part, 0)
    return part


def _edges(
    figure: go.Figure,
    at: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    style: Any,
    name: str,
    text: Any,
    *,
    column: int | None = None,
    show: bool = False,
) -> None:
    """Lines, and a mark in the middle of each that tells about it."""
    gap = np.full(len(a), np.nan)
    spot = {} if column is None else {"row": 1, "col": column}
    x, y = (np.column_stack([at[a, d], at[b, d], gap]).ravel() for d in (0, 1))
    figure.add_trace(
        go.Scatter(
            x=x, y=y, mode="lines", line=style, hoverinfo="skip", name=name, showlegend=show
        ), **spot,
    )  # fmt: skip
    middle = (at[a] + at[b]) / 2
    figure.add_trace(
        go.Scatter(
            x=middle[:, 0], y=middle[:, 1], mode="markers", text=text, hoverinfo="text",
            marker={"size": 10, "opacity": 0}, showlegend=False, name="",
        ), **spot,
    )  # fmt: skip


def _weights(
    figure: go.Figure, at: NDArray[np.float64], a: Any, b: Any, text: Any, column: int | None
) -> None:
    """Values beside the middle of each link: above a level one, outside of a steep one."""
    for p, q, value in zip(a, b, text, strict=True):
        x, y = (at[p] + at[q]) / 2
        dx, dy = np.abs(at[p] - at[q])
        side = 17 if x >= at[:, 0].mean() else -17
        figure.add_annotation(
            x=x, y=y, text=value, showarrow=False, font_size=12, row=1, col=column,
            xshift=0 if dx > dy else side, yshift=10 if dx > dy else 0,
        )  # fmt: skip


def _nodes(
    figure: go.Figure,
    at: NDArray[np.float64],
    groups: NDArray[np.int64],
    names: Any,
    labels: Any,
    titles: Any,
    seeds: int,
    column: int | None = None,
) -> None:
    spot = {} if column is None else {"row": 1, "col": column}
    names, titles = literal(names), literal(titles)
    for group in np.unique(groups):
        mine = np.flatnonzero(groups == group)
        large = np.where(mine < seeds, 26, 22 if any(labels) and not seeds else 13)
        figure.add_trace(
            go.Scatter(
                x=at[mine, 0], y=at[mine, 1], mode="markers+text", showlegend=bool(names),
                name=names[group] if names else "",
                text=[labels[p] for p in mine], textfont={"color": "#ffffff", "size": 14},
                marker={
                    "color": colour(int(group)), "size": large, "line": {
                        "color": [WRONG if p < seeds else "#ffffff" for p in mine],
                        "width": [2.5 if p < seeds else 1 for p in mine],
                    }, "opacity": 1,
                },
                hovertext=[
                    titles[p] + (f", {names[group]}" if names else "") for p in mine
                ],
                hoverinfo="text",
            ), **spot,
        )  # fmt: skip


def _without_axes(figure: go.Figure, height: int, at: Any) -> None:
    _frame(figure, at)
    figure.update_layout(
        height=height, margin={"l": 10, "r": 10, "t": 44, "b": 10},
        legend={"orientation": "h", "y": -0.02, "yanchor": "top"},
    )  # fmt: skip


def _frame(figure: go.Figure, at: Any, column: int | None = None) -> None:
    spot = {} if column is None else {"row": 1, "col": column}
    low, high = at.min(axis=0) - 0.25, at.max(axis=0) + 0.25
    figure.update_xaxes(visible=False, range=[low[0], high[0]], **spot)
    figure.update_yaxes(visible=False, range=[low[1], high[1]], **spot)
