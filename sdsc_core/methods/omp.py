"""OMP, Orthogonal Matching Pursuit for subspace clustering (You, Robinson and Vidal).

min ‖x_i − Σ_j c_ij x_j‖² with at most K nonzero c_ij, c_ii = 0, greedily: the point most correlated
with the remainder joins, the fit is solved again, and what is left is the next remainder.
"""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import check_choice, check_count, check_data
from sdsc_core.methods.base import AFFINE, Method, Parameter, Solution, scaled_rows
from sdsc_core.search import STRATEGIES, Search, dot, make_search

Array = NDArray[np.float64]
Picks = NDArray[np.int64]

NOTHING_LEFT = 1e-6  # ‖r‖² below which nothing is left to explain
DEPENDENT = 1e-8  # a point with less than this outside the span of the earlier picks adds nothing
BLOCK_BYTES = 16 << 20  # for the bases of the picks of one block of rows


def omp(
    X: Any,
    *,
    n_nonzero: int = 6,
    affine: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    search: str = "auto",
) -> Solution:
    """Represent each point by at most K = ``n_nonzero`` others, chosen greedily.

    The search is IMC's, on samples that are not centred; ties go to the lowest index. ``search``
    is that of `imc` and changes the time, not the picks.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (omp(X, n_nonzero=1).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(n_nonzero=n_nonzero, affine=affine)
    X = scaled_rows(check_data(X), True, affine)
    n, d = X.shape
    K = check_count(n_nonzero, "n_nonzero", 1, n - 1, f", below the number of points, {n}")
    K = min(K, d)  # after D picks nothing is left
    check_choice(search, "search", STRATEGIES)
    strategy = make_search(X, K, search, n_jobs=n_jobs, progress=progress)
    picks, values = np.full((n, K), -1), np.zeros((n, K))
    block = min(strategy.block_rows, max(64, BLOCK_BYTES // (8 * K * (d + K))))
    work = partial(_rows, strategy, picks, values)
    run_blocks(work, n, block, n_jobs=n_jobs, progress=progress)
    row, step = np.nonzero(picks >= 0)
    C = sp.csr_array((values[row, step], (row, picks[row, step])), shape=(n, n))
    return Solution(C, iterations=K)


def _rows(search: Search, picks: Picks, values: Array, start: int, stop: int) -> None:
    """All steps of a block of rows, in the order of the search."""
    own = search.order[start:stop]
    n, K = len(own), picks.shape[1]
    X = search.Z
    rows = search.rows(own)
    rows.change(own[:, None], np.ones((n, 1)))
    found_so_far, before = np.full((n, K), -1), np.zeros((n, K))
    residuals = X[own]
    basis, triangle = np.zeros((n, K, X.shape[1])), np.zeros((n, K, K))
    for step in range(K):
        found, _ = rows.find(residuals)
        if (found < 0).all():
            break
        _step(X, found[:, 0], step, residuals, basis, triangle, found_so_far)
        if search.follows:
            now = np.zeros((n, K))
            _coefficients(X, own, basis, triangle, found_so_far, now)
            rows.change(found_so_far, before - now)
            before = now
    block_values = np.zeros((n, K))
    _coefficients(X, own, basis, triangle, found_so_far, block_values)
    picks[own], values[own] = found_so_far, block_values


@kernel
def _add(x, step, residual, basis, triangle):
    """Make x_j orthogonal to the earlier picks and take its direction out of the residual.

    Twice, since one pass of Gram and Schmidt loses digits where points are alike. Column ``step``
    of the triangle says how x_j is made of the basis. Returns what was taken out, 0 where x_j
    lies in the span already.
    """
    direction = basis[step]
    direction[:] = x
    for _pass in range(2):
        for b in range(step):
            part = dot(direction, basis[b])
            triangle[b, step] += part
            direction -= part * basis[b]
    norm = np.sqrt(dot(direction, direction))
    if norm < DEPENDENT:
        triangle[: step + 1, step] = 0.0
        direction[:] = 0.0
        return 0.0
    triangle[step, step] = norm
    direction /= norm
    product = dot(direction, residual)
    residual -= product * direction
    return product


@kernel
def _step(X, found, step, residuals, basis, triangle, picks):
    for r in range(found.shape[0]):
        if found[r] < 0:
            residuals[r] = 0.0
            continue
        if _add(X[found[r]], step, residuals[r], basis[r], triangle[r]) != 0.0:
            picks[r, step] = found[r]
            if dot(residuals[r], residuals[r]) < NOTHING_LEFT:
                residuals[r] = 0.0
        else:
            residuals[r] = 0.0


@kernel
def _back_substitute(x, steps, basis, triangle, values):
    """Coefficients of the picks from those of the basis."""
    for b in range(steps - 1, -1, -1):
        total = dot(basis[b], x)
        for a in range(b + 1, steps):
            total -= triangle[b, a] * values[a]
        values[b] = total / triangle[b, b]


@kernel
def _coefficients(X, own, basis, triangle, picks, values):
    for r in range(picks.shape[0]):
        steps = 0
        while steps < picks.shape[1] and picks[r, steps] >= 0:
            steps += 1
        _back_substitute(X[own[r]], steps, basis[r], triangle[r], values[r])


METHOD = Method(
    name="OMP",
    title="Orthogonal Matching Pursuit",
    function=omp,
    parameters=(Parameter("n_nonzero", 6, 1, 50, "Most neighbours of a point, K."), AFFINE),
    presets={
        "faces": {"n_nonzero": 5},
        "digits": {"n_nonzero": 8},
        "motion": {"n_nonzero": 6},
    },
    memory=lambda n, d: 40 * n * d + 8 * BLOCK_BYTES,
    picks="n_nonzero",
)
