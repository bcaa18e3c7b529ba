"""Hopkins155: the sequences that a cell is the mean of, and the way into one of them."""

import pandas as pd
import streamlit as st

from pages.paper.opening_cells import open_cell
from pages.shared.text import counted, escape_markdown
from sdsc_core.experiments import Results, hopkins


def choose(method: str, column: str) -> None:
    """Show the sequences of this cell from now on."""
    n = next(n for n, word in hopkins.MOTIONS.items() if column.startswith(word))
    st.session_state.sequences_of = (method, n)


def show(results: Results) -> None:
    """The sequences of the cell that was clicked last, the worst first; a button opens one."""
    method, n = st.session_state.get("sequences_of", ("", 0))
    if not method:
        st.caption("A click on a cell lists here the sequences that it is the mean of.")
        return
    found = hopkins.by_sequence(results.rows, method, n)
    st.markdown(
        f"**{escape_markdown(method)}, {hopkins.MOTIONS[n]} motions**:"
        f" {counted(len(found), 'sequence')}, the largest error first. Choose a row to open"
        " another than the first."
    )
    if not found:
        return
    names = list(found)
    chosen = st.dataframe(
        pd.DataFrame({"sequence": names, "error": list(found.values())}),
        key=f"sequences {method} {n}", hide_index=True, on_select="rerun",
        selection_mode="single-row",
        height=min(320, 38 + 35 * len(names)),
        column_config={"error": st.column_config.NumberColumn("error (%)", format="%.2f")},
        alt=f"Clustering error of {method} on {len(names)} sequences with {n} motions.",
    )  # fmt: skip
    rows = chosen["selection"]["rows"]
    name = names[rows[0]] if rows and rows[0] < len(names) else names[0]
    screen = "Explore" if method == "IMC" else "Compare"
    if st.button(
        f"Open {escape_markdown(name)} in {screen}", key="open sequence", type="primary",
        icon=":material/arrow_forward:",
    ):  # fmt: skip
        open_cell("hopkins", name, method, "none")
