"""Tour: what the app is about, for somebody who has not read the paper, and where to begin."""

import streamlit as st

from pages.shared.opening import opening
from pages.shared.settings import go_to

with opening(
    "Tour",
    "Photographs of a face under changing light, tracks of points on a moving car, handwritten"
    " sevens: as points with hundreds of coordinates, each kind fills only a thin slice of the"
    " space, a **subspace**. *Subspace clustering* sorts a mixed heap of such points into their"
    " kinds without being told which is which. The paper *Sparse-Dense Subspace Clustering* does it"
    " in three stages: **sparse** (IMC links each point with few others, W), **dense** (PCE, or D1"
    " to D3, fills in links that should be there, W\\*), **spectral** (the clusters are read off"
    " the graph)."
    "\n\n"
    "The tour sets the screen *Explore* for you, step by step. You can move every control on the"
    " way; *Next* sets the next state, *Leave* ends the tour and keeps the state.",
    write=st.markdown,
) as spot:
    from pages.tour import guide
    from pages.tour.steps import STEPS
spot.empty()
for number, step in enumerate(STEPS, 1):
    name, source, start = st.columns([5, 3, 2], vertical_alignment="center")
    name.markdown(f"**{number}** · {step.title[0].upper()}{step.title[1:]}")
    source.caption(step.source)
    text = "Start the tour" if number == 1 else f"Start at {number}"
    if start.button(
        text,
        key=f"start {number}",
        width="stretch",
        type="primary" if number == 1 else "secondary",
    ):
        guide.go(number)  # no callback: this screen's address would get the step's settings too
        go_to("pages/explore/page.py")
st.caption(
    "An address that ends in ?tour=1 starts the tour at once, ?tour=4 at its fourth step. What a"
    " word means: the page *Words*."
)
