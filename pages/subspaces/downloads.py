"""Files of the found subspaces."""

import streamlit as st

from pages.server.sessions import counted, problem_of
from sdsc_core import Subspaces
from sdsc_core.datasets import check_points
from sdsc_core.fitted.files import MORE, distances_csv, subspaces_npz
from sdsc_core.run import Run


def show(run: Run, found: Subspaces) -> None:
    """Distances of all points, and the subspaces themselves."""
    row = st.container(horizontal=True)
    problem = problem_of(lambda: check_points(run.data, columns=MORE))
    row.download_button(
        "Distances (.csv)", counted(lambda: distances_csv(run, found)), "distances.csv", "text/csv",
        key="download distances", on_click="ignore", disabled=bool(problem), help=problem
        or "Every point with its row, identifier, class and clusters, and its distance to its own"
        " and to the next subspace.",
    )  # fmt: skip
    row.download_button(
        "Subspaces (.npz)", counted(lambda: subspaces_npz(found)), "subspaces.npz",
        "application/octet-stream", key="download subspaces", on_click="ignore",
        help="Bases, singular values and angles, for numpy.load.",
    )  # fmt: skip
