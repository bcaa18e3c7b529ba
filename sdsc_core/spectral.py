"""Stage 3: spectral clustering by normalised cut, for a few points up to a million."""

import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from sdsc_core.blocks import Progress, one_thread, tick
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_count,
    check_n_clusters,
    check_random_state,
    check_values,
    is_sparse,
)
from sdsc_core.endable.decompose import all_pairs
from sdsc_core.kmeans import cluster_rows
from sdsc_core.memory import check_memory
from sdsc_core.sparse.entries import components_of, scaled
from sdsc_core.sparse.product import product_in_threads, shifted_product
from sdsc_core.spectra import COARSE, LOOSE, Spectrum, check_spectrum

SMALL = 128  # up to here a full decomposition is the quickest
MODERATE = 5000  # up to here it is a possible fall-back
LARGE = 20_000  # from here on accuracy is what clusters and figures need
ACCURACY = 1e-6
MOST_STEPS = 200  # of the last resort
ASIDE = 2.1  # takes known pairs to −1.1 or below, off the spectrum, which lies in [−1, 1]
MOST_CLUSTERS = 30  # that `suggest_n_clusters` is asked for, here and in the app


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
    n_clusters: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Progress | None = None,
    *,
    n_exact: int | None = None,
) -> Spectrum:
    """`spectrum` of an affinity that was checked before."""
    n = W.shape[0]
    n_vectors = check_count(n_vectors, "n_vectors", 1, n)
    n_clusters = n_vectors if n_clusters is None else check_n_clusters(n_clusters, n)
    n_exact = min(n_clusters if n_exact is None else n_exact, n_vectors) if n > LARGE else n_vectors
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
    rounds = [(n_exact, COARSE), (n_vectors, LOOSE)] if n > LARGE else [(n_vectors, ACCURACY)]
    with one_thread():  # the other products are too small for several threads
        values, vectors, residual = _pairs(
            A, weak * np.sqrt(share), known, rounds, random_state, progress
        )
    return Spectrum(
        values, _fix_signs(vectors), component, int(n_components), regularise,
        converged=residual <= COARSE, residual=residual, n_exact=n_exact,
    )  # fmt: skip


def _check_memory(W: Affinity, n_vectors: int) -> None:
    """ValueError where `spectrum` would need more memory beside W than there is.

    Four copies of a sparse W at a time (scaled; turned, to see whether it is symmetric; two within
    SciPy's search for components), the vectors of Lanczos, and three times
    those found; or a decomposition of the whole.
    """
    n = W.shape[0]
    copies = 12 * 4 * W.nnz if is_sparse(W) else 8 * 6 * n * n
    full = 8 * 5 * n * n if _whole(n, n_vectors) else 0
    needed = copies + full + 8 * n * (_room(n, n_vectors) + 3 * n_vectors + 2)
    check_memory(needed, "spectral clustering", n, name="W")


def _whole(n: int, wanted: int) -> bool:
    """Whether all of the spectrum is found at once: Lanczos is slow for a large part of it."""
    return n <= SMALL or wanted >= n - 1 or (8 * wanted > n and n <= MODERATE)


def _room(n: int, wanted: int) -> int:
    """Vectors that Lanczos keeps."""
    return min(n - 1, max(2 * wanted + 1, 20))


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


def _pairs(
    A: Affinity,
    weak: NDArray[np.float64],
    known: NDArray[np.float64],
    rounds: list[tuple[int, float]],
    seed: int,
    progress: Progress | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Eigenpairs of A + weak weakᵀ from the known ones on, and the largest residual.

    The residual is 0 where all converged. Each round says how many pairs are to be there after it,
    and to what accuracy.
    """
    done = count(1)
    values, vectors, residual = np.ones(known.shape[1]), known, 0.0
    for n_vectors, accuracy in rounds:
        if n_vectors > len(values):
            more = _rest(
                A, weak, vectors, n_vectors, accuracy, seed, lambda: tick(progress, next(done), 0)
            )
            values, vectors = np.append(values, more[0]), np.hstack([vectors, more[1]])
            if more[2] > max(accuracy, COARSE):
                residual = max(residual, more[2])
    return values, vectors, residual


def _rest(
    A: Affinity,
    weak: NDArray[np.float64],
    known: NDArray[np.float64],
    n_vectors: int,
    accuracy: float,
    seed: int,
    told: Callable[[], None],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The eigenpairs beside the known ones, of A + weak weakᵀ, and their largest residual.

    The residual is 0 where the solver says that it reached its accuracy. ``told`` is called for
    each product. Lanczos is the solver for large graphs too: on the paper's 100,002 points it took
    a quarter of the time of a Chebyshev-filtered block, and no longer for 16 pairs.
    """
    n, wanted = len(known), n_vectors - known.shape[1]
    if _whole(n, wanted):
        return _full(A, weak, known, wanted)

    times = product_in_threads(A) if n > LARGE and is_sparse(A) else A.__matmul__
    vector = shifted_product(A, weak, known, ASIDE) if n <= LARGE and is_sparse(A) else None
    aside, linked = ASIDE * known, bool(weak.any())

    def product(x: NDArray[np.float64]) -> NDArray[np.float64]:
        told()
        if vector is not None and x.ndim == 1:
            return vector(x)
        y = times(x.reshape(n, -1)).reshape(x.shape)
        if linked:
            y = y + np.multiply.outer(weak, weak @ x)
        return y - aside @ (known.T @ x)

    operator = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
    start = np.random.default_rng(seed).standard_normal(n)
    residual = 0.0
    try:
        values, vectors = eigsh(
            operator,
            wanted,
            which="LA",
            v0=start,
            ncv=_room(n, wanted),
            tol=accuracy,
            maxiter=300,
        )
    except ArpackNoConvergence:
        if n <= MODERATE:
            return _full(A, weak, known, wanted)
        values, vectors = _lobpcg(operator, wanted, seed)
        residual = float(np.linalg.norm(operator @ vectors - vectors * values, axis=0).max())
    order = np.argsort(-values)
    return values[order], vectors[:, order], residual


def _full(
    A: Affinity, weak: NDArray[np.float64], known: NDArray[np.float64], wanted: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    dense = (A.toarray() if is_sparse(A) else A) + np.outer(weak, weak) - ASIDE * known @ known.T
    n = len(dense)
    if n > SMALL:  # SciPy keeps Python's lock meanwhile, and with it all other sessions
        values, vectors = all_pairs(dense)
        return values[: -wanted - 1 : -1], vectors[:, : -wanted - 1 : -1], 0.0
    values, vectors = eigh(dense, subset_by_index=[n - wanted, n - 1])
    return values[::-1], vectors[:, ::-1], 0.0


def _lobpcg(operator: LinearOperator, wanted: int, seed: int) -> Any:
    guess = np.random.default_rng(seed).standard_normal((operator.shape[0], wanted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says when it stops short; so do we
        return lobpcg(operator, guess, largest=True, tol=COARSE, maxiter=MOST_STEPS)


def _fix_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest entry of each vector is positive, so that a picture does not flip."""
    top = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
