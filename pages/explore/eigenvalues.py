"""The top of the spectrum of W and W*."""

import streamlit as st

from pages.explore.notes import not_converged
from sdsc_core import figures
from sdsc_core.run import Run


def show(run: Run) -> None:
    """The top of the spectrum of W and W*, with the gap."""
    for spot, name, side in zip(st.columns(2), ("W", "W*"), (run.before, run.after), strict=True):
        title = f"Eigenvalues of D⁻¹ᐟ²{name}D⁻¹ᐟ²"
        values = side.spectrum.eigenvalues
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
