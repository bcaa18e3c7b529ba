"""Tables 2, 3 and 4 of the paper."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from sdsc_core.checks import check_choice
from sdsc_core.compare import keep_everything
from sdsc_core.datasets import Dataset, load_known, prepare
from sdsc_core.experiments import printed
from sdsc_core.experiments.keeping import Cell, Row
from sdsc_core.experiments.running import MEAN, STATISTICS, Experiment, Options
from sdsc_core.methods import METHODS
from sdsc_core.settings import RunSettings

DIGITS = 5
STAGES = (None, "D1", "D2", "D3")
PAPERS = ("SSC", "OMP", "ENSC", "LSR", "LRR", "BDR", "SSSC", "IMC")
BEYOND = tuple(m for m in METHODS if m not in PAPERS)  # rows of ours


def random_classes(n_classes: int, n: int, seed: int) -> list[int]:
    """So many classes, drawn at random.

    >>> len(random_classes(38, 2, seed=0))
    2
    """
    chosen = np.random.default_rng(seed).choice(n_classes, n, replace=False)
    return sorted(chosen.tolist())


def random_subjects(faces: Dataset, n_subjects: int, seed: int) -> Dataset:
    """All images of so many subjects, drawn at random."""
    return prepare(faces, classes=random_classes(faces.n_classes, n_subjects, seed))


def random_digits(digits: Dataset, n_samples: int, seed: int, pca: int | None = None) -> Dataset:
    """Five digits drawn at random, equally many samples of each."""
    return prepare(
        digits,
        classes=random_classes(digits.n_classes, DIGITS, seed),
        per_class=n_samples // DIGITS,
        pca=pca,
        random_state=seed,
    )


@cache
def known_data(name: str, folder: str | Path | None) -> Dataset:
    """A research data set, read once."""
    return load_known(name, folder)


class Table(Experiment):
    """Methods × dense stages on random draws of a known data set."""

    methods = (*PAPERS, *BEYOND)

    def __init__(
        self, title: str, data: str, kind: str, where: str, sizes: tuple[int, ...],
        draw: Callable[[Dataset, int, int], Dataset],
        stages: Callable[[str], tuple[str | None, ...]],
        shown: tuple[str, ...],
        paper: Callable[[int, str, str, str], float | None],
        statistics: tuple[str, ...] = (MEAN,),
    ):  # fmt: skip
        self.title, self.data, self.kind, self.where, self.sizes = title, data, kind, where, sizes
        self.draw, self.stages, self.shown, self.paper = draw, stages, shown, paper
        self.statistics = statistics

    def cells(self, options: Options) -> list[Cell]:
        for size in options.sizes or ():
            check_choice(size, "size", self.sizes)
        sizes = options.sizes or (self.sizes[:1] if options.quick else self.sizes)
        return [
            Cell(size, options.seed + draw, method, self.settings_text(options, method))
            for size in sizes
            for method in self.chosen_methods(options)
            for draw in range(options.n_draws())
        ]

    def stages_at(self, method: str, where: int | str) -> tuple[str | None, ...]:
        return self.stages(method)

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        part = self.draw(known_data(self.data, options.folder), int(cell.where), cell.draw)
        keep = keep_everything()  # the method's W serves all dense stages
        params = self.params(options, cell.method)
        return [
            self.row(cell, part, RunSettings.of_method(cell.method, params, dense=dense,
                                                       n_clusters=part.n_classes), keep,
                     report=options.report)
            for dense in self.stages(cell.method)
        ]  # fmt: skip

    def printed(self, row: Row, figure: str, statistic: str = MEAN) -> float | None:
        if statistic != MEAN:
            spread = printed.TABLE_2_SPREAD.get(row.name, {}).get(int(row.where))
            return spread[STATISTICS.index(statistic) - 1] / 100 if spread else None
        return self.paper(int(row.where), figure, row.method, row.stage)


def _printed_2(n_subjects: int, figure: str, method: str, stage: str) -> float | None:
    name = {("IMC", "PCE"): "IMC-P"}.get((method, stage), method if stage == "none" else "")
    value = printed.TABLE_2.get(name, {}).get(n_subjects)
    return None if value is None or figure != "acc" else value / 100


def _printed_3(n_samples: int, figure: str, method: str, stage: str) -> float | None:
    if figure != "acc":
        return None
    if method == "IMC":
        values = dict(zip(("none", "PCE"), printed.TABLE_3_IMC[n_samples], strict=True))
    else:
        row = printed.TABLE_3[n_samples].get(method, ())
        values = dict(zip(("none", "D1", "D2", "D3"), row, strict=False))
    return values[stage] / 100 if stage in values else None


def _printed_4(n_samples: int, figure: str, method: str, stage: str) -> float | None:
    if figure not in ("acc", "nmi", "conn") or method not in printed.TABLE_4:
        return None
    values = dict(zip(("none", "D3"), printed.TABLE_4[method], strict=True))
    at = ("acc", "nmi", "conn").index(figure)
    return values[stage][at] / 100 if stage in values else None


def _digit_stages(method: str) -> tuple[str | None, ...]:
    return (None, "PCE", *STAGES[1:]) if method == "IMC" else STAGES


def _usps(data: Dataset, n: int, seed: int) -> Dataset:
    return random_digits(data, n, seed, pca=200)


TABLES: dict[str, Experiment] = {
    "table2": Table(
        "Extended Yale B, random subjects, all of their images (Table 2)",
        "yaleb", "faces", "subjects", (2, 5, 10, 15, 20), random_subjects,
        lambda method: (None, "PCE") if method == "IMC" else (None,), ("acc",), _printed_2,
        STATISTICS,
    ),
    "table3": Table(
        "USPS, 200 principal components, five random digits (Table 3)",
        "usps", "digits", "samples", (500, 1000, 2000, 3000), _usps,
        _digit_stages, ("acc", "nmi", "conn"), _printed_3,
    ),
    "table4": Table(
        "MNIST, scattering features, five random digits (Table 4)",
        "mnist_scattering", "digits", "samples", (500,), random_digits,
        _digit_stages, ("acc", "nmi", "conn"), _printed_4,
    ),
}  # fmt: skip
