"""LRSSC, Low-Rank Sparse Subspace Clustering (Wang, Xu and Leng).

min ‖C‖* + λ‖C‖₁ + (γ/2) ‖X − CX‖², diag C = 0.
"""

from typing import Any

from sdsc_core.blocks import Progress
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    AFFINE,
    NORMALISE,
    Method,
    Parameter,
    Solution,
    iterated,
    scaled_rows,
)
from sdsc_core.methods.solvers import two_norms


def lrssc(
    X: Any,
    *,
    lam: float = 0.1,
    gamma: float = 50.0,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 500,
    progress: Progress | None = None,
) -> Solution:
    """Represent all points at once by a matrix that is sparse and of low rank.

    The low rank links all points of a subspace, the sparsity keeps wrong links out: λ trades one
    for the other. C is the sparse copy of ADMM.

    >>> import numpy as np
    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (lrssc(X).C > 0.5).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(
        lam=lam, gamma=gamma, normalise=normalise, affine=affine, max_iterations=max_iterations
    )
    X = scaled_rows(check_data(X), normalise, affine)
    found = two_norms.two_norms(
        X, lam, lambda A, t: A / (1.0 + gamma * t), max_iterations, progress
    )
    return iterated(found.S, found.iterations, found.residual, two_norms.TOLERANCE)


METHOD = Method(
    name="LRSSC",
    title="Low-Rank Sparse Subspace Clustering",
    function=lrssc,
    parameters=(
        Parameter("lam", 0.1, 1e-3, 1e2, "Weight of the sparsity beside the low rank.", log=True),
        Parameter("gamma", 50.0, 1.0, 1e7, "Weight of the fit; more fits closer.", log=True),
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 500, 1, 10000, "Most iterations.", step=50),
    ),
    # The best of λ × γ on draws of 5 faces (λ 0.03 to 1, γ 10 to 250, 24 images of each; then all
    # images, γ 30 to 1,000), of 5 digits × 25 (λ 0.03 to 1, γ 1.5 to 80), and on every second track
    # of every twelfth sequence of Hopkins155 (λ 0.03 to 3, γ 1e3 to 1e5).
    presets={
        "faces": {"lam": 0.3, "gamma": 50.0},
        "digits": {"lam": 0.3, "gamma": 3.0},
        "motion": {"lam": 1.0, "gamma": 1e5, "normalise": False, "affine": True},
    },
    dense=True,
    memory=two_norms.two_norms_memory,
)
