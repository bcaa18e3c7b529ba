"""Inspect: every entry that the dense stage changed, why, and what all of it comes to."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Inspect",
    "The **dense stage** turns W into W\\*: it links two points i and j because a third point k is"
    " close to both. Here is every link that it made or strengthened (or, with a stage beyond the"
    " paper, weakened), and the reason; the page *Words* explains the terms.",
    overlay=True,
) as spot:
    from pages.inspect import graph, reason, sums, table
    from pages.shared.groups import caption, groups, lowers
    from pages.shared.screen import present_run
    from pages.shared.warm import warm
warm(spot)
run = present_run(spot)
if run.settings.dense is None:
    st.info("The dense stage is off, so W* is W. Choose PCE, D1, D2, D3 or another in the sidebar.")
    st.stop()

analysis, vol, cut = sums.measured(run)
many = groups(run).many
if lowers(run):
    st.markdown(sums.ratio_verdict(analysis, vol, cut, many))
else:
    st.markdown(sums.verdict(analysis, vol, cut, many), help=sums.VERDICT_HELP)
st.caption(caption(run))
entries, totals = st.tabs(["Changed entries", "In sums"], key="inspect", on_change="rerun")
if entries.open:
    with entries:
        left, right = st.columns([4, 3], gap="medium")
        with left:
            pair = table.show(run)
        if pair is None:
            st.stop()
        with right:
            found = reason.show(run, pair)
            graph.show(run, found)
        graph.marked(run, found)
if totals.open:
    with totals:
        first, second = st.columns(2, gap="medium")
        with first:
            sums.by_condition(run)
            sums.growth(run, vol, cut)
        with second:
            sums.prediction(run, analysis)
        sums.by_cluster(run, vol, cut)
