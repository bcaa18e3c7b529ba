"""What every screen begins with: its title and text, shown before its parts are loaded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st


@contextmanager
def opening(
    title: str, text: str, *, write: Callable[[str], Any] = st.caption, overlay: bool = False
) -> Iterator[Any]:
    """Title and text; what is imported within shows a spinner. Gives the place for progress.

    With ``overlay`` progress lies over the page, so that nothing moves when it comes and goes.
    """
    st.title(title, anchor=False)
    write(text)
    spot = st.container(key="progress").empty() if overlay else st.empty()
    with spot, st.spinner("Loading the library …"):
        yield spot
