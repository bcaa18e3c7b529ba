"""Tables in text files: commas, semicolons or tabs, with or without a header."""

import csv
import re
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.safe import Refused, Variable, check_size

Header = bool | Literal["auto"]

# Names that people give to the classes, the clearest first.
LABEL_NAMES = ("label", "labels", "class", "target", "gnd", "y", "s")
MAX_LINE = 2**24  # bytes
LINES_TO_LOOK_AT = 20  # to tell how numbers are written
ROWS_TO_LOOK_AT = 100  # to tell which columns are numbers


class Layout(NamedTuple):
    """How a table is written."""

    columns: tuple[str, ...]
    delimiter: str
    decimal: str
    start: int  # where the data begins, in bytes
    n_rows: int
    first_row: int  # the number a spreadsheet shows for the first row of data


def read_table(
    file: IO[bytes], label: str, header: Header, label_column: Any, limit: int
) -> tuple[NDArray[np.float64], NDArray | None, str | None]:
    """Values (n_rows, n_columns), the labels and the name of their column, if there is one."""
    layout = _layout(file, label, header)
    shape = (layout.n_rows, len(layout.columns))
    check_size(label, Variable("The table", shape, "float64"), 8, limit)
    frame = _parse(file, layout, label)
    kept = list(range(frame.shape[1]))
    if layout.columns[0] == "" and _numbers_rows(frame[0]):
        kept.remove(0)
    index = _label_index(layout.columns, label_column, frame, label)
    labels, column = None, None
    if index is not None:
        kept, column = [k for k in kept if k != index], layout.columns[index]
        labels = _labels(frame[index], layout, index, label)
    if not kept:
        raise Refused(f"{label} has no column of numbers beside the labels.")
    for k in kept:
        if frame[k].dtype.kind not in "buif":
            frame[k] = _numbers(frame[k], layout, k, label)
    return frame[kept].to_numpy(dtype=np.float64), labels, column


def table_variables(file: IO[bytes], label: str, header: Header) -> list[Variable]:
    """The columns of a table, judged by its first rows."""
    layout = _layout(file, label, header)
    frame = _parse(file, layout, label, nrows=ROWS_TO_LOOK_AT)
    return [
        Variable(name, (layout.n_rows,), "float64" if frame[k].dtype.kind in "buif" else "text")
        for k, name in enumerate(layout.columns)
    ]


def _layout(file: IO[bytes], label: str, header: Header) -> Layout:
    file.seek(0)
    lines: list[str] = []
    ends: list[int] = []
    while len(lines) < LINES_TO_LOOK_AT and (raw := file.readline(MAX_LINE)):
        if raw.strip():
            lines.append(raw.decode("utf-8-sig", errors="replace").strip("\r\n"))
            ends.append(file.tell())
    if lines and "\x00" in lines[0]:
        raise Refused(f"{label} is not UTF-8 text, perhaps UTF-16; save it as CSV in UTF-8.")
    if not lines:
        raise Refused(f"{label} is empty; give a table with a row for each sample.")
    delimiter = next((d for d in "\t;" if d in re.sub(r'"[^"]*"', "", lines[0])), ",")
    rows = list(csv.reader(lines, delimiter=delimiter))
    first, second = rows[0], rows[min(1, len(rows) - 1)]
    fraction = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")
    decimal = "."
    if delimiter != "," and any(fraction.fullmatch(cell) for row in rows for cell in row):
        decimal = ","
    has_header = _looks_like_header(first, second, decimal) if header == "auto" else header
    only_names = len(rows) == 1 and not any(_is_number(cell, decimal) for cell in first)
    if len(rows) == 1 and (has_header or only_names):
        raise Refused(f"{label} has a header but no rows; give a row for each sample.")
    columns = [name.strip() for name in first]
    if not has_header:
        columns = [f"column {k + 1}" for k in range(len(first))]
    elif len(columns) == len(second) - 1:
        columns.insert(0, "")  # names of the rows without a name of their own, as R writes them
    if len(columns) != len(second):
        raise Refused(
            f"{label} has {len(columns)} names in its header and {len(second)} cells in the row"
            " after it."
        )
    start = ends[0] if has_header else 0
    n_rows = _count_lines(file, start)
    return Layout(tuple(columns), delimiter, decimal, start, n_rows, 2 if has_header else 1)


def _looks_like_header(first: list[str], second: list[str], decimal: str) -> bool:
    """A name above a number, or a usual name of the labels."""
    if any(name.strip().lower() in LABEL_NAMES for name in first):
        return True
    return any(
        not _is_number(a, decimal) and _is_number(b, decimal)
        for a, b in zip(first, second, strict=False)
    )


def _is_number(cell: str, decimal: str) -> bool:
    """A number, or a missing one."""
    try:
        float(cell.replace(decimal, ".") or "nan")
    except ValueError:
        return cell.strip().lower() in ("", "na", "n/a", "null")
    return True


def _count_lines(file: IO[bytes], start: int) -> int:
    file.seek(start)
    count, last = 0, b"\n"
    while piece := file.read(2**20):
        count, last = count + piece.count(b"\n"), piece[-1:]
    return count + (last != b"\n")


def _parse(file: IO[bytes], layout: Layout, label: str, nrows: int | None = None) -> Any:
    import pandas as pd

    file.seek(layout.start)
    try:
        return pd.read_csv(
            file,
            sep=layout.delimiter,
            decimal=layout.decimal,
            header=None,
            nrows=nrows,
            skipinitialspace=True,
            low_memory=False,
            encoding="utf-8-sig",
            encoding_errors="replace",
        )
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise
        expected, line, seen = map(int, found.groups())
        raise Refused(
            f"{label} has {seen} cells in row {line + layout.first_row - 1}, but {expected} in its"
            " first."
        ) from None


def _numbers_rows(column: Any) -> bool:
    """Whether a column without a name only numbers or names the rows."""
    if column.dtype.kind not in "buif":
        return bool(column.is_unique)
    values = column.to_numpy(dtype=np.float64)
    return bool(np.array_equal(values - values[0], np.arange(len(values))))


def _label_index(columns: tuple[str, ...], wanted: Any, frame: Any, label: str) -> int | None:
    """The column of the labels: as told, or by its name if it holds text or whole numbers."""
    if wanted is False:
        return None
    if wanted == "last":
        return len(columns) - 1
    if wanted is None:
        lower = [name.lower() for name in columns]
        for name in LABEL_NAMES:
            if name in lower:
                column = frame[lower.index(name)]
                if column.dtype.kind not in "f" or (column.dropna() % 1 == 0).all():
                    return lower.index(name)
        return None
    if wanted in columns:
        return columns.index(wanted)
    if type(wanted) is int and -len(columns) <= wanted < len(columns):
        return wanted % len(columns)
    names = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
    raise Refused(f"label_column is {wanted!r}; {label} has the columns {names}.")


def _labels(column: Any, layout: Layout, index: int, label: str) -> NDArray:
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise Refused(
            f"{label} has no class in row {missing[0] + layout.first_row} of column"
            f" {layout.columns[index]!r}; each sample needs one."
        )
    if column.dtype.kind in "buif":
        return column.to_numpy()
    return np.array([str(value).strip() for value in column])


def _numbers(column: Any, layout: Layout, index: int, label: str) -> Any:
    """The column as numbers; a cell that is none is an error that says where it is."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    wrong = np.flatnonzero((numbers.isna() & column.notna()).to_numpy())
    if wrong.size:
        raise Refused(
            f"{label} has {str(column.iloc[wrong[0]])[:40]!r} in row {wrong[0] + layout.first_row}"
            f" of column {layout.columns[index]!r}, where a number is needed."
        )
    return numbers
