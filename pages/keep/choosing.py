"""Points that are selected on a screen, and going on with them alone or without them.

To go on is a step of the preparation: the setting ``only`` holds the row numbers of the points that
stay, so that address, script and session file hold it, Back undoes it, and every screen follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.shared.settings import apply, chosen_rows, locked, rebuild, shorten_rows
from sdsc_core.datasets import spell_rows
from sdsc_core.run import Run

FEWEST = 3  # points that can still be clustered in a way worth looking at


@dataclass(frozen=True)
class Selection:
    """Some points of a data set, ascending, and in words how they were chosen."""

    digest: str
    points: NDArray[np.int64]
    how: str


def take(run: Run, points: Sequence[int], how: str) -> None:
    """Make these points of a run the selection, and open its tab; for callbacks."""
    chosen = np.unique(np.asarray(points, np.int64))
    chosen = chosen[(chosen >= 0) & (chosen < run.data.n_points)]
    st.session_state.selection = Selection(run.data.digest, chosen, how)
    st.session_state.more = "Selection"


def current(run: Run) -> Selection | None:
    """The selection, where it is one of this data and not empty."""
    kept: Selection | None = st.session_state.get("selection")
    if kept is None or kept.digest != run.data.digest or not len(kept.points):
        return None
    return kept


def clear() -> None:
    """Nothing is selected; for callbacks."""
    st.session_state.pop("selection", None)


def go_on(run: Run, points: NDArray[np.int64], without: bool = False) -> None:
    """Keep only these points of the data, or all others; for callbacks."""
    rebuild()
    state = st.session_state
    stays = np.zeros(run.data.n_points, bool)
    stays[points] = True
    only = shorten_rows(spell_rows(run.data.row_numbers[stays != without]))
    state.setdefault("only_before", {})[only] = state.only
    _set(only)


def undo() -> None:
    """The points as they were before the last step; all where nobody knows; for callbacks."""
    rebuild()
    state = st.session_state
    _set(state.get("only_before", {}).get(state.only, ""))


def _set(only: str) -> None:
    clear()
    apply({"only": only, "point": -1, "pair": None})  # numbers of points mean others now


def may_go_on(run: Run, n: int) -> bool:
    """Whether going on with n points makes sense and is allowed here."""
    return FEWEST <= n < run.data.n_points and not (locked("only") or st.session_state.hide)


def notice() -> None:
    """Where points were chosen: a line that says so, and what the address can hold of it."""
    state = st.session_state
    if not state.only or state.hide:
        return
    if state.only.startswith("~") and chosen_rows(state) is None:
        st.warning(
            "The address speaks of points that were selected, too many for an address to hold:"
            " all points are used. The session file of whoever selected them has them.",
            icon=":material/link_off:",
        )
    row = st.container(key="only", horizontal=True, vertical_alignment="center")
    if chosen_rows(state) is None:
        row.button("Go on with all points", on_click=undo, disabled=locked("only"))
        return
    words = "Only **selected points** are used."
    if state.only.startswith("~"):
        words += (
            " They are too many for the address, which holds all else: to hand them on, download"
            " the session file."
        )
    row.markdown(words)
    row.button(
        "Undo the selection", on_click=undo, disabled=locked("only"), icon=":material/undo:",
        help="Back to the points as they were before; the browser's Back does so too.",
    )  # fmt: skip
