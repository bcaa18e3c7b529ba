"""K-subspaces: clusters as linear subspaces, fitted and assigned in turn.

Bradley and Mangasarian, k-plane clustering (2000); Tseng, nearest q-flat to m points (2000). Each
point goes to the subspace that keeps most of it, min ‖x − B_c B_cᵀ x‖², and each basis B_c becomes
the first principal directions, uncentred, of its points, until no point moves.
"""

import numpy as np
from numpy.typing import NDArray

from sdsc_core.baselines.base import Baseline, Found
from sdsc_core.blocks import Progress, tick
from sdsc_core.kmeans import by_first_appearance
from sdsc_core.methods.base import Parameter

MOST_STEPS = 100
TIE = 1e-12  # of the longest sample's square: what differs less is the same, and the first counts


def ksubspaces(
    X: NDArray[np.float64],
    n_clusters: int,
    *,
    dim: int = 6,
    n_starts: int = 10,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Found:
    """The best of ``n_starts`` by the squared distances of points to their subspaces.

    A start takes as each subspace the span of ``dim`` samples drawn at random. A subspace that all
    points have left stays where it is. All D dimensions would hold every point, so at most D − 1
    are taken, which is then said.

    >>> X = np.array([[1.0, 0.0, 0.1], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -3.0, 0.1]])
    >>> ksubspaces(X, 2, dim=1).labels.tolist()
    [0, 0, 1, 1]
    """
    rng = np.random.default_rng(random_state)
    asked, dim = dim, min(dim, len(X), max(1, X.shape[1] - 1))
    best, least, ended = np.zeros(len(X), np.int64), np.inf, True
    for start in range(n_starts):
        first = [rng.choice(len(X), dim, replace=False) for _ in range(n_clusters)]
        labels, cost, done = _one_start(X, [basis(X[rows], dim) for rows in first], dim,
                                        progress, (start, n_starts))  # fmt: skip
        if cost < least - TIE * (X**2).sum(axis=1).max():
            best, least, ended = labels, cost, done
    tick(progress, n_starts, n_starts)
    notes = [] if ended else [f"Points still moved after {MOST_STEPS} steps."]
    if asked > dim == X.shape[1] - 1:
        notes.append(f"The samples have {X.shape[1]} dimensions, so dim is {dim}, not {asked}.")
    return Found(by_first_appearance(best), message=" ".join(notes))


def _one_start(
    X: NDArray[np.float64],
    bases: list[NDArray[np.float64]],
    dim: int,
    progress: Progress | None,
    at: tuple[int, int],
) -> tuple[NDArray[np.int64], float, bool]:
    """Labels, the sum of squared distances, and whether no point moved any more."""
    labels, tie = np.full(len(X), -1), TIE * (X**2).sum(axis=1).max()
    for _ in range(MOST_STEPS):
        tick(progress, *at)
        far = distances(X, bases)
        nearest = far <= far.min(axis=1, keepdims=True) + tie
        before, labels = labels, nearest.argmax(axis=1)
        if (labels == before).all():
            return labels, float(far.min(axis=1).sum()), True
        bases = [
            basis(X[labels == c], dim) if (labels == c).any() else B for c, B in enumerate(bases)
        ]
    return labels, float(distances(X, bases).min(axis=1).sum()), False


def basis(points: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    """Orthonormal columns (D, at most dim): the first principal directions, uncentred."""
    return np.linalg.svd(points, full_matrices=False)[2][:dim].T


def distances(X: NDArray[np.float64], bases: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Squared distance of each point to each subspace, (N, clusters).

    >>> distances(np.array([[3.0, 4.0]]), [np.array([[1.0], [0.0]])]).tolist()
    [[16.0]]
    """
    squares = (X**2).sum(axis=1)
    return np.stack([np.maximum(squares - ((X @ B) ** 2).sum(axis=1), 0.0) for B in bases], axis=1)


BASELINE = Baseline(
    name="K-subspaces",
    title="K-subspaces, fitted and assigned in turn",
    function=ksubspaces,
    parameters=(
        Parameter("dim", 6, 1, 50, "Dimension of each subspace."),
        Parameter("n_starts", 10, 1, 100, "Starts, of which the best counts."),
    ),
    presets={"faces": {"dim": 9}, "digits": {"dim": 6}, "motion": {"dim": 4}},
    memory=lambda n, d: 8 * (4 * n * d + 50 * d + 64 * n),
)
