"""What lies around a pair: its neighbours as a graph, and its place in W and W*."""

import streamlit as st

from pages.components.matrix import matrix
from pages.shared.groups import groups
from pages.shared.matrix_view import matrix_view, view_controls
from sdsc_core import Explanation, figures
from sdsc_core.run import Run


def show(run: Run, found: Explanation) -> None:
    """What lies around the pair in W and W*."""
    by = groups(run)
    strong = run.settings.theta2 if run.settings.dense == "PCE" else 0.0
    figure = figures.neighbourhood(
        run.before.W, run.after.W, (found.i, found.j), found.witness, by.of, by.names, strong=strong
    )
    st.plotly_chart(
        figure, key="neighbourhood",
        alt=f"Graph of the points around i = {found.i} and j = {found.j}, coloured by {by.one};"
        " links that the dense stage raised are dashed, those that it lowered dotted and dashed.",
    )  # fmt: skip


def marked(run: Run, found: Explanation) -> None:
    """The pair in W and W*, and in thin boxes the two links it came by; a click chooses another."""
    k = found.witness
    pairs = [(found.i, found.j)] + ([(found.i, k), (k, found.j)] if k >= 0 else [])
    row = st.container(horizontal=True, gap="medium")
    view_controls(run, row)
    drawn = matrix(matrix_view(run, "inspected", pairs=tuple(pairs)), key="inspected")
    if drawn.pair:
        state = st.session_state
        state.pair, state.point = tuple(drawn.pair), drawn.pair[0]
        state.picked_elsewhere = state.get("picked_elsewhere", 0) + 1
        st.rerun()
