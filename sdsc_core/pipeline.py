"""Algorithm 3: sparse, dense, spectral; as an estimator and as the stages it is made of."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sdsc_core.affinity import compact
from sdsc_core.blocks import Progress
from sdsc_core.checks import (
    Affinity,
    check_choice,
    check_data,
    check_labels,
    check_n_clusters,
)
from sdsc_core.dense import DISTANCE_RULES, densify, pce
from sdsc_core.methods import METHODS
from sdsc_core.metrics import (
    Connectivity,
    clustering_accuracy,
    components,
    connectivity,
    inside_share,
    ncut,
    nmi,
)
from sdsc_core.spectral import cluster_rows, spectrum

DENSE_STAGES = (None, "PCE", *DISTANCE_RULES)


def dense_stage(
    W: Affinity,
    dense: str | None = "PCE",
    theta1: float = 0.8,
    theta2: float = 0.6,
    hops: int | None = 1,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Affinity:
    """Step 2 of Algorithm 3: W* by PCE or by D1, D2, D3; W itself for None.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> dense_stage(W, None) is W
    True
    """
    check_choice(dense, "dense", DENSE_STAGES)
    if dense is None:
        return W
    if dense == "PCE":
        star = pce(W, theta1, theta2, n_jobs=n_jobs, progress=progress)
        return star if sp.issparse(W) else compact(star)
    return densify(W, dense, hops, n_jobs=n_jobs, progress=progress)


@dataclass(frozen=True)
class Summary:
    """The figures of one affinity and the clusters found from it.

    ACC and NMI are None without labels. CONN, Ncut and the share inside go by the true classes,
    or without labels by the found clusters; ``by`` says which.
    """

    acc: float | None
    nmi: float | None
    conn: Connectivity
    ncut: float
    inside: float
    nonzeros: int
    density: float
    component_sizes: NDArray[np.int64]
    by: str


def summarise(W: Affinity, found: Any, truth: Any = None) -> Summary:
    """All figures that a screen or a table shows for W (N, N) and its clusters.

    >>> s = summarise(np.kron(np.eye(2), 1 - np.eye(3)), [0, 0, 0, 1, 1, 1])
    >>> s.acc, s.ncut, s.component_sizes.tolist(), s.by
    (None, 0.0, [3, 3], 'found clusters')
    """
    n = W.shape[0]
    found = check_labels(found, n, "found")
    reference = found if truth is None else check_labels(truth, n, "truth")
    nonzeros = int(W.nnz if sp.issparse(W) else np.count_nonzero(W))
    return Summary(
        acc=None if truth is None else clustering_accuracy(reference, found),
        nmi=None if truth is None else nmi(reference, found),
        conn=connectivity(W, reference),
        ncut=ncut(W, reference),
        inside=inside_share(W, reference),
        nonzeros=nonzeros,
        density=nonzeros / max(1, n * (n - 1)),
        component_sizes=components(W),
        by="found clusters" if truth is None else "true classes",
    )


class SDSC(ClusterMixin, BaseEstimator):
    """Sparse-Dense Subspace Clustering, Algorithm 3, as a scikit-learn clusterer.

    Parameters
    ----------
    n_clusters : number of subspaces n.
    method : a name in ``METHODS``; "IMC" is Algorithm 1.
    dense : "PCE" (Algorithm 2), "D1", "D2", "D3" (Algorithm 4), or None for two stages only.
    n_iterations, residual, similarity : of IMC, see `imc`.
    theta1, theta2 : of PCE.
    hops : of D1–D3, see `densify`.
    method_params : parameters of another method by name, see ``METHODS[name].parameters``.
    random_state : seed of the eigensolver's start and of k-means.
    n_jobs : threads, all cores by default; the result does not depend on it.

    Attributes
    ----------
    labels_ : (N,); representation_ : C (N, N), row i for point i;
    affinity_matrix_ : W; dense_affinity_matrix_ : W*, which is W without a dense stage;
    eigenvalues_ : of D^{-1/2} W* D^{-1/2}, descending; message_ : "" or why the solver fell short.

    Examples
    --------
    >>> from sdsc_core.datasets import make_subspaces
    >>> data = make_subspaces(n_subspaces=2, dim=4, ambient=20, points_each=30)
    >>> model = SDSC(n_clusters=2).fit(data.X)
    >>> clustering_accuracy(data.labels, model.labels_)
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        method: str = "IMC",
        dense: str | None = "PCE",
        *,
        n_iterations: int = 6,
        theta1: float = 0.8,
        theta2: float = 0.6,
        residual: str = "as_printed",
        similarity: str = "residual",
        hops: int | None = 1,
        method_params: dict[str, Any] | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.method = method
        self.dense = dense
        self.n_iterations = n_iterations
        self.theta1 = theta1
        self.theta2 = theta2
        self.residual = residual
        self.similarity = similarity
        self.hops = hops
        self.method_params = method_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, progress: Progress | None = None) -> "SDSC":
        """Cluster X (n_samples, n_features); y is ignored."""
        points = check_data(X)
        validate_data(self, X, skip_check_array=True)  # only notes the features and their names
        X = points
        check_n_clusters(self.n_clusters, len(X))
        check_choice(self.method, "method", tuple(METHODS))
        check_choice(self.dense, "dense", DENSE_STAGES)
        method = METHODS[self.method]
        solution = method.solve(
            X,
            n_clusters=self.n_clusters,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            progress=progress,
            **self._method_params(),
        )
        self.representation_ = solution.C
        self.message_ = solution.message
        self.affinity_matrix_ = method.affinity(solution)
        self.dense_affinity_matrix_ = dense_stage(
            self.affinity_matrix_,
            self.dense,
            self.theta1,
            self.theta2,
            self.hops,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        k = self.n_clusters
        found = spectrum(self.dense_affinity_matrix_, k, k, self.random_state, progress)
        self.eigenvalues_ = found.eigenvalues
        self.labels_ = cluster_rows(found.embedding(k), k, self.random_state)
        return self

    def _method_params(self) -> dict[str, Any]:
        given = dict(self.method_params or {})
        if self.method == "IMC":
            own = ("n_iterations", "residual", "similarity")
            return {name: getattr(self, name) for name in own} | given
        return given

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
