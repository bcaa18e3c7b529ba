"""Step through, first part: IMC for one point."""

import numpy as np
import streamlit as st

from pages.components.points import Panel, points
from pages.components.sheet import sheet
from pages.components.step_point import PointView, Reading, step_point
from pages.shared.groups import groups
from pages.shared.run import cached, run_key
from pages.shared.sidebar import RESIDUALS
from pages.step import sentences
from sdsc_core import figures
from sdsc_core.run import Run
from sdsc_core.tracing import Trace, examples, trace

EXAMPLES = {
    "wrong": ("A wrong pick", "A point of which nearly all picks are right, and one is wrong."),
    "right": ("All right", "A point of which every pick is right."),
    "again": ("Picked again", "A point that picks another one twice."),
    "early": ("Early stop", "A point that stops before Γ, because nothing is left to compare."),
    "constant": ("Constant sample", "A sample without variance, which has no correlation."),
}
HOW = r"""
A point in a subspace can be put together from other points of that subspace. **IMC** (Algorithm 1)
looks for such points, one at a time. What is not yet put together is the *residual* $\psi$; at
first it is the whole point, $\psi_0 = x_i$. Each step $\gamma = 0, 1, \dots, \Gamma - 1$ compares,
picks and removes: press **Play**; the formulas stand below.
"""
COMPARE = r"""
**1. Compare** the residual with every other point, by Pearson's correlation: the bars.

$$
\rho_j = \frac{\sum_\delta (\psi_\delta - \overline{\psi})(x_{j\delta} - \overline{x_j})}
{\sqrt{\sum_\delta (\psi_\delta - \overline{\psi})^2}
\sqrt{\sum_\delta (x_{j\delta} - \overline{x_j})^2}}
$$
"""
PICK = r"""
**2. Pick** the point $j$ with the longest bar, and write it into the table $C$ of coefficients,
from which $W$ is made.

$$
j = \arg\max_{j \neq i} |\rho_j|, \quad c_{ij} = |\rho_j|
$$
"""
REMOVE = r"""
**3. Remove** what the pick explains, and go on with what is left.

$$
\psi_{\gamma+1} = \psi_\gamma - (\psi_\gamma \cdot x_j)\,x_j
$$
"""
WORDS = r"""
- **Norm** $\|\psi\|$: how long the residual is; every point starts with length 1.
- **Energy** $\|\psi\|^2$: the square of it. What a step removes, $(\psi \cdot x_j)^2$, and what is
  left add up to what was there.
- **Centred**: after the mean is taken off, as $\rho$ does. A vector whose entries are all equal is
  0 when centred, so it has no correlation.
- **Right and wrong**: a pick is right if it is of the point's own class. IMC does not know the
  classes; only this picture does.
- **Γ**, in the sidebar: how many picks each point makes.
"""
READINGS = r"""
The paper's step 5 compares *centred* vectors, its step 6 removes the *uncentred* share. **As
printed** does just that, so part of what was compared can stay, and a point can be picked again
soon. **Centred** takes the mean off every point first: then step 6 removes all that step 5 saw.
"""


def show(run: Run) -> None:
    """Choose a point, then go through its steps."""
    st.markdown(HOW)
    i = choose(run)
    state = st.session_state
    row = st.container(horizontal=True, vertical_alignment="center")
    row.toggle(
        "Both readings of the residual, side by side", key="beside",
        help="What changes if each sample is centred first. Off: the reading set in the sidebar.",
    )  # fmt: skip
    row.popover("Words used here").markdown(WORDS)
    if run.data.labels is None:
        st.info(
            "The true classes are not known here: a pick counts as right if it lies in the same of"
            f" the {run.n_clusters} clusters found from W*, which may themselves be wrong."
        )
    wanted = list(RESIDUALS) if state.beside else [run.settings.residual]
    traces = {residual: traced(run, i, residual) for residual in wanted}
    if state.beside:
        st.markdown(READINGS + sentences.compare(*traces.values()))
    view = view_of(run, traces)
    step_point(view)
    picture = "Residuals are drawn in grey: middle grey is 0, lighter is more, darker is less."
    curve = (
        "Curves run over the features of a sample, from first to last; the line in the middle is"
        " 0. The dashed curve is what the step removes."
    )
    st.caption(
        (picture if view.picture else curve)
        + " A solid frame and a dot mark a right pick, a dashed one and a cross a wrong one. Bars"
        " point down where the correlation is negative; only their length counts. Arrow keys on"
        " the slider step, a click on a row of the table goes to that step."
    )
    texts = (COMPARE, PICK, REMOVE)
    for spot, text in zip(st.container(key="formulas").columns([5, 4, 4]), texts, strict=True):
        spot.markdown(text)


def choose(run: Run) -> int:
    """The point: by number, by what happens to it, from the embedding or by its picture."""
    state, data, by = st.session_state, run.data, groups(run)
    s = run.settings
    # Without labels a pick counts by the clusters of W*, and those by every setting.
    key = ("examples", run_key(run))
    found = cached(key, lambda: examples(run.path, by.of, s.gamma))
    chosen = 0 <= state.point < data.n_points
    i = state.point if chosen else next(iter(found.values()), 0)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    state["step point"] = i
    row.number_input(
        f"Point i, 0 to {data.n_points - 1}", 0, data.n_points - 1, key="step point",
        on_change=_typed, args=(i,), width=180,
    )  # fmt: skip
    for name, point in found.items():
        title, text = EXAMPLES[name]
        row.button(
            title, key=f"example {name}", on_click=pick, args=(point,), help=text,
            type="primary" if point == i else "secondary",
        )  # fmt: skip
    if not chosen and found:
        st.caption(f"An example, until you choose one. {EXAMPLES[next(iter(found))][1]}")
    box = st.expander("Choose from the embedding or by picture", key="by eye", on_change="rerun")
    if box.open:
        with box:
            by_eye(run, i)
    return i


def _typed(shown: int) -> None:
    """Of a field that has left the page the browser tells what it showed: nobody typed that."""
    i = st.session_state["step point"]
    if i != shown:
        pick(i)


def pick(i: int) -> None:
    st.session_state.point, st.session_state.pair = int(i), None


def by_eye(run: Run, i: int) -> None:
    """Click a dot or a picture."""
    by = groups(run)
    left, right = st.columns(2)
    at = cached(
        ("projection", run_key(run)),
        lambda: figures.projection(run.after.spectrum, run.n_clusters, 2),
    )
    with left:
        points(
            [Panel("Spectral embedding from W*", at, np.zeros(len(at), bool), by.of)],
            by.names,
            key="step embedding",
            chosen=i,
            on_point=pick,
            alt=f"Spectral embedding of {run.data.n_points} points; point {i} is ringed.",
        )
    with right:
        if run.data.images is None:
            st.info("This data has no pictures; choose by number or in the embedding.")
        elif (j := sheet(run.data.images, by.of, by.names, i)) is not None:
            pick(j)
            st.rerun()


def traced(run: Run, i: int, residual: str) -> Trace:
    """The trace of a point under a reading, computed once."""
    s = run.settings
    key = ("trace", run.data.digest, i, s.gamma, residual, s.similarity)
    return cached(
        key,
        lambda: trace(
            run.data.X, i, s.gamma, residual=residual, similarity=s.similarity
        ),
    )  # fmt: skip


def view_of(run: Run, traces: dict[str, Trace]) -> PointView:
    """What is drawn, with its words."""
    by, s = groups(run), run.settings
    readings = tuple(
        Reading(
            f"Residual {RESIDUALS[residual]}", t,
            sentences.of_trace(t, by, residual, s.similarity),
        )
        for residual, t in traces.items()
    )  # fmt: skip
    data = run.data
    return PointView(readings, data.X, data.images, by.of, by.names, by.one, s.gamma)
