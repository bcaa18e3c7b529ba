"""How people write tables: what parts cells, the sign before decimals, names in the first row."""

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# Names that people give to the classes, the clearest first.
LABEL_NAMES = ("label", "labels", "class", "target", "gnd", "y", "s")
MORE_LABEL_NAMES = ("targets", "truth", "ground_truth", "gt", "y_true")
# What says classes beyond doubt, wherever it stands.
CLEAR_LABELS = (*LABEL_NAMES[:5], *MORE_LABEL_NAMES, "classes", "class_label")
# Names of classes where a column has few values, as diagnosis beside sex and site.
LIKELY_LABELS = (
    *MORE_LABEL_NAMES, "classes", "class_label", "diagnosis", "species", "category", "outcome",
    "group", "type",
    "klasse", "diagnose", "kategorie", "gruppe", "classe", "diagnostic", "catégorie", "groupe",
    "clase", "diagnóstico", "categoría", "grupo",
)  # fmt: skip
WHO = "patient|subject|participant|person|proband|customer|sample|case|record|row"
ID_NAME = re.compile(
    r"(?i:(^|.*[\W_])(id|ids|idx|index|nr|no|key|code|uuid|number|pid|mrn|rownames"
    rf"|\w*nummer|{WHO}|({WHO}|user)id)\.?)|.*[a-z](I[Dd]|Nr)\.?"
)
# Whole numbers of whom; they may come again.
NUMBERED = re.compile(rf"(?i:(.*[\W_])?({WHO}|user)?id)|.*[a-z]I[Dd]")
TIME_NAME = re.compile(r"(?i:(time|timestamp|datetime|date|t)([\W_].*)?)")
# How people write that a number is missing, beside an empty cell and what `is_missing` knows. In
# a column of texts they are texts: + and - may be two classes.
MISSING = ("", "na", "n/a", "nan", "null", "#n/a")
GAP_SIGNS = ("-", "--", "---", "–", "—", "−", "?", ".", "..", "missing", "none")
# Beside point and comma: spaces, also those that do not break or are thin, and apostrophes.
BETWEEN_THOUSANDS = " \u00a0\u2009\u202f'’"
IN_GROUPS = re.compile(
    rf"[-+]?[1-9]\d{{0,2}}(?:([{BETWEEN_THOUSANDS}])\d{{3}})(?:\1\d{{3}})*([.,]\d+)?"
)
MINUS = "−"
MANY_NUMBERS = 5  # rising numbers in a first row that are no accident
MANY_STEPS = 10  # without a word among them: numbers in equal steps, and no other row rises
ROUNDED = 0.005  # by how much steps may differ that are equal but for the digits of the numbers
YEARS = (1900, 2100)
Numbers = NDArray[np.float64]
COMMA = r"[-+]?(?:\d*|[1-9]\d{0,2}(?:\.\d{3})+),\d+(?:[eE][-+]?\d+)?"
POINT = r"[-+]?(?:\d*|[1-9]\d{0,2}(?:,\d{3})+)\.\d+(?:[eE][-+]?\d+)?"


def delimiter_of(lines: Sequence[str]) -> str:
    """What parts the cells of lines whose quoted cells are empty: tab, semicolon, comma or stroke.

    A name may have a semicolon in it; then the row below has none.

    >>> delimiter_of(["a;b", "1,5;2"]), delimiter_of(["a,b;c,d", "1,2,3"])
    (';', ',')
    """
    drawn = any(re.fullmatch(r"[\s|:+-]+", line) for line in lines)  # a line below the names
    found = [sign for sign in "\t;,|" if sign in lines[0] and not (drawn and sign == "|")]
    return next((sign for sign in found if sign in lines[min(1, len(lines) - 1)]), (*found, ",")[0])


def decimal_of(delimiter: str, columns: Sequence[Sequence[str]]) -> str:
    """The sign before decimals in these columns, of which only those of numbers count.

    1,234 may be a thousand or a decimal; any other number with a sign settles it. Where all are
    so, a comma is taken for a decimal one beside semicolons, and beside tabs unless the column
    has 987 too.

    >>> decimal_of(";", [["1.234", "2.345"], ["10,5", "2"]]), decimal_of(";", [["1.234", "2.345"]])
    (',', '.')
    """
    of_numbers = [column for column in columns if holds_numbers(column)]
    cells = [cell for column in of_numbers for cell in column]
    points = [cell for cell in cells if re.fullmatch(POINT, cell)]
    commas = [cell for cell in cells if re.fullmatch(COMMA, cell)]
    point, comma = (
        any(not is_grouped(cell, sign) for cell in found)
        for sign, found in ((".", points), (",", commas))
    )
    if point or comma:
        return "," if comma and not (point and delimiter == ",") else "."
    for sign, other in ((".", ","), (",", ".")):
        if any(is_grouped(cell, sign) and cell.count(sign) > 1 for cell in cells):
            return other
    if delimiter == "," or not commas:
        return "."
    grouped = (
        delimiter == "\t"
        and not points
        and any(groups_thousands(column, ",") for column in of_numbers)
    )
    return "." if grouped else ","


def holds_numbers(cells: Sequence[str]) -> bool:
    """Whether at least half of the cells are numbers; a name above them is none."""
    known = [cell for cell in cells if not is_missing(cell) and cell.lower() not in GAP_SIGNS]
    numbers = [cell for cell in known if is_number(cell, ".") or is_number(cell, ",")]
    return 2 * len(numbers) >= len(known)


def groups_thousands(cells: Sequence[str], sign: str) -> bool:
    """Whether all numbers look as 1,234 and 987 do.

    >>> groups_thousands(["n", "1,234", "987"], ","), groups_thousands(["1,234", "1000"], ",")
    (True, False)
    """
    numbers = [cell for cell in cells if re.fullmatch(r"[-+]?[\d,.]+", cell)]
    grouped = [cell for cell in numbers if is_grouped(cell, sign)]
    small = [cell for cell in numbers if re.fullmatch(r"[-+]?\d{1,3}", cell)]
    return bool(grouped and small) and len(grouped) + len(small) == len(numbers)


def late_number(file: IO[bytes], delimiter: str, sign: str) -> str:
    """The first number of a file with a point or comma in it; nothing where none has.

    With a ``sign`` the first that has this for a decimal one beyond doubt, as 0,5 but not 1,234.
    """
    edge = rf"[{delimiter}\r\n]"
    either = re.compile(rf"(?:^|{edge}) *({COMMA}|{POINT}) *(?={edge}|$)".encode())
    file.seek(0)
    while lines := file.readlines(2**20):
        for found in either.finditer(b"".join(lines).removeprefix(codecs.BOM_UTF8)):
            cell = found[1].decode()
            if not sign or (sign in cell and tells_decimal(cell)):
                return cell
    return ""


def tells_decimal(cell: str) -> bool:
    """A number with a sign in it that can be the decimal one alone.

    >>> tells_decimal("0,5"), tells_decimal("1,234"), tells_decimal("1.234,5")
    (True, False, True)
    """
    return has_sign(cell) and not (is_grouped(cell, ".") or is_grouped(cell, ","))


def has_sign(cell: str) -> bool:
    """A number with a point or a comma in it."""
    return re.fullmatch(f"{COMMA}|{POINT}", cell) is not None or (
        is_grouped(cell, ".") or is_grouped(cell, ",")
    )


def is_grouped(cell: str, sign: str) -> bool:
    """A whole number with a sign between thousands, as 1,234 or 12,345,678.

    >>> is_grouped("1,234", ","), is_grouped("1,23", ","), is_grouped("0,123", ",")
    (True, False, False)
    """
    return re.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+", cell) is not None


def looks_like_header(first: list[str], rows: list[list[str]], decimal: str) -> bool:
    """A word above numbers; else a usual name of the labels, or numbers that only count columns.

    A word that comes again below it is a value, and so is any number that does not count. Below
    names there may be units, which are then called what is wrong with the table, not the names.
    """
    below = [
        [row[k] for row in rows if k < len(row) and not is_missing(row[k])]
        for k in range(len(first))
    ]
    words = [k for k, cell in enumerate(first) if not is_number(cell, decimal)]
    for k in words:
        is_name = any(letter.isalpha() or letter == "_" for letter in first[k])
        values = [cell for cell in below[k] if cell.lower() not in GAP_SIGNS]
        if is_name and values and all(is_number(cell, decimal) for cell in values):
            return True
    filled = [[c for c in row if not is_missing(c)] for row in (first, *rows[:2])]
    without = [not any(is_number(c, decimal) for c in row) for row in filled]
    if without == [True, True, False] and looks_like_header(first, rows[1:], decimal):
        return True
    if any(first[k] in below[k] for k in words):
        return False
    usual = [k for k in words if first[k].lower() in LABEL_NAMES]
    if any(len(first[k]) > 1 and _come_again(below[k]) for k in usual):
        return True  # y alone is a class more easily
    numbers = [cell for cell in first if is_number(cell, decimal) and not is_missing(cell)]
    if not numbers:
        return bool(usual)
    classes = bool(words) and all(_come_again(below[k]) for k in words)
    above_names = first[0] == "" and below[0] and not any(is_number(c, decimal) for c in below[0])
    beside = bool(words or above_names)  # an empty cell above the names of rows, as pandas has it
    return _counts_columns(first, numbers, rows, below[0], beside, classes, decimal)


def may_be_names(first: list[str], rows: list[list[str]], decimal: str) -> bool:
    """Whether a first row that was taken for a sample could be names: its numbers rise.

    A word stands beside them, or they are many, and not all other rows rise.

    >>> may_be_names(["dose", "0", "0.1", "0.3", "1", "3"], [], ".")
    True
    >>> may_be_names(["a", "3", "1"], [], ".")
    False
    """
    values = _values(first, decimal)
    words = any(not is_number(cell, decimal) for cell in first)
    alone = len(values) >= MANY_STEPS and not all(_rise(_values(row, decimal)) for row in rows)
    return (alone or (words and len(values) >= MANY_NUMBERS)) and _rise(values)


def _come_again(cells: Sequence[str]) -> bool:
    """Many classes, of which each comes twice or more."""
    return len(cells) >= MANY_NUMBERS and min(Counter(cells).values()) > 1


def _counts_columns(
    first: list[str],
    numbers: list[str],
    rows: list[list[str]],
    index: list[str],
    words: bool,
    classes: bool,
    decimal: str,
) -> bool:
    """Whether the numbers in a first row are names: 0, 1, 2, … of pandas, years, wavelengths."""
    counts = len(index) > 1 and index in (
        [str(k) for k in range(len(index))], [str(k + 1) for k in range(len(index))]
    )  # fmt: skip
    if first[0] == "" and counts and len(index) >= MANY_NUMBERS:
        return True  # an empty cell above what counts the rows
    if not rows:
        return False
    others = [values for row in rows if len(values := _values(row, decimal)) > 1]
    if _stand_out(_values(first, decimal), others, words):
        return True
    if not _consecutive(numbers):
        return False
    if any(_consecutive([c for c in row if is_number(c, decimal)]) for row in rows):
        return False  # data that counts
    even = [values for values in others if len(values) > 2 and _rise(values)]
    if 2 * sum(map(_in_equal_steps, even)) > len(others):
        return False  # one such row is an accident
    from_zero = numbers[0] == "0"
    if from_zero and first[0] == "":  # the index of pandas stands in front
        named = not any(is_number(cell, decimal) for cell in index)
        return bool(index) and (counts or named or len(numbers) > 2)
    cells = [c for row in rows for c in row if is_number(c, decimal) and not is_missing(c)]
    fractions = any(not re.fullmatch(r"[-+]?\d+", cell) for cell in cells)
    if len(numbers) < 3:
        return (from_zero or classes) and len(numbers) > 1 and fractions
    # Whole numbers from 0 to D - 1 alone may be ranks.
    return words or fractions or (from_zero and any(_beyond(c, len(numbers)) for c in cells))


def _stand_out(first: Numbers, others: list[Numbers], words: bool) -> bool:
    """Whether the numbers of a first row rise as years or wavelengths do, and other rows do not."""
    if len(first) >= MANY_STEPS and _rise(-first):  # as wavenumbers do; sorted samples are shorter
        return (words or _in_equal_steps(first)) and not any(_rise(-values) for values in others)
    if len(first) < 2 or not _rise(first):
        return False
    if words and _are_years(first):
        return not any(map(_are_years, others))
    even = _in_equal_steps(first) and not any(map(_in_equal_steps, others))
    if words:
        apart = _are_whole(first) and not any(map(_are_whole, others))  # hours above values
        return len(first) >= MANY_NUMBERS and (even or apart or not all(map(_rise, others)))
    return len(first) >= MANY_STEPS and even and not any(map(_rise, others))


def _values(cells: Sequence[str], decimal: str) -> Numbers:
    numbers = [cell for cell in cells if is_number(cell, decimal) and not is_missing(cell)]
    thousands = "," if decimal == "." else "."
    return np.array([float(c.replace(thousands, "").replace(decimal, ".")) for c in numbers])


def _rise(values: Numbers) -> bool:
    return bool((np.diff(values) > 0).all())


def _in_equal_steps(values: Numbers) -> bool:
    steps = np.diff(values)
    return bool(len(steps)) and np.allclose(steps, steps[0], rtol=ROUNDED, atol=0)


def _are_years(values: Numbers) -> bool:
    low, high = YEARS
    return _are_whole(values) and bool(((values >= low) & (values <= high)).all())


def _are_whole(values: Numbers) -> bool:
    return bool((values % 1 == 0).all())


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


def plain(cell: str) -> str:
    """A number without signs between thousands that are neither point nor comma, and with a
    minus sign as keyboards have it; anything else as it is.

    >>> plain("12 345,6"), plain("−0.5"), plain("1'234'567"), plain("12 34"), plain("a−b")
    ('12345,6', '-0.5', '1234567', '12 34', 'a−b')
    """
    number = "-" + cell[1:] if re.match(rf"{MINUS}[\d.,]", cell) else cell
    if IN_GROUPS.fullmatch(number):
        return re.sub(f"[{BETWEEN_THOUSANDS}]", "", number)
    return number


def spaced_thousands(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A sentence on the first number that has such signs."""
    cell = next((c for row in rows for c in row if IN_GROUPS.fullmatch(c)), "")
    sign = "apostrophe" if "'" in cell or "’" in cell else "space"
    said = f"The {sign} in {cell} is read as a sign between thousands."
    return (said,) if cell else ()


def is_missing(cell: str) -> bool:
    """Nothing, or one of the ways to write that; Na is sodium.

    >>> is_missing(" NA "), is_missing("Na")
    (True, False)
    """
    return cell.strip() != "Na" and cell.strip().lower() in MISSING


def is_number(cell: str, decimal: str) -> bool:
    """A number, or a missing one."""
    if is_missing(cell):
        return True
    try:
        if "_" in cell:  # 1_1 is a number to Python alone
            return False
        float(cell.replace(decimal, "."))
    except ValueError:
        point, comma = (",", "\\.") if decimal == "," else ("\\.", ",")
        grouped = rf"[-+]?[1-9]\d{{0,2}}({comma}\d{{3}})+({point}\d+)?"
        return re.fullmatch(grouped, cell.strip()) is not None
    return True


def to_numbers(column: Any, decimal: str) -> NDArray[np.float64]:
    """The cells as numbers; NaN where one is missing or is none.

    Signs between thousands are read as such only where they stand right: 1.234,5 or 1,234.5.
    """
    import pandas as pd

    if column.dtype.kind in "buif":
        return column.to_numpy(dtype=np.float64)
    texts = column.astype("string").str.strip()
    odd = texts.str.contains(f"[{BETWEEN_THOUSANDS}{MINUS}]").fillna(False).astype(bool)
    if odd.any():
        texts = texts.where(~odd, texts[odd].map(plain))
    point, comma = ("\\.", ",") if decimal == "." else (",", "\\.")
    grouped = texts.str.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({comma}\d{{3}})+({point}\d+)?")
    grouped = grouped.fillna(False).astype(bool)
    texts = texts.where(~grouped, texts.str.replace(comma.strip("\\"), "", regex=False))
    if decimal == ",":  # a point that is still there is not a decimal one
        texts = texts.where(~texts.str.contains(".", regex=False).fillna(False), "no number")
        texts = texts.str.replace(",", ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
