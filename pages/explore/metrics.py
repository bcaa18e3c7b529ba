"""The table of all figures for W and W*, and what there is to say about them."""

import numpy as np
import streamlit as st

from pages.explore import notes
from pages.keep import entries
from pages.keep.entries import Entry
from pages.shared.run import patiently, run_key
from pages.shared.tables import cell, html_table
from pages.shared.text import escape_markdown, number, signed
from sdsc_core.metrics import analysis_of
from sdsc_core.run import Run, Side

ROWS = [
    ("ACC", "Share of points right under the best map of clusters to classes, eq. 14.", 1),
    ("NMI", "2 I(U;V) / (H(U) + H(V)): information shared by clusters and classes, eq. 15.", 1),
    ("CONN, whole graph", "Second smallest eigenvalue of L for all points: 0 if the graph falls"
     " apart; it also falls when clusters part well.", 1),
    ("CONN, least cluster", "The same inside each class or cluster; the smallest of them.", 1),
    ("CONN, mean", "The same inside each class or cluster; their mean.", 1),
    ("Ncut", "Sum over clusters of cut / vol, eq. 8: similarity lost over similarity kept.", -1),
    ("Similarity inside", "Share of all similarity that lies inside the classes or clusters.", 1),
    ("Nonzeros", "Entries of the matrix that are not 0.", 0),
    ("Density", "Nonzeros over all N(N − 1) entries.", 0),
    ("Components", "Parts of the graph without any link between them.", 0),
]  # fmt: skip


_Q = "Ncut* / Ncut, measured, with Ncut = η₂/η₁ of eq. 9: below 1 the dense stage helped, eq. 11."


def show(run: Run) -> None:
    """All figures for W and W*, the change, and those of pinned runs with the difference."""
    entries.note(run, figures_of(run))
    pins = entries.pins()
    head = ["", "W", "W*", "change"]
    for pin in pins:
        head += [f"{pin.pin}: W*", f"now − {pin.pin}"][: 3 - min(2, len(pins))]
    lines = []
    rows = list(zip(ROWS, _values(run.before), _values(run.after), strict=True))
    for (name, text, good), b, a in rows[2 * st.session_state.hide :]:
        cells = _cell(b) + _cell(a) + _change(a, b, good) + _pinned_cells(pins, name, a, good)
        lines.append(cell(name, title=text) + cells)
    q = _q(run)
    cells = cell("") + _cell(q) + cell("") + _pinned_cells(pins, "Q", q, -1)
    lines.append(cell("Q", title=_Q) + cells)
    html_table(head, lines, "Metrics of W and W*")
    with st.popover("What the figures mean", type="tertiary"):
        meanings = [(name, text) for name, text, _ in ROWS[2 * st.session_state.hide :]]
        st.markdown(
            "\n".join(
                f"- **{name}**: {escape_markdown(text)}" for name, text in (*meanings, ("Q", _Q))
            )
        )
    notes.show(run, pins)


def _pinned_cells(pins: list[Entry], name: str, value: float | None, good: int) -> str:
    """Cells of one figure for each pinned run, with what the present one has more.

    Of several there is no room for that; it appears under the mouse.
    """
    if len(pins) == 1:
        kept = pins[0].figures.get(name)
        return _cell(kept) + _change(value, kept, good)
    cells = []
    for pin in pins:
        kept = pin.figures.get(name)
        known = value is not None and kept is not None and np.isfinite(value - kept)
        more = f"now − {pin.pin}: {signed(value - kept)}" if known else ""  # type: ignore[operator]
        cells.append(cell(number(kept), title=more))
    return "".join(cells)


def figures_of(run: Run) -> dict[str, float | None]:
    """All figures of W* by their names, as the list of runs keeps them."""
    names = [name for name, _, _ in ROWS]
    return dict(zip(names, _values(run.after), strict=True)) | {"Q": _q(run)}


def _values(side: Side) -> list[float | None]:
    s = side.summary
    return [
        s.acc, s.nmi, s.conn.whole, s.conn.min, s.conn.mean, s.ncut, s.inside,
        s.nonzeros, s.density, len(s.component_sizes),
    ]  # fmt: skip


def _cell(value: float | None) -> str:
    return cell(number(value))


def _change(value: float | None, base: float | None, good: int) -> str:
    """A cell with the change, coloured where more is better (good = 1) or worse (−1)."""
    if value is None or base is None or not np.isfinite(value - base):
        return _cell(None)
    change = value - base
    return cell(signed(change), better=change * good if abs(change) > 1e-9 else 0)


def _q(run: Run) -> float | None:
    labels = run.after.labels if run.data.labels is None else run.data.labels
    value = patiently(
        "Measuring Q",
        ("Q", run_key(run)),
        lambda tell: analysis_of(run.before.W, run.after.W, labels).q,
    )
    return None if np.isnan(value) else value
