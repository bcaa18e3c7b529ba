"""Draws of a data set: the whole, and random parts of it, to see what a result owes to chance."""

import numpy as np

from sdsc_core.checks import check_count, check_number
from sdsc_core.datasets import Dataset
from sdsc_core.datasets.prepare import take

SHARE = 0.8  # of the points in a part


def resample(data: Dataset, share: float = SHARE, seed: int = 0) -> Dataset:
    """A random part of the points, whatever their classes, in their order.

    >>> from sdsc_core.datasets import make_subspaces
    >>> resample(make_subspaces(2, 2, 10, 10), 0.5).n_points
    10
    """
    check_number(share, "share", 0, 1)
    size = check_count(round(share * data.n_points), "share times the number of points", 2)
    drawn = np.random.default_rng(seed).choice(data.n_points, size, replace=False)
    return take(data, np.sort(drawn))


def draws_of(data: Dataset, n_draws: int = 1, share: float = SHARE) -> list[Dataset]:
    """The data itself, and for each further draw a random part of it.

    >>> from sdsc_core.datasets import make_subspaces
    >>> [part.n_points for part in draws_of(make_subspaces(2, 2, 10, 10), 3)]
    [20, 16, 16]
    """
    check_count(n_draws, "draws", 1)
    return [data, *(resample(data, share, seed) for seed in range(1, n_draws))]
