"""Each cluster as a subspace: a table, singular values, angles, and the basis of one of them."""

import numpy as np
import streamlit as st

from pages.shared.settings import keep
from pages.shared.tables import html_table
from pages.shared.text import number, percent
from sdsc_core import Subspaces, figures
from sdsc_core.figures import fitted
from sdsc_core.run import Run

ANGLES = {False: "smallest", True: "mean"}


def overview(run: Run, found: Subspaces) -> None:
    """A line for each cluster."""
    nearer = found.misfit > 1
    lines = []
    for c, subspace in enumerate(found.each):
        mine = found.labels == c
        angles = found.angles[c]
        known = ~np.isnan(angles)
        near = int(np.nanargmin(angles)) if known.any() else -1
        lines.append(
            [
                str(found.names[c]), number(subspace.n_points), number(subspace.suggested),
                number(subspace.dimension), percent(subspace.share),
                "–" if near < 0 else f"{angles[near]:.1f}° to {found.names[near]}",
                number(int(nearer[mine].sum())),
            ]
        )  # fmt: skip
    head = ["cluster", "points", "suggested dimension", "dimension", "energy inside",
            "smallest angle", "points nearer to another"]  # fmt: skip
    html_table(head, lines, "Subspaces of the found clusters", cards=True)
    total = int(nearer.sum())
    st.caption(
        f"Clusters of W\\*, {run.n_clusters} of them. Energy inside: the share of the points'"
        f" squared lengths that lies in the subspace. {total:,} of {len(found.labels):,} points are"
        " nearer to another subspace than to their own: clusters come from the graph, not from"
        " distances."
    )


def values(found: Subspaces) -> None:
    """Singular values of all clusters."""
    dims = ", ".join(f"{found.names[c]}: {s.dimension}" for c, s in enumerate(found.each))
    st.plotly_chart(
        fitted.singular_values(found, st.session_state.cluster), key="singular values",
        alt=f"Singular values of each cluster; dimensions {dims}.",
    )  # fmt: skip


def angles(found: Subspaces) -> None:
    """Principal angles between all clusters."""
    if len(found.each) < 2:
        st.info("There is one cluster alone, so there are no angles.")
        return
    keep("mean angles", False)
    mean = st.toggle(
        "Mean of all principal angles", key="mean angles",
        help="The smallest angle tells whether two subspaces share a direction, the mean how much"
        " of them they share.",
    )  # fmt: skip
    shown = found.mean_angles if mean else found.angles
    low = np.nanmin(shown) if np.isfinite(shown).any() else np.nan
    st.plotly_chart(
        fitted.angles(found, mean), key="angles",
        alt=f"Matrix of the {ANGLES[mean]} principal angles; the least is {low:.1f} degrees.",
    )  # fmt: skip


def basis(run: Run, found: Subspaces) -> None:
    """The basis of one cluster: as pictures where the features are pixels, else as curves."""
    names = [str(name) for name in found.names]
    st.selectbox(
        "Basis of cluster", range(len(names)), key="cluster", format_func=names.__getitem__,
        width=200,
    )  # fmt: skip
    c = st.session_state.cluster
    subspace = found.each[c]
    if not subspace.dimension:
        st.info("All points of this cluster are 0, or all the same: its subspace has no dimension.")
        return
    images = run.data.images
    if images is None or images[0].size != run.data.n_features:
        st.plotly_chart(
            fitted.basis_lines(subspace, c), key="basis",
            alt=f"Basis of cluster {names[c]}, {subspace.dimension} directions.",
        )  # fmt: skip
        return
    pictures = fitted.basis_pictures(subspace, *images.shape[1:])
    zoom = max(1, 72 // images.shape[1])
    none = np.zeros(len(pictures), bool)
    first = "The mean first, then " if subspace.mean is not None else ""
    shown = min(subspace.dimension, fitted.MOST_VECTORS)
    st.image(
        figures.contact_sheet(pictures, none, zoom=zoom),
        f"{first}{shown} of {subspace.dimension} directions, the most important first; middle grey"
        " is 0, and which of light and dark is more does not count.",
    )  # fmt: skip
