"""Projector mode, for the back row: larger text, no header, the matrices first."""

from pathlib import Path
from typing import Literal

import streamlit as st

from pages.shared.settings import apply


def projecting() -> bool:
    """Whether the page is shown to a room."""
    return bool(st.session_state.get("projector", st.query_params.get("projector") == "1"))


def sidebar() -> Literal["collapsed", "auto"]:
    """How the sidebar begins: in projector mode the room is for what is shown."""
    return "collapsed" if projecting() else "auto"


def switch() -> None:
    """One click turns it on, in the sidebar, and one off, at the top of the page.

    Either way what stands below keeps its place; see `opening`.
    """
    if not projecting():
        st.empty()
        st.sidebar.button(
            "Projector mode", key="projector on", on_click=apply, args=({"projector": True},),
            width="stretch", icon=":material/present_to_all:",
            help="Larger text, no header, the matrices first; in the address, so that it can be"
            " kept as a bookmark.",
        )  # fmt: skip
        return
    st.html(Path(__file__).with_name("projector.css"))
    st.button(
        "Leave projector mode", key="projector off", on_click=apply, args=({"projector": False},),
        icon=":material/close:", type="tertiary",
    )  # fmt: skip
