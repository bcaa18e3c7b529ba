"""SSSC (also S³C), Structured Sparse Subspace Clustering (Li, You and Vidal).

min Σ_ij w_ij |c_ij| + (λ/2) ‖X − CX‖², diag C = 0, w_ij = 1/ν + νγ₀ [labels of i and j differ]:
SSC, and SSC again with the labels that spectral clustering found.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.affinities import unit_affinity
from sdsc_core.blocks import Progress, run_blocks, tick
from sdsc_core.checks import check_data, check_n_clusters
from sdsc_core.methods.base import (
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    scaled_rows,
)
from sdsc_core.methods.solvers.admm import BLOCK, TOLERANCE, LassoAdmm, admm_memory
from sdsc_core.methods.solvers.elastic import TOLERANCE as EXACT
from sdsc_core.methods.solvers.elastic import Across, elastic_memory, elastic_nets, lasso_thresholds
from sdsc_core.methods.solvers.huber import SOLVED, HuberLasso
from sdsc_core.methods.ssc import LASSO, among
from sdsc_core.spectral import spectral_clustering

GROWTH = 1.2  # of ν, in each round
STEPS = 1000  # of ADMM in a round at most; warm-started rows need few


class Lasso(NamedTuple):
    """The parameters of a round that are SSC's, see `ssc`."""

    alpha: float
    affine: bool
    outliers: bool
    normalise: bool
    threshold: float
    exact: bool


def sssc(
    X: Any,
    *,
    gamma0: float = 0.1,
    max_rounds: int = 10,
    n_clusters: int,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **lasso: Any,
) -> Solution:
    """Let labels and representation improve each other.

    The first round is SSC. It ends when the labels stay the same, after ``max_rounds`` at most.
    ``lasso`` are parameters of `ssc`, with its defaults: ``alpha``, ``affine``, ``outliers``,
    ``normalise``, ``threshold`` and ``exact``. A zero sample has no links, as there.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (sssc(X, n_clusters=2).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    given: dict[str, Any] = METHOD.settings(gamma0=gamma0, max_rounds=max_rounds, **lasso)
    problem = Lasso(*(given[name] for name in Lasso._fields))
    X = scaled_rows(check_data(X), problem.normalise)
    k = check_n_clusters(n_clusters, len(X))
    solve: _AdmmRounds | _ExactRounds | _OutlierRounds
    if problem.outliers and problem.exact and not problem.affine:
        solve = _OutlierRounds(HuberLasso(X, problem.alpha))
    elif problem.affine or problem.outliers:
        live = np.flatnonzero(X.any(axis=1))
        if len(live) < 2:
            return Solution(sp.csr_array((len(X), len(X))), iterations=0)
        posed = (problem.alpha, problem.affine, problem.outliers, problem.exact)
        solve = _AdmmRounds(LassoAdmm(X[live], *posed), live)
    else:
        solve = _ExactRounds(X, problem.alpha)
    labels = np.zeros(len(X), np.int64)
    settled, rounds = False, 0
    while not settled and rounds < max_rounds:
        weights = Weights(labels, GROWTH**rounds, gamma0)
        C, residual = solve(weights, n_jobs, _within(progress, rounds, max_rounds))
        C = keep_largest(C, problem.threshold)
        found = spectral_clustering(unit_affinity(C), k, random_state)
        settled = rounds > 0 and np.array_equal(found, labels)
        labels, rounds = found, rounds + 1
    tick(progress, len(X) * max_rounds, len(X) * max_rounds)
    solution = iterated(C, rounds, residual, solve.tolerance)
    if settled:
        return solution
    message = f"Not converged: the labels still changed after {rounds} round(s)."
    return replace(solution, converged=False, message=message)


@dataclass(frozen=True)
class Weights:
    """w_ij = 1/ν within a label, 1/ν + νγ₀ across."""

    labels: NDArray[np.int64]
    nu: float
    gamma0: float


class _ExactRounds:
    """Rounds of the plain problem, each solved exactly from scratch."""

    tolerance = EXACT

    def __init__(self, X: NDArray[np.float64], alpha: float):
        self.X, self.t = X, lasso_thresholds(X, alpha)

    def __call__(
        self, weights: Weights, n_jobs: int | None, progress: Progress | None
    ) -> tuple[sp.csr_array, float]:
        across = Across(weights.labels, weights.nu**2 * weights.gamma0)
        ridge = np.zeros(len(self.X))
        nets = elastic_nets(self.X, self.t / weights.nu, ridge, n_jobs, progress, across)
        return nets.C, nets.violation


class _OutlierRounds:
    """Rounds with outliers, solved exactly; each starts where the last one ended."""

    tolerance = SOLVED

    def __init__(self, problem: HuberLasso):
        self.problem, self.C = problem, sp.csr_array((len(problem.X),) * 2)

    def __call__(
        self, weights: Weights, n_jobs: int | None, progress: Progress | None
    ) -> tuple[sp.csr_array, float]:
        nets = self.problem.solve(
            scale=1.0 / weights.nu,
            across=Across(weights.labels, weights.nu**2 * weights.gamma0),
            start=self.C, n_jobs=n_jobs, progress=progress,
        )  # fmt: skip
        self.C = nets.C
        return nets.C, nets.violation


class _AdmmRounds:
    """Rounds of ADMM, for affine subspaces; each starts where the last one ended.

    The problem is of the ``live`` points alone: of a zero sample no coefficients sum to one.
    """

    tolerance = TOLERANCE

    def __init__(self, problem: LassoAdmm, live: NDArray[np.int64]):
        self.problem, self.live, n = problem, live, len(live)
        self.states = {a: problem.start(a, min(a + BLOCK, n)) for a in range(0, n, BLOCK)}

    def __call__(
        self, weights: Weights, n_jobs: int | None, progress: Progress | None
    ) -> tuple[sp.csr_array, float]:
        labels, nu = weights.labels[self.live], weights.nu

        def solve(start: int, stop: int) -> float:
            across = labels[start:stop, None] != labels
            w = 1.0 / nu + nu * weights.gamma0 * across
            return self.problem.run(start, self.states[start], STEPS, w)[1]

        n = len(labels)
        residual = max(run_blocks(solve, n, BLOCK, n_jobs=n_jobs, progress=progress))
        rows = [sp.csr_array(self.states[a].C) for a in sorted(self.states)]
        C = sp.csr_array(sp.vstack(rows))
        return among(C, self.live, len(weights.labels)), residual


def _within(progress: Progress | None, rounds: int, max_rounds: int) -> Progress | None:
    """Progress of one round as a part of all of them."""
    if progress is None:
        return None
    return lambda done, total: progress(rounds * total + done, max_rounds * total)


METHOD = Method(
    name="SSSC",
    title="Structured Sparse Subspace Clustering",
    function=sssc,
    parameters=(
        LASSO[0],
        Parameter(
            "gamma0", 0.1, 1e-3, 10.0, "Penalty on links across the found clusters.", log=True
        ),
        *LASSO[1:],
        Parameter("max_rounds", 10, 1, 50, "Most rounds of representation and labels."),
    ),
    presets={
        "faces": {"alpha": 40.0, "outliers": True, "normalise": False},
        "digits": {},
        "motion": {
            "alpha": 800.0,
            "affine": True,
            "normalise": False,
            "threshold": 0.7,
            "exact": False,
        },
    },
    needs_clusters=True,
    memory=lambda n, d: max(elastic_memory(n, d), admm_memory(n, d) + 16 * n * (n + d)),
)
