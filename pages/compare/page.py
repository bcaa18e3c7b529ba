"""Compare: methods × dense stages on the loaded data, as in the paper's Tables 3 and 4."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Compare",
    "The paper's claim is that a dense stage helps *any* two-stage method. Choose methods and"
    " stages, and see for this data where it does and where it does not.",
) as spot:
    from pages.compare import advice, choosing, running, showing
    from pages.shared.background import background, wait
    from pages.shared.screen import present_data
    from pages.shared.warm import warm
warm(spot)
data, was_busy = present_data(spot), background().busy

top = st.container()
with top:  # the question goes by it too
    n_clusters = choosing.clusters(data, st.empty())
choosing.choose(data)
jobs = running.jobs(data, n_clusters, choosing.parameters(data))
with top:
    below_question = advice.ask(data, n_clusters)
choosing.start(data, jobs)
progress = below_question if advice.under_way() else st.empty()  # where one has clicked
with st.container():  # so that what stands below keeps its place
    running.problems(jobs, progress)
results = running.results(jobs)
if results:
    about = showing.about(data, jobs)
    figure, average = showing.choose_figure(data, results)
    showing.table(results, figure, average, about)
    left, right = st.container(key="pair-of-charts").columns(2)
    with left:
        showing.bars(results, figure, average)
    with right:
        showing.time_against(results, figure, average)
    showing.thumbnails(data, jobs)
    showing.downloads(results, figure, average, about, showing.script(data, jobs))
elif not background().busy:
    st.info("Nothing has been compared for this data and these parameters yet: press Run.")
wait(progress, was_busy)
