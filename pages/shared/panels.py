"""The parts of the Explore screen, from a run to what is seen."""

from dataclasses import replace
from html import escape
from typing import Any, Literal

import numpy as np
import streamlit as st

from pages.shared.loading import plain
from pages.shared.matrix import matrix
from pages.shared.points import points
from pages.shared.stages import Run, Side, causes
from pages.shared.tables import html_table
from sdsc_core import analyse, figures, misplaced
from sdsc_core import confusion as confusion_table
from sdsc_core.datasets import SAMPLES

ORDERS = {"class": "true class", "cluster": "found cluster", "loaded": "as loaded"}


def explain_problem(problem: str) -> None:
    """One sentence on what is wrong; what was there stays."""
    st.warning(problem, icon=":material/info:")
    if st.session_state.get("stopped") == st.session_state.get("wanted"):
        st.button("Compute", on_click=lambda: st.session_state.pop("stopped", None))


def headline(run: Run) -> None:
    """What is shown, in a line, and the figures that matter most."""
    data, s = run.data, run.settings
    sample = SAMPLES.get(st.session_state.data)
    look = st.session_state.get("look") or (sample.sentence if sample else plain(data.note))
    if st.session_state.hide:
        look = ""  # it may speak of the classes
    st.markdown(
        f"**{plain(data.name)}**: {data.n_points:,} points in {data.n_features:,} dimensions, "
        f"{run.k} cluster{'s' * (run.k > 1)} ({run.k_from}), Γ = {s['gamma']}. {look}"
    )
    b, a = run.before.summary, run.after.summary
    shown = [
        ("ACC", b.acc, a.acc, True, "Share of points in the right cluster, eq. 14."),
        ("NMI", b.nmi, a.nmi, True, "Information shared with the classes, eq. 15."),
        ("CONN, mean", b.conn.mean, a.conn.mean, False, _CONN_MEAN),
        ("Ncut", b.ncut, a.ncut, False, "Similarity cut over similarity kept, eq. 8."),
        ("Nonzeros", b.nonzeros, a.nonzeros, False, "Entries of the affinity."),
    ][2 * st.session_state.hide :]
    for spot, (name, before, after, percent, text) in zip(
        st.columns(len(shown)), shown, strict=True
    ):
        if after is None:
            spot.metric(name, "–", help="Needs the true classes, and this data has none.")
            continue
        assert before is not None
        value = f"{100 * after:.1f} %" if percent else _figure(after)
        change = f"{100 * (after - before):+.1f}" if percent else _signed(after - before)
        neutral = name == "Nonzeros" or after == before  # neither good nor bad
        good: Any = "off" if neutral else "inverse" if name == "Ncut" else "normal"
        spot.metric(f"{name} of W*", value, f"{change} against W", delta_color=good, help=text)


_GOOD: dict[str, Literal["inverse", "off"]] = {"Ncut": "inverse", "Nonzeros": "off"}
_CONN_MEAN = (
    "Connectivity inside the classes: mean over classes of the second smallest eigenvalue of"
    " $L = I - D^{-1/2}WD^{-1/2}$."
)


def _figure(value: float) -> str:
    if np.isinf(value):
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _signed(value: float) -> str:
    return f"{value:+,}" if isinstance(value, int) else f"{value:+.4f}"


def matrices(run: Run) -> None:
    """W and W* on one colour scale, or what the dense stage changed and why."""
    first, second, third, fourth = st.columns([20, 33, 18, 27], vertical_alignment="bottom")
    look(run, first, second, third)
    with fourth:
        pin(run)
    matrix(matrix_view(run), key="matrix", on_pair=_choose)
    chosen(run)
    beside(run)


def beside(run: Run) -> None:
    """W* of the pinned run A beside that of B, where both are of the same data."""
    pinned: Run | None = st.session_state.get("pinned")
    if pinned is None or pinned.data.digest != run.data.digest:
        return
    view = matrix_view(run, key="pinned_matrix", view="both")
    both = figures.matrix_view(pinned.after.W, run.after.W, view.index)
    drawn = replace(
        view, rows=both.rows, cols=both.cols, w=both.w, star=both.star, cause=both.cause,
        cell=both.cell, whole=both.whole, symbols=("w* in A", "w* in B"),
        panels=(("w", f"A: W* ({_said(pinned)})"), ("star", f"B: W* ({_said(run)})")),
        alt="W* of the pinned run A beside W* of the present run B.",
    )  # fmt: skip
    matrix(drawn, key="pinned_matrix")


def _said(run: Run) -> str:
    s = run.settings
    thetas = f", θ {s['theta1']:.2f}/{s['theta2']:.2f}" if s["dense"] == "PCE" else ""
    return f"Γ = {s['gamma']}, {s['dense']}{thetas}"


def look(run: Run, first: Any, second: Any, third: Any) -> None:
    """How the matrices are drawn: which, in what order, in what colours."""
    orders = ORDERS if run.data.n_classes else {k: v for k, v in ORDERS.items() if k != "class"}
    if st.session_state.order not in orders:
        st.session_state.order = "cluster"
    views = {"both": "W and W*", "change": "W* − W"}
    first.segmented_control("View", list(views), key="view", format_func=views.get, required=True)
    second.segmented_control(
        "Order", list(orders), key="order", format_func=orders.get, required=True
    )
    third.segmented_control("Colour", ["linear", "log"], key="colour", required=True)


def matrix_view(run: Run, key: str = "matrix", view: str = "", **more: Any) -> figures.MatrixView:
    """The picture of a run in the order and colour set; "raised" shows the causes alone."""
    state, data = st.session_state, run.data
    labels = {"class": data.labels, "cluster": run.after.labels, "loaded": None}[state.order]
    order = figures.ordering(state.order, data.labels, run.after.labels)
    names = data.class_names if state.order == "class" else [f"cluster {c}" for c in range(run.k)]
    dense = run.settings["dense"]
    star = "W*" if dense == "none" else f"W* ({dense})"
    panels = (("w", "W (IMC)"), ("star", star))
    raised = None
    if (view or state.view) != "both":
        panels, raised = (("cause", "W* − W: raised entries by cause"), ("star", star)), causes(run)
    thetas = [(f"θ{'₁₂₃'[i - 1]}", run.settings[f"theta{i}"]) for i in (1, 2, 3)]
    window = (state.get(key) or {}).get("window")
    pair = state.get("pair")
    valid = pair and max(pair) < data.n_points
    b, a = run.before.summary, run.after.summary
    marks = {
        "pairs": (pair,) if valid else (),
        "point": state.point if 0 <= state.point < data.n_points else -1,
    }
    return figures.matrix_view(
        run.before.W,
        run.after.W,
        order,
        causes=raised,
        window=tuple(window) if window else None,
        classes=tuple(map(escape, data.class_names)),
        class_of=np.empty(0, int) if data.labels is None else data.labels[order],
        blocks=() if labels is None else figures.class_blocks(labels, order, tuple(names)),
        panels=panels[:1] if view == "raised" else panels,
        log=state.colour == "log",
        ticks=(("0", 0.0), *thetas, ("1", 1.0)),
        axis=f"by {ORDERS[state.order]}" if state.order != "loaded" else "as loaded",
        alt=f"Affinity matrices of {data.n_points} points: W has {b.nonzeros} nonzero entries,"
        f" W* {a.nonzeros}; {a.inside:.0%} of the similarity in W* lies inside the {a.by}.",
        **(marks | more),
    )


def chosen(run: Run) -> None:
    """The pair or point that is marked in every view."""
    state = st.session_state
    if not 0 <= state.point < run.data.n_points:
        state.pair = None
        return
    pair = state.get("pair")
    text = f"Point {state.point}{_class_of(run, state.point)} is marked in every view."
    if pair and max(pair) < run.data.n_points:
        i, j = pair
        w, star = run.before.W[i, j], run.after.W[i, j]
        text = (
            f"Pair i = {i}{_class_of(run, i)}, j = {j}{_class_of(run, j)}:"
            f" w = {w:.4f}, w* = {star:.4f}."
        )
    left, right = st.columns([6, 1], vertical_alignment="center")
    left.markdown(text)
    right.button("Unmark", on_click=_unmark)


def _choose(i: int, j: int) -> None:
    st.session_state.pair, st.session_state.point = (i, j), i


def _unmark() -> None:
    st.session_state.point, st.session_state.pair = -1, None


def _class_of(run: Run, i: int) -> str:
    return "" if run.data.labels is None else f" ({run.data.class_names[run.data.labels[i]]})"


def pin(run: Run) -> None:
    """Keep the present run as A; what comes after is B."""
    state = st.session_state
    left, right = st.columns(2)
    left.button(
        "Pin as A", on_click=lambda: state.update(pinned=run), width="stretch",
        help="Keep this result and compare what you do next with it.",
    )  # fmt: skip
    right.button(
        "Unpin", on_click=lambda: state.pop("pinned", None), width="stretch",
        disabled="pinned" not in state,
    )  # fmt: skip


ROWS = [
    ("ACC", "Share of points right under the best map of clusters to classes, eq. 14.", 1),
    ("NMI", "2 I(U;V) / (H(U) + H(V)): information shared by clusters and classes, eq. 15.", 1),
    ("CONN, whole graph", "Second smallest eigenvalue of L for all points: 0 if the graph falls"
     " apart; it also falls when clusters part well.", 1),
    ("CONN, least cluster", "The same inside each class or cluster; the smallest of them.", 1),
    ("CONN, mean", "The same inside each class or cluster; their mean.", 1),
    ("Ncut", "Sum over clusters of cut / vol, eq. 8: similarity lost over similarity kept.", -1),
    ("Similarity inside", "Share of all similarity that lies inside the classes or clusters.", 1),
    ("Nonzeros", "Entries of the matrix that are not 0.", 0),
    ("Density", "Nonzeros over all N(N − 1) entries.", 0),
    ("Components", "Parts of the graph without any link between them.", 0),
]  # fmt: skip


def _values(side: Side) -> list[float | None]:
    s = side.summary
    return [
        s.acc, s.nmi, s.conn.whole, s.conn.min, s.conn.mean, s.ncut, s.inside,
        s.nonzeros, s.density, len(s.component_sizes),
    ]  # fmt: skip


def _cell(value: float | None, base: float | None = None, good: int = 0) -> str:
    if value is None:
        return "<td>–</td>"
    if base is None:
        return f"<td>{_figure(value)}</td>"
    change = value - base
    if not np.isfinite(change):
        return "<td>–</td>"
    better = change * good
    mark = " class='up'" if better > 1e-9 else " class='down'" if better < -1e-9 else ""
    return f"<td{mark}>{_signed(change)}</td>"


def metrics(run: Run) -> None:
    """All figures for W and W*, the change, and the difference to a pinned run."""
    pinned: Run | None = st.session_state.get("pinned")
    head = ["", "W", "W*", "change"] + (["A: W*", "B − A"] if pinned else [])
    kept = _values(pinned.after) if pinned else [None] * len(ROWS)
    lines = []
    rows = list(zip(ROWS, _values(run.before), _values(run.after), kept, strict=True))
    for (name, text, good), b, a, p in rows[2 * st.session_state.hide :]:
        cells = _cell(b) + _cell(a) + (_cell(a, b, good) if None not in (a, b) else _cell(None))
        if pinned:
            cells += _cell(p) + (_cell(a, p, good) if None not in (a, p) else _cell(None))
        lines.append(f"<td title='{escape(text, quote=True)}'>{name}</td>{cells}")
    lines.append(f"<td title='{escape(_Q)}'>Q</td><td></td><td>{_q(run)}</td><td></td>")
    html_table(head, lines, "Metrics of W and W*")
    _notes(run, pinned)


_Q = "Ncut* / Ncut, measured, with Ncut = η₂/η₁ of eq. 9: below 1 the dense stage helped, eq. 11."


def _q(run: Run) -> str:
    labels = run.after.labels if run.data.labels is None else run.data.labels
    value = analyse(run.before.W, run.after.W, labels).q
    return "–" if np.isnan(value) else f"{value:.4f}"


def _notes(run: Run, pinned: Run | None) -> None:
    notes = [f"CONN per cluster, Ncut, Q and similarity inside go by the {run.after.summary.by}."]
    if run.data.labels is None and not st.session_state.hide:
        notes.append("ACC and NMI need the true classes, which this data does not have.")
    for name, side in (("W", run.before), ("W*", run.after)):
        sizes = side.summary.component_sizes
        if len(sizes) > 1:
            some = ", ".join(map(str, sizes[:6])) + (" …" if len(sizes) > 6 else "")
            notes.append(
                f"CONN of {name} is 0: its graph has {len(sizes)} components, of {some} points."
            )
    if len(run.path.constant):
        notes.append(f"{len(run.path.constant)} samples have no variance, so no links.")
    if pinned:
        s = pinned.settings
        notes.append(
            f"A: {pinned.data.name}, Γ = {s['gamma']}, {s['dense']}, θ₁ = {s['theta1']:.2f},"
            f" θ₂ = {s['theta2']:.2f}."
        )
    t = run.seconds
    spectral = t["spectrum"] + t["W* side"]
    notes.append(
        f"Time: IMC to Γ = {run.path.picks.shape[1]} {_time(t['IMC'])}, dense stage"
        f" {_time(t['dense'])}, spectral clustering and metrics {_time(spectral)}."
    )
    st.caption("  \n".join(notes))


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def embedding(run: Run) -> None:
    """What k-means sees, for W and W*; misplaced points are marked, a click chooses one."""
    state, data = st.session_state, run.data
    left, right = st.columns(2)
    left.segmented_control("Embedding", ["2-D", "3-D"], key="dims", required=True)
    dims = 3 if state.dims == "3-D" else 2
    paints = ["class", "cluster"] if data.n_classes else ["cluster"]
    if state.paint not in paints:
        state.paint = "cluster"
    right.segmented_control("Coloured by", paints, key="paint", required=True)
    groups, names, said = run.after.labels, [f"cluster {c}" for c in range(run.k)], ""
    sides = [("W", run.before), ("W*", run.after)]
    wrong = [np.zeros(data.n_points, bool)] * 2
    if data.labels is not None:
        wrong = [misplaced(data.labels, side.labels) for _, side in sides]
        said = f" {wrong[1].sum()} points, marked by crosses, are misplaced in W*."
        if state.paint == "class":
            groups, names = data.labels, list(data.class_names)
    points(
        [
            (f"Spectral embedding from {name}", figures.projection(s.spectrum, run.k, dims), bad)
            for (name, s), bad in zip(sides, wrong, strict=True)
        ],
        groups,
        names,
        key="embedding",
        chosen=state.point if state.point < data.n_points else -1,
        on_point=_mark,
        alt=f"Spectral embedding of {data.n_points} points from W and from W*.{said}",
    )


def _mark(point: int) -> None:
    st.session_state.point, st.session_state.pair = point, None


def confusion(run: Run) -> None:
    """Classes against clusters."""
    if run.data.labels is None:
        st.info("A confusion matrix needs the true classes, which this data does not have.")
        return
    table, clusters = confusion_table(run.data.labels, run.after.labels)
    st.plotly_chart(
        figures.confusion_matrix(table, run.data.class_names, clusters), key="confusion",
        alt=f"Confusion matrix; {np.trace(table)} of {table.sum()} points lie on the diagonal.",
    )  # fmt: skip


def eigenvalues(run: Run) -> None:
    """The top of the spectrum of W and W*, with the gap."""
    for spot, name, side in zip(st.columns(2), ("W", "W*"), (run.before, run.after), strict=True):
        title = f"Eigenvalues of D⁻¹ᐟ²{name}D⁻¹ᐟ²"
        values = side.spectrum.eigenvalues
        spot.plotly_chart(
            figures.eigenvalues(values, run.k, title), key=f"eigenvalues {name}",
            alt=f"{title}: {', '.join(f'{v:.3f}' for v in values[:8])} and so on.",
        )  # fmt: skip
    if run.after.spectrum.regularised:
        st.caption(
            "The graph has more components than clusters, so weak links between all points were"
            " added before the eigenvectors were taken."
        )


def gallery(run: Run) -> None:
    """Pictures of each cluster; the misplaced ones are framed."""
    data = run.data
    if data.images is None:
        st.info("This data has no pictures; load a .zip of images to see a gallery.")
        return
    none = np.zeros(data.n_points, bool)
    wrong = none if data.labels is None else misplaced(data.labels, run.after.labels)
    marked = wrong | (np.arange(data.n_points) == st.session_state.point)
    zoom = max(1, 40 // data.images.shape[1])
    columns = st.columns(2)
    for c in range(run.k):
        members = np.flatnonzero(run.after.labels == c)
        order = members[np.argsort(~marked[members], kind="stable")][:48]
        sheet = figures.contact_sheet(data.images[order], marked[order], columns=12, zoom=zoom)
        columns[c % 2].image(
            sheet, width="stretch",
            caption=f"Cluster {c}: {len(members)} points"
            + (f", {wrong[members].sum()} misplaced (framed)" if data.n_classes else "")
            + (f"; {len(order)} shown" if len(order) < len(members) else ""),
        )  # fmt: skip
