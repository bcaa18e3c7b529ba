"""The matrix view: W and W* on a canvas, fed with the nonzero entries as one block of bytes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from sdsc_core.figures.matrix import MatrixView

HTML = """
<div class="bar" role="toolbar" aria-label="View of the matrices">
  <button class="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
  <button class="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
  <button class="all" title="Whole matrix (0 or double click)" aria-label="Whole matrix">⤢</button>
  <button class="save" title="Save as PNG" aria-label="Save as PNG">PNG</button>
  <span>Drag a box to zoom in both; click an entry to choose the pair.</span>
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
.stage { position: relative; }
canvas { display: block; outline-offset: 2px; }
.tip { display: none; position: absolute; pointer-events: none; z-index: 5; padding: 6px 9px;
  border-radius: 6px; font: 12px/1.45 var(--st-font); white-space: nowrap;
  background: var(--st-text-color); color: var(--st-background-color); }
"""

_mount = st.components.v2.component(
    "sdsc_matrix", html=HTML, css=CSS, js=Path(__file__).with_name("matrix.js").read_text("utf-8")
)


def _pack(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A JSON head and typed arrays behind it, each at a multiple of four bytes."""
    names = {"uint8": "u1", "uint16": "u2", "uint32": "u4", "float32": "f4"}

    def header(start: int) -> tuple[bytes, int]:
        table, offset = [], start
        for name, a in arrays.items():
            table.append([name, names[str(a.dtype)], offset, int(a.size)])
            offset += -(-a.nbytes // 4) * 4
        return json.dumps(head | {"arrays": table}).encode(), offset

    # The offsets lengthen the head that they stand in: leave room, then fill up with blanks.
    room = -(-(len(header(0)[0]) + 16 * len(arrays)) // 4) * 4
    text, end = header(4 + room)
    out = bytearray(end)
    out[:4] = np.uint32(room).tobytes()
    out[4 : 4 + room] = text.ljust(room)
    for (_, _, offset, _), a in zip(json.loads(text)["arrays"], arrays.values(), strict=True):
        out[offset : offset + a.nbytes] = a.tobytes()
    return bytes(out)


def matrix(view: MatrixView, *, key: str, height: int | None = None) -> Any:
    """Draw a view; the result holds ``pair`` (once, after a click) and ``window``."""
    payload = _pack(view.head(), view.arrays())
    return _mount(
        key=key,
        data=payload,
        default={"window": None},
        on_window_change=lambda: None,
        on_pair_change=lambda: None,
        height=height or "content",
    )
