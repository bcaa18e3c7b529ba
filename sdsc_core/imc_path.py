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
from sdsc_core.checks import check_choice, check_data, check_gamma, check_number
from sdsc_core.search import LANES, NOTHING, TIE, Search, decide, dot, largest_abs, reaching

GONE = 1e-8  # a centred norm below this, for a sample of unit norm, is no variance
GRAM_MB = 1024  # memory that one N × N Gram matrix may take
FEW_FEATURES = 16  # up to here a fresh search is cheaper than fetching rows of a Gram matrix
BLOCK = 256


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
        picks = self.picks[:, :gamma]
        rows, steps = np.nonzero(picks >= 0)
        cells = rows * n + picks[rows, steps]
        order = np.argsort(cells, kind="stable")
        cells, values = cells[order], self.correlations[rows, steps][order]
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        values = np.maximum.reduceat(values, starts) if starts.size else values
        rows, columns = np.divmod(cells[starts], n)
        return sp.csr_array((values, (rows, columns)), shape=(n, n))

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
        X = unit_rows(X)
        m = X.mean(axis=1)
        Z = X - m[:, None]
        s = np.linalg.norm(Z, axis=1)
        s[s < GONE] = 0.0
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
    memory_mb: float = GRAM_MB,
) -> ImcPath:
    """Pick, for each point, the Γ points most correlated with what is left of it (Algorithm 1).

    Parameters
    ----------
    X : (n_samples, n_features); scaled to unit ℓ2 norm here, since step 6 projects only then.
    n_iterations : Γ, from 1 to N − 1.
    residual : ``"as_printed"`` picks by centred correlation (step 5) and projects uncentred
        (step 6); ``"centred"`` centres each sample first, so that both agree.
    similarity : ``"residual"``: c_ij is the correlation with the residual, as printed;
        ``"pair"``: the correlation of x_i and x_j themselves.
    n_jobs : threads, all cores by default. The result does not depend on it.
    progress : called with (points done, N); raising in it cancels.
    memory_mb : up to this size one N × N Gram matrix is kept and an iteration costs N; beyond,
        each iteration searches all points again, N·D, in bounded memory. The result is the same.

    Notes
    -----
    Where the centred residual is gone (norm below 1e-8) or correlates with nothing, the point
    stops early. The same j may be picked again, as printed. Ties go to the lowest index.

    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> path = imc(X, 1)
    >>> path.picks.ravel().tolist()
    [1, 0, 3, 2]
    """
    X = check_data(X)
    gamma = check_gamma(n_iterations, len(X))
    check_choice(residual, "residual", ("as_printed", "centred"))
    check_choice(similarity, "similarity", ("residual", "pair"))
    check_number(memory_mb, "memory_mb", 0)
    samples = Samples.of(X, residual)
    n, d = X.shape
    if 8e-6 * n * n <= memory_mb and d > FEW_FEATURES:
        rows = partial(_gram_block, samples.Z @ samples.Z.T, samples, gamma)
    else:
        rows = partial(_search_block, Search(samples.Z), samples, gamma)
    results = run_blocks(rows, n, BLOCK, n_jobs=n_jobs, progress=progress)
    picks = np.concatenate([r[0] for r in results])
    values = np.concatenate([r[1] for r in results])
    if similarity == "pair":
        _pair_correlations(samples.Z, picks, values)
    return ImcPath(picks, np.minimum(values, 1.0), np.flatnonzero(samples.s == 0))


def _gram_block(
    R: NDArray[np.float64], samples: Samples, gamma: int, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    picks = np.full((stop - start, gamma), -1)
    values = np.zeros((stop - start, gamma))
    _gram_rows(start, R, samples.Z, samples.s, samples.m, picks, values)
    return picks, values


def _search_block(
    search: Search, samples: Samples, gamma: int, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    own = np.arange(start, stop)
    picks = np.full((stop - start, gamma), -1)
    values = np.zeros((stop - start, gamma))
    psi = samples.Z[own] * samples.s[own, None]
    mean = samples.m[own]
    for g in range(gamma):
        found, products = search(psi, own)
        _search_step(psi, mean, found, products, samples.Z, samples.s, samples.m, g, picks, values)
        if (found < 0).all():
            break
    return picks, values


@kernel
def remove_projection(psi, mean, j, product, Z, s, m):
    """Step 6: ψ − (ψ·x_j) x_j, with ψ held as its centred part and its mean; the new mean."""
    a = s[j] * product + psi.shape[0] * mean * m[j]
    t = a * s[j]
    for d in range(psi.shape[0]):
        psi[d] -= t * Z[j, d]
    return mean - a * m[j], t


@kernel
def _search_step(psi, mean, found, products, Z, s, m, g, picks, values):
    for r in range(psi.shape[0]):
        norm = np.sqrt(dot(psi[r], psi[r]))
        if found[r] < 0 or norm < GONE:
            psi[r] = 0.0
            found[r] = -1
            continue
        picks[r, g] = found[r]
        values[r, g] = abs(products[r]) / norm
        mean[r], _ = remove_projection(psi[r], mean[r], found[r], products[r], Z, s, m)


@kernel
def _gram_rows(start, R, Z, s, m, picks, values):
    """All iterations of a row at once: q_k = ψ·z_k stays in the cache and follows from R's rows."""
    n, d = Z.shape
    q = np.empty(n)
    lanes = np.empty(LANES)
    candidates = np.empty(n, np.int64)
    products = np.empty(n)
    psi = np.empty(d)
    for r in range(picks.shape[0]):
        i = start + r
        psi[:] = Z[i] * s[i]
        q[:] = R[i] * s[i]
        mean = m[i]
        for g in range(picks.shape[1]):
            norm = np.sqrt(dot(psi, psi))
            if norm < GONE:
                break
            q[i] = 0.0
            # Each update adds at most (D + 4) 2⁻⁵³ of rounding to an entry of q.
            floor = largest_abs(q, lanes) - TIE * norm - 2 * (g + 2) * (d + 8) * 2.0**-52
            found = reaching(q, lanes, floor, i, candidates)
            j, product = decide(candidates, products, found, psi, Z, TIE * norm)
            if j < 0 or abs(product) <= NOTHING * norm:
                break
            picks[r, g] = j
            values[r, g] = abs(product) / norm
            mean, t = remove_projection(psi, mean, j, product, Z, s, m)
            for k in range(n):
                q[k] -= t * R[j, k]


@kernel
def _pair_correlations(Z, picks, values):
    for i in range(picks.shape[0]):
        for g in range(picks.shape[1]):
            if picks[i, g] >= 0:
                values[i, g] = abs(dot(Z[i], Z[picks[i, g]]))
