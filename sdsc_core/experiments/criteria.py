"""How well what is known without labels ranks settings: ``sdsc reproduce criteria``.

On every labelled set the same grid of settings is swept. Each label-free criterion ranks the
settings; beside it stands how that ranking goes with true ACC (Spearman's and Kendall's
correlation), and the regret of trusting it: ACC of the best setting minus ACC of the one that it
puts first.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from sdsc_core.datasets import SAMPLES, Dataset, make_subspaces, prepare, sample
from sdsc_core.experiments import hopkins
from sdsc_core.experiments.keeping import Cell, Row
from sdsc_core.experiments.running import Experiment, Options
from sdsc_core.experiments.tables import known_data, random_digits, random_subjects
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping import Grid, Outcome, best, scores, sweep
from sdsc_core.sweeping.evidence import (
    ANY,
    JUDGES,
    MEASURED,
    USUAL,
    Evidence,
    LeftOut,
    Trust,
    left_out,
    preferred,
    read,
    trust,
)

__all__ = [
    "ANY", "DRAWS", "GRID", "JUDGES", "MEASURED", "SEEDS", "USUAL", "Criteria", "Evidence",
    "LeftOut", "Trust", "judge", "left_out", "preferred", "read", "trust", "whole_acc",
]  # fmt: skip
GRID = Grid(
    gamma=(3, 4, 5, 6, 8, 10, 12),
    theta1=(0.7, 0.8, 0.9),
    theta2=(0.4, 0.5, 0.6),
    dense=(None, "PCE", "D1", "D2", "D3"),
    similarity=("residual", "pair"),
)
QUICK_GRID = Grid(gamma=(4, 8), theta1=(0.8,), theta2=(0.4, 0.6), dense=(None, "PCE", "D3"))
DRAWS, SEEDS = 3, (0, 1)  # of each set: the whole and two parts of it; of k-means
SAMPLE, MOTION = "sample: ", "Hopkins155: "


def _digits(name: str, classes: int, pca: int | None, folder: Any, seed: int) -> Dataset:
    data = known_data(name, folder)
    if classes == 5:
        return random_digits(data, 500, seed, pca)
    return prepare(data, per_class=50, pca=pca, random_state=seed)


def draw_set(name: str, folder: str | Path | None, seed: int) -> Dataset:
    """One of the sets that are swept, as it is drawn for a seed."""
    if name.startswith(SAMPLE):
        return sample(name.removeprefix(SAMPLE))
    if name.startswith(MOTION):
        return motions(folder)[name]
    first, _, what = name.partition(", ")
    number = int(what.split()[0])
    if first == "synthetic":
        return make_subspaces(6, 6, 10, number // 6, random_state=seed)
    if first == "Extended Yale B":
        return random_subjects(known_data("yaleb", folder), number, seed)
    known, pca = {
        "USPS": ("usps", 200),
        "MNIST scattering": ("mnist_scattering", None),
        "MNIST pixels": ("mnist", None),
    }[first]
    return _digits(known, number, pca, folder, seed)


@cache
def motions(folder: str | Path | None) -> dict[str, Dataset]:
    """Some sequences of Hopkins155, those of a quick run, every other one."""
    some = hopkins.sequences(folder, quick=True)[::2]
    return {f"{MOTION}{name}": data for name, data in some}


class Criteria(Experiment):
    """Criteria without labels against true ACC, on samples and research sets of modest size."""

    title = "Settings chosen without labels: criteria against true ACC"
    where, kind, methods = "criterion", "digits", ("IMC",)
    shown = ("regret", "spearman", "kendall")
    fixed = ("sizes", "methods")

    def cells(self, options: Options) -> list[Cell]:
        fixed = [f"{SAMPLE}{name}" for name in SAMPLES]
        drawn = ["synthetic, 300 points"]
        if not options.quick:
            fixed += motions(options.folder)
            drawn += [f"Extended Yale B, {n} subjects" for n in (5, 10)]
            drawn += [
                f"{name}, {n} digits"
                for name in ("USPS", "MNIST scattering", "MNIST pixels")
                for n in (5, 10)
            ]
        draws = [options.seed + k for k in range(options.n_draws(usual=2, quick=1))]
        text = f"settings={len(self.grid(options).settings())} draws={DRAWS} seeds={len(SEEDS)}"
        return [Cell("all", options.seed, name, text) for name in fixed] + [
            Cell("all", draw, name, text) for name in drawn for draw in draws
        ]

    def grid(self, options: Options) -> Grid:
        return QUICK_GRID if options.quick else GRID

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        data = draw_set(cell.method, options.folder, cell.draw)
        smallest = int(0.8 * data.n_points)
        settings = [s for s in self.grid(options).settings() if s.gamma < smallest]
        outcomes = sweep(data, settings, draws=DRAWS, seeds=SEEDS)
        return [
            Row(name, cell.draw, cell.method, "none", figures)
            for name, figures in judge(outcomes).items()
        ]


def judge(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | None]]:
    """For each criterion how its ranking goes with ACC, and the regret of trusting it.

    ACC is that of the whole data, the first draw. Beside the criteria stand the paper's values and
    a setting taken at random, whose regret is that of the mean ACC.
    """
    accs = np.array([whole_acc(o) for o in outcomes])
    top = float(accs.max())
    found: dict[str, dict[str, float | None]] = {}
    for name in JUDGES:
        chosen = best(outcomes, name)
        at = next(k for k, o in enumerate(outcomes) if o is chosen)
        values = scores(outcomes, name)
        found[name] = {
            "regret": top - float(accs[at]),
            "spearman": _spearman(values, accs),
            "kendall": _kendall(values, accs),
            "acc": float(accs[at]),
        }
    paper = RunSettings().dense_key()
    usual = [a for o, a in zip(outcomes, accs, strict=True) if o.settings.dense_key() == paper]
    for name, some in ((USUAL, usual), (ANY, accs)):
        if len(some):
            found[name] = {"regret": top - float(np.mean(some)), "acc": float(np.mean(some))}
    return found


def whole_acc(outcome: Outcome) -> float:
    """Mean ACC over the seeds on the first draw."""
    values = [r.figures["acc"] for r in outcome.results if r.draw == 0]
    return float(np.mean([v for v in values if v is not None]))


def _spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    ranks = rankdata(a), rankdata(b)
    if any(np.ptp(r) == 0 for r in ranks):
        return None  # all alike: there is no ranking to compare
    return float(np.corrcoef(*ranks)[0, 1])


def _kendall(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    ranks = rankdata(a), rankdata(b)
    return None if any(np.ptp(r) == 0 for r in ranks) else float(kendalltau(*ranks).statistic)
