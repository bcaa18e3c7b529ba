"""The runs of this session, to return to, pin or name."""

import pandas as pd
import streamlit as st

from pages.explore.metrics import figures_of
from pages.keep import entries
from pages.keep.entries import Entry
from sdsc_core.run import Run

SHOWN = ("ACC", "NMI", "CONN, mean", "Ncut", "Q")


def show(run: Run) -> None:
    """A row for each run, the last one first; what is chosen can be returned to."""
    entries.note(run, figures_of(run))
    kept = dict(reversed(entries.entries().items()))
    here = entries.key_of(run)
    frame = pd.DataFrame([_row(entry, key == here) for key, entry in kept.items()])
    number = st.column_config.NumberColumn
    config = {name: number(format="%.4f", width="small") for name in SHOWN}
    config |= {"N": number(width="small"), "k": number(width="small", help="Clusters.")}
    chosen = st.dataframe(
        frame, key="history table", hide_index=True, on_select="rerun", column_config=config,
        selection_mode="single-row", height=min(420, 38 + 36 * len(frame)),
        alt=f"Table of the runs of this session, {len(frame)} rows.",
    )  # fmt: skip
    rows = chosen["selection"]["rows"]
    key = list(kept)[rows[0]] if rows and rows[0] < len(kept) else here
    _act(key, kept[key], key == here)
    st.caption(
        f"The last {entries.MOST} runs are remembered, those with a pin or a name longest: their"
        " settings and figures, in the session file too. Choose a row by the box at its left."
    )


def _row(entry: Entry, here: bool) -> dict[str, object]:
    figures = {name: entry.figures.get(name) for name in SHOWN}
    return {
        "run": f"{entry.number}{' (now)' if here else ''}",
        "pin": entry.pin, "name": entry.name, "data": entry.title,
        "N": entry.points, "k": entry.clusters, **figures,
        "settings": ", ".join(entry.words[:-1]),
    }  # fmt: skip


def _act(key: str, entry: Entry, here: bool) -> None:
    """What can be done with the chosen run."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.markdown(f"Run **{entry.number}**")
    row.button(
        "Return to it", key="return", on_click=entries.go_back_to, args=(entry,), disabled=here,
        help="Set data, preparation and parameters as they were; Back undoes it.",
    )  # fmt: skip
    letter = entry.pin or entries.free_pin()
    row.button(
        f"Unpin {letter}" if entry.pin else f"Pin it as {letter}" if letter else "Pin it",
        key="pin this", on_click=entries.change, args=(key,),
        kwargs={"pin": "" if entry.pin else letter}, disabled=not letter,
    )  # fmt: skip
    field = f"name {key}"

    def rename() -> None:
        entries.change(key, name=st.session_state[field].strip())

    row.text_input(
        "Name", entry.name, key=field, on_change=rename, max_chars=entries.LONGEST_NAME,
        placeholder="call it something",
    )  # fmt: skip
