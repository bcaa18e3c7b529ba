"""Tables of figures as plain HTML: light, and readable by a screen reader."""

from html import escape

import streamlit as st

CSS = """<style>
.sdsc { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
.sdsc td { font-variant-numeric: tabular-nums; }
.sdsc th, .sdsc td { padding: 3px 8px; text-align: right; border-bottom: 1px solid #8884; }
.sdsc th:first-child, .sdsc td:first-child { text-align: left; }
.sdsc td[title] { cursor: help; }
.sdsc .up { color: #007a5a; } .sdsc .down { color: #c04d00; }
</style>"""
DARK = "<style>.sdsc .up { color: #3fd0a4; } .sdsc .down { color: #ff9b57; }</style>"


def html_table(head: list[str], rows: list[str] | list[list[str]], label: str) -> None:
    """A table with a spoken label; a row is its texts, or ready cells ``<td>…</td>``."""
    dark = DARK if st.context.theme.type == "dark" else ""
    titles = "".join(f"<th scope='col'>{escape(title)}</th>" for title in head)
    body = "".join(f"<tr>{row if isinstance(row, str) else _cells(row)}</tr>" for row in rows)
    st.html(
        f"{CSS}{dark}<table class='sdsc' aria-label='{escape(label, quote=True)}'>"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cells(texts: list[str]) -> str:
    return "".join(cell(escape(str(text))) for text in texts)


def cell(html: str, better: float = 0, title: str = "") -> str:
    """A cell of ready HTML; its colour tells whether something got better (> 0) or worse (< 0)."""
    tip = f" title='{escape(title, quote=True)}'" if title else ""
    return f"<td{tip}{direction(better)}>{html}</td>"


def direction(better: float) -> str:
    """The class of what got better (> 0) or worse (< 0), as an attribute."""
    return " class='up'" if better > 0 else " class='down'" if better < 0 else ""
