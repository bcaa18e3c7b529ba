"""`subspaces`: what found clusters look like as subspaces, and which points fit theirs worst."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import subspace_angles

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_count, check_rows
from sdsc_core.fitted.fitting import COST, Subspace, fit_subspaces
from sdsc_core.fitted.nearest import Nearest, nearest_subspace
from sdsc_core.labels.checking import check_labels, label_names


@dataclass(frozen=True, eq=False)
class Subspaces:
    """The subspaces of K clusters, the angles between them, and how N points fit.

    ``each`` has K subspaces, ``names`` (K,) the labels they were given under, ``labels`` (N,) the
    number of each point's subspace. ``angles`` (K, K) is the smallest principal angle between two
    subspaces in degrees, ``mean_angles`` the mean of all of them; NaN on the diagonal and where a
    subspace has no dimension. ``points`` has each point's distances.
    """

    each: tuple[Subspace, ...]
    names: NDArray[Any]
    labels: NDArray[np.int64]
    angles: NDArray[np.float64]
    mean_angles: NDArray[np.float64]
    points: Nearest

    @property
    def misfit(self) -> NDArray[np.float64]:
        """Distance to the own over that to the next subspace, (N,): above 1 another is nearer."""
        own, next_ = self.points.own, self.points.next
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = own / next_
        return np.where(own == next_, 1.0, ratio)  # 0/0 too: it lies in both

    def worst(self, n: int = 10, cluster: int | None = None) -> NDArray[np.int64]:
        """The points that fit worst, of all or of one subspace, by `misfit`, worst first."""
        n = check_count(n, "n", 1)
        misfit = self.misfit if cluster is None else np.where(
            self.labels == check_count(cluster, "cluster", 0, len(self.each) - 1),
            self.misfit, -1.0,
        )  # fmt: skip
        order = np.argsort(-misfit, kind="stable")[:n]
        return order[misfit[order] >= 0]

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """The name of the nearest subspace for each row of X (n, D)."""
        return self.names[nearest_subspace(X, self.each, n_jobs=n_jobs).labels]


def subspaces(
    X: Any,
    labels: Any,
    *,
    dimension: int | Sequence[int] | None = None,
    affine: bool = False,
    cost: float = COST,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Subspaces:
    """What clusters look like as subspaces.

    Parameters
    ----------
    X : (N, D), an array or a memory-mapped one, which is read some thousand rows at a time.
    labels : (N,), the clusters.
    dimension, affine, cost : see `fit_subspaces`. ``affine`` is for data such as tracks of rigid
        motions, whose subspaces do not pass through the origin; each then has its mean, and angles
        are those between directions.
    progress : hears of each step; raising in it cancels.

    Notes
    -----
    Singular values and basis come from the decomposition of a cluster's points, or of their Gram
    matrix where they are many. The dimension is that of `suggest_dimension`. Principal angles are
    SciPy's `subspace_angles` (Knyazev and Argentati 2002). A distance is ‖x − BᵀBx‖.

    >>> from sdsc_core.datasets import make_subspaces
    >>> data = make_subspaces(3, dim=4, ambient=20, points_each=30, noise=0.01)
    >>> found = subspaces(data.X, data.labels)
    >>> [s.dimension for s in found.each], found.angles.shape, len(found.worst(5))
    ([4, 4, 4], (3, 3), 5)
    """
    X = check_rows(X)
    of = check_labels(labels, len(X))
    options: dict[str, Any] = {"dimension": dimension, "affine": affine, "cost": cost}
    each = fit_subspaces(X, of, **options, progress=progress)
    smallest, mean = principal_angles(each, progress=progress)
    points = nearest_subspace(X, each, of, n_jobs=n_jobs, progress=progress)
    return Subspaces(each, label_names(labels), of, smallest, mean, points)


def principal_angles(
    each: Sequence[Subspace], progress: Progress | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the mean principal angle between each two subspaces, in degrees, (K, K).

    >>> X = np.array([[1.0, 0, 0], [2, 0, 0], [1, 1, 0], [3, 3, 0]])
    >>> principal_angles(fit_subspaces(X, [0, 0, 1, 1]))[0].round(6).tolist()
    [[nan, 45.0], [45.0, nan]]
    """
    count = len(each)
    smallest, mean = np.full((count, count), np.nan), np.full((count, count), np.nan)
    for a in range(count):
        tick(progress, a, count)
        for b in range(a + 1, count):
            if each[a].dimension and each[b].dimension:
                angles = np.degrees(subspace_angles(each[a].basis.T, each[b].basis.T))
                smallest[a, b] = smallest[b, a] = angles.min()
                mean[a, b] = mean[b, a] = angles.mean()
    return smallest, mean
