"""k-means for so many clusters that it takes long: in short steps, which a cancelled run leaves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import end_if_cancelled
from sdsc_core.lloyd import one_iteration

MANY = 100_000_000  # points × clusters × columns, from which on it goes in steps
A_STEP = 1_000_000_000  # of the same between two looks whether anybody still waits
MOST_ITERATIONS = 300


def takes_long(rows: NDArray[np.float64], n_clusters: int) -> bool:
    """Whether a distance of every point to every centre takes so long that nobody can wait.

    >>> takes_long(np.ones((640, 10)), 10), takes_long(np.ones((2000, 2000)), 2000)
    (False, True)
    """
    return rows.size * n_clusters > MANY


def in_steps(
    rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int = 10
) -> Any:
    """scikit-learn's `KMeans`, fitted: the best of so many starts, a few iterations at a time.

    Starts are drawn as Arthur and Vassilvitskii (2007) do, by the squared distance to the nearest
    centre so far.

    >>> rows = np.repeat(np.eye(3), 4, axis=0)
    >>> len(set(in_steps(rows, 3, 0).labels_.tolist()))
    3
    """
    rng, best = np.random.default_rng(random_state), None
    at_once = max(1, A_STEP // max(1, rows.size * n_clusters))
    for _ in range(starts):
        centres, labels, found = _spread(rows, n_clusters, rng), np.empty(0), None
        for _ in range(0, MOST_ITERATIONS, at_once):
            end_if_cancelled()
            found = _fitted(rows, n_clusters, centres, at_once)
            if np.array_equal(found.labels_, labels):
                break
            centres, labels = found.cluster_centers_, found.labels_
        if best is None or (found is not None and found.inertia_ < best.inertia_):
            best = found
    return best


def _fitted(
    rows: NDArray[np.float64], n_clusters: int, centres: NDArray[np.float64], iterations: int
) -> Any:
    """scikit-learn's `KMeans` after so many iterations from these centres, at the most.

    Where one iteration alone takes too long, it goes some rows at a time.
    """
    from sklearn.cluster import KMeans

    if rows.size * n_clusters > A_STEP:
        return one_iteration(rows, centres)
    return KMeans(n_clusters, n_init=1, init=centres, max_iter=iterations).fit(rows)


def _spread(
    rows: NDArray[np.float64], n_clusters: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    norms = np.einsum("ij,ij->i", rows, rows)
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.full(len(rows), np.inf)
    while True:
        end_if_cancelled()
        last = chosen[-1]
        distances = norms - 2 * (rows @ rows[last]) + norms[last]
        np.minimum(nearest, np.maximum(distances, 0.0), out=nearest)
        if len(chosen) == n_clusters:
            return rows[chosen]
        total = nearest.sum()
        shares = nearest / total if total > 0 else None  # all rows are centres: any other one
        chosen.append(int(rng.choice(len(rows), p=shares)))
