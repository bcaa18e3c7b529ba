"""Algorithm 3: sparse, dense, spectral, as a scikit-learn estimator."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sdsc_core.blocks import Progress
from sdsc_core.checks import (
    check_choice,
    check_data,
    check_gamma,
    check_n_clusters,
    check_random_state,
    check_rows,
    shown,
)
from sdsc_core.datasets import Dataset
from sdsc_core.dense import PARAMETERS
from sdsc_core.fitted import draw_rows, fit_subspaces, nearest_subspace
from sdsc_core.methods import METHODS
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings


class SDSC(ClusterMixin, BaseEstimator):
    """Sparse-Dense Subspace Clustering, Algorithm 3, as a scikit-learn clusterer.

    Parameters
    ----------
    n_clusters : number of subspaces n.
    method : a name in ``METHODS``; "IMC" is Algorithm 1.
    dense : a name in ``DENSE``: "PCE" (Algorithm 2), "D1", "D2", "D3" (Algorithm 4), beyond the
        paper "Sinkhorn", "Diffusion" and "Mutual", or None for two stages only.
    n_iterations, residual, similarity : of IMC, see `imc`.
    theta1, theta2 : of PCE.
    hops : of D1–D3, see `densify`.
    self_weight, steps, neighbours : of `sinkhorn`, `diffusion` and `mutual`.
    method_params : parameters of another method by name, see ``METHODS[name].parameters``.
    sample : cluster so many points, drawn at random, and give each of the others the label of its
        nearest subspace: for more points than fit. X may then be a memory-mapped array of any
        numbers, which is read a few thousand rows at a time. None clusters all points.
    affine : the subspaces of `predict` and of ``sample`` need not pass through the origin.
    random_state : of the eigensolver's start and of k-means: a whole number, a RandomState, or None
        for another draw each time.
    n_jobs : threads, all cores by default; the result does not depend on it. Under
        ``joblib.parallel_config(backend="dask")`` IMC and the dense stage run on that cluster.

    Attributes
    ----------
    labels_ : (N,); representation_ : C (N, N), row i for point i;
    affinity_matrix_ : W (N, N), a CSR array; a NumPy array for the methods that represent each
    point by all others (``METHODS[name].dense``: LSR, LRR, LRSC, BDR, EDSC, LRSSC, MSR), however
    many of its entries are 0; dense_affinity_matrix_ : W*, of the same type, which is W without a
    dense stage;
    eigenvalues_ : of D^{-1/2} W* D^{-1/2}, descending; message_ : "" or where a solver fell short;
    subspaces_ : the `Subspace` of each cluster, by which `predict` goes, subspace_labels_ their
    labels; sample_indices_ : the rows
    that were clustered, all without ``sample``, to which C, W and W* belong.

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
        self_weight: float = 1.0,
        steps: int = 3,
        neighbours: int = 10,
        method_params: dict[str, Any] | None = None,
        sample: int | None = None,
        affine: bool = False,
        random_state: int | np.random.RandomState | None = 0,
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
        self.self_weight = self_weight
        self.steps = steps
        self.neighbours = neighbours
        self.method_params = method_params
        self.sample = sample
        self.affine = affine
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, progress: Progress | None = None) -> "SDSC":
        """Cluster X (n_samples, n_features); y is ignored."""
        whole = check_data(X, copy=False) if self.sample is None else check_rows(X, min_points=2)
        validate_data(self, X, skip_check_array=True)  # only notes the features and their names
        seed = check_random_state(self.random_state)
        rows = np.arange(len(whole))
        if self.sample is not None:
            rows = draw_rows(len(whole), self.sample, seed)
        part = len(rows) < len(whole)
        points = np.asarray(whole[rows], np.float64) if part else check_data(whole, copy=False)
        run = run_stages(
            Dataset(points, None, "X"),
            self._settings(len(points), seed),
            only_dense=True,
            report=lambda title: progress,
            n_jobs=self.n_jobs,
            client=_active_client(),
        )
        self.representation_ = run.sparse.C
        self.affinity_matrix_ = run.sparse.W
        self.dense_affinity_matrix_ = run.after.W
        self.eigenvalues_ = run.after.spectrum.eigenvalues
        self.message_ = " ".join(filter(None, (run.sparse.message, run.after.spectrum.message)))
        self.sample_indices_ = rows
        labels = run.after.labels
        self.subspace_labels_ = np.unique(labels)
        self.subspaces_ = fit_subspaces(points, labels, affine=self.affine, progress=progress)
        if part:
            of = nearest_subspace(whole, self.subspaces_, n_jobs=self.n_jobs, progress=progress)
            others = self.subspace_labels_[of.labels]
            others[rows] = labels
            labels = others
        self.labels_ = labels
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The cluster whose subspace is nearest to each row of X (n, n_features).

        How often that is the right one is measured by ``sdsc reproduce nearest``. A point that was
        clustered may get another label than its own in ``labels_``.

        >>> from sdsc_core.datasets import make_subspaces
        >>> data = make_subspaces(n_subspaces=2, dim=4, ambient=20, points_each=30)
        >>> model = SDSC(n_clusters=2).fit(data.X[::2])
        >>> (model.predict(data.X[1::2]) == model.labels_).mean().item()
        1.0
        """
        check_is_fitted(self)
        if np.ndim(X) == 1:
            raise ValueError(
                f"X has shape {np.shape(X)}. Reshape your data: give two dimensions, (n_samples,"
                " n_features)."
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        points = check_rows(X)
        found = nearest_subspace(points, self.subspaces_, n_jobs=self.n_jobs)
        return self.subspace_labels_[found.labels]

    def _settings(self, n_points: int, seed: int) -> RunSettings:
        """The parameters as settings of a run; the method's are checked by their own names."""
        given: Any = {} if self.method_params is None else self.method_params
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise ValueError(f"method_params is {shown(given)}; give parameters by name, or None.")
        params = dict(given)
        check_choice(self.method, "method", tuple(METHODS))
        if self.method == "IMC":
            own = ("n_iterations", "residual", "similarity")
            params = {name: getattr(self, name) for name in own} | params
            check_gamma(params["n_iterations"], n_points)
        return RunSettings.of_method(
            self.method,
            params,
            dense=self.dense,
            **{name: getattr(self, name) for name in PARAMETERS},
            n_clusters=check_n_clusters(self.n_clusters, n_points),
            seed=seed,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _active_client() -> Any:
    """The client of ``joblib.parallel_config(backend="dask")``, None under any other backend."""
    client = getattr(get_active_backend()[0], "client", None)
    if client is None:
        return None
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return client
    return None  # a task of a worker: one that waits for others could block them all
