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
    from pages.shared import compare_choose, compare_run, compare_show, sidebar, stages
    from pages.shared.screen import need_data
    from pages.shared.warm import warm
warm(spot)
sidebar.choose_data()
need_data()
data = stages.current_data()
if st.session_state.unprepared:
    st.warning(st.session_state.unprepared, icon=":material/info:")
    st.stop()

compare_choose.choose(data)
n_clusters = compare_choose.clusters(data, st.empty())
jobs = compare_run.jobs(data, n_clusters, compare_choose.parameters(data))
compare_choose.start(data, jobs)
compare_run.work(jobs, st.empty())
results = compare_run.results(jobs)
if not results:
    st.info("Nothing has been run for this data and these parameters yet: press Run.")
    st.stop()

figure, average = compare_show.choose_figure(data, results)
compare_show.table(results, figure, average)
left, right = st.columns(2)
with left:
    compare_show.bars(results, figure, average)
with right:
    compare_show.time_against(results, figure, average)
compare_show.thumbnails(data, jobs)
compare_show.downloads(results, figure, average)
