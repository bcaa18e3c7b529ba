"""Suggest settings: which to take without a look at labels, and how far to trust that."""

import streamlit as st

from pages.shared.tables import html_table
from pages.shared.text import number, percent
from pages.sweep import taking
from pages.sweep.running import Plan
from sdsc_core.experiments import criteria
from sdsc_core.figures.sweeps import figure_text
from sdsc_core.sweeping import (
    CRITERIA,
    FIGURES,
    TOGETHER,
    Outcome,
    best,
    describe,
    known_figures,
    scores,
    title_of,
)

MANY_ASTRAY = 0.5  # of the points, beyond which clusters are no subspaces


def show(plan: Plan, outcomes: list[Outcome]) -> None:
    """The setting that the best criterion puts first, with what was measured of that criterion."""
    evidence = criteria.read()
    known = [*known_figures(outcomes, CRITERIA), TOGETHER]
    criterion = criteria.preferred(evidence, known)
    trusted = {t.criterion: t for t in criteria.trust(evidence)}
    st.subheader("Suggest settings", anchor=False)
    outcome = best(outcomes, criterion)
    with st.container(border=True, key="suggestion"):
        left, right = taking.beside_button("suggested")
        so_far = "" if len(outcomes) == len(plan.settings) else "So far "
        text = (
            f"{so_far}**{describe(outcome.settings)}**, by {_reason(outcomes, outcome, criterion)}"
        )
        if outcome.values("acc").size:
            top = best(outcomes, "acc")
            text += (
                f". Its ACC is {figure_text(outcome, 'acc')}, at which the suggestion does not"
                f" look; the best of the grid has {figure_text(top, 'acc')}"
            )
        left.markdown(f"{text}.")
        taking.open_button(plan, outcome, "suggested", right)
        if outcome.mean("astray") > MANY_ASTRAY:
            st.warning(
                f"Even so {figure_text(outcome, 'astray')} of the points lie nearer to another"
                " cluster's subspace: no setting of the grid suits this data, or the number of"
                " clusters does not. Ask on Compare what helps.",
                icon=":material/warning:",
            )
        if criterion in trusted:
            fair = criteria.left_out(evidence, known)
            parts = [
                trusted[criterion].sentence,
                _otherwise(trusted),
                fair.sentence if fair else "",
            ]
            st.markdown(f"**How far to trust it.** {' '.join(filter(None, parts))}")
    better = criteria.preferred(evidence)
    if better not in known and better in trusted:
        st.caption(
            f"{title_of(better).capitalize()} was the better guide there"
            f" ({100 * trusted[better].regret:.1f} points below the best in the mean); it needs"
            " several draws and seeds: press *Suggest settings* above."
        )
    if evidence:
        with st.expander("What was measured"):
            _evidence(evidence)


def _reason(outcomes: list[Outcome], chosen: Outcome, criterion: str) -> str:
    """The criterion in words, its value, and how many others have the same."""
    if criterion not in FIGURES:
        return title_of(criterion)
    figure, mine = FIGURES[criterion], scores([chosen], criterion)[0]
    least = "lowest" if figure.better < 0 else "highest"
    same = int((scores(outcomes, criterion).round(9) == mine.round(9)).sum()) - 1
    words = f"*{figure.title}*, {figure.help}: {figure_text(chosen, criterion)}, the {least} of all"
    if same:
        have = "another setting has" if same == 1 else f"{same} other settings have"
        words += f"; {have} the same, and of these it comes first by all criteria together"
    return words


def _otherwise(trusted: dict[str, criteria.Trust]) -> str:
    """What one would have without it."""
    others = {
        criteria.USUAL: "the paper's values are",
        criteria.ANY: "a setting taken at random is",
    }
    parts = [
        f"{words} {100 * trusted[name].regret:.1f}"
        for name, words in others.items()
        if name in trusted
    ]
    return f"For comparison, {' and '.join(parts)} points below." if parts else ""


def _evidence(evidence: list[criteria.Evidence]) -> None:
    """Each criterion over all sets, then set by set."""
    rows = [
        [t.title, number(t.spearman, 2), percent(t.regret), percent(t.worst), percent(t.within, 0)]
        for t in criteria.trust(evidence)
    ]
    html_table(
        ["criterion", "correlation with ACC", "mean regret", "worst", "within 5 points"],
        rows, "Criteria without labels against true ACC",
    )  # fmt: skip
    st.caption(
        "Over labelled sets, on each the same grid: Spearman's correlation of the criterion with"
        " true ACC over the settings; regret is the ACC of the best setting minus that of the one"
        " which the criterion puts first. `sdsc reproduce criteria` measures it again."
    )
    names = [t.criterion for t in criteria.trust(evidence)]
    titles = {t.criterion: t.title for t in criteria.trust(evidence)}
    of = {(e.criterion, e.data): e for e in evidence}
    lines = []
    for data in dict.fromkeys(e.data for e in evidence):
        own = [of.get((name, data)) for name in names]
        lines.append([data, *(percent(e.regret) if e else "–" for e in own)])
    html_table(["regret on", *(titles[name] for name in names)], lines, "Regret on each set")
