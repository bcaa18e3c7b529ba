"""Where data comes from: samples, an upload, a folder of the server, known sets, numbers."""

import os
from pathlib import Path

import streamlit as st

from pages.data import making
from pages.shared import loading
from pages.shared.loading import Draft
from pages.shared.run import ProgressBar
from pages.shared.stop import heed_stop
from pages.shared.text import escape_markdown
from sdsc_core.blocks import watched
from sdsc_core.datasets import (
    FORMATS,
    KNOWN,
    SAMPLES,
    Limits,
    file_in,
    files_in,
    known_file,
    load_known,
)
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.session import ENDING

FORMAT_HELP = """
- **.csv, .tsv**: a table, a sample a row, cells parted by commas, semicolons, tabs or spaces; what
  each column is for is guessed, and a click changes it
- **.npy**: an array, a sample a row
- **.npz, .mat** (up to 7 and 7.3): `X` or `fea` with the samples, `y`, `gnd` or `s` with the
  classes; `image_shape` makes pictures of the rows
- **.zip**: pictures, in a folder for each class; photographs of several sizes, or large ones, are
  scaled to 64 pixels at the longer side
- **.sdsc**: a session that was downloaded on Explore, with its data; **settings.json** likewise,
  without data
"""
SOURCES = ("Samples", "Upload a file", "Folder of the server", "Known sets", "Make subspaces")
OPEN_A_FOLDER = "Whoever runs the server opens one with `sdsc app --data DIR`."


def show() -> None:
    """The five sources; what one of them gives becomes the current data set."""
    samples, upload, folder, known, made = st.tabs(SOURCES, default=_first())
    with samples:
        _samples()
    with upload:
        _upload()
    with folder:
        _folder()
    with known:
        _known()
    with made:
        making.show()


def _first() -> str:
    """The source to begin with: what brings the data of the address where that is not here."""
    state = st.session_state
    if "first_source" not in state:  # kept, as another one would take a tab from under one's eyes
        absent = not loading.present(state.data)
        where = "Known sets" if state.data in KNOWN else "Upload a file"
        state.first_source = where if absent else "Samples"
    return state.first_source


def _samples() -> None:
    for i, (name, sample) in enumerate(SAMPLES.items()):
        if i % 4 == 0:
            columns = st.columns(4)
        with columns[i % 4]:
            st.button(
                sample.title,
                key=f"sample {name}",
                type="primary" if name == st.session_state.data else "secondary",
                on_click=loading.use,
                args=(name,),
                width="stretch",
            )
            st.caption(sample.sentence)


def _upload() -> None:
    st.file_uploader(
        f"A file: {', '.join(FORMATS[:-1])}, or a {FORMATS[-1]} of pictures in class folders; or a"
        f" session ({ENDING}) or settings.json",
        key="upload",
        on_change=_uploaded,
        help=FORMAT_HELP,
    )
    st.caption(
        "The file stays in the memory of this server, for you alone, while this tab is open."
        f" {Limits.of_server().sentence()}"
    )


def _uploaded() -> None:
    file = st.session_state.upload
    if file is None:
        loading.set_aside()
    else:
        loading.choose(Draft(file.name, file, file.file_id))


def _folder() -> None:
    folder = os.environ.get(FOLDER_VARIABLE, "")
    try:
        names = files_in(folder) if folder else []
    except ValueError:
        st.info(f"The folder that was opened is not there any more. {OPEN_A_FOLDER}")
        return
    if not names:
        state = (
            "The open folder holds no file that can be read." if folder else "No folder is open."
        )
        st.info(f"{state} {OPEN_A_FOLDER}", icon=":material/folder_off:")
        return
    if st.session_state.setdefault("file", None) not in names:
        st.session_state.file = None
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    left.selectbox(
        "File", names, index=None, key="file", placeholder="Choose a file", persist_state="session",
        help="Data files in the folder that whoever runs the server has opened, and one level"
        " below.",
    )  # fmt: skip
    right.button(
        "Load", key="load file", on_click=_opened, disabled=st.session_state.file is None,
        type="primary", width="stretch",
    )  # fmt: skip
    if problem := st.session_state.pop("folder_problem", ""):
        st.error(escape_markdown(problem), icon=":material/error:")


def _opened() -> None:
    state = st.session_state
    try:
        path = file_in(os.environ.get(FOLDER_VARIABLE, ""), state.file)
    except ValueError as problem:
        state.folder_problem = str(problem)
        return
    changed = path.stat()
    loading.choose(Draft(Path(state.file).name, path, f"{path} {changed.st_mtime_ns}"))


def _known() -> None:
    state = st.session_state
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    name = left.radio(
        "Data set", list(KNOWN), key="known", format_func=loading.title,
        captions=[f"{known.sentence} {_where(name)}" for name, known in KNOWN.items()],
        persist_state="session", on_change=lambda: state.update(known_problem=""),
    )  # fmt: skip
    out_of_reach = known_file(name) is None and KNOWN[name].openml is None
    right.button(
        "Load", key="load known", type="primary", width="stretch", disabled=out_of_reach,
        on_click=lambda: state.update(fetch=name, known_problem=""),
    )  # fmt: skip
    spot = st.empty()
    if wanted := state.pop("fetch", None):
        _fetch(wanted, spot)
    if state.get("known_problem"):
        st.error(escape_markdown(state.known_problem), icon=":material/error:")


def _where(name: str) -> str:
    known = KNOWN[name]
    if known_file(name):
        return "It is in the folder of the server."
    if known.openml:
        return f"It comes from OpenML, about {known.download / 1000:.0f} MB."
    return (
        f"It is not here: put into the folder of the server {escape_markdown(known.get)}."
        f" {OPEN_A_FOLDER}"
    )


def _fetch(name: str, spot: "st.delta_generator.DeltaGenerator") -> None:
    """Load a known set with progress; a press of Stop ends this run, and nothing has changed."""
    here = known_file(name) is not None
    kilobytes = "" if here else " from OpenML, kB"
    bar = ProgressBar(f"{KNOWN[name].title}{kilobytes}", spot, on_stop=lambda: None)
    with st.spinner(f"{'Reading' if here else 'Fetching'} {KNOWN[name].title} …"):
        try:
            with heed_stop(lambda: None):
                data = watched(lambda tell: load_known(name, progress=tell), bar)
        except (ValueError, MemoryError) as problem:
            spot.empty()
            memory = "There is not enough memory for this set on the server."
            st.session_state.known_problem = str(problem) if str(problem) else memory
            return
    loading.set_aside()
    loading.take(name, data)
    st.rerun()
