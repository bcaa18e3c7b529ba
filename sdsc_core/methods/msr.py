"""MSR, Multi-Subspace Representation (Luo, Nie, Ding and Huang).

min ‖C‖* + δ‖C‖₁ + λ Σ_i ‖e_i‖₂ with X = CX + E, diag C = 0, e_i row i of E.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress
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
from sdsc_core.methods.solvers import two_norms


def msr(
    X: Any,
    *,
    lam: float = 1.0,
    delta: float = 0.1,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 500,
    progress: Progress | None = None,
) -> Solution:
    """Represent all points at once, sparsely and by low rank, with whole samples as outliers.

    LRSSC with LRR's penalty of the error. C is the sparse copy of ADMM.

    >>> import numpy as np
    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (msr(X, lam=2.0).C > 0.5).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(
        lam=lam, delta=delta, normalise=normalise, affine=affine, max_iterations=max_iterations
    )
    X = scaled_rows(check_data(X), normalise, affine)
    found = two_norms.two_norms(
        X, delta, lambda A, t: _shrink_rows(A, lam * t), max_iterations, progress
    )
    return iterated(found.S, found.iterations, found.residual, two_norms.TOLERANCE)


def _shrink_rows(A: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    norms = np.linalg.norm(A, axis=1, keepdims=True)
    return A * np.maximum(0.0, 1.0 - limit / np.maximum(norms, limit))


METHOD = Method(
    name="MSR",
    title="Multi-Subspace Representation",
    function=msr,
    parameters=(
        Parameter(
            "lam", 1.0, 1e-3, 1e3, "Weight of the outliers; more forces an exact fit.", log=True
        ),
        Parameter("delta", 0.1, 1e-3, 1e2, "Weight of the sparsity beside the low rank.", log=True),
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 500, 1, 10000, "Most iterations.", step=50),
    ),
    # The best of δ × λ on draws of 5 faces (δ 0.03 to 1, λ 0.5 to 5, 24 images of each; then all
    # images, λ 3.5 to 20), of 5 digits × 25 (δ 0.03 to 1, λ 0.3 to 8), and on every second track of
    # every twelfth sequence of Hopkins155 (δ 0.03 to 3, λ 10 to 100).
    presets={
        "faces": {"lam": 5.0, "delta": 0.3},
        "digits": {"lam": 2.0, "delta": 0.3},
        "motion": {"lam": 30.0, "delta": 1.0, "normalise": False, "affine": True},
    },
    dense=True,
    memory=two_norms.two_norms_memory,
)
