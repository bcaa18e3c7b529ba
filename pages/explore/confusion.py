"""Classes against clusters."""

from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.shared.tables import html_table
from sdsc_core import confusion
from sdsc_core.run import Run

FEW = 10  # clusters; with more, a column's head has its number alone


def show(run: Run) -> None:
    """Classes against clusters, as a table: a chart would take longer to draw than a move takes."""
    if run.data.labels is None:
        st.info("A confusion matrix needs the true classes, which this data does not have.")
        return
    table, clusters = confusion(run.data.labels, run.after.labels)
    word = "cluster " if len(clusters) <= FEW else ""
    head = [f"{word}{c}" if c >= 0 else "none" for c in clusters]
    right, size = int(np.trace(table)), int(table.sum())
    st.caption(
        "Rows are true classes, columns the found clusters matched to them:"
        f" {right:,} of {size:,} points lie on the diagonal."
    )
    with st.container(key="confusion box"):
        rows = [_row(*line) for line in zip(run.data.class_names, table, strict=True)]
        html_table(["true class", *head], rows, "Confusion matrix: classes against clusters")


def _row(name: str, counts: NDArray[np.int64]) -> str:
    """The cells of a class; the darker, the more of its points."""
    cells = [f"<td>{escape(name)}</td>"]
    for count, share in zip(counts, counts / max(1, counts.sum()), strict=True):
        ink = "; color: #fff" if share > 0.5 else ""
        cells.append(f"<td style='background: rgb(0 99 166 / {share:.2f}){ink}'>{count:,}</td>")
    return "".join(cells)
