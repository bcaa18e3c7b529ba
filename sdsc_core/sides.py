"""What follows from one affinity, W or W*: eigenvectors, clusters and figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress
from sdsc_core.checks import Affinity, check_affinity, check_n_clusters
from sdsc_core.kmeans import cluster_rows
from sdsc_core.labels.checking import check_labels
from sdsc_core.metrics import Summary, summary_of
from sdsc_core.spectral import MOST_CLUSTERS, Spectrum, check_spectrum, spectrum, spectrum_of

EIGENVALUES = 16  # shown of every spectrum, once somebody looks


@dataclass(frozen=True, eq=False)
class Side:
    """What follows from one affinity, W or W*: its eigenvectors and the k clusters found.

    ``summary`` holds its figures, by ``truth`` where the classes are known; computed once, when
    it is first read.
    """

    W: Affinity
    spectrum: Spectrum
    labels: NDArray[np.int64]
    truth: NDArray[np.int64] | None
    k: int

    @cached_property
    def summary(self) -> Summary:
        n, truth = self.W.shape[0], self.truth
        truth = None if truth is None else check_labels(truth, n, "truth")
        return summary_of(self.W, check_labels(self.labels, n), truth, self.spectrum)


def n_vectors(n_points: int, n_clusters: int | None) -> int:
    """Eigenvectors to compute: one for each cluster, more where these are still to be counted.

    Those after them lie close together, and took Lanczos twice as many products as these. Two at
    least, for CONN.

    >>> n_vectors(384, 6), n_vectors(384, None), n_vectors(10, None)
    (6, 31, 10)
    """
    wanted = MOST_CLUSTERS + 1 if n_clusters is None else max(2, n_clusters)
    return min(wanted, n_points)


def cluster_side(
    W: Affinity,
    n_clusters: int,
    labels: Any = None,
    *,
    seed: int = 0,
    found: Spectrum | None = None,
    vectors: int | None = None,
    progress: Progress | None = None,
) -> Side:
    """The third stage on one affinity (N, N): eigenvectors, clusters and figures.

    ``found`` is a spectrum of W that is there already; it serves unless the number of clusters
    decides otherwise about weak links between components. ``vectors`` is how many eigenvectors to
    compute, by default `n_vectors`.

    >>> side = cluster_side(np.kron(np.eye(2), 1 - np.eye(3)), 2)
    >>> side.labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    W = check_affinity(W)  # once for all that follows
    n_clusters = check_n_clusters(n_clusters, W.shape[0])
    found = check_spectrum(found, W, "found")
    return side_of(W, n_clusters, labels, seed, found, vectors, progress)


def side_of(
    W: Affinity,
    n_clusters: int,
    labels: Any,
    seed: int,
    found: Spectrum | None,
    vectors: int | None,
    progress: Progress | None,
) -> Side:
    """`cluster_side` of an affinity that was checked before."""
    if found is None or found.n_exact < n_clusters or not found.decides_as(n_clusters):
        wanted = vectors or n_vectors(W.shape[0], n_clusters)
        found = spectrum_of(W, wanted, n_clusters, seed, progress)
    clusters = cluster_rows(found.embedding(n_clusters), n_clusters, seed)
    return Side(W, found, clusters, labels, n_clusters)


def shown_eigenvalues(side: Side, progress: Progress | None = None) -> NDArray[np.float64]:
    """The eigenvalues of a side that a chart shows, the largest first: more than its clusters.

    >>> shown_eigenvalues(cluster_side(np.kron(np.eye(2), 1 - np.eye(3)), 2)).round(2).tolist()
    [1.0, 1.0, -0.5, -0.5, -0.5, -0.5]
    """
    wanted = min(max(EIGENVALUES, side.k), side.W.shape[0])
    found = side.spectrum
    if len(found.eigenvalues) < wanted:
        found = spectrum(side.W, wanted, side.k, progress=progress)
    return found.eigenvalues
