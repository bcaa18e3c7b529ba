"""BDR, Block Diagonal Representation (Lu and others), alternating.

min ½‖X − XZ‖² + (λ/2)‖Z − B‖² + γ⟨Diag(B1) − B, V⟩ over Z, B ≥ 0, B = Bᵀ, diag B = 0,
0 ⪯ V ⪯ I, tr V = k: B is drawn to a graph with k components. Columns are points here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    square_bytes,
    unit_rows,
)


def bdr(
    X: Any,
    *,
    n_clusters: int,
    lam: float = 50.0,
    gamma: float = 1.0,
    variant: str = "BDR-Z",
    threshold: float = 1.0,
    max_iterations: int = 1000,
    tolerance: float = 1e-3,
    progress: Progress | None = None,
) -> Solution:
    """A representation drawn to ``n_clusters`` blocks; BDR-Z returns Z, BDR-B returns B.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (bdr(X, n_clusters=2, lam=1.0).C > 0.1).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    X = unit_rows(check_data(X))
    METHOD.settings(
        lam=lam, gamma=gamma, variant=variant, threshold=threshold,
        max_iterations=max_iterations, tolerance=tolerance,
    )  # fmt: skip
    Z, B, steps, change = solve(
        X, n_clusters, lam, gamma, max_iterations, tolerance, progress=progress
    )
    C = Z.T.copy() if variant == "BDR-Z" else B
    np.fill_diagonal(C, 0.0)
    return iterated(keep_largest(C, threshold), steps, change, tolerance)


def solve(
    X: NDArray[np.float64],
    k: int,
    lam: float,
    gamma: float,
    max_iterations: int,
    tolerance: float,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float]:
    """Z, B, steps, and the largest change of an entry of Z or B in the last step."""
    K = X @ X.T
    n = len(K)
    inverse = np.linalg.inv(K + lam * np.eye(n))
    fixed = inverse @ K
    Z, B, V = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    change, step = np.inf, 0
    for step in range(1, max_iterations + 1):
        tick(progress, step - 1, max_iterations)
        Z_next = fixed + lam * (inverse @ B)
        A = Z_next - (gamma / lam) * (V.diagonal()[:, None] - V)
        B_next = np.maximum(0.0, (A + A.T) / 2)
        np.fill_diagonal(B_next, 0.0)
        V = _bottom_projection(B_next, k)
        change = max(np.abs(Z_next - Z).max(), np.abs(B_next - B).max())
        Z, B = Z_next, B_next
        if change < tolerance:
            break
    return Z, B, step, float(change)


def _bottom_projection(B: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """UUᵀ with U the k bottom eigenvectors of Diag(B1) − B."""
    laplacian = np.diag(B.sum(axis=1)) - B
    _, U = eigh(laplacian, subset_by_index=[0, min(k, len(B)) - 1])
    return U @ U.T


METHOD = Method(
    name="BDR",
    title="Block Diagonal Representation",
    function=bdr,
    parameters=(
        Parameter("lam", 50.0, 1e-3, 1e3, "λ: how closely Z follows the blocks of B.", log=True),
        Parameter("gamma", 1.0, 1e-3, 1e2, "γ: pull towards k blocks.", log=True),
        Parameter(
            "variant",
            "BDR-Z",
            None,
            None,
            "Cluster on Z, as the paper does, or on B.",
            choices=("BDR-Z", "BDR-B"),
        ),
        Parameter(
            "threshold", 1.0, 0.1, 1.0, "Share of each point's ℓ1 norm that is kept.", step=0.05
        ),
        Parameter("max_iterations", 1000, 1, 10000, "Most rounds."),
        Parameter("tolerance", 1e-3, 1e-8, 1e-1, "Largest change that ends it.", log=True),
    ),
    presets={
        "faces": {"lam": 50.0, "gamma": 1.0, "threshold": 0.4},
        "digits": {"lam": 50.0, "gamma": 1.0},
        "motion": {"lam": 0.07, "gamma": 0.007, "threshold": 0.7},
    },
    needs_clusters=True,
    memory=lambda n, d: square_bytes(12, n) + 16 * n * d,
)
