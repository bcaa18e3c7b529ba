"""The sidebar's control that makes an exercise of what is on the screen."""

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.exercise.sealing import Exercise, fresh_salt, lasting, seal
from pages.shared.settings import BEYOND, METHOD, PREPARE, SETTINGS, in_exercise, query, spell
from sdsc_core.datasets import KNOWN, SAMPLES, Dataset, named

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
FRESH = ("point", "pair", "tour", "sheet", "groups", "conditions", "projector", "exercise",
         "cluster")  # fmt: skip


def make(data: Dataset) -> None:
    """The sidebar's control that makes an exercise of what is on the screen."""
    if in_exercise():
        return
    with st.sidebar.popover("Make an exercise", width="stretch", icon=":material/school:"):
        st.markdown(
            "An address that opens the app as it is now, with answers hidden or controls locked."
            " It is sealed: only this server can read it, and nothing in it can be changed."
        )
        if st.session_state.data not in (*SAMPLES, *KNOWN) and not named(st.session_state.data):
            st.info("Your students' app must find the data by itself: choose a sample first.")
            return
        if st.session_state.only.startswith("~"):  # a name that this session alone knows
            st.info(
                "The selected points are too many for an address: go on with fewer of them, or with"
                " a draw of samples on the Data screen."
            )
            return
        hide = st.checkbox("Hide the classes, ACC and NMI", value=True, key="exercise hide")
        tell = False
        if hide and data.n_classes:
            tell = st.checkbox(f"Tell the number of classes, {data.n_classes}", key="exercise tell")
        held = st.multiselect(
            "Lock", LOCKS, ["Data set"], key="exercise lock", placeholder="nothing"
        )
        asked = _question()
        lock = [name for title in held for name in LOCKS[title]]
        values = chosen(hide, lock, data.n_classes if tell else 0)
        wanted = (values, asked)
        if st.button("Make the address", type="primary", key="exercise make"):
            sealed = seal(Exercise(values, *asked, salt=fresh_salt()))
            st.session_state.exercise_made = (wanted, address(sealed))
        _show_address(wanted)


def _question() -> tuple[str, str, str]:
    """A question, its answer, and what to say to who finds it."""
    question = st.text_area(
        "Question", key="exercise question", max_chars=1000, height=68,
        placeholder="none", help="Your students read it above every screen.",
    )  # fmt: skip
    if not question:
        return "", "", ""
    answer = st.text_input(
        "Answer", key="exercise answer", max_chars=200, placeholder="none: it is not checked",
        help="The server checks it; it never goes to a browser. Several right answers: put a"
        " semicolon between them. A decimal number is right where it rounds to yours; 0.8 to 0.9"
        " is a range.",
    )  # fmt: skip
    praise = st.text_area(
        "Said after the right answer", key="exercise praise", max_chars=1000, height=68,
        placeholder="nothing",
    )  # fmt: skip
    return question, answer, praise


def _show_address(wanted: Any) -> None:
    made, link = st.session_state.get("exercise_made", (None, ""))
    if made != wanted:
        return
    st.code(link, language=None, wrap_lines=True)
    st.caption(
        "Copy it by the button at its right and send it to your students. It hides what it says;"
        " but the samples come with the app, so whoever knows which one it is can open it without"
        " your address."
    )
    if not lasting():
        st.caption("This server cannot keep its key: the address holds until it is restarted.")
    st.link_button("Try it in a new tab", link, icon=":material/open_in_new:")


def chosen(hide: bool, lock: list[str], k: int = 0) -> dict[str, str]:
    """The present settings as an exercise holds them; ``k`` tells a number of clusters."""
    state = st.session_state.to_dict()
    values: dict[str, Any] = {name: state[name] for name in SETTINGS}
    values |= {name: SETTINGS[name].default for name in FRESH}
    values |= {"hide": hide, "lock": lock}
    if k:
        values |= {"clusters": "own", "k": k}
    # What a run depends on is said in full: it stays when a default changes.
    return {name: spell(values[name]) for name in METHOD} | query(values)


def address(token: str) -> str:
    """The full address of a sealed exercise."""
    url = (st.context.url or "").split("?")[0].rstrip("/")
    url += "/" * (url.count("/") == 2)  # host alone
    return f"{url}?{urlencode({'exercise': token})}"
