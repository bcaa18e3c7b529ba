"""Compare: methods × dense stages on the loaded data, as in the paper's Tables 3 and 4."""

import streamlit as st

from pages.shared.settings import through_app

through_app()
st.title("Compare", anchor=False)
st.caption(
    "The paper's claim is that a dense stage helps *any* two-stage method. Choose methods and"
    " stages, and see for this data where it does and where it does not."
)
spot = st.empty()
with spot, st.spinner("Loading the library …"):
    from pages.shared import comparing, sidebar, stages
    from pages.shared.warm import warm
comparing.begin()
warm(spot)
sidebar.choose_data()
data = stages.current_data()
if st.session_state.unprepared:
    st.warning(st.session_state.unprepared, icon=":material/info:")
    st.stop()

comparing.choose(data)
n_clusters = comparing.clusters(data, st.empty())
jobs = comparing.jobs(data, n_clusters, comparing.parameters(data))
comparing.start(data, jobs)
comparing.work(jobs, st.empty())
results = comparing.results(jobs)
if not results:
    st.info("Nothing has been run for this data and these parameters yet: press Run.")
    st.stop()

figure, average = comparing.choose_figure(data, results)
comparing.table(results, figure, average)
left, right = st.columns(2)
with left:
    comparing.bars(results, figure, average)
with right:
    comparing.time_against(results, figure, average)
comparing.thumbnails(data, jobs)
comparing.downloads(results, figure, average)
