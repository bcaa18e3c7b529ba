"""A table whose cells can be clicked: plain HTML with a button in each cell."""

import re
from html import escape

import streamlit as st

from pages.components.canvas import source
from sdsc_core.experiments.beside import Grid, OursAndPrinted
from sdsc_core.experiments.running import DEVIATION, MEAN

HTML = "<div class='box'></div>"
CSS = """
.box { overflow-x: auto; font: 14px var(--st-font); color: var(--st-text-color); }
table { border-collapse: collapse; min-width: 100%; }
th, td { padding: 2px 4px; text-align: right; border-bottom: 1px solid #8884; }
th:first-child { text-align: left; position: sticky; left: 0; z-index: 1;
  background: var(--st-background-color); }
button { all: unset; cursor: pointer; display: block; width: 100%; box-sizing: border-box;
  padding: 3px 6px; border-radius: 4px; text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
button:hover { background: #8882; } button:focus-visible { outline: 2px solid currentColor; }
small { display: block; opacity: 0.85; }
.up { color: #007a5a; } .down { color: #c04d00; } .dim { opacity: 0.75; }
.dark .up { color: #3fd0a4; } .dark .down { color: #ff9b57; }
"""
_mount = st.components.v2.component("sdsc_cells", html=HTML, css=CSS, js=source("cells.js"))


def cells(grid: Grid, corner: str, label: str, key: str) -> tuple[str, str] | None:
    """Draw the table; the line and column of the cell that was just clicked, or None."""
    head = "".join(f"<th scope='col'>{escape(text)}</th>" for text in (corner, *grid.columns))
    body = "".join(
        f"<tr><th scope='row'>{escape(line)}</th>"
        + "".join(_cell(grid.cells.get((line, c)), r, k) for k, c in enumerate(grid.columns))
        + "</tr>"
        for r, line in enumerate(grid.lines)
    )
    table = (
        f"<table aria-label='{escape(label, quote=True)}'><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
    drawn = _mount(key=key, data={"html": table}, on_cell_change=lambda: None, height="content")
    if drawn.cell is None:
        return None
    row, column = (int(part) for part in str(drawn.cell).split("."))
    return grid.lines[row], grid.columns[column]


def _cell(cell: OursAndPrinted | None, row: int, column: int) -> str:
    if cell is None:
        return "<td></td>"
    return (
        f"<td><button type='button' data-cell='{row}.{column}' title='{_tip(cell)}'>"
        f"{_ours(cell)}{_paper(cell)}</button></td>"
    )


def _ours(cell: OursAndPrinted) -> str:
    if cell.ours is None or cell.value is None:
        return "<span class='dim'>" + (_about(cell.message) or "missing") + "</span>"
    text = f"{cell.value:,.{cell.places}f}"
    if cell.statistic == MEAN and cell.ours.error == cell.ours.error:
        text += f" ± {cell.ours.error:.{cell.places}f}"
    return text


def _about(message: str) -> str:
    """Of what was left out, the time that it would take."""
    found = re.search(r"about ([\d,]+ s)", message)
    return f"too slow, {found[1]}" if found else "too slow" if message else ""


def _paper(cell: OursAndPrinted) -> str:
    """The paper's below ours, and the difference in colour where it is beyond doubt."""
    if cell.paper is None:
        return ""
    text = f"{cell.source} {cell.paper:.{cell.places}f}"
    if cell.difference is None or cell.ours is None:
        return f"<small>{text}</small>"
    judged = cell.statistic != DEVIATION  # more of it is neither better nor worse
    sure = (judged and abs(cell.difference) > 2 * cell.ours.error) or cell.ours.draws < 2
    better = (cell.difference > 0) != cell.less_is_better
    colour = ("up" if better else "down") if sure and cell.difference else "dim"
    gap = f"{cell.difference:+.{cell.places}f}"
    return f"<small>{text} <span class='{colour}'>{gap}</span></small>"


def _tip(cell: OursAndPrinted) -> str:
    parts = []
    if cell.ours is not None:
        o, p = cell.ours, cell.places
        parts.append(
            f"mean {o.value:.{p}f}, median {o.median:.{p}f}, standard deviation"
            f" {o.deviation:.{p}f}, {o.draws} {cell.over}"
        )
    opens = "open the first draw" if cell.over == "draws" else f"see its {cell.over}"
    return escape(". ".join([*parts, cell.message, f"Click to {opens}"]), quote=True)
