"""Share and keep: the address, labels, matrices, settings, figures, a script, the session."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.explore import papers
from pages.keep import session
from pages.keep.made import made_of
from pages.server.sessions import counted, problem_of
from pages.shared import loading
from pages.shared.settings import SETTINGS, chosen_rows
from sdsc_core import figures
from sdsc_core.datasets import KNOWN, SAMPLES, check_points, named, points_csv
from sdsc_core.figures.sizes import check_affinities, check_embedding
from sdsc_core.run import Run, Side
from sdsc_core.script import affinity_npz, check_npz, columns_of, notebook, script
from sdsc_core.session import ENDING, Session, check_session, write_session

MANY = 20_000  # points, from which on a file may be too large to make
TITLE = 60  # letters of a point's title beside its names
File = tuple[str, str, str, Callable[[], str | bytes]]


def show(run: Run) -> None:
    """A button for each file; a file is made when it is asked for."""
    _say_what_the_address_holds()
    columns = st.columns(4)
    kept = None if st.session_state.hide else session.gather()
    checks = _checks(run, kept)
    for i, (title, name, mime, make) in enumerate(_files(run, kept)):
        problem = problem_of(checks[name]) if name in checks else ""
        columns[i % 4].download_button(
            title, counted(make), name, mime, key=f"download {name}", on_click="ignore",
            width="stretch", disabled=bool(problem), help=problem or None,
        )  # fmt: skip
    st.caption(
        "A .png of the matrices: the PNG button above them. Charts have a camera button. The"
        " session holds your data, settings, runs and results: load it on the Data screen of any"
        " machine."
    )
    st.markdown("**Figures for papers**")
    papers.show(run)


def _checks(run: Run, kept: Session | None) -> dict[str, Callable[[], None]]:
    """What says of a file that it is too large to make; of few points none is."""
    checks: dict[str, Callable[[], None]] = {
        "W.npz": partial(check_npz, run.before.W),
        "W_star.npz": partial(check_npz, run.after.W),
    }
    if run.data.n_points > MANY:
        letters = TITLE + run.data.letters()
        checks["labels.csv"] = partial(check_points, run.data)
        checks["embedding.html"] = partial(check_embedding, run.data.n_points, 2, letters)
        checks["affinity.html"] = partial(check_affinities, [run.before.W, run.after.W], letters)
    if kept is not None:
        checks[f"session{ENDING}"] = partial(check_session, kept)
    return checks


def _files(run: Run, kept: Session | None) -> list[File]:
    """Title, name, type and maker of each.

    A file is made outside of this run, where the session's settings cannot be had.
    """
    matrix = partial(_matrix, run)
    state = st.session_state
    made = made_of(run)
    chosen = {name: state[name] for name in SETTINGS} | {"only": chosen_rows(state) or ""}
    chosen |= made.fitting() if made else {}
    load = load_lines(chosen["data"], state.get("read_as", {}))
    files: list[File] = [
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
        (
            "Notebook",
            "reproduce.ipynb",
            "application/x-ipynb+json",
            lambda: notebook(python_script(run, chosen, load)),
        ),
    ]
    if kept is None:  # hidden: these name the data, and the script computes the answers
        return [f for f in files if not f[1].startswith(("settings.", "reproduce."))]
    octets = "application/octet-stream"
    return [
        *files,
        (f"Session ({ENDING})", f"session{ENDING}", octets, lambda: write_session(kept)),
    ]


def _say_what_the_address_holds() -> None:
    if st.session_state.only.startswith("~"):
        st.markdown(
            "**The address of this page holds all settings but the selected points**, which are too"
            " many for it: send somebody the session file, and they see the same."
        )
        return
    st.markdown(
        "**The address of this page holds all settings**, the seed included: send it to somebody, "
        + (
            "and they see the same."
            if loading.everywhere(st.session_state.data)
            else "and the data file, which it cannot hold, nor how that is read: the script says"
            " it. Or send the session file, which holds all."
        )
    )


def _matrix(run: Run, side: Side) -> bytes:
    return affinity_npz(side.W, columns_of(run))


def point_titles(run: Run) -> list[str]:
    """All that is known of each point, in a line."""
    names, of = run.data.class_names, run.data.labels
    return [
        title
        + (f", class {names[of[k]]}" if of is not None else "")
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
    if found := named(name):
        return f"data = {found.script}"
    file, choices, fill = read_as.get(name, (name, {}, ""))
    given = "".join(f", {k}={v!r}" for k, v in choices.items() if v not in (None, "auto", []))
    load = f"data = datasets.load({file!r}{given})  # where your file is"
    return load + (f"\ndata = datasets.fill_missing(data, {fill!r})" if fill else "")


def python_script(run: Run, chosen: dict[str, Any], load: str) -> str:
    """The run again, with sdsc_core alone."""
    values = {
        name: chosen[name] for name in ("scattering", "unit", "centre", "standardise", "draw")
    }
    values |= {name: chosen[name] or None for name in ("classes", "each")}
    values["only"] = repr(chosen["only"] or None)
    values["pca"] = run.data.n_features if chosen["pca"] >= 2 else None
    return script(run.settings, values, load=load)
