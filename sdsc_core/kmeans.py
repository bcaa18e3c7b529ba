"""k-means on the rows of an embedding, in short steps where it takes long, and its labels."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import end_if_cancelled, one_thread
from sdsc_core.lloyd import best_start, one_iteration

SEEDED_ON = 20_000  # points on which the starts are tried, drawn where there are more
MANY = 100_000_000  # points × clusters × columns, from which on it goes in steps
A_STEP = 1_000_000_000  # of the same between two looks whether anybody still waits
MOST_ITERATIONS = 300


def cluster_rows(
    rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int = 10
) -> NDArray[np.int64]:
    """k-means on the embedding; labels are numbered by first appearance.

    The best of several starts; of more than 20,000 points it is found on as many of them, drawn at
    random, and all points go on from its centres.
    """
    from sklearn.exceptions import ConvergenceWarning

    some = rows
    if len(rows) > SEEDED_ON:
        drawn = np.random.default_rng(random_state).choice(len(rows), SEEDED_ON, replace=False)
        some = rows[np.sort(drawn)]
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        if takes_long(some, n_clusters):
            found = in_steps(some, n_clusters, random_state, starts)
        else:
            found = best_start(some, n_clusters, random_state, starts)
        if some is not rows:
            found = _fitted(rows, n_clusters, found.cluster_centers_, MOST_ITERATIONS)
        labels = found.labels_
    return by_first_appearance(labels)


def by_first_appearance(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The same clusters (N,), numbered in the order in which they first appear.

    >>> by_first_appearance(np.array([2, 2, 0, 1, 0])).tolist()
    [0, 0, 1, 2, 1]
    """
    first = np.unique(labels, return_index=True)[1]
    rank = np.zeros(labels.max() + 1, np.int64)
    rank[labels[np.sort(first)]] = np.arange(len(first))
    return rank[labels]


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
            if rows.size * n_clusters > A_STEP:  # one iteration takes too long by itself
                found = one_iteration(rows, centres)
            else:
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
    """scikit-learn's `KMeans` after so many iterations from these centres, at the most."""
    from sklearn.cluster import KMeans

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
