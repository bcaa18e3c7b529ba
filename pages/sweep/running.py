"""A sweep as it runs, setting by setting.

Outcomes are kept in the session by what they depend on, each as soon as it is known; so a stop
loses nothing, a click only interrupts, and a grid that shares settings with an earlier one has
them already.
"""

import math
import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.shared.run import ProgressBar, patiently, preparation, source, spell_key
from pages.shared.stop import heed_stop
from pages.shared.text import rough_duration
from pages.sweep.choosing import words
from sdsc_core.blocks import Progress, watched
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.estimates import AFFINITY, PARTS, estimate
from sdsc_core.methods import KINDS
from sdsc_core.settings import RunSettings, spell_setting
from sdsc_core.sweeping import Grid, Outcome, draws_of, key_of, sweep

MOST_KEPT = 20_000  # outcomes of a session, a few kilobytes each
MOST_POINTS = 20_000  # that a screen sweeps; the command line has no limit
GO_ON = "what was done is kept. Press Go on for the rest."
STOPPED = f"Stopped; {GO_ON}"


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
        rest = self.draws, self.seeds, self.n_clusters, self.criteria
        return [key_of(s, *rest) for s in self.settings]


def plan(data: Dataset, grid: Grid, n_clusters: int) -> Plan:
    """The sweep that the screen asks for; too many points are for the command line."""
    if data.n_points > MOST_POINTS:
        st.warning(
            f"This data has {data.n_points:,} points, more than the {MOST_POINTS:,} that this"
            " screen sweeps. Choose fewer samples on the Data screen, or run `sdsc sweep FILE`."
        )
        st.stop()
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


def _kept() -> dict[Hashable, Outcome]:
    return st.session_state.setdefault("swept_settings", {})


def outcomes(plan: Plan) -> list[Outcome]:
    """What is done of a plan."""
    kept = _kept()
    return [kept[key] for key in plan.keys if key in kept]


def start(plan: Plan) -> None:
    """How much it is, and the button that begins or goes on."""
    state, kept, total = st.session_state, _kept(), len(plan.settings)
    done = sum(key in kept for key in plan.keys)
    left, right = st.columns([1, 5], vertical_alignment="center")
    left.button(
        "Go on" if 0 < done < total else "Run", key="run sweep", type="primary", width="stretch",
        disabled=done == total, on_click=partial(state.update, sweeping=tuple(plan.keys)),
    )  # fmt: skip
    text = words(total, len(plan.draws), len(plan.seeds))
    if done == total:
        right.markdown(f"{text}, all done.")
        return
    if done:
        text += f", {done} done"
    seconds = _expected(plan, total - done)
    if not math.isnan(seconds):
        text += f"; estimated to take about **{rough_duration(seconds)}** on this machine"
    right.markdown(f"{text}.")


def _expected(plan: Plan, todo: int) -> float:
    """By the times of single runs, of which the dense stage and what follows is done anew."""
    data, kind = plan.data, plan.data.kind if plan.data.kind in KINDS else "digits"
    stages = [spell_setting(s.dense) for s in plan.settings]
    known = [stage if stage in PARTS else "D3" for stage in stages]
    single = {
        stage: estimate("IMC", data.n_points, data.n_features, kind, [stage])
        for stage in {AFFINITY, *known}
    }
    mean = sum(single[stage] for stage in known) / len(known)
    return len(plan.draws) * (single[AFFINITY] + todo * mean)


def work(plan: Plan, spot: Any) -> None:
    """Compute what is wanted and still to do; progress with the time left appears in ``spot``.

    A click cuts the script short, and the next one goes on; either Stop ends it.
    """
    state, kept = st.session_state, _kept()
    wanted = state.get("sweeping")
    if wanted is not None and wanted != tuple(plan.keys):
        _end(f"The sweep ended, because the data or the grid was changed; {GO_ON}")
    elif wanted is not None:
        bar = _Bar(spot)
        run = partial(
            sweep, plan.draws, plan.settings, seeds=plan.seeds, n_clusters=plan.n_clusters,
            criteria=plan.criteria, kept=kept,
        )  # fmt: skip
        note = ""
        try:
            with heed_stop(partial(_end, STOPPED)):
                watched(lambda tell: run(progress=tell), bar)
        except (ValueError, MemoryError) as problem:
            note = str(problem) or "There is not enough memory; choose fewer points."
        _end(note)
        _make_room(kept)
        st.rerun()  # what stands above the run speaks of the time before it
    if state.get("sweep_note"):
        st.info(state.sweep_note)
        state.sweep_note = ""


def _end(note: str) -> None:
    st.session_state.sweeping, st.session_state.sweep_note = None, note


def _make_room(kept: dict[Hashable, Outcome]) -> None:
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]


class _Bar:
    """A bar and a Stop button, with the time left by what the settings so far took."""

    def __init__(self, spot: Any):
        self.bar = ProgressBar("Sweeping", spot, partial(_end, STOPPED), "sweep")
        self.begun = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        took = time.monotonic() - self.begun
        left = f", about {rough_duration(took * (total - done) / done)} left" if done else ""
        self.bar.title = f"Settings{left}"
        self.bar(done, total)
