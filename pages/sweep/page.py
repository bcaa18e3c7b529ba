"""Sweep: Γ × θ₁ × θ₂ × dense stage × readings on a grid, and which setting to take."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Sweep",
    "Which settings suit this data? All of a grid are tried at once, with the spread over draws and"
    " seeds; without labels by what can be known without them.",
) as spot:
    from pages.shared.background import background, wait
    from pages.shared.screen import present_data
    from pages.shared.warm import warm
    from pages.sweep import choosing, running, showing, suggesting, taking
warm(spot)
taking.leave()
data = present_data(spot)

grid = choosing.grid(data)
n_clusters = choosing.clusters(data)
plan = running.plan(data, grid, n_clusters)
running.start(plan)
progress = st.empty()
running.problems(plan)
outcomes = running.outcomes(plan)
if outcomes:
    figure, row = showing.choose_figure(data, outcomes)
    showing.charts(plan, outcomes, figure, row)
    taking.chosen(plan, outcomes)
    taking.best_settings(plan, outcomes, figure)
    suggesting.show(plan, outcomes)
    showing.downloads(plan, outcomes)
elif not background().busy:
    st.info("Nothing has been swept for this data and this grid yet: press Run.")
wait(progress)
