"""A comparison as it runs, cell by cell.

A run is a queue of keys in the session. A job is made afresh from what is on the screen and holds
all that it computes on, so a cell can belong to nothing but its key; each finished cell is kept
at once, so a stop loses nothing.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import streamlit as st

from pages.server.sessions import expect, session
from pages.shared.memory import held
from pages.shared.run import cached, preparation, source, spell_key
from pages.shared.stop import heed_stop
from sdsc_core import METHODS, RunSettings, compare
from sdsc_core.blocks import Progress, watched
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset, prepare

MOST_POINTS = 1500  # up to which a cell's matrices are kept to be opened large
MOST_BYTES = 500_000_000  # of matrices that a session keeps
GO_ON = "what was done is kept. Press Run to go on with the rest."
STOPPED = f"Stopped; {GO_ON}"


@dataclass(frozen=True)
class Job:
    """One cell of the matrix in one repeat, and all that it computes on."""

    data: Dataset
    raw: Dataset
    options: dict[str, Any]  # of `prepare`, to draw other samples from ``raw`` for a repeat
    method: str
    dense: str
    repeat: int
    n_clusters: int
    params: dict[str, Any]
    seed: int
    thetas: tuple[float, ...]

    @property
    def name(self) -> str:
        """Such as IMC-D3, as in the paper."""
        return self.method if self.dense == "none" else f"{self.method}-{self.dense}"

    @cached_property
    def solve_key(self) -> tuple[Hashable, ...]:
        """What the method's affinity depends on."""
        drawn = tuple((k, spell_key(v)) for k, v in self.options.items())
        seed = self.seed if METHODS[self.method].uses_seed else None
        return (
            self.data.digest, self.raw.digest, drawn, self.method, tuple(self.params.items()),
            self.n_clusters, seed,
        )  # fmt: skip

    @cached_property
    def key(self) -> tuple[Hashable, ...]:
        """What the cell depends on."""
        return (*self.solve_key, self.seed, self.repeat, self.dense, self.thetas)

    def settings(self) -> RunSettings:
        """The cell in the library's terms."""
        thetas = dict(zip(("theta1", "theta2"), self.thetas, strict=False))
        dense = None if self.dense == "none" else self.dense
        own = {"dense": dense, "n_clusters": self.n_clusters, "seed": self.seed, **thetas}
        return RunSettings.of_method(self.method, self.params, **own)

    def points(self, progress: Progress) -> Dataset:
        """The data of this repeat: another draw where the Data screen draws samples."""
        if not self.options["per_class"] or not self.repeat:
            return self.data
        drawn = (self.raw.digest, *(spell_key(v) for v in self.options.values()))

        def draw(tell: Progress | None) -> Dataset:
            return prepare(self.raw, **self.options, progress=tell)

        return cached(("draw", drawn), lambda: watched(draw, progress))


@dataclass
class Queue:
    """Keys of the cells that wait, and a sentence on why a run ended early."""

    keys: set[Hashable] = field(default_factory=set)
    total: int = 0
    note: str = ""

    def end(self, note: str) -> None:
        """Run no more of it."""
        self.keys, self.note = set(), note


class RunBar:
    """How far a run is: the cell, the step within it, and a Stop button."""

    def __init__(self, spot: Any, queue: Queue):
        self.spot, self.queue = spot, queue
        self.bar: Any = None
        self.title, self.before, self.share, self.done, self.shown = "", 0.0, 1.0, 0.0, 0.0

    def begin(self, job: Job) -> None:
        """The next cell, shown at once, since its first step may take long."""
        total = self.queue.total
        number = total - len(self.queue.keys) + 1
        self.title = f"Cell {number} of {total}: {job.name}"
        if job.repeat:
            self.title += f", repeat {job.repeat + 1}"
        self.before, self.share, self.shown = (number - 1) / total, 1 / total, 0.0
        self(0, 0)

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.shown < 0.1:
            return
        self.shown = now
        place = session().place()
        step = f", step {done:,}" + (f" of {total:,}" if total else "") if done else " …"
        if place:
            step = f" waits for its turn, place {place} in the queue"
        # A cell has several loops of steps: the bar waits for those that begin anew.
        self.done = max(self.done, self.before + self.share * (done / total if total else 0))
        if self.bar is None:
            with self.spot.container():
                self.bar = st.progress(self.done, self.title + step)
                st.button(
                    "Stop", key="stop comparing", help="Keep what is done.",
                    on_click=self.queue.end, args=(STOPPED,),
                )  # fmt: skip
        self.bar.progress(min(1.0, self.done), self.title + step)


def jobs(data: Dataset, n_clusters: int, params: dict[str, dict[str, Any]]) -> list[Job]:
    """The matrix that is chosen on the screen, a job for each cell and repeat."""
    state = st.session_state
    raw = source(state.data)
    options = preparation(raw)
    thetas = {"PCE": (state.theta1, state.theta2)}  # no other stage asks for them
    return [
        Job(
            data, raw, _draw(options, repeat), name, dense, repeat, n_clusters, values,
            state.seed + repeat, thetas.get(dense, ()),
        )
        for name, values in params.items()
        for repeat in range(state.repeats)
        for dense in state.stages
    ]  # fmt: skip


def _draw(options: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Each repeat draws other samples, where samples are drawn at all."""
    drawn = options["random_state"] + repeat if options["per_class"] else 0
    return options | {"random_state": drawn}


def _queue() -> Queue:
    return st.session_state.setdefault("queue", Queue())


def cells() -> dict[Hashable, compare.Result]:
    return st.session_state.setdefault("cells", {})


def matrices() -> OrderedDict[Hashable, tuple[Affinity, Affinity]]:
    return st.session_state.setdefault("matrices", OrderedDict())


def enqueue(todo: list[Job]) -> None:
    queue = _queue()
    queue.keys = {j.key for j in todo}
    queue.total = len(queue.keys)
    st.session_state.failed = {}


def work(chosen: list[Job], spot: Any) -> None:
    """Run what waits and still belongs to the screen, cell by cell.

    A click cuts the script short, and the next one goes on with the queue; a stop ends the queue.
    """
    queue, done = _queue(), cells()
    failed: dict[Hashable, str] = st.session_state.setdefault("failed", {})
    waiting = [j for j in chosen if j.key in queue.keys]
    if queue.keys and not waiting:
        queue.end(f"The run ended, because the data or the settings were changed; {GO_ON}")
    queue.keys &= {j.key for j in waiting}
    bar = RunBar(spot, queue)
    with heed_stop(lambda: queue.end(STOPPED)):
        for job in waiting:
            bar.begin(job)
            try:
                done[job.key] = _compute(job, bar)
            except (ValueError, MemoryError) as error:
                failed[job.key] = str(error) or "There is not enough memory; choose fewer points."
            queue.keys.discard(job.key)
    if waiting:
        st.rerun()  # what stands above the run speaks of the time before it
    for problem in dict.fromkeys(f"{j.method}: {failed[j.key]}" for j in chosen if j.key in failed):
        st.warning(problem)
    if queue.note:
        st.info(queue.note)
        queue.note = ""


def _compute(job: Job, bar: RunBar) -> compare.Result:
    """A cell's figures; its matrices are kept where they are small enough."""
    data = job.points(bar)
    expect(data, job.settings(), False, job.n_clusters)
    result, run = compare.compare_cell(
        data, job.settings(), repeat=job.repeat, keep=_keep_sparse, report=lambda title: bar
    )
    if job.repeat == 0 and data.n_points <= MOST_POINTS:
        kept = matrices()
        kept[job.key] = (run.sparse.W, run.after.W)
        while len(kept) > 1 and sum(held(list(kept.values())).values()) > MOST_BYTES:
            kept.popitem(last=False)
    return result


def _keep_sparse(stage: str, key: Hashable, work: Callable[[], Any]) -> Any:
    """A method's W is kept for its other dense stages; what follows is computed once."""
    return cached((stage, key), work) if stage in ("IMC", "sparse") else work()


def results(chosen: list[Job]) -> list[compare.Result]:
    """What is done of the chosen matrix."""
    done = cells()
    return [done[j.key] for j in chosen if j.key in done]
