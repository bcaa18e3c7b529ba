"""What was measured of criteria without labels on labelled sets, and how far that goes.

`sdsc reproduce criteria` measures it; what we measured ships in ``experiments/criteria.csv``.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sdsc_core.sweeping.results import CRITERIA, TOGETHER, title_of

MEASURED = Path(__file__).parents[1] / "experiments" / "criteria.csv"  # what we measured, all sets
USUAL, ANY = "the paper's values", "any setting"  # what a criterion has to beat
JUDGES = (*CRITERIA, TOGETHER)


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
