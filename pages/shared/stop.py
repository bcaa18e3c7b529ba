"""Streamlit's own Stop, in the corner of the page, does what the app's Stop buttons do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from pages.shared.streamlit_inside import StopException, take_back_stop


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
