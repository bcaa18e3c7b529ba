"""BDR, Block Diagonal Representation (Lu and others).

min ½‖X − ZX‖² + (λ/2)‖Z − B‖² + γ⟨Diag(B1) − B, V⟩ with B ≥ 0, B = Bᵀ, diag B = 0,
0 ⪯ V ⪯ I, tr V = k: the last term is the sum of the k smallest eigenvalues of B's Laplacian.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_data, check_n_clusters
from sdsc_core.methods.base import (
    AFFINE,
    NORMALISE,
    THRESHOLD,
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    scaled_rows,
)

Array = NDArray[np.float64]

TOLERANCE = 1e-3


def bdr(
    X: Any,
    *,
    variant: str = "BDR-Z",
    lam: float = 50.0,
    gamma: float = 1.0,
    threshold: float = 1.0,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 1000,
    n_clusters: int,
    progress: Progress | None = None,
) -> Solution:
    """Represent points so that the affinity comes close to ``n_clusters`` blocks.

    ``variant`` says what is returned: Z, the representation, or B, its block diagonal twin.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (bdr(X, variant="BDR-B", lam=1.0, gamma=0.1, n_clusters=2).C > 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(
        variant=variant,
        lam=lam,
        gamma=gamma,
        threshold=threshold,
        normalise=normalise,
        affine=affine,
        max_iterations=max_iterations,
    )
    X = scaled_rows(check_data(X), normalise, affine)
    k = check_n_clusters(n_clusters, len(X))
    Z, B, step, residual = _solve(X, lam, gamma, k, max_iterations, progress)
    C = keep_largest(Z if variant == "BDR-Z" else B, threshold)
    return iterated(C, step, residual, TOLERANCE)


def _solve(
    X: Array, lam: float, gamma: float, k: int, max_iterations: int, progress: Progress | None
) -> tuple[Array, Array, int, float]:
    """Alternate the exact minimisers of Z, B and V, from zeros."""
    n = len(X)
    P = cho_solve(cho_factor(X @ X.T + lam * np.eye(n)), np.eye(n))
    # G (G + λI)⁻¹ = I − λP, so that Z = (G + λB)(G + λI)⁻¹ is one product with P.
    fit = np.eye(n) - lam * P
    Z, B, V = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    residual = np.inf
    for step in range(1, max_iterations + 1):
        new_Z = fit + lam * (B @ P)
        V = _smallest(B, k) if step > 1 else V
        A = new_Z - (gamma / lam) * (np.diag(V)[:, None] - V)
        new_B = np.maximum(0.0, 0.5 * (A + A.T))
        np.fill_diagonal(new_B, 0.0)
        residual = float(max(np.abs(new_Z - Z).max(), np.abs(new_B - B).max()))
        Z, B = new_Z, new_B
        tick(progress, step, max_iterations)
        if residual <= TOLERANCE:
            break
    return Z, B, step, residual


def _smallest(B: Array, k: int) -> Array:
    """V = UUᵀ with U the k bottom eigenvectors of Diag(B1) − B."""
    L = np.diag(B.sum(axis=1)) - B
    _, U = eigh(L, subset_by_index=(0, k - 1), driver="evr")
    return U @ U.T


METHOD = Method(
    name="BDR",
    title="Block Diagonal Representation",
    function=bdr,
    parameters=(
        Parameter(
            "variant", "BDR-Z", None, None, "Which matrix to cluster.", choices=("BDR-Z", "BDR-B")
        ),
        Parameter("lam", 50.0, 1e-3, 1e4, "How close Z and B are held.", log=True),
        Parameter("gamma", 1.0, 1e-4, 1e3, "Weight of the block diagonal form.", log=True),
        THRESHOLD,
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 1000, 1, 10000, "Most iterations.", step=50),
    ),
    presets={
        "faces": {"lam": 50.0, "gamma": 1.0, "threshold": 0.4},
        "digits": {"lam": 50.0, "gamma": 1.0, "threshold": 0.4},
        "motion": {
            "lam": 0.001,
            "gamma": 0.0001,
            "threshold": 0.7,
            "normalise": False,
            "affine": True,
        },
    },
    needs_clusters=True,
    dense=True,
    memory=lambda n, d: 8 * (3 * n * d + 12 * n * n),
)
