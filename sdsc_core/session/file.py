"""A session as a file: a zip archive of one JSON text and plain NumPy arrays, nothing else.

``session.json`` comes first; it holds the version, all settings as an address spells them, how each
data set was read, the runs, and what screens hand over. The arrays lie beside it as .npy, so that
`numpy.load` opens the file too. Nothing is ever pickled. A file comes from anybody: its headers are
checked against `Limits` before memory is taken, and the app reads it in a process of its own.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core._version import __version__
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.limits import OWN, Limits, megabytes
from sdsc_core.datasets.safe import (
    BadFile,
    check_limit,
    npz_container,
    quoted,
    reading,
)
from sdsc_core.memory import check_memory

ENDING = ".sdsc"
FORMAT = "SDSC Explorer session"
VERSION = 1
WORDS = "session.json"
LONGEST_WORDS = 20_000_000  # bytes of JSON in a file
MOST_VALUES = 2_000_000  # values of JSON: as objects each takes some seventy bytes
DEEPEST = 30  # lists within lists
LONGEST_TEXT = 10_000  # letters of a name or a note
MOST_SETS = 50
SMALL = 2_000_000  # bytes of its words, and what packing takes
KINDS = "biufU"  # of arrays: plain numbers and text
ARRAYS = {"X": "f8", "labels": "i8", "images": "u1", "rows": "i8", "identifiers": "U"}
TEXTS = ("name", "note", "kind")
NAMES = ("class_names", "feature_names")
FILLS = ("", "mean", "drop")  # what `fill_missing` takes, or nothing


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _is_column(value: Any) -> bool:
    """A name or number, False for none."""
    return value is None or isinstance(value, int) or _is_text(value)


def _are_columns(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(_is_text(v) or type(v) is int for v in value)


# The arguments of `load` that say how a file is read, and what each may be.
READING: dict[str, Callable[[Any], bool]] = {
    "x": lambda value: value is None or _is_text(value),
    "y": lambda value: value is None or isinstance(value, bool) or _is_text(value),
    "transpose": lambda value: value is None or isinstance(value, bool),
    "header": lambda value: isinstance(value, bool) or value == "auto",
    "label_column": _is_column,
    "id_column": _is_column,
    "ignore": _are_columns,
    "features": _are_columns,
}
ReadAs = tuple[str, dict[str, Any], str]  # the file, the arguments of `load`, how gaps were filled


class Part(NamedTuple):
    """What a screen hands over: words that JSON can hold, and arrays by their names."""

    words: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]] = {}


@dataclass(frozen=True)
class Session:
    """All of it: data sets by name and how they were read, settings, runs, parts of screens."""

    sets: Mapping[str, Dataset] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    read_as: Mapping[str, ReadAs] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)
    version: str = __version__  # of the program that wrote it


def write_session(session: Session) -> bytes:
    """The bytes of the file.

    >>> from sdsc_core.datasets import make_subspaces
    >>> made = Session({"mine.csv": make_subspaces(2, 2, 5, 4)}, {"data": "mine.csv", "gamma": "3"})
    >>> again = read_session(io.BytesIO(write_session(made)), name="mine.sdsc")
    >>> again.settings["gamma"], again.sets["mine.csv"].digest == made.sets["mine.csv"].digest
    ('3', True)
    """
    arrays: dict[str, NDArray[Any]] = {}
    sets = []
    for number, (name, data) in enumerate(session.sets.items()):
        told: dict[str, Any] = {text: getattr(data, text) for text in (*TEXTS, *NAMES)}
        kept = {a: getattr(data, a) for a in ARRAYS if getattr(data, a) is not None}
        arrays |= {f"sets/{number}/{a}": array for a, array in kept.items()}
        read = session.read_as.get(name)
        sets.append({"called": name, **told, "arrays": list(kept), "read_as": read})
    for part, (_, own) in session.parts.items():
        arrays |= {f"parts/{part}/{name}": array for name, array in own.items()}
    words = {
        "format": FORMAT, "version": VERSION, "program": session.version, "sets": sets,
        "settings": dict(session.settings), "history": list(session.history),
        "parts": {part: own.words for part, own in session.parts.items()},
    }  # fmt: skip
    check_session(session)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(WORDS, json.dumps(words, ensure_ascii=False, indent=1))
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def check_session(session: Session) -> None:
    """`TooLarge` where `write_session` would take more memory than may be used.

    >>> check_session(Session())
    """
    kept = [getattr(data, name) for data in session.sets.values() for name in ARRAYS]
    kept += [array for part in session.parts.values() for array in part.arrays.values()]
    size = sum(array.nbytes for array in kept if array is not None)
    # The file, and once more as bytes.
    check_memory(2 * size + SMALL, "A file of this session", None, instead="remove data sets first")


def recognise(start: bytes, name: str) -> str:
    """What a file is by its first bytes and its name: "session", "settings" or neither ("").

    >>> recognise(write_session(Session()), "renamed.zip"), recognise(b'{"settings": 0}', "s.json")
    ('session', 'settings')
    """
    ending = Path(name).suffix.lower()
    of_session = start[:4] == b"PK\x03\x04" and start[30:].startswith(WORDS.encode())
    if of_session or ending == ENDING:
        return "session"
    return "settings" if ending == ".json" else ""


def read_session(source: Any, *, name: str = "", limits: Limits = OWN) -> Session:
    """The session in a file, by its path or open; `sdsc_core.datasets.apart.session` for others'.

    Raises ValueError with a sentence for anything that `write_session` cannot have written.
    """
    label = repr(quoted(Path(name or str(getattr(source, "name", source))).name, 100))
    if isinstance(source, str | Path):
        with open(source, "rb") as file:
            return build(*read_parts(file, label, limits), label, limits)
    return build(*read_parts(source, label, limits), label, limits)


def read_parts(
    file: IO[bytes], label: str, limits: Limits
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The words and all arrays of a file, each checked before it is read, unconnected as yet."""
    with reading(label, "a session"):
        container = npz_container(file, label, limits)
        try:
            with zipfile.ZipFile(file) as archive:
                words = _words(archive, label)
            total = sum(8 * variable.size for variable in container.variables)
            if total > limits.memory:
                raise BadFile(
                    f"{label} would take {megabytes(total)}; at most {megabytes(limits.memory)}"
                    " are read."
                )
            arrays = {variable.name: container.read(variable) for variable in container.variables}
        finally:
            container.close()
    return words, arrays


def _words(archive: zipfile.ZipFile, label: str) -> dict[str, Any]:
    try:
        info = archive.getinfo(WORDS)
    except KeyError:
        raise BadFile(f"{label} is no session: it holds no {WORDS}.") from None
    if info.file_size > LONGEST_WORDS:
        raise BadFile(f"{label} holds {megabytes(info.file_size)} of words, too many.")
    with archive.open(info) as member:
        return parse_words(member.read(LONGEST_WORDS), label)


def parse_words(text: bytes, label: str) -> dict[str, Any]:
    """JSON of an object, or one sentence where it is none, or of too many values, or too deep."""
    if sum(map(text.count, (b",", b"[", b"{"))) > MOST_VALUES:  # each begins a value
        raise BadFile(f"The words in {label} are too many; download it again.")
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFile(f"The words in {label} are damaged; download it again.") from None
    if not isinstance(words, dict):
        raise BadFile(f"The words in {label} are not what this program writes.")
    level: list[Any] = [words]
    for _ in range(DEEPEST):
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [value for values in inside for value in values if isinstance(value, dict | list)]
    if level:
        raise BadFile(f"The words in {label} are not what this program writes.")
    return words


def read_settings_file(text: bytes, label: str) -> dict[str, Any]:
    """The settings in a ``settings.json`` as they stand there; the caller checks each.

    >>> read_settings_file(b'{"settings": {"gamma": 5}}', "it")
    {'gamma': 5}
    """
    found = parse_words(text, label).get("settings")
    if not isinstance(found, dict):
        raise BadFile(f"{label} holds no settings; give the settings.json of a download.")
    return found


def build(
    words: dict[str, Any], arrays: dict[str, NDArray[Any]], label: str, limits: Limits
) -> Session:
    """The session of words and arrays, if each is what it should be; else one sentence."""
    if words.get("format") != FORMAT:
        raise BadFile(f"{label} is no session of this program.")
    version = words.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise BadFile(
            f"{label} is of version {quoted(version)} of the format, and this program reads"
            f" {VERSION}; use the program that wrote it, {quoted(words.get('program'))}, or newer."
        )
    try:
        sets, read_as = {}, {}
        if len(words["sets"]) > MOST_SETS:
            raise BadFile(f"{label} holds {len(words['sets']):,} data sets; {MOST_SETS} are read.")
        for number, told in enumerate(words["sets"]):
            name = _text(told["called"])
            sets[name] = data = _dataset(told, arrays, f"sets/{number}/")
            classes = f"{quoted(name)} in {label} has {data.n_classes:,} classes"
            check_limit(classes, data.n_classes, limits, "classes")
            if told["read_as"] is not None:
                read_as[name] = _reading(told["read_as"], label)
        settings = {_text(k): _text(v, LONGEST_WORDS) for k, v in _dict(words["settings"]).items()}
        history = tuple(map(_dict, words["history"]))
        parts = {}
        for part, own in _dict(words["parts"]).items():
            start = f"parts/{part}/"
            inside = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            parts[part] = Part(_dict(own), inside)
        return Session(sets, settings, read_as, history, parts, _text(words["program"]))
    except BadFile:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadFile(
            f"{label} does not hold together: its words do not go with its arrays; download it"
            " again."
        ) from error


def _dataset(told: Any, arrays: dict[str, NDArray[Any]], start: str) -> Dataset:
    own: dict[str, Any] = {"labels": None} | {a: arrays[start + a] for a in told["arrays"]}
    for name, array in own.items():  # a KeyError for any other name
        if array is not None and not array.dtype.str[1:].startswith(ARRAYS[name]):
            raise TypeError
    words: dict[str, Any] = {name: _text(told[name]) for name in TEXTS}
    words |= {name: tuple(map(_text, told[name])) for name in NAMES}
    return Dataset(**words, **own)


def _reading(told: Any, label: str) -> ReadAs:
    """How a set was read; a script repeats it word by word, so no word but a known one."""
    file, choices, fill = told
    if fill not in FILLS or not all(
        name in READING and READING[name](value) for name, value in _dict(choices).items()
    ):
        raise BadFile(
            f"{label} says that a data set was read in a way that this program does not know;"
            " download it again."
        )
    return _text(file), choices, fill


def _text(value: Any, most: int = LONGEST_TEXT) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise TypeError
    return value


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value
