"""W and W* on one colour scale, or what the dense stage changed; the marked pair below them."""

from functools import partial
from typing import Any

import streamlit as st

from pages.components.matrix import matrix
from pages.explore import pinned
from pages.keep import choosing
from pages.shared.matrix_view import matrix_view, view_controls
from pages.shared.projector import projecting
from pages.shared.settings import go_to
from pages.shared.text import escape_markdown
from sdsc_core.run import Run


def show(run: Run) -> None:
    """W and W* on one colour scale, or what the dense stage changed and why."""
    # Shown to a room or on a tour, the picture comes before its controls.
    picture = st.container() if projecting() or st.session_state.tour else None
    row = st.container(horizontal=True, vertical_alignment="bottom")
    view_controls(run, row)
    with row:
        pinned.buttons()
    with picture or st.container():
        matrix(
            matrix_view(run),
            key="matrix",
            on_pair=_choose,
            on_block=partial(
                choosing.take, run, how="in rows and columns of a block of the matrix"
            ),
        )
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
    _ways_to_why(run, row, some)
    row.button("Unmark", on_click=_unmark, disabled=not some)


def _ways_to_why(run: Run, row: Any, some: bool) -> None:
    """One step from an entry to what made it; they are always there, so that nothing jumps."""
    pair = some and st.session_state.pair
    if row.button(
        "Why?", disabled=not some, key="why",
        help="Step through what made this entry, or the links of this point.",
    ):  # fmt: skip
        st.session_state.step = "pair" if pair else "point"
        go_to("pages/step/page.py")
    if row.button(
        "Inspect", disabled=not pair or run.settings.dense is None, key="inspect pair",
        help="This pair among all that the dense stage changed.",
    ):  # fmt: skip
        go_to("pages/inspect/page.py")


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
