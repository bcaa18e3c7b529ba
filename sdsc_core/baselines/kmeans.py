"""k-means on the samples themselves (Lloyd 1982): the floor, as it knows nothing of subspaces."""

import numpy as np
from numpy.typing import NDArray

from sdsc_core.baselines.base import Baseline, Found
from sdsc_core.blocks import Progress, tick
from sdsc_core.kmeans import cluster_rows


def kmeans(
    X: NDArray[np.float64],
    n_clusters: int,
    *,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Found:
    """The best of ten starts of k-means++ by scikit-learn, as in the last stage of every method.

    >>> kmeans(np.array([[0.0], [0.1], [5.0], [5.1]]), 2).labels.tolist()
    [0, 0, 1, 1]
    """
    tick(progress, 0, 1)
    labels = cluster_rows(X, n_clusters, random_state)
    tick(progress, 1, 1)
    return Found(labels)


BASELINE = Baseline(
    name="k-means",
    title="k-means of the samples, no graph",
    function=kmeans,
    parameters=(),
    memory=lambda n, d: 24 * n * d,
)
