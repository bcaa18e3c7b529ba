"""ADMM for the family of SSC: one Lasso a point, blocks of points, one factor for all of them.

min Σ_j w_ij |c_ij| + ‖e_i‖₁ + (λ/2) ‖x_i − Σ_j c_ij x_j − g e_i‖², c_ii = 0, Σ_j c_ij = 1 where
affine, e_i = 0 without outliers. Rows are independent, so a block of them is all that is in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import end_if_cancelled
from sdsc_core.methods.base import Parameter, rounding, shifted_inverse

Array = NDArray[np.float64]

TOLERANCE = 2e-4
RELAX = 1.7  # over-relaxation; about a third fewer steps than none
CHECK = 20  # steps between two looks at which rows are done
BLOCK = 128
EXACT_ADMM = Parameter(
    "exact", True, None, None, "ADMM goes on to the minimum, not only until it is feasible."
)


def admm_memory(n: int, d: int) -> int:
    """Bytes for a few threads: two copies of X, the inverse, blocks of states, and C."""
    inverse = 2 * n * n if 2 * d >= n else 2 * n * d
    return 8 * (2 * n * d + inverse + 4 * BLOCK * (8 * n + 5 * d) + 512 * n + n * n // 4)


@dataclass
class State:
    """Where the solver stands for a block of rows: C, the multipliers over ρ, and outliers."""

    C: Array
    U: Array
    E: Array
    UE: Array
    sums: Array  # multiplier of Σ_j c_ij = 1, over ρ

    def take(self, rows: NDArray[np.int64]) -> "State":
        return State(*(getattr(self, f.name)[rows] for f in fields(self)))

    def put(self, rows: NDArray[np.int64], part: "State") -> None:
        for f in fields(self):
            getattr(self, f.name)[rows] = getattr(part, f.name)


class LassoAdmm:
    """The problem above for all rows of X, with λ = α/μ and ρ = α.

    μ is the smallest over i of the largest |x_iᵀx_j|, j ≠ i, so that every point has a nonzero
    solution for α > 1; outliers add the atoms I/γₑ with γₑ = α/‖X‖₁, as SSC's authors do.
    Not ``exact``, it stops where the authors' own ADMM does: plain steps until the constraints
    hold, while C may still move.
    """

    def __init__(self, X: Array, alpha: float, affine: bool, outliers: bool, exact: bool = True):
        self.X, self.affine, self.outliers, self.exact = X, affine, outliers, exact
        self.rho = alpha
        largest_sum = np.abs(X).sum(axis=1).max()
        self.g = largest_sum / alpha if outliers else 0.0
        self.mu = coherence(X, self.g)
        self.lam = alpha / self.mu
        self.a = self.lam / self.rho
        # Eliminating the outliers leaves the same matrix with a smaller weight: a Schur complement.
        self.h = 1.0 / (1.0 + self.a * self.g**2)
        self._solve = _inverse(X, self.a * self.h, affine)

    def start(self, start: int, stop: int) -> State:
        rows, (n, d) = stop - start, self.X.shape
        d = d if self.outliers else 0
        zeros = np.zeros
        return State(
            zeros((rows, n)), zeros((rows, n)), zeros((rows, d)), zeros((rows, d)), zeros(rows)
        )

    def run(
        self, start: int, state: State, steps: int, weights: Array | None = None
    ) -> tuple[int, float]:
        """At most ``steps`` steps from ``state``, in place, for its rows from ``start`` on.

        ``weights`` (rows, N) are the w_ij, one by default. Returns the number of steps and the
        worst row's residual: the larger of max |z − c| and, if exact, the last change of c. Rows
        that are done drop out, since a few slow ones would otherwise hold all of them.
        """
        rows = len(state.C)
        limits = np.full((rows, 1), 1.0) if weights is None else weights
        residuals = np.full(rows, np.inf)
        live, taken = np.arange(rows), 0
        check = CHECK if self.exact else 1
        while live.size and taken < steps:
            end_if_cancelled()
            part, count = state.take(live), min(check, steps - taken)
            worst = self._steps(start + live, part, limits[live] / self.rho, count)
            state.put(live, part)
            residuals[live] = worst
            done = worst <= TOLERANCE
            live = live[~done if self.exact else np.full(len(live), not done.all())]
            taken += count
        return taken, float(residuals.max())

    def _steps(self, own: NDArray[np.int64], state: State, limits: Array, count: int) -> Array:
        """``count`` steps for the points ``own``; each row's residual in the last one.

        Notes
        -----
        SSC's authors also zero Z's diagonal after each step, which moves the fixed point away
        from the stated problem; here the multiplier brings it to zero.
        """
        X, target, ag = self.X, self.X[own], self.a * self.g
        products = self.a * (target @ X.T)
        limits = np.broadcast_to(limits, state.C.shape)
        errors = np.broadcast_to(1.0 / self.rho, state.E.shape)
        nobody = np.full(len(own), -1)
        relax = RELAX if self.exact else 1.0
        for _ in range(count):
            M = products + state.C - state.U
            if self.affine:
                M += (1.0 - state.sums)[:, None]
            if self.outliers:
                M2 = ag * target + state.E - state.UE
                M -= (ag * self.h) * (M2 @ X.T)
            Z = self._solve(M)
            residual = _shrink(Z, state.C, state.U, limits, own, relax, self.exact)
            if self.outliers:
                Z2 = self.h * (M2 - ag * (Z @ X))
                own_errors = _shrink(Z2, state.E, state.UE, errors, nobody, relax, self.exact)
                residual = np.maximum(residual, own_errors)
            if self.affine:
                gap = Z.sum(axis=1) - 1.0
                state.sums += gap
                residual = np.maximum(residual, np.abs(gap))
        return residual


def coherence(X: Array, g: float) -> float:
    """min_i max_{j≠i} |x_iᵀ a_j| over the points, of norm 1 at most, that are not zero.

    a_j are the atoms. A point that is orthogonal to all others but for rounding does not count: λ
    would be so large that nothing is left of the identity in `_inverse`.
    """
    lowest = np.inf
    for start in range(0, len(X), 512):
        Q = np.abs(X[start : start + 512] @ X.T)
        rows = np.arange(len(Q))
        Q[rows, start + rows] = 0.0
        best = np.maximum(Q.max(axis=1), g * np.abs(X[start : start + 512]).max(axis=1))
        best = best[best > rounding(X)]
        lowest = min(lowest, best.min()) if best.size else lowest
    return float(lowest) if np.isfinite(lowest) else 1.0


def _inverse(X: Array, weight: float, affine: bool) -> Callable[[Array], Array]:
    """M ↦ M (I + weight·XXᵀ + [affine] 11ᵀ)⁻¹, by whichever side of X is the smaller."""
    n = len(X)
    A = np.sqrt(weight) * X
    if affine:
        A = np.hstack([A, np.ones((n, 1))])
    d = A.shape[1]
    if 2 * d < n:
        H = shifted_inverse(A.T, 1.0, A.T)
        return lambda M: M - (M @ A) @ H
    P = shifted_inverse(A, 1.0, np.eye(n))
    return lambda M: M @ P


@kernel
def _shrink(Z, C, U, limits, own, relax, exact):
    """C and U after a step, over-relaxed; each row's residual, without C's change if not exact.

    C is 0 at ``own``, where U then drives Z to 0 as well.
    """
    residual = np.zeros(Z.shape[0])
    for r in range(Z.shape[0]):
        worst = 0.0
        for j in range(Z.shape[1]):
            z = relax * Z[r, j] + (1.0 - relax) * C[r, j]
            v, t = z + U[r, j], limits[r, j]
            c = v - t if v > t else (v + t if v < -t else 0.0)
            if j == own[r]:
                c = 0.0
            worst = max(worst, abs(Z[r, j] - c), abs(c - C[r, j]) if exact else 0.0)
            C[r, j] = c
            U[r, j] = v - c
        residual[r] = worst
    return residual
