"""The embedding on a canvas: a chart of thousands of points that follows a slider at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import choosing, frame, pack, script, stamp
from pages.components.matrix import CSS
from sdsc_core import figures

HTML = frame(
    "embedding",
    "All points",
    choosing("box", "Select points by a box", "▭")
    + choosing("lasso", "Select points by a lasso", "◌"),
    "Drag to zoom or, in 3-D, to turn; click a point to mark it.",
    '<div class="legend" role="group" aria-label="Legend"></div>',
)
LEGEND = """
.tip { white-space: pre; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 4px; max-height: 3.5rem; overflow-y: auto; }
.legend button { border: 0; background: transparent; color: var(--st-text-color); cursor: pointer;
  font: 0.75rem var(--st-font); padding: 2px 6px; border-radius: 6px; }
.legend button[aria-pressed=false] { opacity: .4; text-decoration: line-through; }
.legend i { display: inline-block; width: 9px; height: 9px; border-radius: 5px; margin-right: 5px; }
"""

_mount = st.components.v2.component("sdsc_points", html=HTML, css=CSS + LEGEND, js=script("points"))


@dataclass(frozen=True)
class Panel:
    """One embedding: coordinates (N, 2) or (N, 3), which points are misplaced, their groups."""

    title: str
    at: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    groups: NDArray[np.int64]


def points(
    sides: Sequence[Panel],
    names: Sequence[str],
    *,
    key: str,
    chosen: int,
    on_point: Callable[[int], None],
    alt: str,
    on_points: Callable[[list[int]], None] | None = None,
    selected: NDArray[np.int64] | None = None,
    height: int = 370,
) -> None:
    """Draw embeddings side by side; ``on_point`` hears of a click before the page runs again.

    So does ``on_points`` of those that a box or a lasso was drawn around; ``selected`` are marked.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for p, side in enumerate(sides):
        arrays[f"at{p}"] = side.at.astype(np.float32).ravel()
        arrays[f"wrong{p}"] = side.wrong.astype(np.uint8)
        arrays[f"group{p}"] = side.groups.astype(np.uint16)
    if selected is not None:
        arrays["selected"] = selected.astype(np.uint32)
    head = {
        "titles": [side.title for side in sides],
        "dims": sides[0].at.shape[1],
        "names": [str(name) for name in names],
        "colours": [figures.colour(k) for k in range(len(names))],
        "chosen": chosen,
        "alt": alt,
        "height": height,
        "selectable": on_points is not None,
        "stamp": stamp(*arrays.values()),
    }

    def clicked() -> None:
        on_point(int(st.session_state[key].point))

    def drawn_around() -> None:
        if on_points is not None:
            on_points([int(p) for p in st.session_state[key].points])

    _mount(
        key=key,
        data=pack(head, arrays),
        on_point_change=clicked,
        on_points_change=drawn_around,
        height="content",
    )
