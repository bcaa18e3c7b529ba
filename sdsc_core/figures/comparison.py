"""Charts of methods × dense stages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity
from sdsc_core.compare import Row
from sdsc_core.figures.charts import PALETTE

SYMBOLS = {"none": "circle", "PCE": "diamond", "D1": "square", "D2": "cross", "D3": "star"}


def method_bars(rows: Sequence[Row], title: str) -> go.Figure:
    """A group of bars for each method, a bar for each stage, with its standard deviation.

    >>> method_bars([Row("IMC", "none", 1, 0.9, 0.9, 0.0)], "ACC").layout.title.text
    'ACC by method and dense stage'
    """
    figure = go.Figure()
    for k, stage in enumerate(dict.fromkeys(r.dense for r in rows)):
        mine = [r for r in rows if r.dense == stage]
        figure.add_bar(
            x=[r.method for r in mine],
            y=[r.mean for r in mine],
            error_y={"type": "data", "array": [r.std for r in mine], "visible": True},
            name=stage,
            marker_color=PALETTE[k % len(PALETTE)],
        )
    figure.update_layout(
        title=f"{title} by method and dense stage", barmode="group", yaxis_title=title,
        xaxis_title="method", height=360, margin={"l": 50, "r": 10, "t": 50, "b": 44},
    )  # fmt: skip
    return figure


def time_against(seconds: Sequence[Row], values: Sequence[Row], title: str) -> go.Figure:
    """Seconds (log scale) against a figure: to the upper left is better."""
    took = {(r.method, r.dense): r.mean for r in seconds}
    figure = go.Figure()
    for k, method in enumerate(dict.fromkeys(r.method for r in values)):
        mine = [r for r in values if r.method == method]
        figure.add_scatter(
            x=[took[r.method, r.dense] for r in mine],
            y=[r.mean for r in mine],
            mode="markers",
            name=method,
            text=[f"{r.method} with {r.dense}" for r in mine],
            marker={
                "size": 11,
                "color": PALETTE[k % len(PALETTE)],
                "symbol": [SYMBOLS.get(r.dense, "circle") for r in mine],
            },
            hovertemplate="%{text}: %{y:.3f} in %{x:.2f} s<extra></extra>",
        )
    figure.update_layout(
        title=f"{title} against time", xaxis_title="seconds", xaxis_type="log", yaxis_title=title,
        height=360, margin={"l": 50, "r": 10, "t": 50, "b": 44},
    )  # fmt: skip
    return figure


def thumbnail(W: Affinity, order: Any, size: int = 96) -> NDArray[np.uint8]:
    """A small grey picture of W, dark where similarity is high, cells merged by their maximum.

    >>> thumbnail(1 - np.eye(4), np.arange(4), 4)[0].tolist()
    [255, 0, 0, 0]
    """
    n = W.shape[0]
    place = np.empty(n, np.int64)
    place[np.asarray(order)] = np.arange(n)
    entries = sp.coo_array(W)
    grid = np.zeros((min(size, n), min(size, n)))
    rows, cols = (place[a] * len(grid) // n for a in (entries.row, entries.col))
    np.maximum.at(grid, (rows, cols), entries.data)
    return (255 * (1 - np.clip(grid, 0, 1))).astype(np.uint8)
