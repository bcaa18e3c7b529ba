"""A subspace fitted to each cluster: singular values, a dimension, a basis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, gram, tick
from sdsc_core.checks import (
    binary_scale,
    check_count,
    check_flag,
    check_number,
    check_rows,
    check_several,
)
from sdsc_core.labels.checking import check_labels
from sdsc_core.memory import check_memory

COST = 0.0005  # κ: what one more dimension costs
ROWS = 1 << 14  # looked at in one go, so that a mapped file need not fit into memory
DIRECT = 1 << 23  # entries of a cluster up to which it is decomposed itself, not its Gram matrix
KEPT = 256  # singular values that are kept of a cluster
ZERO = 1e-7  # singular values below this share of the largest are rounding: Gram's square root


@dataclass(frozen=True, eq=False)
class Subspace:
    """The subspace fitted to one cluster.

    ``singular_values`` are the largest of its points (without their mean where it is affine), at
    most 256; ``basis`` (dimension, D) has orthonormal rows; ``suggested`` is what the rule says,
    ``dimension`` what is used. ``mean`` (D,) is None for a linear subspace.
    """

    n_points: int
    singular_values: NDArray[np.float64]
    norm: float  # root of the sum of the squares of all singular values
    suggested: int
    basis: NDArray[np.float64]
    mean: NDArray[np.float64] | None = None

    @property
    def dimension(self) -> int:
        return len(self.basis)

    @property
    def share(self) -> float:
        """Share of the points' energy that lies in the subspace; 1 where there is none at all."""
        if not self.norm:
            return 1.0
        return min(1.0, float(((self.singular_values[: self.dimension] / self.norm) ** 2).sum()))

    def residuals(self, X: NDArray[np.float64], scale: float = 1.0) -> NDArray[np.float64]:
        """Distance of each row of X (n, D) from the subspace, (n,), both over ``scale``."""
        rest = X if self.mean is None else X - self.mean / scale
        return np.linalg.norm(rest - (rest @ self.basis.T) @ self.basis, axis=1)


def suggest_dimension(
    singular_values: Any,
    n_points: int,
    n_features: int,
    *,
    affine: bool = False,
    cost: float = COST,
) -> int:
    """The dimension r that makes σ²_{r+1} / (σ²_1 + … + σ²_r) + κ r smallest.

    The rule by which Vidal, Ma and Sastry choose the rank of a cluster (Generalized Principal
    Component Analysis; IEEE PAMI 27(12), 2005): what the next direction would explain,
    against a price κ for each. κ = 0.0005 gives the known ones of faces (9) and of
    moving bodies (3 to 4). At most as many as leave something unexplained: below the number of
    features, and of points, since r points always fit r dimensions. 0 for points that are all 0
    (affine: all the same).

    >>> suggest_dimension([9.0, 8.0, 7.0, 0.2, 0.1], 100, 5)
    3
    """
    cost = check_number(cost, "cost", 0)
    values = np.asarray(singular_values, dtype=np.float64)
    energy = (values / binary_scale(values)) ** 2
    if not len(energy) or not energy[0] > 0:
        return 0
    energy = np.where(energy > ZERO**2 * energy[0], energy, 0.0)
    most = max(1, min(n_points - 1 - affine, n_features - 1, int(np.count_nonzero(energy))))
    after = np.append(energy[1:], 0.0)[:most]
    r = np.arange(1, most + 1)
    return int(r[np.argmin(after / np.cumsum(energy[:most]) + cost * r)])


def fit_subspaces(
    X: Any,
    labels: Any,
    *,
    dimension: int | Sequence[int] | None = None,
    affine: bool = False,
    cost: float = COST,
    progress: Progress | None = None,
) -> tuple[Subspace, ...]:
    """The subspace nearest to the points of each cluster, in the order of the sorted labels.

    Parameters
    ----------
    X : (N, D), an array or a memory-mapped one, which is read a cluster and 16,384 rows at a time.
    labels : (N,) names or numbers of clusters.
    dimension : of all subspaces, or of each; by default what `suggest_dimension` says of each. No
        more than a cluster's points span.
    affine : subspaces need not pass through the origin: the mean of the cluster is taken off first.
    cost : κ of `suggest_dimension`.

    >>> X = np.array([[1.0, 0, 0], [2, 0, 0.01], [0, 1, 0], [0, 3, 0.01]])
    >>> [np.abs(s.basis).round(2).tolist() for s in fit_subspaces(X, [0, 0, 1, 1])]
    [[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]]
    """
    X, affine = check_rows(X), check_flag(affine, "affine")
    of = check_labels(labels, len(X))
    count = int(of.max()) + 1
    wanted = _dimensions(dimension, count)
    order = np.argsort(of, kind="stable")
    bounds = np.searchsorted(of[order], np.arange(count + 1))
    found = []
    for c in range(count):
        tick(progress, c, count)
        rows = order[bounds[c] : bounds[c + 1]]
        found.append(_fit(X, rows, wanted[c], affine, cost, progress))
    tick(progress, count, count)
    return tuple(found)


def _dimensions(dimension: Any, count: int) -> list[int | None]:
    if dimension is None:
        return [None] * count
    if isinstance(dimension, (int, np.integer)):
        return [check_count(dimension, "dimension", 0)] * count
    given = [check_count(d, "dimension", 0) for d in check_several(dimension, "dimension")]
    if len(given) != count:
        raise ValueError(
            f"dimension has {len(given)} numbers; give one for each of {count} clusters."
        )
    return list(given)


def _fit(
    X: Any,
    rows: NDArray[np.int64],
    wanted: int | None,
    affine: bool,
    cost: float,
    progress: Progress | None,
) -> Subspace:
    n, d = len(rows), X.shape[1]
    mean = np.sum([part.sum(axis=0) for part in _parts(X, rows)], axis=0) / n if affine else None
    first = next(_parts(X, rows, mean))
    scale = float(binary_scale(first))
    values, vectors, norm = _decomposed(X, rows, mean, scale, progress)
    suggested = suggest_dimension(values, n, d, affine=affine, cost=cost)
    rank = int((values > ZERO * values[0]).sum()) if len(values) and values[0] > 0 else 0
    r = min(suggested if wanted is None else wanted, rank)
    basis = vectors[:r]
    if r:  # a sign that rounding does not decide
        basis = basis * np.sign(basis[np.arange(r), np.abs(basis).argmax(axis=1)])[:, None]
    return Subspace(
        n, values[:KEPT] * scale, norm * scale, suggested, np.ascontiguousarray(basis), mean
    )


def _parts(X: Any, rows: NDArray[np.int64], mean: Any = None) -> Any:
    """The points of a cluster, some rows at a time, in float64."""
    for start in range(0, len(rows), ROWS):
        part = np.asarray(X[rows[start : start + ROWS]], dtype=np.float64)
        yield part if mean is None else part - mean


def _decomposed(
    X: Any, rows: NDArray[np.int64], mean: Any, scale: float, progress: Progress | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Singular values, right singular vectors as rows, and the norm of the points over scale."""
    n, d = len(rows), X.shape[1]
    if n * d <= DIRECT:
        check_memory(32 * n * d, "fitting a subspace", n)
        points = np.concatenate(list(_parts(X, rows, mean))) / scale
        _, values, vectors = np.linalg.svd(points, full_matrices=False)
        return values, vectors, float(np.linalg.norm(values))
    small = min(n, d)
    check_memory(24 * small * small + 16 * ROWS * d + 8 * KEPT * d, "fitting a subspace", n)
    if d <= n:
        products = np.zeros((d, d))
        for part in _parts(X, rows, mean):
            tick(progress, 0, 0)
            products += gram(part.T / scale)
    else:
        points = np.concatenate(list(_parts(X, rows, mean))) / scale
        products = gram(points)
    squares, axes = np.linalg.eigh(products)
    squares, axes = np.maximum(squares[::-1][:KEPT], 0.0), axes[:, ::-1][:, :KEPT]
    values = np.sqrt(squares)
    if d <= n:
        return values, axes.T, float(np.trace(products)) ** 0.5
    some = values > ZERO * max(values[0], np.finfo(float).tiny)
    vectors = np.zeros((len(values), d))
    vectors[some] = (axes[:, some] / values[some]).T @ points
    return values, vectors, float(np.trace(products)) ** 0.5
