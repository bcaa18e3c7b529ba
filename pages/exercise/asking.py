"""What a student sees of an exercise: what is hidden and locked, the question, and the verdict."""

import streamlit as st

from pages.exercise.answers import is_right
from pages.exercise.making import LOCKS
from pages.exercise.sealing import Exercise
from pages.shared.settings import in_exercise
from pages.shared.text import escape_lines, escape_markdown


def show_notice() -> None:
    """In an exercise, a line in the sidebar that says what is hidden and locked."""
    if not in_exercise():
        return
    parts = ["The true classes and what follows from them are hidden."] * st.session_state.hide
    held = [title for title, names in LOCKS.items() if set(names) & set(st.session_state.lock)]
    if held:
        parts.append(f"Locked: {', '.join(held)}.")
    st.sidebar.info("**Exercise.** " + " ".join(parts), icon=":material/school:")


def ask() -> None:
    """The question above every screen, and a field for the answer, which is checked here."""
    exercise: Exercise | None = st.session_state.get("sealed")
    if exercise is None or not exercise.question:
        return
    with st.container(border=True, key="question"):
        st.markdown(f"**Question.** {escape_lines(exercise.question)}")
        if not exercise.answer:
            return
        with (
            st.form("answer", border=False),
            st.container(horizontal=True, vertical_alignment="bottom"),
        ):
            st.text_input("Your answer", key="answer given", max_chars=200)
            st.form_submit_button("Check", on_click=_check, type="primary")
        _verdict(exercise)


def _check() -> None:
    state = st.session_state
    given = state.get("answer given", "")
    state.answered = (given, is_right(given, state.sealed.answer))


def _verdict(exercise: Exercise) -> None:
    given, right = st.session_state.get("answered", ("", False))
    if not given.strip():
        return
    said = escape_markdown(given)
    if not right:
        st.warning(f"“{said}” is not right yet.", icon=":material/close:")
        return
    praise = escape_lines(exercise.praise)
    st.success(f"“{said}” is right. {praise}", icon=":material/check:")
