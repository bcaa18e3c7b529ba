"""Each claim of the paper with its verdict, the rule, and the numbers that say so."""

import streamlit as st

from pages.shared.settings import PAPER_PARTS
from pages.shared.text import escape_markdown
from sdsc_core.experiments import EXPERIMENTS, Claim, claims, shipped
from sdsc_core.experiments.verdicts import FAILS, HOLDS, IN_PART

COLOURS = {HOLDS: "green", IN_PART: "orange", FAILS: "red"}
MARKS = {True: "✓", False: "✗", None: "–"}


def show() -> None:
    """All claims, in the order of the paper."""
    found = {name: shipped(name) for name in EXPERIMENTS}
    rows = {name: results.rows for name, results in found.items() if results is not None}
    absent = [PAPER_PARTS[name] for name in EXPERIMENTS if name in PAPER_PARTS and name not in rows]
    if absent:
        st.caption(f"Without a result file yet: {', '.join(absent)}.")
    for number, claim in enumerate(claims(rows)):
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
