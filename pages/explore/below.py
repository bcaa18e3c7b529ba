"""Below the matrices: what k-means sees, and beside it all figures."""

import streamlit as st

from pages.explore import embedding, metrics
from sdsc_core.run import Run


def show(run: Run) -> None:
    """What k-means sees, and beside it all figures."""
    left, right = st.container(key="lower").columns([3, 2])
    with left:
        embedding.show(run)
    with right:
        metrics.show(run)
