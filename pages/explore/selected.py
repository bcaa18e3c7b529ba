"""The selected points: which they are, of what classes, and what can be done with them."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.explore.embedding import mark
from pages.keep import choosing
from pages.keep.choosing import Selection
from pages.server.sessions import counted as as_work
from pages.shared.run import cached
from pages.shared.tables import html_table
from pages.shared.text import counted, escape_markdown, percent
from sdsc_core import figures, misplaced
from sdsc_core.datasets.dataset import table_csv
from sdsc_core.run import Run
from sdsc_core.script import composition, points_npz, points_of

SHOWN = 200  # rows of the table, each with its picture
HOW = (
    "Nothing is selected. Choose a cluster, a class or the misplaced points above; or press ▭ or ◌"
    " over the embedding, or ▭ over the matrices, and draw around points."
)


def show(run: Run) -> None:
    """What is selected, as a table with pictures, and what its points are of."""
    _choose(run)
    chosen = choosing.current(run)
    if chosen is None:
        st.info(HOW, icon=":material/select:")
        return
    n = len(chosen.points)
    st.markdown(
        f"**{counted(n, 'point')}** of {run.data.n_points:,}: {escape_markdown(chosen.how)}."
    )
    _act(run, chosen)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _table(run, chosen)
    with right:
        _composition(run, chosen.points)


def _choose(run: Run) -> None:
    """Groups that have a name: clusters, classes, what is misplaced."""
    options: dict[str, NDArray[np.bool_]] = {}
    if run.data.labels is not None:
        options["misplaced points of W*"] = misplaced(run.data.labels, run.after.labels)
        options["misplaced points of W"] = misplaced(run.data.labels, run.before.labels)
    for name, side in (("W*", run.after), ("W", run.before)):
        options |= {f"cluster {c} of {name}": side.labels == c for c in range(side.k)}
    if run.data.labels is not None:
        for c, name in enumerate(run.data.class_names):
            options[f"class {name}"] = run.data.labels == c

    def chosen() -> None:
        how = st.session_state["select group"]
        if how is not None:
            choosing.take(run, np.flatnonzero(options[how]).tolist(), how)
            st.session_state["select group"] = None

    st.selectbox(
        "Select", list(options), index=None, key="select group", on_change=chosen,
        placeholder="a cluster, a class, what is misplaced",
    )  # fmt: skip


def _act(run: Run, chosen: Selection) -> None:
    n, row = len(chosen.points), st.container(horizontal=True)
    row.button(
        "Only these", on_click=choosing.go_on, args=(run, chosen.points), key="only these",
        disabled=not choosing.may_go_on(run, n), icon=":material/filter_alt:",
        help="Go on with these points alone, on all screens; it can be undone.",
    )  # fmt: skip
    row.button(
        "Without these", on_click=choosing.go_on, args=(run, chosen.points, True),
        key="without these", disabled=not choosing.may_go_on(run, run.data.n_points - n),
        icon=":material/filter_alt_off:",
        help="Go on with all other points, on all screens; it can be undone.",
    )  # fmt: skip
    for title, name, mime, make in (
        ("Points (.csv)", "points.csv", "text/csv", _csv),
        ("Points (.npz)", "points.npz", "application/octet-stream", points_npz),
    ):
        row.download_button(
            title, as_work(partial(make, run, chosen.points)), name, mime, key=f"download {name}",
            on_click="ignore",
        )  # fmt: skip
    row.button("Clear", on_click=choosing.clear, key="clear selection")


def _csv(run: Run, points: NDArray[np.int64]) -> str:
    return table_csv(points_of(run, points))


def _table(run: Run, chosen: Selection) -> None:
    """A row for each point; choosing one marks it in every view."""
    points = chosen.points[:SHOWN]
    frame = pd.DataFrame(points_of(run, points))
    config = {
        "cluster_W": st.column_config.NumberColumn("cluster of W"),
        "cluster_W_star": st.column_config.NumberColumn("cluster of W*"),
    }
    images = run.data.images
    if images is not None:
        uris = cached(
            ("pictures of", run.data.digest, points.tobytes()),
            lambda: [figures.picture_uri(images[p]) for p in points],
        )
        frame.insert(0, "picture", uris)
        config["picture"] = st.column_config.ImageColumn("picture", width="small")
    key = f"selected {hash((chosen.digest, points.tobytes()))}"

    def choose() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        mark(int(points[rows[0]]) if rows else -1)

    st.dataframe(
        frame, key=key, hide_index=True, height=min(420, 44 * (1 + len(frame))), on_select=choose,
        selection_mode="single-row", column_config=config, row_height=44 if images is not None
        else None, alt=f"Table of the selected points, {len(frame)} rows.",
    )  # fmt: skip
    if len(points) < len(chosen.points):
        st.caption(f"The first {SHOWN} are shown; the files have all of them.")


def _composition(run: Run, points: NDArray[np.int64]) -> None:
    """By class and by cluster: how many, and how much of the whole that is."""
    data = run.data
    tables = [("cluster of W*", run.after.labels, list(map(str, range(run.after.k))))]
    if data.labels is not None:
        tables.insert(0, ("class", data.labels, list(data.class_names)))
    for what, labels, names in tables:
        rows = [
            [names[g], f"{n:,}", percent(n / len(points)), percent(n / size)]
            for g, n, size in composition(labels, points)
        ]
        html_table([what, "points", "of the selection", f"of the {what.split()[0]}"], rows, what)
