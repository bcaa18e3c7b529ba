"""Prepare the data: classes, samples, PCA, norms; and what that does to it."""

import numpy as np
import pandas as pd
import streamlit as st

from pages.keep import choosing
from pages.shared import loading
from pages.shared.run import cached, largest_pca, patiently, spell_key
from pages.shared.settings import GAMMA_MAX, PREPARE, apply, chosen_rows, defaults, locked
from pages.shared.stop import compute_button, stopped
from pages.shared.text import escape_markdown
from sdsc_core import figures
from sdsc_core.blocks import Progress
from sdsc_core.datasets import Dataset, prepare, variance_curve
from sdsc_core.estimates import AFFINITY, estimate, in_words

LONG = 10  # seconds after which a warning is due
MANY = 20_000  # points, likewise
COMFORTABLE = 1000  # points to offer instead


def controls(raw: Dataset) -> None:
    """What can be changed; every change counts at once, on all screens."""
    state = st.session_state
    _keep_in_range(raw)
    choosing.notice()
    _class_choice(raw)
    left, right = st.columns(2)
    left.number_input(
        "Samples of each class" if raw.n_classes else "Number of samples", 0, 10**6,
        key="each", disabled=locked("each"),
        help="So many are drawn at random; 0: all of them.",
    )  # fmt: skip
    right.number_input(
        "Seed of the draw", 0, 2**31 - 1, key="draw", disabled=locked("draw") or not state.each,
        help="The same seed draws the same samples.",
    )  # fmt: skip
    _scattering(raw)
    st.number_input(
        "PCA dimensions", 0, largest_pca(raw), key="pca", disabled=locked("pca"),
        help=f"Keep so many principal components, from 2 to {largest_pca(raw):,}; 0: no PCA. The"
        " paper reduces USPS to 200 dimensions.",
    )  # fmt: skip
    st.toggle(
        "Standardise", key="standardise", disabled=locked("standardise"),
        help="Subtract each feature's mean and divide by its standard deviation, so that features"
        " in large units do not outweigh the others.",
    )  # fmt: skip
    st.toggle(
        "Centre", key="centre", disabled=locked("centre"),
        help="Subtract the mean sample. PCA and Standardise do so anyway.",
    )  # fmt: skip
    st.toggle(
        "Unit norm", key="unit", disabled=locked("unit"),
        help=r"Divide each sample by its $\ell_2$ norm. IMC does so by itself; it matters for what"
        " you see here and for other methods.",
    )  # fmt: skip
    st.button(
        "Undo all preparation", on_click=apply, args=(defaults(*PREPARE),), width="stretch",
        disabled=any(map(locked, PREPARE))
        or all(state[name] == value for name, value in defaults(*PREPARE).items()),
    )  # fmt: skip


def _keep_in_range(raw: Dataset) -> None:
    """An address may hold anything."""
    state = st.session_state
    state.classes = [k for k in state.classes if k < raw.n_classes]
    state.scattering = state.scattering and raw.images is not None
    state.pca = min(state.pca, largest_pca(raw))


def _scattering(raw: Dataset) -> None:
    """For pictures only: features that hardly change when a stroke moves a little."""
    images = raw.images
    if images is None:
        return
    st.toggle(
        "Scattering features", key="scattering", disabled=locked("scattering"),
        help="Wavelets of three scales and eight directions, taken twice, say what is drawn where,"
        " roughly: a stroke that moves by a pixel changes them little. The paper's vectors of"
        " MNIST are such features, reduced to 500 by PCA; they suit digits and other line"
        " drawings, less so faces under changing light.",
    )  # fmt: skip
    if st.session_state.scattering:
        st.plotly_chart(
            cached(("scattering shown", raw.digest), lambda: figures.scattering_maps(images)),
            key="scattering shown", config={"displayModeBar": False},
            alt="The first picture, and how strongly it shows lines of each direction and width.",
        )  # fmt: skip


def _class_choice(raw: Dataset) -> None:
    if st.session_state.hide:  # nothing of the classes goes to the browser
        st.multiselect("Classes", [], placeholder="Hidden in this exercise", disabled=True)
        return
    st.multiselect(
        "Classes", range(raw.n_classes), key="classes", format_func=raw.class_names.__getitem__,
        placeholder=f"All {raw.n_classes:,} classes" if raw.n_classes else "No labels",
        disabled=locked("classes") or raw.n_classes < 2,
        help="Only samples of these classes are used. None chosen: all.",
    )  # fmt: skip


def effect(raw: Dataset, data: Dataset) -> None:
    """What is left of the data, beside what was loaded, and what it will cost."""
    state = st.session_state
    if state.unprepared:
        st.error(
            f"{escape_markdown(state.unprepared)} Until then nothing is computed.",
            icon=":material/error:",
        )
        if stopped(state.unprepared):
            compute_button("preparing")
        return
    if state.pca == 1:
        st.warning(
            "PCA to 1 dimension leaves nothing to correlate; give at least 2, or 0 for none."
        )
    before, after = _facts(raw), _facts(data)
    after["Variance kept by PCA"] = _variance_kept(raw)
    before["Variance kept by PCA"] = "100 %"
    changed = any(state[name] != value for name, value in defaults(*PREPARE).items())
    table = pd.DataFrame({"as loaded": before, "prepared": after if changed else before})
    st.table(table)
    _class_sizes(raw, data)
    _cost(data)


def _facts(data: Dataset) -> dict[str, str]:
    found = loading.described(data)
    facts = {"Points": f"{data.n_points:,}", "Dimensions": f"{data.n_features:,}"}
    if not st.session_state.hide:
        facts["Classes"] = f"{data.n_classes:,}" if data.n_classes else "no labels"
    if len(found.sizes) and not st.session_state.hide:
        facts["Points of a class"] = _span(found.sizes.min(), found.sizes.max())
    facts["Norms"] = _span(found.norms.min(), found.norms.max())
    return facts


def _span(low: float, high: float) -> str:
    shown = [
        f"{value:,}"
        if isinstance(value, np.integer)
        else f"{value:,.0f}"
        if value >= 1000
        else f"{value:.4g}"
        for value in (low, high)
    ]
    return shown[0] if shown[0] == shown[1] else f"{shown[0]} to {shown[1]}"


def _variance_kept(raw: Dataset) -> str:
    """By PCA, of the chosen samples; the draw is made again, as only its result is kept."""
    state = st.session_state
    if state.pca < 2:
        return "100 %"

    pca, draw = state.pca, state.draw  # the session cannot be had where the work is done
    classes, each, scattering = state.classes or None, state.each or None, state.scattering
    only = chosen_rows(state)

    def share(tell: Progress | None) -> float:
        chosen = prepare(
            raw, only=only, classes=classes, per_class=each, scattering=scattering,
            random_state=draw, progress=tell,
        )  # fmt: skip
        return float(variance_curve(chosen, pca)[0][-1])

    key = (only, *(spell_key(state[name]) for name in PREPARE))
    kept = patiently("Measuring the variance that PCA keeps", ("kept", raw.digest, key), share)
    return f"{100 * kept:.1f} %"


def _class_sizes(raw: Dataset, data: Dataset) -> None:
    if raw.labels is None or st.session_state.hide:
        return
    left = dict(zip(data.class_names, loading.described(data).sizes, strict=True))
    chosen = [int(left.get(name, 0)) for name in raw.class_names]
    st.plotly_chart(
        figures.class_sizes(raw.class_names, loading.described(raw).sizes, chosen, height=260),
        key="class sizes prepared",
        alt=f"Bars of the class sizes before and after: {data.n_points:,} of {raw.n_points:,}"
        f" points in {data.n_classes} of {raw.n_classes} classes are left.",
    )


def _cost(data: Dataset) -> None:
    """How long the other screens will take, and a way out where that is too long."""
    # Explore runs IMC for all Γ ahead, and clusters by W and by W*.
    parts, picks = (AFFINITY, "none", "PCE"), {"n_iterations": GAMMA_MAX}
    seconds = estimate("IMC", data.n_points, data.n_features, parts=parts, params=picks)
    if seconds < LONG and data.n_points <= MANY:
        st.caption(f"Explore needs {in_words(seconds)} for this.")
        return
    groups = data.n_classes or 1
    each = max(10, COMFORTABLE // groups // 10 * 10)
    st.warning(
        f"{data.n_points:,} points are many: Explore needs {in_words(seconds)} for them on this"
        " machine. A draw shows the same within a moment.",
        icon=":material/hourglass_top:",
    )
    st.button(
        f"Draw {each:,} of each class" if data.n_classes else f"Draw {each:,} samples",
        on_click=apply, args=({"each": each},), disabled=locked("each"), type="primary",
    )  # fmt: skip
