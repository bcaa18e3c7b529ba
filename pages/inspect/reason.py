"""Why a pair has its w*: in words, as a formula, and with the points as pictures."""

import numpy as np
import streamlit as st

from pages.inspect import without_witness
from pages.shared.groups import Groups, groups, lowers
from pages.shared.text import escape_markdown
from sdsc_core import Explanation, explain, figures
from sdsc_core.dense import DISTANCES
from sdsc_core.run import Run


def show(run: Run, pair: tuple[int, int]) -> Explanation:
    """Why the pair has its w*, in words and as a formula, and the points as pictures."""
    by = groups(run)
    found, words = explained(run, pair)
    example = "" if st.session_state.get("pair") else " (the first row, until you choose one)"
    st.markdown(f"**Pair i = {pair[0]}, j = {pair[1]}**{example}")
    st.markdown(words)
    st.caption(verdict(found, by))
    _pictures(run, found, by)
    return found


def explained(run: Run, pair: tuple[int, int]) -> tuple[Explanation, str]:
    """Before, after and the witness of a pair, and the reason in words."""
    s = run.settings
    assert s.dense is not None, "without a dense stage there is nothing to explain"
    if lowers(run):
        return without_witness.explained(run, pair)
    found = explain(run.before.W, *pair, s.theta1, s.theta2, s.dense)
    return found, reason(found, run)


def reason(e: Explanation, run: Run) -> str:
    """Why the pair has its w*, with the formula and the numbers in it."""
    s = run.settings
    if e.witness < 0:
        offers = "No third point is linked with both" if not e.offers else "No point offers more"
        return f"{offers}, so $w_{{ij}} = {e.before:.4f}$ stays as it is."
    offer = next(o for o in e.offers if o.k == e.witness)
    a, b = offer.w_ik, offer.w_kj
    links = rf"$w_{{ik}} = {a:.4f}$ and $w_{{kj}} = {b:.4f}$"
    t1, t2 = rf"$\theta_1 = {s.theta1:.2f}$", rf"$\theta_2 = {s.theta2:.2f}$"
    value = f"{e.after:.4f}"
    conditions = {
        1: (
            f"**Condition 1**: {links} are both above {t1},",
            rf"\tfrac12 (w_{{ik}} + w_{{kj}}) = \tfrac12 ({a:.4f} + {b:.4f})",
        ),
        2: (
            f"**Condition 2**: of {links} one is above {t1}, the other above {t2},",
            rf"\min(w_{{ik}}, w_{{kj}}) = \min({a:.4f}, {b:.4f})",
        ),
        3: (
            f"**Condition 3**: {links} both lie between {t2} and {t1}, and $w_{{ij}}$ was 0,",
            rf"\tfrac12 \max(w_{{ik}}, w_{{kj}}) = \tfrac12 \cdot {max(a, b):.4f}",
        ),
    }
    if e.condition:
        words, formula = conditions[e.condition]
    else:
        by = DISTANCES[s.dense or "D1"]
        words = f"**{s.dense}**, $d = {by.distance}$: the way over k, {links}, is shorter,"
        formula = f"{by.worth} = {by.with_numbers(a, b)}"
    return (
        f"{words} so $k = {e.witness}$ vouches for the pair: $w_{{ij}}$ rises from"
        f" {e.before:.4f} to  \n$w^*_{{ij}} = {formula} = {value}$."
    )


def verdict(e: Explanation, by: Groups) -> str:
    """Whether the link helps, and how many points could have vouched for it."""
    points = [e.i, e.j] + ([e.witness] if e.witness >= 0 else [])
    of = by.of[points]

    def name(p: int) -> str:
        return escape_markdown(str(by.names[by.of[p]]))

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
        name = escape_markdown(str(by.names[by.of[p]]))
        spot.image(picture, f"{symbol} = {p} ({name})", width="stretch")
