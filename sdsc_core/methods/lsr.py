"""LSR, Least Squares Regression (Lu and others).

LSR1: min ‖X − CX‖² + λ‖C‖², diag C = 0. LSR2: the same with a free diagonal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_data, check_n_clusters
from sdsc_core.methods.base import (
    AFFINE,
    NORMALISE,
    Method,
    Parameter,
    Solution,
    scaled_rows,
    shifted_inverse,
)


def lsr(
    X: Any,
    *,
    variant: str = "LSR1",
    lam: float = 0.4,
    pca: int = 0,
    normalise: bool = True,
    affine: bool = False,
    n_clusters: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by ridge regression on the others, in closed form.

    ``pca`` projects to that many dimensions for each cluster before samples are scaled to unit
    norm (6 on faces); 0 leaves the data as it is, and only then ``n_clusters`` is not needed.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (lsr(X).C.round(1) + 0.0).tolist()
    [[0.0, 0.7, 0.0, 0.0], [0.7, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.7], [0.0, 0.0, 0.7, 0.0]]
    """
    X = check_data(X)
    METHOD.settings(variant=variant, lam=lam, pca=pca, normalise=normalise, affine=affine)
    if pca:
        X = _principal(X, pca * _clusters(n_clusters, len(X)))
    X = scaled_rows(X, normalise, affine)
    tick(progress, 0, 1)
    # (G + λI)⁻¹ with G = XXᵀ, by the smaller side of X.
    n, d = X.shape
    if d < n:
        inner = shifted_inverse(X.T, lam, X.T)
        P = (np.eye(n) - X @ inner) / lam
    else:
        P = shifted_inverse(X, lam, np.eye(n))
    if variant == "LSR2":
        C = np.eye(n) - lam * P
    else:
        C = P / -np.diag(P)[:, None]
        np.fill_diagonal(C, 0.0)
    tick(progress, 1, 1)
    return Solution(C)


def _clusters(n_clusters: int | None, n_points: int) -> int:
    if n_clusters is None:
        raise ValueError(
            "n_clusters is None; LSR with pca needs the number of clusters, or give pca=0."
        )
    return check_n_clusters(n_clusters, n_points)


def _principal(X: NDArray[np.float64], dimensions: int) -> NDArray[np.float64]:
    """Principal components of the samples, without centring, as the authors project faces."""
    if dimensions >= min(X.shape):
        return X
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return U[:, :dimensions] * s[:dimensions]


METHOD = Method(
    name="LSR",
    title="Least Squares Regression",
    function=lsr,
    parameters=(
        Parameter(
            "variant",
            "LSR1",
            None,
            None,
            "LSR1 keeps a point out of its own fit.",
            choices=("LSR1", "LSR2"),
        ),
        Parameter(
            "lam", 0.4, 1e-6, 1e3, "Weight of the penalty; more spreads the weights.", log=True
        ),
        Parameter("pca", 0, 0, 50, "Dimensions kept for each cluster; 0 keeps all."),
        NORMALISE,
        AFFINE,
    ),
    presets={
        "faces": {"variant": "LSR1", "lam": 0.004, "pca": 6},
        "digits": {"variant": "LSR1", "lam": 0.4},
        "motion": {"variant": "LSR1", "lam": 4e-5, "normalise": False, "affine": True},
    },
    dense=True,
    memory=lambda n, d: 8 * (3 * n * d + 4 * n * n),
)
