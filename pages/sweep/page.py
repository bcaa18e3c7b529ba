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
data, was_busy = present_data(spot), background().busy

grid = choosing.grid(data)
plan = None if grid is None else running.plan(data, grid, choosing.clusters(data))
if plan is not None:
    running.start(plan)
progress = st.empty()  # also of a sweep that is under way while this grid cannot be
outcomes = [] if plan is None else running.outcomes(plan)
if plan is not None:
    with st.container():  # so that what stands below keeps its place
        running.problems(plan, progress)
if plan is not None and outcomes:
    asked = st.session_state.get("suggestion_first", False)
    if asked:
        suggesting.show(plan, outcomes)
    figure, row = showing.choose_figure(data, outcomes)
    showing.charts(plan, outcomes, figure, row)
    showing.warnings(outcomes)
    taking.chosen(plan, outcomes)
    taking.best_settings(plan, outcomes, figure)
    if not asked:
        suggesting.show(plan, outcomes)
    showing.downloads(plan, outcomes)
elif plan is not None and not background().busy:
    st.info("Nothing has been swept for this data and this grid yet: press Run.")
wait(progress, was_busy)
