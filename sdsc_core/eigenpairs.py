"""The top eigenpairs of a symmetric matrix beside those that are known, by Lanczos."""

import math
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, eigh_tridiagonal
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.endable.decompose import all_pairs
from sdsc_core.sparse.product import product_in_threads, shifted_product

SMALL = 128  # up to here a full decomposition is the quickest
MODERATE = 5000  # up to here it is a possible fall-back
LARGE = 20_000  # from here on accuracy is what clusters and figures need
ACCURACY = 1e-6
COARSE = 1e-4  # of large graphs and of the last resort: good enough to cluster by
LOOSE = 1e-2  # of pairs in a large graph that are only shown
ROUGH, LEAST_STEPS = 1e-4, 20  # of a look whether a pair was missed
ROUNDING = 1e-12
MOST_STEPS = 200  # of the last resort
ASIDE = 2.1  # takes known pairs to −1.1 or below, off the spectrum, which lies in [−1, 1]
LIFT = 2.0  # takes the spectrum to [1, 3]

Pairs = tuple[NDArray[np.float64], NDArray[np.float64]]  # eigenvalues, descending, and vectors


class Missed(Exception):
    """A pair that is there was not found."""


def pairs_beside(
    A: Affinity,
    weak: NDArray[np.float64],
    known: NDArray[np.float64],
    rounds: list[tuple[int, float]],
    seed: int,
    progress: Progress | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Eigenpairs of A + weak weakᵀ from the known ones on, and the largest residual.

    The residual is 0 where all converged. Each round says how many pairs are to be there after it,
    and to what accuracy.
    """
    done = count(1)
    values, vectors, residual = np.ones(known.shape[1]), known, 0.0
    for n_vectors, accuracy in rounds:
        if n_vectors > len(values):
            more = _rest(
                A, weak, vectors, n_vectors, accuracy, seed, lambda: tick(progress, next(done), 0)
            )
            values, vectors = np.append(values, more[0]), np.hstack([vectors, more[1]])
            if more[2] > max(accuracy, COARSE):
                residual = max(residual, more[2])
    return values, vectors, residual


def _rest(
    A: Affinity,
    weak: NDArray[np.float64],
    known: NDArray[np.float64],
    n_vectors: int,
    accuracy: float,
    seed: int,
    told: Callable[[], None],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The eigenpairs beside the known ones, of A + weak weakᵀ, and their largest residual.

    The residual is 0 where the solver says that it reached its accuracy. ``told`` is called for
    each product. Lanczos is the solver for large graphs too: on the paper's 100,002 points it took
    a quarter of the time of a Chebyshev-filtered block, and no longer for 16 pairs.
    """
    n, wanted = len(known), n_vectors - known.shape[1]
    if all_at_once(n, wanted):
        return _full(A, weak, known, wanted)
    operator, draws = _beside(A, weak, known, told), np.random.default_rng(seed)
    try:
        if accuracy < LOOSE:
            found = _lanczos(operator, wanted, accuracy, draws)
            values, vectors = _with_copies(A, weak, known, found, accuracy, draws, told)
        else:
            values, vectors = _lifted(operator, wanted, accuracy, draws)
    except (ArpackNoConvergence, Missed):
        if n <= MODERATE:
            return _full(A, weak, known, wanted)
        values, vectors = _lobpcg(operator, wanted, seed)
        residual = float(np.linalg.norm(operator @ vectors - vectors * values, axis=0).max())
        return *_descending(values, vectors), residual
    return values, vectors, 0.0


def _beside(
    A: Affinity, weak: NDArray[np.float64], known: NDArray[np.float64], told: Callable[[], None]
) -> LinearOperator:
    """x ↦ (A + weak weakᵀ) x, with the known eigenvectors taken to the bottom of the spectrum."""
    n = len(known)
    times = product_in_threads(A) if n > LARGE and is_sparse(A) else A.__matmul__
    vector = shifted_product(A, weak, known, ASIDE) if n <= LARGE and is_sparse(A) else None
    aside, linked = ASIDE * known, bool(weak.any())

    def product(x: NDArray[np.float64]) -> NDArray[np.float64]:
        told()
        if vector is not None and x.ndim == 1:
            return vector(x)
        y = times(x.reshape(n, -1)).reshape(x.shape)
        if linked:
            y = y + np.multiply.outer(weak, weak @ x)
        return y - aside @ (known.T @ x)

    return LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)


def _lanczos(operator: LinearOperator, wanted: int, accuracy: float, draws: Any) -> Pairs:
    n = operator.shape[0]
    start, kept = draws.standard_normal(n), room(n, wanted)
    return _descending(
        *eigsh(operator, wanted, which="LA", v0=start, ncv=kept, tol=accuracy, maxiter=300)
    )


def _lifted(operator: LinearOperator, wanted: int, accuracy: float, draws: Any) -> Pairs:
    """As `_lanczos`, with all eigenvalues above 0.

    ARPACK's accuracy is a share of the eigenvalue, so one of 0, as every star has, never reaches
    it; where the graph has few different ones, ARPACK returns lower ones in its place.
    """

    def product(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return operator @ x + LIFT * x

    above = LinearOperator(operator.shape, matvec=product, matmat=product, dtype=np.float64)
    values, vectors = _lanczos(above, wanted, accuracy / (1 + LIFT), draws)
    return values - LIFT, vectors


def _with_copies(
    A: Affinity,
    weak: NDArray[np.float64],
    known: NDArray[np.float64],
    found: Pairs,
    accuracy: float,
    draws: Any,
    told: Callable[[], None],
) -> Pairs:
    """The pairs with those that Lanczos missed, as it does all but one of an equal eigenvalue.

    Graphs with equal parts have such: rings, grids, copies of one cluster. What is left beside the
    found pairs is searched from another start, roughly first, until nothing above them remains;
    `Missed` where that does not find what the rough look saw.
    """
    values, vectors = found
    for _ in range(len(values)):
        rest = _beside(A, weak, np.hstack([known, vectors]), told)
        if not _reaches(rest, values[-1] + 10 * accuracy, draws):
            break
        more = _lifted(rest, len(values), accuracy, draws)
        if more[0][0] <= values[-1]:
            raise Missed
        values, vectors = (
            part[..., : len(values)]
            for part in _descending(np.append(values, more[0]), np.hstack([vectors, more[1]]))
        )
    return values, vectors


def _reaches(operator: LinearOperator, limit: float, draws: Any) -> bool:
    """Whether an eigenvalue lies above the limit, by Lanczos without a basis.

    It ends where the largest Ritz value is above, or below by more than its residual; not before
    a pair among many thousand points would have shown.
    """
    n = operator.shape[0]
    v, before, beta = draws.standard_normal(n), np.zeros(n), 0.0
    v /= np.linalg.norm(v)
    diagonal: list[float] = []
    beside: list[float] = []
    for step in range(1, n + 1):
        w = operator @ v - beta * before
        diagonal.append(float(w @ v))
        w -= diagonal[-1] * v
        beta = math.sqrt(float(w @ w))
        if beta < ROUNDING or (step >= LEAST_STEPS and step % 5 == 0):
            last = (step - 1, step - 1)
            values, ritz = eigh_tridiagonal(diagonal, beside, False, "i", last)
            top, residual = float(values[0]), beta * abs(float(ritz[-1, 0]))
            if top > limit:
                return True
            if beta < ROUNDING or residual <= ROUGH or top + residual <= limit:
                return False
        beside.append(beta)
        before, v = v, w / beta
    return False


def _descending(values: NDArray[np.float64], vectors: NDArray[np.float64]) -> Pairs:
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _full(
    A: Affinity, weak: NDArray[np.float64], known: NDArray[np.float64], wanted: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    dense = (A.toarray() if is_sparse(A) else A) + np.outer(weak, weak) - ASIDE * known @ known.T
    n = len(dense)
    if n > SMALL:  # SciPy keeps Python's lock meanwhile, and with it all other sessions
        values, vectors = all_pairs(dense)
        return values[: -wanted - 1 : -1], vectors[:, : -wanted - 1 : -1], 0.0
    values, vectors = eigh(dense, subset_by_index=[n - wanted, n - 1])
    return values[::-1], vectors[:, ::-1], 0.0


def _lobpcg(operator: LinearOperator, wanted: int, seed: int) -> Any:
    guess = np.random.default_rng(seed).standard_normal((operator.shape[0], wanted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says when it stops short; so do we
        return lobpcg(operator, guess, largest=True, tol=COARSE, maxiter=MOST_STEPS)


def all_at_once(n: int, wanted: int) -> bool:
    """Whether all of the spectrum is found at once: Lanczos is slow for a large part of it."""
    return n <= SMALL or wanted >= n - 1 or (8 * wanted > n and n <= MODERATE)


def room(n: int, wanted: int) -> int:
    """Vectors that Lanczos keeps."""
    return min(n - 1, max(2 * wanted + 1, 20))
