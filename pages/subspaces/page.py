"""Subspaces: what the found clusters look like, and which points fit theirs worst."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Subspaces",
    "Each found cluster should lie close to a **linear subspace** of low dimension. Here is the one"
    " that fits it best: its dimension and basis, the angles between all of them, and how far each"
    " point is from its own and from the next.",
    overlay=True,
) as spot:
    from pages.shared.screen import present_run
    from pages.shared.warm import warm
    from pages.subspaces import clusters, downloads, points
    from pages.subspaces.found import choose, found_subspaces
warm(spot)
run = present_run(spot)

choose(run)
found = found_subspaces(run)
clusters.overview(run, found)
left, right = st.container(key="pair-of-subspaces").columns(2, gap="medium")
with left:
    clusters.values(found)
with right:
    clusters.angles(found)
clusters.basis(run, found)
points.chart(found)
points.worst(run, found)
downloads.show(run, found)
