"""Labels as they come, of any one kind: each point's class or cluster as a number from 0."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_labels(
    labels: Any, n_points: int | None = None, name: str = "labels"
) -> NDArray[np.int64]:
    """Labels of n points as integers from 0, in the order of the sorted names."""
    array = _one_kind(labels, name)
    if array.ndim != 1 or (n_points is not None and array.shape[0] != n_points):
        each = "each point" if n_points is None else f"each of {n_points} points"
        raise ValueError(f"{name} has shape {array.shape}; one label for {each} is needed.")
    if not array.size:
        raise ValueError(f"{name} is empty; at least one point is needed.")
    if not _all_finite(array):
        raise ValueError(f"{name} has NaN or infinite values; each point needs a class.")
    if array.dtype.kind == "i" and array.min() >= 0 and array.max() < 2 * len(array):
        return np.cumsum(np.bincount(array) > 0)[array] - 1  # sorting takes ten times as long
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def label_names(labels: Any, name: str = "labels") -> NDArray[Any]:
    """What the numbers of `check_labels` stand for: the names as they were given, sorted.

    >>> label_names(["b", "a", "b"]).tolist()
    ['a', 'b']
    """
    array = _one_kind(labels, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; give one dimension.")
    return np.unique(array)


def _one_kind(labels: Any, name: str) -> NDArray[Any]:
    """Labels that are all numbers or all text; NumPy would make text of both."""
    if np.ma.is_masked(labels):
        raise ValueError(f"{name} has masked values; each point needs a class.")
    try:
        array = labels if isinstance(labels, np.ndarray) else np.asarray(labels, dtype=object)
        if array.dtype.kind == "T":  # text of any length, which may have gaps
            array = array.astype(object)
        if array.dtype == object and array.ndim == 1:
            kinds = (Real, np.bool_), str, bytes
            if not any(all(isinstance(v, kind) for v in array) for kind in kinds):
                raise TypeError
            array = _unmerged(array)
        if array.dtype.kind not in "biufUSO":
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds neither only numbers nor only text; give one kind."
        ) from None
    return array


def _unmerged(objects: NDArray[Any]) -> NDArray[Any]:
    """Labels in a type of NumPy's, or as they are where that would make two of them one.

    Whole numbers become floats beside a fraction, or where no type has room for all.
    """
    values = [v.item() if isinstance(v, np.generic) else v for v in objects]
    try:
        array = np.asarray(values)
    except OverflowError:
        array = np.empty(0)
    if array.tolist() == values:
        return array
    kept = np.empty(len(values), object)
    kept[:] = values
    return kept


def _all_finite(labels: NDArray[Any]) -> bool:
    if labels.dtype == object:
        return all(np.isfinite(v) for v in labels if isinstance(v, float))
    return labels.dtype.kind != "f" or bool(np.isfinite(labels).all())
