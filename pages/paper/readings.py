"""Which reading is the paper's, and which is best: the study of readings."""

import streamlit as st

from pages.paper.parts import missing, origin, title
from pages.shared.tables import html_table
from pages.shared.text import escape_markdown
from sdsc_core.experiments import shipped
from sdsc_core.experiments.readings import Confirmed, confirmed, effects, judging, reached
from sdsc_core.experiments.readings.standing import against_tables, named_presets
from sdsc_core.experiments.readings.wording import place_words, words

WHAT = (
    "The paper leaves points of its algorithms open; a reading settles each of them. Readings that"
    " did well in a screening of many are compared here on fresh draws. *As printed* is the default"
    " of this project; the others say what they change."
)


def show() -> None:
    """The three answers, the confirmed readings, and what one factor does."""
    st.subheader(title("readings"), anchor=False)
    results = shipped("readings")
    found = confirmed(results.rows) if results else []
    if results is None or not found:
        missing("readings")
        return
    st.caption(WHAT)
    _answers(found)
    places = list(found[0].dense)
    paper = ["the paper", *(judging.paper_text(p) for p in places)]
    lines = [[words(c.text), *(judging.cell_text(c, p) for p in places)] for c in found]
    heads = ["reading", *map(place_words, places)]
    html_table(heads, [paper, *lines], "ACC of confirmed readings")
    st.caption(
        "ACC (%) of IMC-P ± standard error, IMC in brackets. These readings were chosen on other"
        " draws, and one serves all sets; which of them is best is said by these draws."
    )
    with st.expander("One factor changed at a time"):
        rows = [[words(e.change), words(e.centre), str(e.gain)]
                for e in effects(results.rows)]  # fmt: skip
        html_table(["change", "from", "gain of IMC-P overall, points"], rows, "Effects of factors")
    origin(results, "readings")


def _answers(found: list[Confirmed]) -> None:
    for text in [*judging.answers(found), *against_tables(found).values()]:
        st.markdown(escape_markdown(text))
    for name in named_presets(found):
        st.markdown(
            f"The setting that is better on every set is the preset `{name}`:"
            f" `sdsc cluster FILE --preset {name}`, or *All-round reading* in the sidebar."
        )
    short = [r for r in reached(found) if not r.holds]
    if short:
        rows = [[place_words(r.place), r.name, f"{r.paper:.1f}", str(r.best),
                 words(r.text)] for r in short]  # fmt: skip
        html_table(["set", "figure", "paper", "best of ours", "by"], rows, "Figures not reached")
