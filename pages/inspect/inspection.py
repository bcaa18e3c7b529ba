"""The parts of the Inspect screen: entries that the dense stage raised, one by one and in sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.components.matrix import matrix
from pages.explore import panels
from pages.shared.run import Run, causes
from pages.shared.settings import METHOD, rebuild
from sdsc_core import Changes, Explanation, explain, figures, rank_changes

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


@dataclass(frozen=True)
class Groups:
    """By what the screen judges a link: the true classes, or without labels the found clusters."""

    of: NDArray[np.int64]
    names: Sequence[str]
    one: str  # "class" or "cluster"

    @property
    def many(self) -> str:
        return {"class": "classes", "cluster": "found clusters"}[self.one]


def groups(run: Run) -> Groups:
    """Classes where they are known, else clusters."""
    if run.data.labels is not None:
        # "4" alone reads like a point or a number.
        names = [f"class {name}" if name.isdigit() else name for name in run.data.class_names]
        return Groups(run.data.labels, names, "class")
    return Groups(run.after.labels, [f"cluster {c}" for c in range(run.k)], "cluster")


def conditions(run: Run) -> dict[int, str]:
    """The causes that the dense stage has: three for PCE, one for D1–D3."""
    if run.settings["dense"] == "PCE":
        return {c: f"condition\u00a0{c}" for c in (1, 2, 3)}
    return {0: f"{run.settings['dense']}\u00a0path"}


def table(run: Run) -> tuple[int, int] | None:
    """The changed entries, filtered, sorted and paged; the chosen pair, or the first one."""
    changed, by = causes(run), groups(run)
    order = _ranked(run, changed, by)
    if not len(changed):
        st.info(
            "The dense stage raised no entry. Lower θ₁ and θ₂, or raise Γ, until two links meet"
            " that are strong enough."
        )
        return _chosen(run)
    if not len(order):
        st.info("No changed entry passes these filters.")
        return _chosen(run)
    sheets = -(-len(order) // PAGE)
    st.session_state.sheet = sheet = min(st.session_state.sheet, sheets)
    rows = order[(sheet - 1) * PAGE : sheet * PAGE]
    pairs = np.column_stack([changed.i[rows], changed.j[rows]])
    _rows(changed, by, rows, pairs, _chosen(run), conditions(run))
    _turn(len(order), len(changed), sheets)
    return _chosen(run) or (int(pairs[0, 0]), int(pairs[0, 1]))


def _chosen(run: Run) -> tuple[int, int] | None:
    pair = st.session_state.get("pair")
    return (pair[0], pair[1]) if pair and max(pair) < run.data.n_points else None


def _ranked(run: Run, changed: Changes, by: Groups) -> NDArray[np.int64]:
    """Filters and order as set; the last one is kept, so that turning a page costs nothing."""
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
        on_change=_first_page, help=_CONDITIONS,
    )  # fmt: skip
    key = (
        run.data.digest, by.one, run.k, *(run.settings[name] for name in METHOD),
        state.sort, state.where, tuple(state.conditions), tuple(state.groups),
    )  # fmt: skip
    if state.get("ranked", (None,))[0] != key:
        found = rank_changes(
            changed, by.of, state.sort, where=state.where, conditions=state.conditions,
            clusters=state.groups,
        )  # fmt: skip
        state.ranked = (key, found)
    return state.ranked[1]


_CONDITIONS = r"""Why PCE raised an entry (Definition 2). A third point $k$ vouches for the pair:
1. both $w_{ik}$ and $w_{kj}$ are above $\theta_1$;
2. one is above $\theta_1$, the other above $\theta_2$;
3. both lie between $\theta_2$ and $\theta_1$, and $w_{ij}$ was 0."""


def _first_page() -> None:
    st.session_state.sheet = 1


def _rows(
    changed: Changes,
    by: Groups,
    rows: NDArray[np.int64],
    pairs: NDArray[np.int64],
    chosen: tuple[int, int] | None,
    names: dict[int, str],
) -> None:
    state = st.session_state
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
    )
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


def why(run: Run, pair: tuple[int, int]) -> Explanation:
    """Why the pair has its w*, in words and as a formula, and the points as pictures."""
    s, by = run.settings, groups(run)
    found = explain(run.before.W, *pair, s["theta1"], s["theta2"], s["dense"])
    example = "" if st.session_state.get("pair") else " (the first row, until you choose one)"
    st.markdown(f"**Pair i = {pair[0]}, j = {pair[1]}**{example}")
    st.markdown(reason(found, run))
    st.caption(others(found, by))
    _pictures(run, found, by)
    return found


def reason(e: Explanation, run: Run) -> str:
    """Why the pair has its w*, with the formula and the numbers in it."""
    s = run.settings
    if e.witness < 0:
        offers = "No third point is linked with both" if not e.offers else "No point offers more"
        return f"{offers}, so $w_{{ij}} = {e.before:.4f}$ stays as it is."
    offer = next(o for o in e.offers if o.k == e.witness)
    a, b, low, high = offer.w_ik, offer.w_kj, *sorted((offer.w_ik, offer.w_kj))
    links = rf"$w_{{ik}} = {a:.4f}$ and $w_{{kj}} = {b:.4f}$"
    t1, t2 = rf"$\theta_1 = {s['theta1']:.2f}$", rf"$\theta_2 = {s['theta2']:.2f}$"
    value = f"{e.after:.4f}"
    words, formula = {
        ("PCE", 1): (
            f"**Condition 1**: {links} are both above {t1},",
            rf"\tfrac12 (w_{{ik}} + w_{{kj}}) = \tfrac12 ({a:.4f} + {b:.4f})",
        ),
        ("PCE", 2): (
            f"**Condition 2**: of {links} one is above {t1}, the other above {t2},",
            rf"\min(w_{{ik}}, w_{{kj}}) = \min({a:.4f}, {b:.4f})",
        ),
        ("PCE", 3): (
            f"**Condition 3**: {links} both lie between {t2} and {t1}, and $w_{{ij}}$ was 0,",
            rf"\tfrac12 \max(w_{{ik}}, w_{{kj}}) = \tfrac12 \cdot {high:.4f}",
        ),
        ("D1", 0): (
            f"**D1**, $d = 1 - w$: the way over k, {links}, is shorter,",
            rf"w_{{ik}} + w_{{kj}} - 1 = {a:.4f} + {b:.4f} - 1",
        ),
        ("D2", 0): (
            rf"**D2**, $d = 1 - \ln w$: the way over k, {links}, is shorter,",
            rf"w_{{ik}} w_{{kj}} / e = {a:.4f} \cdot {b:.4f} / e",
        ),
        ("D3", 0): (
            f"**D3**, $d = 1/w$: the way over k, {links}, is shorter,",
            rf"\frac{{w_{{ik}} w_{{kj}}}}{{w_{{ik}} + w_{{kj}}}}"
            rf" = \frac{{{a:.4f} \cdot {b:.4f}}}{{{low + high:.4f}}}",
        ),
    }[s["dense"], e.condition]
    return (
        f"{words} so $k = {e.witness}$ vouches for the pair: $w_{{ij}}$ rises from"
        f" {e.before:.4f} to  \n$w^*_{{ij}} = {formula} = {value}$."
    )


def others(e: Explanation, by: Groups) -> str:
    """Whether the link helps, and how many points could have vouched for it."""
    points = [e.i, e.j] + ([e.witness] if e.witness >= 0 else [])
    of = by.of[points]

    def name(p: int) -> str:
        return escape(str(by.names[by.of[p]]))

    if (of == of[0]).all():
        what = f"All of them lie in {name(e.i)}: the link helps."
        what = what if e.witness >= 0 else f"Both lie in {name(e.i)}."
    elif of[0] == of[1]:
        what = f"i and j lie in {name(e.i)}, though k lies in {name(e.witness)}: a lucky link."
    else:
        what = f"i lies in {name(e.i)}, j in {name(e.j)}: a link between {by.many}"
        what += f"; k lies in {name(e.witness)}." if e.witness >= 0 else "."
    useful = sum(o.value > e.before for o in e.offers)
    if useful < 2:
        return what
    return f"{what} {useful} points offer more than w was; the largest offer wins."


def _pictures(run: Run, e: Explanation, by: Groups) -> None:
    points = [("i", e.i), *([("k", e.witness)] if e.witness >= 0 else []), ("j", e.j)]
    if run.data.images is None:
        lines = [(f"{s} = {p}", p, int(by.of[p])) for s, p in points]
        names = ", ".join(f"{s} = {p} ({by.names[by.of[p]]})" for s, p in points)
        st.plotly_chart(
            figures.profiles(run.data.X, lines), key="profiles", alt=f"Features of points {names}."
        )
        return
    zoom = max(1, 150 // run.data.images.shape[1])
    for spot, (symbol, p) in zip(st.columns(3), points, strict=False):
        picture = run.data.images[p]
        picture = np.repeat(np.repeat(picture, zoom, axis=0), zoom, axis=1)
        spot.image(picture, f"{symbol} = {p} ({by.names[by.of[p]]})", width="stretch")


def graph(run: Run, found: Explanation) -> None:
    """What lies around the pair in W and W*."""
    by = groups(run)
    strong = run.settings["theta2"] if run.settings["dense"] == "PCE" else 0.0
    figure = figures.neighbourhood(
        run.before.W, run.after.W, (found.i, found.j), found.witness, by.of, by.names, strong=strong
    )
    st.plotly_chart(
        figure, key="neighbourhood",
        alt=f"Graph of the points around i = {found.i} and j = {found.j}, coloured by {by.one};"
        " links that the dense stage raised are dashed.",
    )  # fmt: skip


def marked(run: Run, found: Explanation) -> None:
    """The pair in W and W*, and in thin boxes the two links it came by; a click chooses another."""
    k = found.witness
    pairs = [(found.i, found.j)] + ([(found.i, k), (k, found.j)] if k >= 0 else [])
    row = st.container(horizontal=True, gap="medium")
    panels.look(run, row)
    drawn = matrix(panels.matrix_view(run, "inspected", pairs=tuple(pairs)), key="inspected")
    if drawn.pair:
        state = st.session_state
        state.pair, state.point = tuple(drawn.pair), drawn.pair[0]
        state.picked_elsewhere = state.get("picked_elsewhere", 0) + 1
        st.rerun()


def caption(run: Run) -> str:
    """Which groups the screen goes by, in a sentence."""
    if run.data.labels is not None:
        return "Inside and between go by the true classes."
    hidden = " are hidden in this exercise" if st.session_state.hide else " are not known here"
    return (
        f"The true classes{hidden}: inside and between go by the {run.k} clusters found from W*,"
        " which were chosen to make cuts small, so they flatter the dense stage."
    )


def plain(value: Any, digits: int = 4) -> str:
    """A number for a table: a dash where there is none."""
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
