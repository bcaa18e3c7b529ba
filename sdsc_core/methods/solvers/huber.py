"""Lasso of each point on the others with a sparse error of its own, exactly: SSC with outliers.

min_c Σ_j w_j |c_j| + min_e ‖e‖₁ + (λ/2) ‖x_i − Σ_j c_j x_j − g e‖², c_i = 0. Over e that is Huber's
function of each entry of the remainder r = x_i − Σ_j c_j x_j, a square near zero and linear beyond,
with the slope v = clip(λ r, ±1/g). Optimal where x_jᵀv = w_j sign(c_j) for c_j ≠ 0 and
|x_jᵀv| ≤ w_j elsewhere.

As in `elastic` only an active set of points is worked on, and those outside that break the
condition join it. Within the set each step solves an elastic net: the objective's own quadratic
(Newton), or, where that does not go down, a quadratic above it, which always does.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, end_if_cancelled, run_blocks
from sdsc_core.methods.solvers.admm import coherence
from sdsc_core.methods.solvers.elastic import TOLERANCE, Across, ElasticNets, minimise

Array = NDArray[np.float64]

SOLVED = 1e-5  # aimed at is `TOLERANCE`, but rounding of the objective may leave a few of it
BLOCK = 64
ROUNDS = 100
STEPS = 100  # within an active set in a round
JOIN = 8  # points that may join in a round
ABOVE = 2  # steps with the quadratic above, before Newton's
TRIES, SHORTER = 6, 0.4  # lengths of a step, each by so much shorter
JITTER = 1e-9  # of the mean diagonal; keeps Newton's solve possible where all entries are linear


class HuberLasso:
    """The problem above for all rows of X, with SSC's λ = α/μ and g = ‖X‖₁/α."""

    def __init__(self, X: Array, alpha: float):
        self.X = X
        self.g = np.abs(X).sum(axis=1).max() / alpha
        self.lam = alpha / coherence(X, self.g)
        self.slope = 1.0 / self.g if self.g else np.inf

    def solve(
        self,
        *,
        scale: float = 1.0,
        across: Across | None = None,
        start: sp.csr_array | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> ElasticNets:
        """Every row, with w_j = scale, and more across given labels; from ``start`` on."""
        n = len(self.X)
        across = across or Across(np.zeros(n, np.int64), 0.0)
        C = sp.csr_array((n, n)) if start is None else start

        def rows(first: int, last: int) -> tuple[sp.csr_array, int, float]:
            same = across.labels[first:last, None] == across.labels
            weights = scale * np.where(same, 1.0, 1.0 + across.extra)
            return self._rows(first, C[first:last].toarray(), weights)

        parts = run_blocks(rows, n, BLOCK, n_jobs=n_jobs, progress=progress)
        return ElasticNets(
            sp.csr_array(sp.vstack([p[0] for p in parts])),
            max(p[1] for p in parts),
            max(p[2] for p in parts),
        )

    def _rows(self, first: int, C: Array, weights: Array) -> tuple[sp.csr_array, int, float]:
        """A block of rows from C on: their coefficients, the rounds, and the worst violation."""
        X, own = self.X, np.arange(first, first + len(C))
        V = np.clip(self.lam * (X[own] - C @ X), -self.slope, self.slope)
        outside, inside = np.zeros(len(C)), np.where(C.any(axis=1), np.inf, 0.0)
        live, rounds = np.arange(len(C)), 0
        while live.size and rounds < ROUNDS:
            end_if_cancelled()
            rounds += 1
            going = np.zeros(len(C), np.bool_)
            products = V[live] @ X.T
            _round(
                live, own, X, products, C, V, weights, self.lam, self.slope, outside, inside, going
            )
            live = live[going[live]]
        return sp.csr_array(C), rounds, float(np.maximum(outside, inside).max())


@kernel
def _round(live, own, X, products, C, V, weights, lam, slope, outside, inside, going):
    """Check each row, and solve it anew with those that break its condition; ``going`` if so."""
    for p in range(live.shape[0]):
        r = live[p]
        active, worst = _join(products[p], C[r], weights[r], own[r])
        outside[r] = worst
        if max(worst, inside[r]) <= TOLERANCE:
            continue
        c, w = C[r][active], weights[r][active]
        atoms = X[active]
        goal = max(0.3 * TOLERANCE, 0.1 * worst)  # no closer than the others are
        inside[r], going[r] = _minimise_huber(atoms, X[own[r]], c, w, lam, slope, goal, V[r])
        going[r] = going[r] or worst > TOLERANCE
        C[r][active] = c


@kernel
def _join(products, c, w, own):
    """The support with the points outside that most break the condition, and by how much."""
    breaking = np.zeros(c.shape[0])
    worst = 0.0
    for j in range(c.shape[0]):
        if c[j] == 0.0 and j != own:
            breaking[j] = max(0.0, abs(products[j]) / w[j] - 1.0)
            worst = max(worst, breaking[j])
    joining = np.argsort(-breaking, kind="mergesort")[:JOIN]
    joining = joining[breaking[joining] > 0.0]
    return np.concatenate((np.flatnonzero(c), joining)), worst


@kernel
def _minimise_huber(atoms, x, c, w, lam, slope, goal, v):
    """Minimise over the active set, c in place; the violation there, and whether to go on.

    ``v`` becomes the slope at the end. A step that finds nothing lower ends it for good: what is
    left is rounding.
    """
    r = x - np.dot(c, atoms)
    lowest = _objective(r, c, w, lam, slope)
    above, worst, going = ABOVE, 0.0, True
    for _step in range(STEPS):
        v[:] = np.minimum(np.maximum(lam * r, -slope), slope)
        pulls = np.dot(atoms, v)
        worst = _inside(pulls, c, w)
        if worst <= goal or not going:
            break
        H = _curvature(atoms, r, lam, slope, above > 0)
        goal_c = c.copy()
        minimise(H, pulls + np.dot(H, c), goal_c, w, 0.0)
        found, lower, full = _lower(atoms, x, c, goal_c, w, lam, slope, lowest)
        if lower < lowest:
            c[:], lowest = found, lower
            r = x - np.dot(c, atoms)
            above = above - 1 if full else 1
        else:
            going = above <= 0
            above = ABOVE
    return worst, going


@kernel
def _inside(pulls, c, w):
    """The largest violation on the active set, relative to w."""
    worst = 0.0
    for a in range(c.shape[0]):
        if c[a] != 0.0:
            worst = max(worst, abs(pulls[a] / w[a] - np.sign(c[a])))
        else:
            worst = max(worst, abs(pulls[a]) / w[a] - 1.0)
    return worst


@kernel
def _curvature(atoms, r, lam, slope, above):
    """Of the objective at r; ``above``, of the quadratics that touch Huber's function from above.

    An entry beyond the knee has no curvature of its own.
    """
    knee = slope / lam
    B = np.empty_like(atoms)
    for d in range(r.shape[0]):
        size = abs(r[d])
        share = 1.0 if size <= knee else (knee / size if above else 0.0)
        root = np.sqrt(lam * share)
        for a in range(atoms.shape[0]):
            B[a, d] = root * atoms[a, d]
    H = np.dot(B, B.T)
    jitter = JITTER * np.trace(H) / max(1, H.shape[0]) + 1e-300
    for a in range(H.shape[0]):
        H[a, a] += jitter
    return H


@kernel
def _lower(atoms, x, c, goal, w, lam, slope, lowest):
    """The first point on the way to ``goal`` that is lower, its objective, and if it is the end."""
    length = 1.0
    found, value = goal, lowest
    for attempt in range(TRIES):
        found = goal if attempt == 0 else c + length * (goal - c)
        value = _objective(x - np.dot(found, atoms), found, w, lam, slope)
        if value < lowest:
            return found, value, attempt == 0
        length *= SHORTER
    return c, lowest, False


@kernel
def _objective(r, c, w, lam, slope):
    knee = slope / lam
    total = 0.0
    for d in range(r.shape[0]):
        size = abs(r[d])
        total += 0.5 * lam * size * size if size <= knee else slope * (size - 0.5 * knee)
    for a in range(c.shape[0]):
        total += w[a] * abs(c[a])
    return total
