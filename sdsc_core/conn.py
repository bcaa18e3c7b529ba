"""CONN, the connectivity of a graph and of its clusters' own graphs.

A move of a slider asks for one of each class. It is found by Lanczos in a kernel: SciPy's ARPACK
calls Python for each of some sixty products, which for 300 points takes eight times as long as the
products do.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import end_if_cancelled, run_blocks
from sdsc_core.checks import Affinity, check_affinity, is_sparse
from sdsc_core.labels.checking import check_labels
from sdsc_core.sparse.entries import components_of, inner_graphs, places_of
from sdsc_core.spectral import Spectrum, check_spectrum, spectrum

MANY = 5_000  # points, from which on no vector but the last two is kept
LARGE = 20_000  # points, from which on CONN of several clusters is worth several threads
STEPS = 8  # between two looks at how far it is
MOST_STEPS = 320
ACCURACY = 1e-8  # of the residual, which bounds the error of the eigenvalue
CLOSE = 1e-7  # of a large graph's eigenvalue, by the residual and the distance to the next
MUCH = 0.1  # where so little of a vector is left, rounding is a part of it: once more
GONE = 1e-12  # a next vector of this length is rounding: the space has ended
HALVINGS = 60  # of an interval around an eigenvalue
ASIDE = 1e-13  # from an eigenvalue, so that a system with it can be solved


@dataclass(frozen=True)
class Connectivity:
    """CONN in its three readings: of the whole graph, and over the clusters' own graphs."""

    whole: float
    per_cluster: NDArray[np.float64]
    min: float
    mean: float
    converged: bool  # whether all these eigenvalues did, see `Spectrum`

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
    labels = None if labels is None else check_labels(labels, W.shape[0])
    return conn_of(W, labels, check_spectrum(found, W, "found"))


def conn_of(W: Affinity, labels: NDArray[np.int64] | None, known: Spectrum | None) -> Connectivity:
    """`connectivity` of what was checked before."""
    whole, sure = _second_eigenvalue(W, known)
    if labels is None:
        return Connectivity(whole, np.empty(0), float("nan"), float("nan"), sure)
    n = int(labels.max()) + 1
    if is_sparse(W):
        graphs = inner_graphs(W, labels, n)
        connected = graphs.connected()

        def inside(c: int, _: int) -> tuple[float, bool]:
            value = _by_lanczos(*graphs.places(c)) if connected[c] else 1.0
            return _second_eigenvalue(graphs.graph(c)) if value is None else (_conn(value), True)
    else:

        def inside(c: int, _: int) -> tuple[float, bool]:
            return _second_eigenvalue(W[np.ix_(labels == c, labels == c)])

    # Of small graphs each is found before a second thread has begun.
    parts = run_blocks(inside, n, 1, n_jobs=None if len(labels) > LARGE else 1)
    each = np.array([value for value, _ in parts])
    sure = sure and all(s for _, s in parts)
    return Connectivity(whole, each, float(each.min()), float(each.mean()), sure)


def _second_eigenvalue(W: Any, found: Spectrum | None = None) -> tuple[float, bool]:
    """The value, and whether the solver converged."""
    if W.shape[0] < 2 or (components_of(W)[0] if found is None else found.n_components) > 1:
        return 0.0, True
    if found is None or found.n_exact < 2 or found.regularised:
        value = second_eigenvalue(W) if is_sparse(W) else None
        if value is not None:
            return _conn(value), True
        found = spectrum(W, 2)
    return _conn(found.eigenvalues[1]), found.converged


def _conn(second: float) -> float:
    """From the second largest eigenvalue of the affinity to the second smallest of L."""
    return float(max(0.0, 1.0 - second))


def second_eigenvalue(W: sp.csr_array) -> float | None:
    """The second largest eigenvalue of D^{-1/2} W D^{-1/2}, for W (N, N) of a connected graph.

    The first is 1, with the eigenvector D^{1/2} 1; Lanczos runs beside it. Up to 5,000 points every
    vector is made orthogonal to all before it. Beyond, it is to the last two and to the known one:
    what is lost so are copies of eigenvalues that are found already. None where it takes too many
    steps.

    >>> float(round(second_eigenvalue(sp.csr_array(1 - np.eye(6))), 3))
    -0.2
    """
    return _by_lanczos(*places_of(W), W.data)


def _by_lanczos(indptr: Any, indices: Any, data: Any) -> float | None:
    n = len(indptr) - 1
    if n <= MANY:
        value = _second(indptr, indices, data, _start(n), min(MOST_STEPS, n - 1), ACCURACY)
        return None if np.isnan(value) else float(value)
    values, known = _scaled(indptr, indices, data)
    values = values.astype(np.float32)  # reading them takes the time
    basis = np.empty((4, n))
    _begin(basis, known, _start(n))
    diagonal, beside = np.zeros(MOST_STEPS), np.zeros(MOST_STEPS)
    for begin in range(0, MOST_STEPS, STEPS):
        end_if_cancelled()
        stop = min(begin + STEPS, MOST_STEPS)
        end = _long_steps(indptr, indices, values, basis, diagonal, beside, begin, stop)
        value, share = _largest(diagonal[:end], beside[:end])
        residual = beside[end - 1] * share
        gap = value - _kth(diagonal[:end], beside[:end], 2) if end > 1 else 0.0
        # The second one bounds the error of the eigenvalue too.
        if residual <= ACCURACY or residual * residual <= CLOSE * gap:
            return float(value)
    return None


@lru_cache(maxsize=8)
def _start(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal(n)


@kernel
def _scaled(indptr, indices, data):
    """The entries of D^{-1/2} W D^{-1/2}, and its first eigenvector."""
    n = len(indptr) - 1
    roots, values = np.empty(n), np.empty(len(data))
    for i in range(n):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e]
        roots[i] = np.sqrt(total)
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            values[e] = data[e] / (roots[i] * roots[indices[e]])
    return values, roots / np.sqrt((roots * roots).sum())


@kernel
def _second(indptr, indices, data, start, most, accuracy):
    """`second_eigenvalue` of some thousand points at the most; NaN where it takes too long."""
    values, known = _scaled(indptr, indices, data)
    basis = np.empty((most + 2, len(start)))
    _begin(basis, known, start)
    diagonal, beside = np.zeros(most), np.zeros(most)
    for begin in range(0, most, STEPS):
        stop = min(begin + STEPS, most)
        end = _steps(indptr, indices, values, basis, diagonal, beside, begin, stop)
        value, share = _largest(diagonal[:end], beside[:end])
        if end == most == len(start) - 1 or beside[end - 1] * share <= accuracy:
            return value
    return np.nan


@kernel
def _begin(basis, known, start):
    """The known eigenvector, and as the second row a start beside it."""
    basis[0] = known
    basis[1] = start - basis[0] * _dot(basis[0], start)
    basis[1] /= np.sqrt(_dot(basis[1], basis[1]))


@kernel
def _above(diagonal, beside, x):
    """How many eigenvalues of a tridiagonal matrix lie above x, by Sturm's sequence."""
    count, d = 0, 1.0
    for i in range(len(diagonal)):
        d = diagonal[i] - x - (beside[i - 1] * beside[i - 1] / d if i else 0.0)
        if d == 0.0:
            d = -1e-300
        count += d > 0.0
    return count


@kernel
def _kth(diagonal, beside, k):
    """The k-th largest eigenvalue of a tridiagonal matrix, from 1, all within [-2, 2]."""
    low, high = -2.0, 2.0
    for _ in range(HALVINGS):
        x = 0.5 * (low + high)
        if x in (low, high):  # no number lies between them
            break
        if _above(diagonal, beside, x) >= k:
            low = x
        else:
            high = x
    return high


@kernel
def _largest(diagonal, beside):
    """The largest eigenvalue of a tridiagonal matrix, and |last entry| of its eigenvector."""
    m = len(diagonal)
    value = _kth(diagonal, beside, 1)
    if m == 1:
        return value, 1.0
    shift = value + ASIDE  # beyond all eigenvalues, where elimination needs no pivots
    pivots, x = np.empty(m), np.ones(m)
    pivots[0] = diagonal[0] - shift
    for i in range(1, m):
        pivots[i] = min(diagonal[i] - shift - beside[i - 1] ** 2 / pivots[i - 1], -1e-300)
    for _ in range(3):
        for i in range(1, m):
            x[i] -= beside[i - 1] / pivots[i - 1] * x[i - 1]
        x[m - 1] /= pivots[m - 1]
        for i in range(m - 2, -1, -1):
            x[i] = (x[i] - beside[i] * x[i + 1]) / pivots[i]
        x /= np.sqrt((x * x).sum())
    return value, abs(x[m - 1])


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


@kernel(fastmath={"reassoc", "contract"})
def _long_steps(indptr, indices, data, basis, diagonal, beside, begin, end):
    """As `_steps`, with the last vectors alone in rows 1 to 3."""
    n = basis.shape[1]
    known = basis[0]
    for m in range(begin, end):
        now, new, old = basis[1 + m % 3], basis[1 + (m + 1) % 3], basis[1 + (m + 2) % 3]
        back = beside[m - 1] if m else 0.0
        if m == 0:
            old[:] = 0.0
        for i in range(n):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += data[e] * now[indices[e]]
            new[i] = total - back * old[i]
        diagonal[m] = _dot(new, now)
        part = _dot(new, known)
        for i in range(n):
            new[i] -= diagonal[m] * now[i] + part * known[i]
        length = np.sqrt(_dot(new, new))
        beside[m] = length
        if length <= GONE:
            beside[m] = 0.0
            return m + 1
        for i in range(n):
            new[i] /= length
    return end
