"""CONN, the connectivity of a graph and of its clusters' own graphs.

A move of a slider asks for one of each class. For some thousand points it is found by Lanczos in
one kernel: SciPy's ARPACK calls Python for each of some sixty products, which for 300 points takes
eight times as long as the products do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal
from scipy.sparse.csgraph import connected_components

from sdsc_core._jit import kernel
from sdsc_core.blocks import run_blocks
from sdsc_core.checks import Affinity, check_affinity, check_labels, is_sparse
from sdsc_core.spectral import Spectrum, spectrum

MANY = 5_000  # points, from which on ARPACK is as fast as a kernel of our own
LARGE = 20_000  # points, from which on CONN of several clusters is worth several threads
STEPS = 16  # between two looks at how far it is
MOST_STEPS = 320
ACCURACY = 1e-8  # of the residual, which bounds the error of the eigenvalue
MUCH = 0.1  # where so little of a vector is left, rounding is a part of it: once more
GONE = 1e-12  # a next vector of this length is rounding: the space has ended


@dataclass(frozen=True)
class Connectivity:
    """CONN in its three readings: of the whole graph, and over the clusters' own graphs."""

    whole: float
    per_cluster: NDArray[np.float64]
    min: float
    mean: float
    converged: bool = True  # whether all these eigenvalues did, see `Spectrum`

    @property
    def message(self) -> str:
        """Empty, or a sentence on eigenvalues that did not converge."""
        return "" if self.converged else "The eigenvalues behind CONN did not converge."


def connectivity(W: Any, labels: Any = None, *, found: Spectrum | None = None) -> Connectivity:
    """CONN: second smallest eigenvalue of L = I − D^{-1/2} W D^{-1/2}, 0 if not connected.

    ``whole`` is the text's definition. ``min`` and ``mean`` run over the subgraphs of the clusters
    in ``labels`` (true ones, or found ones), as You, Robinson and Vidal (2016) define it; without
    labels they are NaN. A point without an edge makes its graph's CONN 0. The complete graph
    reaches N/(N − 1), not the printed (N − 1)/N. ``found`` is a spectrum of W that is there
    already: the whole graph's eigenvalue is taken from it.

    >>> round(connectivity(1 - np.eye(6)).whole, 3)
    1.2
    """
    W = check_affinity(W)
    return conn_of(W, None if labels is None else check_labels(labels, W.shape[0]), found)


def conn_of(W: Affinity, labels: NDArray[np.int64] | None, known: Spectrum | None) -> Connectivity:
    """`connectivity` of what was checked before."""
    whole, sure = _second_eigenvalue(W, known)
    if labels is None:
        return Connectivity(whole, np.empty(0), float("nan"), float("nan"), sure)

    def inside(c: int, _: int) -> tuple[float, bool]:
        own = np.flatnonzero(labels == c)
        return _second_eigenvalue(W[own][:, own])

    # Products with small matrices keep Python's lock too much for a second thread to help.
    parts = run_blocks(inside, labels.max() + 1, 1, n_jobs=None if len(labels) > LARGE else 1)
    each = np.array([value for value, _ in parts])
    sure = sure and all(s for _, s in parts)
    return Connectivity(whole, each, float(each.min()), float(each.mean()), sure)


def _second_eigenvalue(W: Any, found: Spectrum | None = None) -> tuple[float, bool]:
    """The value, and whether the solver converged."""
    if W.shape[0] < 2 or _n_components(W, found) > 1:
        return 0.0, True
    if found is None or found.n_exact < 2 or found.regularised:
        value = second_eigenvalue(W) if is_sparse(W) and W.shape[0] <= MANY else None
        if value is not None:
            return max(0.0, 1.0 - value), True
        found = spectrum(W, 2)
    return float(max(0.0, 1.0 - found.eigenvalues[1])), found.converged


def _n_components(W: Affinity, known: Spectrum | None) -> int:
    if known is not None:
        return known.n_components
    return int(connected_components(sp.csr_array(W), directed=False)[0])


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
