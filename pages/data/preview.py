"""What a loaded data set looks like: its size, classes, rows or pictures, norms and variance."""

import pandas as pd
import streamlit as st

from pages.server.sessions import drawn
from pages.shared import loading
from pages.shared.run import cached
from pages.shared.settings import apply, locked
from pages.shared.text import escape_markdown
from sdsc_core import figures
from sdsc_core.datasets import SAMPLES, Dataset, unequal_units, variance_curve

ROWS, COLUMNS = 10, 30  # of the table
COMPONENTS = 50
TALL, CHART = 430, 270  # pixels


def show(data: Dataset) -> None:
    """The data set as it was loaded; without labels where an exercise hides them."""
    _sizes(data)
    _units(data)
    left, right = st.columns([3, 2])
    with left:
        _samples(data)
    with right:
        _classes(data)
    left, right = st.columns(2)
    with left:
        _norms(data)
    with right:
        _variance(data)


def _sizes(data: Dataset) -> None:
    sample = SAMPLES.get(st.session_state.data)
    st.markdown(
        f"**{escape_markdown(loading.title(st.session_state.data))}** · "
        f"{sample.sentence if sample else escape_markdown(data.note)}"
    )
    found = loading.described(data)
    pictures = "–" if data.images is None else "×".join(map(str, data.images.shape[1:]))
    values = {
        "Points": (f"{data.n_points:,}", "Samples, the rows of X."),
        "Dimensions": (f"{data.n_features:,}", "Features of a sample, the columns of X."),
        "Classes": (f"{data.n_classes:,}" if data.n_classes else "–", "From the labels."),
        "Missing values": (f"{found.missing:,}", "Numbers that are not there, or infinite."),
        "Pictures": (pictures, "Height × width in pixels, where samples are pictures."),
    }
    spots = st.container(key="figures-of-data").columns(len(values))
    for spot, (name, (value, text)) in zip(spots, values.items(), strict=True):
        spot.metric(name, value, help=text)
    if found.constant:
        st.warning(
            f"{found.constant:,} samples have the same value in every feature: they correlate with"
            " nothing, so they stay without links. Leave them out, or choose another variable.",
            icon=":material/info:",
        )


def _units(data: Dataset) -> None:
    """A word where features of large units would decide alone, and a click against it."""
    state = st.session_state
    units = cached(("units", data.digest), lambda: unequal_units(data))
    if not units or state.standardise:
        return
    st.warning(
        f"{escape_markdown(units)} If they are in different units, standardise them.",
        icon=":material/balance:",
    )
    st.button(
        "Standardise", key="standardise now", on_click=apply, args=({"standardise": True},),
        disabled=locked("standardise"),
        help="Each feature minus its mean, divided by its standard deviation. It can be switched"
        " off under Prepare.",
    )  # fmt: skip


def _samples(data: Dataset) -> None:
    """Pictures by class where there are any, and the first rows as numbers."""
    images = data.images
    if images is None:
        _first_rows(data)
        return
    pictures, rows = st.tabs(["Pictures", "First rows"])
    with rows:
        _first_rows(data)
    with pictures, st.container(height=TALL - 40, border=False), drawn("the pictures"):
        figure = cached(
            ("pictures by class", data.digest),
            lambda: figures.examples(images, data.labels, data.class_names),
        )
        what = "the first samples" if data.labels is None else "each class"
        st.plotly_chart(
            figure, key="examples", config={"displayModeBar": False},
            alt=f"Pictures of {what}: {data.n_points:,} pictures,"
            f" {data.n_classes or 'unknown'} classes.",
        )  # fmt: skip


def _first_rows(data: Dataset) -> None:
    count, width = min(ROWS, data.n_points), min(COLUMNS, data.n_features)
    # By number, as names may repeat; what is shown is set apart.
    names = data.feature_names or [f"x{k + 1}" for k in range(data.n_features)]
    table = pd.DataFrame(data.X[:count, :width], columns=[str(k) for k in range(width)])
    shown = {str(k): name for k, name in enumerate(names[:width])}
    if data.labels is not None:
        table.insert(0, "class", [data.class_names[k] for k in data.labels[:count]])
    if data.identifiers is not None:
        table.insert(0, "identifier", data.identifiers[:count])
    table.insert(0, "row", data.row_numbers[:count])
    part = f"the first {width} of {data.n_features:,} features" if width < data.n_features else ""
    st.markdown(f"First {count} rows" + (f", {part}" if part else ""))
    st.dataframe(
        table, key="first rows", height=35 * (count + 1) + 3, hide_index=True, column_config=shown,
        alt=f"The first {count} samples as numbers{', ' + part if part else ''}.",
    )  # fmt: skip


def _classes(data: Dataset) -> None:
    if data.labels is None:
        hidden = st.session_state.hide
        st.info(
            "The classes are hidden in this exercise."
            if hidden
            else "This data has no labels, so there are no class sizes. Clusters are found all the"
            " same; ACC and NMI need labels.",
            icon=":material/label_off:",
        )
        return
    sizes = loading.described(data).sizes
    st.plotly_chart(
        figures.class_sizes(data.class_names, sizes, height=TALL),
        key="class sizes",
        alt=f"Bars of the class sizes: {data.n_classes} classes of {sizes.min():,} to"
        f" {sizes.max():,} points.",
    )
    if 2 * data.n_classes > data.n_points > 4:
        st.warning(
            f"{data.n_classes:,} classes for {data.n_points:,} points: are these the labels? Choose"
            " another variable or column for them if not.",
            icon=":material/info:",
        )


def _norms(data: Dataset) -> None:
    norms = loading.described(data).norms
    st.plotly_chart(
        figures.norm_histogram(norms, height=CHART),
        key="norms",
        alt=f"Histogram of the norms of the samples, from {norms.min():.4g} to {norms.max():.4g}.",
    )


def _variance(data: Dataset) -> None:
    with st.spinner("Variance …"):
        curve, used = cached(("variance", data.digest), lambda: variance_curve(data, COMPONENTS))
    st.plotly_chart(
        figures.variance_kept(curve, st.session_state.pca, height=CHART),
        key="variance",
        alt=f"Variance kept by PCA: {curve[0]:.0%} by one component,"
        f" {curve[-1]:.0%} by {len(curve)}.",
    )
    if used < data.n_points:
        st.caption(f"From {used:,} points, drawn to save time.")
