"""W and W* on one colour scale, or what the dense stage changed; the marked pair below them."""

import streamlit as st

from pages.components.matrix import matrix
from pages.explore import pinned
from pages.shared.matrix_view import matrix_view, view_controls
from pages.shared.projector import projecting
from pages.shared.text import escape_markdown
from sdsc_core.run import Run


def show(run: Run) -> None:
    """W and W* on one colour scale, or what the dense stage changed and why."""
    # Shown to a room or on a tour, the picture comes before its controls.
    picture = st.container() if projecting() or st.session_state.tour else None
    row = st.container(horizontal=True, vertical_alignment="bottom")
    view_controls(run, row)
    with row:
        pinned.buttons(run)
    with picture or st.container():
        matrix(matrix_view(run), key="matrix", on_pair=_choose)
    marked(run)
    pinned.matrices(run)


def marked(run: Run) -> None:
    """The pair or point marked in every view; the line is always there, so that nothing jumps."""
    state = st.session_state
    some = 0 <= state.point < run.data.n_points
    if not some:
        state.pair = None
    row = st.container(key="chosen", horizontal=True, vertical_alignment="center")
    row.markdown(_marked_words(run) if some else ":gray[No point is marked.]")
    row.button("Unmark", on_click=_unmark, disabled=not some)


def _marked_words(run: Run) -> str:
    point, pair = st.session_state.point, st.session_state.get("pair")
    if not pair or max(pair) >= run.data.n_points:
        return f"Point {point}{_class_of(run, point)} is marked in every view."
    i, j = pair
    w, star = run.before.W[i, j], run.after.W[i, j]
    return (
        f"Pair i = {i}{_class_of(run, i)}, j = {j}{_class_of(run, j)}:"
        f" w = {w:.4f}, w* = {star:.4f}."
    )


def _choose(i: int, j: int) -> None:
    st.session_state.pair, st.session_state.point = (i, j), i


def _unmark() -> None:
    st.session_state.point, st.session_state.pair = -1, None


def _class_of(run: Run, i: int) -> str:
    return (
        ""
        if run.data.labels is None
        else f" ({escape_markdown(run.data.class_names[run.data.labels[i]])})"
    )
