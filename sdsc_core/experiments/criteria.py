"""How well what is known without labels ranks settings: ``sdsc reproduce criteria``.

On every labelled set the same grid of settings is swept. Each label-free criterion ranks the
settings; beside it stands how that ranking goes with true ACC (Spearman's and Kendall's
correlation), and the regret of trusting it: ACC of the best setting minus ACC of the one that it
puts first.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
from sdsc_core.sweeping import CRITERIA, TOGETHER, Grid, Outcome, best, scores, sweep, title_of

MEASURED = Path(__file__).parent / "criteria.csv"  # what we measured, all sets
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
USUAL, ANY = "the paper's values", "any setting"  # what a criterion has to beat
JUDGES = (*CRITERIA, TOGETHER)


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
        return _motions(folder)[name]
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
def _motions(folder: str | Path | None) -> dict[str, Dataset]:
    """Some sequences of Hopkins155, those of a quick run, every other one."""
    some = hopkins.sequences(folder, quick=True)[::2]
    return {f"{MOTION}{name}": data for name, data in some}


class Criteria(Experiment):
    """Criteria without labels against true ACC, on samples and research sets of modest size."""

    title = "Settings chosen without labels: criteria against true ACC"
    where, kind, methods = "criterion", "digits", ("IMC",)
    shown = ("regret", "spearman", "kendall")

    def cells(self, options: Options) -> list[Cell]:
        if options.methods or options.sizes:
            raise ValueError("--methods and --sizes are not for criteria, which sweeps IMC.")
        fixed = [f"{SAMPLE}{name}" for name in SAMPLES]
        drawn = ["synthetic, 300 points"]
        if not options.quick:
            fixed += _motions(options.folder)
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


@dataclass(frozen=True)
class Evidence:
    """What was measured of one criterion on one set, over its draws."""

    criterion: str
    data: str
    regret: float
    spearman: float
    kendall: float
    acc: float


def read(path: str | Path = MEASURED) -> list[Evidence]:
    """What was measured, a line for each criterion and set; empty where there is no file."""
    if not Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for line in lines:
        groups.setdefault((line["where"], line["method"]), []).append(line)
    return [
        Evidence(criterion, data, *(_mean(own, name) for name in
                                    ("regret", "spearman", "kendall", "acc")))
        for (criterion, data), own in groups.items()
    ]  # fmt: skip


def _mean(lines: Iterable[dict[str, str]], name: str) -> float:
    values = [float(line[name]) for line in lines if line.get(name)]
    return float(np.mean(values)) if values else float("nan")


@dataclass(frozen=True)
class Trust:
    """One criterion over all sets: how far to trust it."""

    criterion: str
    sets: int
    spearman: float  # mean over the sets where it is defined
    regret: float  # mean
    worst: float
    within: float  # share of the sets on which the regret is at most 0.05

    @property
    def title(self) -> str:
        return self.criterion if self.criterion in (USUAL, ANY) else title_of(self.criterion)

    @property
    def sentence(self) -> str:
        """How far to trust it, in plain words."""
        return (
            f"On {self.sets} labelled sets the setting that it puts first had an ACC"
            f" {100 * self.regret:.1f} points below the best setting's in the mean,"
            f" {100 * self.worst:.0f} at worst; on {100 * self.within:.0f} % of the sets it was"
            " within 5 points."
        )


def trust(evidence: Sequence[Evidence]) -> list[Trust]:
    """Each criterion over all sets, the least mean regret first.

    >>> made = [Evidence("cut", "a", 0.1, 0.5, 0.4, 0.8), Evidence("cut", "b", 0.0, 0.7, 0.6, 0.9)]
    >>> trust(made)[0].regret, trust(made)[0].worst
    (0.05, 0.1)
    """
    names = dict.fromkeys(e.criterion for e in evidence)
    made = []
    for name in names:
        own = [e for e in evidence if e.criterion == name]
        ranked = [e.spearman for e in own if e.spearman == e.spearman]
        regrets = np.array([e.regret for e in own])
        made.append(Trust(
            name, len(own), float(np.mean(ranked)) if ranked else float("nan"),
            float(regrets.mean()), float(regrets.max()), float((regrets <= 0.05).mean()),
        ))  # fmt: skip
    return sorted(made, key=lambda t: t.regret)


@dataclass(frozen=True)
class LeftOut:
    """The regret on sets that had no part in choosing the criterion."""

    sets: int
    regret: float  # mean
    worst: float
    within: float  # share of the sets on which the regret is at most 0.05
    chosen: dict[str, int]  # criteria, and for how many of the sets each was the one to take

    @property
    def sentence(self) -> str:
        """What a new set may expect, in plain words."""
        return (
            "The criterion was chosen on these same sets. Chosen without a set and tried on that"
            f" one, {self.sets} times over, the setting was {100 * self.regret:.1f} points below"
            f" the best in the mean, {100 * self.worst:.0f} at worst, and within 5 points on"
            f" {100 * self.within:.0f} % of the sets: expect that of new data."
        )


def left_out(evidence: Sequence[Evidence], among: Sequence[str] = JUDGES) -> LeftOut | None:
    """Each set left out in turn: the criterion of least regret on the others, its regret there.

    None where fewer than two sets were measured.

    >>> made = [Evidence(c, s, r, 0, 0, 1) for c, s, r in
    ...         [("cut", "a", 0.0), ("cut", "b", 0.3), ("astray", "a", 0.1), ("astray", "b", 0.1)]]
    >>> preferred(made), left_out(made).regret  # b alone takes astray, a alone takes cut
    ('astray', 0.2)
    """
    sets = list(dict.fromkeys(e.data for e in evidence))
    known = [e for e in evidence if e.criterion in among]
    if len(sets) < 2 or not known:
        return None
    regrets, chosen = [], []
    for own in sets:
        best_there = preferred([e for e in known if e.data != own], among)
        found = [e.regret for e in known if (e.criterion, e.data) == (best_there, own)]
        regrets += found
        chosen += [best_there] * len(found)
    values = np.array(regrets)
    return LeftOut(
        len(values),
        float(values.mean()),
        float(values.max()),
        float((values <= 0.05).mean()),
        {name: chosen.count(name) for name in dict.fromkeys(chosen)},
    )


def preferred(evidence: Sequence[Evidence], among: Sequence[str] = JUDGES) -> str:
    """The criterion with the least mean regret of those that are known; "together" without any."""
    known = [t.criterion for t in trust(evidence) if t.criterion in among]
    return known[0] if known else TOGETHER
