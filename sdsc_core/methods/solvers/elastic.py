"""Elastic net of each point on the others, exactly: the solver behind SSC, SSSC and ENSC.

min_c t Σ_j w_j |c_j| + (k/2) ‖c‖² + ½ ‖x_i − Σ_j c_j x_j‖², c_i = 0, with t and k of each row.
Optimal where x_jᵀr − k c_j = t w_j sign(c_j) for c_j ≠ 0 and |x_jᵀr| ≤ t w_j elsewhere, r the
remainder. w_j is 1, and more across given labels (SSSC).

Only an active set of points is worked on; all others are checked against it after each round, and
those that break the condition join. Within the set Newton's method ends with exact values, where
coordinate descent alone would take thousands of sweeps over points as alike as these.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, end_if_cancelled, gram, run_blocks
from sdsc_core.methods.base import GRAM_BYTES
from sdsc_core.methods.solvers.elimination import solve_in_place

TOLERANCE = 1e-6  # of the optimality conditions, relative to t
ROUNDS = 40
STEPS = 60  # of Newton's method in a round
SWEEPS = 100  # of coordinate descent before each of them, at most,
SETTLED = 5  # and so many with the same signs are enough
JOIN = 128  # points that may join in a round, or as many as there are in the support
JITTER = 1e-12  # keeps the solve possible where points are equal
BLOCK = 64
ROWS = 8  # of a block between two looks at whether it was cancelled


@dataclass(frozen=True)
class Across:
    """Points of different labels weigh 1 + extra in the ℓ1 norm."""

    labels: NDArray[np.int64]
    extra: float


@dataclass(frozen=True)
class ElasticNets:
    """All rows' solutions: C (N, N), rounds of the slowest row, and the worst violation."""

    C: sp.csr_array
    rounds: int
    violation: float


def elastic_nets(
    X: NDArray[np.float64],
    t: NDArray[np.float64],
    k: NDArray[np.float64],
    n_jobs: int | None = None,
    progress: Progress | None = None,
    across: Across | None = None,
) -> ElasticNets:
    """Solve for every row of X with thresholds t and ridges k, both (N,).

    A row with t = 0 is left at zero.
    """
    n = len(X)
    across = across or Across(np.zeros(n, np.int64), 0.0)
    products = gram(X) if 8 * n * n <= GRAM_BYTES else np.empty((0, 0))

    def solve(start: int, stop: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        Q = products[start:stop] if products.size else X[start:stop] @ X.T
        counts = np.zeros(stop - start, np.int64)
        status = np.zeros((stop - start, 2))
        weights = np.where(across.labels == across.labels[start:stop, None], 1.0, 1 + across.extra)
        found = []
        for a in range(0, stop - start, ROWS):
            end_if_cancelled()
            part = slice(a, a + ROWS)
            found.append(
                _solve_rows(
                    start + a, Q[part], X, products, t, k, weights[part], counts[part], status[part]
                )
            )
        indices, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return indices, values, counts, status

    parts = run_blocks(solve, n, BLOCK, n_jobs=n_jobs, progress=progress)
    indices, values, counts, status = (np.concatenate(p) for p in zip(*parts, strict=True))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    C = sp.csr_array((values, indices, indptr), shape=(n, n))
    C.sort_indices()
    return ElasticNets(C, int(status[:, 0].max()), float(status[:, 1].max()))


def coherences(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """max_{j≠i} |x_iᵀx_j| for each row, a block of rows at a time."""
    best = np.zeros(len(X))
    for start in range(0, len(X), 512):
        Q = np.abs(X[start : start + 512] @ X.T)
        rows = np.arange(len(Q))
        Q[rows, start + rows] = 0.0
        best[start : start + 512] = Q.max(axis=1)
    return best


def lasso_thresholds(X: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """SSC's 1/λ = μ/α for each row, μ the smallest coherence; 0 where nothing correlates."""
    best = coherences(X)
    mu = best[best > 0].min() if best.any() else 0.0
    return np.where(best > 0, mu / alpha, 0.0)


def elastic_memory(n: int, d: int) -> int:
    """Bytes: two copies of X, the Gram matrix where kept, blocks of products, and C."""
    products = 8 * n * n if 8 * n * n <= GRAM_BYTES else 0
    return 16 * n * d + products + 16 * n * (512 + BLOCK) + 16 * n * min(n, 4 * d)


@kernel
def _solve_rows(start, Q, X, products, t, k, weights, counts, status):
    """Solutions of a block of rows, as the indices and values of a CSR matrix."""
    indices = np.empty(64 * Q.shape[0], np.int64)
    values = np.empty(64 * Q.shape[0])
    size = 0
    for r in range(Q.shape[0]):
        i = start + r
        if t[i] <= 0.0:
            continue
        active, c, rounds, worst = _solve_row(i, Q[r], X, products, t[i] * weights[r], k[i])
        status[r, 0], status[r, 1] = rounds, worst
        while size + active.shape[0] > indices.shape[0]:
            indices = np.concatenate((indices, np.empty_like(indices)))
            values = np.concatenate((values, np.empty_like(values)))
        for a in range(active.shape[0]):
            if c[a] != 0.0:
                indices[size], values[size] = active[a], c[a]
                size += 1
                counts[r] += 1
    return indices[:size].copy(), values[:size].copy()


@kernel
def _solve_row(i, target, X, products, t, k):
    """One row: active set, coefficients on it, rounds, and the largest violation, over t.

    ``t`` (N,) holds the thresholds. They come down from where the first point joins by halves, so
    that each round starts close to its solution.
    """
    q = target.copy()  # x_jᵀ r for all j
    q[i] = 0.0
    active = np.empty(0, np.int64)
    c = np.empty(0)
    level = np.abs(q / t).max()
    worst = 0.0
    for rounds in range(1, ROUNDS + 1):  # noqa: B007, it is returned
        level = max(1.0, 0.5 * level)
        active, c = _join(q, active, c, level * t)
        G = _sub_gram(active, X, products)
        worst = minimise(G, target[active], c, level * t[active], level * k)
        _remainders(target, active, c, X, products, q)
        q[i] = 0.0
        if level == 1.0:
            worst = max(worst, _violation(q, active, t))
            if worst <= TOLERANCE:
                break
    return active, c, rounds, worst


@kernel
def _violation(q, active, t):
    """Largest |x_jᵀr|/t_j − 1 over the points outside the active set."""
    inside = np.zeros(q.shape[0], np.bool_)
    inside[active] = True
    worst = 0.0
    for j in range(q.shape[0]):
        if not inside[j]:
            worst = max(worst, abs(q[j]) / t[j] - 1.0)
    return worst


@kernel
def _join(q, active, c, t):
    """The support and, next to it, the points that most break the condition."""
    inside = np.zeros(q.shape[0], np.bool_)
    support = np.flatnonzero(c)
    inside[active[support]] = True
    breaking = np.empty(q.shape[0], np.int64)
    count = 0
    for j in range(q.shape[0]):
        if not inside[j] and abs(q[j]) > t[j]:
            breaking[count] = j
            count += 1
    breaking = breaking[:count]
    room = max(JOIN, support.shape[0])
    if count > room:
        excess = np.abs(q[breaking]) / t[breaking]
        breaking = breaking[np.argsort(-excess, kind="mergesort")[:room]]
    zeros = np.zeros(breaking.shape[0])
    return np.concatenate((active[support], breaking)), np.concatenate((c[support], zeros))


@kernel
def _sub_gram(active, X, products):
    m = active.shape[0]
    G = np.empty((m, m))
    if products.shape[0] > 0:
        for a in range(m):
            row = products[active[a]]
            for b in range(m):
                G[a, b] = row[active[b]]
        return G
    atoms = np.empty((m, X.shape[1]))
    for a in range(m):
        atoms[a] = X[active[a]]
    return np.dot(atoms, atoms.T)


@kernel
def _remainders(target, active, c, X, products, q):
    """q_j = x_jᵀ(x_i − Σ c x) for all j, from the Gram matrix where there is one."""
    q[:] = target
    if products.shape[0] > 0:
        for a in range(active.shape[0]):
            if c[a] != 0.0:
                row, weight = products[active[a]], c[a]
                for j in range(q.shape[0]):
                    q[j] -= weight * row[j]
        return
    fit = np.zeros(X.shape[1])
    for a in range(active.shape[0]):
        if c[a] != 0.0:
            fit += c[a] * X[active[a]]
    q -= np.dot(X, fit)


@kernel
def minimise(G, b, c, t, k):
    """Minimise over the active set in place; the largest violation there.

    Coordinate descent finds support and signs; for these the objective is a quadratic, whose
    minimum is one linear solve away. Neither step ever raises the objective.
    """
    h = b - np.dot(G, c)
    worst = _inner_violation(h, c, t, k)
    for _step in range(STEPS):
        if worst <= 0.1 * TOLERANCE:
            break
        _sweeps(G, h, c, t, k)
        cut = True
        while cut:  # each time a coordinate less; sweeps in between would bring it back
            cut = _newton(G, b, h, c, t, k)
            h[:] = b - np.dot(G, c)
        worst = _inner_violation(h, c, t, k)
    return worst


@kernel
def _objective(b, h, c, t, k):
    """The objective without ½‖x_i‖², from h = b − G c."""
    total = 0.0
    for a in range(c.shape[0]):
        total += c[a] * (0.5 * k * c[a] - 0.5 * (b[a] + h[a])) + t[a] * abs(c[a])
    return total


@kernel
def _inner_violation(h, c, t, k):
    worst = 0.0
    for a in range(c.shape[0]):
        if c[a] != 0.0:
            worst = max(worst, abs((h[a] - k * c[a]) / t[a] - np.sign(c[a])))
        else:
            worst = max(worst, abs(h[a]) / t[a] - 1.0)
    return worst


@kernel
def _sweeps(G, h, c, t, k):
    """Coordinate descent until the signs have settled; h = b − G c is kept up to date."""
    settled = 0
    for _sweep in range(SWEEPS):
        settled += 1
        for a in range(c.shape[0]):
            pull = h[a] + G[a, a] * c[a]
            size = abs(pull) - t[a]
            new = np.sign(pull) * size / (G[a, a] + k) if size > 0.0 else 0.0
            step = new - c[a]
            if step != 0.0:
                if np.sign(new) != np.sign(c[a]):
                    settled = 0
                c[a] = new
                row = G[a]
                for d in range(h.shape[0]):
                    h[d] -= step * row[d]
        if settled == SETTLED:
            break


@kernel
def _newton(G, b, h, c, t, k):
    """Go to the minimum for the present signs; whether the step was cut.

    Coordinates that would change sign on the way are dropped; where dropping all of them at once
    is no gain, the step is cut at the first one. So it is where there are more points than
    dimensions: along a direction in which the fit stays, until one of them is not needed.
    """
    support = np.flatnonzero(c)
    m = support.shape[0]
    A = np.empty((m, m))
    goal = np.empty(m)
    for a in range(m):
        row = G[support[a]]
        for d in range(m):
            A[a, d] = row[support[d]]
        A[a, a] += k + JITTER
        goal[a] = b[support[a]] - t[support[a]] * np.sign(c[support[a]])
    solve_in_place(A, goal)
    value = _objective(b, h, c, t, k)
    trial = np.zeros(c.shape[0])
    length, first = 1.0, -1
    for a in range(m):
        old = c[support[a]]
        if old * goal[a] > 0.0:
            trial[support[a]] = goal[a]
        elif old / (old - goal[a]) < length:
            length, first = old / (old - goal[a]), support[a]
    if first < 0 or _objective(b, b - np.dot(G, trial), trial, t, k) < value:
        c[:] = trial
        return False
    for a in range(m):
        c[support[a]] += length * (goal[a] - c[support[a]])
    c[first] = 0.0
    return True
