"""Tables 2 to 4: ours beside the printed, cell by cell; a click opens the cell's first draw."""

import streamlit as st

from pages.components.cells import cells
from pages.paper.opening_cells import open_cell, show_note
from pages.paper.parts import missing, origin, title
from pages.shared.settings import PAPER_PARTS
from pages.shared.text import escape_markdown
from sdsc_core.compare import TITLES
from sdsc_core.experiments import beside, shipped
from sdsc_core.experiments.beside import Grid
from sdsc_core.experiments.readings import confirmed
from sdsc_core.experiments.readings.standing import against_tables
from sdsc_core.experiments.running import DEVIATION, MEAN, STATISTICS

SAMPLES = (500, 1000, 2000, 3000)
FIGURES = ("acc", "nmi", "conn")


def show(name: str) -> None:
    """One of the tables."""
    st.subheader(title(name), anchor=False)
    results = shipped(name)
    if results is None:
        missing(name)
        return
    place = 500
    if name == "table2":
        st.segmented_control("Of the draws", STATISTICS, key="statistic", required=True)
        statistic = st.session_state.statistic
        grid = beside.by_place(name, results.rows, "acc", statistic)
        what = f"ACC (%), {statistic} over the draws"
    else:
        row = st.container(horizontal=True, gap="medium")
        if name == "table3":
            row.segmented_control("Samples", SAMPLES, key="samples", required=True)
            place = st.session_state.samples
        if st.session_state.measure not in FIGURES:  # Figure 1 has time too
            st.session_state.measure = FIGURES[0]
        row.segmented_control(
            "Measure", FIGURES, key="measure", format_func=TITLES.__getitem__, required=True
        )
        figure = st.session_state.measure
        grid = beside.by_stage(name, results.rows, place, figure)
        what = f"{TITLES[figure]}{' (%)' if figure != 'conn' else ''}, {place:,} samples"
    corner = "method / subjects" if name == "table2" else "method / dense stage"
    clicked = cells(grid, corner, f"{what}, ours beside the paper's", f"cells {name}")
    st.caption(f"{what}: {_legend(grid, st.session_state.statistic if name == 'table2' else MEAN)}")
    _best_setting(name)
    origin(results, name)
    show_note()
    if clicked is not None:
        line, column = clicked
        if name == "table2":
            method, stage = ("IMC", "PCE") if line == "IMC-P" else (line, "none")
            open_cell(name, int(column.replace(",", "")), method, stage)
        else:
            open_cell(name, place, line, column)


def _best_setting(name: str) -> None:
    """Where IMC's best documented setting, which is not the one above, reaches the paper."""
    study = shipped("readings")
    said = against_tables(confirmed(study.rows)) if study else {}
    if text := said.get(PAPER_PARTS[name]):
        st.markdown(escape_markdown(text))


def _legend(grid: Grid, statistic: str) -> str:
    """What a cell shows; a spread is neither reached nor missed, so it has no more than that."""
    if statistic == DEVIATION:
        return "ours, below it the paper's and the difference."
    ours = "ours ± standard error of the mean" if statistic == MEAN else "ours"
    return (
        f"{ours}, below it the paper's and the difference, in colour where it is more than two"
        f" standard errors of the mean. {_reached(grid)}"
    )


def _reached(grid: Grid) -> str:
    """How many of the printed figures ours reach."""
    gaps = [c.difference for c in grid.cells.values() if c.difference is not None]
    printed = sum(c.paper is not None for c in grid.cells.values())
    if not printed:
        return "The paper prints none of these."
    missing = printed - len(gaps)
    text = f"Ours reach {sum(g >= 0 for g in gaps)} of {len(gaps)} printed figures"
    return f"{text}, {missing} are not measured." if missing else f"{text}."
