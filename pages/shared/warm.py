"""Kernels are compiled once on a new machine; a screen says so while it happens."""

import threading
from typing import Any

import streamlit as st

from sdsc_core.warm import warm_up

_lock = threading.Lock()
_ready = threading.Event()


def warm(spot: Any) -> None:
    """Compile or load the kernels, with visible progress, once in a process."""
    if _ready.is_set():
        return
    with spot.container():
        bar = st.progress(0.0, "Getting the kernels ready (compiled once on a new machine) …")
    with _lock:
        if not _ready.is_set():
            warm_up(lambda done, total: _show(bar, done, total))
            _ready.set()
    spot.empty()


def _show(bar: Any, done: int, total: int) -> None:
    bar.progress(done / total, f"Kernels: {done} of {total}")
