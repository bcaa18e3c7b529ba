"""The matrix view: W and W* on a canvas, fed with the nonzero entries as one block of bytes."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.components.canvas import pack, script
from sdsc_core.figures.matrix import MatrixView

HTML = """
<div class="bar" role="toolbar" aria-label="View of the matrices">
  <button class="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
  <button class="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
  <button class="all" title="Whole matrix (0 or double click)" aria-label="Whole matrix">⤢</button>
  <button class="save" title="Save as PNG" aria-label="Save as PNG">PNG</button>
  <span>Drag a box to zoom<i class="choice">; click an entry to choose the pair</i>.</span>
</div>
<div class="stage">
  <canvas role="img" tabindex="0"></canvas><div class="tip" role="status"></div>
</div>
"""
CSS = """
.bar { display: flex; gap: 4px; align-items: center; font: 12px var(--st-font); }
.bar button { border: 1px solid var(--st-border-color); background: transparent; border-radius: 6px;
  color: var(--st-text-color); min-width: 30px; height: 26px; cursor: pointer; font: inherit; }
.bar button:hover, .bar button:focus-visible { border-color: var(--st-primary-color); }
.bar span { color: var(--st-text-color); opacity: .7; margin-left: 8px; }
.bar i { font-style: normal; }
.stage { position: relative; }
canvas { display: block; outline-offset: 2px; }
.tip { display: none; position: absolute; pointer-events: none; z-index: 5; padding: 6px 9px;
  border-radius: 6px; font: 12px/1.45 var(--st-font); white-space: nowrap;
  background: var(--st-text-color); color: var(--st-background-color); }
"""

_mount = st.components.v2.component("sdsc_matrix", html=HTML, css=CSS, js=script("matrix"))


def matrix(
    view: MatrixView,
    *,
    key: str,
    on_pair: Callable[[int, int], None] | None = None,
    height: int | None = None,
    choice: bool = True,
) -> Any:
    """Draw a view; the result holds ``pair`` (once, after a click) and ``window``.

    ``on_pair`` hears of the click before the page runs again, which saves a second run. Without
    ``choice`` a click does nothing, and nothing invites to it.
    """
    payload = pack(view.head() | {"choice": choice}, view.arrays())

    def heard() -> None:
        if on_pair is not None:
            on_pair(*map(int, st.session_state[key].pair))

    return _mount(
        key=key,
        data=payload,
        default={"window": None},
        on_window_change=lambda: None,
        on_pair_change=heard,
        height=height or "content",
    )
