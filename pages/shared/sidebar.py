"""The controls that every screen shares: data, clusters, and the method's parameters."""

import streamlit as st

from pages.exercise.asking import show_notice
from pages.exercise.making import make
from pages.shared.loading import reset_for_new_data, restore, title
from pages.shared.presets import PRESETS, Preset
from pages.shared.settings import (
    BEYOND,
    GAMMA_MAX,
    METHOD,
    STAGES,
    apply,
    defaults,
    in_exercise,
    locked,
    order_thetas,
    without_labels,
)
from sdsc_core.datasets import SAMPLES, Dataset
from sdsc_core.dense import DENSE
from sdsc_core.spectral import MOST_CLUSTERS

RESIDUALS = {"as_printed": "as printed", "centred": "centred"}
SIMILARITIES = {"residual": "with residual", "pair": "of the pair"}


def choose_data() -> None:
    """The data set: samples, and what the user loaded."""
    show_notice()
    restore(st.session_state.data)
    loaded = st.session_state.setdefault("loaded", {})
    names = [*SAMPLES, *loaded]
    if st.session_state.data not in names:
        names.append(st.session_state.data)  # the screen says that it must be loaded again
    if st.session_state.hide:
        return  # the names of the data sets speak of their classes
    st.sidebar.selectbox(
        "Data set",
        names,
        key="data",
        format_func=title,
        on_change=reset_for_new_data,
        help="Built-in samples, and what you loaded on the Data screen.",
        disabled=locked("data"),
    )


def presets() -> None:
    """A state of the app for each thing to see."""
    if in_exercise():
        return
    if st.sidebar.button("Presets", width="stretch"):
        _choose_preset()


@st.dialog("Presets", width="medium")
def _choose_preset() -> None:
    """All of them at once; a choice closes the list, which would hide what there is to see."""
    columns = st.columns(2)
    for k, preset in enumerate(PRESETS):
        spot = columns[k % 2]
        if spot.button(preset.title, on_click=_use, args=(preset,), width="stretch"):
            st.rerun()
        spot.caption(preset.look_for)


def _use(preset: Preset) -> None:
    apply(preset.settings())
    st.session_state.preset_words = preset.look_for


def clusters(data: Dataset) -> None:
    """How many clusters, and where the number comes from."""
    choices = {"known": f"known ({data.n_classes})", "gap": "eigengap", "own": "own"}
    state = st.session_state
    without_labels("clusters", "known", "gap", bool(data.n_classes))
    if not data.n_classes:
        del choices["known"]
    st.sidebar.segmented_control(
        "Clusters n",
        list(choices),
        key="clusters",
        format_func=choices.__getitem__,
        required=True,
        help="$n$, the number of subspaces: known from the labels, suggested by the widest gap"
        " between eigenvalues of $D^{-1/2}W^*D^{-1/2}$ (for W by itself, of its own), at most"
        f" {MOST_CLUSTERS}, or your own.",
        disabled=locked("clusters"),
    )
    if state.clusters == "own":
        most = max(1, data.n_points)
        state.k = min(state.k, most)
        st.sidebar.number_input("Number of clusters", 1, most, key="k", disabled=locked("k"))


def method(data: Dataset) -> None:
    """Γ, θ, the dense stage and the readings, each with its formula and a sentence."""
    side, top = st.sidebar, max(1, min(GAMMA_MAX, data.n_points - 1))
    st.session_state.gamma = min(st.session_state.gamma, top)
    if top > 1:
        side.slider(
            "Γ, picks for each point", 1, top, key="gamma", disabled=locked("gamma"),
            help=r"Algorithm 1 picks $\arg\max_j |\rho_{\psi_\gamma x_j}|$ for $\gamma = 0, \dots,"
            r" \Gamma - 1$. More picks link more points, right and wrong ones.",
        )  # fmt: skip
    side.segmented_control(
        "Dense stage", STAGES, key="dense", required=True, disabled=locked("dense"),
        help="  \n".join(f"**{s.name}**, {s.title}: ${s.formula}$" for s in DENSE.values())
        + "  \nPCE and D1–D3, the paper's, raise $w_{ij}$ where a third point links $i$ and $j$;"
        " the others go beyond it, and lower entries too.",
    )  # fmt: skip
    stage_parameters()
    helps = (
        r"$w > \theta_1$ is *extremely strong*. Two such links make a third:"
        r" $w^*_{ij} = \frac{1}{2}(w_{ik} + w_{kj})$.",
        r"$\theta_2 < w \le \theta_1$ is *strong*. With one extremely strong link"
        r" $w^*_{ij} = \min(w_{ik}, w_{kj})$; two strong ones fill a zero by half the larger.",
        r"$\theta_3 < w \le \theta_2$ is *medium*, below is *weak*. No rule of the paper uses"
        r" $\theta_3$; it only marks the colour scale.",
    )
    for i, text in enumerate(helps, 1):
        side.slider(
            f"θ{'₁₂₃'[i - 1]}", 0.0, 1.0, step=0.01, key=f"theta{i}", on_change=order_thetas,
            args=(f"theta{i}",), help=text,
            disabled=locked(f"theta{i}") or (i < 3 and st.session_state.dense != "PCE"),
        )  # fmt: skip
    readings(data)
    make(data)


def stage_parameters() -> None:
    """What the chosen dense stage can be set to, where it is none of the paper's."""
    stage = DENSE.get(st.session_state.dense)
    for p in stage.parameters if stage else ():
        if p.name in BEYOND:
            st.sidebar.slider(
                p.title, p.low, p.high, key=p.name, disabled=locked(p.name),
                help=f"{p.help[0].upper()}{p.help[1:]}.",
            )  # fmt: skip


def readings(data: Dataset) -> None:
    """Where the paper can be read in two ways, and the seed."""
    side = st.sidebar
    side.segmented_control(
        "Residual", list(RESIDUALS), key="residual", format_func=RESIDUALS.__getitem__,
        required=True, disabled=locked("residual"),
        help=r"Step 5 picks by centred correlation, step 6 removes the uncentred projection"
        r" $(\psi \cdot x_j)x_j$, *as printed*. *Centred* centres each sample first, so that both"
        " speak of the same thing.",
    )  # fmt: skip
    side.segmented_control(
        "Similarity cᵢⱼ", list(SIMILARITIES), key="similarity",
        format_func=SIMILARITIES.__getitem__, required=True, disabled=locked("similarity"),
        help=r"$c_{ij}$ holds $|\rho|$ of $x_j$ with the *residual*, as printed, or with $x_i$"
        " itself (*of the pair*).",
    )  # fmt: skip
    side.number_input(
        "Seed", 0, 2**31 - 1, key="seed", disabled=locked("seed"),
        help="Starts the eigensolver and k-means; the same seed gives the same result.",
    )  # fmt: skip
    side.button(
        "Reset to the paper's values", on_click=apply, args=(defaults(*METHOD),), width="stretch",
        help="Γ = 6, θ₁ = 0.8, θ₂ = 0.6, PCE, both readings as printed.",
        disabled=bool(st.session_state.lock),
    )  # fmt: skip
