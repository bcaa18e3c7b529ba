"""What a sweep found: figures of each setting over draws and seeds, the best, and a suggestion."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.settings import RunSettings, spell_setting
from sdsc_core.sweeping.grid import AXES, describe


class Figure(NamedTuple):
    """What a figure is called, whether more of it is better (1), worse (−1) or neither (0).

    ``criterion`` says that it is known without labels and can rank settings; ``percent`` how it
    is shown.
    """

    title: str
    better: int
    criterion: bool
    percent: bool
    help: str


FIGURES: dict[str, Figure] = {
    "acc": Figure("ACC", 1, False, True, "share of points in the right cluster, eq. 14"),
    "nmi": Figure("NMI", 1, False, True, "normalised mutual information, eq. 15"),
    "conn": Figure("CONN, mean", 1, False, False, "mean over the classes' own graphs"),
    "conn_min": Figure("CONN, least", 1, False, False, "least over the classes' own graphs"),
    "conn_whole": Figure("CONN, whole graph", 0, False, False, "of the whole graph"),
    "ncut": Figure("Ncut", -1, False, False, "eq. 8, by the classes where they are known"),
    "density": Figure("density", 0, False, True, "share of pairs that are linked in W*"),
    "components": Figure("components", 0, False, False, "parts that W* falls into"),
    "stability": Figure(
        "stability", 1, True, False,
        "agreement (adjusted Rand index) of the clusters of two draws on the points they share",
    ),
    "seed_stability": Figure(
        "stability over seeds", 1, True, False,
        "agreement (adjusted Rand index) of the clusters of two seeds of k-means",
    ),
    "eigengap": Figure(
        "relative eigengap", 1, True, False,
        "(μₖ₊₁ − μₖ) / μₖ₊₁ of the Laplacian's eigenvalues, k the number of clusters",
    ),
    "cut": Figure("Ncut of the clusters", -1, True, False, "eq. 8, by the found clusters"),
    "silhouette": Figure(
        "silhouette", 1, True, False, "of the found clusters in the spectral embedding"
    ),
    "distance": Figure(
        "distance to subspaces", -1, True, False,
        "of points to the subspace of their own found cluster, fitted to its other half",
    ),
    "astray": Figure(
        "nearer to another subspace", -1, True, True,
        "the share of points that lie nearer to the subspace of another found cluster",
    ),
}  # fmt: skip
TOGETHER = "together"  # the mean rank by all criteria
CRITERIA = tuple(name for name, figure in FIGURES.items() if figure.criterion)


def title_of(criterion: str) -> str:
    """The title of a figure, or of the mean rank."""
    return "all criteria together" if criterion == TOGETHER else FIGURES[criterion].title


@dataclass(frozen=True)
class Result:
    """The figures of one setting on one draw with one seed; None where a figure is not known."""

    draw: int
    seed: int
    figures: Mapping[str, float | None]


@dataclass(frozen=True)
class Outcome:
    """One setting: a result for each draw and seed, and how well draws and seeds agree.

    ``stability`` and ``seed_stability`` hold the agreement of each pair that was compared.
    """

    settings: RunSettings
    results: tuple[Result, ...]
    stability: tuple[float, ...] = ()
    seed_stability: tuple[float, ...] = ()
    message: str = ""

    def values(self, figure: str) -> NDArray[np.float64]:
        """All known values of a figure, over draws and seeds."""
        if figure in ("stability", "seed_stability"):
            found: Sequence[float | None] = getattr(self, figure)
        else:
            found = [r.figures.get(figure) for r in self.results]
        return np.array([v for v in found if v is not None and v == v], np.float64)

    def mean(self, figure: str) -> float:
        """NaN where nothing is known.

        >>> Outcome(RunSettings(), (Result(0, 0, {"acc": 0.5}),)).mean("acc")
        0.5
        """
        values = self.values(figure)
        return float(values.mean()) if values.size else float("nan")

    def spread(self, figure: str) -> float:
        """The standard deviation over draws and seeds; NaN where nothing is known."""
        values = self.values(figure)
        with np.errstate(invalid="ignore"):
            return float(values.std()) if values.size else float("nan")

    @property
    def key(self) -> Any:
        """What of the settings makes it: equal for settings that give the same W*."""
        return self.settings.dense_key()


def known_figures(outcomes: Sequence[Outcome], among: Sequence[str] = tuple(FIGURES)) -> list[str]:
    """The figures that some of the outcomes have."""
    return [name for name in among if any(o.values(name).size for o in outcomes)]


def scores(outcomes: Sequence[Outcome], figure: str) -> NDArray[np.float64]:
    """A number for each outcome, larger for better; −∞ where the figure is not known.

    For ``"together"`` it is the mean rank by all label-free criteria that are known.

    >>> settings = RunSettings()
    >>> low, high = (Outcome(settings, (Result(0, 0, {"cut": v}),)) for v in (0.1, 0.9))
    >>> scores([low, high], "cut").tolist(), scores([low, high], "together").tolist()
    ([-0.1, -0.9], [2.0, 1.0])
    """
    if figure == TOGETHER:
        from scipy.stats import rankdata

        known = known_figures(outcomes, CRITERIA)
        ranks = [rankdata(scores(outcomes, name)) for name in known]
        return np.mean(ranks, axis=0) if ranks else np.full(len(outcomes), -np.inf)
    sign = FIGURES[figure].better or 1
    values = sign * np.array([o.mean(figure) for o in outcomes])
    return np.where(np.isnan(values), -np.inf, values)


def best(outcomes: Sequence[Outcome], figure: str) -> Outcome:
    """The best outcome by a figure or ``"together"``; of equal ones the first by mean rank.

    >>> low, high = (Outcome(RunSettings(), (Result(0, 0, {"acc": v}),)) for v in (0.1, 0.9))
    >>> best([low, high], "acc") is high
    True
    """
    if not outcomes:
        raise ValueError("outcomes is empty; sweep at least one setting.")
    first = scores(outcomes, figure).round(9)
    order = np.lexsort((np.arange(len(outcomes)), -scores(outcomes, TOGETHER), -first))
    return outcomes[order[0]]


def table(
    outcomes: Sequence[Outcome], across: str, down: str, figure: str, **fixed: Any
) -> tuple[list[Any], list[Any], list[list[Outcome | None]]]:
    """Values across and down, and for each pair of them an outcome or None where there is none.

    ``fixed`` names the values of other axes; on those that it does not name, the best counts. A
    stage without θ has the same outcome at all θ.

    >>> made = [Outcome(RunSettings(gamma=g), (Result(0, 0, {"acc": g / 10}),)) for g in (3, 4)]
    >>> across, down, cells = table(made, "gamma", "dense", "acc")
    >>> across, down, cells[0][1].settings.gamma
    ([3, 4], ['PCE'], 4)
    """
    chosen = [o for o in outcomes if all(_at(o, name, value) for name, value in fixed.items())]
    values = {name: axis_values(chosen, name) for name in (across, down)}
    cells: list[list[Outcome | None]] = []
    for b in values[down]:
        row = [o for o in chosen if _at(o, down, b)]
        parts = ([o for o in row if _at(o, across, a)] for a in values[across])
        cells.append([best(part, figure) if part else None for part in parts])
    return values[across], values[down], cells


def axis_values(outcomes: Sequence[Outcome], name: str) -> list[Any]:
    """The values of an axis among some outcomes, in order; of θ those of settings with PCE."""
    own = [o for o in outcomes if _counts(o, name)] or list(outcomes)
    found = dict.fromkeys(getattr(o.settings, name) for o in own)
    return list(found) if name in ("dense", "residual", "similarity") else sorted(found)


def _counts(outcome: Outcome, name: str) -> bool:
    """Whether an axis makes a difference: θ does so for PCE alone."""
    return name not in ("theta1", "theta2") or outcome.settings.dense == "PCE"


def _at(outcome: Outcome, name: str, value: Any) -> bool:
    return not _counts(outcome, name) or getattr(outcome.settings, name) == value


def varied(outcomes: Sequence[Outcome]) -> list[str]:
    """The axes with more than one value."""
    return [name for name in AXES if len(axis_values(outcomes, name)) > 1]


def to_csv(outcomes: Sequence[Outcome]) -> str:
    """A line for each setting, draw and seed; the agreement of draws and seeds beside each.

    >>> made = Outcome(RunSettings(), (Result(0, 0, {"acc": 0.5}),))
    >>> to_csv([made]).splitlines()[1][:45]
    '6,0.8,0.6,PCE,as_printed,residual,0,0,0.5,,,,'
    """
    single = [f for f in FIGURES if f not in ("stability", "seed_stability")]
    pairs = ("stability", "seed_stability")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*AXES, "draw", "seed", *single, *pairs])
    for o in outcomes:
        axes = [spell_setting(getattr(o.settings, name)) if _counts(o, name) else ""
                for name in AXES]  # fmt: skip
        agreed = [_number(o.mean(name)) for name in pairs]
        for r in o.results:
            values = [_number(r.figures.get(name)) for name in single]
            writer.writerow([*axes, r.draw, r.seed, *values, *agreed])
    return text.getvalue()


def _number(value: float | None) -> float | str:
    return "" if value is None or value != value else value


def notes(outcomes: Sequence[Outcome], most: int = 5) -> list[str]:
    """What to tell of settings whose eigenvectors did not converge, of ``most`` in full.

    >>> notes([Outcome(RunSettings(gamma=g), (), message="Not exact.") for g in (3, 4)], 1)
    ['Γ = 3, PCE, θ₁ = 0.8, θ₂ = 0.6: Not exact.', '1 more setting did not converge.']
    """
    told = [f"{describe(o.settings)}: {o.message}" for o in outcomes if o.message]
    rest = len(told) - most
    if rest <= 0:
        return told
    return [*told[:most], f"{rest:,} more setting{'s' * (rest > 1)} did not converge."]


def as_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Settings, and mean and spread of each figure; what is not known or not finite is None."""

    def finite(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    known = known_figures(outcomes)
    return [
        {
            "setting": describe(o.settings),
            **{name: getattr(o.settings, name) for name in AXES},
            "mean": {name: finite(o.mean(name)) for name in known},
            "std": {name: finite(o.spread(name)) for name in known},
            "repeats": len(o.results),
            "message": o.message,
        }
        for o in outcomes
    ]
