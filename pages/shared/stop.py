"""What was stopped, by a button of the app or by Streamlit's own Stop, and how to go on."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from pages.shared.streamlit_inside import StopException, take_back_stop

NOT_PREPARED = "Preparing the data was stopped; press Compute, or prepare it otherwise."


@contextmanager
def heed_stop(note: Callable[[], None]) -> Iterator[None]:
    """Where Streamlit's Stop ends the script within, ``note`` it and run the script once more.

    A stopped script can draw nothing: its progress would stay on the screen for good, and all that
    stands below would go. So the stop is taken back once it has ended the work. A click raises
    another exception, which passes; it does so because `runner.fastReruns` is off.
    """
    try:
        yield
    except StopException:
        if not take_back_stop():
            raise
        note()
        st.rerun()


def stop_wanted() -> None:
    """Note that what the screen wants was stopped; for callbacks."""
    st.session_state.stopped = st.session_state.get("wanted")


def compute_button(name: str) -> None:
    """Go on with what was stopped."""
    forget = partial(st.session_state.update, stopped=None, stopped_one=None)
    st.button("Compute", key=f"compute {name}", on_click=forget)


def stopped(problem: str) -> bool:
    """Whether the user stopped what a screen wants, so that Compute goes on with it."""
    key = st.session_state.get("stopped")
    return problem == NOT_PREPARED or (key is not None and key == st.session_state.get("wanted"))


def stop_one(key: Hashable) -> None:
    """Note that work of this key was stopped; for callbacks."""
    st.session_state.stopped_one = key


def was_stopped(key: Hashable) -> bool:
    """Whether the last work that was stopped has this key."""
    return bool(st.session_state.get("stopped_one") == key)
