"""Input checks. A failure is one sentence: the argument, its value, and what is allowed."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Affinity = sp.csr_array | NDArray[np.floating]


def is_sparse(W: Any) -> "TypeIs[sp.csr_array]":
    """`scipy.sparse.issparse` in terms of the one format that we use."""
    return sp.issparse(W)


def check_data(X: Any, *, min_points: int = 2, name: str = "X") -> NDArray[np.float64]:
    """X as a finite float64 array of shape (n_samples, n_features)."""
    if sp.issparse(X):
        raise ValueError(
            f"{name} is a sparse matrix; give a dense array of shape (n_samples, n_features)."
        )
    try:
        array = np.asarray(X)
        if array.dtype.kind not in "buifOUS":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are not real numbers; give a numeric array."
        ) from None
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; give two dimensions, (n_samples, n_features)."
        )
    if array.shape[0] < min_points:
        raise ValueError(
            f"{name} has {array.shape[0]} sample(s); at least {min_points} points are needed."
        )
    if array.shape[1] < 2:
        raise ValueError(
            f"{name} has {array.shape[1]} feature(s) (shape={array.shape}) while a minimum of 2 is"
            " required, as correlation runs over the features."
        )
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(
            f"{name} has NaN or infinite values in {bad.size} row(s), first in row {bad[0]};"
            " fill in or remove them."
        )
    return array


def check_count(value: Any, name: str, low: int, high: int | None = None, why: str = "") -> int:
    """A whole number in [low, high]."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        span = f"from {low}" + ("" if high is None else f" to {high}")
        raise ValueError(f"{name} is {value!r}; give a whole number {span}{why}.")
    return int(value)


def check_gamma(value: Any, n_points: int, name: str = "n_iterations") -> int:
    """Γ in [1, N − 1]."""
    return check_count(value, name, 1, n_points - 1, f", below the number of points, {n_points}")


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """One of a few names."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, choices))}.")
    return value


def check_thetas(theta1: float, theta2: float) -> tuple[float, float]:
    """1 ≥ θ₁ > θ₂ ≥ 0, as Definition 1 needs."""
    for name, value in (("theta1", theta1), ("theta2", theta2)):
        if not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; give a number from 0 to 1.")
    if theta1 <= theta2:
        raise ValueError(
            f"theta1 is {theta1} and theta2 is {theta2}; theta1 must be the larger one."
        )
    return float(theta1), float(theta2)


def check_affinity(W: Any, *, unit: bool = False, name: str = "W") -> Affinity:
    """W as a symmetric, non-negative float64 CSR array (or dense array, as it came).

    ``unit`` asks for values in [0, 1], which the dense stage needs.
    """
    try:
        W = sp.csr_array(W) if is_sparse(W) else np.asarray(W)
        W = W.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are not numbers; give a numeric matrix."
        ) from None
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"{name} has shape {W.shape}; an affinity matrix is square.")
    if W.shape[0] < 1:
        raise ValueError(f"{name} has shape {W.shape}; at least one point is needed.")
    if is_sparse(W) and not (W.has_canonical_format and W.data.all()):
        W = W.copy()
        W.sum_duplicates()
        W.eliminate_zeros()  # a stored zero is no edge
    values = W.data if is_sparse(W) else W
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has NaN or infinite entries; an affinity is a finite number.")
    lowest, highest = (values.min(), values.max()) if values.size else (0.0, 0.0)
    if lowest < 0:
        raise ValueError(
            f"{name} has the negative entry {lowest:.6g}; similarities are at least 0."
        )
    if unit and highest > 1 + 1e-9:
        raise ValueError(
            f"{name} has the entry {highest:.6g}; the dense stage needs similarities in [0, 1]."
        )
    gap = asymmetry(W)
    if gap > 1e-8 * max(1.0, highest):
        raise ValueError(f"{name} is not symmetric: w_ij and w_ji differ by up to {gap:.3g}.")
    return W


def asymmetry(W: Affinity) -> float:
    """Largest |w_ij − w_ji|."""
    difference: Any = abs(W - W.T)
    if is_sparse(difference):
        return float(difference.data.max()) if difference.nnz else 0.0
    return float(difference.max())


def check_labels(labels: Any, n_points: int, name: str = "labels") -> NDArray[np.int64]:
    """Labels of n points as integers from 0, in the order of the sorted names."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.shape[0] != n_points:
        raise ValueError(
            f"{name} has shape {array.shape}; one label for each of {n_points} points is needed."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinite values; each point needs a class.")
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def check_n_clusters(value: Any, n_points: int) -> int:
    """A number of clusters in [1, N]."""
    return check_count(
        value, "n_clusters", 1, n_points, f", at most one for each of {n_points} points"
    )
