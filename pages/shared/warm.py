"""Kernels are compiled once on a new machine; a screen says so while it happens."""

import gc
import threading
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from sdsc_core.cli.warm import FIRST_RESULT, warm_up

PAUSE = 0.2  # seconds between two looks at how far it is


@dataclass
class Warming:
    """The one thread of the server that makes the kernels ready, whoever came first."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    thread: threading.Thread | None = None
    at: tuple[int, int] = (0, 1)
    error: BaseException | None = None
    ready: bool = False

    def begin(self) -> threading.Thread:
        """The thread that is at work, begun where there is none."""
        with self.lock:
            if self.thread is None or not (self.thread.is_alive() or self.ready):
                self.error = None
                self.thread = threading.Thread(target=self._work, name="kernels", daemon=True)
                self.thread.start()
            return self.thread

    def _work(self) -> None:
        try:
            warm_up(lambda *at: setattr(self, "at", at))
            # Streamlit collects garbage after every run of the script. What the libraries brought
            # stays for good, and looking through it took longer than the script itself.
            gc.collect()
            gc.freeze()
            self.ready = True
        except BaseException as error:
            self.error = error


_warming = Warming()


def warm(spot: Any, first_result: bool = False) -> None:
    """Wait for the kernels, with visible progress; every visitor of the first seconds sees it.

    With ``first_result`` only for those that the first picture needs; the rest is compiled while
    it is looked at.
    """
    if _warming.ready:
        return
    bar, thread = None, _warming.begin()
    while thread.is_alive():
        done, total = _warming.at
        if first_result and done >= FIRST_RESULT:
            break
        text = f"Getting the kernels ready (compiled once on a new machine): {done} of {total}"
        if bar is None:
            with spot.container():
                bar = st.progress(0.0, text)
        bar.progress(done / total, text)
        thread.join(PAUSE)
    if _warming.error:
        raise _warming.error
    spot.empty()
