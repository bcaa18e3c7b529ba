"""How points fit: distances to the own and to the next subspace, and the worst of them."""

import numpy as np
import streamlit as st

from pages.shared.settings import go_to, keep, rebuild
from pages.shared.text import counted, escape_markdown
from sdsc_core import Subspaces
from sdsc_core.figures import fitted
from sdsc_core.fitted import strongest_link
from sdsc_core.run import Run

FIRST = 10  # points of the list at a time


def chart(found: Subspaces) -> None:
    """Own against next distance; a click marks a point."""
    if len(found.each) < 2:
        st.info("There is one cluster alone, so there is no next subspace.")
        return
    shown = len(fitted.shown_points(found))
    st.plotly_chart(
        fitted.distances(found, st.session_state.point), key="distances", on_select=_mark,
        selection_mode="points",
        alt=f"Distance of {shown} points to their own subspace and to the next one;"
        f" {int((found.misfit > 1).sum())} lie nearer to the next.",
    )  # fmt: skip
    if shown < len(found.labels):
        st.caption(f"{shown:,} of {len(found.labels):,} points are drawn, the worst among them.")


def _mark() -> None:
    rebuild()
    chosen = st.session_state["distances"]["selection"]["points"]
    marks = [p["customdata"] for p in chosen if p.get("customdata") is not None]
    if marks:
        st.session_state.point, st.session_state.pair = int(np.ravel(marks[0])[0]), None


def worst(run: Run, found: Subspaces) -> None:
    """The marked point, then those that fit worst, each one click from where it is explained."""
    state = st.session_state
    st.markdown(
        "**Points that fit worst**",
        help="By the distance to the own over that to the next subspace: above 1 the next is"
        " nearer.",
    )
    keep("worst of cluster", False)
    own_only = st.toggle("Of the chosen cluster alone", key="worst of cluster")
    order = found.worst(len(found.labels), state.cluster if own_only else None)
    most = max(1, -(-len(order) // FIRST))
    page = 1
    if 0 <= state.point < run.data.n_points:
        with st.container(border=True):
            _line(run, found, state.point, "marked ")
    if most > 1:
        page = st.number_input(
            f"Page, 1 to {most:,}", 1, most, key=f"worst page {own_only}", width=160
        )
    for i in order[(page - 1) * FIRST : page * FIRST]:
        _line(run, found, int(i))
    st.caption(
        f"{counted(len(order), 'point')}, the worst fit first. *Step through* shows how the point"
        " found its partners, *Inspect* why its strongest link with the next cluster is what it is"
        " (with its own where there is none)."
    )


def _line(run: Run, found: Subspaces, i: int, what: str = "") -> None:
    row = st.container(horizontal=True, vertical_alignment="center", key=f"worst {what}{i}")
    images = run.data.images
    if images is not None:
        row.image(images[i], width=44, alt=f"Picture of point {i}")
    row.markdown(words(run, found, i), width=560)
    state, no_stage = st.session_state, run.settings.dense is None
    if row.button("Step through", key=f"step {what}{i}"):
        state.point, state.pair, state.step = i, None, "point"
        go_to("pages/step/page.py")
    if row.button("Inspect", key=f"inspect {what}{i}", disabled=no_stage):
        j = strongest_link(run.after.W, i, found.labels == found.points.other[i])
        state.point, state.pair = i, (i, j) if j >= 0 else None
        go_to("pages/inspect/page.py")


def words(run: Run, found: Subspaces, i: int) -> str:
    """What is known of a point, and how it fits."""
    data, points = run.data, found.points
    known: list[str] = [f"row {data.row_numbers[i]}"]
    if data.identifiers is not None:
        known.append(escape_markdown(str(data.identifiers[i])))
    if data.labels is not None:
        known.append(f"class {escape_markdown(data.class_names[data.labels[i]])}")
    text = f"**Point {i}** ({', '.join(known)}): cluster {found.names[found.labels[i]]},"
    text += f" own {points.own[i]:.4g}"
    if points.other[i] < 0:
        return f"{text}."
    other = found.names[points.other[i]]
    return f"{text}, next {points.next[i]:.4g} (cluster {other}), ratio {found.misfit[i]:.2f}."
