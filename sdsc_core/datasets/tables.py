"""Tables in text files: commas, semicolons or tabs, with or without a header."""

import codecs
import csv
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.guessing.beginning import (
    bare_lines,
    first_name,
    lines_above,
    n_without_name,
    parts_of_table,
    rows_have_names,
    spaces_part,
)
from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.safe import (
    BadFile,
    Variable,
    check_letters,
    check_limit,
    check_size,
    quoted,
)
from sdsc_core.datasets.writing import (
    decimal_of,
    delimiter_of,
    groups_thousands,
    has_sign,
    holds_numbers,
    is_grouped,
    is_missing,
    is_number,
    late_number,
    looks_like_header,
    may_be_names,
    plain,
    spaced_thousands,
    tells_decimal,
)
from sdsc_core.extras import require

Header = bool | Literal["auto"]

MAX_LINE = 2**24  # bytes
LINES_TO_LOOK_AT = 20  # to tell how numbers are written
MOST_LINES = 1000  # of one cell among them
ROWS_TO_LOOK_AT = 100  # to tell which columns are numbers
# As pandas has them, but None: it may be a class.
MISSING = (
    "", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "NaN", "nan",
    "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
)  # fmt: skip
# Letters of a file that is not UTF-8; each byte stays a letter of its own, so no classes merge.
WINDOWS = "cp1252"
SPACES = " "  # of any number, and tabs


class Layout(NamedTuple):
    """How a table is written."""

    columns: tuple[str, ...]
    has_header: bool
    n_row_names: int  # columns in front that have no name in a header
    delimiter: str
    decimal: str
    encoding: str
    start: int  # where the data begins, in bytes
    n_rows: int
    first_row: int  # the number a spreadsheet shows for the first row of data
    notes: tuple[str, ...]  # sentences on what was guessed


class Table(NamedTuple):
    """The cells of a table as pandas reads them, without rows that are empty throughout."""

    label: str  # what to call the file in a sentence
    layout: Layout
    frame: Any  # columns 0, 1, …
    rows: NDArray[np.int64]  # the number a spreadsheet shows for each row
    file: IO[bytes]
    limits: Limits

    def texts(self, index: int) -> NDArray[np.str_]:
        """A column as it is written: 01 stays 01, and None is a word."""
        options = {"usecols": [index], "dtype": str}
        cells = _parse(self.file, self.layout, self.label, missing=(), **options).iloc[:, 0]
        kept = cells.iloc[self.rows - self.layout.first_row].fillna("")
        texts = [str(cell).strip() for cell in kept]
        place = f"Column {quoted(self.layout.columns[index])} in {self.label}"
        check_letters(place, max(map(len, texts), default=0), self.limits)
        return np.array(texts, dtype=np.str_)


def read_table(file: IO[bytes], label: str, header: Header, limits: Limits) -> Table:
    """All cells of a table as numbers, if they are not too many."""
    layout = _layout(file, label, header, limits)
    shape = (layout.n_rows, len(layout.columns))
    check_size(label, Variable("The table", shape, "float64"), 8, limits)
    frame = _parse(file, layout, label)
    rows = np.arange(len(frame)) + layout.first_row
    filled = ~frame.isna().all(axis=1).to_numpy()
    if not filled.any():
        raise BadFile(f"{label} has no values in its rows; give a row for each sample.")
    if not filled.all():
        frame = frame[filled].reset_index(drop=True).infer_objects()
        layout = layout._replace(notes=(*layout.notes, *_without_values(filled)))
    return Table(label, layout, frame, rows[filled], file, limits)


def _without_values(filled: NDArray[np.bool_]) -> list[str]:
    """A sentence on rows that are left out; empty lines at the end are no rows."""
    n = int((~filled[: np.flatnonzero(filled)[-1]]).sum())
    return [f"Left out: {n:,} row{'s' if n > 1 else ''} without any value."] if n else []


def table_variables(file: IO[bytes], label: str, header: Header, limits: Limits) -> list[Variable]:
    """The columns of a table, judged by its first rows."""
    layout = _layout(file, label, header, limits)
    frame = _parse(file, layout, label, nrows=ROWS_TO_LOOK_AT)
    return [
        Variable(name, (layout.n_rows,), "float64" if frame[k].dtype.kind in "buif" else "text")
        for k, name in enumerate(layout.columns)
    ]


def _layout(file: IO[bytes], label: str, header: Header, limits: Limits) -> Layout:
    n_lines = _count_lines(file, 0)
    check_limit(f"{label} has {n_lines:,} lines", n_lines - 1, limits, "rows")
    encoding = _encoding(file, label)
    lines, ends, skipped, delimiter, notes = _beginning(file, encoding, label, header)
    begin = ends.pop(0)
    n_columns = 1 + max(line.count(delimiter) for line in bare_lines(lines))
    check_limit(f"{label} has {n_columns:,} columns", n_columns, limits, "columns")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    first = [plain(cell.strip()) for cell in next(reader)]
    start, blank = _past_blank_lines(file, ends[reader.line_num - 1])  # a name may have several
    written = [[cell.strip() for cell in row] for row in reader]
    notes += spaced_thousands(written)
    rows = [[plain(cell) for cell in row] for row in written]
    second = rows[0] if rows else first
    cells = _signed(file, delimiter, [*zip_longest(first, *rows, fillvalue="")])
    decimal = decimal_of(delimiter, cells)
    unnamed = len(first) == len(second) - 1 and rows_have_names(rows, len(first), decimal)
    if len(first) == len(second) + 1 and first[-1] == "":  # a comma behind the names alone
        names = first[:-1]
    elif unnamed and delimiter != SPACES and _ends_with(file, start, delimiter):  # the header not
        names = [*first, ""]
    else:
        names = ["", *first] if unnamed else first
    has_header = looks_like_header(names, rows, decimal) if header == "auto" else header
    only_names = not rows and not any(is_number(cell, decimal) for cell in first)
    if not rows and (has_header or only_names):
        raise BadFile(f"{label} has a header but no rows; give a row for each sample.")
    if has_header and len(names) != len(second):
        raise BadFile(
            f"{label} has {len(names)} name{'s' * (len(names) > 1)} in its header and"
            f" {len(second)} cells in the row after it; give row {skipped + 1} a name for each"
            " column, or take away what stands above the names; a text with a comma in it needs"
            " quotation marks."
        )
    names = [first_name(names), *names[1:]] if has_header else names
    notes += _notes(names if has_header else [], cells, delimiter, decimal, encoding)
    if header == "auto" and not has_header and may_be_names(first, rows, decimal):
        notes = (*notes, "The first row is read as a sample, though its numbers rise as names may.")
    width = len(names) if has_header else len(first)
    columns = [(names[k] if has_header else "") or f"column {k + 1}" for k in range(width)]
    check_letters(f"The header of {label}", max(map(len, columns)), limits)
    return Layout(
        columns=tuple(columns), has_header=has_header,
        n_row_names=n_without_name(names) if has_header else 0,
        delimiter=delimiter, decimal=decimal, encoding=encoding,
        start=start if has_header else begin,
        n_rows=_count_lines(file, start if has_header else begin),
        first_row=skipped + (2 + blank if has_header else 1), notes=notes,
    )  # fmt: skip


class _Beginning(NamedTuple):
    """The first lines of a table, without what stands above it."""

    lines: list[str]
    ends: list[int]  # where the first of them begins, and where each ends, in bytes
    skipped: int  # how many lines come before
    delimiter: str
    notes: tuple[str, ...]


def _beginning(file: IO[bytes], encoding: str, label: str, header: Header) -> _Beginning:
    lines, ends, skipped = _first_lines(file, encoding, label)
    if not lines:
        raise BadFile(f"{label} is empty; give a table with a row for each sample.")
    bare = bare_lines(lines)
    if "\r" in bare[0].rstrip("\r\n"):
        raise BadFile(f"{label} has lines that end as on an old Mac; save it as CSV in UTF-8.")
    said = re.fullmatch(r'"?sep=([,;\t])"?', lines[0].rstrip("\r\n"))
    if said and len(lines) > 1:  # Excel's own line
        lines, bare, ends, skipped = lines[1:], bare[1:], ends[1:], skipped + 1
    spaced = not said and spaces_part(bare)
    lines = [" ".join(line.split()) for line in lines] if spaced else lines
    delimiter = said[1] if said else SPACES if spaced else delimiter_of(parts_of_table(bare))
    n = lines_above(lines, delimiter, header is not False)
    notes: tuple[str, ...] = ()
    if n:
        more = f" and {n - 1:,} more" if n > 1 else ""
        notes = (f"Left out above the table: “{quoted(lines[0].strip())}”{more}.",)
        begin, _ = _past_blank_lines(file, ends[n])
        lines, ends = lines[n:], [begin, *ends[n + 1 :]]
        skipped = _count_lines(file, 0) - _count_lines(file, begin)
    if spaced:
        lines[0] = re.sub(r"^[#%]+\s+", "", lines[0])  # a sign that is no name of its own
    return _Beginning(lines, ends, skipped, delimiter, notes)


def _encoding(file: IO[bytes], label: str) -> str:
    """UTF-8 where the whole file is that, else the letters of Windows in Western Europe."""
    for encoding in ("utf-8-sig", WINDOWS):
        decoder = codecs.getincrementaldecoder(encoding)()
        file.seek(0)
        try:
            while piece := file.read(2**20):
                if "\x00" in decoder.decode(piece):
                    raise BadFile(
                        f"{label} is not UTF-8 text, perhaps UTF-16; save it as CSV in UTF-8."
                    )
            decoder.decode(b"", final=True)
            return encoding
        except UnicodeDecodeError:
            continue
    raise BadFile(f"{label} is neither UTF-8 nor Windows-1252 text; save it as CSV in UTF-8.")


def _first_lines(file: IO[bytes], encoding: str, label: str) -> tuple[list[str], list[int], int]:
    """The first lines that are not empty, where they begin and end, and how many come before."""
    file.seek(0)
    lines: list[str] = []
    ends = [0]
    skipped = 0
    quotes = 0
    while len(lines) < (MOST_LINES if quotes % 2 else LINES_TO_LOOK_AT):
        raw = file.readline(MAX_LINE)
        if not raw:
            break
        quotes += raw.count(b'"')
        if len(raw) == MAX_LINE:
            raise BadFile(
                f"{label} has a line of more than {megabytes(MAX_LINE)}; give a row for each"
                " sample, with line breaks between them."
            )
        if raw.strip():
            lines.append(raw.decode(encoding, errors="replace"))
            ends.append(file.tell())
        elif not lines:
            skipped, ends = skipped + 1, [file.tell()]
    return lines, ends, skipped


def _past_blank_lines(file: IO[bytes], start: int) -> tuple[int, int]:
    """Where the first line from there on begins that is not empty, and how many are before it."""
    file.seek(start)
    blank = 0
    while (line := file.readline(MAX_LINE)) and not line.strip():
        start, blank = file.tell(), blank + 1
    return start, blank


def _ends_with(file: IO[bytes], start: int, delimiter: str) -> bool:
    """Whether every row from there on that is not empty ends with a delimiter."""
    file.seek(start)
    lines = (line.rstrip(b"\r\n") for line in file)
    return all(line.endswith(delimiter.encode()) for line in lines if line.strip())


def _signed(
    file: IO[bytes], delimiter: str, columns: list[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """The columns of the first rows; beside them the first number that tells how they are written.

    Whole numbers may come first; a comma in a late name must not change what was clear before.
    """
    of_numbers = [column for column in columns if holds_numbers(column)]
    signed = [cell for column in of_numbers for cell in column if has_sign(cell)]
    if delimiter == "," or any(map(tells_decimal, signed)):
        return columns
    sign = "" if not signed else "," if "," in signed[0] else "."  # 1,234 alone leaves it open
    return [*columns, (late_number(file, delimiter, sign),)]


def _notes(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    delimiter: str,
    decimal: str,
    encoding: str,
) -> tuple[str, ...]:
    """What was guessed about the writing, where another reader could guess otherwise."""
    notes = []
    if encoding == WINDOWS:
        notes.append("It is not UTF-8, so its letters are read as Windows-1252 (Western Europe).")
    numbers = [n for n in names if is_number(n, decimal) and not is_missing(n)]  # Na is sodium
    if numbers:
        some = ", ".join(map(quoted, numbers[:3])) + (", …" if len(numbers) > 3 else "")
        notes.append(f"The first row ({some}) is read as names.")
    cells = [cell for column in columns for cell in column]
    called = {".": "point", ",": "comma"}
    signed = [c for c in cells if decimal in c and has_sign(c)]
    grouped = all(is_grouped(cell, decimal) for cell in signed) and delimiter != ","
    if signed and (grouped or any(groups_thousands(column, decimal) for column in columns)):
        sign = called[decimal]
        notes.append(f"The {sign} in {quoted(signed[0])} is read as a decimal {sign}.")
    other = "," if decimal == "." else "."
    thousands = [cell for cell in cells if is_grouped(cell, other)]
    if thousands:
        sign = called[other]
        notes.append(f"The {sign} in {quoted(thousands[0])} is read as a sign between thousands.")
    return tuple(notes)


def _count_lines(file: IO[bytes], start: int) -> int:
    file.seek(start)
    count, last = 0, b"\n"
    while piece := file.read(2**20):
        count, last = count + piece.count(b"\n"), piece[-1:]
    return count + (last != b"\n")


def _parse(
    file: IO[bytes],
    layout: Layout,
    label: str,
    missing: Sequence[str] = MISSING,
    **options: Any,
) -> Any:
    pd = require("pandas", "Reading tables")

    file.seek(layout.start)
    try:
        return pd.read_csv(
            file,
            sep=r"\s+" if layout.delimiter == SPACES else layout.delimiter,
            decimal=layout.decimal,
            header=None,
            skipinitialspace=True,
            skip_blank_lines=False,  # they count, as a spreadsheet shows them
            low_memory=False,
            keep_default_na=False,
            na_values=list(missing),
            encoding=layout.encoding,
            **options,
        )
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise
        expected, line, seen = map(int, found.groups())
        raise BadFile(
            f"{label} has {seen} cells in row {line + layout.first_row - 1}, but {expected} in its"
            " first; give each row as many, and quotation marks to a text with a comma in it."
        ) from None
