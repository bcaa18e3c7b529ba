"""What the Sweep screen shows: heat maps, lines with their spread, downloads."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.explore.downloads import load_lines
from pages.shared.run import preparation, source
from pages.shared.settings import keep, without_labels
from pages.shared.text import escape_markdown
from pages.sweep import taking
from pages.sweep.running import Plan
from sdsc_core import figures
from sdsc_core.datasets import Dataset
from sdsc_core.script import notebook
from sdsc_core.settings import spell_setting
from sdsc_core.sweeping import (
    AXES,
    FIGURES,
    NAMES,
    Outcome,
    axis_values,
    known_figures,
    notes,
    sweep_script,
    table,
    to_csv,
    varied,
)

BEST = "best"
MOST_LINES = 10


def choose_figure(data: Dataset, outcomes: list[Outcome]) -> tuple[str, Any]:
    """Which figure the charts show, any that is known; and the row in which that is chosen."""
    state, offered = st.session_state, known_figures(outcomes)
    without_labels("swept", "acc", "silhouette", bool(data.n_classes))
    _fit("swept", offered)
    row = st.container(horizontal=True, gap="medium")
    row.selectbox(
        "Figure", offered, key="swept", width=260, format_func=lambda f: FIGURES[f].title,
        help="  \n".join(f"**{FIGURES[f].title}**: {FIGURES[f].help}" for f in offered),
    )  # fmt: skip
    return state.swept, row


def charts(plan: Plan, outcomes: list[Outcome], figure: str, row: Any) -> None:
    """Two axes as a heat map beside lines along one; the two lines of Figure 2 by themselves."""
    if plan.grid.cross is not None:
        _two_lines(plan, outcomes, figure)
        return
    all_of_it = [Outcome(s, ()) for s in plan.settings]  # also what is still to come
    axes = varied(all_of_it)
    if not axes:
        st.info("One setting alone has no chart; its figures stand below.")
        return
    across, down, fixed = _choose_axes(all_of_it, axes, row)
    left, right = st.container(key="pair-of-charts").columns(2)
    with left:
        _heatmap(plan, outcomes, across, down, figure, fixed)
    with right:
        _lines(plan, outcomes, across, down, figure, fixed)
    rest = [NAMES[name] for name in axes if name not in (across, down, *fixed)]
    top = "best" if FIGURES[figure].better else "largest"
    said = f" Of {', '.join(rest)} each cell shows the {top}." if rest else ""
    st.caption(
        f"{FIGURES[figure].title}: {FIGURES[figure].help}.{said} ★ marks the best; bars are the"
        " standard deviation over draws and seeds. A click on a cell or point opens its setting in"
        " Explore."
    )


def warnings(outcomes: list[Outcome]) -> None:
    """Which settings have figures that are not exact."""
    if told := notes(outcomes):
        st.warning("  \n".join(map(escape_markdown, told)), icon=":material/warning:")


def _choose_axes(
    outcomes: list[Outcome], axes: list[str], row: Any
) -> tuple[str, str, dict[str, Any]]:
    """Which axis runs across and which down; the others have a value or take the best."""
    state = st.session_state
    _fit("across", axes)
    rest = [name for name in axes if name != state.across] or [_other(state.across)]
    _fit("down", rest)
    row.selectbox("Across", axes, key="across", format_func=NAMES.__getitem__, width=160)
    row.selectbox("Down", rest, key="down", format_func=NAMES.__getitem__, width=160)
    fixed = {}
    for name in axes:
        if name in (state.across, state.down):
            continue
        key, values = f"sweep at {name}", [BEST, *axis_values(outcomes, name)]
        keep(key, BEST)
        if state[key] not in values:
            state[key] = BEST
        row.selectbox(NAMES[name], values, key=key, format_func=spell_setting, width=160)
        if state[key] != BEST:
            fixed[name] = state[key]
    return state.across, state.down, fixed


def _fit(name: str, offered: list[str]) -> None:
    """A choice that is not offered gives way to the first that is; the address says neither."""
    state = st.session_state
    if state[name] not in offered:
        state[name] = state.setdefault("gave_way", {})[name] = offered[0]


def _other(axis: str) -> str:
    return next(name for name in AXES if name != axis)


def _heatmap(
    plan: Plan,
    outcomes: list[Outcome],
    across: str,
    down: str,
    figure: str,
    fixed: dict[str, Any],
) -> None:
    columns, rows, cells = table(outcomes, across, down, figure, **fixed)
    chosen = taking.choice(outcomes)
    chart = figures.sweep_heatmap((across, columns), (down, rows), cells, figure, chosen)
    key = f"sweep map {across} {down} {figure} {len(outcomes)} {sorted(fixed.items(), key=str)}"
    _clickable(
        plan, chart, key, cells, f"{FIGURES[figure].title} over {NAMES[across]} and {NAMES[down]}."
    )


def _clickable(
    plan: Plan, chart: Any, key: str, cells: Sequence[Sequence[Outcome | None]], alt: str
) -> None:
    """A chart whose points have the place of an outcome: a click takes that over into Explore."""
    st.plotly_chart(
        chart, key=key, on_select=lambda: _pick(plan, key, cells), selection_mode="points",
        config={"displayModeBar": False}, alt=alt,
    )  # fmt: skip


def _pick(plan: Plan, key: str, cells: Sequence[Sequence[Outcome | None]]) -> None:
    points = st.session_state[key]["selection"]["points"]
    place = points[0].get("customdata") if points else None
    if place:
        outcome = cells[int(place[0])][int(place[1])]
        if outcome is not None:
            taking.take(plan, outcome)


def _lines(
    plan: Plan,
    outcomes: list[Outcome],
    across: str,
    down: str,
    figure: str,
    fixed: dict[str, Any],
) -> None:
    """A line for each value that runs down; of very many only the best along them."""
    _, rows, cells = table(outcomes, across, down, figure, **fixed)
    lines = [
        (f"{NAMES[down]} {spell_setting(value)}", [o for o in row if o is not None])
        for value, row in zip(rows, cells, strict=True)
    ]
    if len(lines) > MOST_LINES:
        lines = lines[:: -(-len(lines) // MOST_LINES)]
    alt = f"{FIGURES[figure].title} along {NAMES[across]}, a line for each {NAMES[down]}."
    _line_chart(plan, across, lines, figure, "sweep lines", alt)


def _line_chart(
    plan: Plan,
    axis: str,
    lines: list[tuple[str, list[Outcome]]],
    figure: str,
    key: str,
    alt: str,
    title: str = "",
) -> None:
    chart = figures.sweep_lines(axis, lines, figure, title)
    number = sum(len(part) for _, part in lines)
    _clickable(plan, chart, f"{key} {axis} {figure} {number}", [part for _, part in lines], alt)


def _two_lines(plan: Plan, outcomes: list[Outcome], figure: str) -> None:
    """θ₁ at θ₂ = 0.6 and θ₂ at θ₁ = 0.8, a line for each Γ and reading."""
    assert plan.grid.cross is not None
    at = dict(zip(("theta1", "theta2"), plan.grid.cross, strict=True))
    spots = st.container(key="pair-of-lines").columns(2)
    for spot, axis, other in zip(spots, at, reversed(at), strict=True):
        own = [o for o in outcomes if o.settings.dense == "PCE"
               and getattr(o.settings, other) == at[other]]  # fmt: skip
        groups: dict[Any, list[Outcome]] = {}
        for o in sorted(own, key=lambda o: getattr(o.settings, axis)):
            groups.setdefault(o.settings.sparse_key(), []).append(o)
        lines = [(_name(part[0]), part) for part in groups.values()]
        title = f"{FIGURES[figure].title} by {NAMES[axis]} at {NAMES[other]} = {at[other]:g}"
        with spot:
            _line_chart(plan, axis, lines, figure, "sweep line", title, title)
    st.caption(
        "Bars are the standard deviation over draws and seeds, as in the paper's Figure 2. A click"
        " on a point opens its setting in Explore."
    )


def _name(outcome: Outcome) -> str:
    s = outcome.settings
    return f"Γ {s.gamma}, {s.residual}, {s.similarity}".replace("_", " ")


def downloads(plan: Plan, outcomes: list[Outcome]) -> None:
    """Every result as CSV, and the sweep as a script and as a notebook."""
    state = st.session_state
    load = load_lines(state.data, state.get("read_as", {}))
    steps = preparation(source(state.data))
    script = sweep_script(
        plan.grid, steps, load=load, n_clusters=plan.n_clusters, draws=len(plan.draws),
        seeds=plan.seeds, criteria=plan.criteria,
    )  # fmt: skip
    files = [
        ("Results (.csv)", "sweep.csv", "text/csv", to_csv(outcomes)),
        ("Python script", "sweep.py", "text/x-python", script),
        ("Notebook (.ipynb)", "sweep.ipynb", "application/x-ipynb+json", notebook(script)),
    ]
    row = st.container(horizontal=True)
    for title, name, mime, text in files:
        row.download_button(title, text, name, mime, key=f"download {name}", on_click="ignore")
