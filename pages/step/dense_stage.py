"""The drawings for one pair: triangle, scale or distances, and what another θ would give."""

from typing import Any

import streamlit as st

from pages.shared.groups import groups
from pages.shared.run import cached
from sdsc_core import Explanation
from sdsc_core.dense import Offer
from sdsc_core.figures import pair as figures
from sdsc_core.run import Run
from sdsc_core.tracing import Piece, sweep

FLAT = {"displayModeBar": False}


def drawn(run: Run, e: Explanation, offer: Offer | None, left: Any, right: Any) -> None:
    """The triangle, and beside it the three similarities on their scale, or as distances."""
    s, by = run.settings, groups(run)
    thetas = (s.theta1, s.theta2, st.session_state.theta3)
    assert s.dense is not None, "without a dense stage the screen ends before this"
    pce = s.dense == "PCE"
    left.plotly_chart(
        figures.triangle(
            e, offer, by.of, by.names, thetas=thetas if pce else None,
            transform=None if pce else s.dense, images=run.data.images,
        ),
        key="triangle", config=FLAT,
        alt=f"Triangle of the points i = {e.i}, j = {e.j} and k = {offer.k}."
        if offer else f"The points i = {e.i} and j = {e.j}; no k is linked with both.",
    )  # fmt: skip
    if pce:
        right.plotly_chart(
            figures.scale(e, offer, thetas), key="scale", config=FLAT,
            alt=f"w before {e.before:.4f}, after {e.after:.4f}; thresholds"
            f" {', '.join(f'{t:.2f}' for t in thetas)}.",
        )  # fmt: skip
        return
    right.plotly_chart(
        figures.paths(e, offer, s.dense), key="paths", config=FLAT,
        alt="The direct distance and the way over k as bars.",
    )  # fmt: skip
    one, three = st.columns([2, 5])
    one.plotly_chart(
        figures.transforms(s.dense, offer), key="transforms", config=FLAT,
        alt="Distance over similarity for the three functions of Table 1.",
    )  # fmt: skip
    three.plotly_chart(
        figures.two_hop_maps(s.dense, offer), key="maps", config=FLAT,
        alt="What the way over k is worth for every two similarities, under D1, D2 and D3.",
    )  # fmt: skip
    st.caption(
        "Left: how each function turns a similarity into a distance. Right: what two links are"
        " worth together; the cross is this k. D1 gives something only where the two similarities"
        " sum to more than 1; D2 gives their product over e, at most 0.37; D3 gives less than the"
        " weaker link, at most 0.5."
    )


def over_theta(run: Run, e: Explanation) -> None:
    """w*_ij for every θ₁ and every θ₂, and in words where it changes."""
    s = run.settings
    t1, t2 = s.theta1, s.theta2
    key = (run.data.digest, s.gamma, s.residual, s.similarity, e.i, e.j, t1, t2)
    both = cached(
        ("sweep", key),
        lambda: [sweep(run.before.W, e.i, e.j, t1, t2, moved) for moved in ("theta1", "theta2")],
    )
    names = ("θ₁", "θ₂")
    st.plotly_chart(
        figures.over_theta(list(zip(names, (t1, t2), both, strict=True))), key="over theta",
        config=FLAT, alt="w* of the pair over θ₁ and over θ₂, coloured by condition.",
    )  # fmt: skip
    for name, now, pieces in zip(names, (t1, t2), both, strict=True):
        st.markdown(flips(name, now, pieces))


def flips(name: str, now: float, pieces: list[Piece]) -> str:
    """Where the nearest changes lie, below and above the present θ."""
    at = next((k for k, p in enumerate(pieces) if p.low <= now < p.high), len(pieces) - 1)
    here = pieces[at]
    text = f"**{name} = {now:.2f}** gives {_piece_text(here)}."
    if at > 0:
        text += f" Below {here.low:.4f} it would be {_piece_text(pieces[at - 1])}."
    if at + 1 < len(pieces):
        text += f" From {here.high:.4f} on it would be {_piece_text(pieces[at + 1])}."
    if len(pieces) == 1:
        text += f" No other {name} changes that, as long as the other θ stays."
    return text


def _piece_text(p: Piece) -> str:
    if not p.condition:
        return f"no condition (w stays {p.value:.4f})"
    return f"condition {p.condition} over k = {p.witness} (w* = {p.value:.4f})"
