"""Charts of a sweep: a figure over two axes of the grid, and along one with its spread."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from sdsc_core.figures.charts import CHOSEN, WRONG, colour
from sdsc_core.settings import spell_setting
from sdsc_core.sweeping import FIGURES, NAMES, Outcome, describe

MOST_TEXTS = 150  # cells up to which each shows its number
MOST_BAR = 40  # points of a line up to which each shows its spread


def sweep_heatmap(
    across: tuple[str, Sequence[Any]],
    down: tuple[str, Sequence[Any]],
    cells: Sequence[Sequence[Outcome | None]],
    figure: str,
    chosen: Outcome | None = None,
) -> go.Figure:
    """A figure over two axes, each a name and its values, with a cell for each pair (`table`).

    Over the cells lie marks that cannot be seen but clicked, with the numbers of row and column:
    a click on a heat map itself tells Streamlit nothing. A star marks the best, a frame ``chosen``.

    >>> from sdsc_core import RunSettings
    >>> from sdsc_core.sweeping import Result
    >>> made = Outcome(RunSettings(), (Result(0, 0, {"acc": 0.5}),))
    >>> sweep_heatmap(("gamma", [6]), ("theta1", [0.8]), [[made]], "acc").data[0].z[0]
    [50.0]
    """
    scale, places = unit(figure)
    xs, ys = ([spell_setting(v) for v in values] for _, values in (across, down))
    z = [[None if o is None else _shown(o.mean(figure), scale) for o in row] for row in cells]
    chart = go.Figure()
    chart.add_heatmap(
        x=xs, y=ys, z=z, colorscale="Viridis", hoverinfo="skip", xgap=1, ygap=1,
        texttemplate=f"%{{z:.{places}f}}" if len(xs) * len(ys) <= MOST_TEXTS else None,
        reversescale=FIGURES[figure].better < 0,
        colorbar={"title": heading(figure), "thickness": 12},
    )  # fmt: skip
    there = [(r, c, o) for r, row in enumerate(cells) for c, o in enumerate(row) if o is not None]
    chart.add_scatter(
        x=[xs[c] for _, c, _ in there], y=[ys[r] for r, _, _ in there],
        customdata=[[r, c] for r, c, _ in there], mode="markers",
        marker={"size": 22, "symbol": "square", "color": "rgba(0,0,0,0)"},
        selected={"marker": {"opacity": 1.0}}, unselected={"marker": {"opacity": 1.0}},
        text=[f"{describe(o.settings)}<br>{value_text(o, figure)}" for _, _, o in there],
        hovertemplate="%{text}<extra></extra>", showlegend=False,
        hoverlabel={"bgcolor": "#303030", "font": {"color": "white"}},
    )  # fmt: skip
    _mark(chart, there, figure, chosen)
    chart.update_layout(
        height=max(300, min(560, 120 + 34 * len(ys))), margin={"l": 60, "r": 10, "t": 40, "b": 44},
        title=heading(figure), hovermode="closest", hoverdistance=300,
        xaxis={"title": NAMES[across[0]], "type": "category"},
        yaxis={"title": NAMES[down[0]], "type": "category"},
    )  # fmt: skip
    return chart


def _mark(
    chart: go.Figure,
    there: Sequence[tuple[int, int, Outcome]],
    figure: str,
    chosen: Outcome | None,
) -> None:
    """A star in the corner of the best cells, and a frame around the chosen one."""
    sign = FIGURES[figure].better
    known = [(r, c, sign * o.mean(figure)) for r, c, o in there if o.values(figure).size]
    if sign and known:
        top = max(value for _, _, value in known)
        for r, c, value in known:
            if value >= top - 1e-12:
                chart.add_annotation(
                    x=c, y=r, text="★", showarrow=False, xshift=12, yshift=9,
                    font={"color": WRONG, "size": 11},
                )  # fmt: skip
    for r, c, o in there:
        if chosen is not None and o.key == chosen.key:
            chart.add_shape(
                type="rect", x0=c - 0.5, x1=c + 0.5, y0=r - 0.5, y1=r + 0.5,
                line={"color": WRONG, "width": 3},
            )  # fmt: skip


def sweep_lines(
    axis: str,
    lines: Sequence[tuple[str, Sequence[Outcome]]],
    figure: str,
    title: str = "",
) -> go.Figure:
    """A figure along one axis: a line for each name, with the spread over draws and seeds.

    Each point has the numbers of its line and of its outcome there, for clicks.

    >>> from sdsc_core import RunSettings
    >>> from sdsc_core.sweeping import Result
    >>> made = [Outcome(RunSettings(gamma=g), (Result(0, 0, {"acc": g / 10}),)) for g in (3, 4)]
    >>> sweep_lines("gamma", [("PCE", made)], "acc").data[0].y
    (30.0, 40.0)
    """
    scale, _ = unit(figure)
    chart = go.Figure()
    for number, (name, outcomes) in enumerate(lines):
        places = [k for k, o in enumerate(outcomes) if o.values(figure).size]
        known = [outcomes[k] for k in places]
        spread = [scale * o.spread(figure) for o in known]
        chart.add_scatter(
            x=[_place(o, axis) for o in known], y=[_shown(o.mean(figure), scale) for o in known],
            name=name, mode="lines+markers", customdata=[[number, k] for k in places],
            selected={"marker": {"opacity": 1.0}}, unselected={"marker": {"opacity": 1.0}},
            line={"color": colour(number) if len(lines) > 1 else CHOSEN},
            error_y={
                "type": "data", "array": spread, "thickness": 1, "width": 3,
                "visible": any(s > 0 for s in spread) and len(known) <= MOST_BAR,
            },
            text=[f"{describe(o.settings)}<br>{value_text(o, figure)}" for o in known],
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    chart.update_layout(
        height=380, margin={"l": 60, "r": 10, "t": 40, "b": 44}, title=title or heading(figure),
        xaxis={"title": NAMES[axis], "dtick": 1 if axis == "gamma" else None},
        yaxis={"title": heading(figure)},
        showlegend=len(lines) > 1, hovermode="closest",
    )  # fmt: skip
    return chart


def _place(outcome: Outcome, axis: str) -> Any:
    value = getattr(outcome.settings, axis)
    return value if isinstance(value, int | float) else spell_setting(value)


def _shown(value: float, scale: float) -> float | None:
    """None where there is nothing to draw: not known, or infinite."""
    return scale * value if abs(value) < float("inf") else None


def unit(figure: str) -> tuple[int, int]:
    """What a figure is multiplied by where it is shown, and its decimal places."""
    return (100, 1) if FIGURES[figure].percent else (1, 3 if figure != "components" else 1)


def heading(figure: str) -> str:
    """A figure's title with its unit.

    >>> heading("acc"), heading("conn_min")
    ('ACC (%)', 'CONN, least')
    """
    return FIGURES[figure].title + (" (%)" if FIGURES[figure].percent else "")


def value_text(outcome: Outcome, figure: str) -> str:
    """Mean and spread of a figure, with its title.

    >>> from sdsc_core import RunSettings
    >>> from sdsc_core.sweeping import Result
    >>> value_text(Outcome(RunSettings(), (Result(0, 0, {"acc": 0.5}),)), "acc")
    'ACC (%): 50.0'
    """
    n_values = len(outcome.values(figure))
    text = f"{heading(figure)}: {_mean_and_spread(outcome, figure)}"
    return text if n_values < 2 else f"{text} ({n_values} values)"


def figure_text(outcome: Outcome, figure: str) -> str:
    """Mean and spread of a figure with its unit, for a sentence that names it.

    >>> from sdsc_core import RunSettings
    >>> from sdsc_core.sweeping import Result
    >>> results = (Result(0, 0, {"acc": 0.5}), Result(1, 0, {"acc": 0.7}))
    >>> figure_text(Outcome(RunSettings(), results), "acc")
    '60.0 ± 10.0 %'
    """
    return _mean_and_spread(outcome, figure) + (" %" if FIGURES[figure].percent else "")


def _mean_and_spread(outcome: Outcome, figure: str) -> str:
    (scale, places), values = unit(figure), outcome.values(figure)
    if not values.size:
        return "not known"
    mean = f"{scale * outcome.mean(figure):.{places}f}"
    spread = f" ± {scale * outcome.spread(figure):.{places}f}" if len(values) > 1 else ""
    return mean + spread
