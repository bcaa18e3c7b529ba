"""Rows of a benchmark: what is measured, its limit, and the table that is printed of them."""

import csv
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """What a row measured, how it came about, and the seconds behind it, for a plot."""

    value: float
    remark: str
    points: int = 0
    seconds: float = math.nan
    rival: float = math.nan


@dataclass(frozen=True)
class Row:
    """One line of the table. ``measure`` gives a `Figure`, or the first two things of one."""

    name: str
    limit: float | None
    unit: str
    measure: Callable[[], tuple[Any, ...]]
    at_least: bool = False  # whether the limit is a lower one

    def holds(self, value: float) -> bool:
        assert self.limit is not None
        return value >= self.limit if self.at_least else value <= self.limit

    def line(self, figure: Figure) -> dict[str, str]:
        """The row as text, by the columns of a file."""
        holds = "" if self.limit is None else "yes" if self.holds(figure.value) else "NO"
        return {
            "what": self.name,
            "measured": _figure(figure.value, self.unit),
            "limit": "" if self.limit is None else _figure(self.limit, self.unit),
            "holds": holds,
            "how": figure.remark,
            "points": str(figure.points or ""),
            "seconds": "" if math.isnan(figure.seconds) else f"{figure.seconds:.4g}",
            "rival": "" if math.isnan(figure.rival) else f"{figure.rival:.4g}",
        }


def print_rows(rows: Sequence[Row], only: Sequence[str] = (), file: str | None = None) -> None:
    """Measure and print the rows, of ``only`` some names those that hold one; a .csv keeps them."""
    chosen = [r for r in rows if _named(r.name, only)]
    for part in only:
        if not any(_named(r.name, [part]) for r in rows):
            names = "; ".join(r.name for r in rows)
            raise ValueError(f"--only is {part!r}; no row holds that, they are: {names}.")
    width = max(len(r.name) for r in chosen)
    print(f"{'what':<{width}}  {'measured':>18}  {'limit':>18}  holds  how")
    for r in chosen:
        line = r.line(Figure(*r.measure()))
        print(
            f"{line['what']:<{width}}  {line['measured']:>18}  {line['limit']:>18}"
            f"  {line['holds']:<5}  {line['how']}"
        )
        sys.stdout.flush()
        if file:
            _keep(Path(file), line, [r.name for r in rows])


def _keep(file: Path, line: dict[str, str], order: list[str]) -> None:
    """Put one line into the file, in place of an earlier one, in the order of the rows."""
    kept = {k["what"]: k for k in read_lines(file)} if file.exists() else {}
    kept[line["what"]] = line
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, line, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[name] for name in order if name in kept)


def read_lines(file: Path) -> list[dict[str, str]]:
    """The lines that earlier runs kept."""
    with open(file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def markdown(lines: Sequence[dict[str, str]], only: Sequence[str] = ()) -> str:
    """Kept lines as a table for a text, all or those whose name holds one of ``only``.

    >>> print(markdown([{"what": "IMC", "measured": "2 s", "limit": "", "how": "once"}]))
    | what | measured | aim | how |
    |---|---|---|---|
    | IMC | 2 s |  | once |
    """
    columns = "what", "measured", "limit", "how"
    rows = [[k[c] for c in columns] for k in lines if _named(k["what"], only)]
    head = [["what", "measured", "aim", "how"]]
    table = [f"| {' | '.join(row)} |" for row in head + rows]
    return "\n".join([table[0], "|---|---|---|---|", *table[1:]])


def _named(name: str, only: Sequence[str]) -> bool:
    return not only or any(part.lower() in name.lower() for part in only)


def _figure(value: float, unit: str) -> str:
    return f"{value:,.3g} {unit}"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
