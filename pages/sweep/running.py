"""A sweep as it runs, setting by setting, as a task of `pages.shared.background`.

Outcomes are kept in the session by what they depend on, each as soon as it is known; so a stop
loses nothing, the sweep goes on while other screens are open, and a grid that shares settings with
an earlier one has them already.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.server.turns import TURNS
from pages.shared.background import Stopped, Task, background
from pages.shared.run import patiently, preparation, source, spell_key
from pages.shared.text import escape_markdown
from pages.sweep.choosing import words
from sdsc_core.blocks import Progress, tick, watched
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.estimates import in_words
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping import Grid, Outcome, draws_of, expected_seconds, key_of, sweep

MOST_KEPT = 20_000  # outcomes of a session, a few kilobytes each
MOST_POINTS = 20_000  # that a screen sweeps; the command line has no limit


@dataclass(frozen=True)
class Plan:
    """All that a sweep computes on."""

    data: Dataset
    draws: list[Dataset]
    grid: Grid
    settings: list[RunSettings]
    seeds: tuple[int, ...]
    n_clusters: int
    criteria: bool

    @property
    def keys(self) -> list[Hashable]:
        """What each setting's outcome is kept under."""
        rest = self.draws, self.seeds, self.n_clusters, self.criteria
        return [key_of(s, *rest) for s in self.settings]


def plan(data: Dataset, grid: Grid, n_clusters: int) -> Plan | None:
    """The sweep that the screen asks for; None where there are too many points for it."""
    if data.n_points > MOST_POINTS:
        st.warning(
            f"This data has {data.n_points:,} points, more than the {MOST_POINTS:,} that this"
            " screen sweeps. Choose fewer samples on the Data screen, or run `sdsc sweep FILE`."
        )
        return None
    state = st.session_state
    drawn = _draws(data, state.draws)
    judge = bool(state.judge or not data.n_classes)
    seeds = tuple(range(state.seeds))
    return Plan(data, drawn, grid, grid.settings(), seeds, n_clusters, judge)


def _draws(data: Dataset, number: int) -> list[Dataset]:
    """The data itself, then other draws of the Data screen, or parts of the data."""
    if number == 1:
        return [data]
    raw = source(st.session_state.data)
    options = preparation(raw)

    def draw(tell: Progress | None) -> list[Dataset]:
        if not options["per_class"]:
            return draws_of(data, number)
        first = options["random_state"]
        more = [options | {"random_state": first + k} for k in range(1, number)]
        return [data, *(prepare(raw, **one, progress=tell) for one in more)]

    key = (data.digest, raw.digest, number, *(spell_key(v) for v in options.values()))
    return patiently("Drawing samples", ("sweep draws", key), draw)


def swept() -> dict[Hashable, Outcome]:
    """All outcomes of this session, by what they depend on."""
    return st.session_state.setdefault("swept_settings", {})


def outcomes(plan: Plan) -> list[Outcome]:
    """What is done of a plan."""
    kept = swept()
    return [kept[key] for key in plan.keys if key in kept]


def start(plan: Plan) -> None:
    """How much it is, and the button that begins or goes on."""
    kept, total = swept(), len(plan.settings)
    done = sum(key in kept for key in plan.keys)
    seconds, under_way = _expected(plan, kept), _under_way(plan)
    if st.session_state.pop("sweep_now", False) and done < total and not under_way:
        _begin(plan, seconds)
        under_way = True
    left, right = st.columns([1, 5], vertical_alignment="center")
    left.button(
        "Go on" if 0 < done < total else "Run", key="run sweep", type="primary", width="stretch",
        disabled=done == total or under_way, on_click=_begin, args=(plan, seconds),
        help="It goes on while you look at other screens.",
    )  # fmt: skip
    text = words(total, len(plan.draws), len(plan.seeds))
    if done == total:
        right.markdown(f"{text}, all done.")
        return
    if done:
        text += f", {done} done"
    if not under_way and not math.isnan(seconds):
        text += f"; estimated to take **{in_words(seconds)}** on this machine"
    if background().busy and not under_way:
        text += "; what is under way comes first"
    right.markdown(f"{text}.")


def _expected(plan: Plan, kept: dict[Hashable, Outcome]) -> float:
    """Seconds for the settings that are still to do."""
    todo = [s for s, key in zip(plan.settings, plan.keys, strict=True) if key not in kept]
    return expected_seconds(plan.draws, todo, len(plan.seeds), plan.n_clusters, plan.criteria)


def _task_key(plan: Plan) -> Hashable:
    return "sweep", *plan.keys


def _under_way(plan: Plan) -> bool:
    """Whether this very sweep is at work or waits."""
    return background().has(_task_key(plan))


def _begin(plan: Plan, seconds: float) -> None:
    """Begin or go on, after what is under way."""
    name = plan.data.name
    task = Task(
        _task_key(plan), f"Sweeping {name}", partial(_compute, plan, swept()), "Sweeping", name,
        "settings", 0.0 if math.isnan(seconds) else seconds, "Sweep",
    )  # fmt: skip
    background().add([task])


def _compute(plan: Plan, kept: dict[Hashable, Outcome], tell: Progress) -> None:
    """In the thread; each outcome is in ``kept`` at once, and a stop keeps it."""
    run = partial(
        sweep, plan.draws, plan.settings, seeds=plan.seeds, n_clusters=plan.n_clusters,
        criteria=plan.criteria, kept=kept,
    )  # fmt: skip
    watched(lambda told: run(progress=_giving_way(told)), tell)
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]


def _giving_way(tell: Progress | None) -> Progress:
    """Between two settings others whose work waits go first: all of a grid may take minutes.

    The sweep itself stays as it is, with the path and the W that settings share.
    """
    last = 0

    def told(done: int, total: int) -> None:
        nonlocal last
        tick(tell, done, total)
        if done > last:
            last = done
            TURNS.give_way(lambda *_: tick(tell, done, total))

    return told


def problems(plan: Plan, spot: Any) -> None:
    """Why this sweep failed; and in ``spot``, where its progress was, why the last run ended."""
    back = background()
    failed = back.work.failed.get(_task_key(plan))
    if failed:
        st.warning(escape_markdown(failed))
    if back.note and not back.busy:
        spot.info(_of_the_rest(back.note, back.stopped, plan))
        back.note = ""


def _of_the_rest(note: str, was: Stopped | None, plan: Plan) -> str:
    """Why a run ended, and how one goes on with just that."""
    if was is None:
        return note
    if was.screen != "Sweep":
        return f"{note} It stands on {was.screen}."
    if was.key != _task_key(plan):
        return f"{note} Choose the same data and grid again to go on with the rest."
    return f"{note} Press Go on for the rest." if outcomes(plan) else "Stopped; press Run to begin."
