"""SSSC (also S³C), Structured Sparse Subspace Clustering (Li, You and Vidal).

min Σ_ij w_ij |c_ij| + (λ/2) ‖X − CX‖², diag C = 0, w_ij = 1/ν + νγ₀ [labels of i and j differ]:
SSC, and SSC again with the labels that spectral clustering found.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.affinity import unit_affinity
from sdsc_core.blocks import Progress, run_blocks, tick
from sdsc_core.checks import check_data, check_n_clusters
from sdsc_core.methods._admm import BLOCK, TOLERANCE, LassoAdmm, State, admm_memory
from sdsc_core.methods.base import Method, Parameter, Solution, iterated, scaled_rows
from sdsc_core.spectral import spectral_clustering

GROWTH = 1.2  # of ν, in each round
STEPS = 1000  # of ADMM in a round at most; warm-started rows need few


def sssc(
    X: Any,
    *,
    alpha: float = 20.0,
    gamma0: float = 0.1,
    outliers: bool = False,
    normalise: bool = True,
    max_rounds: int = 10,
    n_clusters: int,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Let labels and representation improve each other; warm-started rounds of ADMM.

    The first round is SSC. It ends when the labels stay the same, after ``max_rounds`` at most.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (sssc(X, n_clusters=2).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    X = scaled_rows(check_data(X), normalise)
    METHOD.settings(
        alpha=alpha,
        gamma0=gamma0,
        outliers=outliers,
        normalise=normalise,
        max_rounds=max_rounds,
    )
    k = check_n_clusters(n_clusters, len(X))
    problem = LassoAdmm(X, alpha, False, outliers)
    states = {a: problem.start(a, min(a + BLOCK, len(X))) for a in range(0, len(X), BLOCK)}
    labels = np.zeros(len(X), np.int64)
    settled, rounds = False, 0
    while not settled and rounds < max_rounds:
        weights = _Weights(labels, GROWTH**rounds, gamma0)
        report = _within(progress, rounds, max_rounds)
        residual = _round(problem, states, weights, n_jobs, report)
        C = sp.csr_array(sp.vstack([sp.csr_array(state.C) for state in states.values()]))
        found = spectral_clustering(unit_affinity(C), k, random_state)
        settled = rounds > 0 and np.array_equal(found, labels)
        labels, rounds = found, rounds + 1
    tick(progress, len(X) * max_rounds, len(X) * max_rounds)
    solution = iterated(C, rounds, residual, TOLERANCE)
    if settled:
        return solution
    message = f"The labels still changed after {rounds} rounds."
    return replace(solution, converged=False, message=message)


@dataclass(frozen=True)
class _Weights:
    labels: NDArray[np.int64]
    nu: float
    gamma0: float

    def rows(self, start: int, stop: int) -> NDArray[np.float64]:
        differ = self.labels[start:stop, None] != self.labels
        return 1.0 / self.nu + self.nu * self.gamma0 * differ


def _within(progress: Progress | None, rounds: int, max_rounds: int) -> Progress | None:
    """Progress of one round as a part of all of them."""
    if progress is None:
        return None
    return lambda done, total: progress(rounds * total + done, max_rounds * total)


def _round(
    problem: LassoAdmm,
    states: dict[int, State],
    weights: _Weights,
    n_jobs: int | None,
    progress: Progress | None,
) -> float:
    def solve(start: int, stop: int) -> float:
        return problem.run(start, states[start], STEPS, weights.rows(start, stop))[1]

    return max(run_blocks(solve, len(problem.X), BLOCK, n_jobs=n_jobs, progress=progress))


METHOD = Method(
    name="SSSC",
    title="Structured Sparse Subspace Clustering",
    function=sssc,
    parameters=(
        Parameter(
            "alpha", 20.0, 1.1, 2000.0, "Weight of the fit; more gives more neighbours.", log=True
        ),
        Parameter(
            "gamma0", 0.1, 1e-3, 10.0, "Penalty on links across the found clusters.", log=True
        ),
        Parameter("outliers", False, None, None, "Allow some wrong entries in each sample."),
        Parameter("normalise", True, None, None, "Scale samples to unit norm first."),
        Parameter("max_rounds", 10, 1, 50, "Most rounds of representation and labels."),
    ),
    presets={
        "faces": {"alpha": 40.0, "outliers": True, "normalise": False},
        "digits": {},
        "motion": {"alpha": 800.0},
    },
    needs_clusters=True,
    memory=lambda n, d: admm_memory(n, d) + 16 * n * (n + d),
)
