"""What can be known of a clustering without labels, to choose settings by.

Each criterion looks at one setting's result: the eigenvalues, the embedding, the cut, the subspaces
of the found clusters, or how much the clusters change under resampling and under other seeds.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import gram
from sdsc_core.imc_path import unit_rows
from sdsc_core.memory import check_memory
from sdsc_core.spectra import Spectrum

MOST_PRODUCTS = 3000  # points whose products are kept for the distance to subspaces
MOST_POINTS = 2000  # of the silhouette, which compares all pairs; of more points so many are drawn
DIMENSION = 6  # of the subspaces that are fitted to found clusters
LEAST_SHARED = 10  # points that two draws must share for their clusters to be compared


def relative_eigengap(spectrum: Spectrum, n_clusters: int) -> float:
    """(μ_{k+1} − μ_k) / μ_{k+1} of the Laplacian's eigenvalues μ = 1 − λ, ascending; in [0, 1].

    1 where the graph falls into k parts, 0 where nothing sets the k-th eigenvector apart from the
    next (von Luxburg, A tutorial on spectral clustering, 2007, section 8.3).

    >>> from sdsc_core import spectrum
    >>> relative_eigengap(spectrum(np.kron(np.eye(2), 1 - np.eye(3)), 3, 2), 2)
    1.0
    """
    if len(spectrum.eigenvalues) <= n_clusters:
        return float("nan")
    own, following = np.maximum(0.0, 1.0 - spectrum.eigenvalues[n_clusters - 1 : n_clusters + 1])
    return float((following - own) / following) if following > 0 else 0.0


def silhouette(rows: Any, labels: Any, seed: int = 0) -> float:
    """Mean silhouette (Rousseeuw, 1987) of clusters of rows (N, d) by Euclidean distance.

    (b − a) / max(a, b) with a point's mean distance a within its cluster and b to the next one; 0
    for a cluster of one point. Of more than 2,000 points so many are drawn. NaN for one cluster.

    >>> round(silhouette([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1]), 3)
    0.98
    """
    rows, labels = np.asarray(rows, np.float64), np.asarray(labels)
    if len(rows) > MOST_POINTS:
        drawn = np.random.default_rng(seed).choice(len(rows), MOST_POINTS, replace=False)
        rows, labels = rows[drawn], labels[drawn]
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    if len(sizes) < 2:
        return float("nan")
    norms = np.einsum("ij,ij->i", rows, rows)
    squares = norms[:, None] + norms - 2.0 * gram(rows)
    distances = np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares)
    np.fill_diagonal(distances, 0.0)
    sums = distances @ np.eye(len(sizes))[labels]
    own = np.arange(len(rows)), labels
    inside = sums[own] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[own] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(inside, nearest)
    value = np.where(larger > 0, (nearest - inside) / np.where(larger > 0, larger, 1.0), 0.0)
    return float(np.where(sizes[labels] > 1, value, 0.0).mean())


def unit_gram(X: Any) -> NDArray[np.float64]:
    """All products of samples of unit length, (N, N); `subspace_distance` starts from them."""
    X = unit_rows(np.asarray(X, np.float64))
    return gram(X)


def check_criteria(n_points: int) -> None:
    """`TooLarge` where products and silhouette would take more memory than may be used.

    >>> check_criteria(100)
    """
    products, compared = min(n_points, MOST_PRODUCTS), min(n_points, MOST_POINTS)
    check_memory(8 * products**2 + 18 * compared**2, "its criteria", n_points)


def some_products(X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The points (at most 3,000, drawn at random) that stand for all of X (N, D), and `unit_gram`.

    >>> some, gram = some_products(np.eye(3))
    >>> some.tolist(), gram.shape
    ([0, 1, 2], (3, 3))
    """
    X = np.asarray(X)
    check_criteria(len(X))
    some = np.arange(len(X))
    if len(X) > MOST_PRODUCTS:
        some = np.sort(np.random.default_rng(0).choice(len(X), MOST_PRODUCTS, replace=False))
    return some, unit_gram(X[some])


def subspace_distance(gram: Any, labels: Any, dimension: int = DIMENSION) -> tuple[float, float]:
    """How well linear subspaces fit the clusters: mean distance, and share nearer to another one.

    Each cluster is halved, every other point; a subspace through the origin, of at most
    ``dimension`` dimensions, is fitted to one half, and the points of the other half, which had no
    part in it, are measured: their distance to their own cluster's subspace as a share of their
    length, and whether another cluster's is nearer. Fitted to the points themselves, the smallest
    clusters would always fit best. ``gram`` is `unit_gram` of the samples.

    >>> X = np.kron(np.eye(2), np.ones((6, 1)))  # two lines
    >>> subspace_distance(unit_gram(X), [0] * 6 + [1] * 6)
    (0.0, 0.0)
    """
    gram = np.asarray(gram, np.float64)
    labels = np.unique(labels, return_inverse=True)[1]
    n, k = len(labels), int(labels.max()) + 1
    half = np.zeros(n, np.int64)
    for c in range(k):
        own = np.flatnonzero(labels == c)
        half[own[1::2]] = 1
    total = gram.diagonal()
    inside = np.zeros((n, k))  # squared length of each point's part within each subspace
    for side in (0, 1):
        measured = np.flatnonzero(half != side)
        for c in range(k):
            fitted = np.flatnonzero((labels == c) & (half == side))
            if len(fitted):
                inside[measured, c] = _within(gram, fitted, measured, dimension)
    squares = np.maximum(total[:, None] - inside, 0.0)
    known = total > 0
    if not known.any():
        return float("nan"), float("nan")
    distance = np.sqrt(squares[known] / total[known, None])
    distance[distance < 1e-7] = 0.0  # rounding, of which the root makes much
    place = np.arange(len(distance)), labels[known]
    mine = distance[place].copy()
    distance[place] = np.inf
    return float(mine.mean()), float((distance.min(axis=1) < mine).mean())


def _within(
    gram: NDArray[np.float64],
    fitted: NDArray[np.int64],
    measured: NDArray[np.int64],
    dimension: int,
) -> NDArray[np.float64]:
    """Squared length of the measured points' parts in the span of the fitted ones' main axes."""
    values, vectors = np.linalg.eigh(gram[np.ix_(fitted, fitted)])
    top = values[-dimension:] > 1e-10 * max(values[-1], 1e-300)
    axes, lengths = vectors[:, -dimension:][:, top], values[-dimension:][top]
    parts = gram[np.ix_(measured, fitted)] @ axes
    return np.einsum("ij,ij,j->i", parts, parts, 1.0 / lengths)


def agreement(first: Any, second: Any) -> float:
    """The adjusted Rand index (Hubert and Arabie, 1985) of two clusterings of the same points.

    1 where they are the same, about 0 where they agree as much as by chance.

    >>> agreement([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    first = np.unique(first, return_inverse=True)[1]
    second = np.unique(second, return_inverse=True)[1]
    n, shape = len(first), (int(first.max()) + 1, int(second.max()) + 1)
    cells = np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1])
    counts = cells.reshape(shape).astype(np.float64)

    def pairs(sizes: Any) -> float:
        return float((sizes * (sizes - 1)).sum() / 2)

    both, rows, cols = pairs(counts), pairs(counts.sum(axis=1)), pairs(counts.sum(axis=0))
    expected, most = rows * cols / max(n * (n - 1) / 2, 1), (rows + cols) / 2
    return 1.0 if most == expected else float((both - expected) / (most - expected))


def shared_agreement(
    rows_a: NDArray[np.int64], labels_a: Any, rows_b: NDArray[np.int64], labels_b: Any
) -> float:
    """`agreement` on the points that two draws share, by their rows in the file.

    NaN where fewer than ten points are shared.

    >>> rows = np.arange(12)
    >>> shared_agreement(rows, rows // 6, rows[1:], rows[1:] // 6)
    1.0
    """
    _, a, b = np.intersect1d(rows_a, rows_b, assume_unique=True, return_indices=True)
    if len(a) < LEAST_SHARED:
        return float("nan")
    return agreement(np.asarray(labels_a)[a], np.asarray(labels_b)[b])
