"""Line charts of an experiment as SVG and as an interactive page, drawn like the paper's."""

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core.checks import Affinity

COLOURS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#17becf", "#393b79", "#637939", "#8c6d31", "#843c39",
    "#e7969c",
)  # fmt: skip
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 66, 110, 34, 46


@dataclass(frozen=True)
class Chart:
    """Named lines of (x, y) over common axes, each linear or logarithmic."""

    title: str
    x_title: str
    y_title: str
    lines: dict[str, list[tuple[float, float]]]
    log_x: bool = False
    log_y: bool = False
    dashed: frozenset[str] = field(default_factory=frozenset)  # the paper's, beside ours

    def to_svg(self) -> str:
        """The chart as a picture of its own.

        >>> chart = Chart("time", "N", "s", {"IMC": [(300, 0.1), (3000, 2.0)]}, True, True)
        >>> chart.to_svg().count("<circle")
        2
        """
        drawn = {name: points for name, points in self.lines.items() if points}
        places = [p for points in drawn.values() for p in points]
        if not places:
            raise ValueError(f"Nothing was measured for {self.title!r}; there is no chart of it.")
        x = _Axis([p[0] for p in places], self.log_x, LEFT, WIDTH - RIGHT)
        y = _Axis([p[1] for p in places], self.log_y, HEIGHT - BOTTOM, TOP)
        parts = [*self._frame(), *_grid(x, y)]
        for k, (name, points) in enumerate(drawn.items()):
            parts += self._line(k, name, [(x.place(a), y.place(b)) for a, b in sorted(points)])
        return "\n".join([*parts, "</svg>"]) + "\n"

    def _frame(self) -> list[str]:
        middle = (LEFT + WIDTH - RIGHT) / 2
        return [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{middle}" y="20" text-anchor="middle" font-size="14">'
            f"{escape(self.title)}</text>",
            f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{escape(self.x_title)}</text>",
            f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.y_title)}</text>",
        ]

    def _line(self, k: int, name: str, places: Sequence[tuple[float, float]]) -> list[str]:
        colour = COLOURS[k % len(COLOURS)]
        dashes = ' stroke-dasharray="5 4"' if name in self.dashed else ""
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        row, side = TOP + 8 + 17 * k, WIDTH - RIGHT + 10
        return [
            f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>',
            *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in places),
            f'<path d="M{side} {row}h16" stroke="{colour}" stroke-width="2"{dashes}/>',
            f'<text x="{side + 21}" y="{row + 4}">{escape(name)}</text>',
        ]

    def to_figure(self) -> Any:
        """The chart as a Plotly figure, to zoom and read from."""
        from sdsc_core.extras import require

        go = require("plotly", "Drawing charts as pages").graph_objects
        figure = go.Figure()
        for k, (name, points) in enumerate(self.lines.items()):
            x, y = zip(*sorted(points), strict=True) if points else ((), ())
            figure.add_scatter(
                x=x, y=y, name=name, mode="lines+markers",
                line={"color": COLOURS[k % len(COLOURS)],
                      "dash": "dash" if name in self.dashed else "solid"},
            )  # fmt: skip
        height = 200 + 22 * len(self.lines)  # so that the legend is whole
        kinds = ["log" if log else "linear" for log in (self.log_x, self.log_y)]
        figure.update_layout(
            title=self.title, height=max(450, height),
            xaxis={"title": self.x_title, "type": kinds[0]},
            yaxis={"title": self.y_title, "type": kinds[1]},
        )  # fmt: skip
        return figure

    def write_html(self, path: Path) -> None:
        """The chart as a page; Plotly's script stands beside it, once."""
        self.to_figure().write_html(path, include_plotlyjs="directory")


class _Axis:
    """From a value to a place on the picture, and the values to mark."""

    def __init__(self, values: Sequence[float], log: bool, low: float, high: float):
        self.log, self.low, self.high = log, low, high
        self.start: float
        self.end: float
        least, most = min(values), max(values)
        if log:
            self.start, self.end = math.floor(math.log10(least)), math.ceil(math.log10(most))
            self.end += self.end == self.start
            self.marks = [10.0**p for p in range(int(self.start), int(self.end) + 1)]
        else:
            step = _round_step((most - least) or abs(most) or 1.0)
            self.start, self.end = math.floor(least / step) * step, math.ceil(most / step) * step
            self.end += step * (self.end == self.start)
            count = round((self.end - self.start) / step)
            self.marks = [self.start + k * step for k in range(count + 1)]

    def place(self, value: float) -> float:
        value = math.log10(value) if self.log else value
        return self.low + (value - self.start) / (self.end - self.start) * (self.high - self.low)


def _round_step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, four to ten of which make the span."""
    power = 10.0 ** math.floor(math.log10(span))
    return next(k * power for k in (0.1, 0.2, 0.5, 1, 2) if span / (k * power) <= 8)


def _grid(x: _Axis, y: _Axis) -> list[str]:
    parts = []
    for value in x.marks:
        at = x.place(value)
        parts += [
            f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>',
            f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{_text(value)}</text>",
        ]
    for value in y.marks:
        at = y.place(value)
        parts += [
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_text(value)}</text>',
        ]
    return parts


def _text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def matrix_svg(W: Affinity) -> str:
    """A matrix (N, N) in shades of grey, dark for 1, a pixel an entry.

    >>> matrix_svg(np.eye(3)).count("<image")
    1
    """
    dense = W.toarray() if sp.issparse(W) else np.asarray(W)
    grey = np.rint(255 * (1 - dense)).astype(np.uint8)
    n, m = grey.shape
    lines = np.column_stack([np.zeros(n, np.uint8), grey])  # PNG: filter 0 before each line
    head = struct.pack(">IIBBBBB", m, n, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    picture = base64.b64encode(png).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {m} {n}" width="{2 * m}">'
        f'<image width="{m}" height="{n}" style="image-rendering:pixelated"'
        f' href="data:image/png;base64,{picture}"/></svg>\n'
    )
