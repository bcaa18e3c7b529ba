"""The runs of a session: settings and figures of each, never its matrices, so that many fit.

A run is noted when a screen shows it, and its figures when they are known. What is pinned (A, B, …)
or named stays; of the others the oldest go once there are too many.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import streamlit as st

from pages.keep.made import KEPT, made_of
from pages.shared.settings import SETTINGS, apply, rebuild, shorten_rows, spell
from pages.shared.sidebar import RESIDUALS, SIMILARITIES
from sdsc_core.dense import PARAMETERS
from sdsc_core.run import Run
from sdsc_core.settings import RunSettings

MOST = 200  # runs that a session remembers
PINS = "ABCDE"
LONGEST_NAME = 80


@dataclass(frozen=True)
class Entry:
    """One run: where it stands in the session, what it was made from, and what came out."""

    number: int
    title: str  # of the data
    digest: str
    points: int
    clusters: int
    settings: dict[str, str]  # as the address spells them
    run: dict[str, Any]  # of RunSettings, what differs from the defaults
    figures: dict[str, float | None] = field(default_factory=dict)
    name: str = ""
    pin: str = ""  # a letter of PINS, or none

    @property
    def key(self) -> str:
        return _key(self.digest, self.run_settings, self.clusters)

    @property
    def run_settings(self) -> RunSettings:
        return RunSettings(**self.run)

    @property
    def words(self) -> list[str]:
        return settings_in_words(self.run_settings, self.clusters)


def settings_in_words(s: RunSettings, n_clusters: int) -> list[str]:
    """The settings of a run in words; of the dense stage's parameters those that it uses."""
    thetas = [
        f"{PARAMETERS[name].title} = {value:.2f}" if isinstance(value, float)
        else f"{PARAMETERS[name].title.lower()} = {value}"
        for name, value in s.dense_params().items() if name != "hops"
    ]  # fmt: skip
    return [
        f"Γ = {s.gamma}", s.dense or "no dense stage", *thetas,
        f"residual {RESIDUALS[s.residual]}", f"similarity {SIMILARITIES[s.similarity]}",
        f"seed {s.seed}", f"{n_clusters} clusters",
    ]  # fmt: skip


def difference(one: list[str], other: list[str]) -> str:
    """What of the words of one run is not in those of another."""
    return ", ".join(words for words in one if words not in other) or "same settings"


def entries() -> dict[str, Entry]:
    """The runs of this session by their keys, the last one last."""
    return st.session_state.setdefault("history", {})


def key_of(run: Run) -> str:
    """Tells a run from others that differ in data or settings."""
    return _key(run.data.digest, run.settings, run.n_clusters)


def _key(digest: str, settings: RunSettings, clusters: int) -> str:
    return f"{digest} {sorted(settings.changed().items())} {clusters}"


def note(run: Run, figures: dict[str, float | None] | None = None) -> Entry:
    """Put a run at the end of the list, with its figures where they are known by now."""
    state, kept, key = st.session_state, entries(), key_of(run)
    entry = kept.pop(key, None)
    if entry is None:
        number = 1 + max((e.number for e in kept.values()), default=0)
        made = made_of(run)
        spelled = {name: spell(made.settings[name] if made else state[name]) for name in KEPT}
        entry = Entry(
            number, run.data.name, run.data.digest, run.data.n_points, run.n_clusters, spelled,
            run.settings.changed(),
        )  # fmt: skip
    kept[key] = replace(entry, figures=entry.figures | figures) if figures else entry
    _forget(kept)
    return kept[key]


def _forget(kept: dict[str, Entry]) -> None:
    """The oldest go where there are too many; those with a pin or a name last."""
    over = len(kept) - MOST
    if over > 0:
        order = sorted(list(kept)[:-1], key=lambda k: bool(kept[k].pin or kept[k].name))
        for key in order[:over]:
            del kept[key]


def pins() -> list[Entry]:
    """The pinned runs by their letters."""
    return sorted((e for e in entries().values() if e.pin), key=lambda e: e.pin)


def free_pin() -> str:
    """The letter that the next pin gets, or none where all are taken."""
    taken = {e.pin for e in pins()}
    return next((letter for letter in PINS if letter not in taken), "")


def change(key: str, **values: Any) -> None:
    """Pin, unpin or name a run; for callbacks."""
    if key in entries():
        entries()[key] = replace(entries()[key], **values)


def pin_present() -> None:
    """Give the run on the screen the next free letter, if it has none; for callbacks."""
    run: Run | None = st.session_state.get("last")
    if run is not None and not note(run).pin:
        change(key_of(run), pin=free_pin())


def unpin_all() -> None:
    """Let go of all pins; for callbacks."""
    for key, entry in list(entries().items()):
        if entry.pin:
            change(key, pin="")


def go_back_to(entry: Entry) -> None:
    """Set everything as it was for a run; for callbacks. What is locked stays."""
    rebuild()
    apply(read_settings(entry.settings) | {"point": -1, "pair": None})
    st.session_state.pop("preset_words", None)


def read_settings(spelled: dict[str, str]) -> dict[str, Any]:
    """Values of settings as an address or a file spells them; what is out of range is dropped."""
    values = {}
    for name, text in spelled.items():
        try:
            value = SETTINGS[name].read(text)
            values[name] = shorten_rows(value) if name == "only" else value
        except (KeyError, ValueError, TypeError, AttributeError):
            continue
    return values


def as_words(entry: Entry) -> dict[str, Any]:
    """An entry as JSON can hold it, with the rows of its points in full."""
    long_rows = st.session_state.get("long_rows", {})
    only = entry.settings.get("only", "")
    return asdict(replace(entry, settings=entry.settings | {"only": long_rows.get(only, only)}))


def from_words(words: Any) -> Entry:
    """The entry that `as_words` wrote, or ValueError where it is none."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "number": int, "title": str, "digest": str, "points": int, "clusters": int,
        "settings": dict, "run": dict, "figures": dict, "name": str, "pin": str,
    }  # fmt: skip
    if not isinstance(words, dict) or set(words) != set(kinds):
        raise ValueError
    if not all(isinstance(words[name], kind) for name, kind in kinds.items()):
        raise ValueError
    numbers = [v for v in words["figures"].values() if v is not None]
    if not all(isinstance(v, int | float) for v in numbers) or words["pin"] not in ("", *PINS):
        raise ValueError
    entry = Entry(**words | {"name": words["name"][:LONGEST_NAME]})
    only = shorten_rows(str(entry.settings.get("only", "")))
    try:
        _ = entry.words  # settings that this version does not know
    except (TypeError, KeyError) as problem:
        raise ValueError from problem
    return replace(entry, settings={**entry.settings, "only": only})
