"""What screens begin with: a run (Explore, Inspect, Step through), or data (Compare, Sweep)."""

from typing import Any

import streamlit as st

from pages.keep import entries
from pages.shared import loading, sidebar
from pages.shared.run import current_data, show_or_last
from pages.shared.settings import defaults, go_to, in_exercise
from pages.shared.stop import compute_button, stopped
from pages.shared.text import escape_markdown
from sdsc_core.datasets import Dataset
from sdsc_core.run import Run

LAST = "The last result is shown."


def present_run(spot: Any) -> Run:
    """The whole sidebar, then the run that it asks for; without any the page ends here.

    Where it cannot be computed, one sentence says why above the last good one.
    """
    sidebar.choose_data()
    need_data()
    sidebar.presets()
    data = current_data(spot)
    sidebar.clusters(data)
    sidebar.method(data)
    run, problem = show_or_last(data, spot)
    if problem:
        explain_problem(problem, of_last=run is not None)
    if run is None:
        st.stop()
    if not problem:
        entries.note(run)
    return run


def present_data(spot: Any) -> Dataset:
    """The chosen data, prepared, with its part of the sidebar; without any the page ends here."""
    sidebar.choose_data()
    need_data()
    data = current_data(spot)
    if st.session_state.unprepared:
        explain_problem(st.session_state.unprepared)
        st.stop()
    return data


def explain_problem(problem: str, of_last: bool = False) -> None:
    """One sentence on what is wrong; what was there stays, and ``of_last`` says so."""
    said = f" {LAST}" if of_last and LAST[:-1] not in problem else ""
    st.warning(f"{problem}{said}", icon=":material/info:")
    if stopped(problem):
        compute_button("again")


def need_data() -> None:
    """Where the address names data that is not here, the page says so and ends."""
    if loading.present(st.session_state.data):
        return
    if in_exercise():
        st.warning(
            "The data set of this exercise is not on this server; ask whoever gave you the address."
        )
        st.stop()
    name, sample = escape_markdown(loading.title(st.session_state.data)), defaults("data")["data"]
    why = loading.unrestored(st.session_state.data)
    again = (
        f"“{name}” must be loaded again: a file stays on the server only while the tab in which it"
        " was loaded is open and not reloaded. Load it on the Data screen, and all settings of the"
        " address apply to it; how a table's columns are read is chosen anew. Or go on with a"
        " sample."
    )
    waits = escape_markdown(loading.pending())
    if waits:
        again = f"“{waits}” is not in use yet: the Data screen says why, or asks how to read it."
    st.warning(escape_markdown(why) or again, icon=":material/upload_file:")
    row = st.container(horizontal=True)
    asked = "Choose other data" if why else "Load it on the Data screen"
    if row.button("Go on on the Data screen" if waits else asked, type="primary", key="load again"):
        st.session_state.pop("first_source", None)  # that screen begins where it can be loaded
        go_to("pages/data/page.py")
    row.button(
        f"Use the sample “{loading.title(sample)}”", on_click=loading.use, args=(sample,),
        key="use sample",
    )  # fmt: skip
    st.stop()
