"""Figures 1 to 4, the ratio Q and Hopkins155: charts like the paper's, and their figures."""

import streamlit as st

from pages.components.cells import cells
from pages.paper.opening_cells import open_cell, show_note
from pages.paper.parts import missing, origin, title
from pages.shared.tables import html_table
from sdsc_core.compare import TITLES
from sdsc_core.experiments import EXPERIMENTS, Results, beside, shipped
from sdsc_core.experiments import hopkins as motions
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.output import NAMES
from sdsc_core.experiments.printed import BEST_THETA, FASTER, HOPKINS
from sdsc_core.experiments.shipping import picture

OF_FIGURE_1 = ("acc", "nmi", "conn", "seconds")
SAID = {
    "figure1": "The paper has no numbers here, but says: IMC is "
    + " and ".join(f"{f:,.0f} times as fast as {m} at {n:,} points" for m, (n, f) in FASTER.items())
    + "; for few points SSC is more accurate, for many IMC.",
    "figure2": "The paper says that θ₁ = {theta1} and θ₂ = {theta2} are best.".format(**BEST_THETA),
    "figure3": "The paper says: SSSC takes longest and LSR least; IMC is faster than most, IMC-P"
    " faster than SSSC and BDR.",
    "figure4": "The paper shows both matrices, and says that entries inside classes become many,"
    " while those between increase little.",
    "qratio": "Eq. 13 predicts Q from the number of entries alone; the paper says that Q is below 1"
    " and τ about zero.",
}


def show(name: str) -> None:
    """One of the figures, or the ratio."""
    st.subheader(title(name), anchor=False)
    st.caption(SAID[name])
    results = shipped(name)
    if results is None:
        missing(name)
        return
    if name == "figure4":
        _pictures()
    charts = list(EXPERIMENTS[name].charts(results.rows).items())
    for k, (part, chart) in enumerate(charts):
        if k % 2 == 0:
            columns = st.columns(2) if len(charts) > 1 else [st.container()]
        with columns[k % 2]:
            st.plotly_chart(chart.to_figure(), key=f"{name} {part}", alt=chart.title)
    if name in ("figure1", "figure3"):
        _by_size(name, results)
    else:
        _by_row(name, results)
    origin(results)
    show_note()


def _pictures() -> None:
    columns = st.columns(2)
    for column, part, text in zip(columns, ("W", "W_star"), ("W by IMC", "W* by PCE"), strict=True):
        if drawn := picture("figure4", part):
            column.image(drawn, caption=text, width="stretch", alt=f"{text}, dark where it is high")


def _by_size(name: str, results: Results) -> None:
    """Methods by the number of points or subjects; what is too slow is marked."""
    figure = "seconds"
    if name == "figure1":
        st.segmented_control(
            "Measure", OF_FIGURE_1, key="measure", format_func=TITLES.__getitem__, required=True
        )
        figure = st.session_state.measure
    grid = beside.by_place(name, results.rows, figure)
    label = f"{TITLES[figure]} by {EXPERIMENTS[name].where}"
    clicked = cells(grid, EXPERIMENTS[name].where, label, f"cells {name}")
    if clicked is not None:
        line, column = clicked
        method, stage = ("IMC", "PCE") if line == "IMC-P" else (line, "none")
        of = "table2" if name == "figure3" else name  # the same draws
        open_cell(of, int(column.replace(",", "")), method, stage)


def _by_row(name: str, results: Results) -> None:
    """Each figure of each place or setting, mean ± standard error."""
    shown = EXPERIMENTS[name].shown
    groups: dict[str, list[dict[str, float | None]]] = {}
    for row in results.rows:
        groups.setdefault(row.setting or str(row.where), []).append(row.figures)
    lines = []
    for text, found in groups.items():
        line = [text]
        for figure in shown:
            values = [v for f in found if (v := f.get(figure)) is not None and v == v]
            line.append(_text(values, figure))
        lines.append([*line, str(len(found))])
    head = [EXPERIMENTS[name].where, *(NAMES.get(f, f) for f in shown), "draws"]
    html_table(head, lines, title(name))


def _text(values: list[float], figure: str) -> str:
    if not values:
        return "–"
    scale, places = (100, 1) if figure == "acc" else (1, 0 if "inside" in figure else 3)
    places = 0 if figure.startswith("between") else places
    mean = Mean.of(values, scale)
    error = f" ± {mean.error:,.{places}f}" if mean.draws > 1 else ""
    return f"{mean.value:,.{places}f}{error}"


def hopkins() -> None:
    """Clustering error by the number of motions, beside what authors published."""
    st.subheader("Hopkins155, segmentation of rigid motions: beyond the paper", anchor=False)
    found = motions.read(motions.MEASURED)
    lines = []
    for method in dict.fromkeys(cell.method for cell in found):
        line = [method]
        *published, who = HOPKINS.get(method, (None, None, ""))
        for n, paper in zip(motions.MOTIONS, published, strict=True):
            errors = [c.error for c in found if c.method == method and c.motions == n]
            mean = Mean.of(errors) if errors else None
            line.append("–" if mean is None else f"{mean.value:.2f} ± {mean.error:.2f}")
            line.append("" if paper is None else f"{paper:.2f}")
        lines.append([*line, who])
    head = ["method", "two motions", "published", "three motions", "published", "by"]
    html_table(head, lines, "Clustering error of Hopkins155")
    counts = [len({c.sequence for c in found if c.motions == n}) for n in motions.MOTIONS]
    st.caption(
        f"Mean clustering error (%) ± standard error over {counts[0]} sequences with two motions"
        f" and {counts[1]} with three, each method with its preset for motion."
    )
