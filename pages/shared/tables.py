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
@media (max-width: 640px) {
  .sdsc.cards thead { display: none; }
  .sdsc.cards :is(table, tbody) { display: block; }
  .sdsc.cards tr { display: grid; grid-template-columns: 1fr 1fr; column-gap: 1.2rem;
    padding-block: 0.5rem; border-bottom: 1px solid #8884; }
  .sdsc.cards td { display: flex; justify-content: space-between; gap: 0.5rem; border: 0;
    padding-inline: 0; }
  .sdsc.cards td:first-child { grid-column: 1 / -1; justify-content: start; font-weight: 600; }
  .sdsc.cards td::before { content: attr(data-title); text-align: left; } }
</style>"""
DARK = "<style>.sdsc .up { color: #3fd0a4; } .sdsc .down { color: #ff9b57; }</style>"


def html_table(
    head: list[str], rows: list[str] | list[list[str]], label: str, *, cards: bool = False
) -> None:
    """A table with a spoken label; a row is its texts, or ready cells ``<td>…</td>``.

    With ``cards`` a row of texts becomes a card on a phone, which has no room for many columns.
    """
    dark = DARK if st.context.theme.type == "dark" else ""
    titles = "".join(f"<th scope='col'>{escape(title)}</th>" for title in head)
    heads = head if cards else [""] * len(head)
    made = (row if isinstance(row, str) else _cells(row, heads) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in made)
    kind = "sdsc cards" if cards else "sdsc"
    st.html(
        f"{CSS}{dark}<table class='{kind}' aria-label='{escape(label, quote=True)}'>"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cells(texts: list[str], heads: list[str]) -> str:
    pairs = zip(texts, heads, strict=True)
    return "".join(cell(escape(str(text)), head=head) for text, head in pairs)


def cell(html: str, better: float = 0, title: str = "", head: str = "") -> str:
    """A cell of ready HTML; its colour tells whether something got better (> 0) or worse (< 0).

    ``head`` is its column's title, where a phone shows it beside the cell.
    """
    tip = f" title='{escape(title, quote=True)}'" if title else ""
    tip += f" data-title='{escape(head, quote=True)}'" if head else ""
    return f"<td{tip}{direction(better)}>{html}</td>"


def direction(better: float) -> str:
    """The class of what got better (> 0) or worse (< 0), as an attribute."""
    return " class='up'" if better > 0 else " class='down'" if better < 0 else ""
