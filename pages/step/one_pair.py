"""Step through, second part: the dense stage for one pair."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.components.matrix import matrix
from pages.inspect import reason, table
from pages.shared.groups import Groups, conditions, groups, lowers
from pages.shared.matrix_view import matrix_view
from pages.shared.run import causes
from pages.shared.settings import apply
from pages.step import dense_stage
from sdsc_core import Explanation
from sdsc_core.dense import DENSE, DISTANCES, Offer, to_distance
from sdsc_core.run import Run
from sdsc_core.settings import RunSettings
from sdsc_core.tracing import level

HOW = r"""
Two points of one subspace need not have picked each other; then $w_{ij}$ is small or 0. The **dense
stage** repairs that: if a third point $k$ is linked with both, it may *vouch* for the pair.
"""
PCE = r"""
**PCE** (Algorithm 2) sorts similarities by $\theta_1$ and $\theta_2$ and asks, for each $k$, which
condition of Definition 2 holds. Of all values offered the largest becomes $w^*_{ij}$.
"""
CONDITIONS = "\n".join(
    (
        r"| condition | the two links of $k$ | $w_{ij}$ before | $k$ offers |",
        "|---|---|---|---|",
        r"| 1 | both above $\theta_1$ | at most $\theta_1$ | $\frac{1}{2}(w_{ik} + w_{kj})$ |",
        r"| 2 | one above $\theta_1$, the other in $(\theta_2, \theta_1]$ | at most $\theta_2$"
        r" | $\min(w_{ik}, w_{kj})$ |",
        r"| 3 | both in $(\theta_2, \theta_1]$ | exactly 0 | $\frac{1}{2}\max(w_{ik}, w_{kj})$ |",
    )
)
ALGORITHM_4 = r"""
**Algorithm 4** turns similarities into distances, takes the shorter of the direct way and the way
over $k$, $d^*_{{ij}} = \min(d_{{ij}}, d_{{ik}} + d_{{kj}})$, and turns the result back. Of all
$k$ the shortest way counts; $\theta_1$ and $\theta_2$ play no part.
With **{rule}** $d = {by.distance}$, so two links are worth ${by.worth}$.
"""

BEYOND = r"""
**{stage.name}** ({stage.title}; {stage.source}) is not of the paper: ${stage.formula}$. No third
point vouches for a pair, and an entry may fall as well as rise; what it comes from is said below.
"""


def show(run: Run) -> None:
    """Choose a pair, see who vouches for it, and what another θ would do."""
    rule = run.settings.dense
    st.markdown(HOW)
    if rule is None:
        st.info("The dense stage is off, so W* is W and no pair changes.")
        st.button("Use PCE", on_click=apply, args=({"dense": "PCE"},))
        return
    if rule == "PCE":
        st.markdown(f"{PCE}\n{CONDITIONS}")
    elif lowers(run):
        st.markdown(BEYOND.format(stage=DENSE[rule]))
    else:
        st.markdown(ALGORITHM_4.format(rule=rule, by=DISTANCES[rule]))
    found, words = reason.explained(run, choose(run))
    i, j = found.i, found.j
    headline(run, found, words)
    if not lowers(run):
        vouchers(run, found)
    if rule == "PCE":
        dense_stage.over_theta(run, found)
    st.subheader("Choose another pair", anchor=False)
    elsewhere(run, (i, j))


def choose(run: Run) -> tuple[int, int]:
    """The pair by numbers, or an example of each cause."""
    state, top = st.session_state, run.data.n_points - 1
    named = examples(run)
    pair = state.get("pair")
    if not (pair and max(pair) <= top):
        pair = next(iter(named.values()), None) or (0, 1)
    state["pair i"], state["pair j"] = int(pair[0]), int(pair[1])
    row = st.container(horizontal=True, vertical_alignment="bottom")
    for p in "ij":
        row.number_input(
            f"Point {p}, 0 to {top}", 0, top, key=f"pair {p}", on_change=_typed,
            args=(state["pair i"], state["pair j"]), width=160,
        )  # fmt: skip
    for name, example in named.items():
        row.button(
            name, key=f"pair {name}", on_click=pick, args=example,
            type="primary" if set(example) == set(pair) else "secondary",
            help="The entry of this kind that changed most.",
        )  # fmt: skip
    return state["pair i"], state["pair j"]


def _typed(*shown: int) -> None:
    """Of fields that have left the page the browser tells what they showed: nobody typed that."""
    state = st.session_state
    i, j = state["pair i"], state["pair j"]
    if (i, j) == shown:
        return
    if i == j:
        st.toast("i and j must be two different points; the pair stays.")
    else:
        pick(i, j)


def pick(i: int, j: int) -> None:
    state = st.session_state
    state.pair, state.point = (int(i), int(j)), int(i)
    state.picked_elsewhere = state.get("picked_elsewhere", 0) + 1  # the table marks another row


def examples(run: Run) -> dict[str, tuple[int, int]]:
    """For each cause, and for a link between classes, the entry that changed most."""
    changed, by = causes(run), groups(run)
    rise = np.abs(changed.after - changed.before)
    across = by.of[changed.i] != by.of[changed.j]
    kinds = {
        name.capitalize(): (changed.condition == c) & ~across for c, name in conditions(run).items()
    }
    kinds[f"Between {by.many}"] = across
    found = {}
    for name, mine in kinds.items():
        if mine.any():
            best = np.flatnonzero(mine)[np.argmax(rise[mine])]
            found[name] = (int(changed.i[best]), int(changed.j[best]))
    return found


def headline(run: Run, e: Explanation, words: str) -> None:
    """Before, after, and why, in words."""
    columns = st.container(key="pair figures").columns(4)
    columns[0].metric("wᵢⱼ before", f"{e.before:.4f}")
    columns[1].metric("w*ᵢⱼ after", f"{e.after:.4f}", f"{e.after - e.before:+.4f}")
    why = "none" if e.witness < 0 else conditions(run)[e.condition]
    if lowers(run) and e.after != e.before:
        why = "raised" if e.after > e.before else "lowered"
    columns[2].metric("Reason", why)
    columns[3].metric("Witness k", "–" if e.witness < 0 else str(e.witness))
    st.markdown(words)
    st.caption(reason.verdict(e, groups(run)))


@st.fragment
def vouchers(run: Run, e: Explanation) -> None:
    """Every k that is linked with both, as a table; the chosen one as a triangle."""
    s, by = run.settings, groups(run)
    ranked = sorted(e.offers, key=lambda o: (-o.value, o.k))
    key = f"offers {e.i} {e.j} {hash(tuple(ranked))}"
    rows = (st.session_state.get(key) or {}).get("selection", {}).get("rows", [])
    offer = ranked[rows[0]] if rows else ranked[0] if ranked else None
    left, right = st.columns(2)
    dense_stage.drawn(run, e, offer, left, right)
    rest = run.data.n_points - 2 - len(ranked)
    if not ranked:
        st.info("No point is linked with both i and j, so nobody can vouch for the pair.")
        return
    st.markdown(
        f"**Every k that is linked with both**, {len(ranked)} of them. The other {rest:,} points"
        " lack one of the two links and offer nothing. Choose a row to see its triangle."
    )
    if s.dense is None or s.dense == "PCE":
        frame = table_pce(ranked, e, by, s)
    else:
        frame = table_distance(ranked, e, by, s.dense)
    frame = frame.assign(**table.places_of(run.data, k=np.array([o.k for o in ranked])))
    st.dataframe(
        frame, key=key, hide_index=True, on_select="rerun", selection_mode="single-row",
        height=min(38 + 35 * len(frame), 300), column_config=_formats(frame),
        alt=f"What each of {len(ranked)} intermediate points offers to the pair.",
    )  # fmt: skip


def _formats(frame: pd.DataFrame) -> dict[str, Any]:
    return {
        name: st.column_config.NumberColumn(format="%.4f")
        for name in frame.columns
        if frame[name].dtype == np.float64
    }


def _shared(ranked: list[Offer], e: Explanation, by: Groups) -> dict[str, list[Any]]:
    return {
        "": ["★ wins" if o.k == e.witness else "" for o in ranked],
        "k": [o.k for o in ranked],
        by.one: [str(by.names[by.of[o.k]]) for o in ranked],
        "wᵢₖ": [o.w_ik for o in ranked],
        "wₖⱼ": [o.w_kj for o in ranked],
    }


def table_pce(ranked: list[Offer], e: Explanation, by: Groups, s: RunSettings) -> pd.DataFrame:
    """The condition for each k, and why."""
    thetas = (s.theta1, s.theta2, st.session_state.theta3)
    levels = [f"{level(o.w_ik, *thetas)}, {level(o.w_kj, *thetas)}" for o in ranked]
    return pd.DataFrame(
        _shared(ranked, e, by)
        | {
            "levels": levels,
            "condition": [str(o.condition) if o.condition else "none" for o in ranked],
            "why": [because(o, e.before, s.theta1, s.theta2) for o in ranked],
            "offers": [o.value for o in ranked],
        }
    )


def because(o: Offer, w_ij: float, theta1: float, theta2: float) -> str:
    """Why a condition holds for k, or why none does."""
    low, high = sorted((o.w_ik, o.w_kj))
    if o.condition:
        return {
            1: "both links extremely strong, wᵢⱼ is not",
            2: "one extremely strong, one strong, wᵢⱼ is neither",
            3: "both links strong, wᵢⱼ is 0",
        }[o.condition]
    if low <= theta2:
        return "a link is not above θ₂"
    if low > theta1:
        return "wᵢⱼ is extremely strong already"
    return "wᵢⱼ is strong already" if high > theta1 else "both links strong, but wᵢⱼ is not 0"


def table_distance(ranked: list[Offer], e: Explanation, by: Groups, rule: str) -> pd.DataFrame:
    """The length of the way over each k."""
    first = to_distance([o.w_ik for o in ranked], rule)
    second = to_distance([o.w_kj for o in ranked], rule)
    direct = to_distance(e.before, rule).item()
    return pd.DataFrame(
        _shared(ranked, e, by)
        | {
            "dᵢₖ": first,
            "dₖⱼ": second,
            "dᵢₖ + dₖⱼ": first + second,
            "shorter than dᵢⱼ": ["yes" if d < direct else "no" for d in first + second],
            "offers": [o.value for o in ranked],
        }
    )


def elsewhere(run: Run, pair: tuple[int, int]) -> None:
    """Click a changed entry in the matrix, or choose a row of the table."""
    left, right = st.columns([10, 11], gap="medium")
    with left:
        view = matrix_view(run, "pair matrix", "raised", pairs=(pair,), point=-1)
        drawn = matrix(view, key="pair matrix")
        if drawn.pair:
            pick(*drawn.pair)
            st.rerun()
    with right:
        table.show(run)
