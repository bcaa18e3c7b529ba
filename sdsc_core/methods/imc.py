"""IMC, Iterative Maximum Correlation: Algorithm 1 as one of the methods."""

from typing import Any

from sdsc_core.blocks import Progress
from sdsc_core.imc_path import imc as imc_path
from sdsc_core.methods.base import Method, Parameter, Solution


def imc(
    X: Any,
    *,
    n_iterations: int = 6,
    residual: str = "as_printed",
    similarity: str = "residual",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """`sdsc_core.imc_path.imc` with its coefficients as a Solution.

    >>> import numpy as np
    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> imc(X, n_iterations=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    METHOD.settings(n_iterations=n_iterations, residual=residual, similarity=similarity)
    path = imc_path(
        X,
        n_iterations,
        residual=residual,
        similarity=similarity,
        n_jobs=n_jobs,
        progress=progress,
    )
    return Solution(path.coefficients(), iterations=n_iterations)


def _memory(n: int, d: int) -> int:
    # A Gram matrix is kept only where it fits, so it is not counted.
    return 40 * n * d


METHOD = Method(
    name="IMC",
    title="Iterative Maximum Correlation",
    function=imc,
    parameters=(
        Parameter("n_iterations", 6, 1, 50, "Γ, the picks of each point."),
        Parameter(
            "residual",
            "as_printed",
            None,
            None,
            "Whether samples are centred before the projection.",
            choices=("as_printed", "centred"),
        ),
        Parameter(
            "similarity",
            "residual",
            None,
            None,
            "Correlation with the residual, or of the two samples.",
            choices=("residual", "pair"),
        ),
    ),
    presets={
        "faces": {"n_iterations": 5},
        "digits": {"n_iterations": 6},
        "motion": {"n_iterations": 6},
    },
    rule="max",
    memory=_memory,
    picks="n_iterations",
)
