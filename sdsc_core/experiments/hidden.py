"""What the verdict chooses without a look at classes, beside the truth.

    python -m sdsc_core.experiments.hidden --data DIR

On each labelled set the classes are hidden while settings and methods are tried; then the ACC of
the one that each rule puts first is set against the best that was tried.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sdsc_core.datasets import SAMPLES, Dataset
from sdsc_core.experiments.criteria import SAMPLE, draw_set, motions
from sdsc_core.metrics import clustering_accuracy
from sdsc_core.verdict.judging import lead, stability
from sdsc_core.verdict.trying import try_out

SETS = ("synthetic, 300 points", "Extended Yale B, 5 subjects", "Extended Yale B, 10 subjects",
        "USPS, 5 digits")  # fmt: skip


class Tried(NamedTuple):
    """One candidate on a set: its true ACC, stability, and share of points nearest to their own."""

    title: str
    acc: float
    stable: float
    own: float


RULES: dict[str, Callable[[Tried], float]] = {
    "stability": lambda t: t.stable,
    "points nearest to their own subspace": lambda t: t.own,
    "the mean of both, which the verdict takes": lambda t: t.stable + t.own,
}


def tried(data: Dataset, seconds: float) -> list[Tried]:
    """What `advise` would try on a labelled set with its classes hidden."""
    assert data.labels is not None
    blind = Dataset(data.X, None, data.name, kind=data.kind, images=data.images)
    found = try_out(blind, seconds, n_clusters=data.n_classes, lead=lead)
    made = []
    for candidate in dict.fromkeys(t.candidate for t in found.trials):
        own = [t for t in found.trials if t.candidate == candidate]
        stable = stability(own)
        if stable:
            acc = np.mean([clustering_accuracy(data.labels[t.points], t.labels) for t in own])
            near = np.mean([1.0 - (t.astray or 0.0) for t in own])
            made.append(
                Tried(
                    candidate.title, float(acc), float(np.mean(list(stable.values()))), float(near)
                )
            )
    return made


def regret(made: Sequence[Tried], rule: Callable[[Tried], float]) -> float:
    """ACC of the best that was tried minus that of the one which the rule puts first.

    >>> regret([Tried("a", 0.9, 0.5, 0.9), Tried("b", 0.4, 1.0, 0.3)], RULES["stability"])
    0.5
    """
    return max(t.acc for t in made) - max(made, key=rule).acc


def main() -> None:
    """Measure and print, set by set and in the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with Extended Yale B, USPS and Hopkins155")
    parser.add_argument("--seconds", type=float, default=7.0, help="for each set")
    options = parser.parse_args()
    names = [*(f"{SAMPLE}{name}" for name in SAMPLES), *motions(options.data), *SETS]
    regrets: dict[str, list[float]] = {name: [] for name in RULES}
    for name in names:
        made = tried(draw_set(name, options.data, 0), options.seconds)
        for title, rule in RULES.items():
            regrets[title].append(regret(made, rule))
        print(name, *(f"{title}: {100 * own[-1]:.1f}" for title, own in regrets.items()), sep="; ")
    for title, own in regrets.items():
        print(f"{title}: {100 * np.mean(own):.1f} in the mean, {100 * max(own):.1f} at worst")


if __name__ == "__main__":
    main()
