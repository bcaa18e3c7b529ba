"""From a file to a `Dataset`: finds the samples, the labels and the pictures in it."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.columns import Choice, Column, table_columns, table_content
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.kinds import check_ending, ending_of, what_it_is
from sdsc_core.datasets.limits import OWN, Limits, megabytes
from sdsc_core.datasets.matlab import mat_container
from sdsc_core.datasets.pictures import Pictures, picture_variables, read_pictures
from sdsc_core.datasets.safe import (
    BadFile,
    Container,
    Variable,
    check_limit,
    npy_container,
    npz_container,
    quoted,
    reading,
)
from sdsc_core.datasets.tables import Header, Table, read_table, table_variables
from sdsc_core.datasets.variables import find_labels, find_names, find_samples, left_out, sides

Source = str | Path | bytes | IO[bytes]

ARRAYS: dict[str, tuple[str, Callable[[IO[bytes], str, Limits], Container]]] = {
    ".npy": ("a NumPy array", npy_container),
    ".npz": ("a NumPy archive", npz_container),
    ".mat": ("a MATLAB file", mat_container),
}
MAPPED = {".npy": ("a NumPy array", partial(npy_container, mapped=True))}
TEXTS = (".txt", ".data", ".dat", ".tab", ".asc", ".prn")
FORMATS = (".csv", ".tsv", *ARRAYS, ".zip")


class Found(NamedTuple):
    """What a file holds, with its labels as they are, and a sentence on where it was found."""

    X: NDArray[np.float64]
    labels: NDArray | None
    how: str
    images: NDArray | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # sentences on what was guessed
    rows: NDArray[np.int64] | None = None
    identifiers: NDArray[np.str_] | None = None
    feature_names: tuple[str, ...] = ()
    kind: str = "other"


def load(
    path: Source,
    *,
    x: str | None = None,
    y: str | bool | None = None,
    transpose: bool | None = None,
    header: Header = "auto",
    label_column: str | int | bool | None = None,
    id_column: str | int | bool | None = None,
    ignore: Sequence[str | int] = (),
    features: Sequence[str | int] = (),
    name: str | None = None,
    limits: Limits = OWN,
    mapped: bool = False,
) -> Dataset:
    """Read a data set from .csv, .tsv, .npy, .npz, .mat or a .zip of pictures in class folders.

    Parameters
    ----------
    path : a path, an open binary file, or the bytes of one; its ``name``, or the argument ``name``,
        tells the format, and without either the first bytes do: what is no known kind is a table
    x, y : in .npz and .mat, the variables with the samples and the labels. By default the usual
        names (X, fea, data, …; y, label, gnd, s, …), of the training part where there are parts,
        else the largest array. Labels may be one-hot. ``y=False``: no labels
    transpose : True if samples are columns, or in three dimensions pictures (h, w, N). By default
        the axis as long as the labels is the samples, and without labels the first
    header, label_column : in a table, whether the first row holds names; name or number of the
        column, "last" or False. By default one of the usual names, or the only text of few values
    id_column : likewise the column that names the samples. By default one that cannot be a
        measurement: text that differs in every row, or numbers that count the rows
    ignore, features : columns to leave out, and columns to take whatever they look like
    limits : how much is read, `OWN` by default; files from others deserve `Limits()`
    mapped : float64 of a .npy file, given by its path, stays on the disk, however much it is, and
        is read where it is used; the file must not change meanwhile

    Numbers stay as they are and missing ones are NaN, see `fill_missing`. A variable
    ``image_shape`` (h, w) says that a row is a picture, row by row. Three dimensions with the
    labels along the second are tracks (coordinate, point, frame), as in Hopkins 155.

    >>> data = load(b"a,b,label\\n1,2,cat\\n3,4,dog\\n", name="pets.csv")
    >>> data.X.tolist(), data.labels.tolist(), data.class_names
    ([[1.0, 2.0], [3.0, 4.0]], [0, 1], ('cat', 'dog'))
    """
    with _opened(path, name, limits) as (file, file_name, label):
        ending = Path(file_name).suffix.lower()
        check_ending(file, ending, label)
        chosen = {"x": x, "y": y}, Choice(label_column, id_column, ignore, features)._asdict()
        _check_choices(ending, *chosen)
        if ending in ARRAYS:
            what, container = (ARRAYS | MAPPED if mapped else ARRAYS)[ending]
            with reading(label, what), closing(container(file, label, limits)) as arrays:
                found = _from_arrays(arrays, label, x, y, transpose)
        elif ending == ".zip":
            with reading(label, "a zip archive of pictures"):
                found = _from_pictures(read_pictures(file, label, limits))
        else:
            with reading(label, "a table"):
                choice = Choice(label_column, id_column, ignore, features)
                found = _from_table(read_table(file, label, header, limits), choice, transpose)
    return _dataset(found, file_name, label, limits)


def _check_choices(ending: str, of_arrays: dict[str, Any], of_tables: dict[str, Any]) -> None:
    """Refuse what says nothing of this kind of file, rather than read it another way."""
    arrays, tables = ending in ARRAYS, ending not in ARRAYS and ending != ".zip"
    for name, value in (({} if arrays else of_arrays) | ({} if tables else of_tables)).items():
        if value is not None and value != () and value != []:
            where = ".npz and .mat files" if name in of_arrays else "tables"
            other = "label_column" if tables else "y" if arrays else "the folders' names"
            raise ValueError(
                f"{name} is {value!r}; it is for {where}: here {other} has the labels."
            )


def _dataset(found: Found, file_name: str, label: str, limits: Limits) -> Dataset:
    labels: NDArray | None = None
    names: tuple[str, ...] = ()
    if found.labels is not None:
        labels, names = _classes(found.labels, found.names, label)
        found_here = f"{label} has {len(names):,} classes; choose other labels, or none"
        check_limit(found_here, len(names), limits, "classes")
    note = " ".join([f"Read from {quoted(file_name, 100)}: {found.how}.", *found.notes])
    return Dataset(
        found.X, labels, Path(file_name).stem, names, found.images, note, found.kind,
        rows=found.rows, identifiers=found.identifiers, feature_names=found.feature_names,
    )  # fmt: skip


def columns(
    path: Source,
    *,
    header: Header = "auto",
    label_column: str | int | bool | None = None,
    id_column: str | int | bool | None = None,
    ignore: Sequence[str | int] = (),
    features: Sequence[str | int] = (),
    name: str | None = None,
    limits: Limits = OWN,
) -> list[Column]:
    """The columns of a table with the roles that `load` gives them for the same arguments.

    >>> import io
    >>> file = io.BytesIO(b"who,age,sick\\nP1,40,yes\\nP2,50,no\\nP3,35,no\\n")
    >>> [(c.name, c.role) for c in columns(file, name="patients.csv")]
    [('who', 'identifier'), ('age', 'feature'), ('sick', 'label')]
    """
    with _opened(path, name, limits) as (file, file_name, label), reading(label, "a table"):
        check_ending(file, Path(file_name).suffix.lower(), label)
        choice = Choice(label_column, id_column, ignore, features)
        return table_columns(read_table(file, label, header, limits), choice)


def inspect(
    path: Source, *, name: str | None = None, header: Header = "auto", limits: Limits = OWN
) -> list[Variable]:
    """What a file holds, by name, shape and type, without reading it all.

    Of a table the columns, named by its first row where ``header`` says so; of a .zip the folders.

    >>> import io
    >>> inspect(io.BytesIO(b"a,label\\n1,cat\\n"), name="pets.csv")[1]
    Variable(name='label', shape=(1,), dtype='text')
    """
    with _opened(path, name, limits) as (file, file_name, label):
        ending = Path(file_name).suffix.lower()
        check_ending(file, ending, label)
        if ending in ARRAYS:
            what, container = ARRAYS[ending]
            with reading(label, what), closing(container(file, label, limits)) as arrays:
                return arrays.variables
        if ending == ".zip":
            with reading(label, "a zip archive of pictures"):
                return picture_variables(file, label, limits)
        with reading(label, "a table"):
            return table_variables(file, label, header, limits)


@contextmanager
def _opened(path: Source, name: str | None, limits: Limits) -> Iterator[tuple[IO[bytes], str, str]]:
    """The open file at its start, its name, and what to call it in a sentence."""
    path, file_name = _named(path, name)
    label = repr(quoted(file_name, 100))
    if Path(file_name).suffix.lower() not in FORMATS:
        raise BadFile(_unknown_ending(path, label))
    if not isinstance(path, (str, Path)):
        _check_bytes(path, label, limits)
        yield path, file_name, label
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below, apart from errors of the caller
    except FileNotFoundError:
        raise BadFile(f"path is {quoted(path, 200)!r}; there is no such file.") from None
    except OSError as error:
        raise BadFile(
            f"path is {quoted(path, 200)!r}; it cannot be opened: {error.strerror}."
        ) from None
    with file:
        _check_bytes(file, label, limits)
        yield file, file_name, label


def _named(path: Source, name: str | None) -> tuple[str | Path | IO[bytes], str]:
    """The file and its name; content that has none is called by what its first bytes say."""
    if isinstance(path, (str, Path)):
        return path, Path(name or path).name
    file = io.BytesIO(path) if isinstance(path, (bytes, bytearray, memoryview)) else path
    if not hasattr(file, "seek"):
        raise BadFile(
            f"path is {type(path).__name__}; give the name of a file, an open one, or its bytes."
        )
    given = name or getattr(file, "name", "") or f"data{ending_of(file)}"
    return file, Path(str(given)).name


def _unknown_ending(path: str | Path | IO[bytes], label: str) -> str:
    sentence, by_path = f"{label} has none of the endings that can be read: ", (str, Path)
    sentence += ", ".join(FORMATS)
    with (
        suppress(OSError),
        open(path, "rb") if isinstance(path, by_path) else nullcontext(path) as file,
    ):
        sentence += what_it_is(file)
    if Path(label.strip("'\"")).suffix.lower() in TEXTS and ";" not in sentence:
        sentence += "; if it is a table, call it .csv"
    return f"{sentence}."


def _check_bytes(file: IO[bytes], label: str, limits: Limits) -> None:
    size = file.seek(0, 2)
    file.seek(0)
    if size == 0:
        raise BadFile(f"{label} is empty; choose a file that holds data.")
    if size > limits.bytes:
        raise BadFile(
            f"{label} has {megabytes(size)}; files of at most {megabytes(limits.bytes)} are read."
        )


def _from_arrays(
    container: Container, label: str, x: str | None, y: str | bool | None, transpose: bool | None
) -> Found:
    samples = find_samples(container, label, x)
    raw, used = find_labels(container, label, y, samples)
    values, axis = _samples_first(
        container.read(samples).reshape(sides(samples)),
        None if raw is None else len(raw), transpose, samples, label,
    )  # fmt: skip
    images: NDArray | None = None
    kind = "other"
    if values.ndim == 3:
        if axis == 1:  # tracks, not pictures; the third homogeneous coordinate says nothing
            values = values[:, :2] if (values[:, 2:] == 1).all() else values
            kind = "motion"
        else:
            images = _grey(values)
        values = values.reshape(len(values), -1)
    else:
        images = _pictures(container, values)
    names = () if raw is None else find_names(container, raw, used, samples)
    lines = ("rows", "columns")[axis] if len(sides(samples)) == 2 else f"axis {axis + 1}"
    how = f"samples in the {lines} of {quoted(samples.name)}" + _labels_from(
        used and quoted(used.name)
    )
    how += left_out(container, samples, labels_wanted=raw is None and y is None)
    return Found(values.astype(np.float64, copy=False), raw, how, images, names, kind=kind)


def _from_table(table: Table, choice: Choice, transpose: bool | None) -> Found:
    return Found(**table_content(table, choice, transpose)._asdict())


def _labels_from(place: str | None) -> str:
    return ", no labels" if place is None else f", labels from {place}"


def _from_pictures(read: Pictures) -> Found:
    n, h, w = read.values.shape
    place = None if read.folders is None else "the folders"
    how = f"pictures of {h}×{w} pixels{read.note}{_labels_from(place)}"
    # Ten or twelve of sixteen bits are dark, and would be black as bytes.
    fine = read.values.max() < 100 and (read.values % 1 != 0).any()
    images = _grey(read.values) if fine else read.values.astype(np.uint8)
    values = read.values.reshape(n, -1)
    return Found(values, read.folders, how, images, identifiers=read.names)


def _samples_first(
    values: NDArray, n_labels: int | None, transpose: bool | None, samples: Variable, label: str
) -> tuple[NDArray, int]:
    """The array with its samples along the first axis, and the axis that they had."""
    last = values.ndim - 1
    if transpose is not None:
        axis = last if transpose else 0
    elif n_labels is None:
        axis = 0
    else:
        axis = next((a for a in (0, last, 1) if values.shape[a] == n_labels), 0)
    if n_labels is not None and values.shape[axis] != n_labels:
        raise BadFile(
            f"{quoted(samples.name)} in {label} has shape {values.shape}, which does not go with"
            f" {n_labels} labels"
            + (f" and transpose={transpose}." if transpose is not None else ".")
        )
    return np.moveaxis(values, axis, 0), axis


def _pictures(container: Container, values: NDArray) -> NDArray[np.uint8] | None:
    """Rows as pictures, if an image_shape says so and fits."""
    for variable in container.variables:
        if variable.name.lower() == "image_shape" and variable.is_number and variable.size == 2:
            h, w = (int(side) for side in container.read(variable).ravel())
            if h > 0 and h * w == values.shape[1]:
                return _grey(values.reshape(-1, h, w))
    return None


def _grey(values: NDArray) -> NDArray[np.uint8]:
    """Grey values 0..255, stretched over the range of all values unless they are bytes.

    Bytes that all stay dark count something else, as the 0 to 16 of scikit-learn's digits.
    """
    if values.dtype == np.uint8 and values.max(initial=0) >= 100:
        return values
    values = values.astype(np.float64)
    known = values[np.isfinite(values)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
    # Halved first, or the range of the largest numbers overflows; what is missing becomes black.
    share = (values / 2 - low / 2) / max(high / 2 - low / 2, 1e-300)
    return np.rint(np.clip(np.nan_to_num(share, nan=0), 0, 1) * 255).astype(np.uint8)


def _classes(
    raw: NDArray, names: tuple[str, ...], label: str
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Labels from 0 in the order of the sorted values, and a name for each."""
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        raise BadFile(f"{label} has labels that are missing or infinite; each sample needs one.")
    if raw.dtype.kind in "US":
        raw = np.char.strip(raw)
        if (raw == "").any():
            raise BadFile(f"{label} has labels that are empty; each sample needs one.")
    values, labels = np.unique(raw, return_inverse=True)
    exact = values.dtype.kind == "f" and (abs(values) < 2**53).all()
    if not names and exact and (values % 1 == 0).all():
        values = values.astype(np.int64)
    return labels.astype(np.int64), names or tuple(str(value).strip() for value in values)
