"""k-means on the rows of an embedding, as scikit-learn has it: compiled for few columns, where most
of its time goes into calls, and in short steps where it takes long; and its labels."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import end_if_cancelled, one_thread
from sdsc_core.endable.lloyd import best_start, one_iteration

SEEDED_ON = 20_000  # points on which the starts are tried, drawn where there are more
MANY = 100_000_000  # points × clusters × columns, from which on it goes in steps
A_STEP = 1_000_000_000  # of the same between two looks whether anybody still waits
MOST_ITERATIONS = 300
FEW_COLUMNS = 48  # up to which the compiled one is quicker
TOLERANCE = 1e-4  # of the centres' shift, as a share of the mean variance of a column


def cluster_rows(
    rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int = 10
) -> NDArray[np.int64]:
    """k-means on the embedding; labels are numbered by first appearance.

    The best of several starts; of more than 20,000 points it is found on as many of them, drawn at
    random, and all points go on from its centres.
    """
    if len(rows) <= SEEDED_ON and not takes_long(rows, n_clusters):
        quickly = quick(rows, n_clusters, random_state, starts)
        if quickly is not None:
            return by_first_appearance(quickly)
    from sklearn.exceptions import ConvergenceWarning

    some = rows
    if len(rows) > SEEDED_ON:
        drawn = np.random.default_rng(random_state).choice(len(rows), SEEDED_ON, replace=False)
        some = rows[np.sort(drawn)]
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        if takes_long(some, n_clusters):
            found = in_steps(some, n_clusters, random_state, starts)
        else:
            found = best_start(some, n_clusters, random_state, starts)
        if some is not rows:
            found = _fitted(rows, n_clusters, found.cluster_centers_, MOST_ITERATIONS)
        labels = found.labels_
    return by_first_appearance(labels)


def by_first_appearance(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The same clusters (N,), numbered in the order in which they first appear.

    >>> by_first_appearance(np.array([2, 2, 0, 1, 0])).tolist()
    [0, 0, 1, 2, 1]
    """
    first = np.unique(labels, return_index=True)[1]
    rank = np.zeros(labels.max() + 1, np.int64)
    rank[labels[np.sort(first)]] = np.arange(len(first))
    return rank[labels]


def takes_long(rows: NDArray[np.float64], n_clusters: int) -> bool:
    """Whether a distance of every point to every centre takes so long that nobody can wait.

    >>> takes_long(np.ones((640, 10)), 10), takes_long(np.ones((2000, 2000)), 2000)
    (False, True)
    """
    return rows.size * n_clusters > MANY


def in_steps(
    rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int = 10
) -> Any:
    """scikit-learn's `KMeans`, fitted: the best of so many starts, a few iterations at a time.

    Starts are drawn as Arthur and Vassilvitskii (2007) do, by the squared distance to the nearest
    centre so far.

    >>> rows = np.repeat(np.eye(3), 4, axis=0)
    >>> len(set(in_steps(rows, 3, 0).labels_.tolist()))
    3
    """
    rng, best = np.random.default_rng(random_state), None
    at_once = max(1, A_STEP // max(1, rows.size * n_clusters))
    for _ in range(starts):
        centres, labels = _spread(rows, n_clusters, rng), np.empty(0, np.int64)
        found: Any = None
        for _ in range(0, MOST_ITERATIONS, at_once):
            end_if_cancelled()
            if rows.size * n_clusters > A_STEP:  # one iteration takes too long by itself
                found = one_iteration(rows, centres)
            else:
                found = _fitted(rows, n_clusters, centres, at_once)
            if np.array_equal(found.labels_, labels):
                break
            centres, labels = found.cluster_centers_, found.labels_
        if best is None or (found is not None and found.inertia_ < best.inertia_):
            best = found
    return best


def _fitted(
    rows: NDArray[np.float64], n_clusters: int, centres: NDArray[np.float64], iterations: int
) -> Any:
    """scikit-learn's `KMeans` after so many iterations from these centres, at the most."""
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=1, init=centres, max_iter=iterations).fit(rows)


def _spread(
    rows: NDArray[np.float64], n_clusters: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    norms = np.einsum("ij,ij->i", rows, rows)
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.full(len(rows), np.inf)
    while True:
        end_if_cancelled()
        last = chosen[-1]
        distances = norms - 2 * (rows @ rows[last]) + norms[last]
        np.minimum(nearest, np.maximum(distances, 0.0), out=nearest)
        if len(chosen) == n_clusters:
            return rows[chosen]
        total = nearest.sum()
        shares = nearest / total if total > 0 else None  # all rows are centres: any other one
        chosen.append(int(rng.choice(len(rows), p=shares)))


def quick(
    rows: NDArray[np.float64], n_clusters: int, random_state: int, starts: int = 10
) -> NDArray[np.int64] | None:
    """The labels (N,) of scikit-learn's `KMeans` on rows of few columns, about ten times as quick.

    It draws the same random numbers and takes the same steps (Arthur and Vassilvitskii 2007 for
    the starts, each centre the best of a few; Lloyd's iterations), so that labels differ where
    rounding decides alone. None where it is of no use: many columns, or a cluster that runs empty,
    which scikit-learn fills again.

    >>> by_first_appearance(quick(np.repeat(np.eye(3), 3, axis=0), 3, 0)).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    n, d = rows.shape
    if d > FEW_COLUMNS or n_clusters > n:
        return None
    centred = np.ascontiguousarray((rows - rows.mean(axis=0)).T)
    tolerance = TOLERANCE * float(np.mean(np.var(rows, axis=0)))
    firsts, shares = _drawn(n, n_clusters, random_state, starts)
    labels, done = _starts(centred, n_clusters, firsts, shares, tolerance, MOST_ITERATIONS)
    return labels if done else None


@lru_cache(maxsize=64)
def _drawn(
    n: int, n_clusters: int, random_state: int, starts: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The random numbers of all starts, in the order in which scikit-learn draws them."""
    rng = np.random.RandomState(random_state)
    alike = np.full(n, 1.0) / n
    trials = 2 + int(np.log(n_clusters))
    firsts, shares = np.empty(starts, np.int64), np.empty((starts, n_clusters - 1, trials))
    for start in range(starts):
        firsts[start] = rng.choice(n, p=alike)
        shares[start] = rng.uniform(size=(n_clusters - 1, trials))
    return firsts, shares


@kernel(fastmath={"contract"})
def _starts(X, n_clusters, firsts, shares, tolerance, most):
    """The labels of the start with the least sum of squares; False where a cluster ran empty."""
    d, n = X.shape
    norms = np.zeros(n)
    for j in range(d):
        for i in range(n):
            norms[i] += X[j, i] * X[j, i]
    best, least = np.zeros(n, np.int64), np.inf
    labels, centres = np.empty(n, np.int64), np.empty((n_clusters, d))
    near, other, value = np.empty(n), np.empty(n), np.empty(n)
    for start in range(len(firsts)):
        _spread_out(X, norms, firsts[start], shares[start], centres, near, other, value)
        if not _lloyd(X, centres, labels, tolerance, most, other, value):
            return best, False
        total = 0.0
        for j in range(d):
            for i in range(n):
                total += (X[j, i] - centres[labels[i], j]) ** 2
        if start == 0 or (total < least and not _same(labels, best, n_clusters)):
            best[:] = labels
            least = total
    return best, True


@kernel(fastmath={"contract"})
def _products(X, centre, out):
    """Products of all points, the columns of X, with a centre; four rows at a time."""
    d, n = X.shape
    out[:] = 0.0
    for j in range(0, d - 3, 4):
        a, b, c, e = centre[j], centre[j + 1], centre[j + 2], centre[j + 3]
        for i in range(n):
            out[i] = out[i] + X[j, i] * a + X[j + 1, i] * b + X[j + 2, i] * c + X[j + 3, i] * e
    for j in range(d - d % 4, d):
        c = centre[j]
        for i in range(n):
            out[i] += X[j, i] * c


@kernel(fastmath={"contract"})
def _spread_out(X, norms, first, shares, centres, near, candidate, trial):
    """Centres among the points, each the best of a few that are drawn by the squared distance."""
    n = X.shape[1]
    sums = np.empty(n)
    centres[0] = X[:, first]
    near[:] = np.inf
    _products(X, centres[0], trial)
    pot = _nearer(near, norms, norms[first], trial)
    near[:] = trial
    for c in range(1, len(centres)):
        least, chosen, below = np.inf, -1, 0.0
        for i in range(n):
            below += near[i]
            sums[i] = below
        for t in range(shares.shape[1]):
            own = min(np.searchsorted(sums, shares[c - 1, t] * pot), n - 1)
            _products(X, X[:, own].copy(), trial)
            total = _nearer(near, norms, norms[own], trial)
            if total < least:
                least, chosen = total, own
                candidate[:] = trial
        near[:] = candidate
        pot = least
        centres[c] = X[:, chosen]


@kernel(fastmath={"contract", "reassoc", "nnan", "nsz"})
def _nearer(near, norms, norm, products):
    """Products with a point become squared distances, or ``near`` where that is less; their sum.

    The order of the sum is that of vector instructions.
    """
    total = 0.0
    for i in range(len(near)):
        products[i] = min(near[i], max(0.0, norms[i] + norm - 2.0 * products[i]))
        total += products[i]
    return total


@kernel(fastmath={"contract"})
def _nearest(X, centres, labels, least, value):
    """The nearest centre of each point, the first of equal ones; whether any label is another."""
    n = X.shape[1]
    least[:] = np.inf
    changed = False
    old = labels.copy()
    for c in range(len(centres)):
        _products(X, centres[c], value)
        norm = 0.0
        for j in range(X.shape[0]):
            norm += centres[c, j] * centres[c, j]
        for i in range(n):
            distance = norm - 2.0 * value[i]
            if distance < least[i]:
                least[i] = distance
                labels[i] = c
    for i in range(n):
        if labels[i] != old[i]:
            changed = True
    return changed


@kernel(fastmath={"contract"})
def _lloyd(X, centres, labels, tolerance, most, least, value):
    """Lloyd's iterations in place; False where a cluster ran empty."""
    d, n = X.shape
    labels[:] = -1
    sizes, sums = np.empty(len(centres)), np.empty(centres.shape)
    for _ in range(most):
        changed = _nearest(X, centres, labels, least, value)
        sizes[:] = 0.0
        sums[:] = 0.0
        for i in range(n):
            sizes[labels[i]] += 1.0
        if sizes.min() == 0.0:
            return False
        for j in range(d):
            for i in range(n):
                sums[labels[i], j] += X[j, i]
        shift = 0.0
        for c in range(len(centres)):
            for j in range(d):
                mean = sums[c, j] / sizes[c]
                shift += (mean - centres[c, j]) ** 2
                centres[c, j] = mean
        if not changed:
            return True
        if shift <= tolerance:
            break
    _nearest(X, centres, labels, least, value)
    return True


@kernel
def _same(one, other, n_clusters):
    """Whether two labellings are the same but for the names of the clusters."""
    name = np.full(n_clusters, -1)
    for i in range(len(one)):
        if name[one[i]] == -1:
            name[one[i]] = other[i]
        elif name[one[i]] != other[i]:
            return False
    return True
