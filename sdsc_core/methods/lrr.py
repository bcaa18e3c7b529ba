"""LRR, Low-Rank Representation (Liu and others).

min ‖C‖* + λ Σ_i ‖e_i‖₂ with X = CX + E, e_i row i of E.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, gram, tick
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    AFFINE,
    MOST_POWER,
    NORMALISE,
    Method,
    Parameter,
    Solution,
    iterated,
    row_cosines,
    scaled_rows,
    thin_svd,
)
from sdsc_core.methods.solvers.lapack import pairs_above

Array = NDArray[np.float64]

TOLERANCE = 1e-8
MU_START, MU_GROWTH, MU_LIMIT = 1e-6, 1.1, 1e10


@dataclass(frozen=True)
class LowRank:
    """C = Z Qᵀ, with Q (N, r) orthonormal; E in the coordinates of X's row space."""

    Z: Array
    Q: Array
    E: Array
    iterations: int
    residual: float


def lrr(
    X: Any,
    *,
    lam: float = 0.18,
    power: int = 4,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 500,
    progress: Progress | None = None,
) -> Solution:
    """Represent all points at once by a matrix of low rank, with whole samples as outliers.

    The authors' affinity is returned as C: with the skinny SVD UΣVᵀ of the representation, rows of
    UΣ^{1/2} of unit norm, their products to the given power. ``power`` 0 returns the
    representation itself.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (lrr(X, lam=1.0).C.round(1) + 0.0).tolist()
    [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """
    METHOD.settings(
        lam=lam, power=power, normalise=normalise, affine=affine, max_iterations=max_iterations
    )
    X = scaled_rows(check_data(X), normalise, affine)
    found = _solve(X, lam, max_iterations, progress)
    C = _similarity(found, power) if power else found.Z @ found.Q.T
    return iterated(C, found.iterations, found.residual, TOLERANCE)


def _solve(X: Array, lam: float, max_iterations: int, progress: Progress | None) -> LowRank:
    """Inexact augmented Lagrangian (ALM) with C = Z Qᵀ, Q spanning the columns of X.

    With X = Q diag(s) Vᵀ the constraint reads Q diag(s) = Z diag(s) + E Vᵀᵀ: rotated by V, all is
    N × r, and the update of Z divides by a diagonal where the literature inverts a matrix.
    """
    Q, s, _ = thin_svd(X)
    kept = s > 1e-10 * max(s[0], 1e-300)
    Q, s = Q[:, kept], s[kept]
    target = np.ascontiguousarray(Q * s)
    Z, E, Y1, Y2 = (np.zeros_like(target) for _ in range(4))
    mu, residual, step = MU_START, np.inf if s.size else 0.0, 0
    while residual > TOLERANCE and step < max_iterations:
        step += 1
        J = _shrink_singular(Z + Y2 / mu, 1.0 / mu)
        residual = _update(target, s, J, Z, E, Y1, Y2, mu, lam / mu)
        mu = min(MU_LIMIT, mu * MU_GROWTH)
        tick(progress, step, max_iterations)
    return LowRank(Z, Q, E, step, float(residual))


def _shrink_singular(A: Array, limit: float) -> Array:
    """A with ``limit`` taken off its singular values; from the smaller Gram matrix."""
    if np.linalg.norm(A) <= limit:
        return np.zeros_like(A)
    # Only directions above the limit matter, and those the Gram matrix resolves well.
    squares, V = pairs_above(gram(A.T), limit**2)
    return ((A @ V) * (1.0 - limit / np.sqrt(squares))) @ V.T


# No NaN comes this far, and sums in any order are vector instructions.
@kernel(fastmath={"reassoc", "nnan", "nsz"})
def _update(target, s, J, Z, E, Y1, Y2, mu, limit):
    """A step of Z, E and the multipliers, in place and in one pass; the residual.

    Z divides by I + diag(s)², E shrinks each row of what Z leaves by ``limit``.
    """
    gaps, scale, per_mu, worst = np.empty(len(s)), 1.0 / (1.0 + s**2), 1.0 / mu, 0.0
    for i in range(Z.shape[0]):
        x, j_row, z, e, y1, y2 = target[i], J[i], Z[i], E[i], Y1[i], Y2[i]
        square = 0.0
        for j in range(len(s)):
            y = y1[j] * per_mu
            z[j] = ((x[j] - e[j] + y) * s[j] + j_row[j] - y2[j] * per_mu) * scale[j]
            gaps[j] = x[j] - z[j] * s[j]
            square += (gaps[j] + y) ** 2
        share = 1.0 - limit / max(np.sqrt(square), limit)
        for j in range(len(s)):
            e[j] = (gaps[j] + y1[j] * per_mu) * share
            gap, apart = gaps[j] - e[j], z[j] - j_row[j]
            y1[j] += mu * gap
            y2[j] += mu * apart
            gap, apart = abs(gap), abs(apart)
            gap = gap if gap > apart else apart
            worst = gap if gap > worst else worst
    return worst


def _similarity(found: LowRank, power: int) -> Array:
    """|cos|^power between the rows of UΣ^{1/2} over σ that are not rounding."""
    n = len(found.Z)
    U, s, _ = np.linalg.svd(found.Z, full_matrices=False)
    if not s.size or s[0] == 0.0:
        return np.zeros((n, n))
    kept = s > 1e-4 * s[0]
    return row_cosines(U[:, kept] * np.sqrt(s[kept]), power)


METHOD = Method(
    name="LRR",
    title="Low-Rank Representation",
    function=lrr,
    parameters=(
        Parameter(
            "lam", 0.18, 1e-3, 1e2, "Weight of the outliers; more forces an exact fit.", log=True
        ),
        Parameter(
            "power",
            4,
            0,
            10,
            "Sharpens the affinity; 0 clusters on the representation itself.",
            most=MOST_POWER,
        ),
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 500, 1, 10000, "Most iterations.", step=50),
    ),
    presets={
        "faces": {"lam": 1.5},
        "digits": {"lam": 0.18},
        "motion": {"lam": 100.0, "normalise": False, "affine": True},
    },
    dense=True,
    memory=lambda n, d: 8 * (3 * n * d + 10 * n * min(n, d) + 3 * n * n),
)
