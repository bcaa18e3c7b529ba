"""What is worth trying on a data set: methods with a small grid each, their stages, their cost."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdsc_core.baselines import BASELINES
from sdsc_core.compare import entry
from sdsc_core.datasets import Dataset
from sdsc_core.estimates import AFFINITY, estimate
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.methods.base import Value
from sdsc_core.settings import NONE, RunSettings, as_options

FLOOR, GRAPH, OURS = "k-means", "KNN", "IMC"
PICKS = {OURS: "n_iterations", GRAPH: "n_neighbours"}  # the parameter whose grid is tried
# What a parameter is called where a setting is told.
SYMBOLS = {"n_iterations": "Γ", "n_neighbours": "k"}


@dataclass(frozen=True)
class Candidate:
    """One setting: a method or baseline with its parameters, and a dense stage or ``"none"``."""

    method: str
    params: tuple[tuple[str, Value], ...] = ()
    dense: str = NONE

    @property
    def name(self) -> str:
        """As the paper calls it.

        >>> Candidate("IMC", dense="PCE").name, Candidate("KNN", dense="D3").name
        ('IMC-P', 'KNN-D3')
        """
        stage = "P" if (self.method, self.dense) == (OURS, "PCE") else self.dense
        return self.method if self.dense == NONE else f"{self.method}-{stage}"

    @property
    def plain(self) -> "Candidate":
        """The same without a dense stage."""
        return Candidate(self.method, self.params)

    @property
    def title(self) -> str:
        """The name with what differs from the method's defaults.

        >>> Candidate("IMC", (("n_iterations", 10), ("residual", "centred")), "PCE").title
        'IMC-P (Γ = 10, residual centred)'
        """
        default = {p.name: p.default for p in entry(self.method).parameters}
        counted = PICKS.get(self.method)
        words = [
            _spell(name, value)
            for name, value in self.params
            if value != default[name] or name == counted
        ]
        return f"{self.name} ({', '.join(words)})" if words else self.name

    def settings(self, n_clusters: int | None = None, seed: int = 0) -> RunSettings | None:
        """For `run_stages`; None for a baseline."""
        if self.method in BASELINES:
            return None
        dense = None if self.dense == NONE else self.dense
        own: dict[str, Any] = {"n_clusters": n_clusters, "seed": seed, "dense": dense}
        return RunSettings.of_method(self.method, dict(self.params), **own)

    def command(self, *file: str, n_clusters: int | None = None) -> str:
        """What to run for the clusters of a file, which may be followed by how to prepare it.

        >>> Candidate("KNN", (("n_neighbours", 10),), "D3").command("mine.csv")
        'sdsc cluster mine.csv --method KNN --dense D3 --param n_neighbours=10 --output labels.csv'
        """
        settings = self.settings(n_clusters)
        if settings is None:
            k = n_clusters or "n_clusters"
            return f"sklearn.cluster.KMeans({k}, n_init=10, random_state=0).fit_predict(X)"
        words = [*(file or ("FILE",)), *as_options(settings), "--output", "labels.csv"]
        return shlex.join(["sdsc", "cluster", *words])


def _spell(name: str, value: Value) -> str:
    if name in SYMBOLS:
        return f"{SYMBOLS[name]} = {value}"
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}".replace("_", " ")


@dataclass(frozen=True)
class Group:
    """Candidates that share one affinity, and the seconds that they take together on a draw."""

    candidates: tuple[Candidate, ...]
    seconds: float
    core: bool = False

    @property
    def name(self) -> str:
        """The method, with its setting where there is more than one."""
        first = self.candidates[0]
        return first.plain.title if first.method in PICKS else first.method


def kind_of(data: Dataset) -> str:
    """The kind of data whose presets are tried.

    >>> from sdsc_core.datasets import sample
    >>> kind_of(sample("motion"))
    'motion'
    """
    return data.kind if data.kind in KINDS else "faces" if data.images is not None else "digits"


def groups(data: Dataset, n_points: int) -> list[Group]:
    """All that is worth trying on draws of so many points, the cheapest first, the core before.

    The core is k-means, the graph of nearest neighbours and IMC, the last two plain and with their
    dense stages. Then come their other settings and the other methods; what the estimate of its
    time does not know comes last.
    """
    kind = kind_of(data)
    core = [
        Group((Candidate(FLOOR),), 0.0, True),
        _group(GRAPH, {}, data, kind, n_points, core=True),
        _group(OURS, {}, data, kind, n_points, core=True),
    ]
    more = [_group(name, own, data, kind, n_points) for name, own in _grid(kind)]
    found = {g.candidates: g for g in [*core, *more]}  # a few points make settings the same
    ordered = sorted(found.values(), key=lambda g: (math.isnan(g.seconds), g.seconds))
    return [g for g in ordered if g.core] + [g for g in ordered if not g.core]


def _grid(kind: str) -> list[tuple[str, dict[str, Value]]]:
    """Other settings of IMC and KNN, and every other method by its preset."""
    picks = {name: int(METHODS[name].presets[kind][PICKS[name]]) for name in PICKS}
    ours: list[dict[str, Value]] = [
        {"residual": "centred"},
        {"n_iterations": 2 * picks[OURS]},
        {"n_iterations": 2 * picks[OURS], "residual": "centred"},
    ]
    own = [(OURS, params) for params in ours]
    own += [(GRAPH, {"n_neighbours": k}) for k in (3, 2 * picks[GRAPH])]
    return own + [(name, {}) for name in METHODS if name not in PICKS]


def _group(
    name: str,
    own: Mapping[str, Value],
    data: Dataset,
    kind: str,
    n_points: int,
    core: bool = False,
) -> Group:
    params = {**METHODS[name].presets.get(kind, {}), **own}
    if name in PICKS:
        params[PICKS[name]] = min(int(params[PICKS[name]]), n_points - 1)
    stages = (NONE, "PCE", "D3") if name == OURS else (NONE, "D3")
    fixed = tuple(sorted(params.items()))
    parts = [AFFINITY, *stages]
    seconds = estimate(name, n_points, data.n_features, kind, parts, params)
    return Group(tuple(Candidate(name, fixed, stage) for stage in stages), seconds, core)
