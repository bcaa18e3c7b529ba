"""KNN, the graph of nearest neighbours by Pearson correlation: the simplest affinity to beat.

c_ij = |ρ(x_i, x_j)| for the k points j with the largest |ρ|, else 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_choice, check_count, check_data
from sdsc_core.methods.base import Method, Parameter, Solution, unit_rows
from sdsc_core.search import STRATEGIES, make_search


def knn(
    X: Any,
    *,
    n_neighbours: int = 6,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    search: str = "auto",
) -> Solution:
    """Link each point to those it correlates with most; a constant sample has no links.

    Ties go to the lowest index. ``search`` is that of `imc` and changes the time, not the links.

    >>> X = np.array([[1, 2, 3.0], [1, 2, 4], [3, 0, 3], [4, 1, 4]])
    >>> knn(X, n_neighbours=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    X = check_data(X)
    METHOD.settings(n_neighbours=n_neighbours)
    n = len(X)
    k = check_count(n_neighbours, "n_neighbours", 1, n - 1, f", below the number of points, {n}")
    Z = unit_rows(_centred(X))

    check_choice(search, "search", STRATEGIES)
    strategy = make_search(Z, 1, search, n_picks=k, n_jobs=n_jobs, progress=progress)
    picks, values = np.full((n, k), -1), np.zeros((n, k))

    def nearest(start: int, stop: int) -> None:
        own = strategy.order[start:stop]
        rows = strategy.rows(own)
        rows.change(own[:, None], np.ones((len(own), 1)))
        picks[own], products = rows.find(Z[own], k)
        values[own] = np.minimum(np.abs(products), 1.0)

    run_blocks(nearest, n, strategy.block_rows, n_jobs=n_jobs, progress=progress)
    row, place = np.nonzero(picks >= 0)
    C = sp.csr_array((values[row, place], (row, picks[row, place])), shape=(n, n))
    return Solution(C)


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
    memory=lambda n, d: 40 * n * d,
    picks="n_neighbours",
)
