"""The matrix view: W and W* on a canvas, fed with the nonzero entries as one block of bytes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import choosing, frame, pack, script, stamp
from sdsc_core.figures.matrix import BETWEEN, CAUSES, LIMIT, MatrixView

HTML = frame(
    "matrices",
    "Whole matrix",
    choosing("box", "Select the points of a block", "▭"),
    'Drag a box to zoom<i class="choice">; click an entry to choose the pair</i>.',
)
CSS = """
.bar { display: flex; flex-wrap: wrap; gap: 4px; align-items: center;
  font: 0.75rem var(--st-font); }
.bar button { border: 1px solid var(--st-border-color); background: transparent; border-radius: 6px;
  color: var(--st-text-color); min-width: 1.9rem; height: 1.65rem; cursor: pointer; font: inherit; }
.bar button:hover, .bar button:focus-visible { border-color: var(--st-primary-color); }
.bar button[aria-pressed=true] { background: var(--st-primary-color); color: #fff; }
.bar span { color: var(--st-text-color); opacity: .7; margin-left: 8px; }
.bar i { font-style: normal; }
.stage { position: relative; }
canvas { display: block; outline-offset: 2px; }
.tip { display: none; position: absolute; pointer-events: none; z-index: 5; padding: 6px 9px;
  border-radius: 6px; font: 0.75rem/1.45 var(--st-font); white-space: nowrap;
  background: var(--st-text-color); color: var(--st-background-color); }
"""

_mount = st.components.v2.component("sdsc_matrix", html=HTML, css=CSS, js=script("matrix"))


def matrix(
    view: MatrixView,
    *,
    key: str,
    on_pair: Callable[[int, int], None] | None = None,
    on_block: Callable[[list[int]], None] | None = None,
    height: int | None = None,
    choice: bool = True,
    reveal: str = "",
) -> Any:
    """Draw a view; the result holds ``pair`` (once, after a click) and ``window``.

    ``on_pair`` hears of the click before the page runs again, which saves a second run;
    ``on_block`` of the points in the rows and columns of a block that was selected. Without
    ``choice`` a click does nothing, and nothing invites to it. Another ``reveal`` than before
    brings the view into sight, once.
    """
    more = {"choice": choice, "blocks_too": on_block is not None, "reveal": reveal}
    payload = pack(_head(view) | more, _arrays(view))

    def clicked() -> None:
        if on_pair is not None:
            on_pair(*map(int, st.session_state[key].pair))

    def selected() -> None:
        if on_block is not None:
            on_block([int(p) for p in st.session_state[key].block])

    return _mount(
        key=key,
        data=payload,
        default={"window": None},
        on_block_change=selected,
        on_window_change=lambda: None,
        on_pair_change=clicked,
        height=height or "content",
    )


def _head(view: MatrixView) -> dict[str, Any]:
    """The part that goes as JSON; points and pairs in display positions."""
    place = np.empty(len(view.index), np.int64)
    place[view.index] = np.arange(len(view.index))
    used = sorted(set(np.unique(view.cause % BETWEEN).tolist()) - {0})
    return {
        "points": len(view.index),
        "cell": view.cell,
        "whole": view.whole,
        "limit": LIMIT,
        "classes": list(view.classes),
        "blocks": [{"start": a, "stop": b, "name": name} for a, b, name in view.blocks],
        "panels": [{"kind": kind, "title": title} for kind, title in view.panels],
        "log": view.log,
        "ticks": [list(t) for t in view.ticks],
        "causes": [[k, CAUSES[k]] for k in used],
        "pairs": [[int(place[i]), int(place[j])] for i, j in view.pairs],
        "point": int(place[view.point]) if view.point >= 0 else -1,
        "alt": view.alt,
        "axis": view.axis,
        "symbols": list(view.symbols),
        "merge": view.merge,
        "held": view.held,
        "stamp": stamp(view.star, view.w, view.cause, view.index),
    }


def _arrays(view: MatrixView) -> dict[str, NDArray[Any]]:
    """The part that goes as bytes."""
    small = np.uint16 if len(view.index) < 65_536 else np.uint32
    return {
        "rows": view.rows.astype(small),
        "cols": view.cols.astype(small),
        "w": view.w,
        "star": view.star,
        "cause": view.cause,
        "index": view.index.astype(np.uint32),
        "classOf": view.class_of.astype(np.uint16),
    }
