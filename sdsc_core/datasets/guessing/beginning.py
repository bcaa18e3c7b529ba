"""How a table begins: with titles or comments, with names, with columns that have none."""

import csv
import re
from collections.abc import Sequence

from sdsc_core.datasets.writing import YEARS, is_missing, is_number

COMMENT = re.compile(r"\s*(#|%|;;|//)")
SIGNS = set("\t;,|")
FEWEST_CELLS = 3  # in a row of a table that has a title; a single name stands above two cells too


def bare_lines(lines: Sequence[str]) -> list[str]:
    """Lines whose quoted cells are empty."""
    return [re.sub(r'"[^"]*"', '""', line) for line in lines]


def lines_above(lines: Sequence[str], delimiter: str, names_wanted: bool) -> int:
    """How many of the first lines are comments or titles.

    >>> lines_above(["# by Ann", "a,b,c", "1,2,3"], ",", True)
    1
    >>> lines_above(["Weights, 2020", "who,age,site,kg,cm,sex", "P1,3,4,5,6,7"], ",", True)
    1
    >>> lines_above(["a,b", "r1,1,2", "r2,3,4"], ",", True)
    0
    """
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows = [[cell.strip() for cell in row] for row in reader]
    if len(rows) != len(lines):
        return 0  # a name of several lines
    n = _n_comments(rows, lines, delimiter)
    return n + (_n_titles(rows[n:]) if names_wanted else 0)


def first_name(names: Sequence[str]) -> str:
    """The first name without the sign of a comment, as NumPy's savetxt puts it there.

    >>> first_name(["# label", "a"]), first_name(["#", "a"]), first_name(["#1", "#2"])
    ('label', '#', '#1')
    """
    others = any(name.startswith("#") for name in names[1:])
    bare = re.sub(r"^(#+|%(?=\s))\s*", "", names[0])
    return names[0] if others or not bare else bare


def n_without_name(names: Sequence[str]) -> int:
    """How many columns in front have none, as the index of pandas.

    >>> n_without_name(["", "Unnamed: 0", "age"])
    2
    """
    unnamed = re.compile(r"(Unnamed: \d+(\.\d+)?)?")  # of one that was saved twice too
    return next((k for k, name in enumerate(names) if not unnamed.fullmatch(name)), len(names))


def rows_have_names(rows: Sequence[list[str]], width: int, decimal: str) -> bool:
    """Whether rows of one cell more than the header begin with their names, as R writes them.

    A comma too many is in some rows alone, or parts a number: then what is before it comes again.

    >>> rows_have_names([["P1", "40", "3"], ["P2", "50", "3"]], 2, ".")
    True
    >>> rows_have_names([["40", "5", "3"], ["40", "7", "3"]], 2, ".")
    False
    """
    fronts = [row[0] for row in rows if len(row) > width and row[0]]
    again = len(set(fronts)) < len(fronts) and all(is_number(cell, decimal) for cell in fronts)
    return not again and all(len(row) != width for row in rows)


def parts_of_table(lines: Sequence[str]) -> Sequence[str]:
    """The lines from the first on that is neither a comment nor without a sign between cells.

    >>> parts_of_table(["# by Ann; 2020", "Weights", "a\\tb", "1\\t2"])
    ['a\\tb', '1\\t2']
    """
    parted = (k for k, line in enumerate(lines) if not COMMENT.match(line) and set(line) & SIGNS)
    return lines[next(parted, 0) :]


def spaces_part(lines: Sequence[str]) -> bool:
    """Whether spaces part the cells, as savetxt and R write them, or tabs of any number.

    Then all lines have as many words, most of which are numbers; a first line of names may have
    one less.

    >>> spaces_part(["a b", "1  2.5", " 3  4"]), spaces_part(["a\\tb", "1\\t\\t2", "3\\t4"])
    (True, True)
    >>> spaces_part(["a,b", "1, 2"]), spaces_part(["a\\tb", "1\\t2"])
    (False, False)
    """
    lines = [line.strip() for line in lines if not COMMENT.match(line)]
    below = lines[1:]
    if not below or any("," in line or ";" in line for line in lines):
        return False
    if any("\t" in line for line in lines) and len({line.count("\t") for line in below}) == 1:
        return False
    rows = [line.split() for line in lines]
    width = len(rows[-1])
    same = all(len(row) == width for row in rows[1:]) and width - len(rows[0]) in (0, 1)
    numbers = sum(_is_number(cell) for row in rows[1:] for cell in row)
    return width > 1 and same and 2 * numbers > width * len(below)


def _n_comments(rows: Sequence[list[str]], lines: Sequence[str], delimiter: str) -> int:
    """Lines that begin as comments do; the last one may hold the names of the columns."""
    n = next((k for k, line in enumerate(lines) if not COMMENT.match(line)), 0)
    if n == 0:
        return 0
    width = len(rows[n])
    if any(len(row) == width and any(map(_is_number, row)) for row in rows[:n]):
        return 0  # samples that are named so, as #ff0000
    last = COMMENT.sub("", lines[n - 1], count=1).strip().split(delimiter)
    return n - (len(last) == width > 1 and any(map(_is_number, rows[n])))


def _n_titles(rows: Sequence[list[str]]) -> int:
    """Lines of few words above the row of names."""
    at = next((k for k, row in enumerate(rows) if not _is_title(row, len(rows[-1]))), 0)
    if not 0 < at < len(rows) - 1 or any(len(row) != len(rows[at]) for row in rows[at:]):
        return 0
    names = rows[at]
    words = [cell for cell in names if cell and not (_is_number(cell) and not _is_year(cell))]
    return at if len(words) == len([c for c in names if c]) >= len(names) - 1 else 0


def _is_title(row: list[str], width: int) -> bool:
    filled = [cell for cell in row if cell]
    few = width >= FEWEST_CELLS and len(filled) <= max(1, width // 3) and len(row) <= width
    return few and not any(map(_is_number, filled[:1]))


def _is_number(cell: str) -> bool:
    return not is_missing(cell) and (is_number(cell, ".") or is_number(cell, ","))


def _is_year(cell: str) -> bool:
    return re.fullmatch(r"\d{4}", cell) is not None and YEARS[0] <= int(cell) <= YEARS[1]
