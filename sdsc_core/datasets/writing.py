"""How people write tables: what parts cells, the sign before decimals, names in the first row."""

import codecs
import re
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# Names that people give to the classes, the clearest first.
LABEL_NAMES = ("label", "labels", "class", "target", "gnd", "y", "s")
# Names of classes among several columns of text, such as sex, site and diagnosis.
LIKELY_LABELS = ("diagnosis", "species", "category", "outcome", "group", "type")
WHO = "patient|subject|participant|person|proband|customer|sample|case|record|row"
ID_NAME = re.compile(
    rf"(?i:(^|.*[\W_])(id|ids|idx|index|nr|no|key|code|uuid|number|{WHO}))|.*[a-z]I[Dd]"
)
NUMBERED = re.compile(r"(?i:(.*[\W_])?id)|.*[a-z]I[Dd]")  # whole numbers of whom; may come again
TIME_NAME = re.compile(r"(?i:(time|timestamp|datetime|date|t)([\W_].*)?)")
# How people write that a number is missing, beside an empty cell and what `is_missing` knows. In
# a column of texts they are texts: + and - may be two classes.
GAP_SIGNS = ("-", "--", "---", "–", "—", "?", ".", "..", "missing", "none")
MANY_NUMBERS = 5  # rising numbers in a first row that are no accident
COMMA = r"[-+]?(?:\d*|[1-9]\d{0,2}(?:\.\d{3})+),\d+(?:[eE][-+]?\d+)?"
POINT = r"[-+]?(?:\d*|[1-9]\d{0,2}(?:,\d{3})+)\.\d+(?:[eE][-+]?\d+)?"


def delimiter_of(lines: Sequence[str]) -> str:
    """What parts the cells of lines whose quoted cells are empty: a tab, a semicolon or a comma.

    A name may have a semicolon in it; then the row below has none.

    >>> delimiter_of(["a;b", "1,5;2"]), delimiter_of(["a,b;c,d", "1,2,3"])
    (';', ',')
    """
    found = [sign for sign in "\t;," if sign in lines[0]]
    return next((sign for sign in found if sign in lines[min(1, len(lines) - 1)]), (*found, ",")[0])


def decimal_of(file: IO[bytes], delimiter: str, rows: Sequence[Sequence[str]]) -> str:
    """The sign in the first rows; where these have none, in the first number of the file that has.

    Whole numbers may come first; a comma in a late name must not change what was clear before.
    """
    cells = [cell for row in rows for cell in row]
    points = [cell for cell in cells if re.fullmatch(POINT, cell)]
    commas = [cell for cell in cells if re.fullmatch(COMMA, cell)]
    if delimiter == ",":  # a comma is in quoted cells alone, and 1,234 a thousand
        return "," if not points and not all(is_grouped(cell, ",") for cell in commas) else "."
    millions = [cell for cell in cells if is_grouped(cell, ".") and cell.count(".") > 1]
    if commas or (millions and all(is_grouped(cell, ".") for cell in points)):
        return ","
    if points:
        return "."
    edge = rf"[{delimiter}\r\n]"
    either = re.compile(rf"(?:^|{edge}) *(?:({COMMA})|{POINT}) *(?={edge}|$)".encode())
    file.seek(0)
    while lines := file.readlines(2**20):
        if found := either.search(b"".join(lines).removeprefix(codecs.BOM_UTF8)):
            return "," if found[1] else "."
    return "."


def is_grouped(cell: str, sign: str) -> bool:
    """A whole number with a sign between thousands, as 1,234 or 12,345,678.

    >>> is_grouped("1,234", ","), is_grouped("1,23", ","), is_grouped("0,123", ",")
    (True, False, False)
    """
    return re.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+", cell) is not None


def looks_like_header(first: list[str], rows: list[list[str]], decimal: str) -> bool:
    """A word above numbers; else a usual name of the labels, or numbers that only count columns.

    A word that comes again below it is a value, and so is any number that does not count.
    """
    below = [
        [row[k] for row in rows if k < len(row) and not is_missing(row[k])]
        for k in range(len(first))
    ]
    words = [k for k, cell in enumerate(first) if not is_number(cell, decimal)]
    for k in words:
        is_name = any(letter.isalpha() for letter in first[k])
        values = [cell for cell in below[k] if cell.lower() not in GAP_SIGNS]
        if is_name and values and all(is_number(cell, decimal) for cell in values):
            return True
    if any(first[k] in below[k] for k in words):
        return False
    numbers = [cell for cell in first if is_number(cell, decimal) and not is_missing(cell)]
    if not numbers:
        return any(first[k].lower() in LABEL_NAMES for k in words)
    return _counts_columns(first, numbers, rows, below[0], bool(words), decimal)


def _counts_columns(
    first: list[str],
    numbers: list[str],
    rows: list[list[str]],
    index: list[str],
    words: bool,
    decimal: str,
) -> bool:
    """Whether the numbers in a first row are names: 0, 1, 2, … of pandas, years, wavelengths."""
    if not _consecutive(numbers):
        values = np.array([float(cell.replace(decimal, ".")) for cell in numbers])
        return words and len(numbers) >= MANY_NUMBERS and bool((np.diff(values) > 0).all())
    if any(_consecutive([c for c in row if is_number(c, decimal)]) for row in rows):
        return False  # data that counts
    from_zero = numbers[0] == "0"
    if from_zero and first[0] == "":  # the index of pandas stands in front
        counts = index == [str(k) for k in range(len(index))]
        named = not any(is_number(cell, decimal) for cell in index)
        return bool(index) and (counts or named or len(numbers) > 2)
    cells = [c for row in rows for c in row if is_number(c, decimal) and not is_missing(c)]
    fractions = any(not re.fullmatch(r"[-+]?\d+", cell) for cell in cells)
    if len(numbers) < 3:
        return from_zero and len(numbers) > 1 and fractions
    # Whole numbers from 0 to D - 1 alone may be ranks.
    return words or fractions or (from_zero and any(_beyond(c, len(numbers)) for c in cells))


def _consecutive(cells: Sequence[str]) -> bool:
    """Two or more whole numbers that count up by one, or a single 0."""
    if not all(re.fullmatch(r"\d{1,9}", cell) for cell in cells) or not cells:
        return False
    start = int(cells[0])
    return (len(cells) > 1 or start == 0) and [*map(int, cells)] == [
        *range(start, start + len(cells))
    ]


def _beyond(cell: str, n: int) -> bool:
    return not 0 <= int(cell) < n


def is_missing(cell: str) -> bool:
    """Nothing, or one of the ways to write that."""
    return cell.strip().lower() in ("", "na", "n/a", "nan", "null", "#n/a")


def is_number(cell: str, decimal: str) -> bool:
    """A number, or a missing one."""
    if is_missing(cell):
        return True
    try:
        float(cell.replace(decimal, "."))
    except ValueError:
        grouped = r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?"
        return decimal == "," and re.fullmatch(grouped, cell.strip()) is not None
    return True


def to_numbers(column: Any, decimal: str) -> NDArray[np.float64]:
    """The cells as numbers; NaN where one is missing or is none.

    Signs between thousands are read as such only where they stand right: 1.234,5 or 1,234.5.
    """
    import pandas as pd

    if column.dtype.kind in "buif":
        return column.to_numpy(dtype=np.float64)
    texts = column.astype("string").str.strip()
    point, comma = ("\\.", ",") if decimal == "." else (",", "\\.")
    grouped = texts.str.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({comma}\d{{3}})+({point}\d+)?")
    grouped = grouped.fillna(False).astype(bool)
    texts = texts.where(~grouped, texts.str.replace(comma.strip("\\"), "", regex=False))
    if decimal == ",":  # a point that is still there is not a decimal one
        texts = texts.where(~texts.str.contains(".", regex=False).fillna(False), "no number")
        texts = texts.str.replace(",", ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
