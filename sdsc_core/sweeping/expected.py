"""How long a sweep may take, said before it begins: what `sweep` computes, counted as it does."""

from collections.abc import Sequence
from math import comb

from sdsc_core.datasets import Dataset
from sdsc_core.estimates import AFFINITY, AGREEMENT, CRITERIA, SEED, estimate
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.settings import RunSettings, spell_setting


def expected_seconds(
    draws: Sequence[Dataset],
    settings: Sequence[RunSettings],
    n_seeds: int,
    n_clusters: int,
    criteria: bool = True,
) -> float:
    """About how many seconds `sweep` takes for these settings on this machine.

    Each draw has one path to the largest Γ for each reading of the residual. Each setting on it has
    a dense stage, eigenvectors and figures once, k-means for each seed, the criteria for each
    clustering that differs, and the agreement of each two seeds and each two draws. NaN where IMC
    was never measured.

    >>> from sdsc_core.datasets import make_subspaces
    >>> draws, one = [make_subspaces(2, 3, 20, 15)], [RunSettings()]
    >>> expected_seconds(draws, one, 1, 2) < expected_seconds(draws, one, 5, 2)
    True
    """
    if not settings:
        return 0.0
    alone = sum(_on_one_draw(data, settings, n_seeds, n_clusters, criteria) for data in draws)
    pairs = comb(len(draws), 2) * n_seeds * len(settings)
    return alone + pairs * _single(draws[0], AGREEMENT)


def _on_one_draw(
    data: Dataset, settings: Sequence[RunSettings], n_seeds: int, n_clusters: int, criteria: bool
) -> float:
    longest, paths = max(s.gamma for s in settings), {s.residual for s in settings}
    stages = [spell_setting(s.dense) for s in settings]
    known = {stage: _single(data, stage) for stage in set(stages)}
    each = (n_seeds - 1) * n_clusters * _single(data, SEED)  # a single run has one seed
    each += comb(n_seeds, 2) * _single(data, AGREEMENT)
    if criteria:
        each += _different(n_seeds) * _single(data, CRITERIA)
    path = len(paths) * _single(data, AFFINITY, longest)
    return path + sum(known[stage] + each for stage in stages)


def _single(data: Dataset, part: str, gamma: int | None = None) -> float:
    kind = data.kind if data.kind in KINDS else "digits"
    params = {} if gamma is None else {METHODS["IMC"].picks: gamma}
    return estimate("IMC", data.n_points, data.n_features, kind, [part], params)


def _different(n_seeds: int) -> float:
    """How many of the clusterings by so many seeds differ: midway between one and all of them.

    It is not known before. On the samples and two like them the mean was 1.5 of 2, 2.7 of 5 and 4.3
    of 10; one where clusters are clear, all of them on ``digits10``.
    """
    return (1 + n_seeds) / 2
