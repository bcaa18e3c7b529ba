"""From a cell of a table to Explore or Compare in just that state."""

from typing import Any

import streamlit as st

from pages.shared import loading
from pages.shared.settings import METHOD, PREPARE, apply, defaults, go_to
from pages.shared.text import escape_markdown
from sdsc_core import RunSettings
from sdsc_core.datasets import SAMPLES, known_file, missing_sentence
from sdsc_core.experiments import EXPERIMENTS, Options, beside

NO_ADDRESS = (
    "No screen holds just this cell: of the synthetic data the app has the 600 points of the first"
    " draw as a sample."
)
FRESH = (*METHOD, *PREPARE, "clusters", "k", "order", "point", "pair")


def open_cell(name: str, place: int | str, method: str, stage: str) -> None:
    """IMC opens in Explore, any other method in Compare; what is missing is said instead."""
    state = beside.state(name, place)
    if state is None:
        _say(NO_ADDRESS)
    elif not _present(state["data"]):
        _say(missing_sentence(state["data"]))
    else:
        apply(defaults(*FRESH) | state | _method(name, method, stage))
        go_to("pages/explore/page.py" if method == "IMC" else "pages/compare/page.py")


def _present(data: str) -> bool:
    return data in SAMPLES or loading.present(data) or known_file(data) is not None


def _method(name: str, method: str, stage: str) -> dict[str, Any]:
    """The settings of the method; Compare takes the preset for such data by itself."""
    if method != "IMC":
        stages = ["none"] if stage == "none" else ["none", stage]
        return {"methods": [method], "stages": stages, "repeats": 1}
    params = EXPERIMENTS[name].params(Options(), "IMC")
    run = RunSettings.of_method("IMC", params, dense=None if stage == "none" else stage)
    own = {"gamma": run.gamma, "residual": run.residual, "similarity": run.similarity}
    return own | {"dense": stage, "theta1": run.theta1, "theta2": run.theta2}


def _say(sentence: str) -> None:
    st.session_state.paper_note = sentence
    st.rerun()


def show_note() -> None:
    """Why the cell that was clicked is not opened."""
    if note := st.session_state.pop("paper_note", ""):
        st.warning(escape_markdown(note), icon=":material/upload_file:")
