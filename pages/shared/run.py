"""From settings to a result, stage by stage; only what lies after a change is computed again.

Results are kept in the session, which is the user's alone, up to a number of bytes. A stage that
takes long shows its progress and can be stopped; the last good result stays on the screen.
"""

import shlex
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from pages.keep.made import made_from_this, made_now
from pages.server.sessions import expected, failed, noted_run, refused, session
from pages.shared.ahead import Longest
from pages.shared.memory import Memory
from pages.shared.settings import BEYOND, GAMMA_MAX, METHOD, PREPARE, chosen_rows
from pages.shared.stop import (
    NOT_PREPARED,
    compute_button,
    heed_stop,
    stop_one,
    stop_wanted,
    stopped,
    was_stopped,
)
from pages.shared.text import data_words
from sdsc_core import Changes, changes, datasets, imc
from sdsc_core.blocks import Progress, watched
from sdsc_core.checks import check_data
from sdsc_core.datasets import Dataset
from sdsc_core.imc_path import ImcPath
from sdsc_core.memory import TooLarge
from sdsc_core.run import Keep, Run, run_stages
from sdsc_core.settings import GAP, RunSettings, as_options

T = TypeVar("T")
PATIENCE = 0.6  # seconds before progress is shown
MOST_POINTS = 500_000  # that a screen computes; more fill the session, and take minutes a move


def cached(key: Hashable, compute: Callable[[], T]) -> T:
    """The value for a key, computed once; what was not used for longest is let go."""
    return session_memory().get(key, compute)


def keeper() -> Keep:
    """`cached` for the stages of `run_stages` in another thread, which has no session."""
    memory = session_memory()
    return lambda stage, key, work: memory.get((stage, key), work)


def session_memory() -> Memory:
    """What `cached` keeps its values in, for a thread, which cannot ask for the session."""
    memory = session().results
    memory.run = st.session_state.run_number
    return memory


class ProgressBar:
    """A bar and a Stop button that appear once work takes longer than a moment.

    ``title`` is what is at work, and may change; ``name`` tells the bars of one page apart. Every
    call is also where a click or Streamlit's own Stop ends the script, so it must be called often:
    see `watched`.
    """

    def __init__(
        self, title: str, spot: Any, on_stop: Callable[[], None] | None = None, name: str = "work"
    ):
        self.title, self.spot, self.on_stop, self.name = title, spot, on_stop or stop_wanted, name
        self.begun = self.shown = time.monotonic()
        self.session = session()
        self.bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        _ = "wanted" in st.session_state  # here a click or a stop ends the script
        now = time.monotonic()
        if now - self.begun < PATIENCE or now - self.shown < 0.1:
            return
        self.shown = now
        text, place = self.title, self.session.place()
        if place:
            text += f": waits for its turn, place {place} in the queue"
        elif done or total:
            text += f": {done:,} {f'of {total:,}' if total else 'so far'}"
        if self.bar is None:
            with self.spot.container():
                self.bar = st.progress(0.0, text)
                st.button(
                    "Stop", key=f"stop {self.name}", on_click=self.on_stop,
                    help="Keep what is done.",
                )  # fmt: skip
        # An unknown total: the bar moves ever more slowly, and never to its end.
        self.bar.progress(min(1.0, done / (total or done + 100)), text)


def patiently(title: str, key: Hashable, work: Callable[[Progress | None], T]) -> T:
    """As `cached`, for ``work(tell)`` that may take long: progress is shown, and can be stopped.

    Where it was stopped, the page says so and ends here, until Compute is pressed or the key is
    another one. It works in a thread of its own, where nothing of the session can be had.
    """
    spot, stop = st.empty(), partial(stop_one, key)  # always, so that all below keeps its place
    if key in session_memory():
        return cached(key, lambda: work(None))
    if was_stopped(key):
        st.warning(f"Stopped: {title}.", icon=":material/info:")
        compute_button(title)
        st.stop()
    bar = ProgressBar(title, spot, stop, title)
    try:
        with heed_stop(stop):
            value = cached(key, lambda: watched(work, bar))
    except (TooLarge, MemoryError) as problem:
        spot.empty()
        st.warning(f"{title}: {refused(title, problem)}")
        st.stop()
    spot.empty()
    return value


def current_data(spot: Any = None) -> Dataset:
    """The chosen data set, prepared as the settings say; labels gone where answers are hidden.

    Where it cannot be prepared so, or that was stopped, it comes as it is, and `show_or_last` says
    why. Progress appears in ``spot``.
    """
    state = st.session_state
    raw = source(state.data)
    chosen = tuple(spell_key(state[name]) for name in PREPARE)
    key = (raw.name, raw.note, raw.digest, chosen, chosen_rows(state), state.hide)
    state.unprepared = ""
    try:
        if state.get("prepared", (None,))[0] != key:  # one of them: a large one fills the memory
            prepared = _prepare(raw, key, st.empty() if spot is None else spot)
            state.prepared = (key, _hidden(prepared) if state.hide else prepared)
        return state.prepared[1]
    except (ValueError, MemoryError) as problem:
        state.unprepared = str(problem) or "There is not enough memory to prepare this data."
        if state.hide and not stopped(state.unprepared):  # the problem may name a class
            state.unprepared = "The data cannot be prepared as the address says."
        return _hidden(raw) if state.hide else raw


def _prepare(raw: Dataset, key: Hashable, spot: Any) -> Dataset:
    """`datasets.prepare` with progress; a ValueError where it was stopped."""
    if was_stopped(key):
        raise ValueError(NOT_PREPARED)
    stop, options = partial(stop_one, key), preparation(raw)
    bar = ProgressBar("Preparing the data", spot, stop, "preparing")
    with heed_stop(stop):
        prepared = watched(lambda tell: datasets.prepare(raw, **options, progress=tell), bar)
    if bar.bar is not None:
        spot.empty()
    return prepared


def spell_key(value: Any) -> Hashable:
    return tuple(value) if isinstance(value, list) else value


def source(name: str) -> Dataset:
    """A sample, or a data set that the user loaded; never another one in its place."""
    loaded: dict[str, Dataset] = st.session_state.setdefault("loaded", {})
    return loaded[name] if name in loaded else datasets.sample(name)


def preparation(raw: Dataset) -> dict[str, Any]:
    """What the settings ask of `datasets.prepare` for this data."""
    state = st.session_state
    return {
        "only": chosen_rows(state),
        "classes": [c for c in state.classes if c < raw.n_classes] or None,
        "per_class": state.each or None,
        "scattering": state.scattering and raw.images is not None,
        "pca": min(state.pca, largest_pca(raw)) if state.pca >= 2 else None,
        "unit_norm": state.unit,
        "centre": state.centre,
        "standardise": state.standardise,
        "random_state": state.draw,
    }


def largest_pca(raw: Dataset) -> int:
    """How many principal components the prepared samples can have at most."""
    if not st.session_state.scattering or raw.images is None:
        return min(raw.X.shape)
    return min(raw.n_points, datasets.n_scattering_features(*raw.images.shape[1:]))


def _hidden(data: Dataset) -> Dataset:
    """Without labels, and in mixed order, which would give the classes away as well."""
    sealed = st.session_state.get("sealed")  # its order cannot be worked out from the address
    seed = sealed.salt if sealed else st.session_state.draw
    mixed = np.random.default_rng(seed).permutation(data.n_points)
    images = None if data.images is None else data.images[mixed]
    return Dataset(data.X[mixed], None, "Exercise", images=images)


def run_settings(data: Dataset) -> RunSettings:
    """The present settings in the library's terms, within what this data allows."""
    state = st.session_state
    if state.clusters == "own":
        clusters: int | str | None = min(state.k, data.n_points)
    else:
        clusters = None if state.clusters == "known" else GAP
    return RunSettings(
        gamma=min(state.gamma, data.n_points - 1),
        residual=state.residual,
        similarity=state.similarity,
        dense=None if state.dense == "none" else state.dense,
        **{name: state[name] for name in ("theta1", "theta2", *BEYOND)},
        n_clusters=clusters,
        seed=state.seed,
    )


def compute(data: Dataset, spot: Any) -> Run:
    """The run for the present settings; progress appears in ``spot``."""
    if data.n_points < 2:
        check_data(data.X)  # one sentence about the data, not about a Γ that nobody chose
    settings = run_settings(data)
    longest, of = _longest(), path_key(data, settings)
    start, clusters = longest.known(of), settings.n_clusters
    known = start is not None and start[0].picks.shape[1] >= settings.gamma
    session().seconds = expected(
        data, settings, known, clusters if isinstance(clusters, int) else 0
    )
    with noted_run(data, settings) as computed:
        run = run_stages(
            data,
            settings,
            keep=lambda stage, key, work: cached((stage, key), computed(work)),
            report=_reports(spot),
            start=start,
        )
    longest.keep(of, run.path, run.seconds["IMC"])
    longest.go_ahead(of, run, GAMMA_MAX)
    return run


def too_many(data: Dataset) -> str:
    """A sentence for data that only the command line can take, with the command to run."""
    many = (
        f"This data has {data.n_points:,} points, more than the {MOST_POINTS:,} that a screen can"
    )
    if st.session_state.hide:  # the command names the data, whose name may tell the classes
        return f"{many} follow; ask whoever gave you the address for fewer."
    raw = source(st.session_state.data)
    words = ["sdsc", "cluster", *data_words(raw, preparation(raw)), *as_options(run_settings(data))]
    command = shlex.join([*words, "--output", "labels.csv", "--save-dense", "Wstar.npz"])
    return (
        f"{many} follow. Choose fewer samples on the Data screen, or run all of them on the command"
        f" line, which does the same job: `{command.replace('`', '')}`"
    )


def whole_path(run: Run, spot: Any) -> ImcPath:
    """The path of a run to the end of the slider, or as far as it is where this was stopped."""
    s, data, longest = run.settings, run.data, _longest()
    of, most = path_key(data, s), min(GAMMA_MAX, data.n_points - 1)
    path, seconds = longest.known(of) or (run.path, run.seconds["IMC"])
    stopped = st.session_state.get("stopped") == st.session_state.wanted
    if stopped or path.picks.shape[1] >= most:
        return path
    begun = time.perf_counter()
    work = partial(imc, data.X, most, residual=s.residual, similarity=s.similarity, start=path)
    with heed_stop(stop_wanted):
        bar = ProgressBar("IMC, points done", spot)
        path = watched(lambda tell: work(progress=tell), bar)
    longest.keep(of, path, seconds + time.perf_counter() - begun)
    spot.empty()
    return path


def _longest() -> Longest:
    return st.session_state.setdefault("longest", Longest())


def path_key(data: Dataset, settings: RunSettings) -> Hashable:
    """What a path of IMC depends on, whatever its length."""
    return data.digest, settings.residual, settings.similarity


def _reports(spot: Any) -> Callable[[str], ProgressBar]:
    bar = ProgressBar("", spot)

    def report(title: str) -> ProgressBar:
        bar.title = title
        return bar

    return report


def run_key(run: Run) -> Hashable:
    """What everything in a run depends on."""
    s = run.settings
    return run.data.digest, s.dense_key(), s.seed, run.before.k, run.after.k


def causes(run: Run) -> Changes:
    """Every entry that the dense stage changed, with its condition and witness."""
    s = run.settings
    return patiently(
        "Looking for the cause of every changed pair",
        ("causes", run.data.digest, s.dense_key()),
        lambda tell: changes(
            run.before.W, run.after.W, s.dense or "PCE", s.theta1, s.theta2, progress=tell
        ),
    )


def show_or_last(data: Dataset, spot: Any) -> tuple[Run | None, str]:
    """The run for the settings, or the last good one and a sentence on why it is the last."""
    state = st.session_state
    state.wanted = (data.digest, tuple(spell_key(state[n]) for n in (*METHOD, "clusters", "k")))
    raw, last = source(state.data), state.get("last")
    if not made_from_this(state.get("made"), last, data.name, raw):
        last = None  # no figures under another data set's name, nor of another one of this name
    if state.get("unprepared"):
        return last, state.unprepared
    if data.n_points > MOST_POINTS:
        return last, too_many(data)
    if state.get("stopped") == state.wanted:
        shown = " The last result is shown;" if last else " There is no result of this data yet;"
        return last, f"Stopped.{shown} change a setting or press Compute."
    try:
        with heed_stop(stop_wanted):
            run = compute(data, spot)
    except (ValueError, MemoryError) as problem:
        return last, refused("a run", problem)
    except Exception as fault:
        return last, failed(fault, data)
    state.made, state.last = made_now(state, run, raw, preparation(raw)), run
    spot.empty()
    return run, ""
