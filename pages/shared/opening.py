"""What every screen begins with: its title and text, shown before its parts are loaded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from pages.shared.projector import projecting

_loaded: set[str] = set()  # screens whose parts are: a spinner would take a thread for nothing


@contextmanager
def opening(
    title: str,
    text: str,
    *,
    write: Callable[[str], Any] = st.caption,
    overlay: bool = False,
    brief: bool = False,
) -> Iterator[Any]:
    """Title and text; what is imported within shows a spinner. Gives the place for progress.

    With ``overlay`` progress lies over the page, so that nothing moves when it comes and goes.
    Where it is ``brief``, or in projector mode, the room is for what is shown; all else keeps its
    place, since what loses it stands there twice until the script ends: as long as a sweep runs.
    """
    brief = brief or projecting()
    if brief:
        st.empty()
    else:
        st.title(title, anchor=False)
    if brief and write is st.caption:  # a caption speaks of the screen, else it is content
        st.empty()
    else:
        write(text)
    spot = st.container(key="progress").empty() if overlay else st.empty()
    if title in _loaded:
        yield spot
        return
    with spot, st.spinner("Loading the library …"):
        yield spot
    _loaded.add(title)
