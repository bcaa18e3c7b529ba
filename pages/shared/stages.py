"""From settings to a result, stage by stage; only what lies after a change is computed again.

Results are kept in the session, which is the user's alone, up to a number of bytes. A stage that
takes long shows its progress and can be stopped; the last good result stays on the screen.
"""

import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.shared.memory import Memory
from pages.shared.settings import GAMMA_MAX, METHOD, PREPARE
from sdsc_core import (
    Changes,
    ImcPath,
    Spectrum,
    Summary,
    changes,
    datasets,
    dense_stage,
    imc,
    spectral_clustering,
    spectrum,
    suggest_n_clusters,
    summarise,
)
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset
from sdsc_core.spectral import MOST_CLUSTERS

T = TypeVar("T")
BUDGET = 500_000_000  # bytes of results that a session keeps
EIGENVALUES = 16  # that are shown
PATIENCE = 0.8  # seconds before progress is shown


@dataclass(frozen=True)
class Side:
    """What follows from one affinity, W or W*."""

    W: Affinity
    spectrum: Spectrum
    labels: NDArray[np.int64]
    summary: Summary
    k: int


@dataclass(frozen=True)
class Run:
    """One result and the settings it came from; ``k`` clusters are those of W*."""

    data: Dataset
    settings: dict[str, Any]
    k: int
    k_from: str
    path: ImcPath
    before: Side
    after: Side
    seconds: dict[str, float]


def remember(key: Hashable, compute: Callable[[], T]) -> T:
    """The value for a key, computed once; what was not used for longest is let go."""
    memory: Memory = st.session_state.setdefault("memory", Memory(BUDGET))
    memory.run = st.session_state.run_number
    return memory.get(key, compute)


class ProgressBar:
    """A bar and a Stop button that appear once work takes longer than a moment."""

    def __init__(self, title: str, spot: Any, on_stop: Callable[[], None] | None = None):
        self.title, self.spot, self.on_stop = title, spot, on_stop or _stop
        self.begun = self.shown = time.monotonic()
        self.bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.begun < PATIENCE or now - self.shown < 0.1:
            return
        self.shown = now
        text = f"{self.title}: {done:,} {f'of {total:,}' if total else 'so far'}"
        if self.bar is None:
            with self.spot.container():
                self.bar = st.progress(0.0, text)
                st.button(
                    "Stop", key=f"stop {self.title}", on_click=self.on_stop,
                    help="Keep what is done.",
                )  # fmt: skip
        # An unknown total: the bar moves ever more slowly, and never to its end.
        self.bar.progress(min(1.0, done / (total or done + 100)), text)


def _stop() -> None:
    st.session_state.stopped = st.session_state.get("wanted")


def current_data() -> Dataset:
    """The chosen data set, prepared as the settings say; labels gone where answers are hidden.

    Where it cannot be prepared so, it comes as it is, and `show_or_last` says why.
    """
    state = st.session_state
    raw = source(state.data)
    chosen = tuple(spell_key(state[name]) for name in PREPARE)
    key = (raw.name, raw.digest, chosen, state.hide)
    state.unprepared = ""
    try:
        if state.get("prepared", (None,))[0] != key:  # one of them: a large one fills the memory
            prepared = datasets.prepare(raw, **preparation(raw))
            state.prepared = (key, _hidden(prepared) if state.hide else prepared)
        return state.prepared[1]
    except (ValueError, MemoryError) as problem:
        state.unprepared = str(problem) or "There is not enough memory to prepare this data."
        if state.hide:  # the problem may name a class
            state.unprepared = "The data cannot be prepared as the address says."
        return _hidden(raw) if state.hide else raw


def spell_key(value: Any) -> Hashable:
    return tuple(value) if isinstance(value, list) else value


def source(name: str) -> Dataset:
    """A sample, or a data set that the user loaded; never another one in its place."""
    loaded: dict[str, Dataset] = st.session_state.setdefault("loaded", {})
    return loaded[name] if name in loaded else datasets.sample(name)


def restore(name: str) -> None:
    """Load a known set that an address speaks of, where the folder of the server holds it."""
    loaded = st.session_state.setdefault("loaded", {})
    if name in datasets.KNOWN and name not in loaded and datasets.known_file(name):
        with suppress(ValueError, MemoryError):  # a damaged file: the sidebar says what is missing
            loaded[name] = datasets.load_known(name)


def preparation(raw: Dataset) -> dict[str, Any]:
    """What the settings ask of `datasets.prepare` for this data."""
    state = st.session_state
    return {
        "classes": [c for c in state.classes if c < raw.n_classes] or None,
        "per_class": state.each or None,
        "pca": min(state.pca, *raw.X.shape) if state.pca >= 2 else None,
        "unit_norm": state.unit,
        "centre": state.centre,
        "random_state": state.draw,
    }


def _hidden(data: Dataset) -> Dataset:
    """Without labels, and in mixed order, which would give the classes away as well."""
    mixed = np.random.default_rng(st.session_state.draw).permutation(data.n_points)
    images = None if data.images is None else data.images[mixed]
    return Dataset(data.X[mixed], None, "Exercise", images=images)


def compute(data: Dataset, spot: Any) -> Run:
    """The run for the present settings; progress appears in ``spot``."""
    s = {name: st.session_state[name] for name in (*METHOD, "clusters", "k")}
    seconds: dict[str, float] = {}
    gamma = min(s["gamma"], data.n_points - 1)
    base = (data.digest, s["residual"], s["similarity"])

    def timed(name: str, key: Hashable, work: Callable[[], T]) -> T:
        def measured() -> tuple[T, float]:
            start = time.perf_counter()
            value = work()
            return value, time.perf_counter() - start

        value, seconds[name] = remember((name, key), measured)
        return value

    path = timed("IMC", base, lambda: _imc(data, s, spot))
    W = timed("W", (*base, gamma), lambda: path.affinity(gamma))
    dense = None if s["dense"] == "none" else s["dense"]
    thetas = (s["theta1"], s["theta2"]) if dense == "PCE" else ()
    star_key = (*base, gamma, dense, thetas)
    bar = ProgressBar("Dense stage", spot)
    star = timed("dense", star_key, lambda: dense_stage(W, dense, *thetas, progress=bar))
    wanted, k_from = _clusters(data, s)

    def side(name: str, key: Hashable, A: Affinity) -> Side:
        seed, bar = s["seed"], ProgressBar(f"Eigenvectors of {name}, products", spot)
        key = (key, seed, wanted is None)
        top = timed(f"{name} spectrum", key, lambda: _spectrum(A, seed, bar, suggest=not wanted))
        # Each matrix by its own gap: the figures of W must not depend on the dense stage.
        k = wanted or suggest_n_clusters(top.eigenvalues)
        return timed(f"{name} side", (*key, k), lambda: _side(data, A, k, seed, bar, top))

    after = side("W*", star_key, star)
    before = after if star is W else side("W", (*base, gamma), W)
    return Run(data, s | {"gamma": gamma}, after.k, k_from, path, before, after, seconds)


def causes(run: Run) -> Changes:
    """Every entry that the dense stage raised, with its condition and witness."""
    s = run.settings
    rule = "PCE" if s["dense"] == "none" else s["dense"]
    key = (run.data.digest, *(s[name] for name in METHOD))
    return remember(
        ("causes", key),
        lambda: changes(run.before.W, run.after.W, rule, s["theta1"], s["theta2"]),
    )


def _imc(data: Dataset, s: dict[str, Any], spot: Any) -> ImcPath:
    return imc(
        data.X,
        min(GAMMA_MAX, data.n_points - 1),
        residual=s["residual"],
        similarity=s["similarity"],
        progress=ProgressBar("IMC, points done", spot),
    )


def _spectrum(
    W: Affinity, seed: int, bar: ProgressBar, k: int | None = None, suggest: bool = False
) -> Spectrum:
    wanted = max(EIGENVALUES, k or 0, suggest * (MOST_CLUSTERS + 1))
    return spectrum(W, min(wanted, W.shape[0]), k, seed, bar)


def _clusters(data: Dataset, s: dict[str, Any]) -> tuple[int | None, str]:
    """The number of clusters, None where the eigengap decides, and where it comes from."""
    if s["clusters"] == "own":
        return min(s["k"], data.n_points), "chosen"
    if s["clusters"] == "known" and data.n_classes:
        return data.n_classes, "known"
    return None, "suggested by the eigengap"


def _side(data: Dataset, W: Affinity, k: int, seed: int, bar: ProgressBar, found: Spectrum) -> Side:
    # The spectrum that is there serves, unless k decides otherwise about weak links.
    if found.regularised != (found.n_components > k) or len(found.eigenvalues) < k:
        found = _spectrum(W, seed, bar, k)
    labels = spectral_clustering(W, k, seed, spectrum_=found)
    return Side(W, found, labels, summarise(W, labels, data.labels), k)


def show_or_last(data: Dataset, spot: Any) -> tuple[Run | None, str]:
    """The run for the settings, or the last good one and a sentence on why it is the last."""
    state = st.session_state
    state.wanted = (data.digest, tuple(spell_key(state[n]) for n in (*METHOD, "clusters", "k")))
    last: Run | None = state.get("last")
    if last is not None and last.data.name != data.name:
        last = None  # no figures under another data set's name
    if state.get("unprepared"):
        return last, state.unprepared
    if state.get("stopped") == state.wanted:
        shown = " The last result is shown;" if last else " There is no result of this data yet;"
        return last, f"Stopped.{shown} change a setting or press Compute."
    try:
        state.last = compute(data, spot)
    except (ValueError, MemoryError) as problem:
        return last, str(problem) or "There is not enough memory for this; choose fewer points."
    spot.empty()
    return state.last, ""
