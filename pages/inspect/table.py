"""The entries that the dense stage changed: filtered, sorted, and a page at a time."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.server.sessions import counted, problem_of
from pages.shared.groups import Groups, conditions, groups, lowers
from pages.shared.run import causes, patiently, run_key
from pages.shared.settings import rebuild
from sdsc_core import Changes, rank_changes
from sdsc_core.datasets import Dataset
from sdsc_core.run import Run
from sdsc_core.script import changes_csv, check_changes

PAGE = 200  # rows of the table at a time


SORTS = {
    "worst": "worst first (between)",
    "change": "largest change",
    "after": "largest w* after",
    "before": "largest w before",
    "i": "i",
    "j": "j",
    "condition": "condition",
    "witness": "witness k",
}


PLACES = {"all": "all", "inside": "inside", "between": "between"}


_CONDITIONS = r"""Why PCE raised an entry (Definition 2). A third point $k$ vouches for the pair:
1. both $w_{ik}$ and $w_{kj}$ are above $\theta_1$;
2. one is above $\theta_1$, the other above $\theta_2$;
3. both lie between $\theta_2$ and $\theta_1$, and $w_{ij}$ was 0."""


def show(run: Run) -> tuple[int, int] | None:
    """The changed entries, filtered, sorted and paged; the chosen pair, or the first one."""
    changed, by = causes(run), groups(run)
    order = _ranked(run, changed, by)
    if not len(changed):
        st.info(
            "The dense stage changed no entry: no point has more links than it keeps. Lower its"
            " parameters." if lowers(run) else
            "The dense stage raised no entry. Lower θ₁ and θ₂, or raise Γ, until two links meet"
            " that are strong enough."
        )  # fmt: skip
        return _chosen(run)
    if not len(order):
        st.info("No changed entry passes these filters.")
        return _chosen(run)
    sheets = -(-len(order) // PAGE)
    st.session_state.sheet = sheet = min(st.session_state.sheet, sheets)
    rows = order[(sheet - 1) * PAGE : sheet * PAGE]
    pairs = np.column_stack([changed.i[rows], changed.j[rows]])
    _rows(run, changed, rows, pairs)
    _turn(len(order), len(changed), sheets)
    problem = problem_of(lambda: check_changes(run, len(order)))
    st.download_button(
        "These pairs (.csv)", counted(lambda: changes_csv(run, changed, order)),
        "raised_pairs.csv", "text/csv", key="download pairs", on_click="ignore",
        disabled=bool(problem), help=problem
        or "All rows that pass, with row, identifier, class and clusters of i, j and k.",
    )  # fmt: skip
    return _chosen(run) or (int(pairs[0, 0]), int(pairs[0, 1]))


def _chosen(run: Run) -> tuple[int, int] | None:
    pair = st.session_state.get("pair")
    return (pair[0], pair[1]) if pair and max(pair) < run.data.n_points else None


def _ranked(run: Run, changed: Changes, by: Groups) -> NDArray[np.int64]:
    """Filters and order as set; kept, so that turning a page costs nothing."""
    state, known = st.session_state, conditions(run)
    state.conditions = [c for c in state.conditions if c in known]
    state.groups = [g for g in state.groups if g < len(by.names)]
    left, right = st.columns(2)
    left.selectbox(
        "Sort by", SORTS, key="sort", format_func=SORTS.__getitem__, on_change=_first_page,
        help="The order of all rows; a click on a column's title orders this page alone.",
    )  # fmt: skip
    right.multiselect(
        f"With a point of {by.one}", range(len(by.names)), key="groups",
        format_func=lambda g: by.names[g], on_change=_first_page, placeholder="any",
    )  # fmt: skip
    below = st.container(horizontal=True)
    below.segmented_control(
        "Where", PLACES, key="where", format_func=PLACES.__getitem__, required=True,
        on_change=_first_page, help=f"Pairs inside one {by.one} should be linked; a link between"
        f" two {by.many} misleads the clustering.",
    )  # fmt: skip
    below.pills(
        "Cause", known, key="conditions", format_func=known.__getitem__, selection_mode="multi",
        on_change=_first_page, help=None if lowers(run) else _CONDITIONS, wrap=True,
    )  # fmt: skip
    key = (
        run_key(run), by.one,
        state.sort, state.where, tuple(state.conditions), tuple(state.groups),
    )  # fmt: skip
    by_what = "between" if state.sort == "worst" else state.sort
    kept = {"where": state.where, "conditions": state.conditions, "clusters": state.groups}
    return patiently(
        "Sorting the changed pairs",
        ("ranked", key),
        lambda tell: rank_changes(changed, by.of, by_what, **kept),
    )


def _first_page() -> None:
    st.session_state.sheet = 1


def _rows(run: Run, changed: Changes, rows: NDArray[np.int64], pairs: NDArray[np.int64]) -> None:
    state, by, chosen = st.session_state, groups(run), _chosen(run)
    names = conditions(run)
    i, j = pairs.T
    of = np.array(by.names)
    frame = pd.DataFrame(
        {
            "i": i,
            "j": j,
            f"{by.one} of i": of[by.of[i]],
            f"{by.one} of j": of[by.of[j]],
            "differ": np.where(by.of[i] == by.of[j], "", "≠"),
            "before": changed.before[rows],
            "after": changed.after[rows],
            "cause": [names[c] for c in changed.condition[rows]],
            "witness": changed.witness[rows],
        }
        | places_of(run.data, i=i, j=j, k=changed.witness[rows])
    )
    if lowers(run):  # no single point explains an entry
        frame = frame[[c for c in frame if c != "witness" and not c.endswith(" of k")]]
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    wanted = sorted(chosen) if chosen else [-1, -1]
    here = np.flatnonzero((pairs == wanted).all(axis=1))
    stamp = hash((rows.tobytes(), frame["after"].to_numpy().tobytes()))
    key = f"rows {stamp} {state.get('picked_elsewhere', 0)}"
    st.dataframe(
        frame, key=key, hide_index=True, height=500, row_height=30,
        on_select=lambda: _choose(key, pairs), selection_mode="single-row",
        selection_default={"selection": {"rows": [int(here[0])]}} if len(here) else None,
        column_config={
            "i": number(width=44), "j": number(width=44),
            f"{by.one} of i": text(width=76), f"{by.one} of j": text(width=76),
            "differ": text("≠", help=f"The two {by.many} differ.", width=30),
            "before": number("w", format="%.4f", width=58, help="Before the dense stage."),
            "after": number("w*", format="%.4f", width=58, help="After the dense stage."),
            "cause": text(width=82),
            "witness": number("k", help="The witness: the point whose offer won.", width=44),
        },
        alt=f"Table of changed entries, {len(frame)} rows.",
    )  # fmt: skip


def places_of(data: Dataset, **points: NDArray[np.int64]) -> dict[str, Any]:
    """Columns with the row of the file of some points, and their identifiers where there are any.

    A table's own download has them too.
    """
    found: dict[str, Any] = {}
    for name, which in points.items():
        there = which >= 0
        rows = pd.array(data.row_numbers[which], dtype="Int64")
        rows[~there] = pd.NA
        found[f"row of {name}"] = rows
        if data.identifiers is not None:
            found[f"identifier of {name}"] = np.where(there, data.identifiers[which], "")
    return found


def _choose(key: str, pairs: NDArray[np.int64]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    pair = tuple(map(int, pairs[rows[0]])) if rows else None
    st.session_state.pair, st.session_state.point = pair, pair[0] if pair else -1


def _turn(shown: int, total: int, sheets: int) -> None:
    state = st.session_state
    first = (state.sheet - 1) * PAGE + 1
    st.caption(
        f"Rows {first:,}–{min(first + PAGE - 1, shown):,} of {shown:,}"
        + (f" that pass, of {total:,} changed pairs" if shown < total else " changed pairs")
        + ". Choose one by the box at its left."
    )
    row = st.container(horizontal=True)
    row.button(
        "‹", on_click=_go, args=(-1,), disabled=state.sheet <= 1, help="Previous page",
        key="page back",
    )  # fmt: skip
    if sheets > 1:
        row.number_input("Page", 1, sheets, key="sheet", label_visibility="collapsed", width=120)
    row.button(
        "›", on_click=_go, args=(1,), disabled=state.sheet >= sheets, help="Next page",
        key="page on",
    )  # fmt: skip


def _go(step: int) -> None:
    rebuild()
    st.session_state.sheet += step
