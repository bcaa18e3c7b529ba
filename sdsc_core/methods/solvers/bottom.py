"""The bottom eigenvectors of a Laplacian that changes a little from one solve to the next."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh_tridiagonal

from sdsc_core.blocks import gram, one_thread_for
from sdsc_core.methods.solvers.lapack import is_positive, lowest_pairs

Array = NDArray[np.float64]

ENOUGH = 1e-8  # a residual below this share of the gap turns the vectors by no more than that
ROUNDING = 1e-14  # of a product, relative to the matrix
DEGREE = 10  # of a filter, before the vectors are made orthogonal again
A_PRODUCT = 25  # rows: a whole solve takes as long as N / 25 products, and the more in small ones
SINGLE = 1e-5  # a residual above this share of the largest eigenvalue falls in float32 as well
LANCZOS = 4  # steps towards the largest eigenvalue


class BottomVectors:
    """The k bottom eigenvectors of L = Diag(B1) − B, B ≥ 0 and symmetric, again and again.

    The vectors of the last matrix are a start for the next: Chebyshev polynomials of L damp all
    that lies above them, and a Rayleigh-Ritz step sorts out the rest. Where that would take longer
    than a whole solve, because no gap follows λ_k, there is one.
    """

    def __init__(self, n: int, k: int):
        self.k = k
        self.width = k + max(4, k)  # more than are asked for: those above are the gap
        self.whole_only = 4 * self.width > n
        self.most = max(30, n // A_PRODUCT)
        self._U: Array | None = None

    def __call__(self, B: Array) -> Array:
        """U (N, k), orthonormal; its span alone is determined."""
        degrees = B.sum(axis=1)
        found = None if self.whole_only or self._U is None else self._warm(B, degrees)
        self._U = self._whole(B, degrees) if found is None else found
        return self._U[:, : self.k]

    def confirm(self, B: Array) -> bool:
        """Whether no eigenvector was missed; if one was, all further solves are whole ones.

        All others have eigenvalues of at least σ where L − σI, with those of the span lifted far
        above, is positive definite: one Cholesky factor tells.
        """
        degrees = B.sum(axis=1)
        U = self(B)
        if self.whole_only:
            return True
        largest = float(np.linalg.eigvalsh(U.T @ (degrees[:, None] * U - B @ U))[-1])
        L = 2.0 * (1.0 + degrees.max()) * gram(U) - B
        L[np.diag_indices_from(L)] += degrees - largest + ENOUGH * (1.0 + degrees.max())
        with one_thread_for(len(L)):
            self.whole_only = not is_positive(L)
        return not self.whole_only

    def _whole(self, B: Array, degrees: Array) -> Array:
        L = -B
        L[np.diag_indices_from(L)] += degrees
        return lowest_pairs(L, self.k if self.whole_only else self.width)[1]

    def _warm(self, B: Array, degrees: Array) -> Array | None:
        """From the last vectors; None where it would take too long."""
        U, values, residual = _rayleigh_ritz(B, degrees, self._U, self.k)
        used, least = 1, ROUNDING * degrees.max() * np.sqrt(len(B))
        top = 0.0
        # None can lie below 0: what is there serves, however many more there are.
        while not (values[self.k - 1] <= least and residual <= least):
            gap = values[self.k] - values[self.k - 1]
            wanted = max(ENOUGH * gap, least)
            if used > 1 and residual <= wanted:
                break
            top = top or _upper_bound(B, degrees)
            rate = _rate(values, self.k, top)
            needed = np.log(max(residual / wanted, 10.0)) / rate if rate > 0 else np.inf
            if used + needed > self.most:
                return None
            degree = int(min(DEGREE, np.ceil(needed)))
            rough = residual > SINGLE * top
            matrix = B.astype(np.float32) if rough else B
            U = np.linalg.qr(_filter(matrix, degrees, U, float(values[-1]), top, degree))[0]
            U, values, residual = _rayleigh_ritz(B, degrees, U, self.k)
            used += degree + 1
        return U


def _rate(values: Array, k: int, top: float) -> float:
    """ln of what one degree of the filter gains for λ_k over what lies above the block."""
    low = values[-1]
    inside = (top + low - 2.0 * values[k - 1]) / max(top - low, np.finfo(float).tiny)
    return float(np.arccosh(max(inside, 1.0)))


def _upper_bound(B: Array, degrees: Array) -> float:
    """Hardly less than the largest eigenvalue of L: a few steps of Lanczos and what they leave."""
    v, before, beta = np.sqrt(degrees / degrees.sum()), np.zeros(len(B)), 0.0
    v[::2] *= -1.0  # far from the bottom vectors, which are smooth
    alphas, betas = [], []
    for _ in range(LANCZOS):
        w = degrees * v - B @ v - beta * before
        alphas.append(float(w @ v))
        w -= alphas[-1] * v
        beta = float(np.linalg.norm(w))
        betas.append(beta)
        if beta <= ROUNDING * degrees.max():
            break
        before, v = v, w / beta
    ritz = eigvalsh_tridiagonal(np.array(alphas), np.array(betas[:-1]))
    return min(float(ritz[-1]) + betas[-1], 2.0 * float(degrees.max()))  # Gershgorin


def _rayleigh_ritz(B: Array, degrees: Array, U: Array | None, k: int) -> tuple[Array, Array, float]:
    """Vectors and values of L within the span of U, and the longest residual of the first k."""
    assert U is not None
    LU = degrees[:, None] * U - B @ U
    values, turn = np.linalg.eigh(U.T @ LU)
    U, LU = U @ turn, LU @ turn
    residuals = np.linalg.norm(LU[:, :k] - U[:, :k] * values[:k], axis=0)
    return U, values, float(residuals.max())


def _filter(
    B: NDArray[np.floating], degrees: Array, U: Array, low: float, top: float, degree: int
) -> Array:
    """T_degree of L, scaled so that [low, top] becomes [−1, 1], times U; in the precision of B."""
    centre, half = (top + low) / 2.0, (top - low) / 2.0
    shifted = (degrees - centre).astype(B.dtype)
    before = np.ascontiguousarray(U.T, dtype=B.dtype)  # a product of few long rows is quicker
    now = (shifted * before - before @ B) * (1.0 / half)
    for _ in range(degree - 1):
        before, now = now, (2.0 / half) * (shifted * now - now @ B) - before
    return now.T.astype(np.float64)
