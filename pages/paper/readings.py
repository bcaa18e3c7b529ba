"""Which reading is the paper's, and which is best: the study of readings."""

from functools import lru_cache
from typing import NamedTuple

import streamlit as st

from pages.paper.parts import missing, origin, title
from pages.shared.tables import html_table
from pages.shared.text import escape_markdown
from sdsc_core.experiments import Results, shipped
from sdsc_core.experiments.readings import Confirmed, Effect, Reached, confirmed, judging
from sdsc_core.experiments.readings.standing import against_tables, named_presets
from sdsc_core.experiments.readings.wording import place_words, words

WHAT = (
    "The paper leaves points of its algorithms open; a reading settles each of them. Readings that"
    " did well in a screening of many are compared here on fresh draws. *As printed* is the default"
    " of this project; the others say what they change."
)


class Study(NamedTuple):
    """What follows from the rows: a third of a second of work."""

    confirmed: list[Confirmed]
    answers: list[str]
    not_reached: list[Reached]
    effects: list[Effect]


@lru_cache(maxsize=1)
def _study(results: Results) -> Study | None:
    found = confirmed(results.rows)
    if not found:
        return None
    every = judging.reached(judging.compared(results.rows))
    return Study(
        found, judging.answers(results.rows), [r for r in every if not r.holds],
        judging.effects(results.rows),
    )  # fmt: skip


def show() -> None:
    """The three answers, the confirmed readings, and what one factor does."""
    st.subheader(title("readings"), anchor=False)
    results = shipped("readings")
    study = _study(results) if results else None
    if results is None or study is None:
        missing("readings")
        return
    st.caption(WHAT)
    _answers(study)
    found = study.confirmed
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
        draws = max(e.gain.draws for e in study.effects) if study.effects else 0
        st.caption(f"On {draws} draws of the screening, draw by draw, ± standard error.")
        rows = [[words(e.change), words(e.centre), str(e.gain)] for e in study.effects]
        html_table(["change", "from", "gain of IMC-P overall, points"], rows, "Effects of factors")
    origin(results, "readings")


def _answers(study: Study) -> None:
    for text in [*study.answers, *against_tables(study.confirmed).values()]:
        st.markdown(escape_markdown(text))
    for name in named_presets(study.confirmed):
        st.markdown(
            f"The setting that is better on every set is the preset `{name}`:"
            f" `sdsc cluster FILE --preset {name}`, or *All-round reading* in the sidebar."
        )
    if study.not_reached:
        rows = [[place_words(r.place), r.name, f"{r.paper:.1f}", str(r.best),
                 words(r.text)] for r in study.not_reached]  # fmt: skip
        html_table(["set", "figure", "paper", "best of ours", "by"], rows, "Figures not reached")
