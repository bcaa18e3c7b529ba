"""From a data set as it came to the points that are clustered."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, gram, tick
from sdsc_core.checks import binary_scale, check_choice, check_count, check_data, check_kind
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.wavelets import scattering_vectors
from sdsc_core.endable.decompose import all_pairs
from sdsc_core.memory import check_memory

ROWS_FOR_SCALES = 10_000  # that are looked at, of more
DIFFERENT = 20  # times the least spread of a feature, from which on units seem to differ
ROWS = re.compile(r"\d{1,15}(-\d{1,15})?(\.\d{1,15}(-\d{1,15})?)*")


def prepare(
    dataset: Dataset,
    *,
    only: Sequence[int] | str | None = None,
    classes: Sequence[int] | None = None,
    per_class: int | None = None,
    scattering: bool = False,
    pca: int | None = None,
    unit_norm: bool = False,
    centre: bool = False,
    standardise: bool = False,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Choose classes and samples, then transform, scale, reduce and normalise, in this order.

    ``only`` keeps the points with these row numbers (`Dataset.rows`, the column ``row`` of every
    file that speaks of points), given as numbers or as `spell_rows` spells them. ``classes`` are
    indices into ``class_names``; ``per_class`` draws that many samples of each class, or all where
    there are fewer, and without labels that many of the whole. ``scattering`` takes the pictures'
    `scattering_vectors` as samples. ``centre`` subtracts the mean sample;
    ``standardise`` also divides each feature by its standard deviation, so that units do not count.
    ``pca`` reduces to that many dimensions, on centred data. ``unit_norm`` divides each sample by
    its ℓ2 norm; a sample of zeros stays. ``progress`` hears of every long step; raising in it
    cancels.

    >>> from sdsc_core.datasets import make_subspaces
    >>> part = prepare(make_subspaces(), classes=[1, 4], per_class=20, pca=5)
    >>> part.X.shape, part.class_names
    ((40, 5), ('subspace 2', 'subspace 5'))
    >>> prepare(make_subspaces(), only="3-5.9").rows.tolist()
    [3, 4, 5, 9]
    """
    check_kind(dataset, Dataset, "dataset", "a Dataset")
    check_count(random_state, "random_state", 0)
    chosen = dataset
    if only is not None or classes is not None or per_class is not None:
        stays = None if only is None else _named(dataset, only)
        chosen = take(dataset, _choose(dataset, stays, classes, per_class, random_state))
    X = chosen.X if not scattering else _scattered(chosen, progress)
    if centre or standardise or unit_norm or pca is not None:
        X = check_data(X)
        _check_steps(X, pca is not None)
    if centre or standardise:
        X = X - X.mean(axis=0)
    if standardise:
        X = X / _deviations(X)
    if pca is not None:
        high = min(X.shape)
        check_count(pca, "pca", 2, high, f", as X has shape {X.shape}")
        X = _pca(X, pca, progress)
    if unit_norm:
        X = X / binary_scale(X, axis=1)
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        X = X / np.where(norms > 0, norms, 1)
    if X is chosen.X:
        return chosen
    # Principal components and scattering features have no names in the file.
    named = pca is None and not scattering
    return replace(chosen, X=X, feature_names=chosen.feature_names if named else ())


def _deviations(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard deviation of each feature of centred X; 1 for one that is the same all over."""
    scale = binary_scale(X, axis=0)
    found = scale[0] * (X / scale).std(axis=0)
    largest = np.abs(X).max(axis=0)
    return np.where(found > 1e-12 * largest, found, 1.0)


def scales_differ(dataset: Dataset) -> tuple[float, float] | None:
    """The least and the largest standard deviation of the features, where units seem to differ.

    None for pictures, and where the largest is at most 20 times the least: features that count so
    unequally are seldom meant to.

    >>> scales_differ(Dataset(np.array([[1.0, 100], [2, 900], [3, 500]]), None, "three"))[1] > 300
    True
    """
    found = _extremes(dataset)
    return None if found is None else (found[0][1], found[1][1])


def unequal_units(dataset: Dataset) -> str:
    """A sentence on features that would decide alone, by `scales_differ`; else empty.

    >>> unequal_units(Dataset(np.array([[1.0, 100], [2, 900], [3, 500]]), None, "three"))
    'Feature 2 varies by 327, feature 1 by 0.82: those of large numbers outweigh the rest.'
    """
    found = _extremes(dataset)
    if found is None:
        return ""
    low, high = (
        (f"“{dataset.feature_names[k]}”" if dataset.feature_names else f"feature {k + 1}",
         f"{value:,.0f}" if value >= 100 else f"{value:.2g}")
        for k, value in found
    )  # fmt: skip
    return (
        f"{high[0][0].upper()}{high[0][1:]} varies by {high[1]}, {low[0]} by {low[1]}: those of"
        " large numbers outweigh the rest."
    )


def _extremes(dataset: Dataset) -> tuple[tuple[int, float], tuple[int, float]] | None:
    """The features of least and of largest standard deviation, where these differ much."""
    if dataset.images is not None or dataset.n_features < 2:
        return None
    X = dataset.X[:: max(1, dataset.n_points // ROWS_FOR_SCALES)]
    found = np.nanstd(np.where(np.isfinite(X), X, np.nan), axis=0)
    some = np.flatnonzero(found > 0)
    if len(some) < 2 or found[some].max() <= DIFFERENT * found[some].min():
        return None
    low, high = some[found[some].argmin()], some[found[some].argmax()]
    return (int(low), float(found[low])), (int(high), float(found[high]))


def _scattered(dataset: Dataset, progress: Progress | None) -> NDArray[np.float64]:
    if dataset.images is None:
        raise ValueError("scattering needs pictures, and this data has none; leave it out.")
    return scattering_vectors(dataset.images, progress=progress)


def fill_missing(dataset: Dataset, how: str = "mean") -> Dataset:
    """The data set without NaN and infinite values.

    The mean of the feature takes their place, or the sample is dropped (``how="drop"``). A
    feature without any value is left out, as there is nothing to fill it with.

    >>> data = Dataset(np.array([[1, np.nan, 3], [5, np.nan, np.nan]]), None, "two")
    >>> fill_missing(data).X.tolist()
    [[1.0, 3.0], [5.0, 3.0]]
    >>> fill_missing(data, "drop").X.tolist()
    [[1.0, 3.0]]
    """
    check_kind(dataset, Dataset, "dataset", "a Dataset")
    check_choice(how, "how", ("mean", "drop"))
    missing = ~np.isfinite(dataset.X)
    if not missing.any():
        return dataset
    known = ~missing.all(axis=0)
    if not known.any():
        raise ValueError("dataset has no values at all; load one with numbers in it.")
    missing = missing[:, known]
    X = np.where(missing, np.nan, dataset.X[:, known])
    kept = np.flatnonzero(known)
    names = tuple(dataset.feature_names[k] for k in kept if dataset.feature_names)
    if how == "mean":
        X = np.where(missing, np.nanmean(X, axis=0), X)
        return replace(dataset, X=X, feature_names=names)
    rows = np.flatnonzero(~missing.any(axis=1))
    if not rows.size:
        raise ValueError(
            "how is 'drop', but every sample misses a value; choose 'mean' to keep them."
        )
    return take(replace(dataset, X=X, feature_names=names), rows)


def pca_variance(X: Any, n: int = 50) -> NDArray[np.float64]:
    """Share of the variance that the first 1, 2, … n principal components keep together.

    >>> pca_variance([[-3, 0, 0], [3, 0, 0], [0, 1, 0], [0, -1, 0]]).round(3).tolist()
    [0.9, 1.0, 1.0]
    """
    X = check_data(X)
    check_count(n, "n", 1)
    X = X - X.mean(axis=0)
    values, _ = _components(X, min(n, *X.shape), vectors=False)
    return np.minimum(np.cumsum(values) / max((X**2).sum(), np.finfo(float).tiny), 1)


def spell_rows(rows: Any) -> str:
    """Row numbers in a line, ranges where they follow each other, as `prepare` reads them.

    >>> spell_rows([9, 1, 2, 3, 7, 10])
    '1-3.7.9-10'
    """
    numbers = np.unique(np.asarray(rows, np.int64))
    if not numbers.size or numbers[0] < 0:
        raise ValueError("rows is empty or has negative numbers; give row numbers.")
    first = numbers[np.diff(numbers, prepend=numbers[0] - 2) > 1].tolist()
    last = numbers[np.diff(numbers, append=numbers[-1] + 2) > 1].tolist()
    return ".".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(first, last, strict=True))


def _named(dataset: Dataset, only: Sequence[int] | str) -> NDArray[np.bool_]:
    """Which points have these row numbers; ranges are never counted out, whatever they claim."""
    rows = dataset.row_numbers
    if not isinstance(only, str):
        return np.isin(rows, np.asarray(only))
    if not ROWS.fullmatch(only):
        raise ValueError("only is no list of row numbers; give them as in '1-3.7.9-10'.")
    ranges = [part.partition("-") for part in only.split(".")]
    ends = np.array([(int(a), int(b or a)) for a, _, b in ranges], np.int64)
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ends[:, 1])
    at = np.searchsorted(ends[:, 0], rows, side="right") - 1
    return (at >= 0) & (rows <= reach[at])


def _choose(
    dataset: Dataset,
    stays: NDArray[np.bool_] | None,
    classes: Sequence[int] | None,
    per_class: int | None,
    random_state: int,
) -> NDArray[np.intp]:
    """Positions of the samples that stay, in their order."""
    if per_class is not None:
        check_count(per_class, "per_class", 1)
    if not (classes is None or isinstance(classes, (list, tuple, range)) or np.ndim(classes) == 1):
        raise ValueError(f"classes is a {type(classes).__name__}; give a list of class numbers.")
    labels = dataset.labels
    if labels is None:
        if classes is not None:
            raise ValueError(f"classes is {list(classes)}; without labels there are none.")
        groups = {0: np.arange(dataset.n_points)}
    else:
        wanted = range(dataset.n_classes) if classes is None else classes
        if not len(wanted):
            raise ValueError("classes is empty; choose at least one.")
        for k in wanted:
            check_count(k, "classes", 0, dataset.n_classes - 1, ", one number for each class")
        groups = {int(k): np.flatnonzero(labels == k) for k in wanted}
    if stays is not None:
        groups = {k: rows[stays[rows]] for k, rows in groups.items()}
        if not any(map(len, groups.values())):
            raise ValueError("only names no row of these points; choose others, or all.")
    for k, rows in groups.items():
        if per_class is not None and per_class < len(rows):
            # A seed of its own for each class: choosing one more class leaves the others alone.
            rng = np.random.default_rng([random_state, k])
            groups[k] = rng.choice(rows, per_class, replace=False)
    return np.sort(np.concatenate(list(groups.values())))


def take(dataset: Dataset, rows: NDArray[np.intp]) -> Dataset:
    """The samples of these rows, from 0; classes that are left without any disappear.

    >>> from sdsc_core.datasets import make_subspaces
    >>> take(make_subspaces(), np.array([0, 60])).class_names
    ('subspace 1', 'subspace 2')
    """
    labels, names = None, ()
    if dataset.labels is not None:
        present, labels = np.unique(dataset.labels[rows], return_inverse=True)
        names = tuple(dataset.class_names[k] for k in present)
    return replace(
        dataset,
        X=dataset.X[rows],
        labels=labels,
        class_names=names,
        images=None if dataset.images is None else dataset.images[rows],
        rows=dataset.row_numbers[rows],
        identifiers=None if dataset.identifiers is None else dataset.identifiers[rows],
    )


def _check_steps(X: NDArray[np.float64], pca: bool) -> None:
    """Two copies of the samples beside what comes out; for PCA also products and their vectors."""
    size = 24 * X.size + (32 * min(X.shape) ** 2 if pca else 0)
    check_memory(size, "its preparation", len(X), instead="choose fewer samples")


def _pca(X: NDArray[np.float64], n: int, progress: Progress | None) -> NDArray[np.float64]:
    """Scores on the first n principal components, with signs that LAPACK does not decide."""
    X = X - X.mean(axis=0)
    scale = binary_scale(X)
    X = X / scale
    values, vectors = _components(X, n, progress=progress)
    scores = X @ vectors if X.shape[1] <= X.shape[0] else vectors * values**0.5
    largest = scores[abs(scores).argmax(axis=0), np.arange(n)]
    return scale * scores * np.where(largest < 0, -1, 1)


def _components(
    X: NDArray[np.float64], n: int, vectors: bool = True, progress: Progress | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The n largest squared singular values, and the vectors on the shorter side of X.

    The small Gram matrix costs far less than an SVD of X, and principal components with tiny
    variance, where it loses digits, are not wanted anyway.
    """
    tick(progress, 0, len(X))
    products = gram(X.T if X.shape[1] <= X.shape[0] else X)
    tick(progress, 0, len(X))
    # NumPy's, as SciPy's keep Python's lock meanwhile, and with it all other sessions.
    if not vectors:
        values, basis = np.linalg.eigvalsh(products), np.empty((0, 0))
    else:
        values, basis = all_pairs(products)
    tick(progress, len(X), len(X))
    return np.maximum(values[: -n - 1 : -1], 0), basis[:, : -n - 1 : -1]
