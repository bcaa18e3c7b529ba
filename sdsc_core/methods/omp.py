"""OMP, sparse subspace clustering by Orthogonal Matching Pursuit (You, Robinson and Vidal).

min ‖x_i − Σ_j c_ij x_j‖² with at most K nonzero c_ij and c_ii = 0, greedily: the point most
correlated with the residual joins, then all coefficients are fitted anew.
"""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_data
from sdsc_core.methods.base import Method, Parameter, Solution, unit_rows
from sdsc_core.search import Search, dot

BLOCK = 256
DEPENDENT = 1e-8  # a chosen point closer than this to the span of the earlier ones adds nothing


def omp(
    X: Any,
    *,
    n_nonzero: int = 6,
    tolerance: float = 1e-6,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by at most K others; stops early where ‖residual‖² < ``tolerance``.

    The search for the most correlated point is IMC's (`search.Search`), without centring.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> omp(X, n_nonzero=1).C.indices.tolist()
    [1, 0, 3, 2]
    """
    X = unit_rows(check_data(X))
    METHOD.settings(n_nonzero=n_nonzero, tolerance=tolerance)
    k = min(n_nonzero, len(X) - 1, X.shape[1])
    rows = partial(_block, Search(X), k, tolerance)
    results = run_blocks(rows, len(X), BLOCK, n_jobs=n_jobs, progress=progress)
    support, values = (np.concatenate(part) for part in zip(*results, strict=True))
    i, step = np.nonzero(support >= 0)
    C = sp.csr_array((values[i, step], (i, support[i, step])), shape=(len(X), len(X)))
    return Solution(C, iterations=k)


def _block(
    search: Search, k: int, tolerance: float, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    own = np.arange(start, stop)
    residual = search.Z[own].copy()
    support = np.full((stop - start, k), -1)
    basis = np.zeros((stop - start, k, residual.shape[1]))
    triangle = np.zeros((stop - start, k, k))
    target = np.zeros((stop - start, k))
    for step in range(k):
        picks, _ = search(residual, own)
        if not _join(step, picks, search.Z, tolerance, residual, support, basis, triangle, target):
            break
    return support, _coefficients(support, triangle, target)


@kernel
def _join(step, picks, Z, tolerance, residual, support, basis, triangle, target):
    """Orthogonalise each pick against the earlier ones and take its part out of the residual."""
    joined = 0
    for r in range(residual.shape[0]):
        j = picks[r]
        done = step > 0 and support[r, step - 1] < 0
        if done or j < 0 or dot(residual[r], residual[r]) < tolerance:
            residual[r] = 0.0
            continue
        q = Z[j].copy()
        for s in range(step):
            along = dot(basis[r, s], q)
            triangle[r, s, step] = along
            q -= along * basis[r, s]
        norm = np.sqrt(dot(q, q))
        if norm < DEPENDENT:
            residual[r] = 0.0
            continue
        q /= norm
        triangle[r, step, step] = norm
        along = dot(q, residual[r])
        target[r, step] = along
        residual[r] -= along * q
        basis[r, step] = q
        support[r, step] = j
        joined += 1
    return joined


@kernel
def _coefficients(support, triangle, target):
    """Back-substitution: the fit in terms of the picked points."""
    values = np.zeros(target.shape)
    for r in range(target.shape[0]):
        for s in range(target.shape[1] - 1, -1, -1):
            if support[r, s] < 0:
                continue
            v = target[r, s]
            for t in range(s + 1, target.shape[1]):
                if support[r, t] >= 0:
                    v -= triangle[r, s, t] * values[r, t]
            values[r, s] = v / triangle[r, s, s]
    return values


METHOD = Method(
    name="OMP",
    title="Orthogonal Matching Pursuit",
    function=omp,
    parameters=(
        Parameter("n_nonzero", 6, 1, 200, "K: most points that may represent a point."),
        Parameter(
            "tolerance", 1e-6, 0.0, 1.0, "Squared norm of the residual at which a point stops."
        ),
    ),
    presets={"faces": {"n_nonzero": 5}, "digits": {"n_nonzero": 10}, "motion": {"n_nonzero": 4}},
    memory=lambda n, d: 8 * (3 * n * d + 4 * BLOCK * 20 * (d + 20)) + 16 * BLOCK * 4096,
)
