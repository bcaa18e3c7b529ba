"""How an experiment is run: cell by cell, each computed once and kept."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice, check_count
from sdsc_core.compare import compare_cell
from sdsc_core.datasets import Dataset
from sdsc_core.experiments.chart import Chart
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.methods import METHODS
from sdsc_core.run import Keep, Report
from sdsc_core.settings import RunSettings

DRAWS = 20
LIMIT = 300.0  # CPU seconds for one method on one draw; what would take longer is left out and said
SLOW, FEWER = 60.0, 10  # where one draw takes so many seconds, so many draws are enough
GROWTH = 2.0  # with which power of N a method is taken to grow


@dataclass(frozen=True)
class Options:
    """What whoever runs an experiment chooses; None where the experiment's own choice holds."""

    folder: str | Path | None = None
    draws: int | None = None
    seed: int = 0
    quick: bool = False
    sizes: Sequence[int] | None = None
    methods: Sequence[str] | None = None
    params: dict[str, dict[str, Any]] = field(default_factory=dict)
    limit: float = LIMIT
    report: Report | None = field(default=None, compare=False)  # hears of the steps within a cell

    def n_draws(self, usual: int = DRAWS, quick: int = 2) -> int:
        if self.draws is not None:
            return check_count(self.draws, "draws", 1)
        return quick if self.quick else usual


class Experiment(ABC):
    """One figure or table: which cells it has, how one is measured, what is shown of the rows."""

    title: str
    where: str  # what `Row.where` counts
    kind: str  # whose presets the methods have
    methods: Sequence[str]
    shown: Sequence[str] = ("acc",)  # figures that have a table
    always_all_draws = False  # even where one takes long
    cells_of: str = ""  # another experiment whose cells it shows, and shares

    @abstractmethod
    def cells(self, options: Options) -> list[Cell]:
        """All of them, in the order in which they are computed and shown."""

    @abstractmethod
    def measure(self, options: Options, cell: Cell) -> list[Row]:
        """The rows of one cell."""

    def follow(self, options: Options, rows: Sequence[Row], number: int) -> list[Cell]:
        """Further cells, chosen by the rows so far; asked for until there are none."""
        return []

    def report(self, rows: Sequence[Row]) -> str:
        """What the rows say, in Markdown, where tables by method do not say it."""
        return ""

    def printed(self, row: Row, figure: str) -> float | None:
        """What the paper prints for a row, in the figure's own unit."""
        return None

    def charts(self, rows: Sequence[Row]) -> dict[str, Chart]:
        """Pictures of the rows, by the end of their file's name."""
        return {}

    def pictures(self, options: Options) -> dict[str, str]:
        """Further pictures, as SVG, that no row holds."""
        return {}

    def chosen_methods(self, options: Options) -> Sequence[str]:
        for method in options.methods or ():
            check_choice(method, "method", tuple(METHODS))
        return options.methods or self.methods

    def params(self, options: Options, method: str) -> dict[str, Any]:
        return METHODS[method].presets[self.kind] | options.params.get(method, {})

    def settings_text(self, options: Options, method: str) -> str:
        """All parameters of a method: with others it is another cell."""
        settings = METHODS[method].settings(**self.params(options, method))
        return " ".join(f"{name}={value}" for name, value in settings.items())

    def row(
        self, cell: Cell, data: Dataset, settings: RunSettings, keep: Keep | None = None,
        setting: str = "", report: Report | None = None,
    ) -> Row:  # fmt: skip
        """One run as a row; its seconds are CPU time, so that other work hardly changes them."""
        clock = time.process_time
        found, _ = compare_cell(
            data, settings, repeat=cell.draw, keep=keep, report=report, clock=clock
        )
        figures = {name: getattr(found, name) for name in FIGURES}
        stage, message = found.dense, found.message
        return Row(cell.where, cell.draw, cell.method, stage, figures, setting, message)


FIGURES = ("acc", "nmi", "conn", "conn_min", "conn_whole", "seconds")


def run(
    experiment: Experiment,
    options: Options,
    store: Store | None = None,
    progress: Progress | None = None,
    compute: bool = True,
) -> list[Row]:
    """Every row of an experiment; ``store`` has what is known and keeps what is computed.

    Without ``compute`` only what is kept, and what is left out. A method that would go beyond the
    limit of time, by what it took at a smaller size, is left out from there on: its row has no
    figures, and a message with the time.
    """
    store = store or Store(None)
    rows: list[Row] = []
    cells = experiment.cells(options)
    for number in count(1):
        rows += _measured(experiment, options, cells, store, progress, compute)
        cells = experiment.follow(options, rows, number)
        if not cells:
            break
    tick(progress, 1, 1)
    return rows


def _measured(
    experiment: Experiment,
    options: Options,
    cells: Sequence[Cell],
    store: Store,
    progress: Progress | None,
    compute: bool,
) -> list[Row]:
    rows: list[Row] = []
    for done, cell in enumerate(cells):
        tick(progress, done, len(cells))
        kept = store.get(cell)
        if kept is None:
            many = not experiment.always_all_draws and cell.draw - options.seed >= FEWER
            if many and _slow(cell, cells, store):
                continue
            why = _too_long(cell, cells, store, options.limit)
            if why:
                rows.append(Row(cell.where, cell.draw, cell.method, "none", {}, message=why))
                continue
            if not compute:
                continue
            start = time.process_time()
            found = experiment.measure(options, cell)
            store.add(cell, found, time.process_time() - start)
            kept = store.get(cell)
        assert kept is not None
        rows += kept.rows
    return rows


def _slow(cell: Cell, cells: Sequence[Cell], store: Store) -> bool:
    """Whether an earlier draw of this cell's method and size took long."""
    return any(
        (c.method, c.where) == (cell.method, cell.where)
        and c.key in store.cells
        and store.cells[c.key].seconds > SLOW
        for c in cells
    )


def _too_long(cell: Cell, cells: Sequence[Cell], store: Store, limit: float) -> str:
    """Empty, or a sentence on what the method took at the largest smaller size."""
    if not isinstance(cell.where, int):
        return ""
    smaller = [
        (int(c.where), store.cells[c.key].seconds)
        for c in cells
        if c.method == cell.method and int(c.where) < cell.where and c.key in store.cells
    ]
    if not smaller:
        return ""
    size = max(n for n, _ in smaller)
    took = max(seconds for n, seconds in smaller if n == size)
    needed = took * (cell.where / size) ** GROWTH
    if needed <= limit:
        return ""
    return f"Left out: {took:.0f} s at {size:,}, so about {needed:.0f} s here."
