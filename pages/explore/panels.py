"""The parts of the Explore screen, from a run to what is seen."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.matrix import matrix
from pages.components.points import Panel, points
from pages.shared.loading import plain
from pages.shared.run import Run, Side, causes, remember
from pages.shared.settings import without_labels
from pages.shared.sidebar import RESIDUALS, SIMILARITIES
from pages.shared.tables import html_table
from sdsc_core import analyse, components, figures, misplaced
from sdsc_core import confusion as confusion_table
from sdsc_core.datasets import SAMPLES

T = TypeVar("T")

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
    of_w = "" if run.before.k == run.k else f"; of W by itself {run.before.k}"
    st.markdown(
        f"**{plain(data.name)}**: {data.n_points:,} points in {data.n_features:,} dimensions, "
        f"{run.k} cluster{'s' * (run.k > 1)} ({run.k_from}{of_w}), Γ = {s['gamma']}. {look}"
    )
    b, a = run.before.summary, run.after.summary
    shown = [
        ("ACC", b.acc, a.acc, True, "Share of points in the right cluster, eq. 14."),
        ("NMI", b.nmi, a.nmi, True, "Information shared with the classes, eq. 15."),
        ("CONN, mean", b.conn.mean, a.conn.mean, False, _CONN_MEAN),
        ("Ncut", b.ncut, a.ncut, False, "Similarity cut over similarity kept, eq. 8."),
        ("Nonzeros", b.nonzeros, a.nonzeros, False, "Entries of the affinity."),
    ][2 * st.session_state.hide :]
    columns = st.container(key="figures").columns(len(shown))
    for spot, (name, before, after, percent, text) in zip(columns, shown, strict=True):
        if after is None:
            spot.metric(name, "–", help="Needs the true classes, and this data has none.")
            continue
        assert before is not None
        value = f"{100 * after:.1f} %" if percent else _figure(after)
        change = f"{100 * (after - before):+.1f}" if percent else _signed(after - before)
        same = after == before or not float(change.replace(",", "").replace("∞", "inf"))
        neutral = same or name == "Nonzeros"  # neither good nor bad
        good: Any = "off" if neutral else "inverse" if name == "Ncut" else "normal"
        spot.metric(
            f"{name} of W*", value, "as in W" if same else f"{change} vs W",
            delta_color=good, delta_arrow="off" if same else "auto", help=text,
        )  # fmt: skip


_CONN_MEAN = (
    "Connectivity inside the classes: mean over classes of the second smallest eigenvalue of"
    " $L = I - D^{-1/2}WD^{-1/2}$."
)


def _figure(value: float) -> str:
    if np.isinf(value):
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _signed(value: float) -> str:
    return f"{value:+,}" if isinstance(value, int) else f"{value:+.4f}".replace("inf", "∞")


def matrices(run: Run) -> None:
    """W and W* on one colour scale, or what the dense stage changed and why."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    look(run, row)
    with row:
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
        panels=(
            ("w", f"A: W* ({_difference(pinned, run)})"),
            ("star", f"B: W* ({_difference(run, pinned)})"),
        ),
        alt="W* of the pinned run A beside W* of the present run B.",
    )  # fmt: skip
    matrix(drawn, key="pinned_matrix", choice=False)


def _said(run: Run) -> list[str]:
    """The settings of a run in words; θ only where PCE uses it."""
    s = run.settings
    thetas = [f"θ₁ = {s['theta1']:.2f}", f"θ₂ = {s['theta2']:.2f}"] if s["dense"] == "PCE" else []
    return [
        f"Γ = {s['gamma']}", "no dense stage" if s["dense"] == "none" else s["dense"], *thetas,
        f"residual {RESIDUALS[s['residual']]}", f"similarity {SIMILARITIES[s['similarity']]}",
        f"seed {s['seed']}", f"{run.k} clusters",
    ]  # fmt: skip


def _difference(run: Run, other: Run) -> str:
    known = _said(other)
    return ", ".join(words for words in _said(run) if words not in known) or "same settings"


def look(run: Run, row: Any) -> None:
    """How the matrices are drawn: which, in what order, in what colours."""
    orders = ORDERS if run.data.n_classes else {k: v for k, v in ORDERS.items() if k != "class"}
    without_labels("order", "class", "cluster", bool(run.data.n_classes))
    views = {"both": "W and W*", "change": "W* − W"}
    row.segmented_control("View", list(views), key="view", format_func=views.get, required=True)
    row.segmented_control("Order", list(orders), key="order", format_func=orders.get, required=True)
    row.segmented_control("Colour", ["linear", "log"], key="colour", required=True)


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
    """The pair or point marked in every view; the line is always there, so that nothing jumps."""
    state = st.session_state
    marked = 0 <= state.point < run.data.n_points
    if not marked:
        state.pair = None
    row = st.container(key="chosen", horizontal=True, vertical_alignment="center")
    row.markdown(_chosen_words(run) if marked else ":gray[No point is marked.]")
    row.button("Unmark", on_click=_unmark, disabled=not marked)


def _chosen_words(run: Run) -> str:
    point, pair = st.session_state.point, st.session_state.get("pair")
    if not pair or max(pair) >= run.data.n_points:
        return f"Point {point}{_class_of(run, point)} is marked in every view."
    i, j = pair
    w, star = run.before.W[i, j], run.after.W[i, j]
    return (
        f"Pair i = {i}{_class_of(run, i)}, j = {j}{_class_of(run, j)}:"
        f" w = {w:.4f}, w* = {star:.4f}."
    )


def _choose(i: int, j: int) -> None:
    st.session_state.pair, st.session_state.point = (i, j), i


def _unmark() -> None:
    st.session_state.point, st.session_state.pair = -1, None


def _class_of(run: Run, i: int) -> str:
    return (
        "" if run.data.labels is None else f" ({plain(run.data.class_names[run.data.labels[i]])})"
    )


def pin(run: Run) -> None:
    """Keep the present run as A; what comes after is B."""
    state = st.session_state
    st.button(
        "Pin as A", on_click=lambda: state.update(pinned=run),
        help="Keep this result and compare what you do next with it.",
    )  # fmt: skip
    st.button("Unpin", on_click=lambda: state.pop("pinned", None), disabled="pinned" not in state)


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


def _cell(value: float | None) -> str:
    return "<td>–</td>" if value is None else f"<td>{_figure(value)}</td>"


def _change(value: float | None, base: float | None, good: int) -> str:
    """A cell with the change, coloured where more is better (good = 1) or worse (−1)."""
    if value is None or base is None or not np.isfinite(value - base):
        return _cell(None)
    change = value - base
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
        cells = _cell(b) + _cell(a) + _change(a, b, good)
        if pinned:
            cells += _cell(p) + _change(a, p, good)
        lines.append(f"<td title='{escape(text, quote=True)}'>{name}</td>{cells}")
    q, p = _q(run), _q(pinned) if pinned else None
    cells = f"<td></td>{_cell(q)}<td></td>"
    if pinned:
        cells += _cell(p) + _change(q, p, -1)
    lines.append(f"<td title='{escape(_Q)}'>Q</td>{cells}")
    html_table(head, lines, "Metrics of W and W*")
    with st.popover("What the figures mean", type="tertiary"):
        said = [(name, text) for name, text, _ in ROWS[2 * st.session_state.hide :]]
        st.markdown("\n".join(f"- **{name}**: {plain(text)}" for name, text in (*said, ("Q", _Q))))
    _notes(run, pinned)


_Q = "Ncut* / Ncut, measured, with Ncut = η₂/η₁ of eq. 9: below 1 the dense stage helped, eq. 11."


def _q(run: Run) -> float | None:
    labels = run.after.labels if run.data.labels is None else run.data.labels
    value = _kept(run, "Q", lambda: analyse(run.before.W, run.after.W, labels).q)
    return None if np.isnan(value) else value


def _kept(run: Run, name: str, compute: Callable[[], T]) -> T:
    """Computed once for a run, and not at every move of something else."""
    return remember((name, run.data.digest, run.k, *run.settings.values()), compute)


def _not_converged(run: Run) -> list[str]:
    """What to tell of eigenvectors that are not exact; one sentence for W and W* where alike."""
    sides = {"W": run.before, "W*": run.after} if run.before is not run.after else {"W": run.after}
    said: dict[str, list[str]] = {}
    for name, side in sides.items():
        for text in filter(None, (side.spectrum.message, side.summary.conn.message)):
            said.setdefault(text, []).append(name)
    return [f"{' and '.join(names)}: {text}" for text, names in said.items()]


def _notes(run: Run, pinned: Run | None) -> None:
    notes = [f"CONN per cluster, Ncut, Q and similarity inside go by the {run.after.summary.by}."]
    if run.data.labels is None and not st.session_state.hide:
        notes.append("ACC and NMI need the true classes, which this data does not have.")
    for name, side in (("W", run.before), ("W*", run.after)):
        sizes = side.summary.component_sizes
        if len(sizes) > 1:
            notes.append(f"CONN of {name}, whole graph, is 0: it has {_parts(sizes, 'component')}.")
    notes += _apart(run) + _not_converged(run)
    if len(run.path.constant):
        notes.append(f"{len(run.path.constant)} samples have no variance, so no links.")
    if pinned:
        notes.append(f"A: {plain(pinned.data.name)}, {', '.join(_said(pinned))}.")
    t = run.seconds
    spectral = sum(took for stage, took in t.items() if stage.endswith(("spectrum", "side")))
    notes.append(
        f"Time: IMC (to Γ = {run.path.picks.shape[1]}): {_time(t['IMC'])}, dense stage:"
        f" {_time(t.get('dense', 0.0))}, spectral clustering and metrics: {_time(spectral)}."
    )
    st.caption("  \n".join(notes))


def _parts(sizes: NDArray[np.int64], what: str) -> str:
    some = ", ".join(map(str, sizes[:6])) + (" …" if len(sizes) > 6 else "")
    return f"{len(sizes)} {what}s, of {some} points"


def _apart(run: Run) -> list[str]:
    """A sentence where CONN inside the classes is 0; one for both where it is the same."""
    said: dict[str, list[str]] = {}
    for name, side in (("W", run.before), ("W*", run.after)):
        if side.summary.conn.min == 0:
            text = _kept(run, f"apart in {name}", partial(_pieces, run, side))
            said.setdefault(text, []).append(name)
    return [f"CONN of {' and '.join(names)} is 0 inside {text}." for text, names in said.items()]


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
    return f"{len(sizes)} of the {len(each)} {side.summary.by}: “{plain(str(names[worst]))}” {told}"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def embedding(run: Run) -> None:
    """What k-means sees, for W and W*; misplaced points are marked, a click chooses one."""
    state, data = st.session_state, run.data
    row = st.container(horizontal=True)
    row.segmented_control("Embedding", ["2-D", "3-D"], key="dims", required=True)
    dims = 3 if state.dims == "3-D" else 2
    paints = ["class", "cluster"] if data.n_classes else ["cluster"]
    without_labels("paint", "class", "cluster", bool(data.n_classes))
    row.segmented_control("Coloured by", paints, key="paint", required=True)
    sides, said = [("W", run.before), ("W*", run.after)], ""
    wrong = [np.zeros(data.n_points, bool)] * 2
    if data.labels is not None:
        wrong = [misplaced(data.labels, side.labels) for _, side in sides]
        said = f" {wrong[1].sum()} points, marked by crosses, are misplaced in W*."
    if data.labels is not None and state.paint == "class":
        groups, names = [data.labels] * 2, list(data.class_names)
    else:
        groups = [figures.alike(side.labels, run.after.labels) for _, side in sides]
        names = [f"cluster {c}" for c in range(1 + max(int(of.max()) for of in groups))]
    points(
        [
            Panel(
                f"Spectral embedding from {name}",
                figures.projection(s.spectrum, s.k, dims),
                bad,
                of,
            )
            for (name, s), bad, of in zip(sides, wrong, groups, strict=True)
        ],
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
            figures.eigenvalues(values, side.k, title), key=f"eigenvalues {name}",
            alt=f"{title}: {', '.join(f'{v:.3f}' for v in values[:8])} and so on.",
        )  # fmt: skip
    for text in _not_converged(run):
        st.warning(text, icon=":material/info:")
    if run.after.spectrum.regularised:
        st.caption(
            "The graph has more components than clusters, so weak links between all points were"
            " added before the eigenvectors were taken."
        )


def gallery(run: Run) -> None:
    """Pictures of each cluster; misplaced ones and the chosen one are framed, and come first."""
    data, point = run.data, st.session_state.point
    if data.images is None:
        st.info("This data has no pictures; load a .zip of images to see a gallery.")
        return
    none = np.zeros(data.n_points, bool)
    wrong = none if data.labels is None else misplaced(data.labels, run.after.labels)
    first = wrong | (np.arange(data.n_points) == point)
    zoom = max(1, 40 // data.images.shape[1])
    columns = st.columns(2)
    for c in range(run.k):
        members = np.flatnonzero(run.after.labels == c)
        order = members[np.argsort(~first[members], kind="stable")][:48]
        at = int(np.argmax(order == point)) if point in order else -1
        sheet = figures.contact_sheet(data.images[order], wrong[order], zoom=zoom, chosen=at)
        caption = f"Cluster {c}: {len(members)} points"
        if data.n_classes:
            bad = wrong[members].sum()
            caption += f", {bad} misplaced{' (orange frame)' * bool(bad)}"
        if at >= 0:
            caption += f"; point {point} is marked (blue frame)"
        if len(order) < len(members):
            caption += f"; {len(order)} shown"
        columns[c % 2].image(sheet, width="stretch", caption=caption, alt=f"Pictures. {caption}.")
