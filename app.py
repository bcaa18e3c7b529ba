"""SDSC Explorer: page configuration and navigation, nothing else."""

import streamlit as st

from pages.shared import settings

st.set_page_config(page_title="SDSC Explorer", page_icon=":material/grain:", layout="wide")
st.html(
    "<style>.stMainBlockContainer { padding-top: 3rem; padding-bottom: 3rem; }"
    # five stages in one line of the sidebar
    " .st-key-dense [data-testid=stButtonGroup] button { padding-inline: 0.6rem; }</style>"
)
settings.begin()
screens = [
    st.Page("pages/explore.py", title="Explore", icon=":material/grid_on:", default=True),
    st.Page("pages/data.py", title="Data", icon=":material/upload_file:"),
    st.Page("pages/compare.py", title="Compare", icon=":material/leaderboard:"),
    st.Page("pages/densification.py", title="Inspect", icon=":material/search:"),
    st.Page("pages/step.py", title="Step through", icon=":material/footprint:"),
    st.Page("pages/words.py", title="Words", icon=":material/menu_book:"),
    st.Page("pages/tour.py", title="Tour", icon=":material/signpost:"),
]
if settings.in_exercise():  # these speak of classes, or set what may be locked
    screens = [s for s in screens if s.title not in ("Data", "Compare", "Tour")]
st.navigation(screens).run()
