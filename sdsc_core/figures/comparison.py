"""Charts of methods × dense stages."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdsc_core.checks import Affinity
from sdsc_core.compare import STAGES, Row, heading, unit
from sdsc_core.figures.cells import by_cell, highest, places, resolved
from sdsc_core.figures.charts import colour

# In the order of the stages; a further one begins anew.
SHAPES = ("circle", "diamond", "square", "cross", "star", "triangle-up", "hexagon", "bowtie")
SYMBOLS = dict(zip(STAGES, cycle(SHAPES), strict=False))
NEUTRAL = "#7f7f7f"


def method_bars(rows: Sequence[Row], figure: str, average: str = "mean") -> go.Figure:
    """A group of bars for each method, a bar for each stage, with its standard deviation.

    >>> method_bars([Row("IMC", "none", 1, 0.9, 0.9, 0.0)], "acc").data[0].y
    (90.0,)
    """
    title, (scale, places) = heading(figure), unit(figure)
    chart = go.Figure()
    for k, stage in enumerate(STAGES):  # a stage has its colour whichever others are chosen
        mine = [r for r in rows if r.dense == stage]
        if not mine:
            continue
        spread = {"type": "data", "array": [scale * r.std for r in mine]}
        chart.add_bar(
            x=[r.method for r in mine],
            y=[scale * getattr(r, average) for r in mine],
            error_y=spread | {"visible": any(r.repeats > 1 for r in mine)},
            name=stage,
            marker_color=colour(k),
            hovertemplate=f"%{{x}} with {stage}: %{{y:.{places}f}}<extra></extra>",
        )
    chart.update_layout(
        title=f"{title} by method and dense stage", barmode="group", yaxis_title=title,
        xaxis_title="method", height=360, margin={"l": 50, "r": 10, "t": 50, "b": 44},
        showlegend=True, legend_title_text="dense stage",
    )  # fmt: skip
    return chart


def time_against(
    seconds: Sequence[Row], values: Sequence[Row], figure: str, average: str = "mean"
) -> go.Figure:
    """Seconds (log scale) against a figure: to the upper left is better.

    >>> row = Row("IMC", "D3", 1, 0.9, 0.9, 0.0)
    >>> [trace.name for trace in time_against([row], [row], "acc").data]
    ['IMC', 'D3']
    """
    title, (scale, places) = heading(figure), unit(figure)
    took = {(r.method, r.dense): getattr(r, average) for r in seconds}
    chart = go.Figure()
    for k, method in enumerate(dict.fromkeys(r.method for r in values)):
        mine = [r for r in values if r.method == method]
        chart.add_scatter(
            x=[took[r.method, r.dense] for r in mine],
            y=[scale * getattr(r, average) for r in mine],
            mode="markers",
            name=method,
            text=[f"{r.method} with {r.dense}" for r in mine],
            marker={
                "size": 11,
                "color": colour(k),
                "symbol": [SYMBOLS[r.dense] for r in mine],
            },
            legendgroup="method",
            legendgrouptitle_text="method",
            hovertemplate=f"%{{text}}: %{{y:.{places}f}} in %{{x:.2f}} s<extra></extra>",
        )
    _explain_symbols(chart, {r.dense for r in values})
    chart.update_layout(
        title=f"{title} against time", yaxis_title=title, showlegend=True, height=360,
        xaxis={"title": "seconds", **_log_axis([took[r.method, r.dense] for r in values])},
        margin={"l": 50, "r": 10, "t": 50, "b": 44},
        legend={"tracegroupgap": 6, "groupclick": "toggleitem"},
    )  # fmt: skip
    return chart


def _explain_symbols(chart: go.Figure, stages: set[str]) -> None:
    """A line of the legend for the symbol of each stage, without points of its own."""
    for stage in filter(stages.__contains__, STAGES):
        chart.add_scatter(
            x=[None], y=[None], mode="markers", name=stage, hoverinfo="skip",
            marker={"size": 10, "color": NEUTRAL, "symbol": SYMBOLS[stage]},
            legendgroup="stage", legendgrouptitle_text="dense stage",
        )  # fmt: skip


def _log_axis(values: Sequence[float]) -> dict[str, Any]:
    """A log axis whose ticks are whole numbers to read: 1, 2, 5, or decades where it is long.

    >>> _log_axis([0.1, 0.9])["ticktext"]
    ['0.1', '0.2', '0.5', '1']
    """
    low, high = (np.log10(v) for v in (min(values, default=1), max(values, default=1)))
    steps = (1, 2, 5) if high - low < 2 else (1,)
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    ticks = [m * 10.0**k for k in decades for m in steps]
    first = max([t for t in ticks if np.log10(t) <= low], default=ticks[0])
    last = min([t for t in ticks if np.log10(t) >= high], default=ticks[-1])
    ticks = [t for t in ticks if first <= t <= last]
    room = [np.log10(first) - 0.1, np.log10(last) + 0.1]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{t:g}" for t in ticks], "range": room}


def thumbnail(W: Affinity, order: Any, size: int = 96) -> NDArray[np.uint8]:
    """A small grey picture of W, dark where similarity is high.

    Cells are merged by their maximum, or by their mean where that would look full.

    >>> thumbnail(1 - np.eye(4), np.arange(4), 4)[0].tolist()
    [255, 0, 0, 0]
    """
    n = W.shape[0]
    cells = min(size, n)
    cell_of = places(order) * cells // n
    how = resolved("auto", (W, cell_of, cells))
    grid = by_cell(W, cell_of, cells, how)
    top = 1.0 if how == "max" else highest(grid)
    return (255 * (1 - np.clip(grid / top, 0, 1))).astype(np.uint8)
