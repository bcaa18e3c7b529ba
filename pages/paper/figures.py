"""Figures 1 to 4, the ratio Q and Hopkins155: charts like the paper's, and their figures."""

import streamlit as st

from pages.components.cells import cells
from pages.paper import sequences
from pages.paper.opening_cells import open_cell, show_note
from pages.paper.parts import missing, origin, title
from sdsc_core.compare import TITLES
from sdsc_core.experiments import EXPERIMENTS, Results, beside, shipped
from sdsc_core.experiments import hopkins as motions
from sdsc_core.experiments.printed import BEST_THETA, FASTER, HOPKINS
from sdsc_core.experiments.shipping import picture

OF_FIGURE_1 = ("acc", "nmi", "conn", "seconds")
SAID = {
    "figure1": "The paper has no numbers here, but says: IMC is "
    + " and ".join(f"{f:,.0f} times as fast as {m} at {n:,} points" for m, (n, f) in FASTER.items())
    + "; for few points SSC is more accurate, for many IMC.",
    "figure2": "The paper says that θ₁ = {theta1} and θ₂ = {theta2} are best.".format(**BEST_THETA),
    "figure3": "The paper says: SSSC takes longest and LSR least; IMC is faster than most, IMC-P"
    " faster than SSSC and BDR.",
    "figure4": "The paper shows both matrices, and says that entries inside classes become many,"
    " while those between increase little.",
    "qratio": "Eq. 13 predicts Q from the number of entries alone; the paper says that Q is below 1"
    " and τ about zero.",
    "hopkins": "Beyond the paper: tracks of points on two or three rigid motions, the usual test of"
    " these methods on affine subspaces.",
}


def show(name: str) -> None:
    """One of the figures, or the ratio."""
    st.subheader(title(name), anchor=False)
    st.caption(SAID[name])
    results = shipped(name)
    if results is None:
        missing(name)
        return
    if name == "figure4":
        _pictures()
    charts = list(EXPERIMENTS[name].charts(results.rows).items())
    for k, (part, chart) in enumerate(charts):
        if k % 2 == 0:
            columns = st.columns(2) if len(charts) > 1 else [st.container()]
        with columns[k % 2]:
            st.plotly_chart(chart.to_figure(), key=f"{name} {part}", alt=chart.title)
    if name in ("figure1", "figure3"):
        _by_size(name, results)
    elif name == "hopkins":
        _by_motions(results)
    else:
        _by_row(name, results)
    origin(results, name)
    show_note()


def _pictures() -> None:
    columns = st.columns(2)
    for column, part, text in zip(columns, ("W", "W_star"), ("W by IMC", "W* by PCE"), strict=True):
        if drawn := picture("figure4", part):
            column.image(drawn, caption=text, width="stretch", alt=f"{text}, dark where it is high")


def _by_size(name: str, results: Results) -> None:
    """Methods by the number of points or subjects; what is too slow is marked."""
    figure = "seconds"
    if name == "figure1":
        st.segmented_control(
            "Measure", OF_FIGURE_1, key="measure", format_func=TITLES.__getitem__, required=True
        )
        figure = st.session_state.measure
    grid = beside.by_place(name, results.rows, figure)
    label = f"{TITLES[figure]} by {EXPERIMENTS[name].where}"
    clicked = cells(grid, f"method / {EXPERIMENTS[name].where}", label, f"cells {name}")
    st.caption(f"{label}: mean ± standard error over the draws.")
    if clicked is not None:
        line, column = clicked
        method, stage = ("IMC", "PCE") if line == "IMC-P" else (line, "none")
        of = "table2" if name == "figure3" else name  # the same draws
        open_cell(of, int(column.replace(",", "")), method, stage)


def _by_row(name: str, results: Results) -> None:
    """Each figure of each set, or of each value that is tried."""
    grid = beside.by_figure(name, results.rows)
    corner = "threshold" if name == "figure2" else EXPERIMENTS[name].where
    clicked = cells(grid, corner, title(name), f"cells {name}")
    st.caption("Mean ± standard error over the draws.")
    if clicked is not None:
        row = beside.by_line(results.rows)[clicked[0]][0]
        open_cell(name, row.where, "IMC", "PCE", beside.chosen(name, row))


def _by_motions(results: Results) -> None:
    """Clustering error by the number of motions, beside what authors published."""
    grid = beside.by_motions(results.rows)
    left, right = st.columns(2, gap="medium")
    with left:
        clicked = cells(grid, "method", "Clustering error of Hopkins155", "cells hopkins")
    counts = [len({r.where for r in results.rows if r.figures["motions"] == n})
              for n in motions.MOTIONS]  # fmt: skip
    by = dict.fromkeys(who for *_, who in HOPKINS.values())
    st.caption(
        f"Mean clustering error (%), less is better, ± standard error over {counts[0]} sequences"
        f" with two motions and {counts[1]} with three, each method with its preset for motion;"
        f" below it what {', '.join(by)} published and the difference, in colour where it is more"
        " than two standard errors."
    )
    with right:
        if clicked is not None:
            sequences.choose(*clicked)
        sequences.show(results)
