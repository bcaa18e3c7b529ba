"""ADMM for LRSSC and MSR: a representation that is sparse and of low rank at once.

min ‖C‖* + λ‖C‖₁ + φ(E) with X = CX + E, diag C = 0. C has a copy for each norm, J of low rank and
S sparse; φ, the penalty of the error, is what tells the two methods apart.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, gram, tick

Array = NDArray[np.float64]
# Proximal map of a penalty φ: (A, t) ↦ the minimiser over B of t φ(B) + ½‖B − A‖².
Shrink = Callable[[Array, float], Array]

TOLERANCE = 1e-3
RELAX = 1.7  # over-relaxation, as in `admm`
FIT = 30.0  # ρ of the fit at the start, over X's mean square in a direction
BALANCE, BALANCED = 10, 200  # steps between two looks at ρ, and after which it stays


@dataclass(frozen=True)
class TwoNorms:
    """The copies of C at the end, the error E, and the multipliers that certify them.

    E is in the coordinates of ``basis`` (N, r), whose inner products are those of X. At the minimum
    J = S, basis = S basis + E, ``pull_J`` ∈ ∂‖J‖*, ``pull_S`` ∈ λ∂‖S‖₁ off the diagonal,
    ``pull_E`` ∈ ∂φ(E), and pull_J + pull_S = pull_E basisᵀ.
    """

    J: Array
    S: Array
    E: Array
    basis: Array
    pull_J: Array
    pull_S: Array
    pull_E: Array
    iterations: int
    residual: float


@dataclass
class _Copy:
    """A variable that follows another one under its own penalty, and its multiplier over ρ."""

    value: Array
    multiplier: Array
    shrink: Shrink

    def follow(self, other: Array, limit: float) -> tuple[Array, Array]:
        """One step; how far ``other`` is from the new value, and how far that moved."""
        relaxed = RELAX * other + (1.0 - RELAX) * self.value + self.multiplier
        new = self.shrink(relaxed, limit)
        self.multiplier = relaxed - new
        moved, self.value = new - self.value, new
        return other - new, moved


def two_norms(
    X: Array,
    lam: float,
    shrink_error: Shrink,
    max_iterations: int,
    progress: Progress | None = None,
) -> TwoNorms:
    """Solve the problem above for the samples in the rows of X (N, D).

    ``shrink_error`` must not depend on the basis of the features: with X = Q diag(s) Vᵀ, Q diag(s)
    stands for X. The step sizes, ρ of C's copies and ρ of the fit, follow the residuals.
    """
    Q, s, _ = np.linalg.svd(X, full_matrices=False)
    kept = s > 1e-10 * max(s[0], 1e-300)
    Q, s = Q[:, kept], s[kept]
    basis, n = Q * s, len(X)
    J = _Copy(np.zeros((n, n)), np.zeros((n, n)), shrink_singular)
    S = _Copy(np.zeros((n, n)), np.zeros((n, n)), lambda A, t: _shrink_entries(A, lam * t))
    E = _Copy(0 * basis, 0 * basis, shrink_error)
    rho, rho_fit = 1.0, FIT / float(np.mean(s**2)) if s.size else 1.0
    step, residual = 0, np.inf if s.size else 0.0
    while residual > TOLERANCE and step < max_iterations:
        step += 1
        # C (2I + w basis basisᵀ) = A + w F basisᵀ with w = ρ of the fit over ρ of the copies.
        weights = rho_fit / rho * s
        A = J.value - J.multiplier + S.value - S.multiplier
        F = weights * (basis - E.value + E.multiplier)
        C = 0.5 * (A + (F - (A @ Q + F) * (weights * s / (2.0 + weights * s))) @ Q.T)
        steps = [J.follow(C, 1.0 / rho), S.follow(C, 1.0 / rho)]
        steps.append(E.follow(basis - C @ basis, 1.0 / rho_fit))
        residual = max(float(np.abs(change).max()) for pair in steps for change in pair)
        if step % BALANCE == 0 and step <= BALANCED:
            rho *= _balance((J, S), steps[:2], (J.value, S.value))
            rho_fit *= _balance((E,), steps[2:], (basis,))
        tick(progress, step, max_iterations)
    pulls = (rho * J.multiplier, rho * S.multiplier, rho_fit * E.multiplier)
    return TwoNorms(J.value, S.value, E.value, basis, *pulls, step, residual)


def two_norms_memory(n: int, d: int) -> int:
    """Bytes: the two copies with multipliers and what a step makes of them, and four of X."""
    return 8 * (14 * n * n + 2 * n * d + 6 * n * min(n, d))


def _balance(
    copies: tuple[_Copy, ...], steps: list[tuple[Array, Array]], whole: tuple[Array, ...]
) -> float:
    """Bring the relative residuals, primal and dual, together; by how much ρ grows."""
    apart, moved = (sum(float(np.sum(pair[k] ** 2)) for pair in steps) for k in (0, 1))
    size = sum(float(np.sum(part**2)) for part in whole)
    pull = sum(float(np.sum(copy.multiplier**2)) for copy in copies)
    if not (apart and moved and size and pull):
        return 1.0
    growth = float(np.clip((apart / size * pull / moved) ** 0.25, 0.5, 2.0))
    for copy in copies:
        copy.multiplier /= growth
    return growth


def shrink_singular(A: Array, limit: float) -> Array:
    """``limit`` taken off the singular values of A.

    >>> shrink_singular(np.diag([3.0, -2.0, 0.5]), 1.0).diagonal().tolist()
    [2.0, -1.0, 0.0]
    """
    # Only directions above the limit matter, and those the Gram matrix resolves well.
    squares, V = np.linalg.eigh(gram(A.T))
    above = squares > limit**2
    squares, V = squares[above], V[:, above]
    return ((A @ V) * (1.0 - limit / np.sqrt(squares))) @ V.T


def _shrink_entries(A: Array, limit: float) -> Array:
    """The soft threshold, with a diagonal of zeros."""
    B = np.sign(A) * np.maximum(np.abs(A) - limit, 0.0)
    np.fill_diagonal(B, 0.0)
    return B
