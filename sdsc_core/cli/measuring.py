"""Rows of a benchmark: what is measured, its limit, and the table that is printed of them."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the table. ``measure`` gives the figure and a remark on how it came about."""

    name: str
    limit: float | None
    unit: str
    measure: Callable[[], tuple[float, str]]
    at_least: bool = False  # whether the limit is a lower one

    def holds(self, value: float) -> bool:
        assert self.limit is not None
        return value >= self.limit if self.at_least else value <= self.limit


def print_rows(rows: Sequence[Row], only: str = "") -> None:
    """Measure and print every row whose name holds ``only``."""
    chosen = [r for r in rows if only.lower() in r.name.lower()]
    if not chosen:
        names = "; ".join(r.name for r in rows)
        raise ValueError(f"--only is {only!r}; no row holds that, they are: {names}.")
    width = max(len(r.name) for r in chosen)
    print(f"{'what':<{width}}  {'measured':>14}  {'limit':>14}  holds  how")
    for r in chosen:
        value, remark = r.measure()
        limit = "" if r.limit is None else _figure(r.limit, r.unit)
        holds = "" if r.limit is None else "yes" if r.holds(value) else "NO"
        print(f"{r.name:<{width}}  {_figure(value, r.unit):>14}  {limit:>14}  {holds:<5}  {remark}")
        sys.stdout.flush()


def _figure(value: float, unit: str) -> str:
    return f"{value:,.3g} {unit}"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
