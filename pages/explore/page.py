"""Explore: W beside W*, the metrics, the clusters; everything follows the sidebar."""

import streamlit as st

from pages.shared.opening import opening
from pages.shared.settings import in_exercise

with opening(
    "Explore",
    "**Sparse**: IMC links each point to the few that correlate most with what is left of it (W). "
    "**Dense**: PCE fills in links between points that share a strong neighbour (W*). "
    "**Spectral**: clusters come from the graph. Move Γ and θ, and watch.",
    overlay=True,
    brief=bool(st.session_state.tour) and not in_exercise(),
) as spot:
    from pages.explore import (
        confusion,
        downloads,
        eigenvalues,
        embedding,
        gallery,
        headline,
        history,
        matrices,
        metrics,
        selected,
    )
    from pages.keep import choosing
    from pages.server.sessions import drawn
    from pages.shared.screen import present_run
    from pages.shared.settings import address, in_exercise
    from pages.shared.warm import warm
    from pages.tour import guide
warm(spot, first_result=True)
box = guide.begin()
run = present_run(spot)

guide.tell(box, run)
# Shown to a room the matrices come first, on a tour what its step speaks of.
places = ("headline", "matrices", "below")
spots = {name: st.container() for name in sorted(places, key=guide.shown_first().__ne__)}
with spots["headline"]:
    headline.show(run)
    choosing.notice()
with spots["matrices"], drawn("the matrices"):
    matrices.show(run)
left, right = spots["below"].container(key="lower").columns([3, 2])
with left, drawn("the embedding"):
    embedding.show(run)
with right:
    metrics.show(run)
    if not in_exercise():
        st.page_link(
            "pages/compare/page.py", label="What helps on this data?",
            icon=":material/help:", query_params=address(),
        )  # fmt: skip
more = {
    "Confusion": confusion.show,
    "Eigenvalues": eigenvalues.show,
    "Gallery": gallery.show,
    "Selection": selected.show,
    "History": history.show,
    "Download": downloads.show,
}
if st.session_state.hide:
    del more["Confusion"]
# Pictures first where there are some: a chart makes the browser load Plotly for a second.
first = "Confusion" if run.data.images is None else "Gallery"
tabs = st.tabs(list(more), default=first if first in more else None, key="more", on_change="rerun")
for tab, show in zip(tabs, more.values(), strict=True):
    if tab.open:
        with tab, drawn("a chart"):
            show(run)
