"""Lloyd's algorithm in pieces that a cancelled run can leave: a start, or some rows, at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.blocks import end_if_cancelled

SOME = 5_000_000  # points × clusters × columns, from which on starts are made one by one
A_PIECE = 200_000_000  # of the same between two looks whether anybody still waits


@dataclass(frozen=True, eq=False)
class Fitted:
    """Clusters of the points (N,), centres (k, D), and the sum of squared distances to these."""

    labels_: NDArray[np.int64]
    cluster_centers_: NDArray[np.float64]
    inertia_: float


def best_start(rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int) -> Any:
    """scikit-learn's `KMeans`, fitted: the best of so many starts.

    From some size on they are made one by one, with the same random numbers: the clusters are the
    same, and a cancelled run ends between two of them.

    >>> rows = np.repeat(np.eye(3), 4, axis=0)
    >>> len(set(best_start(rows, 3, 0, 10).labels_.tolist()))
    3
    """
    from sklearn.cluster import KMeans

    if rows.size * n_clusters < SOME:
        return KMeans(n_clusters, n_init=starts, random_state=random_state).fit(rows)
    drawing, best = np.random.RandomState(random_state), None
    for _ in range(starts):
        end_if_cancelled()
        found = KMeans(n_clusters, n_init=1, random_state=drawing).fit(rows)
        if best is None or found.inertia_ < best.inertia_:
            best = found
    return best


def one_iteration(rows: NDArray[np.float64], centres: NDArray[np.float64]) -> Fitted:
    """The nearest of these centres for each point, and the means of the clusters that this makes.

    A cluster without points gets the point that is farthest from its own centre. Where no point is
    away from its centre, there are fewer different ones than clusters, and its centre stays.

    >>> rows = np.array([[0.0], [1.0], [10.0]])
    >>> found = one_iteration(rows, np.array([[0.0], [9.0]]))
    >>> found.labels_.tolist(), found.cluster_centers_.ravel().tolist(), found.inertia_
    ([0, 0, 1], [0.5, 10.0], 2.0)
    """
    labels, far = _nearest(rows, centres)
    k, n, inertia = len(centres), len(rows), float(far.sum())
    empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
    if empty.size:
        farthest = np.argsort(-far, kind="stable")[: len(empty)]
        farthest = farthest[far[farthest] > 0]
        labels[farthest] = empty[: len(farthest)]
    end_if_cancelled()
    counts = np.bincount(labels, minlength=k)[:, None]
    members = sp.csr_array((np.ones(n), (labels, np.arange(n))), (k, n))
    means = np.where(counts > 0, members @ rows / np.maximum(counts, 1), centres)
    return Fitted(labels, means, inertia)


def _nearest(
    rows: NDArray[np.float64], centres: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest centre of each point, and its squared distance."""
    labels, far = np.empty(len(rows), np.int64), np.empty(len(rows))
    norms, piece = np.einsum("ij,ij->i", centres, centres), max(1, A_PIECE // centres.size)
    for a in range(0, len(rows), piece):
        end_if_cancelled()
        some = rows[a : a + piece]
        scores = norms - 2 * (some @ centres.T)
        labels[a : a + piece] = own = scores.argmin(axis=1)
        far[a : a + piece] = scores[np.arange(len(some)), own] + np.einsum("ij,ij->i", some, some)
    return labels, np.maximum(far, 0.0)
