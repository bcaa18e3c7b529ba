"""One column of a table: its numbers, and what else it could be."""

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets import writing
from sdsc_core.datasets.safe import BadFile, quoted
from sdsc_core.datasets.tables import Table

FIRST_ROW = " if the first row is a sample (header tells)"
ENOUGH_ROWS = 5  # so many numbers that count up are no accident
GAPS = (*writing.GAP_SIGNS, *writing.MISSING)


class ColumnProblem(BadFile):
    """A cell that does not go with the role of its column; ``what`` leaves out what to do."""

    def __init__(self, what: str, column: str):
        super().__init__(
            f"{what}; correct it, or give the column another role by label_column, id_column or"
            " ignore."
        )
        self.what, self.column = what, column


class Cells:
    """One column: its numbers, and what else it could be."""

    def __init__(self, table: Table, index: int):
        self.table, self.index, self.name = table, index, table.layout.columns[index]
        self.column = table.frame[index]
        self.numbers = writing.to_numbers(self.column, table.layout.decimal)
        plain = self.column.dtype.kind in "buif"  # most are, and pandas takes its time for each
        self.known = ~np.isnan(self.numbers) if plain else self.column.notna().to_numpy()
        self.wrong = self.known & np.isnan(self.numbers)
        self.gap_signs: tuple[str, ...] = ()
        if self.wrong.any():
            self._see_gaps()
        # Mostly numbers: the rest are faults, which `checked` names.
        self.is_text = bool(2 * self.wrong.sum() > self.known.sum())
        self.is_empty = not self.known.any()
        self.is_complete = bool(self.known.all())

    def _see_gaps(self) -> None:
        """Among numbers, a sign such as - is a missing one."""
        texts = self.column.astype("string").str.strip().str.lower()
        gaps = self.wrong & texts.isin(GAPS).to_numpy(dtype=bool, na_value=False)
        if np.isnan(self.numbers).all():
            return
        self.gap_signs = tuple(texts[gaps])
        self.known, self.wrong = self.known & ~gaps, self.wrong & ~gaps

    def checked(self) -> NDArray[np.float64]:
        """The numbers; a cell that is none is an error that says where it is."""
        if self.wrong.any():
            at = int(np.flatnonzero(self.wrong)[0])
            sample = at == 0 and not self.table.layout.has_header
            raise ColumnProblem(
                f"{self.table.label} has {quoted(self.column.iloc[at], 40)!r} in row"
                f" {self.table.rows[at]} of column {quoted(self.name)!r}, where a number is needed"
                + (FIRST_ROW if sample else ""),
                self.name,
            )
        return self.numbers

    @property
    def is_whole(self) -> bool:
        known = self.numbers[~np.isnan(self.numbers)]
        whole = bool(np.isfinite(known).all() and (known % 1 == 0).all())
        return whole and not self.is_text and not self.wrong.any()

    @property
    def n_values(self) -> int:
        return int(self.column.nunique())

    def names_rows(self) -> str:
        """Why this column can be nothing but an identifier, or nothing if it can."""
        n, named = int(self.known.sum()), writing.ID_NAME.fullmatch(self.name) is not None
        if n < 2:
            return ""
        if self.index < self.table.layout.n_row_names and (self.is_text or self.is_whole):
            # No two rows of R have one name.
            classes = self.is_text and self.n_values < n and self.has_few_values()
            return "" if classes else "it stands in front of the rows without a name"
        if not (named or self.is_complete):
            return ""
        if self._is_time():
            return "its name says time, and it rises from row to row"
        if self.is_text:
            where = "in every row" if self.is_complete else "wherever it is given"
            return f"it is text that differs {where}" if self.n_values == n else ""
        low, high = np.nanmin(self.numbers), np.nanmax(self.numbers)
        counts = len(self.numbers) == n >= ENOUGH_ROWS and low + n - 1 == high
        if not (counts or named) or not self.is_whole:
            return ""
        if self.n_values < n:
            return "its name says so" if writing.NUMBERED.fullmatch(self.name) else ""
        if counts:
            return f"it counts the rows from {low:.0f} to {high:.0f}"
        where = "in every row" if self.is_complete else "wherever it is given"
        return f"its name says so, and it differs {where}"

    def _is_time(self) -> bool:
        """When each row was measured, which says nothing of what was."""
        named = (
            len(self.numbers) >= ENOUGH_ROWS and writing.TIME_NAME.fullmatch(self.name) is not None
        )
        return named and bool((self.numbers[1:] > self.numbers[:-1]).all())

    def is_coordinate(self) -> bool:
        """A y of numbers beside an x; classes in words are none."""
        names = [name.lower() for name in self.table.layout.columns]
        return self.name.lower() == "y" and "x" in names and not self.is_text

    def has_few_values(self) -> bool:
        return 2 <= self.n_values <= max(2, len(self.numbers) // 2)

    def could_be_classes(self) -> bool:
        return self.is_text or bool(self.wrong.any()) or self.is_whole
