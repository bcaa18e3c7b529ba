"""How long a computation may take, said before it begins."""

import time
from dataclasses import dataclass
from typing import Any

from sdsc_core.checks import check_count
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.run import sparse_stage
from sdsc_core.settings import RunSettings

# How the time of a method grows with the number of points, for the estimate before a run.
GROWTH = {"LSR": 3.0, "LRR": 3.0, "BDR": 3.0, "LRSC": 3.0, "SSC": 2.3, "SSSC": 2.3}
PROBE_POINTS = 100
# IMC for Γ = 20 on two cores took about this long for each pair of points and pick: a part for
# each feature and one for the search. Measured between 3,000 and 20,000 points.
SECONDS_PER_FEATURE, SECONDS_PER_PICK = 8e-12, 1.7e-9


@dataclass(frozen=True)
class Estimate:
    """Seconds that a method may take, and the number of points it was tried on."""

    seconds: float
    points: int


def estimate(data: Dataset, method: str, n_clusters: int, params: dict[str, Any]) -> Estimate:
    """How long a method may take: measured on about a hundred points, then scaled up.

    >>> from sdsc_core.datasets import make_subspaces
    >>> estimate(make_subspaces(2, 2, 20, 10), "IMC", 2, {}).points
    20
    """
    n = data.n_points
    share = max(2, PROBE_POINTS // max(1, data.n_classes))
    part = prepare(data, per_class=share if data.n_classes else min(n, PROBE_POINTS))
    params = dict(params)
    if "n_iterations" in params:
        params["n_iterations"] = min(params["n_iterations"], part.n_points - 1)
    k = min(n_clusters, part.n_points)
    settings = RunSettings.of_method(method, params, n_clusters=k)
    times = []
    for _ in range(2):  # the first call may compile
        start = time.perf_counter()
        sparse_stage(part, settings)
        times.append(time.perf_counter() - start)
    took = min(times)
    return Estimate(took * (n / part.n_points) ** GROWTH.get(method, 2.0), part.n_points)


def seconds_needed(n_points: int, n_features: int) -> float:
    """About how long IMC takes on two cores; its cost grows with the square of the points.

    >>> seconds_needed(1000, 100) < 0.1 < 600 < seconds_needed(100_000, 500)
    True
    """
    check_count(n_points, "n_points", 1)
    check_count(n_features, "n_features", 1)
    return 20 * n_points**2 * (SECONDS_PER_FEATURE * n_features + SECONDS_PER_PICK)
