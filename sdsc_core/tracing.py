"""Algorithm 1 for one point, step by step; Algorithm 2 for one pair as θ moves; W as Γ grows."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress
from sdsc_core.checks import Affinity, check_choice, check_count, check_data, check_gamma
from sdsc_core.dense import RULES, Explanation, condition, dense_stage, explain, two_hop
from sdsc_core.imc_path import NO_VARIANCE, ImcPath, Samples, remove_projection
from sdsc_core.labels.checking import check_labels
from sdsc_core.metrics import Summary
from sdsc_core.search import NOTHING, TIE, decide, dot
from sdsc_core.sides import cluster_side

# Why a trace ends.
ENDINGS = ("gamma", "gone", "uncorrelated", "constant")
LEVELS = ("weak", "medium", "strong", "extremely strong")


@dataclass(frozen=True)
class Step:
    """One pass of steps 5 and 6 of Algorithm 1, seen before the residual is updated.

    Attributes
    ----------
    gamma : number of the step, from 0.
    residual : (D,) ψ_γ, in the coordinates of the samples of unit norm.
    norm, centred_norm : ‖ψ_γ‖, and the same after its mean is taken off, which Pearson's ρ sees.
    correlations : (N,) ρ of ψ_γ with every sample, signed; also with x_i, which is no candidate.
    pick, rho : the j with the largest |ρ|, and that ρ. −1 and 0 in the last entry of a trace.
    coefficient : what the step offers to c_ij.
    kept : c_ij after the step, the larger one where j was picked before.
    energy : ‖ψ_γ‖² − ‖ψ_γ+1‖² = (ψ_γ · x_j)², as x_j has unit norm.
    again : whether j was picked before.
    """

    gamma: int
    residual: NDArray[np.float64]
    norm: float
    centred_norm: float
    correlations: NDArray[np.float64]
    pick: int = -1
    rho: float = 0.0
    coefficient: float = 0.0
    kept: float = 0.0
    energy: float = 0.0
    again: bool = False


@dataclass(frozen=True)
class Trace:
    """The steps of one point. The last entry has no pick: it is what is left in the end.

    ``ended`` says why: "gamma", Γ picks are made; "gone", the residual has no variance left;
    "uncorrelated", no point correlates with it; "constant", the sample had no variance at all.
    """

    i: int
    steps: tuple[Step, ...]
    ended: str

    @property
    def picks(self) -> list[int]:
        return [step.pick for step in self.steps[:-1]]


def trace(
    X: Any,
    i: int,
    n_iterations: int = 6,
    *,
    residual: str = "as_printed",
    similarity: str = "residual",
) -> Trace:
    """Follow Algorithm 1 for the point ``i``, with everything that it looks at.

    Parameters are those of `imc`, and so are the picks and the coefficients, to the last bit.

    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> t = trace(X, 0, 3)
    >>> t.picks, round(t.steps[0].rho, 3), t.ended
    ([1], 1.0, 'gone')
    """
    X = check_data(X)
    i = check_count(i, "i", 0, len(X) - 1)
    gamma = check_gamma(n_iterations, len(X))
    check_choice(residual, "residual", ("as_printed", "centred"))
    check_choice(similarity, "similarity", ("residual", "pair"))
    samples = Samples.of(X, residual)
    n, d = X.shape
    psi, products = np.zeros((gamma + 1, d)), np.zeros((gamma + 1, n))
    means, removed = np.zeros(gamma + 1), np.zeros(gamma)
    picks = np.full(gamma + 1, -1)
    _follow(i, samples.Z, samples.s, samples.m, picks, psi, means, products, removed)
    n_picks = int(np.argmin(picks))
    values = _steps(samples, similarity, i, picks[: n_picks + 1], psi, means, products, removed)
    return Trace(i, tuple(values), _ending(samples, i, n_picks, gamma, values[-1]))


@kernel
def _follow(i, Z, s, m, picks, psi, means, products, removed):
    """As `imc` does it, with every point a candidate; ψ is held as its centred part and mean."""
    n = Z.shape[0]
    candidates = np.empty(n - 1, np.int64)
    candidates[:i] = np.arange(i)
    candidates[i:] = np.arange(i + 1, n)
    exact = np.empty(n - 1)
    psi[0] = Z[i] * s[i]
    means[0] = m[i]
    for g in range(picks.shape[0]):
        norm = np.sqrt(dot(psi[g], psi[g]))
        j, product = decide(candidates, exact, n - 1, psi[g], Z, TIE * norm)
        products[g, :i] = exact[:i]
        products[g, i] = dot(psi[g], Z[i])
        products[g, i + 1 :] = exact[i:]
        if norm < NO_VARIANCE or g == picks.shape[0] - 1 or abs(product) <= NOTHING * norm:
            break
        picks[g] = j
        removed[g] = s[j] * product + psi.shape[1] * means[g] * m[j]
        psi[g + 1] = psi[g]
        means[g + 1], _ = remove_projection(psi[g + 1], means[g], j, product, Z, s, m)


def _steps(
    samples: Samples,
    similarity: str,
    i: int,
    picks: NDArray[np.int64],
    psi: NDArray[np.float64],
    means: NDArray[np.float64],
    products: NDArray[np.float64],
    removed: NDArray[np.float64],
) -> list[Step]:
    steps: list[Step] = []
    kept: dict[int, float] = {}
    for g, j in enumerate(picks.tolist()):
        centred = float(np.sqrt(dot(psi[g], psi[g])))
        norm = float(np.sqrt(centred**2 + psi.shape[1] * means[g] ** 2))
        rho = np.zeros(len(products[g])) if centred < NO_VARIANCE else products[g] / centred
        now = (g, psi[g] + means[g], norm, centred, np.clip(rho, -1.0, 1.0))
        if j < 0:
            steps.append(Step(*now))
            break
        value = abs(dot(samples.Z[i], samples.Z[j])) if similarity == "pair" else abs(rho[j])
        value = min(float(value), 1.0)
        again = j in kept
        kept[j] = max(value, kept.get(j, 0.0))
        energy = float(removed[g]) ** 2
        steps.append(Step(*now, j, float(now[4][j]), value, kept[j], energy, again))
    return steps


def _ending(samples: Samples, i: int, n_picks: int, gamma: int, last: Step) -> str:
    if samples.s[i] == 0:
        return "constant"
    if n_picks == gamma:
        return "gamma"
    return "gone" if last.centred_norm < NO_VARIANCE else "uncorrelated"


def examples(path: ImcPath, labels: Any = None, gamma: int | None = None) -> dict[str, int]:
    """Points worth stepping through, by what happens to them; only what occurs is listed.

    "wrong": most picks are right and one is not; "right": all are; "again": a point is picked
    twice; "early": it stops before Γ; "constant": a sample without variance. The first two need
    labels.

    >>> path = ImcPath(np.array([[1, 2], [0, 0], [0, -1]]), np.ones((3, 2)))
    >>> examples(path, [0, 0, 1])
    {'wrong': 0, 'right': 1, 'again': 1, 'early': 2}
    """
    n, limit = path.picks.shape
    gamma = limit if gamma is None else check_gamma(gamma, limit + 1, "gamma")
    picks = path.picks[:, :gamma]
    there = picks >= 0
    constant = np.isin(np.arange(n), path.constant)
    ordered = np.sort(picks, axis=1)
    found: dict[str, NDArray[np.bool_]] = {}
    if labels is not None:
        classes = check_labels(labels, n)
        wrong = there & (classes[picks] != classes[:, None])
        n_wrong = wrong.sum(axis=1)
        fewest = n_wrong[n_wrong > 0].min(initial=n)
        found["wrong"] = n_wrong == fewest
        found["right"] = there.all(axis=1) & ~wrong.any(axis=1)
    found["again"] = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    found["early"] = ~there.all(axis=1) & ~constant
    found["constant"] = constant
    return {name: int(np.argmax(mask)) for name, mask in found.items() if mask.any()}


def level(w: float, theta1: float, theta2: float, theta3: float) -> str:
    """The level of a similarity, Definition 1; each interval holds its upper end.

    >>> level(0.8, 0.8, 0.6, 0.3)
    'strong'
    """
    return LEVELS[sum(w > theta for theta in (theta1, theta2, theta3))]


@dataclass(frozen=True)
class Piece:
    """w*_ij is the same for every θ in [low, high), by this condition and witness."""

    low: float
    high: float
    value: float
    condition: int
    witness: int


def sweep(
    W: Any, i: int, j: int, theta1: float = 0.8, theta2: float = 0.6, moved: str = "theta1"
) -> list[Piece]:
    """w*_ij of PCE (Algorithm 2) over all values of one θ, the other one held.

    θ only ever compares with a similarity, so w*_ij is constant between them.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> [(p.low, p.high, p.value, p.condition) for p in sweep(W, 0, 2, moved="theta1")]
    [(0.6, 0.7, 0.8, 1), (0.7, 0.9, 0.7, 2), (0.9, 1.0, 0.45, 3)]
    """
    check_choice(moved, "moved", ("theta1", "theta2"))
    pair = explain(W, i, j, theta1, theta2)
    low, high = (theta2, 1.0) if moved == "theta1" else (0.0, theta1)
    values = {v for o in pair.offers for v in (o.w_ik, o.w_kj)} | {pair.before}
    edges = [low, *sorted(v for v in values if low < v < high), high]
    pieces: list[Piece] = []
    for a, b in pairwise(edges):
        middle = 0.5 * (a + b)
        thetas = (middle, theta2) if moved == "theta1" else (theta1, middle)
        value, case, k = _outcome(pair, *thetas)
        last = pieces[-1] if pieces else None
        if last and (last.value, last.condition, last.witness) == (value, case, k):
            a = pieces.pop().low
        pieces.append(Piece(a, b, value, case, k))
    return pieces


def _outcome(pair: Explanation, theta1: float, theta2: float) -> tuple[float, int, int]:
    best = (pair.before, 0, -1)
    for o in pair.offers:
        value = float(two_hop(RULES["PCE"], o.w_ik, o.w_kj, pair.before, theta1, theta2))
        if value > best[0]:
            best = (value, int(condition(o.w_ik, o.w_kj, pair.before, theta1, theta2)), o.k)
    return best


@dataclass(frozen=True)
class GammaStages:
    """W and W* after Γ iterations, and the figures of each."""

    gamma: int
    W: Affinity
    W_star: Affinity
    before: Summary
    after: Summary


def stages_at_gamma(
    path: ImcPath,
    gamma: int,
    n_clusters: int,
    labels: Any = None,
    *,
    n_clusters_star: int | None = None,
    dense: str | None = "PCE",
    random_state: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> GammaStages:
    """W, W* and their figures for one Γ of those that ``path`` holds.

    ``n_clusters_star`` is the number of clusters of W* where it is not that of W. ``parameters``
    are those of the dense stage, as `dense_stage` takes them. ``progress`` hears from that stage
    and from the search for eigenvectors; raising in it cancels.

    >>> from sdsc_core import imc
    >>> path = imc(np.random.default_rng(0).standard_normal((12, 5)), 3)
    >>> [stages_at_gamma(path, gamma, 2).W.nnz for gamma in (1, 2, 3)]
    [18, 36, 48]
    """
    gamma = check_gamma(gamma, path.picks.shape[1] + 1, "gamma")
    W = path.affinity(gamma)
    star = dense_stage(W, dense, progress=progress, **parameters)
    side = partial(cluster_side, labels=labels, seed=random_state, progress=progress)
    before = side(W, n_clusters).summary
    if star is W:
        return GammaStages(gamma, W, star, before, before)
    after = side(star, n_clusters_star or n_clusters).summary
    return GammaStages(gamma, W, star, before, after)
