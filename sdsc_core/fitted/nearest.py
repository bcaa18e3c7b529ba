"""The nearest subspace of each point, by blocks of rows; the rows of a part that is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, n_threads, run_blocks
from sdsc_core.checks import Affinity, binary_scale, check_count, check_rows, is_sparse
from sdsc_core.fitted.fitting import Subspace
from sdsc_core.memory import check_memory

ROWS = 1 << 13  # of a block
FAR = 2.0**400  # beyond it, squares overflow or vanish


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each point its nearest subspace and the distances to two of them, (N,) each.

    ``own`` is the distance to the subspace it is said to belong to, which is the nearest where
    nothing was said; ``next`` that to the nearest of the others, infinite where there is none, and
    ``other`` which one that is, −1 for none.
    """

    labels: NDArray[np.int64]
    own: NDArray[np.float64]
    next: NDArray[np.float64]
    other: NDArray[np.int64]


def nearest_subspace(
    X: Any,
    found: Sequence[Subspace],
    labels: Any = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Nearest:
    """Distances of the points X (N, D) from fitted subspaces; ties go to the lower number.

    X may be a memory-mapped array: 8,192 rows are read at a time. ``labels`` (N,) are the subspaces
    that the points belong to, as numbers; by default each belongs to its nearest.

    >>> from sdsc_core.fitted import fit_subspaces
    >>> X = np.array([[1.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 3, 0]])
    >>> planes = fit_subspaces(X, [0, 0, 1, 1])
    >>> nearest_subspace(np.array([[5.0, 1, 0], [1, 9, 0]]), planes).labels.tolist()
    [0, 1]
    """
    if _is_empty(X):
        none = np.empty(0)
        return Nearest(none.astype(np.int64), none, none, none.astype(np.int64))
    X = check_rows(X)
    if not found:
        raise ValueError("found is empty; give at least one subspace.")
    d = found[0].basis.shape[1]
    if X.shape[1] != d:
        raise ValueError(f"X has {X.shape[1]} features; the subspaces were fitted to {d}.")
    if labels is not None:
        labels = np.asarray(labels)
        inside = labels.dtype.kind in "iu" and labels.shape == (len(X),)
        if not inside or labels.min() < 0 or labels.max() >= len(found):
            raise ValueError(
                f"labels are not numbers of subspaces; give one from 0 to {len(found) - 1} for each"
                f" of {len(X)} points."
            )
    rows = min(len(X), n_threads(n_jobs) * ROWS)
    check_memory(16 * rows * (d + len(found)) + 40 * len(X), "the distances", len(X))
    work = partial(_block, X, tuple(found), labels)
    parts = run_blocks(work, len(X), ROWS, n_jobs=n_jobs, progress=progress)
    return Nearest(*(np.concatenate(p) for p in zip(*parts, strict=True)))


def _is_empty(X: Any) -> bool:
    try:
        return len(X) == 0
    except TypeError:  # a number, which `check_rows` refuses
        return False


def distances(X: NDArray[np.float64], found: Sequence[Subspace]) -> NDArray[np.float64]:
    """Distance of each row from each subspace, (n, K)."""
    scale = float(binary_scale(X))
    if 1 / FAR < scale < FAR:
        scale = 1.0
    else:
        X = X / scale
    return scale * np.column_stack([subspace.residuals(X, scale) for subspace in found])


def _block(
    X: Any, found: tuple[Subspace, ...], labels: Any, start: int, stop: int
) -> tuple[NDArray[Any], ...]:
    far = distances(np.asarray(X[start:stop], dtype=np.float64), found)
    at = np.arange(len(far))
    nearest = far.argmin(axis=1)
    of = nearest if labels is None else labels[start:stop]
    own = far[at, of]
    far[at, of] = np.inf
    other = far.argmin(axis=1)
    next_ = far[at, other]
    return nearest, own, next_, np.where(np.isfinite(next_), other, -1)


def strongest_link(W: Affinity, i: int, among: NDArray[np.bool_]) -> int:
    """The point most similar to i of ``among`` (N,), else of all; −1 where i has no link.

    >>> W = np.array([[0, 0.9, 0.5], [0.9, 0, 0], [0.5, 0, 0]])
    >>> strongest_link(W, 0, np.array([False, False, True]))
    2
    """
    row = W[[i]].toarray().ravel() if is_sparse(W) else np.array(W[i])
    row[i] = 0.0
    wanted = np.where(among, row, 0.0)
    row = wanted if wanted.any() else row
    return int(row.argmax()) if row.any() else -1


def draw_rows(n_points: int, sample: int, seed: int) -> NDArray[np.int64]:
    """So many of the rows 0 … n − 1, drawn at random without repetition, in order.

    >>> draw_rows(10, 4, seed=0).tolist()
    [2, 4, 5, 7]
    """
    check_count(sample, "sample", 2)
    if sample >= n_points:
        return np.arange(n_points)
    drawn = np.random.default_rng(seed).choice(n_points, sample, replace=False)
    return np.sort(drawn)
