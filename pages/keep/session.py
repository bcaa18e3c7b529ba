"""The session as a file: gathered from all screens, and put back on any machine.

A screen that has results to keep names a module here. It has ``pack() -> Part | None`` and
``unpack(part) -> str``, which says in a few words what came back; ValueError where a part is
damaged. See `pages.compare.keeping`.
"""

from importlib import import_module
from typing import Any

import streamlit as st

from pages.keep import entries
from pages.shared import loading
from pages.shared.settings import SETTINGS, apply, chosen_rows, defaults, shorten_rows, spell
from pages.shared.text import counted, escape_markdown
from sdsc_core.session import Part, Session

SCREENS = {"compare": "pages.compare.keeping", "sweep": "pages.sweep.keeping"}
NEVER = ("hide", "lock", "tour", "exercise")  # an exercise is not undone by a file


def gather() -> Session:
    """All that this session holds; references alone, so that it costs nothing until written."""
    state = st.session_state
    settings = {name: spell(state[name]) for name in SETTINGS if name not in NEVER}
    if state.pair is None:
        del settings["pair"]
    settings["only"] = chosen_rows(state) or ""
    parts: dict[str, Part] = {}
    for name, module in SCREENS.items():
        part = import_module(module).pack()
        if part is not None:
            parts[name] = part
    history = tuple(entries.as_words(entry) for entry in entries.entries().values())
    sets = {name: d for name, d in loading.sets().items() if not loading.everywhere(name)}
    return Session(sets, settings, state.get("read_as", {}), history, parts)


def restore(session: Session) -> str:
    """Put a session in place of the present one, and say what came; for before any widget.

    Data sets that are here already under other names stay.
    """
    state = st.session_state
    sets = {name: loading.check(data) for name, data in session.sets.items()}
    runs = [entry for words in session.history[-entries.MOST :] if (entry := _entry(words))]
    loading.sets().update({n: d for n, d in sets.items() if not loading.everywhere(n)})
    state.setdefault("read_as", {}).update(session.read_as)
    state.history = {entry.key: entry for entry in runs}
    told = [
        f"{counted(len(sets), 'data set')}, {counted(len(runs), 'run')},"
        f" {counted(len(entries.pins()), 'pin')}"
    ]
    for name, part in session.parts.items():
        told.append(_unpacked(name, part))
    settle(dict(session.settings))
    return "; ".join(filter(None, told))


def settle(spelled: dict[str, str]) -> str:
    """Make these settings, and the defaults for all others, the present ones; say how many."""
    known = {n: text for n, text in spelled.items() if n not in NEVER}
    values = entries.read_settings(known)
    kept = {n: v for n, v in defaults().items() if n not in NEVER}
    for name in ("selection", "preset_words", "gave_way", "stopped", "stopped_one"):
        st.session_state.pop(name, None)
    apply(kept | values)
    return counted(len(values), "setting")


def settings_of(found: dict[str, Any]) -> dict[str, str]:
    """The settings of a settings.json as an address spells them."""
    spelled = {}
    for name, value in found.items():
        if name in SETTINGS and isinstance(value, bool | int | float | str | list):
            spelled[name] = spell(value)
    if isinstance(spelled.get("only"), str):
        spelled["only"] = shorten_rows(spelled["only"])
    return spelled


def _entry(words: Any) -> entries.Entry | None:
    """A run of the file; one that this version cannot make sense of is left out."""
    try:
        return entries.from_words(words)
    except ValueError:
        return None


def _unpacked(name: str, part: Part) -> str:
    if name not in SCREENS:
        return f"“{escape_markdown(name)}” of another version was left out"
    try:
        said: str = import_module(SCREENS[name]).unpack(part)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return f"what “{escape_markdown(name)}” had could not be read and was left out"
    return said
