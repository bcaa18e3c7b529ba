"""Each claim of the paper with its verdict, the rule, and the numbers that say so."""

from collections import Counter

import streamlit as st

from pages.shared.settings import PAPER_PARTS
from pages.shared.text import escape_markdown
from sdsc_core.experiments import EXPERIMENTS, Claim, claims, shipped
from sdsc_core.experiments.verdicts import FAILS, HOLDS, IN_PART, UNKNOWN

COLOURS = {HOLDS: "green", IN_PART: "orange", FAILS: "red"}
WORDS = {HOLDS: "hold", IN_PART: "hold in part", FAILS: "do not hold", UNKNOWN: UNKNOWN}
MARKS = {True: "✓", False: "✗", None: "–"}


def show() -> None:
    """All claims, in the order of the paper."""
    found = {name: shipped(name) for name in EXPERIMENTS}
    rows = {name: results.rows for name, results in found.items() if results is not None}
    absent = [PAPER_PARTS[name] for name in EXPERIMENTS if name in PAPER_PARTS and name not in rows]
    if absent:
        st.caption(f"Without a result file yet: {', '.join(absent)}.")
    found_claims = claims(rows)
    counts = Counter(claim.verdict for claim in found_claims)
    st.markdown(
        f"Of {len(found_claims)} claims: "
        + ", ".join(f"{n} {v if n == 1 else WORDS[v]}" for v in WORDS if (n := counts[v]))
        + f". Of their statements {MARKS[True]} marks a true one, {MARKS[False]} one that is not"
        f" true, {MARKS[None]} one that was not measured."
    )
    for number, claim in enumerate(found_claims):
        if number % 2 == 0:
            columns = st.columns(2, gap="medium")
        with columns[number % 2].container(border=True, height="stretch"):
            _show_claim(claim)


def _show_claim(claim: Claim) -> None:
    colour = COLOURS.get(claim.verdict, "gray")
    known = len(claim.statements) - claim.n_missing
    st.subheader(claim.title, anchor=False)
    true = sum(bool(s.true) for s in claim.statements)
    so_far = " so far" if known and claim.n_missing else ""  # no verdict on what is half measured
    text = f":{colour}-badge[{claim.verdict}{so_far}]"
    if known:
        text += f" {true} of {known} statements are true"
        text += f", {claim.n_missing} not measured." if claim.n_missing else "."
    st.markdown(text)
    st.markdown(f"> {escape_markdown(claim.quote)}")
    st.caption(f"Rule: {escape_markdown(claim.rule)}")
    lines = [f"{MARKS[s.true]} {escape_markdown(s.text)}" for s in claim.statements]
    st.markdown("  \n".join(lines))
