"""Which readings are tried: one factor at a time, a Latin hypercube of all, then neighbours.

A full factorial would have millions of cells. So stage 1 changes one factor at a time around two
readings (as printed, and centred), crosses the factors that the library has options for, on a
coarse grid, and draws a Latin hypercube of all, in which every level of every factor has its share;
stage 2 looks around those that did best.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from sdsc_core.experiments.readings.reading import LONGEST, Reading

AS_PRINTED = Reading()
CENTRED = Reading(gamma=4, theta1=0.9, theta2=0.8, residual="centred")
# The levels of each factor, and the share that each has in the hypercube.
LEVELS: dict[str, dict[Any, float]] = {
    "residual": {"as_printed": 0.5, "centred": 0.5},
    "similarity": {"residual": 0.4, "pair": 0.4, "projection": 0.2},
    "rule": {"max": 0.6, "sum": 0.2, "cut sum": 0.2},
    "unit": {"after": 0.7, "before": 0.2, "none": 0.1},
    "coefficients": {"plain": 0.7, "largest": 0.3},
    "pce": {"maximum": 0.5, "2 passes": 0.15, "3 passes": 0.1, "in place": 0.15, "last": 0.1},
    "rows": {"unit": 0.7, "plain": 0.3},
    "vectors": {"n": 0.5, "n-1": 0.1, "n+1": 0.2, "2n": 0.2},
    "starts": {10: 0.6, 1: 0.2, 50: 0.2},
}
THETAS = (
    (0.65, 0.6), (0.7, 0.6), (0.9, 0.6), (0.95, 0.6), (0.8, 0.45), (0.8, 0.5), (0.8, 0.7),
    (0.8, 0.75), (0.7, 0.5), (0.9, 0.7), (0.9, 0.8), (0.95, 0.9),
)  # fmt: skip


def one_at_a_time(centre: Reading) -> list[Reading]:
    """The centre, and every reading that differs from it in one factor (θ count as one)."""
    found = [centre]
    found += [replace(centre, gamma=gamma) for gamma in range(1, LONGEST + 1)]
    found += [replace(centre, theta1=a, theta2=b) for a, b in THETAS]
    for name, levels in LEVELS.items():
        found += [replace(centre, **{name: level}) for level in levels]
    return found


def crossed() -> list[Reading]:
    """Γ, θ, residual and similarity, each with each, on a coarse grid."""
    thetas = (0.8, 0.6), (0.9, 0.7), (0.9, 0.8), (0.95, 0.9)
    return [
        Reading(gamma=gamma, theta1=a, theta2=b, residual=residual, similarity=similarity)
        for gamma, (a, b), residual, similarity in product(
            (3, 4, 6, 8, 11), thetas, ("as_printed", "centred"), ("residual", "pair")
        )
    ]


def hypercube(n: int, seed: int = 0) -> list[Reading]:
    """n readings in which each factor runs through its levels, in an order of its own.

    >>> sorted(r.gamma for r in hypercube(15)) == list(range(1, 16))
    True
    """
    rng = np.random.default_rng(seed)

    def column() -> Any:  # one place in each of n equal parts of [0, 1]
        return (rng.permutation(n) + 0.5) / n

    gammas = 1 + np.floor(LONGEST * column()).astype(int)
    highs = np.round(0.5 + 0.48 * column(), 2)
    lows = np.round(highs * (0.5 + 0.48 * column()), 2)
    factors = {name: _pick(levels, column()) for name, levels in LEVELS.items()}
    return [
        Reading(gamma=int(gammas[k]), theta1=float(highs[k]), theta2=float(lows[k]),
                **{name: chosen[k] for name, chosen in factors.items()})
        for k in range(n)
    ]  # fmt: skip


def _pick(levels: dict[Any, float], places: Any) -> list[Any]:
    ends, names = np.cumsum(list(levels.values())), list(levels)
    return [names[min(int(np.searchsorted(ends, p, "right")), len(names) - 1)] for p in places]


def screening(n_joint: int, quick: bool = False) -> list[Reading]:
    """Stage 1, each reading once.

    >>> len(screening(100)) == len(set(screening(100)))
    True
    """
    if quick:
        return _unique([AS_PRINTED, CENTRED, *hypercube(4)])
    around = [*one_at_a_time(AS_PRINTED), *one_at_a_time(CENTRED)]
    return _unique([*around, *crossed(), *hypercube(n_joint)])


def neighbours(centres: Sequence[Reading], each: int, seed: int = 1) -> list[Reading]:
    """Around each centre so many readings that differ in one to three factors, by little."""
    rng = np.random.default_rng(seed)
    found = []
    for centre in centres:
        for _ in range(each):
            changed = centre
            for name in rng.choice(["gamma", "theta", *LEVELS], rng.integers(1, 4), replace=False):
                changed = _moved(changed, str(name), rng)
            found.append(changed)
    return _unique(found)


def _moved(reading: Reading, name: str, rng: np.random.Generator) -> Reading:
    if name == "gamma":
        step = int(rng.choice([-2, -1, 1, 2]))
        return replace(reading, gamma=int(np.clip(reading.gamma + step, 1, LONGEST)))
    if name == "theta":
        high = float(np.clip(reading.theta1 + rng.choice([-0.05, 0, 0.05]), 0.4, 0.98))
        low = float(np.clip(reading.theta2 + rng.choice([-0.05, 0, 0.05]), 0.1, high - 0.02))
        return replace(reading, theta1=round(high, 2), theta2=round(low, 2))
    return replace(reading, **{name: list(LEVELS[name])[rng.integers(len(LEVELS[name]))]})


def _unique(readings: Sequence[Reading]) -> list[Reading]:
    return list(dict.fromkeys(readings))
