"""SSC, Sparse Subspace Clustering (Elhamifar and Vidal).

min ‖c_i‖₁ + (λ/2) ‖x_i − Σ_j c_ij x_j‖², c_ii = 0, λ = α/μ, μ = min_i max_{j≠i} |x_iᵀx_j|.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    NORMALISE,
    THRESHOLD,
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    scaled_rows,
)
from sdsc_core.methods.solvers.admm import BLOCK, EXACT_ADMM, TOLERANCE, LassoAdmm, admm_memory
from sdsc_core.methods.solvers.elastic import TOLERANCE as EXACT
from sdsc_core.methods.solvers.elastic import elastic_memory, elastic_nets, lasso_thresholds
from sdsc_core.methods.solvers.huber import SOLVED, HuberLasso

# How a Lasso of each point is posed, here and in the rounds of SSSC.
LASSO = (
    Parameter(
        "alpha", 20.0, 1.1, 2000.0, "Weight of the fit; more gives more neighbours.", log=True
    ),
    Parameter("affine", False, None, None, "Coefficients of a point sum to one."),
    Parameter("outliers", False, None, None, "Allow some wrong entries in each sample."),
    NORMALISE,
    THRESHOLD,
    EXACT_ADMM,
)


def ssc(
    X: Any,
    *,
    alpha: float = 20.0,
    affine: bool = False,
    outliers: bool = False,
    normalise: bool = True,
    threshold: float = 1.0,
    exact: bool = True,
    max_iterations: int = 1000,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by few others: one Lasso a point.

    The problem is solved exactly by an active set, with ``outliers`` (x_i may also use a sparse
    error of its own) too; ``affine`` (coefficients sum to one) goes through the authors' ADMM, to
    which ``max_iterations`` applies, and so do outliers that are not ``exact``. Without
    ``normalise`` samples keep their relative lengths, as the authors leave faces, where a dark
    picture then explains little of a bright one, and motion, whose affine subspaces unit norm would
    bend. Not ``exact``, ADMM ends as the authors' does, once its constraints hold: on motion that
    is short of the minimum, and better. A zero sample represents no other and is represented by
    none, whatever ``affine`` asks of the sums.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (ssc(X).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    X = scaled_rows(check_data(X), normalise)
    METHOD.settings(
        alpha=alpha,
        affine=affine,
        outliers=outliers,
        normalise=normalise,
        threshold=threshold,
        exact=exact,
        max_iterations=max_iterations,
    )
    if outliers and exact and not affine:
        nets, tolerance = HuberLasso(X, alpha).solve(n_jobs=n_jobs, progress=progress), SOLVED
    elif affine or outliers:
        live = np.flatnonzero(X.any(axis=1))
        if len(live) < 2:
            return Solution(sp.csr_array((len(X), len(X))), iterations=0)
        problem = LassoAdmm(X[live], alpha, affine, outliers, exact)
        C, iterations, residual = _by_admm(problem, threshold, max_iterations, n_jobs, progress)
        return iterated(among(C, live, len(X)), iterations, residual, TOLERANCE)
    else:
        t = lasso_thresholds(X, alpha)
        nets, tolerance = elastic_nets(X, t, np.zeros(len(X)), n_jobs, progress), EXACT
    return iterated(keep_largest(nets.C, threshold), nets.rounds, nets.violation, tolerance)


def among(C: sp.csr_array, live: NDArray[np.int64], n: int) -> sp.csr_array:
    """The coefficients of some points in the matrix of all n."""
    if len(live) == n:
        return C
    entries = sp.coo_array(C)
    return sp.csr_array((entries.data, (live[entries.row], live[entries.col])), shape=(n, n))


def _by_admm(
    problem: LassoAdmm,
    threshold: float,
    max_iterations: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[sp.csr_array, int, float]:
    def solve(start: int, stop: int) -> tuple[sp.csr_array, int, float]:
        state = problem.start(start, stop)
        steps, residual = problem.run(start, state, max_iterations)
        return sp.csr_array(keep_largest(state.C, threshold)), steps, residual

    blocks = run_blocks(solve, len(problem.X), BLOCK, n_jobs=n_jobs, progress=progress)
    C = sp.csr_array(sp.vstack([b[0] for b in blocks]))
    return C, max(b[1] for b in blocks), max(b[2] for b in blocks)


METHOD = Method(
    name="SSC",
    title="Sparse Subspace Clustering",
    function=ssc,
    parameters=(
        *LASSO,
        Parameter("max_iterations", 1000, 1, 10000, "Most iterations with affine.", step=50),
    ),
    presets={
        "faces": {"alpha": 40.0, "outliers": True, "normalise": False},
        "digits": {"alpha": 20.0},
        "motion": {
            "alpha": 800.0,
            "affine": True,
            "normalise": False,
            "threshold": 0.7,
            "exact": False,
            "max_iterations": 200,
        },
    },
    memory=lambda n, d: max(elastic_memory(n, d), admm_memory(n, d)),
)
