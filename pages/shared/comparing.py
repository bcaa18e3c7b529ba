"""The parts of the Compare screen: choose, run cell by cell, show.

A run is a queue of keys in the session. A job is made afresh from what is on the screen and holds
all that it computes on, so a cell can belong to nothing but its key; each finished cell is kept
at once, so a stop loses nothing.
"""

import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from pages.shared.matrix import matrix
from pages.shared.settings import STAGES
from pages.shared.stages import ProgressBar, preparation, remember, source, spell_key
from pages.shared.tables import html_table
from sdsc_core import METHODS, compare, figures
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.methods import Parameter

MOST_POINTS = 1500  # up to which a cell's matrices are kept to be opened large
MOST_KEPT = 60  # cells whose matrices a session keeps
KINDS = ("faces", "digits", "motion")
PAUSE = 1.0  # seconds; the script of a click begins far sooner after the one that it cut short
GO_ON = "what was done is kept. Press Run to go on with the rest."


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
        seed = self.seed if compare.uses_seed(self.method) else None
        return (
            self.data.digest, self.raw.digest, drawn, self.method, tuple(self.params.items()),
            self.n_clusters, seed,
        )  # fmt: skip

    @cached_property
    def key(self) -> tuple[Hashable, ...]:
        """What the cell depends on."""
        return (*self.solve_key, self.seed, self.repeat, self.dense, self.thetas)

    def points(self) -> Dataset:
        """The data of this repeat: another draw where the Data screen draws samples."""
        if not self.options["per_class"] or not self.repeat:
            return self.data
        drawn = (self.raw.digest, *(spell_key(v) for v in self.options.values()))
        return remember(("draw", drawn), lambda: prepare(self.raw, **self.options))


@dataclass
class Queue:
    """Keys of the cells that wait, and a sentence on why a run ended early.

    Changed in place: a script that was stopped may no longer write to the session.
    """

    keys: set[Hashable] = field(default_factory=set)
    total: int = 0
    note: str = ""
    script: int = 0  # number of the script run that works on it
    stopped: float | None = None  # when that one was stopped from outside

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
        step = f", step {done:,}" + (f" of {total:,}" if total else "") if done else " …"
        # A cell has several loops of steps: the bar waits for those that begin anew.
        self.done = max(self.done, self.before + self.share * (done / total if total else 0))
        if self.bar is None:
            with self.spot.container():
                self.bar = st.progress(self.done, self.title + step)
                st.button(
                    "Stop", key="stop comparing", help="Keep what is done.",
                    on_click=self.queue.end, args=(f"Stopped; {GO_ON}",),
                )  # fmt: skip
        self.bar.progress(min(1.0, self.done), self.title + step)


def choose(data: Dataset) -> None:
    """Which methods and which dense stages; what would not fit is not offered."""
    state = st.session_state
    refused = {m: compare.fits(data, m) for m in METHODS}
    offered = [m for m in METHODS if not refused[m]]
    # A method that does not fit is set aside until it does: smaller data brings it back.
    wanted = {*state.methods, *state.get("set_aside", ())}
    state.set_aside = [m for m in METHODS if m in wanted and refused[m]]
    state.methods = [m for m in offered if m in wanted] or offered[:1]
    state.stages = [s for s in STAGES if s in state.stages] or ["none"]
    st.pills(
        "Methods", offered, key="methods", selection_mode="multi",
        help="  \n".join(f"**{m.name}**: {m.title}" for m in METHODS.values()),
    )  # fmt: skip
    left, right = st.columns([5, 1])
    left.pills(
        "Dense stages", STAGES, key="stages", selection_mode="multi",
        help="*none* is the method as its authors use it; D1, D2, D3 are Table 1, PCE Algorithm 2.",
    )  # fmt: skip
    right.number_input(
        "Repeats", 1, 100, key="repeats",
        help="Each repeat has its own seed, and its own draw where the Data screen draws samples.",
    )  # fmt: skip
    for name, why in refused.items():
        if why:
            st.caption(f"{name} is not offered: {why}")


def clusters(data: Dataset, spot: Any) -> int:
    """The number of clusters: known, or asked for, with a suggestion."""
    if data.n_classes:
        return data.n_classes
    st.info("This data has no classes: there is CONN and time, but no ACC or NMI.")
    state, key = st.session_state, f"clusters {data.digest}"
    suggested = _suggested(data, spot)
    own = state.k if state.clusters == "own" or suggested is None else suggested
    _keep(key, min(own, data.n_points))
    st.number_input("Number of clusters", 1, data.n_points, key=key, width=240)
    if suggested is not None:
        st.caption(f"{suggested} is suggested by the eigengap of IMC's affinity.")
    return state[key]


def _suggested(data: Dataset, spot: Any) -> int | None:
    """None where it was stopped, or IMC cannot work with the data; the methods then say why."""
    key = ("suggested", data.digest)
    stop = partial(remember, key, lambda: None)
    bar = ProgressBar("Suggesting a number of clusters, steps", spot, on_stop=stop)
    try:
        suggested = remember(key, partial(compare.suggest_clusters, data, bar))
    except (ValueError, MemoryError):
        suggested = None
    spot.empty()
    return suggested


def _keep(key: str, default: Any) -> None:
    """Before a widget: its value, which Streamlit forgets while the widget is not shown."""
    state = st.session_state
    kept = state.setdefault("kept by compare", {})
    if key in state:
        kept[key] = state[key]
    else:
        state[key] = kept.get(key, default)


def parameters(data: Dataset) -> dict[str, dict[str, Any]]:
    """Each method's parameters, preset for the kind of data."""
    default = data.kind if data.kind in KINDS else "faces" if data.images is not None else "digits"
    with st.expander("Parameters of the methods"):
        key = f"kind {data.digest}"
        _keep(key, default)
        st.segmented_control(
            "Preset for", KINDS, required=True, key=key,
            help="The values that the authors of the methods used on such data.",
        )  # fmt: skip
        kind = st.session_state[key]
        out = {}
        for name in st.session_state.methods:
            method = METHODS[name]
            st.markdown(f"**{name}**, {method.title}")
            columns = st.columns(4)
            preset = method.presets.get(kind, {})
            out[name] = {
                p.name: _control(columns[i % 4], name, p, preset.get(p.name, p.default), kind)
                for i, p in enumerate(method.parameters)
            }
    return out


def _control(spot: Any, method: str, p: Parameter, value: Any, kind: str) -> Any:
    """A parameter under the name that `SDSC` takes, with what it means."""
    key = f"{method} {p.name} {kind}"
    look: dict[str, Any] = {"key": key, "help": f"{p.help} {_range(p)}".strip()}
    kind_of = type(p.default)
    _keep(key, kind_of(value))
    if p.choices:
        return spot.selectbox(p.name, p.choices, format_func=_spaced, **look)
    if kind_of is bool:
        return spot.checkbox(p.name, **look)
    low, high = (None if v is None else kind_of(v) for v in (p.low, p.high))
    if kind_of is float:
        look["format"] = "%g"
    return spot.number_input(p.name, low, high, **look)


def _spaced(choice: str) -> str:
    return choice.replace("_", " ")


def _range(p: Parameter) -> str:
    return "" if p.low is None or p.high is None else f"From {p.low:g} to {p.high:g}."


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


def start(data: Dataset, chosen: list[Job]) -> None:
    """How long it may take, and the button."""
    todo = [j for j in chosen if j.key not in _cells()]
    left, right = st.columns([1, 5], vertical_alignment="center")
    left.button(
        "Run", type="primary", width="stretch", disabled=not todo, on_click=_run, args=(todo,)
    )
    done = len(chosen) - len(todo)
    said = f"{len(chosen)} cell{'s' * (len(chosen) > 1)}"
    if not todo:
        right.markdown(f"{said}, all done.")
        return
    if done:
        said += f", {done} of them done"
    with right:
        seconds, tried = _estimate(data, todo)
    of_them = "all" if tried == data.n_points else f"{tried:,}"
    if tried:
        said += (
            f"; the methods may take about **{_time(seconds)}** on {data.n_points:,} points,"
            f" estimated by trying each on {of_them} of them"
        )
    right.markdown(f"{said}.")


def _run(todo: list[Job]) -> None:
    queue = _queue()
    queue.keys = {j.key for j in todo}
    queue.total = len(queue.keys)
    st.session_state.failed = {}


def _estimate(data: Dataset, todo: list[Job]) -> tuple[float, int]:
    """Seconds for the affinities that are missing, and the points that this was tried on."""
    total, tried = 0.0, 0
    refused: set[str] = set()
    for job in {j.solve_key: j for j in todo}.values():
        if job.method in refused:
            continue
        key = ("estimate", data.digest, job.n_clusters, job.method, tuple(job.params.items()))
        work = partial(compare.estimate, data, job.method, job.n_clusters, job.params)
        try:
            with st.spinner(f"Estimating the time of {job.method} …"):
                found = remember(key, work)
        except ValueError as problem:
            st.warning(f"{job.method}: {problem}")
            refused.add(job.method)
        else:
            total, tried = total + found.seconds, found.points
    return total, tried


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _queue() -> Queue:
    return st.session_state.setdefault("queue", Queue())


def _cells() -> dict[Hashable, compare.Result]:
    return st.session_state.setdefault("cells", {})


def _matrices() -> OrderedDict[Hashable, tuple[Affinity, Affinity]]:
    return st.session_state.setdefault("matrices", OrderedDict())


def begin() -> None:
    """First of all on the screen: whether a run that was cut short may go on.

    A click cuts the script short just as Streamlit's own Stop does, but begins the next one at
    once; a script that begins later comes from a click after a stop.
    """
    queue = _queue()
    queue.script += 1
    if queue.stopped is not None and time.monotonic() - queue.stopped > PAUSE and queue.keys:
        queue.end(f"The run was stopped; {GO_ON}")
    queue.stopped = None


def work(chosen: list[Job], spot: Any) -> None:
    """Run what waits and still belongs to the screen, cell by cell."""
    queue, cells = _queue(), _cells()
    failed: dict[Hashable, str] = st.session_state.setdefault("failed", {})
    waiting = [j for j in chosen if j.key in queue.keys]
    if queue.keys and not waiting:
        queue.end(f"The run ended, because the data or the settings were changed; {GO_ON}")
    queue.keys &= {j.key for j in waiting}
    bar, script = RunBar(spot, queue), queue.script
    try:
        for job in waiting:
            bar.begin(job)
            try:
                cells[job.key] = _compute(job, bar)
            except (ValueError, MemoryError) as error:
                failed[job.key] = str(error) or "There is not enough memory; choose fewer points."
            queue.keys.discard(job.key)
    except StopException:
        if queue.script == script:  # else a click was the reason, and the next script is at work
            queue.stopped = time.monotonic()
        raise
    if waiting:
        st.rerun()  # what stands above the run speaks of the time before it
    for problem in dict.fromkeys(f"{j.method}: {failed[j.key]}" for j in chosen if j.key in failed):
        st.warning(problem)
    if queue.note:
        st.info(queue.note)
        queue.note = ""


def _compute(job: Job, bar: RunBar) -> compare.Result:
    """A cell's figures; its matrices are kept where they are small enough."""
    data = job.points()
    solved = remember(
        ("solved", job.solve_key),
        lambda: compare.solve(
            data, job.method, job.n_clusters, job.params, random_state=job.seed, progress=bar
        ),
    )
    thetas: dict[str, Any] = {"thetas": job.thetas} if job.thetas else {}
    result, star, _ = compare.finish(
        data, solved, job.method, None if job.dense == "none" else job.dense, job.n_clusters,
        repeat=job.repeat, random_state=job.seed, progress=bar, **thetas,
    )  # fmt: skip
    if job.repeat == 0 and data.n_points <= MOST_POINTS:
        matrices = _matrices()
        matrices[job.key] = (solved.W, star)
        while len(matrices) > MOST_KEPT:
            matrices.popitem(last=False)
    return result


def results(chosen: list[Job]) -> list[compare.Result]:
    """What is done of the chosen matrix."""
    cells = _cells()
    return [cells[j.key] for j in chosen if j.key in cells]


def choose_figure(data: Dataset, results: list[compare.Result]) -> tuple[str, str]:
    """Which figure the table and the charts show, and whether its mean or its median."""
    offered = [f for f in compare.TITLES if data.n_classes or f not in compare.PERCENT]
    _keep("figure", offered[0])
    if st.session_state.figure not in offered:
        st.session_state.figure = offered[0]
    row = st.container(horizontal=True, gap="medium")
    row.segmented_control(
        "Figure", offered, key="figure", required=True, format_func=compare.TITLES.__getitem__
    )
    if all(r.repeat == 0 for r in results):
        return st.session_state.figure, "mean"
    _keep("average", "mean")
    row.segmented_control("Over the repeats", compare.AVERAGES, key="average", required=True)
    return st.session_state.figure, st.session_state.average


def table(results: list[compare.Result], figure: str, average: str) -> None:
    """Methods down, stages across; the change against the method alone in colour, best marked."""
    stages, rows = compare.grid(results, figure)
    top = compare.best(results, figure, average)
    lines = []
    for method, *cells in rows:
        base = cells[stages.index("none")] if "none" in stages else None
        texts = "".join(
            _cell(c, base, figure, average, (method, d) == top)
            for c, d in zip(cells, stages, strict=True)
        )
        lines.append(f"<td>{method}</td>{texts}")
    label = f"{compare.TITLES[figure]} of methods and dense stages"
    html_table(["method", *stages], lines, label)
    st.caption(
        f"{compare.caption(results, figure, average)}. ★ marks the best; the change is against the"
        " method without dense stage."
    )
    for note in sorted({f"{r.method}: {r.message}" for r in results if r.message}):
        st.caption(escape(note))


def _cell(
    row: compare.Row | None, base: compare.Row | None, figure: str, average: str, best: bool
) -> str:
    if row is None:
        return "<td>–</td>"
    text = compare.cell_text(row, figure, average)
    if best:
        text = f"<b>{text} ★</b>"
    if base is not None and row is not base:
        change, sign = compare.change(row, base, figure, average)
        mark = {1: " class='up'", 0: "", -1: " class='down'"}[sign]
        text += f" <span{mark}>({change})</span>"
    spread = compare.spread_text(row, figure)
    return f"<td title='{spread}'>{text}</td>" if spread else f"<td>{text}</td>"


def bars(results: list[compare.Result], figure: str, average: str) -> None:
    """The same as bars, with the spread of the repeats."""
    st.plotly_chart(
        figures.method_bars(compare.table(results, figure), figure, average),
        key="bars", alt=f"{compare.heading(figure)} for each method and dense stage.",
    )  # fmt: skip


def time_against(results: list[compare.Result], figure: str, average: str) -> None:
    """What a figure costs in seconds."""
    shown = figure if figure != "seconds" else "conn"
    st.plotly_chart(
        figures.time_against(
            compare.table(results, "seconds"), compare.table(results, shown), shown, average
        ),
        key="time", alt=f"Seconds against {compare.heading(shown)} for each method and stage.",
    )  # fmt: skip


def thumbnails(data: Dataset, chosen: list[Job]) -> None:
    """A small picture of the W* of each cell in the table; one opens large beside its W."""
    matrices = _matrices()
    shown = [j for j in chosen if j.repeat == 0 and j.key in matrices]
    if not shown:
        return
    st.subheader("Affinities", anchor=False)
    how = "class" if data.n_classes else "loaded"
    order = figures.ordering(how, data.labels, range(data.n_points))
    row = st.container(horizontal=True)
    for job in shown:
        with row.container(width=150, gap="small"):
            st.image(
                figures.thumbnail(matrices[job.key][1], order), width="stretch",
                alt=f"Affinity of {job.name}, dark where similarity is high.",
            )  # fmt: skip
            st.button(
                f"Open {job.name}", key=f"open {job.name}", on_click=_open, args=(job.name,),
                width="stretch",
            )  # fmt: skip
    for job in shown:
        if job.name == st.session_state.get("opened"):
            _large(data, job, order)


def _open(name: str) -> None:
    st.session_state.opened = name


def _large(data: Dataset, job: Job, order: Any) -> None:
    W, star = _matrices()[job.key]
    named = job.dense if job.dense != "none" else "no dense stage"
    labels = data.labels
    matrix(
        figures.matrix_view(
            W, star, order,
            panels=(("w", f"W ({job.method})"), ("star", f"W* ({named})")),
            classes=tuple(map(escape, data.class_names)),
            class_of=np.empty(0, int) if labels is None else labels[order],
            blocks=() if labels is None else figures.class_blocks(labels, order, data.class_names),
            alt=f"Affinity of {job.method} before and after {named}.",
            axis="as loaded" if labels is None else "by class",
        ),
        key="compared", choice=False,
    )  # fmt: skip


def downloads(results: list[compare.Result], figure: str, average: str) -> None:
    """Every result and their summary as CSV; the table as Markdown and LaTeX."""
    shown = (results, figure, average)
    files = [
        ("Results (.csv)", "results.csv", "text/csv", compare.to_csv(results)),
        ("Summary (.csv)", "summary.csv", "text/csv", compare.summary_csv(results)),
        ("Table (.md)", "table.md", "text/markdown", compare.to_markdown(*shown)),
        ("Table (.tex)", "table.tex", "text/x-tex", compare.to_latex(*shown)),
    ]
    for spot, (title, name, mime, text) in zip(st.columns(len(files)), files, strict=True):
        spot.download_button(
            title, text, name, mime, key=f"download {name}", on_click="ignore", width="stretch"
        )
