"""Hopkins155, segmentation of rigid motions: ``sdsc reproduce hopkins``.

Not in the paper, but the usual test of its methods on affine subspaces: the tracks of one motion
under an affine camera. Every cell is one method on one sequence.
"""

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from sdsc_core.datasets import Dataset
from sdsc_core.datasets.by_name import motions
from sdsc_core.datasets.by_name.motions import FILE as FILE
from sdsc_core.datasets.by_name.motions import MOTIONS
from sdsc_core.experiments.chart import Chart
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.printed import HOPKINS
from sdsc_core.experiments.running import Experiment, Options
from sdsc_core.methods import METHODS
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings

QUICK = 12  # of so many sequences a quick run takes one
SLOW = ("LRSSC", "MSR")  # these meet the smallest of each number of motions alone
SHARES = (0, 1, 2, 5, 10, 15, 20, 30, 40, 50)  # errors in %, up to which a chart counts sequences


def sequences(folder: str | Path | None = None, quick: bool = False) -> list[tuple[str, Dataset]]:
    """All sequences with two or three motions, see `datasets.by_name.motions`, or a few of them."""
    found = motions.sequences(folder)
    if quick:
        by_motions = [[s for s in found if s[1].n_classes == n] for n in MOTIONS]
        found = [s for part in by_motions for s in part[::QUICK]]
    return found


@cache
def _known(folder: str | Path | None) -> dict[str, Dataset]:
    """All sequences by name, read once."""
    return dict(sequences(folder))


class Motions(Experiment):
    """Every method with its preset for motion on every sequence, without a dense stage."""

    title = "Hopkins155, segmentation of rigid motions"
    where, kind, methods, shown = "sequence", "motion", tuple(METHODS), ()
    fixed = ("sizes", "draws", "seed")

    def cells(self, options: Options) -> list[Cell]:
        found = sequences(options.folder, options.quick)
        names, small = [name for name, _ in found], _smallest(found)
        return [
            Cell(name, 0, method, self.settings_text(options, method))
            for method in self.chosen_methods(options)
            for name in names
            if not (options.quick and method in SLOW) or name in small
        ]

    def kept_cells(self, options: Options, store: Store) -> list[Cell]:
        """Those that a store has with these settings: which there are, only the data says."""
        texts = {m: self.settings_text(options, m) for m in self.chosen_methods(options)}
        found = [Cell(*key) for key in store.cells]  # type: ignore[misc]
        return [
            c for m, text in texts.items() for c in found if (c.method, c.settings) == (m, text)
        ]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        data = _known(options.folder)[str(cell.where)]
        settings = RunSettings.of_method(cell.method, self.params(options, cell.method), dense=None)
        begun = time.process_time()
        acc = run_stages(data, settings).after.summary.acc
        assert acc is not None
        figures: dict[str, float | None] = {"error": round(1.0 - acc, 6), "motions": data.n_classes}
        return [_row(cell, figures | {"seconds": round(time.process_time() - begun, 4)})]

    def report(self, rows: Sequence[Row]) -> str:
        return to_markdown(rows)

    def charts(self, rows: Sequence[Row]) -> dict[str, Chart]:
        """The share of the sequences that a method solves with no more than an error."""
        return {
            word: Chart(
                f"Hopkins155, {word} motions", "clustering error up to (%)", "sequences (%)",
                {m: [(x, 100 * float(np.mean([e <= x for e in own]))) for x in SHARES]
                 for m in dict.fromkeys(r.method for r in rows) if (own := errors(rows, m, n))},
            )
            for n, word in MOTIONS.items()
            if any(r.figures["motions"] == n for r in rows)
        }  # fmt: skip


def _smallest(found: Sequence[tuple[str, Dataset]]) -> list[str]:
    """Of each number of motions the sequence with the fewest points."""
    parts = [[s for s in found if s[1].n_classes == n] for n in MOTIONS]
    return [min(part, key=lambda s: s[1].n_points)[0] for part in parts if part]


def _row(cell: Cell, figures: dict[str, float | None]) -> Row:
    return Row(cell.where, cell.draw, cell.method, "none", figures)


def errors(rows: Sequence[Row], method: str, motions: int) -> list[float]:
    """Of a method on the sequences with so many motions, in %."""
    return list(by_sequence(rows, method, motions).values())


def by_sequence(rows: Sequence[Row], method: str, motions: int) -> dict[str, float]:
    """Of a method the error in % by sequence, of those with so many motions; the worst first.

    >>> made = [Row(name, 0, "SSC", "none", {"error": error, "motions": 2})
    ...         for name, error in (("arm", 0.0), ("cars2", 0.25))]
    >>> by_sequence(made, "SSC", 2)
    {'cars2': 25.0, 'arm': 0.0}
    """
    found = {
        str(row.where): 100 * error
        for row in rows
        if row.method == method and row.figures.get("motions") == motions
        and (error := row.figures["error"]) is not None
    }  # fmt: skip
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def to_markdown(rows: Sequence[Row]) -> str:
    """Methods down; mean, median and the published mean for two and for three motions across.

    >>> rows = [Row("cars", 0, "SSC", "none", {"error": 0.02, "motions": 2}),
    ...         Row("arm", 0, "SSC", "none", {"error": 0.0, "motions": 2})]
    >>> print(to_markdown(rows))
    Clustering error (%) of Hopkins155: 2 sequences with two motions, 0 with three
    <BLANKLINE>
    | method | two: mean | median | published | three: mean | median | published | source |
    |---|---|---|---|---|---|---|---|
    | SSC | 1.00 | 1.00 | 1.52 | | | 4.40 | Elhamifar and Vidal 2013 |
    <BLANKLINE>
    """
    counts = [len({r.where for r in rows if r.figures["motions"] == n}) for n in MOTIONS]
    methods = list(dict.fromkeys(r.method for r in rows))
    fewer = [m for m in methods if sum(r.method == m for r in rows) < sum(counts)]
    lines = [
        f"Clustering error (%) of Hopkins155: {counts[0]} sequences with two motions,"
        f" {counts[1]} with three{'; fewer of ' if fewer else ''}{', '.join(fewer)}\n",
        "| method | two: mean | median | published | three: mean | median | published | source |",
        "|---" * 8 + "|",
    ]
    for method in methods:
        *published, source = HOPKINS.get(method, (None, None, ""))
        line = [method]
        for n, figure in zip(MOTIONS, published, strict=True):
            own = errors(rows, method, n)
            line += [f"{np.mean(own):.2f}", f"{np.median(own):.2f}"] if own else ["", ""]
            line.append("" if figure is None else f"{figure:.2f}")
        lines.append(f"| {' | '.join([*line, source])} |".replace("  ", " "))
    return "\n".join([*lines, ""])
