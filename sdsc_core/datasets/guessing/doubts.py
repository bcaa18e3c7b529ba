"""What in a table that was read somebody should look at: features that may be something else."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.safe import quoted

Values = NDArray[np.float64]

MOST_CLASSES = 30
MOST_OTHERS = 200  # features that one is compared with
MANY_ROWS = 10
MISSING = (-99, -999, -999.25, -9999, -99999)  # as surveys and instruments write it


def doubts(X: Values, names: Sequence[str], has_header: bool, choose: Sequence[str]) -> list[str]:
    """Sentences on features that may be classes, names of the rows, or hold signs for gaps.

    ``choose`` says what of "label" and "identifier" is neither told nor found.

    >>> X = np.column_stack([np.random.default_rng(0).random((12, 3)), np.arange(12) % 3])
    >>> doubts(X, ["a", "b", "c", "d"], True, ["label"])
    ['“d” is a feature of 3 whole numbers: if they are classes, choose it as the label.']
    """
    said = []
    ends = [X.shape[1] - 1, 0] if X.shape[1] > 2 else []
    if "label" in choose and (found := [k for k in ends if _may_be_classes(X, k)]):
        n = len(np.unique(X[:, found[0]]))
        said.append(
            f"“{quoted(names[found[0]])}” is a feature of {n} whole numbers: if they are classes,"
            " choose it as the label."
        )
    if "identifier" in choose and ends and _may_name_rows(X, has_header):
        said.append(
            f"“{quoted(names[0])}” is a feature of whole numbers that hardly come again: if they"
            " only name the rows, choose it as the identifier."
        )
    return said + _signs_of_gaps(X, names)


def _may_be_classes(X: Values, k: int) -> bool:
    """Few whole numbers, where most others have more, or have some far more often than others."""
    if not _has_few(X[:, k]):
        return False
    others = _others(X, k)
    if 2 * sum(map(_has_few, others)) < len(others):
        return True
    return _is_even(X[:, k]) and 2 * sum(map(_is_even, others)) < len(others)


def _may_name_rows(X: Values, has_header: bool) -> bool:
    """The first feature; one that has a name only where it rises from row to row."""
    if len(X) < MANY_ROWS or not _hardly_come_again(X[:, 0]):
        return False
    others = _others(X, 0)
    rises = bool((np.diff(X[:, 0]) > 0).all())
    alike = sum(map(_hardly_come_again, others))
    return (rises or not has_header) and 2 * alike < len(others)


def _others(X: Values, k: int) -> list[Values]:
    columns = [j for j in range(X.shape[1]) if j != k]
    return [X[:, j] for j in columns[:: -(-len(columns) // MOST_OTHERS)]]


def _is_whole(values: Values) -> bool:
    return bool(np.isfinite(values).all() and (values % 1 == 0).all())


def _counts(values: Values) -> NDArray[np.int64]:
    return np.unique(values, return_counts=True)[1]


def _has_few(values: Values) -> bool:
    """Whole numbers that stand close together and each come twice or more, as codes do."""
    if not _is_whole(values):
        return False
    counts = _counts(values)
    close = np.ptp(values) <= 2 * len(counts)
    return bool(2 <= len(counts) <= MOST_CLASSES and counts.min() > 1 and close)


def _is_even(values: Values) -> bool:
    """Few whole numbers, each about as often as the others."""
    return _has_few(values) and bool(_counts(values).max() <= 3 * _counts(values).min())


def _hardly_come_again(values: Values) -> bool:
    return _is_whole(values) and 10 * len(_counts(values)) >= 9 * len(values)


def _signs_of_gaps(X: Values, names: Sequence[str]) -> list[str]:
    said = []
    for sign in MISSING:
        having = np.flatnonzero(np.equal(X, sign).any(axis=0)).tolist()
        found = [k for k in having if _is_apart(X[:, k], sign)]
        if found:
            n = int(np.equal(X[:, found], sign).sum())
            more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
            said.append(
                f"{sign} is read as a number in “{quoted(names[found[0]])}”{more} ({n:,} ×): if it"
                " says that one is missing, leave such cells empty."
            )
    return said


def _is_apart(values: Values, sign: float) -> bool:
    """Far below all other numbers, or the only one below 0."""
    others = values[np.isfinite(values) & (values != sign)]
    if len(others) < len(values) / 2:
        return False
    return bool(others.min() >= 0 or others.min() - sign > np.ptp(others))
