"""KNN, a k-nearest-neighbour graph by Pearson correlation: the simplest thing to beat.

c_ij = |ρ(x_i, x_j)| for the k points j most correlated with x_i, eq. 3, else 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_data
from sdsc_core.methods.base import Method, Parameter, Solution, unit_rows

BLOCK = 512


def knn(
    X: Any,
    *,
    n_neighbours: int = 6,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Link each point to those most correlated with it; ties go to the lowest index.

    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> knn(X, n_neighbours=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    X = check_data(X)
    METHOD.settings(n_neighbours=n_neighbours)
    n = len(X)
    k = min(n_neighbours, n - 1)
    Z = unit_rows(X - X.mean(axis=1, keepdims=True))

    def block(start: int, stop: int) -> tuple[Any, Any]:
        rho = np.abs(Z[start:stop] @ Z.T).round(12)  # ties must not hang on rounding
        rho[np.arange(stop - start), np.arange(start, stop)] = -1.0
        order = np.argsort(-rho, axis=1, kind="stable")[:, :k]
        return order, np.take_along_axis(rho, order, axis=1)

    results = run_blocks(block, n, BLOCK, n_jobs=n_jobs, progress=progress)
    columns, values = (np.concatenate(part).ravel() for part in zip(*results, strict=True))
    rows = np.repeat(np.arange(n), k)
    keep = values > 0
    return Solution(sp.csr_array((values[keep], (rows[keep], columns[keep])), shape=(n, n)))


METHOD = Method(
    name="KNN",
    title="Nearest neighbours by correlation",
    function=knn,
    parameters=(Parameter("n_neighbours", 6, 1, 200, "k: points that each point is linked to."),),
    presets={
        "faces": {"n_neighbours": 5},
        "digits": {"n_neighbours": 8},
        "motion": {"n_neighbours": 5},
    },
    rule="max",
    memory=lambda n, d: 8 * (2 * n * d + 6 * BLOCK * n),
)
