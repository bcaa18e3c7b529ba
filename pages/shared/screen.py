"""What Explore, Inspect and Step through begin with."""

from typing import Any

import streamlit as st

from pages.shared import panels, sidebar, stages


def present_run(spot: Any) -> stages.Run:
    """The whole sidebar, then the run that it asks for; without any the page ends here.

    Where it cannot be computed, one sentence says why above the last good one.
    """
    sidebar.choose_data()
    sidebar.presets()
    data = stages.current_data()
    sidebar.clusters(data)
    sidebar.method(data)
    run, problem = stages.show_or_last(data, spot)
    if problem:
        panels.explain_problem(problem)
    if run is None:
        st.stop()
    return run
