"""From a file to a `Dataset`: finds the samples, the labels and the pictures in it."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.matlab import mat_container
from sdsc_core.datasets.pictures import picture_variables, read_pictures
from sdsc_core.datasets.safe import (
    MAX_BYTES,
    Container,
    Refused,
    Variable,
    npy_container,
    npz_container,
    reading,
)
from sdsc_core.datasets.tables import LABEL_NAMES, Header, read_table, table_variables

Source = str | Path | IO[bytes]

ARRAYS: dict[str, tuple[str, Callable[[IO[bytes], str, int], Container]]] = {
    ".npy": ("a NumPy array", npy_container),
    ".npz": ("a NumPy archive", npz_container),
    ".mat": ("a MATLAB file", mat_container),
}
FORMATS = (".csv", ".tsv", *ARRAYS, ".zip")
SAMPLE_NAMES = ("x", "fea", "data", "features", "samples", "images")
CLASS_NAMES = ("class_names", "names", "classes", "subject", "label_names", "target_names")


class Found(NamedTuple):
    """What a file holds, with its labels as they are, and a sentence on where it was found."""

    X: NDArray[np.float64]
    labels: NDArray | None
    how: str
    images: NDArray | None = None
    names: tuple[str, ...] = ()
    kind: str = "other"


def load(
    path: Source,
    *,
    x: str | None = None,
    y: str | bool | None = None,
    transpose: bool | None = None,
    header: Header = "auto",
    label_column: str | int | bool | None = None,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a data set from .csv, .tsv, .npy, .npz, .mat or a .zip of pictures in class folders.

    Parameters
    ----------
    path : a path, or an open binary file; its ``name``, or the argument ``name``, tells the format
    x, y : in .npz and .mat, the variables with the samples and the labels. By default the usual
        names (X, fea, data, …; y, label, gnd, s, …), else the largest array. ``y=False``: no labels
    transpose : True if samples are columns, or in three dimensions pictures (h, w, N). By default
        the axis as long as the labels is the samples, and without labels the first
    header : in a table, whether the first row holds names
    label_column : in a table, the name or number of the column, "last", or False for none. By
        default one of the usual names
    max_bytes : the largest array to read

    Numbers stay as they are and missing ones are NaN, see `fill_missing`. A variable
    ``image_shape`` (h, w) says that a row is a picture, row by row. Three dimensions with the
    labels along the second are tracks (coordinate, point, frame), as in Hopkins 155.

    >>> import io
    >>> data = load(io.BytesIO(b"a,b,label\\n1,2,cat\\n3,4,dog\\n"), name="pets.csv")
    >>> data.X.tolist(), data.labels.tolist(), data.class_names
    ([[1.0, 2.0], [3.0, 4.0]], [0, 1], ('cat', 'dog'))
    """
    with _opened(path, name) as (file, file_name, label):
        ending = Path(file_name).suffix.lower()
        if ending in ARRAYS:
            what, container = ARRAYS[ending]
            with reading(label, what), closing(container(file, label, max_bytes)) as arrays:
                found = _from_arrays(arrays, label, x, y, transpose)
        elif ending == ".zip":
            with reading(label, "a zip archive of pictures"):
                found = _from_pictures(*read_pictures(file, label, max_bytes))
        else:
            with reading(label, "a table"):
                table = read_table(file, label, header, label_column, max_bytes)
                found = _from_table(*table, label, transpose)
    labels: NDArray | None = None
    names: tuple[str, ...] = ()
    if found.labels is not None:
        labels, names = _classes(found.labels, found.names, label)
    note = f"Read from {file_name}: {found.how}."
    return Dataset(found.X, labels, Path(file_name).stem, names, found.images, note, found.kind)


def inspect(path: Source, *, name: str | None = None, header: Header = "auto") -> list[Variable]:
    """What a file holds, by name, shape and type, without reading it all.

    Of a table the columns, named by its first row where ``header`` says so; of a .zip the folders.

    >>> import io
    >>> inspect(io.BytesIO(b"a,label\\n1,cat\\n"), name="pets.csv")[1]
    Variable(name='label', shape=(1,), dtype='text')
    """
    with _opened(path, name) as (file, file_name, label):
        ending = Path(file_name).suffix.lower()
        if ending in ARRAYS:
            what, container = ARRAYS[ending]
            with reading(label, what), closing(container(file, label, MAX_BYTES)) as arrays:
                return arrays.variables
        if ending == ".zip":
            with reading(label, "a zip archive of pictures"):
                return picture_variables(file, label, MAX_BYTES)
        with reading(label, "a table"):
            return table_variables(file, label, header)


@contextmanager
def _opened(path: Source, name: str | None) -> Iterator[tuple[IO[bytes], str, str]]:
    """The open file at its start, its name, and what to call it in a sentence."""
    given = name or (path if isinstance(path, (str, Path)) else getattr(path, "name", ""))
    file_name = Path(str(given)).name
    label = repr(file_name)
    if Path(file_name).suffix.lower() not in FORMATS:
        raise Refused(f"{label} has none of the endings that can be read: {', '.join(FORMATS)}.")
    if not isinstance(path, (str, Path)):
        path.seek(0)
        yield path, file_name, label
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below, apart from errors of the caller
    except FileNotFoundError:
        raise Refused(f"path is {str(path)!r}; there is no such file.") from None
    except OSError as error:
        raise Refused(f"path is {str(path)!r}; it cannot be opened: {error.strerror}.") from None
    with file:
        yield file, file_name, label


def _from_arrays(
    container: Container, label: str, x: str | None, y: str | bool | None, transpose: bool | None
) -> Found:
    samples = _find_samples(container, label, x)
    raw, used = _find_labels(container, label, y, samples)
    values, axis = _samples_first(
        container.read(samples), None if raw is None else len(raw), transpose, samples, label
    )
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
    names = () if raw is None else _find_names(container, len(np.unique(raw)), used)
    lines = ("rows", "columns")[axis] if len(samples.shape) == 2 else f"axis {axis + 1}"
    how = f"samples in the {lines} of {samples.name}" + _labels_from(used and used.name)
    if raw is None and y is None:
        how += _unfitting(container, samples)
    return Found(values.astype(np.float64), raw, how, images, names, kind)


def _unfitting(container: Container, samples: Variable) -> str:
    """What looks like labels by its name, but has not one for each sample."""
    for v in container.variables:
        is_list = v.size == max(v.shape, default=0) > 1
        if is_list and v.name.lower() in LABEL_NAMES and v.size not in samples.shape:
            return f" ({v.name} has {v.size:,} entries, not one a sample)"
    return ""


def _labels_from(place: str | None) -> str:
    return ", no labels" if place is None else f", labels from {place}"


def _from_pictures(images: NDArray[np.uint8], folders: NDArray | None) -> Found:
    h, w = images.shape[1:]
    how = f"pictures of {h}×{w} pixels" + _labels_from(None if folders is None else "the folders")
    return Found(images.reshape(len(images), -1).astype(np.float64), folders, how, images)


def _from_table(
    X: NDArray[np.float64],
    raw: NDArray | None,
    column: str | None,
    label: str,
    transpose: bool | None,
) -> Found:
    if transpose and raw is not None:
        raise Refused(
            f"transpose is True, but the labels of {label} are a column; give samples in rows, or"
            " choose no labels."
        )
    how = f"samples in {'columns' if transpose else 'rows'}"
    how += _labels_from(None if column is None else f"column {column}")
    return Found(X.T if transpose else X, raw, how)


def _find(container: Container, name: str, label: str, argument: str) -> Variable:
    for variable in container.variables:
        if variable.name == name:
            return variable
    names = ", ".join(variable.name for variable in container.variables[:20])
    raise Refused(f"{argument} is {name!r}; {label} holds {names or 'nothing'}.")


def _find_samples(container: Container, label: str, x: str | None) -> Variable:
    tables = [
        v
        for v in container.variables
        if v.is_number and len(v.shape) in (2, 3) and min(v.shape) > 1
    ]
    if x is not None:
        chosen = _find(container, x, label, "x")
        if chosen not in tables:
            raise Refused(
                f"x is {x!r}, which has shape {chosen.shape} and type {chosen.dtype}; choose"
                " numbers in two dimensions, or three for pictures."
            )
        return chosen
    for name in SAMPLE_NAMES:
        for variable in tables:
            if variable.name.lower() == name:
                return variable
    if not tables:
        raise Refused(f"{label} holds no table of numbers with samples and features.")
    return max(tables, key=lambda variable: variable.size)


def _find_labels(
    container: Container, label: str, y: str | bool | None, samples: Variable
) -> tuple[NDArray | None, Variable | None]:
    """The labels and where they were: as told, or by name if they fit the samples."""
    if y is False:
        return None, None
    if isinstance(y, str):
        variable = _find(container, y, label, "y")
        if variable.size != max(variable.shape, default=0):
            raise Refused(f"y is {y!r}, which has shape {variable.shape}; give one label a sample.")
        return container.read(variable).ravel(), variable
    for name in LABEL_NAMES:
        for variable in container.variables:
            fits = (
                variable.size == max(variable.shape, default=0) and variable.size in samples.shape
            )
            if variable.name.lower() == name and variable != samples and fits:
                raw = container.read(variable).ravel()
                if raw.dtype.kind != "f" or (raw % 1 == 0).all():
                    return raw, variable
    return None, None


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
        raise Refused(
            f"{samples.name} in {label} has shape {values.shape}, which does not go with"
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
    values = np.nan_to_num(values.astype(np.float64), posinf=np.nan, neginf=np.nan)
    low, high = values.min(), values.max()
    return np.rint((values - low) * (255 / max(high - low, 1e-300))).astype(np.uint8)


def _find_names(container: Container, n_classes: int, used: Variable | None) -> tuple[str, ...]:
    """Texts as many as classes: under a usual name, or the only such variable."""
    fitting = [v for v in container.variables if v.is_text and v.size == n_classes and v != used]
    usual = [v for v in fitting if v.name.lower() in CLASS_NAMES]
    for variable in usual or fitting[:1]:
        try:
            return tuple(str(text).strip() for text in container.read(variable).ravel())
        except Refused:
            continue  # a guess: a cell of something else leaves the classes without names
    return ()


def _classes(
    raw: NDArray, names: tuple[str, ...], label: str
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Labels from 0 in the order of the sorted values, and a name for each."""
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        raise Refused(f"{label} has labels that are missing or infinite; each sample needs one.")
    values, labels = np.unique(raw, return_inverse=True)
    if not names and values.dtype.kind == "f" and (values % 1 == 0).all():
        values = values.astype(np.int64)
    return labels.astype(np.int64), names or tuple(str(value).strip() for value in values)
