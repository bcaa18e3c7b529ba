"""The picture of W and W* in the order and colours that are set, as several screens show it."""

from html import escape
from typing import Any

import numpy as np
import streamlit as st

from pages.shared.groups import lowers
from pages.shared.run import causes
from pages.shared.settings import without_labels
from sdsc_core import figures
from sdsc_core.run import Run

MANY = 1000  # points; from here on one dot stands for several entries on any screen
MERGES = {"auto": "auto", "max": "maximum", "mean": "mean", "density": "density"}
ORDERS = {"class": "true class", "cluster": "found cluster", "loaded": "as loaded"}


def view_controls(run: Run, row: Any) -> None:
    """How the matrices are drawn: which, in what order, in what colours."""
    orders = ORDERS if run.data.n_classes else {k: v for k, v in ORDERS.items() if k != "class"}
    without_labels("order", "class", "cluster", bool(run.data.n_classes))
    views = {"both": "W and W*", "change": "W* − W"}
    row.segmented_control("View", list(views), key="view", format_func=views.get, required=True)
    row.segmented_control("Order", list(orders), key="order", format_func=orders.get, required=True)
    row.segmented_control("Colour", ["linear", "log"], key="colour", required=True)
    if run.data.n_points > MANY:
        row.segmented_control(
            "Several in a dot", list(MERGES), key="merge", format_func=MERGES.get, required=True,
            help="What a dot shows that stands for many entries: their largest, their mean, or the"
            " share of those that are not 0. A maximum of thousands looks full where one entry in a"
            " thousand is there; *auto* takes the mean then. Below the matrices stands what is"
            " shown; zoomed in, you see the entries themselves.",
        )  # fmt: skip


def matrix_view(run: Run, key: str = "matrix", view: str = "", **more: Any) -> figures.MatrixView:
    """The picture of a run in the order and colour set; "raised" shows the causes alone."""
    state, data = st.session_state, run.data
    labels = {"class": data.labels, "cluster": run.after.labels, "loaded": None}[state.order]
    order = figures.ordering(state.order, data.labels, run.after.labels)
    names = (
        data.class_names
        if state.order == "class"
        else [f"cluster {c}" for c in range(run.n_clusters)]
    )
    dense = run.settings.dense
    star = f"W* ({dense})" if dense else "W*"
    panels = (("w", "W (IMC)"), ("star", star))
    raised = None
    if (view or state.view) != "both":
        what = "raised and lowered entries" if lowers(run) else "raised entries by cause"
        panels, raised = (("cause", f"W* − W: {what}"), ("star", star)), causes(run)
    thetas = [(f"θ{'₁₂₃'[i - 1]}", state[f"theta{i}"]) for i in (1, 2, 3)]
    window = (state.get(key) or {}).get("window")
    pair = state.get("pair")
    valid = pair and max(pair) < data.n_points
    b, a = run.before.summary, run.after.summary
    marks = {
        "pairs": (pair,) if valid else (),
        "point": state.point if 0 <= state.point < data.n_points else -1,
    }
    return figures.matrix_view(
        run.before.W,
        run.after.W,
        order,
        causes=raised,
        window=tuple(window) if window else None,
        classes=tuple(map(escape, data.class_names)),
        class_of=np.empty(0, int) if data.labels is None else data.labels[order],
        blocks=() if labels is None else figures.class_blocks(labels, order, tuple(names)),
        panels=panels[:1] if view == "raised" else panels,
        log=state.colour == "log",
        merge=state.merge,
        ticks=(("0", 0.0), *thetas, ("1", 1.0)),
        axis=f"by {ORDERS[state.order]}" if state.order != "loaded" else "as loaded",
        alt=f"Affinity matrices of {data.n_points} points: W has {b.nonzeros} nonzero entries,"
        f" W* {a.nonzeros}; {a.inside:.0%} of the similarity in W* lies inside the {a.by}.",
        **(marks | more),
    )
