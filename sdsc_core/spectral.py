"""Stage 3: spectral clustering by normalised cut, for a few points up to a million."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core import eigenpairs
from sdsc_core.blocks import Progress, one_thread
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_count,
    check_kind,
    check_n_clusters,
    check_random_state,
    check_values,
    is_sparse,
)
from sdsc_core.kmeans import cluster_rows
from sdsc_core.memory import check_memory
from sdsc_core.sparse.entries import components_of, scaled

MOST_CLUSTERS = 30  # that `suggest_n_clusters` is asked for, here and in the app


@dataclass(frozen=True)
class Spectrum:
    """Top of the spectrum of D^{-1/2} W D^{-1/2}.

    Attributes
    ----------
    eigenvalues : (m,), descending; 1 − λ is the Laplacian's.
    vectors : (N, m), orthonormal columns.
    component : (N,), the connected component of each point.
    n_components : their number; a point without edges is one by itself.
    regularised : whether weak links between all points were added (see `spectrum`).
    converged : whether all eigenpairs reached the solver's accuracy.
    residual : the largest ‖A v − λ v‖ where they did not.
    n_exact : how many pairs can be clustered by; in a large graph the others are only to be shown.
    """

    eigenvalues: NDArray[np.float64]
    vectors: NDArray[np.float64]
    component: NDArray[np.int64]
    n_components: int
    regularised: bool
    converged: bool = True
    residual: float = 0.0
    n_exact: int = 0

    @property
    def message(self) -> str:
        """Empty, or a sentence on eigenvectors that did not converge."""
        if self.converged:
            return ""
        return (
            "The eigenvectors did not converge, so clusters and eigenvalues are not exact: the"
            f" residual is {self.residual:.2g}, above the tolerance of {eigenpairs.COARSE:.2g}."
        )

    def embedding(self, n: int) -> NDArray[np.float64]:
        """The first n eigenvectors, rows of unit norm (Ng, Jordan and Weiss); zero rows stay."""
        n = check_count(n, "n", 1, self.vectors.shape[1], ", the eigenvectors that are there")
        rows = self.vectors[:, :n]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms > 1e-12, norms, 1.0)

    def decides_as(self, n_clusters: int) -> bool:
        """Whether so many clusters ask for weak links where this spectrum has them.

        >>> Spectrum(np.ones(1), np.ones((2, 1)), np.arange(2), 2, False).decides_as(1)
        False
        """
        return self.regularised == (self.n_components > n_clusters)


def check_spectrum(found: Any, W: Affinity, name: str) -> Spectrum | None:
    """None, or a spectrum that is W's as far as components and the first two pairs tell.

    >>> check_spectrum(None, np.eye(2), "found")
    """
    if found is None:
        return None
    found = check_kind(found, Spectrum, name, "what `spectrum` returns")
    points, n = len(found.vectors), W.shape[0]
    if points != n:
        raise ValueError(f"{name} is of {points} points; W has {n}, give the spectrum of W.")
    if not np.array_equal(components_of(W)[1], found.component) or not _are_pairs(found, W):
        raise ValueError(f"{name} is the spectrum of another graph; give that of W.")
    return found


def _are_pairs(found: Spectrum, W: Affinity) -> bool:
    """Whether the first two, as far as they are exact, are eigenpairs of W."""
    some = min(2, found.n_exact)
    vectors, values = found.vectors[:, :some], found.eigenvalues[:some]
    degrees = np.asarray(W.sum(axis=1)).ravel()
    tau = degrees.mean() if found.regularised else 0.0
    roots = np.sqrt(degrees + tau)
    scale = 1.0 / np.where(roots > 0, roots, 1.0)[:, None]
    inner = vectors * scale
    products = scale * (W @ inner + tau / len(roots) * inner.sum(axis=0))
    linked = roots > 0  # a point alone has the eigenvalue 1, and no row of W
    gaps = np.linalg.norm((products - vectors * values)[linked], axis=0)
    return bool((gaps <= max(eigenpairs.LOOSE, 2 * found.residual)).all())


def spectrum(
    W: Any,
    n_vectors: int,
    n_clusters: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Progress | None = None,
    *,
    n_exact: int | None = None,
) -> Spectrum:
    """The ``n_vectors`` largest eigenpairs of D^{-1/2} W D^{-1/2}.

    Each connected component has the eigenvalue 1 with a known eigenvector; those are written down,
    and only the rest is searched for, where a solver would otherwise meet a multiple eigenvalue.
    With more components than ``n_clusters`` the eigenvalue 1 alone fills the embedding and says
    nothing about which to join; then every pair gets a weak link, a share τ/N of the mean degree τ
    (regularised spectral clustering), by which large parts count before debris. ``progress`` counts
    the products with W, whose number is not known before.

    Up to 20,000 points every pair is found to 1e-6. Beyond that the first ``n_exact``, as many as
    ``n_clusters`` by default, are found to 1e-4, and the rest to 1e-2: they lie close together
    where clusters end, and telling one from the next took seven times as many products.

    >>> W = np.kron(np.eye(2), 1 - np.eye(3))
    >>> spectrum(W, 3).eigenvalues.round(2).tolist()
    [1.0, 1.0, -0.5]
    """
    return spectrum_of(
        check_affinity(W), n_vectors, n_clusters, random_state, progress, n_exact=n_exact
    )


def spectrum_of(
    W: Affinity,
    n_vectors: int,
    n_clusters: int | None,
    random_state: int | np.random.RandomState | None,
    progress: Progress | None,
    *,
    n_exact: int | None = None,
) -> Spectrum:
    """`spectrum` of an affinity that was checked before."""
    n = W.shape[0]
    n_vectors = check_count(n_vectors, "n_vectors", 1, n)
    n_clusters = n_vectors if n_clusters is None else check_n_clusters(n_clusters, n)
    large = n > eigenpairs.LARGE
    exact = n_clusters if n_exact is None else check_count(n_exact, "n_exact", 0)
    n_exact = min(exact, n_vectors) if large else n_vectors
    random_state = check_random_state(random_state)
    _check_memory(W, n_vectors)
    n_components, component = components_of(W)
    regularise = bool(n_components > n_clusters)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    tau = degrees.mean() if regularise else 0.0
    if tau == 0 and regularise:  # no edge at all: nothing to find
        pairs = np.zeros(n_vectors), np.eye(n, n_vectors)
        return Spectrum(*pairs, component, n_components, True, n_exact=n_exact)
    roots = np.sqrt(degrees + tau)
    A = _scaled(W, 1.0 / np.where(roots > 0, roots, 1.0))
    if regularise:
        known, share = roots[:, None] / np.linalg.norm(roots), tau / n
        weak = 1.0 / roots
    else:
        known = _component_vectors(component, n_components, roots, n_vectors)
        share, weak = 0.0, np.zeros(n)
    known = known[:, :n_vectors]
    rounds = [(n_vectors, eigenpairs.ACCURACY)]
    if large:
        rounds = [(n_exact, eigenpairs.COARSE), (n_vectors, eigenpairs.LOOSE)]
    with one_thread():  # the other products are too small for several threads
        values, vectors, residual = eigenpairs.pairs_beside(
            A, weak * np.sqrt(share), known, rounds, random_state, progress
        )
    return Spectrum(
        values, _fix_signs(vectors), component, int(n_components), regularise,
        converged=residual <= eigenpairs.COARSE, residual=residual, n_exact=n_exact,
    )  # fmt: skip


def _check_memory(W: Affinity, n_vectors: int) -> None:
    """ValueError where `spectrum` would need more memory beside W than there is.

    Four copies of a sparse W at a time (scaled; turned, to see whether it is symmetric; two within
    SciPy's search for components), the vectors of Lanczos, and three times
    those found; or a decomposition of the whole.
    """
    n = W.shape[0]
    copies = 12 * 4 * W.nnz if is_sparse(W) else 8 * 6 * n * n
    full = 8 * 5 * n * n if eigenpairs.all_at_once(n, n_vectors) else 0
    needed = copies + full + 8 * n * (eigenpairs.room(n, n_vectors) + 3 * n_vectors + 2)
    check_memory(needed, "spectral clustering", n, name="W")


def spectral_clustering(
    W: Any,
    n_clusters: int,
    random_state: int | np.random.RandomState | None = 0,
    *,
    spectrum_: Spectrum | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Labels (N,) by normalised cut (eq. 8), as Ng, Jordan and Weiss relax it.

    Top eigenvectors of D^{-1/2} W D^{-1/2}, rows of unit norm, k-means with several seeded starts.
    ``spectrum_`` passes in a `spectrum` of this W for as many clusters that is already there; one
    with fewer vectors than clusters, of another graph, or with weak links where so many clusters
    need none, is refused.

    >>> W = np.kron(np.eye(2), 1 - np.eye(3))
    >>> spectral_clustering(W, 2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    W = check_affinity(W)
    n_clusters = check_n_clusters(n_clusters, W.shape[0])
    random_state = check_random_state(random_state)
    found = check_spectrum(spectrum_, W, "spectrum_")
    if found is None:
        found = spectrum_of(W, n_clusters, n_clusters, random_state, progress)
    if found.n_exact < n_clusters:
        raise ValueError(
            f"spectrum_ has {found.n_exact} vectors to cluster by; {n_clusters} clusters need at"
            f" least {n_clusters} vectors."
        )
    if not found.decides_as(n_clusters):
        raise ValueError(
            f"spectrum_ was made for another number of clusters; W has {found.n_components}"
            f" components, so give `spectrum` n_clusters={n_clusters} too."
        )
    return cluster_rows(found.embedding(n_clusters), n_clusters, random_state)


def suggest_n_clusters(eigenvalues: Any) -> int:
    """Number of clusters before the widest gap between neighbouring eigenvalues (descending).

    >>> suggest_n_clusters(np.array([1, 0.98, 0.95, 0.4, 0.38]))
    3
    """
    eigenvalues = check_values(eigenvalues, "eigenvalues")
    if len(eigenvalues) < 3:
        return 1
    gaps = eigenvalues[1:-1] - eigenvalues[2:]  # at least two clusters
    return int(np.argmax(gaps)) + 2


def _scaled(W: Affinity, scale: NDArray[np.float64]) -> Affinity:
    if is_sparse(W):
        return scaled(W, scale)
    return W * scale[:, None] * scale


def _component_vectors(
    component: NDArray[np.int64], n_components: int, roots: NDArray[np.float64], n_vectors: int
) -> NDArray[np.float64]:
    """D^{1/2} 1 on each component, the larger ones first; a point without edges keeps itself.

    No more than ``n_vectors`` of them are made, two at least: NumPy sums one column alone in
    another order, and its norm would differ in the last bit.
    """
    order = np.argsort(-np.bincount(component), kind="stable")
    rank = np.empty(n_components, np.int64)
    rank[order] = np.arange(n_components)
    vectors = np.zeros((len(component), min(n_components, max(2, n_vectors))))
    mine = np.flatnonzero(rank[component] < vectors.shape[1])
    vectors[mine, rank[component[mine]]] = np.where(roots > 0, roots, 1.0)[mine]
    return vectors / np.linalg.norm(vectors, axis=0)


def _fix_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest entry of each vector is positive, so that a picture does not flip."""
    top = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
