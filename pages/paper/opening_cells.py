"""From a cell of a table to Explore or Compare in just that state."""

from typing import Any

import streamlit as st

from pages.compare.choosing import take_parameters
from pages.shared import loading
from pages.shared.settings import METHOD, PREPARE, apply, defaults, go_to
from pages.shared.text import escape_markdown
from sdsc_core import RunSettings
from sdsc_core.datasets import known_file, missing_sentence, named
from sdsc_core.experiments import EXPERIMENTS, Options, beside
from sdsc_core.methods import METHODS

FRESH = (*METHOD, *PREPARE, "clusters", "k", "order", "point", "pair")


def open_cell(
    name: str, place: int | str, method: str, stage: str, more: dict[str, Any] | None = None
) -> None:
    """IMC opens in Explore, any other method in Compare; what is missing is said instead."""
    state = beside.state(name, place)
    assert state is not None
    if problem := _missing(state["data"]):
        _say(problem)
    else:
        apply(defaults(*FRESH) | state | _method(name, method, stage) | (more or {}))
        st.session_state.pop("preset_words", None)  # a preset's words are about its own data
        go_to("pages/explore/page.py" if method == "IMC" else "pages/compare/page.py")


def _missing(data: str) -> str:
    """What to get where the data is not here, or nothing."""
    if loading.present(data):
        return ""
    if found := named(data):
        return found.missing()
    return "" if known_file(data) else missing_sentence(data)


def _method(name: str, method: str, stage: str) -> dict[str, Any]:
    """The settings of the method: those of the experiment, whatever was chosen before."""
    params = EXPERIMENTS[name].params(Options(), method)
    if method != "IMC":
        take_parameters(method, METHODS[method].settings(**params), EXPERIMENTS[name].kind)
        stages = ["none"] if stage == "none" else ["none", stage]
        return {"methods": [method], "stages": stages, "repeats": 1}
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
