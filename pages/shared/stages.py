"""From settings to a result, stage by stage; only what lies after a change is computed again.

Results are kept in the session, which is the user's alone, and few of them. A stage that takes
long shows its progress and can be stopped; the last good result stays on the screen.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

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

T = TypeVar("T")
KEPT = 40  # results of stages a session keeps
EIGENVALUES = 16
PATIENCE = 0.8  # seconds before progress is shown


@dataclass(frozen=True)
class Side:
    """What follows from one affinity, W or W*."""

    W: Affinity
    spectrum: Spectrum
    labels: NDArray[np.int64]
    summary: Summary


@dataclass(frozen=True)
class Run:
    """One result and the settings it came from."""

    data: Dataset
    settings: dict[str, Any]
    k: int
    k_from: str
    path: ImcPath
    before: Side
    after: Side
    seconds: dict[str, float]


def remember(key: Hashable, compute: Callable[[], T]) -> T:
    """The value for a key, computed once; the oldest are let go."""
    memo: OrderedDict[Hashable, Any] = st.session_state.setdefault("memo", OrderedDict())
    if key not in memo:
        memo[key] = compute()
        while len(memo) > KEPT:
            memo.popitem(last=False)
    memo.move_to_end(key)
    return memo[key]


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
    key = (raw.name, raw.note, raw.digest, chosen, state.hide)
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
    """A sample or a data set that the user loaded; the default sample where it is neither."""
    loaded: dict[str, Dataset] = st.session_state.setdefault("loaded", {})
    if name in loaded:
        return loaded[name]
    return datasets.sample(name if name in datasets.SAMPLES else "faces")


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
    seed, bar = s["seed"], ProgressBar("Eigenvectors of W*, products", spot)
    top = timed("spectrum", (star_key, seed), lambda: _spectrum(star, seed, bar))
    k, k_from = _clusters(data, s, top)
    after = timed(
        "W* side", (star_key, seed, k), lambda: _side(data, star, k, seed, bar, found=top)
    )
    if star is W:
        before = after
    else:
        bar = ProgressBar("Eigenvectors of W, products", spot)
        before = timed("W side", (*base, gamma, seed, k), lambda: _side(data, W, k, seed, bar))
    return Run(data, s | {"gamma": gamma}, k, k_from, path, before, after, seconds)


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


def _spectrum(W: Affinity, seed: int, bar: ProgressBar, k: int | None = None) -> Spectrum:
    return spectrum(W, min(max(EIGENVALUES, k or 0), W.shape[0]), k, seed, bar)


def _clusters(data: Dataset, s: dict[str, Any], top: Spectrum) -> tuple[int, str]:
    if s["clusters"] == "own":
        return min(s["k"], data.n_points), "chosen"
    if s["clusters"] == "known" and data.n_classes:
        return data.n_classes, "known"
    return suggest_n_clusters(top.eigenvalues), "suggested by the eigengap"


def _side(
    data: Dataset,
    W: Affinity,
    k: int,
    seed: int,
    bar: ProgressBar,
    found: Spectrum | None = None,
) -> Side:
    # A spectrum that is there already serves, unless k decides otherwise about weak links.
    if found is None or found.regularised != (found.n_components > k) or len(found.eigenvalues) < k:
        found = _spectrum(W, seed, bar, k)
    labels = spectral_clustering(W, k, seed, spectrum_=found)
    return Side(W, found, labels, summarise(W, labels, data.labels))


def show_or_last(data: Dataset, spot: Any) -> tuple[Run | None, str]:
    """The run for the settings, or the last good one and a sentence on why it is the last."""
    state = st.session_state
    state.wanted = (data.digest, tuple(spell_key(state[n]) for n in (*METHOD, "clusters", "k")))
    last: Run | None = state.get("last")
    if state.get("unprepared"):
        return last, state.unprepared
    if state.get("stopped") == state.wanted:
        return last, "Stopped. The last result is shown; change a setting or press Compute."
    try:
        state.last = compute(data, spot)
    except (ValueError, MemoryError) as problem:
        return last, str(problem) or "There is not enough memory for this; choose fewer points."
    spot.empty()
    return state.last, ""
