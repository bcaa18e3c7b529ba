"""What the columns of a table are for: guessed, shown, and changed with a click."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.shared import loading
from pages.shared.loading import Draft
from pages.shared.text import escape_markdown
from sdsc_core.datasets import ROLES, Column, apart

PER_PAGE = 12  # boxes; a table may have thousands of columns
ACROSS = 4


def choose(draft: Draft, header: Any, transpose: bool | None) -> tuple[dict[str, Any], str]:
    """Arguments of `load` for the columns of a table, or why they cannot be told."""
    chosen = st.session_state.setdefault("roles", {}).setdefault(
        f"{draft.key} {header}",
        {"label_column": None, "id_column": None, "ignore": [], "features": []},
    )
    options = dict(chosen)
    if transpose and options["label_column"] is None:
        options["label_column"] = False  # labels are a column, so a table on its side has none
    key = (draft.key, header, str(options))
    found, problem = loading.read_once(
        "columns", key, draft, apart.columns, header=header, **options
    )
    if problem:
        return {}, problem
    _show(found, chosen, f"role {draft.key} {header}")
    names = [column.name for column in found]
    return {argument: _by_name(value, names) for argument, value in options.items()}, ""


def _by_name(value: Any, names: Sequence[str]) -> Any:
    """Columns by their names, which a script shows, or by number where names repeat."""
    if isinstance(value, list):
        return [_by_name(k, names) for k in value]
    if value is None or isinstance(value, bool):
        return value
    return names[value] if names.count(names[value]) == 1 else value


def _show(found: Sequence[Column], chosen: dict[str, Any], key: str) -> None:
    st.markdown(_summary(found))
    order = list(range(len(found)))
    if len(found) > PER_PAGE:
        order = _part(found, key)
    for start in range(0, len(order), ACROSS):
        for spot, k in zip(st.columns(ACROSS), order[start : start + ACROSS], strict=False):
            _box(spot, k, found[k], chosen, key)


def _summary(found: Sequence[Column]) -> str:
    """One line on all columns: how many features, and which are something else."""
    n = sum(column.role == "feature" for column in found)
    parts = [f"**{n:,} {'feature' if n == 1 else 'features'}**"]
    for role in ROLES[1:]:
        names = [escape_markdown(column.name) for column in found if column.role == role]
        some = ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
        parts.append(f"{role}: **{some}**" if names else f"{role}: none")
    return "Columns: " + " · ".join(parts)


def _part(found: Sequence[Column], key: str) -> list[int]:
    """A page of many columns: first those that were no features at the first look."""
    state = st.session_state
    first = state.setdefault(f"{key} first", [k for k, c in enumerate(found) if c.role != ROLES[0]])
    order = first + sorted(set(range(len(found))) - set(first))
    left, right = st.columns([3, 1])
    wanted = left.text_input("Find a column", key=f"{key} find", persist_state="session").lower()
    order = [k for k in order if wanted in found[k].name.lower()]
    pages = max(1, -(-len(order) // PER_PAGE))
    if state.get(f"{key} page", 1) > pages:
        state[f"{key} page"] = 1
    page = right.number_input(
        f"Page of {pages:,}", 1, pages, key=f"{key} page", persist_state="session"
    )
    if not order:
        st.caption("No column has this in its name.")
    return order[(page - 1) * PER_PAGE : page * PER_PAGE]


def _box(spot: Any, k: int, column: Column, chosen: dict[str, Any], key: str) -> None:
    widget = f"{key} {k}"
    st.session_state[widget] = column.role
    cells = f" · {escape_markdown(', '.join(column.examples))}" if column.examples else ""
    spot.selectbox(
        f"**{escape_markdown(column.name)}**{cells}", ROLES, key=widget,
        help=f"Guessed: {escape_markdown(column.why)}." if column.why else None,
        on_change=_change, args=(widget, k, column.role, chosen),
    )  # fmt: skip


def _change(widget: str, k: int, before: str, chosen: dict[str, Any]) -> None:
    """Give a column another role; for callbacks. There is one label and one identifier at most."""
    role = st.session_state[widget]
    for argument in ("ignore", "features"):
        chosen[argument] = [other for other in chosen[argument] if other != k]
    for argument, mine in (("label_column", "label"), ("id_column", "identifier")):
        if before == mine:
            chosen[argument] = False
        if role == mine:
            chosen[argument] = k
    if role == "left out":
        chosen["ignore"].append(k)
    elif role == "feature":
        chosen["features"].append(k)
