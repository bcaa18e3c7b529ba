"""LRR, Low-Rank Representation (Liu and others), by inexact ALM.

min ‖Z‖* + λ‖E‖₂,₁ with X = XZ + E; columns are points here, as in the paper it comes from.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    Method,
    Parameter,
    Solution,
    iterated,
    square_bytes,
    unit_rows,
)

GROWTH = 1.1
MU_START, MU_MOST = 1e-6, 1e10


def lrr(
    X: Any,
    *,
    lam: float = 0.18,
    power: int = 4,
    max_iterations: int = 500,
    tolerance: float = 1e-8,
    progress: Progress | None = None,
) -> Solution:
    """Represent all points together by a matrix of low rank; whole samples may be off.

    C is the authors' affinity: with Z = UΣVᵀ and M = UΣ^½, rows normalised, (MMᵀ)^power.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (lrr(X, lam=1.0).C > 0.1).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    X = unit_rows(check_data(X))
    METHOD.settings(lam=lam, power=power, max_iterations=max_iterations, tolerance=tolerance)
    Z, steps, residual = solve(X, lam, max_iterations, tolerance, progress)
    return iterated(shape_affinity(Z, power), steps, residual, tolerance)


def solve(
    X: NDArray[np.float64],
    lam: float,
    max_iterations: int,
    tolerance: float,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], int, float]:
    """Z (N, N), steps, and the larger of ‖X − XZ − E‖∞ and ‖Z − J‖∞.

    With Xᵀ = USVᵀ everything lies in the span of U, and Z = V Z̃: the dictionary in these
    coordinates is the diagonal S, so no step needs more than r × N numbers and no solve.
    """
    s, V = _skinny(X)
    data = s[:, None] * V.T
    J = E = Y1 = np.zeros_like(data)
    Y2 = np.zeros_like(data)
    below = 1.0 / (1.0 + s * s)[:, None]
    mu, residual, step = MU_START, np.inf, 0
    for step in range(1, max_iterations + 1):
        tick(progress, step - 1, max_iterations)
        pull = s[:, None] * (data - E + Y1 / mu)
        Z = below * (pull + J - Y2 / mu)
        J = _shrink_singular(Z + Y2 / mu, 1.0 / mu)
        gap = data - s[:, None] * Z
        E = _shrink_columns(gap + Y1 / mu, lam / mu)
        first, second = gap - E, Z - J
        residual = max(np.abs(first).max(), np.abs(second).max())
        if residual < tolerance:
            break
        Y1 = Y1 + mu * first
        Y2 = Y2 + mu * second
        mu = min(mu * GROWTH, MU_MOST)
    return V @ J, step, float(residual)


def _skinny(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    squares, V = np.linalg.eigh(X @ X.T)
    kept = squares > max(squares[-1], 1e-300) * 1e-12
    return np.sqrt(squares[kept])[::-1], V[:, kept][:, ::-1]


def _shrink_singular(A: NDArray[np.float64], by: float) -> NDArray[np.float64]:
    """Singular values less ``by``, through the smaller Gram matrix."""
    squares, U = np.linalg.eigh(A @ A.T)
    sigma = np.sqrt(np.maximum(squares, 0.0))
    kept = sigma > by
    U = U[:, kept]
    return (U * (1.0 - by / sigma[kept])) @ (U.T @ A)


def _shrink_columns(A: NDArray[np.float64], by: float) -> NDArray[np.float64]:
    norms = np.linalg.norm(A, axis=0)
    return A * np.where(norms > by, 1.0 - by / np.maximum(norms, 1e-300), 0.0)


def shape_affinity(Z: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """(MMᵀ)^power from Z's skinny SVD (σ > 1e-4 σ₁), zero diagonal."""
    U, sigma, _ = np.linalg.svd(Z, full_matrices=False)
    if sigma[0] == 0:  # every sample was taken for off: a larger λ is needed
        return np.zeros_like(Z)
    kept = sigma > 1e-4 * sigma[0]
    M = unit_rows(U[:, kept] * np.sqrt(sigma[kept]))
    C = np.abs(M @ M.T) ** power
    np.fill_diagonal(C, 0.0)
    return C


METHOD = Method(
    name="LRR",
    title="Low-Rank Representation",
    function=lrr,
    parameters=(
        Parameter("lam", 0.18, 1e-4, 1e3, "λ: price of a sample that is off.", log=True),
        Parameter("power", 4, 1, 10, "Sharpens the affinity; the authors use 4."),
        Parameter("max_iterations", 500, 1, 5000, "Most steps of ALM."),
        Parameter("tolerance", 1e-8, 1e-12, 1e-2, "Residual at which ALM stops.", log=True),
    ),
    presets={"faces": {"lam": 1.8}, "digits": {"lam": 1.8}, "motion": {"lam": 4.0}},
    memory=lambda n, d: square_bytes(12, n) + 16 * n * d,
)
