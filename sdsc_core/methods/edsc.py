"""EDSC, Efficient Dense Subspace Clustering (Ji, Salzmann and Li).

min ½‖C‖² + (λ/2) ‖X − CX − E‖² + λₑ‖E‖₁, E = 0 without outliers. Without them the closed form is
that of LSR2 with the penalty 1/λ; with them ADMM finds E, and the same form gives C.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_data, check_n_clusters
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

Array = NDArray[np.float64]

TOLERANCE = 1e-3  # of the largest entry of X
RELAX = 1.7  # over-relaxation, as in `admm`


def edsc(
    X: Any,
    *,
    lam: float = 50.0,
    dimension: int = 0,
    power: int = 4,
    outliers: bool = False,
    lam_error: float = 1.0,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 500,
    n_clusters: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by all others, and cluster on the shape of that representation.

    The authors' affinity is returned as C: with the SVD UΣVᵀ of the representation, cut at rank
    ``dimension`` · ``n_clusters`` + 1, rows of UΣ^{1/2} of unit norm, their products to the given
    power. ``dimension`` 0 keeps the whole rank and needs no ``n_clusters``; ``power`` 0 returns
    the representation itself.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (edsc(X, dimension=1, n_clusters=2).C.round(1) + 0.0).tolist()
    [[0.0, 0.6, 0.0, 0.0], [0.6, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.6], [0.0, 0.0, 0.6, 0.0]]
    """
    METHOD.settings(
        lam=lam,
        dimension=dimension,
        power=power,
        outliers=outliers,
        lam_error=lam_error,
        normalise=normalise,
        affine=affine,
        max_iterations=max_iterations,
    )
    X = scaled_rows(check_data(X), normalise, affine)
    rank = dimension * _clusters(n_clusters, len(X)) + 1 if dimension else len(X)
    tick(progress, 0, 1)
    Q, s, Vt = thin_svd(X)
    E, step, residual = np.zeros(1), 1, 0.0
    if outliers and s[0]:
        E, step, residual = _errors(X, (Q, s, Vt), lam, lam_error, max_iterations, progress)
    # C = (X − E)Xᵀ(XXᵀ + I/λ)⁻¹ = Z Qᵀ.
    Z = ((X - E) @ Vt.T) * (lam * s / (1.0 + lam * s**2))
    C = _similarity(Z, rank, power) if power else Z @ Q.T
    tick(progress, 1, 1)
    return iterated(C, step, residual, TOLERANCE)


def _clusters(n_clusters: int | None, n_points: int) -> int:
    if n_clusters is None:
        raise ValueError(
            "n_clusters is None; EDSC with dimension needs the number of clusters, or give"
            " dimension=0."
        )
    return check_n_clusters(n_clusters, n_points)


def _errors(
    X: Array,
    svd: tuple[Array, Array, Array],
    lam: float,
    lam_error: float,
    max_iterations: int,
    progress: Progress | None,
) -> tuple[Array, int, float]:
    """E, the steps that ADMM took, and its residual over X's largest entry.

    With C's closed form put in, E minimises ½⟨X − E, (X − E)M⟩ + λₑ‖E‖₁, M = λ(I + λXᵀX)⁻¹, which
    is λ(1 − h) along the right singular vectors of X and λ elsewhere.
    """
    Q, s, Vt = svd
    h = lam * s**2 / (1.0 + lam * s**2)
    # The best step size for a quadratic is the geometric mean of its extreme curvatures.
    ratio = np.sqrt(1.0 - h[0])
    target = (Q * (s * (1.0 - h))) @ Vt  # XM/λ; X has no part outside its singular vectors
    inner = 1.0 / (1.0 + ratio - h) - 1.0 / (1.0 + ratio)
    scale, limit = np.abs(X).max(), lam_error / (lam * ratio)
    E, U = np.zeros_like(X), np.zeros_like(X)
    step, residual = 0, np.inf
    while residual > TOLERANCE and step < max_iterations:
        step += 1
        B = target + ratio * (E - U)
        smooth = B / (1.0 + ratio) + ((B @ Vt.T) * inner) @ Vt
        moved = RELAX * smooth + (1.0 - RELAX) * E + U
        new = np.sign(moved) * np.maximum(np.abs(moved) - limit, 0.0)
        residual = float(max(np.abs(smooth - new).max(), np.abs(new - E).max()) / scale)
        E, U = new, moved - new
        tick(progress, step, max_iterations)
    return E, step, residual


def _similarity(Z: Array, rank: int, power: int) -> Array:
    """LRR's affinity of C = Z Qᵀ, Q orthonormal, from its first ``rank`` singular directions."""
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    if not s[0]:
        return np.zeros((len(Z), len(Z)))
    kept = (s > 1e-4 * s[0]) & (np.arange(len(s)) < rank)
    return row_cosines(U[:, kept] * np.sqrt(s[kept]), power)


METHOD = Method(
    name="EDSC",
    title="Efficient Dense Subspace Clustering",
    function=edsc,
    parameters=(
        Parameter("lam", 50.0, 1e-2, 1e7, "Weight of the fit; more fits closer.", log=True),
        Parameter(
            "dimension", 0, 0, 50, "Dimensions kept for each cluster in the affinity; 0 keeps all."
        ),
        Parameter(
            "power",
            4,
            0,
            20,
            "Sharpens the affinity; 0 clusters on the representation itself.",
            most=MOST_POWER,
        ),
        Parameter("outliers", False, None, None, "Allow some wrong entries in each sample."),
        Parameter(
            "lam_error", 1.0, 1e-4, 1e3, "Weight of the wrong entries; more allows fewer.", log=True
        ),
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 500, 1, 10000, "Most iterations with outliers.", step=50),
    ),
    # The best of λ × dimension × power on 3 draws of 5 faces (λ 5 to 5,000), 3 draws of 5 digits
    # × 50 (0.3 to 200) and every twelfth sequence of Hopkins155 (100 to 1e6).
    presets={
        "faces": {"lam": 5.0, "dimension": 10},
        "digits": {"lam": 2.0, "dimension": 12},
        "motion": {"lam": 1e4, "dimension": 4, "power": 8, "normalise": False, "affine": True},
    },
    dense=True,
    memory=lambda n, d: 8 * (8 * n * d + 4 * n * n),
)
