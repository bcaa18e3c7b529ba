"""What the Compare screen shows of its results."""

from html import escape
from typing import Any

import numpy as np
import streamlit as st

from pages.compare.running import Job, matrices
from pages.components.matrix import matrix
from pages.explore.downloads import load_lines
from pages.shared.run import preparation
from pages.shared.settings import keep
from pages.shared.tables import cell, direction, html_table
from pages.shared.text import escape_markdown
from sdsc_core import compare, figures
from sdsc_core.datasets import Dataset, steps_in_words
from sdsc_core.script import notebook

IN_A_ROW = 6  # thumbnails; a large matrix opens below its row


def choose_figure(data: Dataset, results: list[compare.Result]) -> tuple[str, str]:
    """Which figure the table and the charts show, and whether its mean or its median."""
    offered = [f for f in compare.TITLES if data.n_classes or f not in compare.PERCENT]
    keep("figure", offered[0])
    if st.session_state.figure not in offered:
        st.session_state.figure = offered[0]
    row = st.container(horizontal=True, gap="medium")
    row.segmented_control(
        "Figure", offered, key="figure", required=True, format_func=compare.TITLES.__getitem__
    )
    if all(r.repeat == 0 for r in results):
        return st.session_state.figure, "mean"
    keep("average", "mean")
    row.segmented_control("Over the repeats", compare.AVERAGES, key="average", required=True)
    return st.session_state.figure, st.session_state.average


def table(results: list[compare.Result], figure: str, average: str, about: compare.About) -> None:
    """Methods down, stages across; the change against the method alone in colour, best marked."""
    stages, rows = compare.grid(results, figure)
    top = compare.best(results, figure, average)
    lines = []
    for method, *cells in rows:
        base = cells[stages.index("none")] if "none" in stages else None
        texts = "".join(
            _cell(c, base, figure, average, (method, d) in top)
            for c, d in zip(cells, stages, strict=True)
        )
        lines.append(cell(method) + texts)
    label = f"{compare.TITLES[figure]} of methods and dense stages"
    html_table(["method", *stages], lines, label)
    st.caption(
        f"{compare.caption(results, figure, average, about, escape_markdown)}. ★ marks the best,"
        " all of them where several show the same; the change is against the method without dense"
        " stage."
    )
    for note in sorted({f"{r.method}: {r.message}" for r in results if r.message}):
        st.caption(escape_markdown(note))


def _cell(
    row: compare.Row | None, base: compare.Row | None, figure: str, average: str, best: bool
) -> str:
    if row is None:
        return cell("–")
    text = compare.cell_text(row, figure, average)
    if best:
        text = f"<b>{text} ★</b>"
    if base is not None and row is not base:
        change, sign = compare.change(row, base, figure, average)
        text += f" <span{direction(sign)}>({change})</span>"
    return cell(text, title=compare.spread_text(row, figure))


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
    kept = matrices()
    shown = [j for j in chosen if j.repeat == 0 and j.key in kept]
    if not shown:
        return
    st.subheader("Affinities", anchor=False)
    how = "class" if data.n_classes else "loaded"
    order = figures.ordering(how, data.labels, range(data.n_points))
    for first in range(0, len(shown), IN_A_ROW):
        jobs = shown[first : first + IN_A_ROW]
        row = st.container(horizontal=True)
        for job in jobs:
            with row.container(width=150, gap="small"):
                _thumbnail(job, figures.thumbnail(kept[job.key][1], order))
        for job in jobs:  # below its own row, where one looks
            if job.name == st.session_state.get("opened"):
                _large(data, job, order)


def _thumbnail(job: Job, picture: Any) -> None:
    st.image(
        picture, width="stretch", alt=f"Affinity of {job.name}, dark where similarity is high."
    )
    if st.session_state.get("opened") == job.name:
        st.button(f"Close {job.name}", key=f"open {job.name}", on_click=_open, args=("",),
                  width="stretch")  # fmt: skip
    else:
        st.button(f"Open {job.name}", key=f"open {job.name}", on_click=_open, args=(job.name,),
                  width="stretch")  # fmt: skip


def _open(name: str) -> None:
    state = st.session_state
    state.opened, state.openings = name, state.get("openings", 0) + 1


def _large(data: Dataset, job: Job, order: Any) -> None:
    W, star = matrices()[job.key]
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
        key="compared", choice=False, reveal=f"{job.name} {st.session_state.get('openings')}",
    )  # fmt: skip


def downloads(
    results: list[compare.Result], figure: str, average: str, about: compare.About, script: str
) -> None:
    """Every result and their summary as CSV, the table as Markdown and LaTeX, and the script."""
    shown = (results, figure, average, about)
    files = [
        ("Results (.csv)", "results.csv", "text/csv", compare.to_csv(results)),
        ("Summary (.csv)", "summary.csv", "text/csv", compare.summary_csv(results)),
        ("Table (.md)", "table.md", "text/markdown", compare.to_markdown(*shown)),
        ("Table (.tex)", "table.tex", "text/x-tex", compare.to_latex(*shown)),
        ("Python script", "compare.py", "text/x-python", script),
        ("Notebook", "compare.ipynb", "application/x-ipynb+json", notebook(script)),
    ]
    row = st.container(horizontal=True)
    for title, name, mime, text in files:
        row.download_button(title, text, name, mime, key=f"download {name}", on_click="ignore")


def about(data: Dataset, chosen: list[Job]) -> compare.About:
    """What the chosen matrix is made on and with, for captions."""
    params = {job.method: job.params for job in chosen}
    thetas = next((job.thetas for job in chosen if job.thetas), ())
    k, seed = chosen[0].n_clusters, st.session_state.seed
    prepared = steps_in_words(preparation(chosen[0].raw), bool(data.n_classes))
    return compare.About.of(data, k, params, thetas=thetas, seed=seed, prepared=prepared)


def script(data: Dataset, chosen: list[Job]) -> str:
    """A script that repeats the chosen matrix."""
    state, raw = st.session_state, chosen[0].raw
    return compare.comparison_script(
        {job.method: job.params for job in chosen},
        state.stages,
        preparation(raw),
        load=load_lines(state.data, state.get("read_as", {})),
        n_clusters=chosen[0].n_clusters,
        repeats=state.repeats,
        seed=state.seed,
        theta1=state.theta1,
        theta2=state.theta2,
        labelled=bool(data.n_classes),
    )
