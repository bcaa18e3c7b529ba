"""KNN, the graph of nearest neighbours by Pearson correlation: the simplest affinity to beat.

c_ij = |ρ(x_i, x_j)| for the k points j with the largest |ρ|, else 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_count, check_data
from sdsc_core.methods.base import Method, Parameter, Solution, unit_rows

BLOCK = 256


def knn(
    X: Any,
    *,
    n_neighbours: int = 6,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Link each point to those it correlates with most; a constant sample has no links.

    >>> X = np.array([[1, 2, 3.0], [1, 2, 4], [3, 0, 3], [4, 1, 4]])
    >>> knn(X, n_neighbours=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    X = check_data(X)
    METHOD.settings(n_neighbours=n_neighbours)
    n = len(X)
    k = check_count(n_neighbours, "n_neighbours", 1, n - 1, f", below the number of points, {n}")
    Z = unit_rows(_centred(X))

    def nearest(start: int, stop: int) -> sp.csr_array:
        Q = np.abs(Z[start:stop] @ Z.T)
        rows = np.arange(stop - start)
        Q[rows, start + rows] = -1.0
        found = np.argpartition(-Q, k - 1, axis=1)[:, :k]
        values = np.minimum(np.take_along_axis(Q, found, axis=1), 1.0)
        row = np.repeat(rows, k)[values.ravel() > 0]
        keep = values.ravel() > 0
        return sp.csr_array(
            (values.ravel()[keep], (row, found.ravel()[keep])), shape=(stop - start, n)
        )

    blocks = run_blocks(nearest, n, BLOCK, n_jobs=n_jobs, progress=progress)
    return Solution(sp.csr_array(sp.vstack(blocks)))


def _centred(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Samples minus their mean; exactly zero where nothing but rounding would be left."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    Z = X - X.mean(axis=1, keepdims=True)
    Z[np.abs(Z).max(axis=1) <= 1e-8 * largest[:, 0]] = 0.0
    return Z


METHOD = Method(
    name="KNN",
    title="Nearest neighbours by correlation",
    function=knn,
    parameters=(Parameter("n_neighbours", 6, 1, 100, "Links of each point."),),
    presets={
        "faces": {"n_neighbours": 5},
        "digits": {"n_neighbours": 6},
        "motion": {"n_neighbours": 10},
    },
    memory=lambda n, d: 8 * (3 * n * d + 12 * BLOCK * n) + 16 * 100 * n,
)
