"""A comparison as it runs, cell by cell, whichever screen is open.

A job is made afresh from what is on the screen and holds all that it computes on, so a cell can
belong to nothing but its key; each finished cell is kept at once, so a stop loses nothing. The
thread of `pages.shared.background` works on them.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import streamlit as st

from pages.server.sessions import expected
from pages.shared.background import SECONDS, Stopped, Task, background
from pages.shared.memory import Memory, held
from pages.shared.run import preparation, session_memory, source, spell_key
from sdsc_core import METHODS, RunSettings, compare
from sdsc_core.baselines import BASELINES
from sdsc_core.blocks import Progress, watched
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset, prepare

MOST_POINTS = 1500  # up to which a cell's matrices are kept to be opened large
MOST_BYTES = 500_000_000  # of matrices that a session keeps
Matrices = OrderedDict[Hashable, tuple[Affinity, Affinity]]


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

    @property
    def title(self) -> str:
        """The name, and the repeat where it is not the first."""
        return f"{self.name}, repeat {self.repeat + 1}" if self.repeat else self.name

    @cached_property
    def solve_key(self) -> tuple[Hashable, ...]:
        """What the method's affinity depends on."""
        drawn = tuple((k, spell_key(v)) for k, v in self.options.items())
        seeded = self.method in BASELINES or METHODS[self.method].uses_seed
        return (
            self.data.digest, self.raw.digest, drawn, self.method, tuple(self.params.items()),
            self.n_clusters, self.seed if seeded else None,
        )  # fmt: skip

    @cached_property
    def key(self) -> tuple[Hashable, ...]:
        """What the cell depends on."""
        return (*self.solve_key, self.seed, self.repeat, self.dense, self.thetas)

    def settings(self) -> RunSettings:
        """The cell of a method in the library's terms."""
        thetas = dict(zip(("theta1", "theta2"), self.thetas, strict=False))
        dense = None if self.dense == "none" else self.dense
        own = {"dense": dense, "n_clusters": self.n_clusters, "seed": self.seed, **thetas}
        return RunSettings.of_method(self.method, self.params, **own)

    def expected(self) -> float:
        """About how many seconds it takes."""
        if self.method in BASELINES:
            return self.data.n_points / 1000
        return expected(self.data, self.settings(), False, self.n_clusters)

    def points(self, memory: Memory, progress: Progress | None = None) -> Dataset:
        """The data of this repeat: another draw where the Data screen draws samples."""
        if not self.options["per_class"] or not self.repeat:
            return self.data
        drawn = (self.raw.digest, *(spell_key(v) for v in self.options.values()))

        def draw(tell: Progress | None) -> Dataset:
            return prepare(self.raw, **self.options, progress=tell)

        return memory.get(("draw", drawn), lambda: watched(draw, progress))


def jobs(data: Dataset, n_clusters: int, params: dict[str, dict[str, Any]]) -> list[Job]:
    """The matrix that is chosen on the screen, a job for each cell and repeat."""
    state = st.session_state
    raw = source(state.data)
    options = preparation(raw)
    thetas = {"PCE": (state.theta1, state.theta2)}  # the others have their usual parameters
    return [
        Job(
            data, raw, _draw(options, repeat), name, dense, repeat, n_clusters, params[name],
            state.seed + repeat, thetas.get(dense, ()),
        )
        for name, dense, repeat in compare.matrix_of_cells(params, state.stages, state.repeats)
    ]  # fmt: skip


def _draw(options: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Each repeat draws other samples, where samples are drawn at all."""
    drawn = options["random_state"] + repeat if options["per_class"] else 0
    return options | {"random_state": drawn}


def cells() -> dict[Hashable, compare.Result]:
    return st.session_state.setdefault("cells", {})


def matrices() -> Matrices:
    return st.session_state.setdefault("matrices", OrderedDict())


def enqueue(todo: list[Job]) -> None:
    """Begin with these cells, or go on to them after those that are under way."""
    found = cells(), matrices(), session_memory()
    background().add(
        [
            Task(j.key, j.title, partial(_compute, j, *found), of=j.data.name, seconds=j.expected())
            for j in todo
        ]
    )


def _compute(
    job: Job,
    done: dict[Hashable, compare.Result],
    kept: Matrices,
    memory: Memory,
    tell: Progress,
) -> None:
    """A cell, in the thread: its figures, and its matrices where they are small enough."""
    data = job.points(memory, tell)
    if job.method in BASELINES:
        done[job.key], _ = compare.baseline_cell(
            data, job.method, job.params, n_clusters=job.n_clusters, seed=job.seed,
            repeat=job.repeat, report=lambda title: tell,
        )  # fmt: skip
        return
    result, run = compare.compare_cell(
        data, job.settings(), repeat=job.repeat, keep=keep_sparse(memory),
        report=lambda title: tell,
    )  # fmt: skip
    if job.repeat == 0 and data.n_points <= MOST_POINTS:
        kept[job.key] = (run.sparse.W, run.after.W)
        while len(kept) > 1 and sum(held(list(kept.values())).values()) > MOST_BYTES:
            kept.popitem(last=False)
    done[job.key] = result


def keep_sparse(memory: Memory) -> Callable[[str, Hashable, Callable[[], Any]], Any]:
    """A method's W is kept for its other dense stages; what follows is computed once."""

    def keep(stage: str, key: Hashable, work: Callable[[], Any]) -> Any:
        return memory.get((stage, key), work) if stage in ("IMC", "sparse") else work()

    return keep


def problems(chosen: list[Job], spot: Any) -> None:
    """Why cells failed; and in ``spot``, where the progress was, why the last run ended."""
    back = background()
    failed = back.work.failed
    for problem in dict.fromkeys(f"{j.method}: {failed[j.key]}" for j in chosen if j.key in failed):
        st.warning(problem)
    if back.note and not back.busy:
        spot.info(_of_the_rest(back.note, back.stopped, {j.key for j in chosen}))
        back.note = ""


def _of_the_rest(note: str, was: Stopped | None, chosen: Collection[Hashable]) -> str:
    """Why a run ended, and how one goes on with just that."""
    if was is None:
        return note
    if was.unit == SECONDS:
        return (
            "Stopped; what was tried is kept. Try again begins anew, and shows the former until it"
            " has more."
        )
    if was.screen != "Compare":
        return f"{note} {was.screen} goes on with the rest."
    if was.key not in chosen:
        return f"{note} Choose the same data and methods again to go on with the rest."
    return f"{note} Press Run to go on with the rest."


def results(chosen: list[Job]) -> list[compare.Result]:
    """What is done of the chosen matrix."""
    done = cells()
    return [done[j.key] for j in chosen if j.key in done]
