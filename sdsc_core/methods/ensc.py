"""ENSC, Elastic Net Subspace Clustering (You, Li, Robinson and Vidal).

min τ ‖c_i‖₁ + ((1 − τ)/2) ‖c_i‖² + (λ_i/2) ‖x_i − Σ_j c_ij x_j‖², c_ii = 0,
λ_i = γτ / max_{j≠i} |x_iᵀx_j|.
"""

from typing import Any

from sdsc_core.blocks import Progress
from sdsc_core.checks import check_data
from sdsc_core.methods.base import (
    AFFINE,
    NORMALISE,
    THRESHOLD,
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    scaled_rows,
)
from sdsc_core.methods.solvers.elastic import TOLERANCE, coherences, elastic_memory, elastic_nets


def ensc(
    X: Any,
    *,
    gamma: float = 50.0,
    tau: float = 0.9,
    threshold: float = 1.0,
    normalise: bool = True,
    affine: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by an elastic net on the others, with an active set.

    A smaller τ links more points of a subspace at the price of more wrong links. At τ = 0 the
    weight λ would vanish with it, so τ starts above. ``threshold`` keeps each point's
    largest coefficients, that share of their ℓ1 norm: among many faces the others mislead.

    >>> import numpy as np
    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (ensc(X).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(gamma=gamma, tau=tau, threshold=threshold, normalise=normalise, affine=affine)
    X = scaled_rows(check_data(X), normalise, affine)
    # The problem over λ: t = τ/λ and k = (1 − τ)/λ; a point that nothing correlates with gets 0.
    t = coherences(X) / gamma
    nets = elastic_nets(X, t, t * (1.0 - tau) / tau, n_jobs, progress)
    return iterated(keep_largest(nets.C, threshold), nets.rounds, nets.violation, TOLERANCE)


METHOD = Method(
    name="ENSC",
    title="Elastic Net Subspace Clustering",
    function=ensc,
    parameters=(
        Parameter(
            "gamma", 50.0, 1.1, 2000.0, "Weight of the fit; more gives more neighbours.", log=True
        ),
        Parameter(
            "tau",
            0.9,
            0.05,
            1.0,
            "Share of ℓ1 in the penalty; 1 is the Lasso.",
            step=0.05,
            most=1.0,
        ),
        THRESHOLD,
        NORMALISE,
        AFFINE,
    ),
    presets={
        "faces": {"gamma": 25.0, "tau": 0.9, "threshold": 0.9},
        "digits": {"gamma": 200.0, "tau": 0.9},
        "motion": {"gamma": 500.0, "tau": 0.9, "threshold": 0.7, "affine": True},
    },
    memory=elastic_memory,
)
