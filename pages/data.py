"""Data: load a file or a known set, look at it, prepare it."""

import streamlit as st

st.title("Data", anchor=False)
