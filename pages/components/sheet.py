"""All pictures of a data set on one sheet, class by class; a click chooses a point."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import pack, script

MOST = 1500  # pictures; more would take long to send, and nobody looks through them
SIDE = 26  # pixels of a picture

HTML = "<div class='box'><canvas role='img' tabindex='0'></canvas></div><p role='status'></p>"
CSS = """
.box { height: 320px; overflow-y: auto; border: 1px solid var(--st-border-color);
  border-radius: 6px; }
canvas { display: block; cursor: pointer; }
p { font: 0.8rem var(--st-font); color: var(--st-text-color); margin: 4px 0; min-height: 1.4em; }
"""
_mount = st.components.v2.component("sdsc_sheet", html=HTML, css=CSS, js=script("sheet"))


def sheet(
    images: NDArray[np.uint8], groups: NDArray[np.int64], names: Sequence[str], chosen: int
) -> int | None:
    """Draw the sheet; the point of the picture that was just clicked, or None."""
    step = max(1, images.shape[1] // SIDE)
    order = np.argsort(groups, kind="stable")
    order = order[:: -(-len(order) // MOST)]
    small = np.ascontiguousarray(images[order][:, ::step, ::step])
    head: dict[str, Any] = {
        "size": small.shape[1:],
        "names": list(map(str, names)),
        "chosen": chosen,
        "left_out": len(images) - len(order),
    }
    arrays: dict[str, NDArray[Any]] = {
        "pictures": small.ravel(),
        "points": order.astype(np.uint32),
        "groups": groups[order].astype(np.uint16),
    }
    drawn = _mount(
        key="pictures", data=pack(head, arrays), on_point_change=lambda: None, height="content"
    )
    return None if drawn.point is None else int(drawn.point)
