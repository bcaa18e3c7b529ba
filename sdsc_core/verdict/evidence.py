"""What the verdict is worth without classes: what was measured, and a sentence of it.

`python -m sdsc_core.experiments.hidden` measures; its results ship in `hidden.csv` beside it.
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).parents[1] / "experiments" / "hidden.csv"
TAKEN, STABLE = "the mean of both, which the verdict takes", "stability"


class Tried(NamedTuple):
    """One candidate on a set: its true ACC, stability, and share of points nearest to their own."""

    title: str
    acc: float
    stable: float
    own: float


RULES: dict[str, Callable[[Tried], float]] = {
    STABLE: lambda t: t.stable,
    "points nearest to their own subspace": lambda t: t.own,
    TAKEN: lambda t: t.stable + t.own,
}


def regret(made: Sequence[Tried], rule: Callable[[Tried], float]) -> float:
    """ACC of the best that was tried minus that of the one which the rule puts first.

    >>> regret([Tried("a", 0.9, 0.5, 0.9), Tried("b", 0.4, 1.0, 0.3)], RULES["stability"])
    0.5
    """
    return max(t.acc for t in made) - max(made, key=rule).acc


def read_hidden(file: Path = FILE) -> dict[str, list[Tried]]:
    """What was tried on each set."""
    found: dict[str, list[Tried]] = {}
    with open(file, newline="", encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            figures = (float(line[name]) for name in ("acc", "stable", "own"))
            found.setdefault(line["set"], []).append(Tried(line["setting"], *figures))
    return found


def write_hidden(found: dict[str, list[Tried]], file: Path) -> None:
    """The same into a file."""
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["set", "setting", "acc", "stable", "own"])
        for name, made in found.items():
            writer.writerows([name, t.title, *(f"{v:.4f}" for v in t[1:])] for t in made)


def regrets(found: Iterable[Sequence[Tried]], rule: str) -> list[float]:
    """In points of ACC, for each set."""
    return [100 * regret(made, RULES[rule]) for made in found]


@cache
def trust() -> str:
    """How far to trust a verdict without classes.

    >>> trust()[:21]
    'How far to trust it: '
    """
    found = read_hidden()
    own, stable = (regrets(found.values(), rule) for rule in (TAKEN, STABLE))
    return (
        f"How far to trust it: on {len(found)} labelled sets whose classes were hidden, what was"
        f" chosen so was {np.mean(own):.1f} points of ACC below the best that was tried in the"
        f" mean, {max(own):.0f} at worst; by stability alone {np.mean(stable):.1f}, and"
        f" {max(stable):.0f} at worst. The rule was chosen on these sets, so on others it may fare"
        " worse."
    )
