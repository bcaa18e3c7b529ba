"""How a file is read: its variables, orientation, header, and what is missing in it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from pages.data import roles
from pages.keep import session
from pages.shared import loading
from pages.shared.loading import Draft
from pages.shared.text import escape_markdown
from sdsc_core.datasets import ColumnProblem, Dataset, Variable, apart, fill_missing
from sdsc_core.session import read_settings_file, recognise

TABLES = (".csv", ".tsv")
MOST_SETTINGS = 5_000_000  # bytes
AUTOMATIC, NONE = "automatic", "none"
ORIENTATIONS = {AUTOMATIC: None, "in rows": False, "in columns": True}
HEADERS = {AUTOMATIC: "auto", "names": True, "data": False}
FILLS = {"mean": "Fill with the mean of the feature", "drop": "Drop these samples"}
FILLED = {"mean": "filled with the mean of their feature", "drop": "dropped with their samples"}


def panel() -> None:
    """The file chosen last, how it is read, and what is wrong with it, until other data is used."""
    state = st.session_state
    draft: Draft | None = state.get("draft")
    if draft is None or state.get("draft_name") not in (None, state.data):
        return
    if what := _recognised(draft):
        _restore(draft, what)
        return
    with st.container(border=True):
        st.markdown(f"**How {escape_markdown(draft.file)} is read**")
        data, problem = _read(draft)
        if problem:
            st.error(f"{escape_markdown(problem)} {_what_stays()}", icon=":material/error:")
            if state.draft_name is None:
                st.button("Set this file aside", on_click=loading.set_aside)
        elif data is not None:
            st.caption(f"Read as {_size(data)}")


def _recognised(draft: Draft) -> str:
    """Whether a file holds a session or settings rather than data, by its content.

    A file of the server's folder may be gone by now: whoever reads it says so, if it is still read.
    """
    if isinstance(draft.source, Path):
        try:
            with draft.source.open("rb") as file:
                start = file.read(64)
        except OSError:
            return ""
    else:
        draft.source.seek(0)
        start = draft.source.read(64)
    return recognise(start, draft.file)


def _restore(draft: Draft, what: str) -> None:
    """Put back what a session or settings file holds, once, and say what that was."""
    state = st.session_state
    if state.get("restored", ("",))[0] != draft.key:
        if what == "session":
            found, problem = loading.read_once("parsed", draft.key, draft, apart.session)
        else:
            found, problem = loading.once("parsed", draft.key, lambda: _settings(draft))
        if not problem:
            try:
                said = session.restore(found) if what == "session" else session.settle(found)
            except ValueError as error:
                problem = str(error)
        if problem:
            st.error(f"{escape_markdown(problem)} {_what_stays()}", icon=":material/error:")
            st.button("Set this file aside", on_click=loading.set_aside)
            return
        state.restored, state.parsed = (draft.key, said), (draft.key, None, "")
        st.rerun()
    st.success(
        f"{escape_markdown(draft.file)} was loaded: {state.restored[1]}.", icon=":material/history:"
    )


def _settings(draft: Draft) -> dict[str, str]:
    """What a settings.json says; it is small, and JSON is read without anybody's code."""
    text = draft.source.read_bytes() if isinstance(draft.source, Path) else draft.source.getvalue()
    if len(text) > MOST_SETTINGS:
        raise ValueError(f"“{draft.file}” is too large for a file of settings.")
    return session.settings_of(read_settings_file(text, f"“{draft.file}”"))


def _what_stays(how: str = "as it was") -> str:
    name = st.session_state.data
    return f"“{escape_markdown(loading.title(name))}” stays {how}." if loading.present(name) else ""


def _size(data: Dataset) -> str:
    classes = f", {data.n_classes:,} classes" if data.n_classes else ""
    return f"{data.n_points:,} points in {data.n_features:,} dimensions{classes}."


def _read(draft: Draft) -> tuple[Dataset | None, str]:
    """The data set by the choices on the screen, taken into the session when it is new."""
    ending = Path(draft.file).suffix.lower()
    choices, problem = _choices(draft, ending)
    if problem:
        return None, problem
    key = (draft.key, str(choices))
    data, problem = loading.read_once("parsed", key, draft, _load, **choices)
    if data is None:
        return None, problem
    fill = _missing(draft, data)
    if fill is None:
        return None, ""
    final, problem = loading.once("filled", (*key, fill), lambda: _finish(data, fill))
    state = st.session_state
    if final is not None and (state.draft_name is None or state.taken != (*key, fill)):
        name = state.draft_name or loading.free_name(draft.file, final)
        state.draft_name, state.taken = name, (*key, fill)
        state.setdefault("read_as", {})[name] = (draft.file, choices, fill)
        loading.take(name, replace(final, name=name))
        st.rerun()
    return final, problem


def _load(source: Any, **options: Any) -> Dataset:
    try:
        return apart.load(source, **options)
    except ColumnProblem as problem:
        what = f"{problem.what}; correct it in the file, or choose another role for the column."
        raise ValueError(what) from None


def _finish(data: Dataset, fill: str) -> Dataset:
    """What is taken: complete, and fit for the methods."""
    if not fill:
        return loading.check(data)
    found = loading.described(data)
    sentence = f"{found.missing:,} missing values were {FILLED[fill]}."
    return loading.check(loading.noted(fill_missing(data, fill), sentence))


def _choices(draft: Draft, ending: str) -> tuple[dict[str, Any], str]:
    """Arguments of `load` from the widgets, or why the file cannot be looked into."""
    if ending in TABLES:
        return _table_choices(draft)
    variables, problem = _variables_of(draft)
    if problem or ending == ".zip":
        return {}, problem
    tables = [v for v in variables if v.is_number and len(v.shape) in (2, 3) and min(v.shape) > 1]
    lists = [v for v in variables if v.size == max(v.shape, default=0) > 1]
    spots = iter(st.columns(3))
    x = _variable(next(spots), draft, "Samples X", tables) if len(tables) > 1 else None
    y = _variable(next(spots), draft, "Labels", lists, NONE) if lists else None
    transpose = _orientation(next(spots), draft)
    return {"x": x, "y": False if y == NONE else y, "transpose": transpose}, ""


def _table_choices(draft: Draft) -> tuple[dict[str, Any], str]:
    left, right = st.columns(2)
    header = HEADERS[
        left.selectbox(
            "The first row holds", list(HEADERS), key=f"header {draft.key}",
            persist_state="session",
        )
    ]  # fmt: skip
    transpose = _orientation(right, draft)
    choices, problem = roles.choose(draft, header, transpose)
    return {"header": header, "transpose": transpose, **choices}, problem


def _variables_of(draft: Draft) -> tuple[list[Variable], str]:
    return loading.read_once("looked", draft.key, draft, apart.inspect)


def _variable(spot: Any, draft: Draft, title: str, found: list[Variable], *more: str) -> str | None:
    """A variable by its name; None leaves it to the reader."""
    shapes = {v.name: f"{v.name} ({' × '.join(map(str, v.shape))})" for v in found}
    options = [AUTOMATIC, *more, *shapes]
    chosen = spot.selectbox(
        title, options, format_func=lambda name: shapes.get(name, name),
        key=f"{title} {draft.key}", persist_state="session",
    )  # fmt: skip
    return None if chosen == AUTOMATIC else chosen


def _orientation(spot: Any, draft: Draft) -> bool | None:
    chosen = spot.selectbox(
        "Samples are", list(ORIENTATIONS), key=f"orientation {draft.key}", persist_state="session",
        help="Automatic: the side that is as long as the labels, and rows without labels.",
    )  # fmt: skip
    return ORIENTATIONS[chosen]


def _missing(draft: Draft, data: Dataset) -> str | None:
    """What is done about missing values: "" where there are none, None until it is chosen."""
    found = loading.described(data)
    if not found.missing:
        return ""
    spot = st.container()
    how = st.segmented_control(
        "Missing values", list(FILLS), format_func=FILLS.__getitem__, default=None,
        key=f"missing {draft.key}", persist_state="session",
    )  # fmt: skip
    words = (
        f"{found.missing:,} values are missing or infinite, in {found.incomplete:,} of"
        f" {data.n_points:,} samples."
    )
    if how is not None:
        spot.markdown(words)
        return how
    spot.warning(
        f"{words} The methods need complete data: choose what to do."
        f" {_what_stays('in use until then')}",
        icon=":material/rule:",
    )
    return None
