"""How an experiment is run: cell by cell, each computed once and kept."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice, check_count
from sdsc_core.compare import compare_cell
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.experiments.chart import Chart
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.methods import METHODS
from sdsc_core.run import Keep, Report, run_stages
from sdsc_core.search.choose import FEW_POINTS
from sdsc_core.settings import RunSettings

STATISTICS = MEAN, MEDIAN, DEVIATION = "mean", "median", "standard deviation"
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
    statistics: Sequence[str] = (MEAN,)  # of the draws; each has a table
    always_all_draws = False  # even where one takes long
    fixed: Sequence[str] = ()  # options that it has no choice for, such as sizes
    cells_of: str = ""  # another experiment whose cells it shows, and shares

    @abstractmethod
    def cells(self, options: Options) -> list[Cell]:
        """All of them, in the order in which they are computed and shown."""

    def kept_cells(self, options: Options, store: Store) -> list[Cell]:
        """Those of which a store may have some, where nothing is computed."""
        return self.cells(options)

    @abstractmethod
    def measure(self, options: Options, cell: Cell) -> list[Row]:
        """The rows of one cell."""

    def stages_at(self, method: str, where: int | str) -> tuple[str | None, ...]:
        """The dense stages that a method has at a place."""
        return (None, "PCE") if method == "IMC" else (None,)

    def follow(self, options: Options, rows: Sequence[Row], number: int) -> list[Cell]:
        """Further cells, chosen by the rows so far; asked for until there are none."""
        return []

    def report(self, rows: Sequence[Row]) -> str:
        """What the rows say, in Markdown, where tables by method do not say it."""
        return ""

    def printed(self, row: Row, figure: str, statistic: str = MEAN) -> float | None:
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
    for name in experiment.fixed:
        if getattr(options, name):
            option = name.removesuffix("s") if name == "params" else name
            raise ValueError(
                f"--{option} is not for this experiment, which has its own; leave it out."
            )
    store = store or Store(None)
    rows: list[Row] = []
    cells = experiment.cells(options) if compute else experiment.kept_cells(options, store)
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
    spent, warm = 0.0, set[str]()
    for cell in cells:
        kept = store.get(cell)
        if kept is None:
            many = not experiment.always_all_draws and cell.draw - options.seed >= FEWER
            took = max(_of_other_draws(cell, cells, store), default=0.0)
            if (many and took > SLOW) or took > options.limit:
                continue
            why = "" if took else _too_long(cell, cells, store, options.limit)
            if why:
                rows.append(Row(cell.where, cell.draw, cell.method, "none", {}, message=why))
                continue
            if not compute:
                continue
            done, left = (round(1000 * s) for s in (spent, _ahead(cells, store, options)))
            tick(progress, done, max(1, done + left))
            _compile(experiment, options, cell.method, warm)
            start = time.process_time()
            found = experiment.measure(options, cell)
            took = time.process_time() - start
            store.add(cell, found, took)
            kept, spent = store.get(cell), spent + took
        assert kept is not None
        rows += kept.rows
    return rows


def _ahead(cells: Sequence[Cell], store: Store, options: Options) -> float:
    """CPU seconds that cells still take, by what the methods took for other draws and sizes."""
    known: dict[str, dict[int | str, float]] = {}
    missing = []
    for cell in cells:
        kept, own = store.get(cell), known.setdefault(cell.method, {})
        if kept is None:
            missing.append(cell)
        else:
            own[cell.where] = max(kept.seconds, own.get(cell.where, 0.0))
    left = 0.0
    for cell in missing:
        seconds = _expected(known[cell.method], cell.where)
        many = cell.draw - options.seed >= FEWER and seconds > SLOW
        left += 0.0 if many or seconds > options.limit else seconds
    return left


def _expected(known: dict[int | str, float], where: int | str) -> float:
    """The seconds of one place by those of others; 1 where nothing is known.

    >>> _expected({10: 2.0}, 20), _expected({}, 20), _expected({"USPS": 3.0}, "MNIST")
    (8.0, 1.0, 3.0)
    """
    sizes = [n for n in known if isinstance(n, int)]
    if where in known or not sizes or isinstance(where, str):
        return known.get(where, max(known.values(), default=1.0))
    nearest = max((n for n in sizes if n < where), default=min(sizes))
    return known[nearest] * (where / nearest) ** GROWTH


def _compile(experiment: Experiment, options: Options, method: str, warm: set[str]) -> None:
    """Run a method on a few points, so that no cell's time holds that of compiling its kernels."""
    if method in warm or method not in METHODS:
        return
    warm.add(method)
    # The search of IMC has kernels of its own for more points.
    sizes = (20, FEW_POINTS // 3 + 1) if method == "IMC" else (20,)
    for each, dense in product(sizes, (None, "PCE", "D3")):
        few = make_subspaces(3, 3, 10, each, noise=0.1)
        with suppress(ValueError):  # parameters that are for more points: the cell will say
            params = experiment.params(options, method)
            run_stages(few, RunSettings.of_method(method, params, dense=dense))


def _of_other_draws(cell: Cell, cells: Sequence[Cell], store: Store) -> list[float]:
    """What the known draws of this cell's method and size took."""
    return [
        store.cells[c.key].seconds
        for c in cells
        if (c.method, c.where) == (cell.method, cell.where) and c.key in store.cells
    ]


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
    return (
        f"Left out: {took:.0f} s at {size:,}, so about {needed:,.0f} s here, over the limit of"
        f" {limit:,.0f} s for a draw."
    )
