"""Classes against clusters."""

import numpy as np
import streamlit as st

from sdsc_core import confusion, figures
from sdsc_core.run import Run


def show(run: Run) -> None:
    """Classes against clusters."""
    if run.data.labels is None:
        st.info("A confusion matrix needs the true classes, which this data does not have.")
        return
    table, clusters = confusion(run.data.labels, run.after.labels)
    # So many columns need so much room, on a phone too: the chart scrolls by itself.
    st.html(f"<style>.st-key-confusion {{ min-width: {140 + 18 * len(clusters)}px; }}</style>")
    with st.container(key="confusion box"):
        st.plotly_chart(
            figures.confusion_matrix(table, run.data.class_names, clusters), key="confusion",
            alt=f"Confusion matrix; {np.trace(table)} of {table.sum()} points lie on the diagonal.",
        )  # fmt: skip
