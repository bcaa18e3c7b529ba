"""Files of the found subspaces."""

import streamlit as st

from sdsc_core import Subspaces
from sdsc_core.fitted.files import distances_csv, subspaces_npz
from sdsc_core.run import Run


def show(run: Run, found: Subspaces) -> None:
    """Distances of all points, and the subspaces themselves."""
    row = st.container(horizontal=True)
    row.download_button(
        "Distances (.csv)", lambda: distances_csv(run, found), "distances.csv", "text/csv",
        key="download distances", on_click="ignore",
        help="Every point with its row, identifier, class and clusters, and its distance to its own"
        " and to the next subspace.",
    )  # fmt: skip
    row.download_button(
        "Subspaces (.npz)", lambda: subspaces_npz(found), "subspaces.npz",
        "application/octet-stream", key="download subspaces", on_click="ignore",
        help="Bases, singular values and angles, for numpy.load.",
    )  # fmt: skip
