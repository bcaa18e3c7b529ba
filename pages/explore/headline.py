"""What is shown, in a line, and the figures that matter most."""

from typing import Any

import streamlit as st

from pages.keep.made import prepared_words
from pages.shared.text import counted, escape_markdown, number, percent, signed
from sdsc_core.datasets import SAMPLES
from sdsc_core.run import Run

_CONN_MEAN = (
    "Connectivity inside the classes: mean over classes of the second smallest eigenvalue of"
    " $L = I - D^{-1/2}WD^{-1/2}$."
)


def show(run: Run) -> None:
    """What is shown, in a line, and the figures that matter most."""
    data, s = run.data, run.settings
    sample = SAMPLES.get(st.session_state.data)
    words = st.session_state.get("preset_words") or (
        sample.sentence if sample else escape_markdown(data.note)
    )
    if st.session_state.hide:
        words = ""  # it may speak of the classes
    prepared = prepared_words(run)
    of_w = "" if run.before.k == run.n_clusters else f"; of W by itself {run.before.k}"
    st.markdown(
        f"**{escape_markdown(data.name)}**: {data.n_points:,} points in {data.n_features:,}"
        f" dimensions{prepared and f' ({prepared})'}, {counted(run.n_clusters, 'cluster')}"
        f" ({run.n_clusters_from}{of_w}), Γ = {s.gamma}. {words}"
    )
    b, a = run.before.summary, run.after.summary
    shown = [
        ("ACC", b.acc, a.acc, True, "Share of points in the right cluster, eq. 14."),
        ("NMI", b.nmi, a.nmi, True, "Information shared with the classes, eq. 15."),
        ("CONN, mean", b.conn.mean, a.conn.mean, False, _CONN_MEAN),
        ("Ncut", b.ncut, a.ncut, False, "Similarity cut over similarity kept, eq. 8."),
        ("Nonzeros", b.nonzeros, a.nonzeros, False, "Entries of the affinity."),
    ][2 * st.session_state.hide :]
    columns = st.container(key="figures").columns(len(shown))
    for spot, (name, before, after, share, text) in zip(columns, shown, strict=True):
        if after is None:
            spot.metric(name, "–", help="Needs the true classes, and this data has none.")
            continue
        assert before is not None
        value = percent(after) if share else number(after)
        change = f"{100 * (after - before):+.1f}" if share else signed(after - before)
        same = after == before or not float(change.replace(",", "").replace("∞", "inf"))
        neutral = same or name == "Nonzeros"  # neither good nor bad
        good: Any = "off" if neutral else "inverse" if name == "Ncut" else "normal"
        spot.metric(
            f"{name} of W*", value, "as in W" if same else f"{change} vs W",
            delta_color=good, delta_arrow="off" if same else "auto", help=text,
        )  # fmt: skip
