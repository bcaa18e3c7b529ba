"""What k-means sees, for W and W*."""

from functools import partial

import numpy as np
import streamlit as st

from pages.components.points import Panel, points
from pages.keep import choosing
from pages.shared.settings import without_labels
from sdsc_core import figures, misplaced
from sdsc_core.run import Run


def show(run: Run) -> None:
    """What k-means sees, for W and W*; misplaced points are marked, a click chooses one."""
    state, data = st.session_state, run.data
    row = st.container(horizontal=True)
    row.segmented_control("Embedding", ["2-D", "3-D"], key="dims", required=True)
    paints = ["class", "cluster"] if data.n_classes else ["cluster"]
    without_labels("paint", "class", "cluster", bool(data.n_classes))
    row.segmented_control("Coloured by", paints, key="paint", required=True)
    selected = choosing.current(run)
    shown, names, misplaced_words = panels(run)
    points(
        shown,
        names,
        key="embedding",
        chosen=state.point if state.point < data.n_points else -1,
        on_point=mark,
        on_points=partial(choosing.take, run, how="drawn around in the embedding"),
        selected=None if selected is None else selected.points,
        alt=f"Spectral embedding of {data.n_points} points from W and from W*.{misplaced_words}",
    )


def panels(run: Run) -> tuple[list[Panel], list[str], str]:
    """Both embeddings as they are set, names of their groups, and a sentence on what is wrong."""
    state, data = st.session_state, run.data
    dims = 3 if state.dims == "3-D" else 2
    sides, misplaced_words = [("W", run.before), ("W*", run.after)], ""
    wrong = [np.zeros(data.n_points, bool)] * 2
    if data.labels is not None:
        wrong = [misplaced(data.labels, side.labels) for _, side in sides]
        misplaced_words = f" {wrong[1].sum()} points, marked by crosses, are misplaced in W*."
    if data.labels is not None and state.paint == "class":
        groups, names = [data.labels] * 2, list(data.class_names)
    else:
        groups = [figures.match_clusters(side.labels, run.after.labels) for _, side in sides]
        names = [f"cluster {c}" for c in range(1 + max(int(of.max()) for of in groups))]
    shown = [
        Panel(f"Spectral embedding from {name}", figures.projection(s.spectrum, s.k, dims), bad, of)
        for (name, s), bad, of in zip(sides, wrong, groups, strict=True)
    ]
    return shown, names, misplaced_words


def mark(point: int) -> None:
    """Mark a point in every view, or none by -1; for callbacks."""
    st.session_state.point, st.session_state.pair = point, None
