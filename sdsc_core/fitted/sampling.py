"""Cluster a drawn part of a data set, and give the rest the label of the nearest subspace."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets import Dataset, point_columns, take
from sdsc_core.fitted.fitting import fit_subspaces
from sdsc_core.fitted.nearest import draw_rows, nearest_subspace
from sdsc_core.metrics import clustering_accuracy, nmi
from sdsc_core.run import Report, Run, run_stages
from sdsc_core.settings import RunSettings


@dataclass(frozen=True, eq=False)
class PartRun:
    """A run of the points ``rows`` of ``data``, and what follows for all points, (N,) each.

    ``before`` are the clusters by W and its subspaces, ``after`` those by W*.
    """

    data: Dataset
    run: Run
    rows: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]

    def columns(self) -> dict[str, NDArray]:
        """The columns of `points_csv` for all points, and 1 for those that were clustered."""
        drawn = np.zeros(self.data.n_points, np.int64)
        drawn[self.rows] = 1
        return point_columns(self.data, self.before, self.after) | {"clustered": drawn}

    def figures(self) -> dict[str, tuple[float, float]]:
        """ACC and NMI of all points by W and by W*; none without classes."""
        if self.data.labels is None:
            return {}
        sides, truth = {"W": self.before, "W*": self.after}, self.data.labels
        return {n: (clustering_accuracy(truth, of), nmi(truth, of)) for n, of in sides.items()}


def run_part(
    data: Dataset,
    settings: RunSettings,
    sample: int,
    *,
    affine: bool = False,
    report: Report | None = None,
    n_jobs: int | None = None,
    client: Any = None,
) -> PartRun:
    """Algorithm 3 on ``sample`` points drawn at random; the others join the nearest subspace.

    The seed of the settings draws them. X may be memory-mapped: of the others some thousand rows
    are in memory at a time. The number of clusters is that of the classes of all points where it is
    not set.

    >>> from sdsc_core.datasets import make_subspaces
    >>> data = make_subspaces(2, 4, 20, 100)
    >>> found = run_part(data, RunSettings(), 60)
    >>> len(found.rows), found.figures()["W*"]
    (60, (1.0, 1.0))
    """
    rows = draw_rows(data.n_points, sample, settings.seed)
    if settings.n_clusters is None and data.n_classes:
        settings = replace(settings, n_clusters=data.n_classes)
    part = take(data, rows)
    run = run_stages(part, settings, report=report, n_jobs=n_jobs, client=client)
    sides: list[NDArray[np.int64]] = []
    for name, side in (("W", run.before), ("W*", run.after)):
        if name == "W*" and run.after is run.before:
            sides.append(sides[0])
            continue
        tell = report(f"Subspaces of {name}, points done") if report else None
        found = fit_subspaces(part.X, side.labels, affine=affine, progress=tell)
        of = nearest_subspace(data.X, found, n_jobs=n_jobs, progress=tell).labels
        labels = np.unique(side.labels)[of]
        labels[rows] = side.labels
        sides.append(labels)
    return PartRun(data, run, rows, *sides)
