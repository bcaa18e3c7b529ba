"""Exercises: an address that hides the answers and locks controls."""

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.shared.settings import BEYOND, PREPARE, SETTINGS, in_exercise, query
from sdsc_core.datasets import KNOWN, SAMPLES, Dataset

LOCKS = {
    "Data set": ("data", *PREPARE),
    "Clusters n": ("clusters", "k"),
    "Γ": ("gamma",),
    "Dense stage": ("dense",),
    "θ₁, θ₂, θ₃": ("theta1", "theta2", "theta3"),
    "Parameters of other stages": BEYOND,
    "Residual and similarity": ("residual", "similarity"),
    "Seed": ("seed",),
}
# What a student sees should not depend on where the teacher was looking.
FRESH = ("point", "pair", "tour", "sheet", "groups", "conditions", "cluster")


def show_notice() -> None:
    """In an exercise, a line in the sidebar that says what is hidden and locked."""
    if not in_exercise():
        return
    parts = ["The true classes and what follows from them are hidden."] * st.session_state.hide
    held = [title for title, names in LOCKS.items() if set(names) & set(st.session_state.lock)]
    if held:
        parts.append(f"Locked: {', '.join(held)}.")
    st.sidebar.info("**Exercise.** " + " ".join(parts), icon=":material/school:")


def make(data: Dataset) -> None:
    """The sidebar's control that makes an exercise of what is on the screen."""
    if in_exercise():
        return
    with st.sidebar.popover("Make an exercise", width="stretch", icon=":material/school:"):
        st.markdown(
            "An address that opens the app as it is now, with answers hidden or controls locked."
            " It cannot be undone from the page."
        )
        if st.session_state.data not in (*SAMPLES, *KNOWN):
            st.info("Your students' app must find the data by itself: choose a sample first.")
            return
        hide = st.checkbox("Hide the classes, ACC and NMI", value=True, key="exercise hide")
        tell = False
        if hide and data.n_classes:
            tell = st.checkbox(f"Tell the number of classes, {data.n_classes}", key="exercise tell")
        held = st.multiselect(
            "Lock", LOCKS, ["Data set"], key="exercise lock", placeholder="nothing"
        )
        lock = [name for title in held for name in LOCKS[title]]
        link = address(hide, lock, data.n_classes if tell else 0)
        st.code(link, language=None, wrap_lines=True)
        st.caption("Copy it by the button at its right and send it to your students.")
        st.link_button("Try it in a new tab", link, icon=":material/open_in_new:")


def address(hide: bool, lock: list[str], k: int = 0) -> str:
    """The full address of an exercise on the present settings; ``k`` tells a number of clusters."""
    values: dict[str, Any] = {name: st.session_state[name] for name in SETTINGS}
    values |= {name: SETTINGS[name].default for name in FRESH}
    values |= {"hide": hide, "lock": lock}
    if k:
        values |= {"clusters": "own", "k": k}
    changed = query(values)
    url = (st.context.url or "").split("?")[0].rstrip("/")
    url += "/" * (url.count("/") == 2)  # host alone
    return f"{url}?{urlencode(changed)}" if changed else url
