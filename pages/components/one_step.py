"""One step of Back for a change of screen that changes settings too."""

import streamlit as st

from pages.components.canvas import source

_mount = st.components.v2.component("sdsc_one_step", js=source("one_step.js"))


def one_step() -> None:
    """Let the browser join the two entries that Streamlit makes of it; nothing is shown."""
    with st.container(key="one-step"):
        _mount(key="one step")
