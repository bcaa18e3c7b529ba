"""SDSC Explorer: page configuration and navigation, nothing else."""

import streamlit as st

from pages.shared import settings

st.set_page_config(page_title="SDSC Explorer", page_icon=":material/grain:", layout="wide")
st.html("<style>.stMainBlockContainer { padding-top: 3rem; padding-bottom: 3rem; }</style>")
settings.begin()
st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/grid_on:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/upload_file:"),
    ]
).run()
