"""Explore: W beside W*, the metrics, the clusters; everything follows the sidebar."""

import streamlit as st

st.title("Explore", anchor=False)
st.caption(
    "**Sparse**: IMC links each point to the few that correlate most with what is left of it (W). "
    "**Dense**: PCE fills in links between points that share a strong neighbour (W*). "
    "**Spectral**: clusters come from the graph. Move Γ and θ, and watch."
)
spot = st.empty()
with spot, st.spinner("Loading the library …"):  # after the text, as a cold start takes seconds
    from pages.shared import downloads, panels, sidebar, stages
    from pages.shared.warm import warm
warm(spot)
sidebar.choose_data()
sidebar.presets()
data = stages.current_data()
sidebar.clusters(data)
sidebar.method(data)

run, problem = stages.show_or_last(data, spot)
if problem:
    panels.explain_problem(problem)
if run is None:
    st.stop()

panels.headline(run)
panels.matrices(run)
left, right = st.columns([3, 2])
with left:
    panels.embedding(run)
with right:
    panels.metrics(run)
view = st.tabs(["Confusion", "Eigenvalues", "Gallery", "Download"], key="more", on_change="rerun")
if view[0].open:
    with view[0]:
        panels.confusion(run)
if view[1].open:
    with view[1]:
        panels.eigenvalues(run)
if view[2].open:
    with view[2]:
        panels.gallery(run)
if view[3].open:
    with view[3]:
        downloads.show(run)
