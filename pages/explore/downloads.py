"""Share and keep: the address, labels, matrices, settings, figures, and a script."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.server.sessions import counted, problem_of
from pages.shared.settings import SETTINGS
from sdsc_core import figures
from sdsc_core.datasets import KNOWN, SAMPLES, points_csv
from sdsc_core.run import Run, Side
from sdsc_core.script import affinity_npz, check_npz, columns_of, script


def show(run: Run) -> None:
    """A button for each file; a file is made when it is asked for."""
    sample = st.session_state.data in SAMPLES
    st.markdown(
        "**The address of this page holds all settings**, the seed included: send it to somebody, "
        + (
            "and they see the same."
            if sample
            else "and the data file, which it cannot hold; the script says how to read it."
        )
    )
    # A file is made outside of this run, where the session's settings cannot be had.
    matrix = partial(_matrix, run)
    chosen = {name: st.session_state[name] for name in SETTINGS}
    load = load_lines(chosen["data"], st.session_state.get("read_as", {}))
    files: list[tuple[str, str, str, Callable[[], str | bytes]]] = [
        ("Labels (.csv)", "labels.csv", "text/csv", lambda: labels_csv(run)),
        ("W (.npz)", "W.npz", "application/octet-stream", lambda: matrix(run.before)),
        ("W* (.npz)", "W_star.npz", "application/octet-stream", lambda: matrix(run.after)),
        (
            "Settings (.json)",
            "settings.json",
            "application/json",
            lambda: settings_json(run, chosen, load),
        ),
        (
            "Affinity (.html)",
            "affinity.html",
            "text/html",
            lambda: affinity_html(run, chosen["order"]),
        ),
        ("Embedding (.html)", "embedding.html", "text/html", lambda: embedding_html(run)),
        (
            "Python script",
            "reproduce.py",
            "text/x-python",
            lambda: python_script(run, chosen, load),
        ),
    ]
    if st.session_state.hide:  # these two name the data, and the script computes the answers
        files = [f for f in files if f[1] not in ("settings.json", "reproduce.py")]
    columns = st.columns(4)
    large = {"W.npz": run.before.W, "W_star.npz": run.after.W}
    for i, (title, name, mime, make) in enumerate(files):
        problem = problem_of(partial(check_npz, large[name])) if name in large else ""
        columns[i % 4].download_button(
            title, counted(make), name, mime, key=f"download {name}", on_click="ignore",
            width="stretch", disabled=bool(problem), help=problem or None,
        )  # fmt: skip
    st.caption("A .png of the matrices: the PNG button above them. Charts have a camera button.")


def _matrix(run: Run, side: Side) -> bytes:
    return affinity_npz(side.W, columns_of(run))


def point_titles(run: Run) -> list[str]:
    """All that is known of each point, in a line."""
    classes = columns_of(run).get("class")
    return [
        title
        + (f", class {classes[k]}" if classes is not None else "")
        + f", cluster {run.before.labels[k]} of W, {run.after.labels[k]} of W*"
        for k, title in enumerate(run.data.titles())
    ]


def labels_csv(run: Run) -> str:
    """Row of the file, identifier, class and clusters of each point."""
    return points_csv(run.data, run.before.labels, run.after.labels)


def settings_json(run: Run, chosen: dict[str, Any], load: str) -> str:
    """Every setting, how the data is loaded, and the figures they gave."""
    a = run.after.summary
    result = {"ACC": a.acc, "NMI": a.nmi, "CONN": a.conn.whole, "Ncut": a.ncut, "k": run.n_clusters}
    kept = {"settings": chosen, "data": run.data.name, "loaded by": load, "result": result}
    points = [chosen["point"], *(chosen["pair"] or ())]
    titles = point_titles(run)
    kept["points"] = [titles[p] for p in dict.fromkeys(points) if 0 <= p < len(titles)]
    return json.dumps(kept, indent=2, ensure_ascii=False)


def affinity_html(run: Run, order: str) -> str:
    """W and W* as heat maps that need no server."""
    points = figures.ordering(order, run.data.labels, run.after.labels)
    sides = [("W (IMC)", run.before.W), (f"W* ({run.settings.dense or 'none'})", run.after.W)]
    return figures.affinities(sides, points, point_titles(run)).to_html()


def embedding_html(run: Run) -> str:
    """The embedding in 2-D."""
    sides = [("W", run.before), ("W*", run.after)]
    return figures.embedding(
        [(name, figures.projection(s.spectrum, s.k, 2)) for name, s in sides],
        [figures.match_clusters(s.labels, run.after.labels) for _, s in sides],
        [f"cluster {c}" for c in range(max(run.n_clusters, run.before.k))],
        titles=point_titles(run),
    ).to_html()


def load_lines(name: str, read_as: dict[str, tuple[str, dict[str, Any], str]]) -> str:
    """The lines of a script that load a data set as it was loaded here.

    ``read_as`` has the file, the arguments of `load` and the filling of data sets by their names.
    """
    if name in SAMPLES:
        return f"data = datasets.sample({name!r})"
    if name in KNOWN:
        return f"data = datasets.load_known({name!r})"
    file, choices, fill = read_as.get(name, (name, {}, ""))
    given = "".join(f", {k}={v!r}" for k, v in choices.items() if v not in (None, "auto", []))
    load = f"data = datasets.load({file!r}{given})  # where your file is"
    return load + (f"\ndata = datasets.fill_missing(data, {fill!r})" if fill else "")


def python_script(run: Run, chosen: dict[str, Any], load: str) -> str:
    """The run again, with sdsc_core alone."""
    values = {name: chosen[name] for name in ("scattering", "unit", "centre", "draw")}
    values |= {name: chosen[name] or None for name in ("classes", "each")}
    values["pca"] = run.data.n_features if chosen["pca"] >= 2 else None
    return script(run.settings, values, load=load)
