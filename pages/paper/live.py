"""The quick version of an experiment, run on this machine while somebody looks."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from pages.components.cells import cells
from pages.paper.parts import title
from pages.shared.run import patiently
from pages.shared.text import escape_markdown
from sdsc_core.blocks import Progress
from sdsc_core.experiments import EXPERIMENTS, Options, Row, beside, run, to_markdown


def offer(name: str) -> None:
    """The button, and what came of it; the verdicts have no experiment of their own."""
    if name not in EXPERIMENTS:
        return
    st.divider()
    state = st.session_state
    row = st.container(horizontal=True, vertical_alignment="center")
    row.button(
        "Run the quick version here", key="quick", on_click=lambda: state.update(quick_of=name),
        icon=":material/play_arrow:",
    )  # fmt: skip
    row.caption("A small part of it, on this machine, within a minute or so.")
    if state.get("quick_of") != name:
        return
    says = f"{title(name)}, quick version, cells done"
    try:
        found = patiently(says, ("quick", name), _work(name))
    except ValueError as problem:
        st.warning(escape_markdown(str(problem)), icon=":material/upload_file:")
        return
    st.subheader("Measured here just now", anchor=False)
    _show(name, found)


def _work(name: str) -> Callable[[Progress | None], list[Row]]:
    def work(tell: Progress | None) -> list[Row]:
        at = [(0, 1)]

        def progress(done: int, total: int) -> None:
            at[0] = (done, total)
            if tell:
                tell(done, total)

        def step(done: int, total: int) -> None:  # within a cell: only to be stopped there
            if tell:
                tell(*at[0])

        options = replace(Options(quick=True), report=lambda title: step)
        return run(EXPERIMENTS[name], options, progress=progress)

    return work


def _show(name: str, rows: Sequence[Row]) -> None:
    experiment = EXPERIMENTS[name]
    if name in ("table2", "figure1", "figure3"):
        figure = experiment.shown[0]
        cells(beside.by_place(name, rows, figure), experiment.where, "Quick version", "live")
    elif name in ("table3", "table4"):
        cells(beside.by_stage(name, rows, int(rows[0].where)), "method", "Quick version", "live")
    elif name == "hopkins":
        cells(beside.by_motions(rows), "method", "Quick version", "live")
    else:
        st.markdown(to_markdown(experiment, rows).replace("## ", "#### "))
