"""Streamlit's own Stop, in the corner of the page, does what the app's Stop buttons do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType


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
        context = get_script_run_ctx()
        if context is None or context.script_requests is None:
            raise
        context.script_requests._state = ScriptRequestType.CONTINUE
        note()
        st.rerun()
