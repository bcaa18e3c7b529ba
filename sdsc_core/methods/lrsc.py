"""LRSC, Low-Rank Subspace Clustering (Vidal and Favaro); beyond the paper's list.

min ‖C‖* + (τ/2) ‖X − CX‖², C = Cᵀ. Solved by C = U₁ (I − Σ₁⁻²/τ) U₁ᵀ over σ > 1/√τ, where
X = UΣVᵀ with samples in rows; τ = strength/‖X‖₂².
"""

from typing import Any

import numpy as np

from sdsc_core.blocks import Progress, gram, tick
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    AFFINE,
    MOST_POWER,
    NORMALISE,
    Method,
    Parameter,
    Solution,
    row_cosines,
    scaled_rows,
    thin_svd,
)


def lrsc(
    X: Any,
    *,
    strength: float = 100.0,
    power: int = 0,
    normalise: bool = True,
    affine: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """Represent points by a symmetric matrix of low rank, in closed form.

    ``power`` above 0 returns LRR's affinity of it instead: the products of the rows of UΣ^{1/2},
    of unit norm, to that power.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (lrsc(X).C.round(1) + 0.0).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.5]]
    """
    METHOD.settings(strength=strength, power=power, normalise=normalise, affine=affine)
    X = scaled_rows(check_data(X), normalise, affine)
    tick(progress, 0, 1)
    U, s, _ = thin_svd(X)
    if not s[0]:
        return Solution(np.zeros((len(X), len(X))))
    relative = s / s[0]
    kept = relative**2 > 1.0 / strength
    M = U[:, kept] * np.sqrt(1.0 - 1.0 / (strength * relative[kept] ** 2))
    C = row_cosines(M, power) if power else gram(M)
    tick(progress, 1, 1)
    return Solution(C)


METHOD = Method(
    name="LRSC",
    title="Low-Rank Subspace Clustering",
    function=lrsc,
    parameters=(
        Parameter(
            "strength",
            100.0,
            1.1,
            1e9,
            "Weight of the fit, τ‖X‖²; more keeps more directions.",
            log=True,
        ),
        Parameter(
            "power",
            0,
            0,
            10,
            "Sharpens LRR's affinity; 0 clusters on the representation itself.",
            most=MOST_POWER,
        ),
        NORMALISE,
        AFFINE,
    ),
    presets={
        "faces": {"strength": 1000.0},
        "digits": {},
        "motion": {"strength": 3e6, "power": 4, "normalise": False, "affine": True},
    },
    dense=True,
    memory=lambda n, d: 8 * (4 * n * d + 3 * n * n),
)
