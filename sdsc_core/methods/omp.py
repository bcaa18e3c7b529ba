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
from sdsc_core.checks import check_count, check_data
from sdsc_core.methods.base import AFFINE, GRAM_BYTES, Method, Parameter, Solution, scaled_rows
from sdsc_core.search import LANES, NOTHING, TIE, Search, decide, dot, largest_abs, reaching

Array = NDArray[np.float64]
Picks = NDArray[np.int64]

GONE = 1e-6  # ‖r‖² below which nothing is left to explain
DEPENDENT = 1e-8  # a point with less than this outside the span of the earlier picks adds nothing
BLOCK = 256


def omp(
    X: Any,
    *,
    n_nonzero: int = 6,
    affine: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Represent each point by at most K = ``n_nonzero`` others, chosen greedily.

    The search is IMC's, on samples that are not centred; ties go to the lowest index.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (omp(X, n_nonzero=1).C.toarray() != 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(n_nonzero=n_nonzero, affine=affine)
    X = scaled_rows(check_data(X), True, affine)
    n, d = X.shape
    K = check_count(n_nonzero, "n_nonzero", 1, n - 1, f", below the number of points, {n}")
    K = min(K, d)  # after D picks nothing is left
    # With few features a fresh search is cheaper than fetching rows of a large Gram matrix.
    if 8 * n * n <= GRAM_BYTES and d > 16:
        rows = partial(_gram_block, X @ X.T, X, K)
    else:
        rows = partial(_search_block, Search(X), K)
    results = run_blocks(rows, n, BLOCK, n_jobs=n_jobs, progress=progress)
    picks = np.concatenate([r[0] for r in results])
    values = np.concatenate([r[1] for r in results])
    row, step = np.nonzero(picks >= 0)
    C = sp.csr_array((values[row, step], (row, picks[row, step])), shape=(n, n))
    return Solution(C, iterations=K)


def _gram_block(G: Array, X: Array, K: int, start: int, stop: int) -> tuple[Picks, Array]:
    picks, values = np.full((stop - start, K), -1), np.zeros((stop - start, K))
    _gram_rows(start, G, X, picks, values)
    return picks, values


def _search_block(search: Search, K: int, start: int, stop: int) -> tuple[Picks, Array]:
    own = np.arange(start, stop)
    picks, values = np.full((stop - start, K), -1), np.zeros((stop - start, K))
    X = search.Z
    residuals = X[own].copy()
    basis = np.zeros((stop - start, K, X.shape[1]))
    triangle = np.zeros((stop - start, K, K))
    for step in range(K):
        found, _ = search(residuals, own)
        if (found < 0).all():
            break
        _step(X, found, step, residuals, basis, triangle, picks)
    _coefficients(X, own, basis, triangle, picks, values)
    return picks, values


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
            if dot(residuals[r], residuals[r]) < GONE:
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


@kernel
def _gram_rows(start, G, X, picks, values):
    """All steps of a row at once: q_k = rᵀx_k stays in the cache and follows from G's rows."""
    n, d = X.shape
    K = picks.shape[1]
    q, lanes = np.empty(n), np.empty(LANES)
    candidates, products = np.empty(n, np.int64), np.empty(n)
    residual, basis = np.empty(d), np.empty((K, d))
    for r in range(picks.shape[0]):
        i = start + r
        residual[:] = X[i]
        triangle = np.zeros((K, K))
        q[:] = G[i]
        steps = 0
        while steps < K and dot(residual, residual) >= GONE:
            norm = np.sqrt(dot(residual, residual))
            q[i] = 0.0
            # Rounding of q: D-term products, weighted by the coefficients.
            rounding = (d + K + 8) * 2.0**-52 * (1.0 + np.abs(values[r, :steps]).sum())
            floor = largest_abs(q, lanes) - TIE * norm - 2 * rounding
            found = reaching(q, lanes, floor, i, candidates)
            j, product = decide(candidates, products, found, residual, X, TIE * norm)
            if j < 0 or abs(product) <= NOTHING * norm:
                break
            if _add(X[j], steps, residual, basis, triangle) == 0.0:
                break
            picks[r, steps] = j
            steps += 1
            _back_substitute(X[i], steps, basis, triangle, values[r])
            q[:] = G[i]
            for a in range(steps):
                row, weight = G[picks[r, a]], values[r, a]
                for k in range(n):
                    q[k] -= weight * row[k]


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
    memory=lambda n, d: (
        24 * n * d + (8 * n * n if 8 * n * n <= GRAM_BYTES else 0) + 8 * BLOCK * 200 * (d + 200)
    ),
)
