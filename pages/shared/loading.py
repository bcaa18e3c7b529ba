"""What a user loads: a file being read, and the data sets of the session.

A data set that was loaded lives in the session, which is the user's alone. A file that cannot be
read changes nothing: what was there before stays in use.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from pages.server import log
from pages.server.sessions import refused, session
from pages.shared.memory import held
from pages.shared.run import ProgressBar, cached
from pages.shared.settings import PREPARE, apply, defaults, rebuild
from pages.shared.stop import heed_stop, stop_one, was_stopped
from pages.shared.streamlit_inside import UploadedFile
from pages.shared.text import counted, escape_markdown
from sdsc_core.blocks import Progress, watched
from sdsc_core.datasets import (
    KNOWN,
    SAMPLES,
    Dataset,
    Description,
    Limits,
    describe,
    known_file,
    load_known,
    named,
)
from sdsc_core.memory import check_memory, free_room, working_for

T = TypeVar("T")
LARGEST = 1e100  # squares and sums of such values still have room
FEWER = "remove a data set that is loaded, or give a smaller file"
STOPPED = "Reading was stopped; set the file aside and choose it again, or another one."
FRESH = (*PREPARE, "point", "pair", "cluster", "dimension")  # settings that belong to one data set
READ = ("looked", "columns", "parsed", "filled")  # what is kept of the file that is read


@dataclass(frozen=True)
class Draft:
    """A file that was chosen: its name, where it is read from, and what tells it from others."""

    file: str
    source: UploadedFile | Path
    key: str


def sets() -> dict[str, Dataset]:
    """The data sets of this session by name."""
    return st.session_state.setdefault("loaded", {})


def title(name: str) -> str:
    """A data set's name for people."""
    known = SAMPLES.get(name) or KNOWN.get(name) or named(name)
    return known.title if known else name


def described(data: Dataset) -> Description:
    """Counts and norms, computed once."""
    return cached(("description", data.digest), lambda: describe(data))


def present(name: str) -> bool:
    """Whether a data set can be had, or only an address speaks of it."""
    return name in SAMPLES or name in sets()


def everywhere(name: str) -> bool:
    """Whether its name alone brings a data set, on any machine."""
    found = named(name)
    return name in SAMPLES or (found is not None and found.everywhere)


def restore(name: str) -> None:
    """Bring data that an address speaks of: what its name says, or what the server's folder has.

    Where that fails, `unrestored` says why.
    """
    key = ("restore", name)
    if name in sets() or was_stopped(key) or (work := _way_to(name)) is None:
        return
    state, spot, stop = st.session_state, st.empty(), partial(stop_one, key)
    what = "the data" if state.hide else escape_markdown(title(name))  # a title may tell classes
    bar = ProgressBar(f"Loading {what}", spot, stop, "restore")
    state.pop("unrestored", None)
    try:
        with heed_stop(stop):
            data = watched(work, bar)
    except (ValueError, MemoryError) as problem:
        state.unrestored = (name, refused("data of an address", problem))
    else:
        for other in [n for n in sets() if named(n)]:  # its name brings it back when it is wanted
            del sets()[other]
        sets()[name] = data
    spot.empty()


def _way_to(name: str) -> Callable[[Progress | None], Dataset] | None:
    """What loads data by its name alone, or None where only a file has it."""
    limits, found = Limits.of_server(), named(name)
    if found is not None:
        return lambda tell: found.load(limits=limits, progress=tell)
    if name in KNOWN and known_file(name):
        return lambda tell: load_known(name, progress=tell)
    return None


def unrestored(name: str) -> str:
    """Why `restore` could not bring the data, or nothing."""
    of, problem = st.session_state.get("unrestored", ("", ""))
    return problem if of == name else ""


def choose(draft: Draft) -> None:
    """Make a file the one to be read, whatever came of it before; for callbacks."""
    for slot in READ:
        st.session_state.pop(slot, None)
    st.session_state.draft, st.session_state.draft_name = draft, None


def pending() -> str:
    """The file that was chosen and is not in use: it could not be read, or asks something."""
    state = st.session_state
    draft: Draft | None = state.get("draft")
    if draft is None or state.get("draft_name") is not None:
        return ""
    of_session = state.get("restored", ("",))[0] == draft.key  # it has no name of its own
    return "" if of_session else draft.file


def set_aside() -> None:
    """Let go of a file that never became a data set; for callbacks."""
    if st.session_state.get("draft_name") is None:
        st.session_state.pop("draft", None)


def reset_for_new_data() -> None:
    """Forget what was set for another data set; for callbacks."""
    apply(defaults(*FRESH))
    st.session_state.pop("preset_words", None)  # a preset's words are about its own data


def use(name: str) -> None:
    """Make a sample or a loaded data set the current one; for callbacks."""
    rebuild()
    set_aside()
    if name != st.session_state.data:
        reset_for_new_data()
        apply({"data": name})


def take(name: str, data: Dataset) -> None:
    """Keep a data set under a name and make it the current one.

    Its preparation starts afresh, unless the address named this very set before it was loaded.
    """
    if st.session_state.data != name or present(name):
        reset_for_new_data()
    sets()[name] = data
    st.session_state.pop("removed", None)
    apply({"data": name})


def free_name(file: str, data: Dataset) -> str:
    """The file's name, with a number where another data set has it already."""
    name, number = file, 1
    while name in sets() and sets()[name].digest != data.digest:
        number += 1
        name = f"{Path(file).stem} ({number}){Path(file).suffix}"
    return name


def remove(name: str) -> None:
    """Let go of a data set, which can be undone until the next one is loaded; for callbacks."""
    rebuild()
    kept = {setting: st.session_state[setting] for setting in FRESH}
    st.session_state.removed = (name, sets().pop(name), kept)
    if st.session_state.get("draft_name") == name:
        st.session_state.pop("draft")
    reset_for_new_data()
    apply(defaults("data"))


def undo() -> None:
    """Bring back what `remove` took, with its preparation; for callbacks."""
    name, data, kept = st.session_state.pop("removed")
    sets()[name] = data
    apply(kept | {"data": name})


def once(slot: str, key: Hashable, work: Callable[[], Any]) -> tuple[Any, str]:
    """The result of some work on a file or the sentence it failed with, kept for one key only."""
    kept = st.session_state.get(slot)
    if kept is None or kept[0] != key:
        try:
            kept = (key, work(), "")
        except ValueError as problem:
            kept = (key, None, str(problem))
        except MemoryError:
            kept = (key, None, "There is not enough memory for this file; give a smaller one.")
        if kept[2]:
            log.refusal(session().number, "a file", kept[2])
        st.session_state[slot] = kept
    return kept[1], kept[2]


def read_once(
    slot: str, key: Hashable, draft: Draft, work: Callable[..., Any], **options: Any
) -> tuple[Any, str]:
    """`once` for a function of `datasets.apart`: progress while it lasts, and a Stop that ends it.

    Stop, a click and a closed tab all raise in ``progress``, which ends the reader of the file.
    """
    stop = partial(st.session_state.update, {slot: (key, None, STOPPED)})
    spot = st.empty()
    bar = ProgressBar(f"Reading {escape_markdown(draft.file)}", spot, stop, slot)
    limits = Limits.of_server()
    limits = replace(limits, memory=max(1, min(limits.memory, free_room())))
    options |= {"name": draft.file, "limits": limits, "progress": bar}
    with heed_stop(stop):
        result = once(slot, key, lambda: _kept(draft, work(draft.source, **options)))
    spot.empty()
    return result


def _kept(draft: Draft, found: T) -> T:
    """What a file holds, if the session may keep it; a line of the log for a data set."""
    if isinstance(found, Dataset):
        own, size = session(), sum(held(found).values())
        with working_for(own.account):
            check_memory(size, "the data", found.n_points, name="This file", instead=FEWER)
        log.upload(own.number, Path(draft.file).suffix.lower()[:8], size, found.X.shape)
    return found


def check(data: Dataset) -> Dataset:
    """The data set if the methods can work with it at all."""
    if data.n_features < 2:
        raise ValueError(
            f"It has {counted(data.n_features, 'feature')} for each of its {data.n_points:,}"
            " samples, but correlation needs at least 2; choose another variable, orientation or"
            " role of a column."
        )
    if data.n_points < 2:
        raise ValueError(
            f"It has {counted(data.n_points, 'sample')}, but clustering needs at least 2; choose"
            " another variable or orientation."
        )
    largest = float(np.abs(data.X, where=np.isfinite(data.X), out=np.zeros_like(data.X)).max())
    if largest > LARGEST:
        raise ValueError(
            f"Its values reach {largest:.0e}, too large to compute with; divide all of them by a"
            " common factor first."
        )
    return data


def noted(data: Dataset, sentence: str) -> Dataset:
    """The data set with one more sentence on what it is."""
    return replace(data, note=f"{data.note} {sentence}".strip())
