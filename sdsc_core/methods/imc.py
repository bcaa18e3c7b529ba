"""IMC, the paper's own method (Algorithm 1), as one among the others."""

from typing import Any

from sdsc_core.blocks import Progress
from sdsc_core.imc import GRAM_MB, imc
from sdsc_core.methods.base import Method, Parameter, Solution


def imc_method(
    X: Any,
    *,
    n_iterations: int = 6,
    residual: str = "as_printed",
    similarity: str = "residual",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """C of Algorithm 1, see `sdsc_core.imc.imc`; its W is eq. 5, the larger of c_ij and c_ji.

    >>> import numpy as np
    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> imc_method(X, n_iterations=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    path = imc(
        X, n_iterations, residual=residual, similarity=similarity, n_jobs=n_jobs, progress=progress
    )
    n = path.constant.size
    message = f"{n} sample(s) have no variance, so no correlation and no links." if n else ""
    return Solution(path.coefficients(), iterations=n_iterations, message=message)


def imc_memory(n_points: int, n_features: int) -> int:
    """Bytes: two copies of X, and a Gram matrix as long as it is small."""
    return int(16 * n_points * n_features + min(8 * n_points**2, 1e6 * GRAM_MB))


METHOD = Method(
    name="IMC",
    title="Iterative Maximum Correlation",
    function=imc_method,
    parameters=(
        Parameter("n_iterations", 6, 1, None, "Γ: points that are picked for each point."),
        Parameter(
            "residual",
            "as_printed",
            None,
            None,
            "Pick by centred correlation and project uncentred, or centre each sample first.",
            choices=("as_printed", "centred"),
        ),
        Parameter(
            "similarity",
            "residual",
            None,
            None,
            "c_ij correlates x_j with what is left of x_i, or with x_i itself.",
            choices=("residual", "pair"),
        ),
    ),
    presets={"faces": {"n_iterations": 5}, "subspaces": {"n_iterations": 6}},
    memory=imc_memory,
    rule="max",
)
