"""What the last run was made from, kept beside it: settings may move on to what cannot be run.

The run then stays on the screen, and its files must not say what the sidebar says by now.
"""

from typing import Any, NamedTuple

import streamlit as st

from pages.shared.settings import METHOD, PREPARE
from sdsc_core.datasets import Dataset, steps_in_words
from sdsc_core.run import Run

KEPT = ("data", "clusters", "k", *METHOD, *PREPARE)  # settings that a run depends on


class Made(NamedTuple):
    """A run, the settings it was made from, and the data as it was loaded."""

    run: Run
    settings: dict[str, Any]
    options: dict[str, Any]  # of `prepare`: the same, within what the data has
    digest: str

    def fitting(self) -> dict[str, Any]:
        """The settings without what an address asked for in vain, and with all row numbers."""
        own = self.options
        fit = {"only": own["only"] or "", "classes": own["classes"] or []}
        return self.settings | fit | {"scattering": bool(own["scattering"])}


def made_now(state: Any, run: Run, raw: Dataset, options: dict[str, Any]) -> Made:
    """What a run was made from that is new."""
    return Made(run, {name: state[name] for name in KEPT}, options, raw.digest)


def made_of(run: Run) -> Made | None:
    """What a run was made from, if it is the last one."""
    made: Made | None = st.session_state.get("made")
    return made if made is not None and made.run is run else None


def prepared_words(run: Run) -> str:
    """How the data of the last run was prepared; not told of hidden classes, whose number it may
    give away."""
    made = made_of(run)
    if made is None or st.session_state.hide:
        return ""
    return steps_in_words(made.options, run.data.n_classes > 0)


def made_from_this(made: Made | None, run: Run | None, name: str, raw: Dataset) -> bool:
    """Whether a run was made from this data, which is called ``name`` on the screen."""
    if made is None or run is None or made.run is not run:
        return False
    return run.data.name == name and made.digest == raw.digest
