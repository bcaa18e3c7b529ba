"""The subspaces of the present run's clusters, as the screen's own settings ask for them."""

import streamlit as st

from pages.shared.run import patiently, run_key
from sdsc_core import Subspaces, subspaces
from sdsc_core.fitted.fitting import COST
from sdsc_core.run import Run

_RULE = (
    "0 takes the suggested dimension of each cluster: the $r$ that makes $\\sigma_{r+1}^2 /"
    " (\\sigma_1^2 + \\dots + \\sigma_r^2) + \\kappa r$ smallest, with"
    f" $\\kappa = {COST:g}$ (Vidal, Ma and Sastry 2005): what the next direction would explain,"
    " against a price for each."
)


def choose(run: Run) -> None:
    """How the subspaces are fitted."""
    state = st.session_state
    most = max(1, min(run.data.n_features - 1, run.data.n_points - 1))
    state.dimension = min(state.dimension, most)
    state.cluster = min(state.cluster, run.n_clusters - 1)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.number_input("Dimension", 0, most, key="dimension", help=_RULE, width=160)
    row.toggle(
        "Affine", key="affine",
        help="Subspaces need not pass through the origin, as for tracks of moving bodies: the mean"
        " of each cluster is taken off first.",
    )  # fmt: skip


def found_subspaces(run: Run) -> Subspaces:
    """Fitted to the clusters of W*, computed once."""
    state = st.session_state
    dimension, affine = state.dimension or None, state.affine
    return patiently(
        "Fitting subspaces",
        ("subspaces", run_key(run), dimension, affine),
        lambda tell: subspaces(
            run.data.X, run.after.labels, dimension=dimension, affine=affine, progress=tell
        ),
    )
