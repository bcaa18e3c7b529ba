"""Random parts of a data set, the same for all that is compared on them."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets import Dataset

SHARE = 2 / 3  # of the points in a draw
LEAST = 200  # points of a draw that is made smaller to save time


def draw_points(data: Dataset, n_points: int, seed: int) -> NDArray[np.int64]:
    """About so many points, drawn at random without replacement, in their order.

    Where there are classes each gives its share, rounded up, so that none is lost.

    >>> from sdsc_core.datasets import make_subspaces
    >>> len(draw_points(make_subspaces(2, 2, 10, 10), 10, seed=0))
    10
    """
    rng = np.random.default_rng([seed, data.n_points])
    whole = np.arange(data.n_points)
    parts = [whole]
    if data.labels is not None:
        parts = [whole[data.labels == c] for c in range(data.n_classes)]
    share = n_points / data.n_points
    drawn = [rng.choice(own, min(len(own), ceil(share * len(own))), replace=False) for own in parts]
    return np.sort(np.concatenate(drawn))


def part_of(data: Dataset, points: NDArray[np.int64]) -> Dataset:
    """Some points by themselves, without pictures, which nothing here needs.

    >>> from sdsc_core.datasets import make_subspaces
    >>> part_of(make_subspaces(2, 2, 10, 10), np.array([0, 5, 19])).n_points
    3
    """
    labels = None if data.labels is None else data.labels[points]
    return Dataset(data.X[points], labels, data.name, data.class_names, kind=data.kind)
