"""CONN of a graph with at most some thousand points, by Lanczos in one kernel.

A move of a slider asks for one of each class. SciPy's ARPACK calls Python for each of some sixty
products, which for 300 points takes eight times as long as the products do.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from sdsc_core._jit import kernel

STEPS = 16  # between two looks at how far it is
MOST_STEPS = 320
ACCURACY = 1e-8  # of the residual, which bounds the error of the eigenvalue
MUCH = 0.1  # where so little of a vector is left, rounding is a part of it: once more
GONE = 1e-12  # a next vector of this length is rounding: the space has ended


def second_eigenvalue(W: sp.csr_array) -> float | None:
    """The second largest eigenvalue of D^{-1/2} W D^{-1/2}, for W (N, N) of a connected graph.

    The first is 1, with the eigenvector D^{1/2} 1; Lanczos runs beside it, every vector made
    orthogonal to all before it. None where it takes too many steps.

    >>> float(round(second_eigenvalue(sp.csr_array(1 - np.eye(6))), 3))
    -0.2
    """
    n = W.shape[0]
    roots = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
    values = W.data / (np.repeat(roots, np.diff(W.indptr)) * roots[W.indices])
    matrix = W.indptr, W.indices, values
    most = min(MOST_STEPS, n - 1)
    basis = np.empty((most + 2, n))
    basis[0] = roots / np.linalg.norm(roots)
    start = np.random.default_rng(0).standard_normal(n)
    start -= basis[0] * (basis[0] @ start)
    basis[1] = start / np.linalg.norm(start)
    diagonal, beside = np.zeros(most), np.zeros(most)
    for begin in range(0, most, STEPS):
        end = _steps(*matrix, basis, diagonal, beside, begin, min(begin + STEPS, most))
        value, share = _largest(diagonal[:end], beside[: end - 1])
        if end == most == n - 1 or beside[end - 1] * share <= ACCURACY:
            return value
    return None


def _largest(diagonal: NDArray[np.float64], beside: NDArray[np.float64]) -> tuple[float, float]:
    """The largest eigenvalue of a tridiagonal matrix, and |last entry| of its eigenvector."""
    last = len(diagonal) - 1
    if last == 0:
        return float(diagonal[0]), 1.0
    values, vectors = eigh_tridiagonal(diagonal, beside, select="i", select_range=(last, last))
    return float(values[0]), float(abs(vectors[-1, 0]))


@kernel(fastmath={"reassoc", "contract"})
def _dot(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@kernel(fastmath={"reassoc", "contract"})
def _steps(indptr, indices, data, basis, diagonal, beside, begin, end):
    """Steps of Lanczos; row 0 of ``basis`` is the known eigenvector. Where the next ends."""
    n = basis.shape[1]
    for m in range(begin, end):
        now, new = basis[m + 1], basis[m + 2]
        for i in range(n):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += data[e] * now[indices[e]]
            new[i] = total
        diagonal[m] = _dot(new, now)
        length = np.sqrt(_dot(new, new))
        for _ in range(3):
            before = length
            for j in range(m + 2):
                old = basis[j]
                part = _dot(new, old)
                for i in range(n):
                    new[i] -= part * old[i]
            length = np.sqrt(_dot(new, new))
            if length >= MUCH * before:
                break
        beside[m] = length
        if length <= GONE:
            beside[m] = 0.0
            return m + 1
        for i in range(n):
            new[i] /= length
    return end
