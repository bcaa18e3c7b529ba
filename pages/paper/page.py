"""Paper: every figure and table, ours beside the printed, and a verdict on each claim."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Paper",
    "Does the paper hold? Each claim with a verdict, each figure and table with ours beside the"
    " printed one. Every number comes from the result files of `sdsc reproduce`; a click on a cell"
    " opens it live.",
) as spot:
    from pages.paper import claims, figures, live, readings, tables
    from pages.shared.settings import PAPER_PARTS
    from pages.shared.warm import warm
warm(spot)
st.segmented_control(
    "Show", list(PAPER_PARTS), key="part", format_func=PAPER_PARTS.__getitem__, required=True
)
part = st.session_state.part
if part == "claims":
    claims.show()
elif part == "readings":
    readings.show()
elif part.startswith("table"):
    tables.show(part)
else:
    figures.show(part)
live.offer(part)
