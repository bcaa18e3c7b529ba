"""What a data set is: points, their classes where known, and pictures where there are any."""

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import check_array
from sdsc_core.memory import check_memory

POINT_BYTES, LETTER_BYTES = 420, 12  # of a point in a table, and of each letter of its names
NUMBER_BYTES = 100  # of a number with all its digits
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points in rows, with what is known about them.

    The arrays are kept as read-only views: `digest` stands for their content, and one data set
    may serve several people at once.

    >>> data = Dataset(np.eye(3), np.array([0, 0, 1]), "three", ("a", "b"))
    >>> data.n_points, data.n_features, data.n_classes
    (3, 3, 2)
    """

    X: NDArray[np.float64]  # (N, D)
    labels: NDArray[np.int64] | None  # (N,), 0..K-1
    name: str
    class_names: tuple[str, ...] = ()
    images: NDArray[np.uint8] | None = None  # (N, h, w), kept through prepare()
    note: str = ""  # one sentence on what it is
    kind: str = "other"  # "faces" | "digits" | "motion" | "subspaces" | "other"
    rows: NDArray[np.int64] | None = None  # (N,), where each point is in its file; 1..N by default
    identifiers: NDArray[np.str_] | None = None  # (N,), what the file calls each point
    feature_names: tuple[str, ...] = ()  # D of them, or none

    def __post_init__(self) -> None:
        X = check_array(self.X)
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}; give (n_samples, n_features).")
        self._keep("X", X)
        if self.labels is None:
            if self.class_names:
                raise ValueError(
                    f"class_names has {len(self.class_names)} names; without labels give none."
                )
        else:
            self._keep("labels", self._checked_labels(len(X)))
        if self.images is not None:
            if self.images.ndim != 3 or len(self.images) != len(X):
                raise ValueError(
                    f"images has shape {self.images.shape}; give one (h, w) picture for each of"
                    f" {len(X)} points."
                )
            self._keep("images", np.asarray(self.images))
        self._check_names(len(X), X.shape[1])

    def _check_names(self, n_points: int, n_features: int) -> None:
        rows = np.arange(1, n_points + 1) if self.rows is None else np.asarray(self.rows, np.int64)
        self._keep("rows", rows)
        if self.identifiers is not None:
            self._keep("identifiers", np.asarray(self.identifiers, dtype=np.str_))
        for field in ("rows", "identifiers"):
            array = getattr(self, field)
            if array is not None and array.shape != (n_points,):
                raise ValueError(
                    f"{field} has shape {array.shape}; give one for each of {n_points} points."
                )
        if len(self.feature_names) not in (0, n_features):
            raise ValueError(
                f"feature_names has {len(self.feature_names)} names; give {n_features} or none."
            )

    def _checked_labels(self, n_points: int) -> NDArray[np.int64]:
        if np.ma.is_masked(self.labels):
            raise ValueError("labels has masked values; each point needs a class.")
        try:
            given, n_names = np.asarray(self.labels), len(self.class_names)
            if given.dtype.kind == "O":
                given = np.asarray(given.tolist())
            whole = given.dtype.kind in "biuf" and np.isfinite(given).all()
        except ValueError:  # rows of several lengths
            whole = False
        if not whole or (given != np.trunc(given)).any():
            raise ValueError("labels are not whole numbers; give those, and names as class_names.")
        labels = given.astype(np.int64)
        if labels.shape != (n_points,):
            raise ValueError(
                f"labels has shape {labels.shape}; one label for each of {n_points} points is"
                " needed."
            )
        if labels.size and not 0 <= labels.min() <= labels.max() < n_names:
            raise ValueError(
                f"labels run from {labels.min()} to {labels.max()}; with {n_names} class_names"
                f" they are numbers from 0 to {n_names - 1}."
            )
        return labels

    def _keep(self, field: str, array: NDArray) -> None:
        view = array.view()
        view.flags.writeable = False
        object.__setattr__(self, field, view)

    @property
    def n_points(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """`rows`, which are always there once a data set is made."""
        assert self.rows is not None
        return self.rows

    def titles(self) -> list[str]:
        """What to call each point where it is looked up: its number, row and identifier."""
        called = self.identifiers if self.identifiers is not None else [""] * self.n_points
        return [
            f"point {k}, row {row}" + (f", {name}" if name else "")
            for k, (row, name) in enumerate(zip(self.row_numbers, called, strict=True))
        ]

    def letters(self) -> int:
        """Letters of a point's identifier and class, on average."""
        of_class = sum(map(len, self.class_names)) // max(1, self.n_classes)
        if self.identifiers is None or not self.n_points:
            return of_class
        return of_class + int(np.strings.str_len(self.identifiers).mean())

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 without labels."""
        return len(self.class_names)

    @cached_property
    def digest(self) -> str:
        """A key for caches: SHA-1 over all that is here but what it is called and said to be."""
        sha = hashlib.sha1(usedforsecurity=False)
        for field in fields(self):
            if field.name not in ("name", "note"):
                value = getattr(self, field.name)
                if isinstance(value, np.ndarray) and not value.dtype.hasobject:
                    sha.update(f"{field.name}: {value.dtype.str} {value.shape}\n".encode())
                    # As bytes, because not every type of array has a buffer to hand out.
                    sha.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
                else:
                    value = value.tolist() if isinstance(value, np.ndarray) else value
                    sha.update(f"{field.name}: {value!r}\n".encode("utf-8", "surrogatepass"))
        return sha.hexdigest()


def points_csv(dataset: Dataset, before: Any, after: Any = None) -> str:
    """The points as a table: number, row of the file, identifier, class, clusters of W and of W*.

    With one clustering alone its column is ``cluster``.

    ``point`` counts from 0, as the rows of W do. ``row`` is the number that a spreadsheet shows:
    from 1, the header of a table included; in arrays and pictures the place of the sample.

    >>> data = Dataset(np.eye(2), np.array([0, 1]), "two", ("a", "b"), rows=np.array([2, 5]))
    >>> print(points_csv(data, [0, 0], [1, 0]), end="")
    point,row,class,cluster_W,cluster_W_star
    0,2,a,0,1
    1,5,b,0,0
    """
    check_points(dataset)
    return table_csv(point_columns(dataset, before, after))


def check_points(dataset: Dataset, columns: int = 0) -> None:
    """`TooLarge` where `points_csv` would take more memory than may be used.

    ``columns`` are those of numbers that a table has beside it.

    >>> check_points(Dataset(np.eye(2), None, "two"))
    """
    longest = max(map(len, dataset.class_names), default=0)  # of which an array has room for all
    each = POINT_BYTES + LETTER_BYTES * dataset.letters() + 4 * longest + NUMBER_BYTES * columns
    check_memory(
        dataset.n_points * each, "this table", dataset.n_points, instead="choose fewer points"
    )


def point_columns(dataset: Dataset, before: Any, after: Any = None) -> dict[str, NDArray]:
    """The columns of `points_csv`, (N,) each: what any file that speaks of points says of them.

    >>> data = Dataset(np.eye(2), np.array([0, 1]), "two", ("a", "b"), rows=np.array([2, 5]))
    >>> point_columns(data, [0, 0], [1, 0])["row"].tolist()
    [2, 5]
    """
    columns: dict[str, NDArray] = {
        "point": np.arange(dataset.n_points),
        "row": dataset.row_numbers,
    }
    if dataset.identifiers is not None:
        columns["identifier"] = np.asarray(dataset.identifiers, np.str_)
    if dataset.labels is not None:
        columns["class"] = np.array(dataset.class_names, np.str_)[dataset.labels]
    if after is None:
        return columns | {"cluster": np.asarray(before)}
    return columns | {"cluster_W": np.asarray(before), "cluster_W_star": np.asarray(after)}


def table_csv(columns: Mapping[str, NDArray]) -> str:
    """Columns of one length under their names, as the text of a file.

    A text that a spreadsheet would take for a formula has an apostrophe before it.

    >>> table_csv({"a": np.array([1, 2]), "b": np.array(["x", "y, z"])})
    'a,b\\n1,x\\n2,"y, z"\\n'
    >>> table_csv({"a": np.array(["=1+1", "-3"])})
    "a\\n'=1+1\\n-3\\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    cells = ([disarmed(cell) for cell in column.tolist()] for column in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def disarmed(cell: Any) -> Any:
    """A cell that no spreadsheet runs; numbers stay, those with a sign too.

    >>> disarmed("=1+1"), disarmed("-3"), disarmed(-3)
    ("'=1+1", '-3', -3)
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
