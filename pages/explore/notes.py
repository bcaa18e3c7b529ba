"""What there is to say about the figures: by what they go, why CONN is 0, how long it took."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.keep.entries import Entry
from pages.shared.run import cached, run_key
from pages.shared.text import duration, escape_markdown
from sdsc_core import components
from sdsc_core.run import Run, Side


def show(run: Run, pins: list[Entry]) -> None:
    """All of it, below the table of figures."""
    notes = [f"CONN per cluster, Ncut, Q and similarity inside go by the {run.after.summary.by}."]
    if run.data.labels is None and not st.session_state.hide:
        notes.append("ACC and NMI need the true classes, which this data does not have.")
    for name, side in (("W", run.before), ("W*", run.after)):
        sizes = side.summary.component_sizes
        if len(sizes) > 1:
            notes.append(f"CONN of {name}, whole graph, is 0: it has {_parts(sizes, 'component')}.")
    notes += _unconnected_classes(run) + not_converged(run)
    if len(run.path.constant):
        notes.append(f"{len(run.path.constant)} samples have no variance, so no links.")
    for pin in pins:
        called = f" “{escape_markdown(pin.name)}”" if pin.name else ""
        notes.append(f"{pin.pin}{called}: {escape_markdown(pin.title)}, {', '.join(pin.words)}.")
    t = run.seconds
    spectral = sum(took for stage, took in t.items() if stage.endswith(("spectrum", "side")))
    notes.append(
        f"Time: IMC (to Γ = {run.path.picks.shape[1]}): {duration(t['IMC'])}, dense stage:"
        f" {duration(t.get('dense', 0.0))}, spectral clustering and metrics: {duration(spectral)}."
    )
    st.caption("  \n".join(notes))


def not_converged(run: Run) -> list[str]:
    """What to tell of eigenvectors that are not exact; the same text once for W and W*."""
    sides = {"W": run.before, "W*": run.after} if run.before is not run.after else {"W": run.after}
    sides_by_text: dict[str, list[str]] = {}
    for name, side in sides.items():
        for text in filter(None, (side.spectrum.message, side.summary.conn.message)):
            sides_by_text.setdefault(text, []).append(name)
    return [f"{' and '.join(names)}: {text}" for text, names in sides_by_text.items()]


def _parts(sizes: NDArray[np.int64], what: str) -> str:
    some = ", ".join(map(str, sizes[:6])) + (" …" if len(sizes) > 6 else "")
    return f"{len(sizes)} {what}s, of {some} points"


def _unconnected_classes(run: Run) -> list[str]:
    """A sentence where CONN inside the classes is 0; one for both where it is the same."""
    sides_by_text: dict[str, list[str]] = {}
    for name, side in (("W", run.before), ("W*", run.after)):
        if side.summary.conn.min == 0:
            text = cached((f"apart in {name}", run_key(run)), partial(_pieces, run, side))
            sides_by_text.setdefault(text, []).append(name)
    return [
        f"CONN of {' and '.join(names)} is 0 inside {text}."
        for text, names in sides_by_text.items()
    ]


def _pieces(run: Run, side: Side) -> str:
    """How many classes fall apart by themselves, and how the worst of them does."""
    data, each = run.data, side.summary.conn.per_cluster
    labels = side.labels if data.labels is None else data.labels
    names = data.class_names or [f"cluster {c}" for c in range(len(each))]
    members = {c: np.flatnonzero(labels == c) for c in np.flatnonzero(each == 0)}
    sizes = {c: components(side.W[m][:, m]) for c, m in members.items()}
    worst = max(sizes, key=lambda c: len(sizes[c]))
    told = f"by itself is in {_parts(sizes[worst], 'piece')}"
    if len(sizes[worst]) < 2:
        told = "hangs by the weakest links" if sizes[worst].sum() > 1 else "has a single point"
    name = escape_markdown(str(names[worst]))
    return f"{len(sizes)} of the {len(each)} {side.summary.by}: “{name}” {told}"
