"""Algorithm 1, Iterative Maximum Correlation (IMC)."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.affinities import affinity
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import ROWS, check_choice, check_data, check_gamma, check_kind, check_number
from sdsc_core.search import STRATEGIES, Search, dot, make_search

NO_VARIANCE = 1e-8  # a centred norm below this, for a sample of unit norm, is no variance


@dataclass(frozen=True)
class ImcPath:
    """What IMC picked, in order; a smaller Γ is a slice of it.

    Attributes
    ----------
    picks : (N, Γ) int, the point picked for row i in iteration γ, −1 for none.
    correlations : (N, Γ) float, what c_ij holds for that pick (0 for none).
    constant : indices of samples without variance, which have no correlation and no picks.
    """

    picks: NDArray[np.int64]
    correlations: NDArray[np.float64]
    constant: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def coefficients(self, gamma: int | None = None) -> sp.csr_array:
        """C (N, N) after Γ iterations. A point picked twice keeps its larger value."""
        n, limit = self.picks.shape
        gamma = limit if gamma is None else check_gamma(gamma, limit + 1, "gamma")
        indptr = np.zeros(n + 1, np.int32 if n * gamma < 2**31 else np.int64)
        indices, values = np.empty(n * gamma, np.int32), np.empty(n * gamma)
        stop = _coefficients(self.picks[:, :gamma], self.correlations, indptr, indices, values)
        return sp.csr_array((values[:stop], indices[:stop], indptr), shape=(n, n))

    def affinity(self, gamma: int | None = None) -> sp.csr_array:
        """W = max(|C|, |Cᵀ|), eq. 5."""
        return affinity(self.coefficients(gamma), "max")


@dataclass(frozen=True)
class Samples:
    """Samples of unit ℓ2 norm, split as x_i = s_i z_i + m_i 1 with z_i centred and of unit norm.

    Then Pearson's ρ is a product with z, and step 6's uncentred product follows from s and m.
    """

    Z: NDArray[np.float64]
    s: NDArray[np.float64]
    m: NDArray[np.float64]

    @classmethod
    def of(cls, X: NDArray[np.float64], residual: str) -> "Samples":
        Z, s, m = np.empty(X.shape), np.empty(len(X)), np.empty(len(X))
        for start in range(0, len(X), ROWS):  # by parts: of a mapped file no more is in memory
            rows = slice(start, start + ROWS)
            part = unit_rows(np.ascontiguousarray(X[rows]))
            m[rows] = part.mean(axis=1)
            np.subtract(part, m[rows, None], out=Z[rows])
            s[rows] = np.linalg.norm(Z[rows], axis=1)
        s[s < NO_VARIANCE] = 0.0
        Z *= np.divide(1.0, s, out=np.zeros_like(s), where=s > 0)[:, None]
        if residual == "centred":
            s, m = np.where(s > 0, 1.0, 0.0), np.zeros_like(m)
        return cls(Z, s, m)


def unit_rows(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Samples of unit ℓ2 norm; a zero sample stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8], [0. , 0. ]])
    """
    # By the largest entry first, so that squares neither overflow nor vanish.
    largest = np.abs(X).max(axis=1, keepdims=True)
    X = np.divide(X, largest, out=np.zeros_like(X), where=largest > 0)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def imc(
    X: Any,
    n_iterations: int = 6,
    *,
    residual: str = "as_printed",
    similarity: str = "residual",
    n_jobs: int | None = None,
    progress: Progress | None = None,
    search: str = "auto",
    memory_mb: float | None = None,
    start: ImcPath | None = None,
    client: Any = None,
) -> ImcPath:
    """Pick, for each point, the Γ points most correlated with what is left of it (Algorithm 1).

    Parameters
    ----------
    X : (n_samples, n_features); scaled to unit ℓ2 norm here, since step 6 projects only then. It
        is read by parts and not copied where it is of float64: a memory-mapped file need not fit.
    n_iterations : Γ, from 1 to N − 1.
    residual : ``"as_printed"`` picks by centred correlation (step 5) and projects uncentred
        (step 6); ``"centred"`` centres each sample first, so that both agree.
    similarity : ``"residual"``: c_ij is the correlation with the residual, as printed;
        ``"pair"``: the correlation of x_i and x_j themselves.
    n_jobs : threads, all cores by default. The result does not depend on it.
    progress : called with (points done, N); raising in it cancels.
    search : how the points are searched: "tree", "gram", "blocks", or "auto" for the cheapest, see
        `sdsc_core.search.choose`. The result is the same, to the last bit.
    memory_mb : what an N × N Gram matrix may take; None for a share of what the machine has free.
    start : a path of the same data and settings with fewer iterations, which is continued: what it
        holds is not searched for again, and the result is that of a whole run.
    client : a `distributed.Client`; blocks of points then run on the workers of its cluster, each
        of which is sent the points and their search once. The result is the same, to the last bit.

    Notes
    -----
    Where the centred residual is gone (norm below 1e-8) or correlates with nothing, the point
    stops early. The same j may be picked again, as printed. Ties go to the lowest index.

    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> path = imc(X, 1)
    >>> path.picks.ravel().tolist()
    [1, 0, 3, 2]
    """
    X = check_data(X, copy=False)
    gamma = check_gamma(n_iterations, len(X))
    check_choice(residual, "residual", ("as_printed", "centred"))
    check_choice(similarity, "similarity", ("residual", "pair"))
    if memory_mb is not None:
        check_number(memory_mb, "memory_mb", 0)
    check_choice(search, "search", STRATEGIES)
    samples = Samples.of(X, residual)
    n = len(X)
    picks, values = np.full((n, gamma), -1), np.zeros((n, gamma))
    done = 0 if start is None else _check_start(start, samples, similarity, gamma)
    if start is not None:
        picks[:, :done], values[:, :done] = start.picks[:, :done], start.correlations[:, :done]
    if done < gamma:
        if client is not None and memory_mb is None:
            memory_mb = 0.0  # N² numbers are too many to send
        strategy = make_search(
            samples.Z, gamma - done, search, memory_mb=memory_mb, n_jobs=n_jobs, progress=progress
        )
        rows = partial(_rows, strategy, samples, picks[:, :done], gamma)
        parts = run_blocks(
            rows, n, strategy.block_rows, n_jobs=n_jobs, progress=progress, client=client
        )
        _put(parts, strategy.order, picks[:, done:], values[:, done:])
    if similarity == "pair":
        _pair_correlations(samples.Z, picks, values)
    return ImcPath(picks, np.minimum(values, 1.0), np.flatnonzero(samples.s == 0))


def of_pairs(X: Any, path: ImcPath) -> ImcPath:
    """The same picks with c_ij the correlation of x_i and x_j, without another search.

    It is what ``similarity="pair"`` gives, to the last bit: both readings pick alike.

    >>> X = np.random.default_rng(0).standard_normal((9, 4))
    >>> own = imc(X, 2, similarity="pair").correlations
    >>> bool((of_pairs(X, imc(X, 2)).correlations == own).all())
    True
    """
    Z = Samples.of(check_data(X, copy=False), "as_printed").Z
    values = np.zeros(path.picks.shape)
    _pair_correlations(Z, path.picks, values)
    return ImcPath(path.picks, np.minimum(values, 1.0), path.constant)


def _check_start(start: ImcPath, samples: Samples, similarity: str, gamma: int) -> int:
    """How many iterations of ``start`` can be taken over; a ValueError where it is another's."""
    n = len(samples.Z)
    check_kind(start, ImcPath, "start", "what `imc` returns, or None")
    picks, values = start.picks, start.correlations
    if not (_is_table(picks, "i") and _is_table(values, "f") and picks.shape == values.shape):
        raise ValueError("start has no picks (N, Γ) with a correlation each; give what `imc` gave.")
    done = min(start.picks.shape[1], gamma)
    own = np.linspace(0, n - 1, 16).astype(np.int64)
    same = len(start.picks) == n and bool(start.picks.max(initial=-1) < n)
    if same:
        picks, values = start.picks[own, :done].copy(), np.zeros((len(own), done))
        psi, mean = samples.Z[own] * samples.s[own, None], samples.m[own]
        _replay(psi, mean, picks, samples.Z, samples.s, samples.m, values)
        if similarity == "pair":
            pairs = np.zeros_like(values)
            for i, row in enumerate(own):
                for g in np.flatnonzero(picks[i] >= 0):
                    pairs[i, g] = abs(dot(samples.Z[row], samples.Z[picks[i, g]]))
            values = pairs
        same = bool((np.minimum(values, 1.0) == start.correlations[own, :done]).all())
    if not same:
        raise ValueError(
            "start is the path of other data or settings; give one of the same X, residual and"
            " similarity, or none."
        )
    return done


def _is_table(values: Any, kind: str) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == kind


def _rows(
    search: Search,
    samples: Samples,
    before: NDArray[np.int64],
    gamma: int,
    start: int,
    stop: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Picks and values of the iterations after ``before``, up to Γ, for a block of rows.

    Rows are counted in the order of the search.
    """
    own = search.order[start:stop]
    Z, s, m = samples.Z, samples.s, samples.m
    psi, mean = Z[own] * s[own, None], m[own]
    rows = search.rows(own)
    rows.change(own[:, None], s[own, None])
    left = gamma - before.shape[1]
    picks, values = np.full((len(own), left), -1), np.zeros((len(own), left))
    if left < gamma:
        known = before[own]
        rows.change(known, _replay(psi, mean, known, Z, s, m, np.zeros(known.shape)))
    for g in range(left):
        found, products = rows.find(psi)
        taken = picks[:, g], values[:, g]
        weights = _step(psi, mean, found[:, 0], products[:, 0], Z, s, m, *taken)
        if (found < 0).all() or g + 1 == picks.shape[1]:
            break
        rows.change(found, weights)
    return picks, values


def _put(parts: list[Any], order: Any, picks: Any, values: Any) -> None:
    """What blocks of rows found, each point at its place."""
    stop = 0
    for found, found_values in parts:
        start, stop = stop, stop + len(found)
        picks[order[start:stop]] = found
        values[order[start:stop]] = found_values


@kernel
def _coefficients(picks, correlations, indptr, indices, values):
    """Write the rows of C, columns in order, each pick once with its largest value; their end."""
    stop = 0
    for i in range(picks.shape[0]):
        start = stop
        for g in range(picks.shape[1]):
            j, value = picks[i, g], correlations[i, g]
            if j < 0:
                continue
            at = stop
            while at > start and indices[at - 1] >= j:
                at -= 1
            if at < stop and indices[at] == j:
                values[at] = max(values[at], value)
                continue
            for k in range(stop, at, -1):
                indices[k], values[k] = indices[k - 1], values[k - 1]
            indices[at], values[at] = j, value
            stop += 1
        indptr[i + 1] = stop
    return stop


@kernel
def remove_projection(psi, mean, j, product, Z, s, m):
    """Step 6: ψ − (ψ·x_j) x_j, with ψ held as its centred part and its mean; the new mean."""
    a = s[j] * product + psi.shape[0] * mean * m[j]
    t = a * s[j]
    for d in range(psi.shape[0]):
        psi[d] -= t * Z[j, d]
    return mean - a * m[j], t


@kernel
def _step(psi, mean, found, products, Z, s, m, picks, values):
    """Take what was found, and step 6; the weights (B, 1) with which it changes the residuals."""
    weights = np.zeros((psi.shape[0], 1))
    for r in range(psi.shape[0]):
        norm = np.sqrt(dot(psi[r], psi[r]))
        if found[r] < 0 or norm < NO_VARIANCE:
            psi[r] = 0.0
            found[r] = -1
            continue
        picks[r] = found[r]
        values[r] = abs(products[r]) / norm
        mean[r], taken = remove_projection(psi[r], mean[r], found[r], products[r], Z, s, m)
        weights[r, 0] = -taken
    return weights


@kernel
def _replay(psi, mean, picks, Z, s, m, values):
    """Bring residuals to where the picks of an earlier run left them, by the same operations."""
    weights = np.zeros(picks.shape)
    for g in range(picks.shape[1]):
        products = np.zeros(picks.shape[0])
        for r in range(picks.shape[0]):
            if picks[r, g] >= 0:
                products[r] = dot(psi[r], Z[picks[r, g]])
        found = picks[:, g].copy()
        taken = picks[:, g], values[:, g]
        weights[:, g] = _step(psi, mean, found, products, Z, s, m, *taken)[:, 0]
    return weights


@kernel
def _pair_correlations(Z, picks, values):
    for i in range(picks.shape[0]):
        for g in range(picks.shape[1]):
            if picks[i, g] >= 0:
                values[i, g] = abs(dot(Z[i], Z[picks[i, g]]))
