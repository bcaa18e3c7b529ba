"""From the sweep to Explore: the chosen setting with its figures, and the best ones."""

from typing import Any

import streamlit as st

from pages.shared.settings import BEYOND, apply, go_to
from pages.shared.text import escape_markdown
from pages.sweep.running import Plan
from sdsc_core.figures.sweeps import value_text
from sdsc_core.settings import spell_setting
from sdsc_core.sweeping import FIGURES, Outcome, describe, known_figures, scores

SHOWN = 5


def choice(outcomes: list[Outcome]) -> Outcome | None:
    """The chosen one, where it is among these."""
    wanted = st.session_state.get("chosen_setting")
    return next((o for o in outcomes if o.key == wanted), None)


def beside_button(name: str) -> Any:
    """A wide column and one for a button, which keeps its words in one line."""
    with st.container(key=f"with-button-{name}"):
        return st.columns([4, 1], vertical_alignment="center")


def open_button(plan: Plan, outcome: Outcome, name: str, spot: Any = st) -> None:
    """Takes a setting over into Explore."""
    spot.button(
        "Open in Explore", key=f"take {name}", icon=":material/arrow_forward:",
        on_click=take, args=(plan, outcome),
    )  # fmt: skip


def take(plan: Plan, outcome: Outcome) -> None:
    """For callbacks: the next run leaves for Explore; Back finds this setting marked."""
    s = outcome.settings
    st.session_state.chosen_setting = outcome.key
    values: dict[str, Any] = {
        "gamma": s.gamma, "dense": spell_setting(s.dense), "residual": s.residual,
        "similarity": s.similarity, "seed": plan.seeds[0],
        **{name: getattr(s, name) for name in BEYOND},
    }  # fmt: skip
    if s.dense == "PCE":
        values |= {"theta1": s.theta1, "theta2": s.theta2}
    known = plan.n_clusters == plan.data.n_classes
    values |= {"clusters": "known"} if known else {"clusters": "own", "k": plan.n_clusters}
    st.session_state.take_over = values


def leave() -> None:
    """To Explore with the setting that was taken, before any widget holds on to the old one.

    Not in the button's own run, whose address would get the new settings too: Back must find the
    sweep in one step.
    """
    values = st.session_state.pop("take_over", None)
    if values is not None:
        apply(values)
        go_to("pages/explore/page.py")


def chosen(plan: Plan, outcomes: list[Outcome]) -> None:
    """The setting that was taken last, with all that is known of it."""
    outcome = choice(outcomes)
    if outcome is None:
        return
    with st.container(border=True, key="chosen setting"):
        left, right = beside_button("chosen")
        texts = [value_text(outcome, name) for name in known_figures([outcome])]
        left.markdown(f"**{describe(outcome.settings)}**  \n" + " · ".join(texts))
        open_button(plan, outcome, "chosen", right)
        if outcome.message:
            st.caption(escape_markdown(outcome.message))


def best_settings(plan: Plan, outcomes: list[Outcome], figure: str) -> None:
    """The best by the figure on the screen, each one click from Explore."""
    if not FIGURES[figure].better:
        return
    order = scores(outcomes, figure).argsort(kind="stable")[::-1][:SHOWN]
    st.subheader(f"Best by {FIGURES[figure].title}", anchor=False)
    for number, k in enumerate(order):
        outcome = outcomes[k]
        left, right = beside_button(f"best-{number}")
        left.markdown(f"**{describe(outcome.settings)}**: {value_text(outcome, figure)}")
        open_button(plan, outcome, f"best {number}", right)
