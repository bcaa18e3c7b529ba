"""Which reading is the paper's, and which is best: the study of readings."""

import streamlit as st

from pages.paper.parts import missing, origin, title
from pages.shared.tables import html_table
from pages.shared.text import escape_markdown
from sdsc_core.experiments import shipped
from sdsc_core.experiments.readings import Confirmed, confirmed, effects, judging, reached


def show() -> None:
    """The three answers, the confirmed readings, and what one factor does."""
    st.subheader(title("readings"), anchor=False)
    results = shipped("readings")
    found = confirmed(results.rows) if results else []
    if results is None or not found:
        missing("readings")
        return
    _answers(found)
    places = list(found[0].dense)
    paper = ["the paper", *(judging.paper_text(p) for p in places)]
    lines = [[c.text, *(judging.cell_text(c, p) for p in places)] for c in found]
    html_table(["reading", *places], [paper, *lines], "ACC of confirmed readings")
    st.caption(
        "ACC (%) of IMC-P ± standard error, IMC in brackets. These readings were chosen on other"
        " draws, and one serves all sets; which of them is best is said by these draws."
    )
    with st.expander("One factor changed at a time"):
        rows = [[e.change, e.centre, str(e.gain)] for e in effects(results.rows)]
        html_table(["change", "from", "gain of IMC-P overall, points"], rows, "Effects of factors")
    origin(results)


def _answers(found: list[Confirmed]) -> None:
    for text in judging.answers(found):
        st.markdown(escape_markdown(text))
    short = [r for r in reached(found) if not r.holds]
    if short:
        rows = [[r.place, r.name, f"{r.paper:.1f}", str(r.best), r.text] for r in short]
        html_table(["set", "figure", "paper", "best of ours", "by"], rows, "Figures not reached")
