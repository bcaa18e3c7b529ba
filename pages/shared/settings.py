"""All settings, in one table: their defaults, what is allowed, and how the address spells them.

Settings live in the session under their own names, which are also the keys of the widgets. They
are read from the address when a session begins or the browser goes back or forward, and written
back on every run; unlike Streamlit's binding of single widgets this restores a setting whose widget
is on another screen.

Streamlit lets go of a widget's value when a page without it begins, and a run may be cut short
anywhere, by a click or by a fragment. So every run begins by rebuilding all settings from a copy of
our own, which no widget has the key of, and callbacks that read a setting do so too (`rebuild`).
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages.address.readers import (
    axis,
    data_name,
    flag,
    indices,
    number,
    one_of,
    point_pair,
    rows,
    whole,
    words,
)
from pages.address.thetas import ordered_thetas
from pages.exercise.sealing import Exercise, unseal
from pages.shared.streamlit_inside import went_back
from sdsc_core.dense import DENSE_STAGES, PARAMETERS
from sdsc_core.settings import NONE, RunSettings, read_setting, spell_setting
from sdsc_core.sweeping import AXES, FIGURES

GAMMA_MAX = 20  # of the slider
GAMMA_UNSAID = 5  # what an address that speaks of other settings but not of Γ means: it was made
# when 5 was the default. Addresses with anything in them name Γ now; see `query`.
SINCE = {"tour", "projector", "merge", "exercise"}  # the first sets Γ by itself, others are younger
MOST_ROWS = 1500  # letters of row numbers that an address holds; longer lists have a name instead
STAGES = tuple(map(spell_setting, DENSE_STAGES))
# Parameters of the dense stages beyond the paper; θ have an order, and hops no widget.
BEYOND = tuple(name for name in PARAMETERS if name not in ("theta1", "theta2", "hops"))
PAPER_PARTS = {
    "claims": "Verdicts", "table2": "Table 2", "table3": "Table 3", "table4": "Table 4",
    "figure1": "Figure 1", "figure2": "Figure 2", "figure3": "Figure 3", "figure4": "Figure 4",
    "qratio": "Ratio Q", "hopkins": "Hopkins155", "readings": "Readings",
}  # fmt: skip  # what the Paper screen shows one at a time, by its name in the address
SORTS = ("worst", "change", "after", "before", "i", "j", "condition", "witness")


@dataclass(frozen=True)
class Setting:
    """A default, and a function that turns the address's text into a value or raises ValueError."""

    default: Any
    read: Callable[[str], Any]


def names(text: str) -> list[str]:
    """Reader of names, as gamma.theta1."""
    return [part for part in text.split(".") if part in SETTINGS]


def of_run(name: str, low: float = -inf, high: float = inf) -> Setting:
    """A setting of the library's `RunSettings`, within the range of its slider."""
    default = getattr(RunSettings(), name)

    def read(text: str) -> Any:
        value = read_setting(name, text)
        if isinstance(value, float):
            value = round(value, 2)
        if value is not None and not isinstance(value, str) and not low <= value <= high:
            raise ValueError
        return NONE if value is None else value

    return Setting(NONE if default is None else default, read)


SETTINGS: dict[str, Setting] = {
    "data": Setting("faces", data_name),
    "clusters": Setting("known", one_of("known", "gap", "own")),
    "k": Setting(2, whole(1, 10**6)),
    "gamma": of_run("gamma", high=GAMMA_MAX),
    "theta1": of_run("theta1", 0.02, 1.0),
    "theta2": of_run("theta2", 0.01, 0.99),
    "theta3": Setting(0.3, number(0.0, 0.98)),
    "dense": of_run("dense"),
    **{name: of_run(name, PARAMETERS[name].low, PARAMETERS[name].high) for name in BEYOND},
    "residual": of_run("residual"),
    "similarity": of_run("similarity"),
    "seed": of_run("seed", high=2**31 - 1),
    "order": Setting("class", one_of("class", "cluster", "loaded")),
    "colour": Setting("linear", one_of("linear", "log")),
    "view": Setting("both", one_of("both", "change")),
    "dims": Setting("2-D", one_of("2-D", "3-D")),
    "paint": Setting("class", one_of("class", "cluster")),
    "only": Setting("", rows),
    "classes": Setting([], indices),
    "each": Setting(0, whole(0, 10**6)),
    "scattering": Setting(False, flag),
    "pca": Setting(0, whole(0, 10**5)),
    "unit": Setting(False, flag),
    "centre": Setting(False, flag),
    "standardise": Setting(False, flag),
    "draw": Setting(0, whole(0, 2**31 - 1)),
    "point": Setting(-1, whole(-1, 10**9)),
    "pair": Setting(None, point_pair),
    "step": Setting("point", one_of("point", "pair", "stage")),
    "beside": Setting(False, flag),
    "sort": Setting("worst", one_of(*SORTS)),
    "where": Setting("all", one_of("all", "inside", "between")),
    "conditions": Setting([], indices),
    "groups": Setting([], indices),
    "sheet": Setting(1, whole(1, 10**6)),
    "dimension": Setting(0, whole(0, 10**6)),
    "affine": Setting(False, flag),
    "cluster": Setting(0, whole(0, 10**6)),
    "tour": Setting(0, whole(0, 7)),
    "methods": Setting(["IMC", "SSC", "OMP", "LSR"], words),
    "stages": Setting(["none", "D1", "D3"], words),
    "repeats": Setting(1, whole(1, 100)),
    "budget": Setting(30, whole(1, 3600)),
    "grid_gamma": Setting("3:12", axis("gamma")),
    "grid_theta1": Setting("0.65:0.95:0.05", axis("theta1")),
    "grid_theta2": Setting("0.45:0.75:0.05", axis("theta2")),
    "grid_dense": Setting(["PCE"], words),
    "grid_residual": Setting(["as_printed"], words),
    "grid_similarity": Setting(["residual"], words),
    "lines": Setting(False, flag),
    "judge": Setting(False, flag),
    "draws": Setting(1, whole(1, 20)),
    "seeds": Setting(1, whole(1, 20)),
    "swept": Setting("acc", one_of(*FIGURES)),
    "across": Setting("gamma", one_of(*AXES)),
    "down": Setting("theta1", one_of(*AXES)),
    "part": Setting("claims", one_of(*PAPER_PARTS)),
    "samples": Setting(500, lambda text: int(one_of("500", "1000", "2000", "3000")(text))),
    "measure": Setting("acc", one_of("acc", "nmi", "conn", "seconds")),
    "statistic": Setting("mean", one_of("mean", "median", "standard deviation")),
    "hide": Setting(False, flag),
    "lock": Setting([], names),
    "exercise": Setting("", str),  # sealed by a teacher, see pages/exercise
    "projector": Setting(False, flag),
    "merge": Setting("auto", one_of("auto", "max", "mean", "density")),
}
METHOD = ("gamma", "theta1", "theta2", "theta3", "dense", *BEYOND, "residual", "similarity", "seed")
PREPARE = ("only", "classes", "each", "scattering", "pca", "unit", "centre", "standardise", "draw")
OF_DATA = ("data", *PREPARE)


def spell(value: Any) -> str:
    """A value as the address holds it."""
    if isinstance(value, bool):
        return str(int(value))
    return ".".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def query(values: dict[str, Any]) -> dict[str, str]:
    """What of these settings the address says: what differs from the defaults, and then also Γ."""
    differing = {
        name: spell(value)
        for name, value in values.items()
        if spell(value) != spell(SETTINGS[name].default)
    }
    return differing | ({"gamma": spell(values["gamma"])} if differing else {})


def begin() -> dict[str, str]:
    """Once for each run, before any widget: all settings, whatever became of their widgets.

    Gives the address that says them. A ValueError where it holds an exercise that cannot be opened.
    """
    state = st.session_state
    seen = state.to_dict()  # at once: each look at the state by itself takes 10 µs
    kept: dict[str, Any] | None = seen.get("settings")
    back = kept is not None and went_back()  # the address does not tell: a click has an old one too
    if kept is None:
        token = st.query_params.get("exercise", "")
        state.sealed = unseal(token) if token else None
        values = from_address()
    elif back:
        values = from_address() | {name: kept[name] for name in ("hide", "lock", "exercise")}
        state.pop("preset_words", None)  # a preset's words may be about what is undone
    else:
        values = {name: seen.get(name, kept[name]) for name in SETTINGS}
    state.settings = values  # in one step: the lines around it may be where a run is cut short
    for name, value in values.items():
        _set(name, value, name in seen)
    state.run_number = seen.get("run_number", 0) + 1
    wanted = publish()
    if not back and st.context.url is not None:  # it stands here in its own right from now on
        seen.get("passed", {}).pop(_place(wanted), None)
    return wanted


def _set(key: str, value: Any, there: bool) -> None:
    """The value of a widget that is still to be made, and no other.

    Streamlit keeps what was set before a widget came, and falls back to it when the widget goes.
    """
    if there:
        del st.session_state[key]
    st.session_state[key] = value


def rebuild() -> None:
    """First line of a callback that reads settings: what was let go of comes back."""
    state = st.session_state
    for name, value in state.get("settings", {}).items():
        if name not in state:
            state[name] = value


def from_address() -> dict[str, Any]:
    """All settings as the address has them; a value out of range is dropped for the default."""
    said = st.query_params.to_dict()
    said = st.session_state.get("passed", {}).get(_place(said), said)
    sealed: Exercise | None = st.session_state.get("sealed")
    if sealed is not None:
        said = sealed.unsealed(said, OF_DATA)
    named = (set(SETTINGS) & set(said)) - SINCE
    unsaid = {"gamma": GAMMA_UNSAID} if named and "gamma" not in named else {}
    values = {}
    for name, setting in SETTINGS.items():
        try:
            values[name] = setting.read(said[name])
        except (KeyError, ValueError):
            values[name] = unsaid.get(name, setting.default)
    return values | ordered_thetas(values, "theta1")


def address() -> dict[str, str]:
    """What differs from the defaults, or in a sealed exercise from its settings, as it is spelled.

    What stands in for want of labels is left out: whoever opens the address has it by itself.
    """
    state = st.session_state.to_dict()
    gave_way = state.get("gave_way", {})
    values = {name: state[name] for name in SETTINGS if gave_way.get(name) != state[name]}
    sealed: Exercise | None = state.get("sealed")
    if sealed is None:
        return query(values)
    usual = {name: spell(value) for name, value in defaults().items()}
    return sealed.moved({name: spell(value) for name, value in values.items()}, usual, OF_DATA)


def publish() -> dict[str, str]:
    """Write the settings into the address, which adds an entry to the browser's history."""
    wanted = address()
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)
    return wanted


def go_to(page: str) -> None:
    """To another screen with the settings in its address, so that Back leaves it in one step.

    Where settings were changed for it, Streamlit puts them into the address of the screen that is
    left too: the browser joins the two (`one_step`). Where it could not, Back leads there first, so
    what that screen said before is noted under it.
    """
    rebuild()
    before, after = st.query_params.to_dict(), address()
    if before != after:
        st.session_state.setdefault("passed", {})[_place(after)] = before
    st.switch_page(page, query_params=after)


def _place(said: dict[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    """The screen that is open, with an address."""
    return urlsplit(st.context.url or "").path, frozenset(said.items())


def apply(values: dict[str, Any]) -> None:
    """Set several settings at once, as a preset or the tour does; what is locked stays."""
    for name, value in values.items():
        if not locked(name):
            st.session_state[name] = value
    order_thetas("theta1")


def shorten_rows(text: str) -> str:
    """Row numbers as the setting ``only`` holds them; a name that this session knows if too long.

    An address cannot hold thousands of numbers, but Back must find them: so it holds a name.
    """
    if len(text) <= MOST_ROWS:
        return text
    name = "~" + hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:12]
    st.session_state.setdefault("long_rows", {})[name] = text
    return name


def chosen_rows(state: Any) -> str | None:
    """Row numbers of the points to go on with; None for all, or where only a name is known."""
    if state.only.startswith("~"):
        return state.get("long_rows", {}).get(state.only)
    return state.only or None


def defaults(*chosen: str) -> dict[str, Any]:
    """Default values of some settings, of all by default."""
    return {name: SETTINGS[name].default for name in chosen or SETTINGS}


def order_thetas(moved: str) -> None:
    """θ₁ > θ₂ > θ₃ after one of them moved: it pushes the others along, but no locked one."""
    rebuild()
    state = st.session_state
    now = {name: state[name] for name in ("theta1", "theta2", "theta3", "lock")}
    for name, value in ordered_thetas(now, moved).items():
        state[name] = value


def without_labels(name: str, needs: str, instead: str, labelled: bool) -> None:
    """A value that needs labels gives way to another without them, and comes back with them."""
    state = st.session_state
    gave_way: dict[str, Any] = state.setdefault("gave_way", {})
    if not labelled and state[name] == needs:
        state[name] = gave_way[name] = instead
    elif labelled and gave_way.pop(name, None) == state[name]:
        state[name] = needs


def keep(key: str, default: Any) -> None:
    """Before a widget: its value, which Streamlit forgets while the widget is not shown."""
    state = st.session_state
    kept = state.setdefault("kept", {})
    kept[key] = state.get(key, kept.get(key, default))
    _set(key, kept[key], key in st.session_state)


def in_exercise() -> bool:
    """Whether the session came by a teacher's address, which hides or locks something."""
    state = st.session_state
    return bool(state.hide or state.lock or state.exercise)


def locked(name: str) -> bool:
    """Whether the address locks this control, as a teacher's exercise does."""
    return name in st.session_state.get("lock", ())
