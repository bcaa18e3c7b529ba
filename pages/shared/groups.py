"""By what the screens judge a link: the true classes, or without labels the found clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from sdsc_core.dense import DENSE, LOWERED, RAISED
from sdsc_core.run import Run


@dataclass(frozen=True)
class Groups:
    """By what the screen judges a link: the true classes, or without labels the found clusters."""

    of: NDArray[np.int64]
    names: Sequence[str]
    one: str  # "class" or "cluster"

    @property
    def many(self) -> str:
        return {"class": "classes", "cluster": "found clusters"}[self.one]


def groups(run: Run) -> Groups:
    """Classes where they are known, else clusters."""
    if run.data.labels is not None:
        # "4" alone reads like a point or a number.
        names = [f"class {name}" if name.isdigit() else name for name in run.data.class_names]
        return Groups(run.data.labels, names, "class")
    return Groups(run.after.labels, [f"cluster {c}" for c in range(run.n_clusters)], "cluster")


def conditions(run: Run) -> dict[int, str]:
    """The causes that the dense stage has: three for PCE, one for D1–D3, up and down for others."""
    if lowers(run):
        return {RAISED: "raised", LOWERED: "lowered"}
    if run.settings.dense == "PCE":
        return {c: f"condition\u00a0{c}" for c in (1, 2, 3)}
    return {0: f"{run.settings.dense}\u00a0path"}


def lowers(run: Run) -> bool:
    """Whether the dense stage lowers entries too, so that no witness explains what it does."""
    return run.settings.dense is not None and DENSE[run.settings.dense].lowers


def caption(run: Run) -> str:
    """Which groups the screen goes by, in a sentence."""
    if run.data.labels is not None:
        return "Inside and between go by the true classes."
    hidden = " are hidden in this exercise" if st.session_state.hide else " are not known here"
    return (
        f"The true classes{hidden}: inside and between go by the {run.n_clusters} clusters found"
        " from W*, which were chosen to make cuts small, so they flatter the dense stage."
    )
