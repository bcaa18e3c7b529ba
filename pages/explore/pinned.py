"""Pinned runs A, B, …, to compare what comes after with them."""

from dataclasses import replace

import streamlit as st

from pages.components.matrix import matrix
from pages.keep import entries
from pages.keep.entries import Entry, difference
from pages.shared.matrix_view import matrix_view
from pages.shared.run import keeper, patiently
from pages.shared.text import escape_markdown
from sdsc_core import figures
from sdsc_core.checks import Affinity
from sdsc_core.run import Run, run_stages


def buttons() -> None:
    """Keep the present run under the next free letter, and compare what comes after with it."""
    pins, letter = entries.pins(), entries.free_pin()
    st.button(
        f"Pin as {letter}" if letter else "Pin", key="pin", disabled=not letter,
        on_click=entries.pin_present,
        help="Keep this result and compare what you do next with it; the tab History lists all"
        f" pins, {len(entries.PINS)} at most.",
    )  # fmt: skip
    st.button(
        "Unpin all" if len(pins) > 1 else "Unpin", key="unpin", on_click=entries.unpin_all,
        disabled=not pins,
    )  # fmt: skip


def matrices(run: Run) -> None:
    """W* of a pinned run beside the present one, where both are of the same data."""
    now = entries.note(run)
    pins = {e.pin: e for e in entries.pins() if e.digest == run.data.digest and e != now}
    if not pins:
        return
    letter: str | None = next(reversed(pins))
    if len(pins) > 1:
        if st.session_state.get("beside pin") not in pins:
            st.session_state["beside pin"] = letter
        letter = st.segmented_control(
            "Beside the pinned run", list(pins), key="beside pin", required=True
        )
    if letter is not None:
        _compare_matrices(run, now, pins[letter])


def _compare_matrices(run: Run, now: Entry, pinned: Entry) -> None:
    view = matrix_view(run, key="pinned_matrix", view="both")
    try:
        star = _star(run, pinned)
    except ValueError as problem:  # a session file may hold settings that no data of this size has
        st.warning(f"Run {pinned.pin} cannot be computed again: {escape_markdown(str(problem))}")
        return
    both = figures.matrix_view(star, run.after.W, view.index, merge=view.merge)
    drawn = replace(
        view, rows=both.rows, cols=both.cols, w=both.w, star=both.star, cause=both.cause,
        cell=both.cell, whole=both.whole, held=both.held,
        symbols=(f"w* in {pinned.pin}", "w* now"),
        panels=(
            ("w", f"{pinned.pin}: W* ({difference(pinned.words, now.words)})"),
            ("star", f"now: W* ({difference(now.words, pinned.words)})"),
        ),
        alt=f"W* of the pinned run {pinned.pin} beside W* of the present run.",
    )  # fmt: skip
    matrix(drawn, key="pinned_matrix", choice=False)


def _star(run: Run, pinned: Entry) -> Affinity:
    """W* of a pinned run, of which only settings are kept: mostly it is still in memory."""
    data, settings, keep = run.data, pinned.run_settings, keeper()
    return patiently(
        f"Computing run {pinned.pin} again",
        ("pinned", data.digest, settings.dense_key(), settings.seed, pinned.clusters),
        lambda tell: run_stages(data, settings, keep=keep, report=lambda title: tell).after.W,
    )
