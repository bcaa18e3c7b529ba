"""How long a run may take, said before it begins: from measured runs and this machine's speed.

`estimates.csv` holds what each method and each dense stage took at a few sizes, and what `trial`
took then. ``sdsc benchmark estimates --measure`` writes it.
"""

import csv
import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sdsc_core.checks import check_choice, check_count
from sdsc_core.dense import DENSE_STAGES
from sdsc_core.methods import KINDS, METHODS

MEASURED = Path(__file__).with_name("estimates.csv")
AFFINITY = "W"  # the part of a run that ends with the affinity
PARTS = (AFFINITY, "none", "D1", "D2", "D3", "PCE")  # then what follows it, by the dense stage
# What a sweep adds: k-means by one more seed, divided by the number of clusters, to which it is in
# proportion; the criteria without labels of one clustering; the agreement of two clusterings.
SEED, CRITERIA, AGREEMENT = SWEPT = ("seed", "criteria", "agreement")
# A stage beyond the paper passes over the links of W a few times, as D3 does over its paths, and
# what follows it is the same: it is taken to last as long.
LIKE = "D3"
# Methods whose time hardly depends on the kind of data: their runs count for every kind.
ANY_KIND = ("IMC", "OMP", "KNN", "LRSC")
DENSE = "LSR"  # a W without zeros is as dense by one method as by another: one stands for all
GROWTH = (1.0, 3.0)  # exponents between which a part grows beyond what was measured
BY_FEATURES = (0.5, 1.0)  # likewise W with the features, which every method multiplies at least
TRIES, APART = 5, 60.0  # of `trial` in a process, and the seconds between them
_tries: list[tuple[float, float]] = []  # when, and what it took


class Cell(NamedTuple):
    """What one part of a run took, and `trial` on the same machine."""

    method: str
    kind: str
    n_features: int
    n_points: int
    part: str
    seconds: float
    trial: float


def estimate(
    method: str,
    n_points: int,
    n_features: int,
    kind: str = "digits",
    parts: Sequence[str] = PARTS[:2],
    params: Mapping[str, Any] | None = None,
) -> float:
    """About how many seconds these parts of a run take together on this machine.

    Parts are the affinity, ``"W"``, and for each dense stage what follows it: W*, clusters and
    figures; of IMC also what a sweep adds (`SWEPT`). Between measured sizes, and beyond them, time
    grows as a power of the size; of the parameters only the number of picks counts. NaN where the
    method was never measured.

    >>> estimate("IMC", 5000, 10) < estimate("IMC", 50_000, 10)
    True
    """
    check_choice(method, "method", tuple(METHODS))
    check_choice(kind, "kind", KINDS)
    check_count(n_points, "n_points", 1)
    check_count(n_features, "n_features", 1)
    return speed() * sum(_part(method, n_points, n_features, kind, p, params or {}) for p in parts)


def in_words(seconds: float) -> str:
    """An estimated time for a sentence; below a second more would not be true.

    >>> in_words(0.1), in_words(40.2), in_words(5400)
    ('less than a second', 'about 40 s', 'about 1.5 h')
    """
    return "less than a second" if seconds < 1 else f"about {rounded(seconds)}"


def rounded(seconds: float) -> str:
    """A time of a second or more without decimals that nobody needs.

    >>> rounded(30), rounded(600)
    ('30 s', '10 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _part(method: str, n: int, d: int, kind: str, part: str, params: Mapping[str, Any]) -> float:
    """In units of `trial`."""
    check_choice(part, "parts", (*PARTS, *DENSE_STAGES[1:], *SWEPT))
    part = part if part in PARTS + SWEPT else LIKE
    of_form = part != AFFINITY and METHODS[method].dense
    kinds = KINDS if of_form or method in ANY_KIND else (kind,)
    by_features: dict[int, float] = {}
    for of_kind, features, sizes in curves(DENSE if of_form else method, part):
        if of_kind in kinds:
            steps = _steps(method, params, of_kind) if part == AFFINITY else 1.0
            by_features[features] = steps * at(n, sizes, GROWTH)
    return at(d, by_features, BY_FEATURES if part == AFFINITY else (0.0, 0.0))


def at(x: float, known: Mapping[int, float], growth: tuple[float, float]) -> float:
    """A power of x between each two known places; beyond them the last one, within limits.

    From a single place on, the power in the middle of the limits.

    >>> at(400, {100: 1.0, 200: 4.0}, (1, 3)), at(400, {100: 1.0, 200: 32.0}, (1, 3))
    (16.0, 256.0)
    """
    places = sorted(known)
    if not places:
        return math.nan
    if x in known:
        return known[int(x)]
    if len(places) == 1:
        return known[places[0]] * (x / places[0]) ** (sum(growth) / 2)
    i = int(np.clip(np.searchsorted(places, x), 1, len(places) - 1))
    a, b = places[i - 1], places[i]
    power = math.log(known[b] / known[a]) / math.log(b / a)
    if not a <= x <= b:
        power, a = min(max(power, growth[0]), growth[1]), b if x > b else a
    return known[a] * (x / a) ** power


def _steps(method: str, params: Mapping[str, Any], kind: str) -> float:
    """How many times as many picks as the preset of a kind, to which W's time is in proportion."""
    name, preset = METHODS[method].picks, METHODS[method].presets[kind]
    if not name:
        return 1.0
    return float(METHODS[method].settings(**{**preset, **params})[name]) / float(preset[name])


@cache
def cells() -> tuple[Cell, ...]:
    """All that was measured."""
    return tuple(read(MEASURED))


@cache
def curves(method: str, part: str) -> list[tuple[str, int, dict[int, float]]]:
    """Kind, features, and by the number of points what a part took, in units of `trial`."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for c in cells():
        if (c.method, c.part) == (method, part):
            found.setdefault((c.kind, c.n_features), {})[c.n_points] = c.seconds / c.trial
    return [(*key, sizes) for key, sizes in found.items()]


def read(path: Path) -> list[Cell]:
    """The cells of a file, none where there is no such file yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))[1:]
    types = Cell.__annotations__.values()
    return [Cell(*(kind(v) for kind, v in zip(types, line, strict=True))) for line in lines]


def speed() -> float:
    """Seconds of `trial` on this machine: the least of some tries, a minute apart.

    The first may have been beside other work.
    """
    now = time.monotonic()
    if len(_tries) < TRIES and all(now - when >= APART for when, _ in _tries):
        _tries.append((now, trial()))
    return min(seconds for _, seconds in _tries)


def trial() -> float:
    """Seconds of a product, which all cores share, and of a pass of one core over a matrix.

    The pass is a stable sort: NumPy's other sorts are six times as fast where a processor has
    AVX-512, which hardly anything that is estimated is.

    >>> trial() > 0
    True
    """
    A = np.random.default_rng(0).standard_normal((512, 512))
    return math.sqrt(_best(lambda: A @ A) * _best(lambda: np.sort(A, axis=1, kind="stable")))


def _best(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)
