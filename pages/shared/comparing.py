"""The parts of the Compare screen: choose, run cell by cell, show.

Jobs wait in the session; each finished cell is kept at once, so a stop loses nothing.
"""

from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from pages.shared.matrix import matrix
from pages.shared.settings import STAGES
from pages.shared.stages import ProgressBar, remember, source, spell_key
from pages.shared.tables import html_table
from sdsc_core import METHODS, compare, figures
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.methods import Parameter

MOST_KEPT = 1500  # points up to which a cell's matrices are kept to be opened large
KINDS = ("faces", "digits", "motion")


@dataclass(frozen=True)
class Job:
    """One cell of the matrix in one repeat."""

    key: tuple[Any, ...]
    method: str
    dense: str
    repeat: int
    n_clusters: int
    params: dict[str, Any]
    each: int
    draw: int
    seed: int


def choose(data: Dataset) -> None:
    """Which methods and which dense stages; what would not fit is not offered."""
    state = st.session_state
    refused = {m: compare.fits(data, m) for m in METHODS}
    offered = [m for m in METHODS if not refused[m]]
    state.methods = [m for m in state.methods if m in offered] or offered[:1]
    state.stages = [s for s in state.stages if s in STAGES] or ["none"]
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


def clusters(data: Dataset) -> int:
    """The number of clusters: known, or asked for."""
    if data.n_classes:
        return data.n_classes
    st.info("This data has no classes: there is CONN and time, but no ACC or NMI.")
    st.session_state.k = min(st.session_state.k, data.n_points)
    return st.number_input("Number of clusters", 1, data.n_points, key="k")


def parameters(data: Dataset) -> dict[str, dict[str, Any]]:
    """Each method's parameters, preset for the kind of data."""
    default = data.kind if data.kind in KINDS else "faces" if data.images is not None else "digits"
    with st.expander("Parameters of the methods"):
        kind = st.segmented_control(
            "Preset for", KINDS, default=default, required=True, key=f"kind {data.digest}",
            help="The values that the authors of the methods used on such data.",
        )  # fmt: skip
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
    look: dict[str, Any] = {"help": p.help, "key": f"{method} {p.name} {kind}"}
    if p.choices:
        return spot.selectbox(p.name, p.choices, index=p.choices.index(value), **look)
    if isinstance(p.default, bool):
        return spot.checkbox(p.name, value, **look)
    kind_of = int if isinstance(p.default, int) else float
    low, high = (None if v is None else kind_of(v) for v in (p.low, p.high))
    if kind_of is float:
        look["format"] = "%g"
    return spot.number_input(p.name, low, high, kind_of(value), **look)


def _job_key(data: Dataset, n_clusters: int, method: str, params: dict[str, Any]) -> tuple:
    state = st.session_state
    drawn = (state.each, state.draw) if state.each else ()
    return (
        data.digest, drawn, n_clusters, method, tuple(params.items()), state.seed,
        state.theta1, state.theta2,
    )  # fmt: skip


def start(data: Dataset, n_clusters: int, params: dict[str, dict[str, Any]]) -> None:
    """How long it may take, and the button."""
    state = st.session_state
    total = 0.0
    for name, values in params.items():
        key = ("estimate", data.digest, n_clusters, name, tuple(values.items()))
        try:
            with st.spinner(f"Estimating the time of {name} …"):
                work = partial(compare.estimate, data, name, n_clusters, values)
                total += remember(key, work)
        except ValueError as problem:
            st.warning(f"{name}: {problem}")
    fresh = state.repeats if state.each else 1
    left, right = st.columns([1, 5], vertical_alignment="center")
    jobs = _jobs(data, n_clusters, params)
    left.button(
        "Run", type="primary", width="stretch", disabled=not jobs,
        on_click=lambda: state.update(queue=jobs, failed={}),
    )  # fmt: skip
    right.markdown(
        f"{len(jobs)} cells; the methods may take about **{_time(total * fresh)}** on"
        f" {data.n_points:,} points, estimated from a hundred. What is done is not run again."
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _jobs(data: Dataset, n_clusters: int, params: dict[str, dict[str, Any]]) -> list[Job]:
    state = st.session_state
    return [
        Job(
            (*_job_key(data, n_clusters, name, values), dense, repeat), name, dense, repeat,
            n_clusters, values, state.each, state.draw + repeat, state.seed + repeat,
        )
        for name, values in params.items()
        for repeat in range(state.repeats)
        for dense in state.stages
    ]  # fmt: skip


def work(data: Dataset, spot: Any) -> None:
    """Run what waits, cell by cell."""
    state = st.session_state
    cells = state.setdefault("cells", {})
    queue: list[Job] = state.get("queue", [])
    total = len(queue)
    bar = ProgressBar("Methods", spot, on_stop=_stop)
    bar.begun = 0.0  # shown at once, since a cell may take long before its first step is done
    for number, job in enumerate(queue, 1):
        if job.key in cells or (job.method, job.repeat) in state.failed:
            continue
        bar.title, bar.shown = f"{job.method} with {job.dense}, cell {number} of {total}", 0.0
        bar(0, 1)
        try:
            cells[job.key] = _run(data, job, bar)
        except (ValueError, MemoryError) as error:
            state.failed[(job.method, job.repeat)] = str(error) or "There is not enough memory."
    state.queue = []
    spot.empty()
    for (method, _), problem in state.get("failed", {}).items():
        st.warning(f"{method}: {problem}")
    if state.pop("compare_stopped", False):
        st.info("Stopped; what was done is kept. Press Run to go on with the rest.")


def _stop() -> None:
    st.session_state.queue = []
    st.session_state.compare_stopped = True


def _run(data: Dataset, job: Job, bar: ProgressBar) -> tuple[compare.Result, Any]:
    """A cell: its figures, and its matrices where they are small enough to keep."""
    state = st.session_state
    if job.each and job.repeat:
        data = _another_draw(job)
    solve_key = ("solved", job.key[:-2], job.draw if job.each else 0, job.seed)
    solved = remember(
        solve_key,
        lambda: compare.solve(
            data, job.method, job.n_clusters, job.params, random_state=job.seed, progress=bar
        ),
    )
    result, star, labels = compare.finish(
        data, solved, job.method, None if job.dense == "none" else job.dense, job.n_clusters,
        repeat=job.repeat, random_state=job.seed, thetas=(state.theta1, state.theta2), progress=bar,
    )  # fmt: skip
    keep = job.repeat == 0 and data.n_points <= MOST_KEPT
    return result, (solved.W, star, labels) if keep else None


def _another_draw(job: Job) -> Dataset:
    state = st.session_state
    raw = source(state.data)
    classes = [c for c in state.classes if c < raw.n_classes]
    return remember(
        ("draw", raw.digest, job.draw, job.each, spell_key(state.classes), state.pca, state.unit),
        lambda: prepare(
            raw, classes=classes or None, per_class=job.each,
            pca=state.pca if state.pca >= 2 else None,
            unit_norm=state.unit, centre=state.centre, random_state=job.draw,
        ),
    )  # fmt: skip


def results(
    data: Dataset, n_clusters: int, params: dict[str, dict[str, Any]]
) -> list[compare.Result]:
    """What is done of the chosen matrix."""
    cells = st.session_state.cells
    return [cells[j.key][0] for j in _jobs(data, n_clusters, params) if j.key in cells]


def choose_figure(data: Dataset) -> str:
    """Which figure the table and the charts show."""
    offered = [f for f in compare.TITLES if data.n_classes or f not in ("acc", "nmi")]
    return st.segmented_control(
        "Figure", offered, default=offered[0], key="figure", required=True,
        format_func=compare.TITLES.__getitem__,
    )  # fmt: skip


def table(results: list[compare.Result], figure: str) -> None:
    """Methods down, stages across; the change against the method alone in colour, best marked."""
    stages, rows = compare.grid(results, figure)
    top = compare.best(results, figure)
    lines = []
    for method, *cells in rows:
        base = cells[stages.index("none")] if "none" in stages else None
        texts = "".join(
            _cell(c, base, figure, (method, d) == top) for c, d in zip(cells, stages, strict=True)
        )
        lines.append(f"<td>{method}</td>{texts}")
    label = f"{compare.TITLES[figure]} of methods and dense stages"
    html_table(["method", *stages], lines, label)
    notes = {f"{r.method}: {r.message}" for r in results if r.message}
    repeats = max((r.repeat for r in results), default=0) + 1
    shown = "Mean ± standard deviation over the repeats. " if repeats > 1 else ""
    st.caption(shown + "★ marks the best; the change is against the method without dense stage.")
    for note in sorted(notes):
        st.caption(escape(note))


def _cell(row: compare.Row | None, base: compare.Row | None, figure: str, best: bool) -> str:
    if row is None:
        return "<td>–</td>"
    text = compare.cell_text(row, figure) + (" ★" if best else "")
    if base is None or row is base:
        return f"<td>{f'<b>{text}</b>' if best else text}</td>"
    change = row.mean - base.mean
    good = change < 0 if figure == "seconds" else change > 0
    mark = "up" if good else "down"
    scale, places = (100, 1) if figure in ("acc", "nmi") else (1, 3)
    inner = f"<b>{text}</b>" if best else text
    return f"<td>{inner} <span class='{mark}'>({scale * change:+.{places}f})</span></td>"


def bars(results: list[compare.Result], figure: str) -> None:
    """The same as bars, with the spread of the repeats."""
    st.plotly_chart(
        figures.method_bars(compare.table(results, figure), compare.TITLES[figure]),
        key="bars", alt=f"{compare.TITLES[figure]} for each method and dense stage.",
    )  # fmt: skip


def time_against(results: list[compare.Result], figure: str) -> None:
    """What a figure costs in seconds."""
    shown = figure if figure != "seconds" else "conn"
    st.plotly_chart(
        figures.time_against(
            compare.table(results, "seconds"), compare.table(results, shown), compare.TITLES[shown]
        ),
        key="time", alt=f"Seconds against {compare.TITLES[shown]} for each method and stage.",
    )  # fmt: skip


def thumbnails(data: Dataset) -> None:
    """A small picture of each W*; one opens large beside its W."""
    state = st.session_state
    kept = {
        (result.method, result.dense): matrices
        for key, (result, matrices) in state.cells.items()
        if matrices is not None and key[0] == data.digest and result.method in state.methods
    }
    if not kept:
        return
    st.subheader("Affinities", anchor=False)
    order = figures.ordering(
        "class" if data.n_classes else "loaded", data.labels, range(data.n_points)
    )
    columns = st.columns(6)
    for i, ((method, dense), (_, star, _)) in enumerate(kept.items()):
        spot = columns[i % 6]
        name = method if dense == "none" else f"{method}-{dense}"
        spot.image(figures.thumbnail(star, order), width="stretch", caption=name)
        spot.button(
            f"Open {name}",
            key=f"open {name}",
            on_click=_open,
            args=(method, dense),
            width="stretch",
        )
    chosen = state.get("opened")
    if chosen in kept:
        _large(data, kept[chosen], chosen, order)


def _open(method: str, dense: str) -> None:
    st.session_state.opened = (method, dense)


def _large(
    data: Dataset, kept: tuple[Affinity, Affinity, Any], chosen: tuple[str, str], order: Any
) -> None:
    W, star, _ = kept
    method, dense = chosen
    named = dense if dense != "none" else "no dense stage"
    labels = data.labels
    matrix(
        figures.matrix_view(
            W, star, order,
            panels=(("w", f"W ({method})"), ("star", f"W* ({named})")),
            classes=tuple(map(escape, data.class_names)),
            class_of=np.empty(0, int) if labels is None else labels[order],
            blocks=() if labels is None else figures.class_blocks(labels, order, data.class_names),
            alt=f"Affinity of {method} before and after {named}.",
        ),
        key="compared",
    )  # fmt: skip


def downloads(results: list[compare.Result], figure: str) -> None:
    """Every result as CSV; the table as Markdown and LaTeX."""
    columns = st.columns(3)
    files = [
        ("Results (.csv)", "results.csv", "text/csv", compare.to_csv(results)),
        ("Table (.md)", "table.md", "text/markdown", compare.to_markdown(results, figure)),
        ("Table (.tex)", "table.tex", "text/x-tex", compare.to_latex(results, figure)),
    ]
    for spot, (title, name, mime, text) in zip(columns, files, strict=True):
        spot.download_button(
            title, text, name, mime, key=f"download {name}", on_click="ignore", width="stretch"
        )
