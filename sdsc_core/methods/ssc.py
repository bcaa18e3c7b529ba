"""SSC, Sparse Subspace Clustering (Elhamifar and Vidal).

min ‖c_i‖₁ + (λ/2) ‖x_i − Σ_j c_ij x_j‖², c_ii = 0, λ = α/μ, μ = min_i max_{j≠i} |x_iᵀx_j|.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_data
from sdsc_core.methods._admm import LassoAdmm, Limits
from sdsc_core.methods.base import (
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    unit_rows,
)

BLOCK = 128


def ssc(
    X: Any,
    *,
    alpha: float = 20.0,
    affine: bool = False,
    outliers: bool = False,
    threshold: float = 1.0,
    max_iterations: int = 200,
    tolerance: float = 2e-4,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by few others: one Lasso a point, by ADMM.

    Notes
    -----
    The authors zero the diagonal of the smooth variable after each step, which moves the fixed
    point away from the stated problem; here its multiplier brings it to zero.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (ssc(X).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    X = unit_rows(check_data(X))
    METHOD.settings(
        alpha=alpha, affine=affine, outliers=outliers, threshold=threshold,
        max_iterations=max_iterations, tolerance=tolerance,
    )
    problem = LassoAdmm(X, alpha, affine, outliers)
    limits = Limits(max_iterations, tolerance)
    same = np.zeros(len(X), np.int64)

    def solve(start: int, stop: int) -> tuple[sp.csr_array, int, float]:
        state = problem.start(start, stop)
        steps, residual = problem.run(start, state, np.array([1.0, 0.0]), same, limits)
        return sp.csr_array(keep_largest(state.C, threshold)), steps, residual

    blocks = run_blocks(solve, len(X), BLOCK, n_jobs=n_jobs, progress=progress)
    C = sp.csr_array(sp.vstack([b[0] for b in blocks]))
    return iterated(C, max(b[1] for b in blocks), max(b[2] for b in blocks), tolerance)


METHOD = Method(
    name="SSC",
    title="Sparse Subspace Clustering",
    function=ssc,
    parameters=(
        Parameter("alpha", 20.0, 1.1, 2000.0, "Weight of the fit over sparsity; more gives more neighbours.", log=True),
        Parameter("affine", False, None, None, "Coefficients of a point sum to one, for affine subspaces."),
        Parameter("outliers", False, None, None, "Allow a few wrong entries in each sample."),
        Parameter("threshold", 1.0, 0.1, 1.0, "Share of each point's ℓ1 norm that is kept.", step=0.05),
        Parameter("max_iterations", 200, 1, 10000, "Most steps of ADMM."),
        Parameter("tolerance", 2e-4, 1e-10, 1e-1, "Residual at which ADMM stops.", log=True),
    ),
    presets={
        "faces": {"alpha": 20.0, "outliers": True},
        "digits": {"alpha": 20.0},
        "motion": {"alpha": 800.0, "affine": True, "threshold": 0.7},
    },
    memory=lambda n, d: 8 * (3 * n * d + min(n, d) * n + 6 * BLOCK * (n + d) * 2 + n * n // 4),
)
