"""Figures for papers: what is on the screen as SVG, PDF or PNG, in the size that is asked for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.explore.eigenvalues import eigenvalues_of
from pages.explore.embedding import panels
from pages.keep.entries import settings_in_words
from pages.keep.made import prepared_words
from pages.server.sessions import counted, problem_of
from pages.shared.matrix_view import ORDERS, matrix_view
from pages.shared.settings import keep
from pages.shared.text import percent
from sdsc_core import figures
from sdsc_core.figures import Paper
from sdsc_core.figures.papers import KINDS, MM
from sdsc_core.figures.papers import MANY as DOTS
from sdsc_core.figures.sizes import check_pixels
from sdsc_core.run import Run

WHAT = ("W and W*", "W", "W*", "Embedding", "Eigenvalues")
MIME = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
PREVIEW = 110  # dots in an inch of the screen's picture


def show(run: Run) -> None:
    """The choices, the file, and on demand the figure as it will be."""
    defaults = {"paper what": WHAT[0], "paper kind": "pdf", "paper width": 170, "paper font": 8,
                "paper dpi": 300, "paper caption": True, "paper shown": False}  # fmt: skip
    for name, value in defaults.items():
        keep(name, value)
    state = st.session_state
    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.selectbox("Figure", WHAT, key="paper what", width=150)
    row.segmented_control(
        "File", KINDS, key="paper kind", format_func=str.upper, required=True
    )  # fmt: skip
    row.number_input("Width, mm", 30, 1000, key="paper width", width=120,
                     help="A column of a journal is about 85 mm wide, a page 170.")  # fmt: skip
    row.number_input("Letters, pt", 3, 40, key="paper font", width=110)
    row.number_input(
        "Dots per inch", 50, 1200, key="paper dpi", width=120,
        disabled=state["paper kind"] != "png",
        help="Of a PNG; SVG and PDF are vectors, but for the dots of a matrix.",
    )  # fmt: skip
    row.toggle("Caption", key="paper caption", help="Data and settings, below the figure.")
    row.toggle("Show it here", key="paper shown")
    what, kind, dpi = state["paper what"], state["paper kind"], state["paper dpi"]
    caption = caption_of(run, what)
    draw = drawing(run, what)
    paper = Paper(state["paper width"], state["paper font"], caption * state["paper caption"])
    name = what.replace("*", "_star").replace(" ", "_").lower()
    pixels = state["paper width"] / MM * dpi if kind == "png" or run.data.n_points > DOTS else 0
    problem = problem_of(lambda: check_pixels(pixels, pixels))  # no figure is higher than wide
    row.download_button(
        "Figure", counted(lambda: figures.figure_file(draw(paper), kind, dpi)), f"{name}.{kind}",
        MIME[kind], key="download figure", on_click="ignore", type="primary",
        disabled=bool(problem), help=problem or None,
    )  # fmt: skip
    if problem:
        st.warning(problem, icon=":material/info:")
    st.code(caption, language=None, wrap_lines=True)
    if state["paper shown"]:
        picture = figures.figure_file(draw(paper), "png", PREVIEW)
        st.image(picture, caption="As it will be printed.", alt=caption)


def drawing(run: Run, what: str) -> Callable[[Paper], Any]:
    """What draws a figure; all that it needs of the session is looked up now."""
    if what == "Embedding":
        sides, names, _ = panels(run)
        wrong = [s.wrong for s in sides] if run.data.labels is not None else None
        at = [(name, s.at) for name, s in zip(("W", "W*"), sides, strict=True)]
        groups = [s.groups for s in sides]
        return lambda paper: figures.paper_embedding(at, groups, names, wrong=wrong, paper=paper)
    if what == "Eigenvalues":
        both = [("W", run.before), ("W*", run.after)]
        values = [(name, eigenvalues_of(run, name, side), side.k) for name, side in both]
        return lambda paper: figures.paper_eigenvalues(values, paper=paper)
    if what == WHAT[0]:  # as the view is set: both, or what was raised and why
        view = matrix_view(run)
    else:
        view = matrix_view(run, view="both")
        view = replace(view, panels=(view.panels[WHAT.index(what) - 1],))
    return lambda paper: figures.paper_matrices(view, paper)


def caption_of(run: Run, what: str) -> str:
    """A caption that says all that the figure depends on."""
    data, s, a = run.data, run.settings, run.after.summary
    *words, clusters = settings_in_words(s, run.n_clusters)
    labelled = a.acc is not None and a.nmi is not None
    found = f" ACC {percent(a.acc or 0)}, NMI {percent(a.nmi or 0)} from W*." if labelled else ""
    order = f" Points: {ORDERS[st.session_state.order]}." if what in WHAT[:3] else ""
    prepared = prepared_words(run)
    return (
        f"{what}: {data.name}, {data.n_points:,} points in {data.n_features:,} dimensions"
        f"{prepared and f' ({prepared})'}; IMC with {', '.join(words)}; {clusters}"
        f" ({run.n_clusters_from}).{order}{found}"
    )
