"""The guided tour's box on Explore: it sets a step's state and says the step's words.

`?tour=1` in the address starts it.
"""

from typing import Any

import streamlit as st

from pages.shared.projector import projecting
from pages.shared.settings import apply, defaults, in_exercise, publish
from pages.tour.steps import STATE, STEPS
from sdsc_core.run import Run


def shown_first() -> str:
    """The part of Explore that comes first: what a step speaks of, or in a room the matrices."""
    state = st.session_state
    if state.tour and not in_exercise():
        return STEPS[state.tour - 1].shows
    return "matrices" if projecting() else "headline"


def begin() -> Any:
    """The tour's box, above everything else; sets a step's state before the controls are made."""
    state = st.session_state
    if not state.tour or in_exercise():
        return None
    if state.get("toured") != state.tour:  # straight from the address
        given = any(state[name] != value for name, value in defaults(*STATE).items())
        state.toured = state.tour
        if not given:
            go(state.tour)
            publish()
    step = STEPS[state.tour - 1]
    box = st.container(border=True, key="tour")
    head = box.container(horizontal=True, vertical_alignment="center", key="tour head")
    head.markdown(f"**Tour, step {state.tour} of {len(STEPS)}: {step.title}** · {step.source}")
    head.button(
        "Back", on_click=go, args=(state.tour - 1,), disabled=state.tour == 1, key="tour back"
    )
    last = state.tour == len(STEPS)
    head.button(
        "Finish" if last else "Next", on_click=go, args=(0 if last else state.tour + 1,),
        type="primary", key="tour on",
    )  # fmt: skip
    head.button("Leave", on_click=go, args=(0,), key="tour leave")
    return box


def tell(box: Any, run: Run) -> None:
    """Fill the box with the step's words, now that the run they speak of is there."""
    if box is None:
        return
    step = STEPS[st.session_state.tour - 1]
    left, right = box.container(key="tour words").columns([5, 3], gap="medium")
    idea, here = step.text(run).split("\n\n")
    left.markdown(idea)
    left.latex(step.formula)
    left.markdown(here)
    right.markdown(f"**Look** {step.look_at}")
    right.markdown(f"**Try** {step.attempt}")


def go(number: int) -> None:
    """To a step and its state; 0 ends the tour and leaves the screen as it is."""
    state = st.session_state
    state.tour = state.toured = number
    state.pop("preset_words", None)
    if number:
        apply(STEPS[number - 1].settings())
