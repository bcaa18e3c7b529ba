"""Algorithm 3: sparse, dense, spectral, as a scikit-learn estimator."""

from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sdsc_core.blocks import Progress
from sdsc_core.checks import check_choice, check_data, check_n_clusters
from sdsc_core.dense import DENSE_STAGES, dense_stage
from sdsc_core.methods import METHODS
from sdsc_core.spectral import cluster_rows, spectrum


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
    eigenvalues_ : of D^{-1/2} W* D^{-1/2}, descending; message_ : "" or where a solver fell short.

    Examples
    --------
    >>> from sdsc_core import clustering_accuracy
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
        self.message_ = " ".join(filter(None, (solution.message, found.message)))
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
