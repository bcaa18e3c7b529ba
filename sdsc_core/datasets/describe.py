"""What a data set looks like before anything is computed with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import check_count, check_kind
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.prepare import pca_variance

# Multiplications for a curve of variance; beyond, fewer points are drawn for it.
MOST_FOR_VARIANCE = 10**9


@dataclass(frozen=True)
class Description:
    """Counts and norms of a data set.

    ``missing`` values are NaN or infinite, ``incomplete`` samples hold such values. ``constant``
    samples have no variance over their features, hence no correlation with anything.
    """

    missing: int
    incomplete: int
    constant: int
    sizes: NDArray[np.int64]  # (K,), empty without labels
    norms: NDArray[np.float64]  # (N,), NaN for incomplete samples


def describe(dataset: Dataset) -> Description:
    """Count what is missing, constant or of each class, and measure the samples.

    >>> data = Dataset(np.array([[3, 4], [1, 1], [np.nan, 0]]), None, "three")
    >>> found = describe(data)
    >>> found.missing, found.incomplete, found.constant, found.norms.tolist()
    (1, 1, 1, [5.0, 1.4142135623730951, nan])
    """
    X = check_kind(dataset, Dataset, "dataset", "a Dataset").X
    finite = np.isfinite(X)
    complete = finite.all(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.linalg.norm(X, axis=1)
    norms[~complete] = np.nan
    constant = (X[:, :1] == X).all(axis=1) if X.shape[1] else np.ones(len(X), bool)
    sizes = np.empty(0, np.int64)
    if dataset.labels is not None:
        sizes = np.bincount(dataset.labels, minlength=dataset.n_classes)
    return Description(
        missing=int(X.size - finite.sum()),
        incomplete=int(len(X) - complete.sum()),
        constant=int((constant & complete).sum()),
        sizes=sizes,
        norms=norms,
    )


def steps_in_words(steps: Mapping[str, Any], labelled: bool = True) -> str:
    """What the arguments of `prepare` do, in its order, for a caption; empty where it is nothing.

    >>> steps_in_words({"classes": [0, 3], "per_class": 20, "pca": 5, "standardise": True})
    '2 of the classes, at most 20 points of each (draw 0), standardised, 5 principal components'
    """
    classes, each, pca = (steps.get(name) for name in ("classes", "per_class", "pca"))
    of_each = " of each" if classes else " of each class" if labelled else ""
    words = (
        "chosen points" if steps.get("only") is not None else "",
        f"{len(classes)} of the classes" if classes else "",
        f"at most {each:,} points{of_each} (draw {steps.get('random_state') or 0})" if each else "",
        "scattering of the pictures" if steps.get("scattering") else "",
        "standardised" if steps.get("standardise") else "centred" if steps.get("centre") else "",
        f"{pca:,} principal components" if pca else "",
        "samples of unit norm" if steps.get("unit_norm") else "",
    )
    return ", ".join(word for word in words if word)


def variance_curve(dataset: Dataset, n: int = 50) -> tuple[NDArray[np.float64], int]:
    """Variance kept by 1, 2, … n principal components, and the number of points it came from.

    All points, unless that takes long: then as many as can be had in a moment, drawn by a fixed
    seed. `pca_variance` is the same without a limit.

    >>> from sdsc_core.datasets import make_subspaces
    >>> curve, used = variance_curve(make_subspaces(2, 2, 10, points_each=30))
    >>> int((curve < 0.999).sum()) + 1, used
    (4, 60)
    """
    check_count(n, "n", 1)
    N, D = dataset.X.shape
    # The Gram matrix takes N·D·min(N, D) multiplications.
    most = max(MOST_FOR_VARIANCE // D**2, min(D, int((MOST_FOR_VARIANCE / D) ** 0.5)), 2)
    X = dataset.X
    if most < N:
        X = X[np.sort(np.random.default_rng(0).choice(N, most, replace=False))]
    return pca_variance(X, n), len(X)
