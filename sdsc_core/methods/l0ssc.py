"""ℓ0-SSC, ℓ0-induced Sparse Subspace Clustering (Yang, Feng, Jojic, Yang and Huang).

min ‖x_i − Σ_j c_ij x_j‖² + λ‖c_i‖₀, c_ii = 0: a local minimum, by proximal gradient from SSC's
solution. The proximal map of λ‖·‖₀ is the hard threshold: c ↦ c where |c| > √(2tλ), else 0, for a
step t along the gradient.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, end_if_cancelled, gram, run_blocks, tick
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
from sdsc_core.methods.solvers.elastic import elastic_memory, elastic_nets, lasso_thresholds

Array = NDArray[np.float64]

TOLERANCE = 1e-6
BLOCK = 128


def l0ssc(
    X: Any,
    *,
    lam: float = 0.01,
    alpha: float = 20.0,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 200,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by as few others as pay: SSC's links, pruned and fitted anew.

    ``alpha`` is that of SSC, from which the descent starts; a larger λ leaves fewer links.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (l0ssc(X).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(
        lam=lam, alpha=alpha, normalise=normalise, affine=affine, max_iterations=max_iterations
    )
    X = scaled_rows(check_data(X), normalise, affine)
    n, d = X.shape
    if d > n:  # only inner products matter
        Q, s, _ = np.linalg.svd(X, full_matrices=False)
        X = Q * s
    t = lasso_thresholds(X, alpha)
    first = elastic_nets(X, t, np.zeros(n), n_jobs, _half(progress, 0))
    # The gradient's Lipschitz constant is 2‖X‖₂²; a little less than 1 over it surely descends.
    largest = float(np.linalg.eigvalsh(gram(X.T))[-1])
    problem = HardThreshold(X, lam, 0.5 / max(largest * (1.0 + 1e-9), np.finfo(float).tiny))

    def solve(start: int, stop: int) -> tuple[sp.csr_array, int, float]:
        C = first.C[start:stop].toarray()
        rounds, residual = problem.descend(start, C, max_iterations)
        return sp.csr_array(C), rounds, residual

    parts = run_blocks(solve, n, BLOCK, n_jobs=n_jobs, progress=_half(progress, 1))
    C = sp.csr_array(sp.vstack([part[0] for part in parts]))
    return iterated(C, max(part[1] for part in parts), max(part[2] for part in parts), TOLERANCE)


def _half(progress: Progress | None, which: int) -> Progress | None:
    """The progress of the first or of the second of two equal parts."""
    if progress is None:
        return None
    return lambda done, total: tick(progress, which * total + done, 2 * total)


@dataclass(frozen=True)
class HardThreshold:
    """The problem above for all rows of X; ``least`` is a step that never raises the objective."""

    X: Array
    lam: float
    least: float

    def descend(self, start: int, C: Array, max_iterations: int) -> tuple[int, float]:
        """Take the rows of C, those of X from ``start`` on, to fixed points, in place.

        Each step is that of proximal gradient, then least squares on the support it chose. The
        longest step that is sure to descend within a row's own support is tried first, since its
        fixed points are fixed points of all shorter steps too; where it fails, it is halved.
        Returns the rounds and how far the last step would still move a coefficient.
        """
        own = start + np.arange(len(C))
        for row in range(len(C)):
            C[row] = self._fit(start + row, C[row] != 0)
        steps = np.array([self._longest(row != 0) for row in C])
        residuals = np.zeros(len(C))
        live, rounds = np.arange(len(C)), 0
        while live.size and rounds < max_iterations:
            rounds += 1
            end_if_cancelled()
            moved = self.step(own[live], C[live], steps[live])
            residuals[live] = np.abs(moved - C[live]).max(axis=1)
            changed = ((moved != 0) != (C[live] != 0)).any(axis=1)
            moved, live = moved[changed], live[changed]
            again = np.ones(len(live), dtype=bool)
            for at, row in enumerate(live):
                new = self._fit(own[row], moved[at] != 0)
                if self.objective(own[row], new) < self.objective(own[row], C[row]):
                    C[row] = new
                else:
                    again[at] = steps[row] > self.least
                    steps[row] = max(self.least, steps[row] / 2)
            live = live[again]
        return rounds, float(residuals.max())

    def step(self, own: NDArray[np.int64], C: Array, steps: Array) -> Array:
        """One step of proximal gradient for the points ``own``, with a step size for each."""
        pull = 2.0 * (self.X[own] - C @ self.X) @ self.X.T
        moved = C + steps[:, None] * pull
        moved[np.abs(moved) <= np.sqrt(2.0 * self.lam * steps)[:, None]] = 0.0
        moved[np.arange(len(own)), own] = 0.0
        return moved

    def objective(self, i: int, c: Array) -> float:
        """‖x_i − Σ_j c_j x_j‖² + λ‖c‖₀."""
        on = np.flatnonzero(c)
        return float(np.sum((self.X[i] - c[on] @ self.X[on]) ** 2) + self.lam * len(on))

    def _fit(self, i: int, support: NDArray[np.bool_]) -> Array:
        """Least squares for point i on a support."""
        c = np.zeros(len(self.X))
        if support.any():
            c[support] = np.linalg.lstsq(self.X[support].T, self.X[i], rcond=None)[0]
        return c

    def _longest(self, support: NDArray[np.bool_]) -> float:
        size = float(np.linalg.norm(self.X[support], 2)) ** 2 if support.any() else 0.0
        return max(self.least, 0.5 / size if size else 0.0)


METHOD = Method(
    name="L0-SSC",
    title="ℓ0-induced Sparse Subspace Clustering",
    function=l0ssc,
    parameters=(
        Parameter("lam", 0.01, 1e-6, 1.0, "Price of a link; more leaves fewer.", log=True),
        Parameter(
            "alpha", 20.0, 1.1, 2000.0, "Weight of the fit in SSC, where it starts.", log=True
        ),
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 200, 1, 10000, "Most iterations.", step=50),
    ),
    # The best of λ × α on 3 draws of 5 faces (λ 3e-4 to 0.2, α 2.5 to 80), 3 draws of 5 digits × 50
    # (1e-3 to 0.03, 1.5 to 80), and every second track of five sequences of Hopkins155 (1e-3 and
    # 1e-4, 50 to 500, all within a point).
    presets={
        "faces": {"lam": 0.03, "alpha": 10.0},
        "digits": {"lam": 0.03, "alpha": 1.5},
        "motion": {"lam": 1e-4, "alpha": 100.0, "normalise": False, "affine": True},
    },
    memory=lambda n, d: elastic_memory(n, d) + 8 * (2 * n * d + 4 * BLOCK * 4 * n),
)
