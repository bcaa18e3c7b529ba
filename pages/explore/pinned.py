"""A pinned run A, to compare what comes after with it."""

from dataclasses import replace

import streamlit as st

from pages.components.matrix import matrix
from pages.shared.matrix_view import matrix_view
from pages.shared.sidebar import RESIDUALS, SIMILARITIES
from sdsc_core import figures
from sdsc_core.run import Run


def buttons(run: Run) -> None:
    """Keep the present run as A; what comes after is B."""
    state = st.session_state
    st.button(
        "Pin as A", on_click=lambda: state.update(pinned=run),
        help="Keep this result and compare what you do next with it.",
    )  # fmt: skip
    st.button("Unpin", on_click=lambda: state.pop("pinned", None), disabled="pinned" not in state)


def matrices(run: Run) -> None:
    """W* of the pinned run A beside that of B, where both are of the same data."""
    pinned: Run | None = st.session_state.get("pinned")
    if pinned is None or pinned.data.digest != run.data.digest:
        return
    view = matrix_view(run, key="pinned_matrix", view="both")
    both = figures.matrix_view(pinned.after.W, run.after.W, view.index, merge=view.merge)
    drawn = replace(
        view, rows=both.rows, cols=both.cols, w=both.w, star=both.star, cause=both.cause,
        cell=both.cell, whole=both.whole, held=both.held, symbols=("w* in A", "w* in B"),
        panels=(
            ("w", f"A: W* ({difference(pinned, run)})"),
            ("star", f"B: W* ({difference(run, pinned)})"),
        ),
        alt="W* of the pinned run A beside W* of the present run B.",
    )  # fmt: skip
    matrix(drawn, key="pinned_matrix", choice=False)


def settings_in_words(run: Run) -> list[str]:
    """The settings of a run in words; θ only where PCE uses it."""
    s = run.settings
    thetas = [f"θ₁ = {s.theta1:.2f}", f"θ₂ = {s.theta2:.2f}"] if s.dense == "PCE" else []
    return [
        f"Γ = {s.gamma}", s.dense or "no dense stage", *thetas,
        f"residual {RESIDUALS[s.residual]}", f"similarity {SIMILARITIES[s.similarity]}",
        f"seed {s.seed}", f"{run.n_clusters} clusters",
    ]  # fmt: skip


def difference(run: Run, other: Run) -> str:
    known = settings_in_words(other)
    return (
        ", ".join(words for words in settings_in_words(run) if words not in known)
        or "same settings"
    )
