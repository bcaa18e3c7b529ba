"""The top of the spectrum of W and W*."""

from typing import Any

import streamlit as st

from pages.explore.notes import not_converged
from pages.shared.run import patiently, run_key
from sdsc_core import figures
from sdsc_core.run import Run, Side
from sdsc_core.sides import shown_eigenvalues


def show(run: Run) -> None:
    """The top of the spectrum of W and W*, with the gap."""
    for spot, name, side in zip(st.columns(2), ("W", "W*"), (run.before, run.after), strict=True):
        title = f"Eigenvalues of D⁻¹ᐟ²{name}D⁻¹ᐟ²"
        values = eigenvalues_of(run, name, side)
        spot.plotly_chart(
            figures.eigenvalues(values, side.k, title), key=f"eigenvalues {name}",
            alt=f"{title}: {', '.join(f'{v:.3f}' for v in values[:8])} and so on.",
        )  # fmt: skip
    for text in not_converged(run):
        st.warning(text, icon=":material/info:")
    if run.after.spectrum.regularised:
        st.caption(
            "The graph has more components than clusters, so weak links between all points were"
            " added before the eigenvectors were taken."
        )


def eigenvalues_of(run: Run, name: str, side: Side) -> Any:
    """More of them than clusters need: computed when they are looked at."""
    return patiently(
        f"Eigenvalues of {name}, products",
        ("eigenvalues", name, run_key(run)),
        lambda tell: shown_eigenvalues(side, tell),
    )
