"""Make subspaces: data of any size by its numbers, which stand in the address."""

from dataclasses import asdict

import streamlit as st

from pages.shared import loading
from pages.shared.text import escape_markdown
from sdsc_core.datasets import Limits, MadeSubspaces, named
from sdsc_core.datasets.by_name.made import MOST_NOISE, MOST_SEED

MOST = 10**8  # of what is counted; what is too large together is said
FIELDS = {
    "n_subspaces": ("Subspaces", 1, MOST, "The classes."),
    "dim": ("Dimension of each", 1, MOST, "Of a subspace through the origin, drawn at random."),
    "ambient": ("Dimension of the space", 2, MOST, "The features of a point."),
    "points_each": ("Points on each", 1, MOST, "Drawn at random, of norm 1."),
    "noise": ("Noise", 0.0, MOST_NOISE, "Length of the Gaussian noise added to a point of norm 1."),
    "seed": ("Seed of the data", 0, MOST_SEED, "The same numbers and seed make the same points."),
}


def show() -> None:
    """The numbers, what they would give, and the button."""
    st.caption(
        "Random points on random subspaces, as in the paper's synthetic data: try how many points,"
        " dimensions and how much noise a method takes. The address holds all of these numbers."
    )
    _follow_the_address()
    columns = [*st.columns(3), *st.columns(3)]  # one below the other in this order on a phone
    for i, (name, (label, low, high, text)) in enumerate(FIELDS.items()):
        step = 0.05 if name == "noise" else 1
        columns[i].number_input(
            label, low, high, key=_key(name), help=text, step=step, persist_state="session",
            format="%g" if name == "noise" else None,
        )  # fmt: skip
    wanted, problem = _wanted()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.button(
        "Make", key="make subspaces", type="primary", disabled=wanted is None,
        on_click=loading.use, args=(wanted.name if wanted else "",),
    )  # fmt: skip
    if wanted is not None:
        row.markdown(f"{wanted.title}.")
    else:
        row.error(escape_markdown(problem), icon=":material/error:")


def _key(name: str) -> str:
    return f"made {name}"


def _follow_the_address() -> None:
    """The numbers of the data in use, if it was made; else those that stood here before."""
    state = st.session_state
    found = named(state.data)
    new = isinstance(found, MadeSubspaces) and state.get("made_shown") != state.data
    numbers = found if isinstance(found, MadeSubspaces) and new else MadeSubspaces()
    for name, value in asdict(numbers).items():
        if new or _key(name) not in state:
            state[_key(name)] = value
    state.made_shown = state.data


def _wanted() -> tuple[MadeSubspaces | None, str]:
    """What the numbers say, or why it cannot be made."""
    try:
        numbers = {name: st.session_state[_key(name)] for name in FIELDS}
        return MadeSubspaces(**numbers).check(Limits.of_server()), ""
    except ValueError as problem:
        return None, str(problem)
