"""A sweep: every setting of a grid on every draw, each step computed once.

The path of IMC to the largest Γ serves all Γ, a W all its θ, an equal W* all settings that lead to
it, and its eigenvectors all seeds. What is done is kept setting by setting, so that a sweep that
was stopped goes on.
"""

import hashlib
import warnings
from collections.abc import Hashable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, one_thread, tick
from sdsc_core.checks import (
    Affinity,
    check_count,
    check_flag,
    check_gamma,
    check_kind,
    check_n_clusters,
    check_several,
    is_sparse,
)
from sdsc_core.compare import suggest_clusters
from sdsc_core.datasets import Dataset
from sdsc_core.dense import dense_stage
from sdsc_core.imc_path import ImcPath, imc, of_pairs
from sdsc_core.memory import many_steps
from sdsc_core.settings import RunSettings
from sdsc_core.sides import side_of
from sdsc_core.spectra import Spectrum
from sdsc_core.sweeping.criteria import (
    agreement,
    relative_eigengap,
    shared_agreement,
    silhouette,
    some_products,
    subspace_distance,
)
from sdsc_core.sweeping.draws import SHARE, draws_of
from sdsc_core.sweeping.grid import Grid
from sdsc_core.sweeping.measures import figures_of
from sdsc_core.sweeping.results import Outcome, Result

# What is known of earlier: outcomes by `key_of`.
Kept = MutableMapping[Hashable, Outcome]


def sweep(
    data: Dataset | Sequence[Dataset],
    grid: Grid | Sequence[RunSettings] | None = None,
    *,
    draws: int = 1,
    share: float = SHARE,
    seeds: Sequence[int] = (0,),
    n_clusters: int | None = None,
    criteria: bool = True,
    kept: Kept | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> list[Outcome]:
    """Every setting of a grid on a data set, with what is known of it with and without labels.

    Parameters
    ----------
    data : X (N, D), with labels where the classes are known; or the draws, where the caller has
        prepared several.
    grid : a `Grid`, or the settings themselves; Γ 3 to 12 with PCE by default.
    draws : how many, of one data set: the whole, then random parts of ``share`` of its points.
    seeds : of k-means; the eigenvectors, which do not depend on them, are found by the first.
    n_clusters : for all settings alike; by default that of the classes, else as the eigengap of
        IMC's affinity suggests.
    criteria : whether to look at the eigengap, the embedding and the subspaces too, by which
        settings are chosen without labels; it takes about twice as long.
    kept : outcomes of earlier by `key_of`; what it has is not computed again, and each new one is
        put there at once.
    progress : called with how many of the settings that are still to do are done.

    Returns
    -------
    An `Outcome` for each setting, in the order of the grid.

    >>> from sdsc_core.datasets import make_subspaces
    >>> made = make_subspaces(2, 3, 20, 15)
    >>> found = sweep(made, Grid(gamma=(3, 4), dense=("PCE", None), cross=(0.8, 0.6)), draws=2)
    >>> len(found), found[0].mean("acc"), found[0].mean("stability")
    (28, 1.0, 1.0)
    """
    parts = draws_of(data, draws, share) if isinstance(data, Dataset) else _given(data)
    settings, criteria = grid_settings(grid), check_flag(criteria, "criteria")
    seeds = tuple(check_count(s, "seeds", 0, 2**32 - 1) for s in check_several(seeds, "seeds"))
    if not parts or not seeds:
        raise ValueError("A sweep needs a draw and a seed; give at least one of each.")
    smallest = min(part.n_points for part in parts)
    for gamma in {s.gamma for s in settings}:
        check_gamma(gamma, smallest, "gamma")
    k = _usual_clusters(parts[0], progress) if n_clusters is None else n_clusters
    k = check_n_clusters(k, smallest)
    kept = {} if kept is None else _mapping(kept)
    keys = {s.dense_key(): key_of(s, parts, seeds, k, criteria) for s in settings}
    todo = [s for s in settings if keys[s.dense_key()] not in kept]
    work = [_Draw(part, _longest(todo), n_jobs, criteria) for part in parts]
    for s, outcome in _one_by_one(work, todo, seeds, k, progress):
        kept[keys[s.dense_key()]] = outcome
    return [kept[keys[s.dense_key()]] for s in settings]


def _one_by_one(
    work: "Sequence[_Draw]",
    todo: Sequence[RunSettings],
    seeds: Sequence[int],
    k: int,
    progress: Progress | None,
) -> Iterator[tuple[RunSettings, Outcome]]:
    """One setting after another: two threads take longer, as short steps wait for Python's lock."""
    with warnings.catch_warnings(), one_thread(), many_steps():
        warnings.simplefilter("ignore", UserWarning)
        for done, s in enumerate(todo):
            tick(progress, done, len(todo))
            tell = _at_least(progress, done, len(todo))
            for draw in work:
                draw.begin(s, tell)
            yield s, _outcome(work, s, seeds, k, tell)
    tick(progress, len(todo), len(todo))


def grid_settings(grid: Grid | Sequence[RunSettings] | None) -> list[RunSettings]:
    """The settings of a grid, those that share a W one after the other."""
    if grid is None or isinstance(grid, Grid):
        return (grid or Grid()).settings()
    what = "a Grid or a sequence of RunSettings"
    given = check_several(grid, "grid")
    found = {check_kind(s, RunSettings, "grid", what).dense_key(): s for s in given}
    for s in found.values():
        if s.method != "IMC":
            raise ValueError(f"method is {s.method!r}; a sweep is of IMC.")
    order = list(dict.fromkeys(s.sparse_key() for s in found.values()))
    return sorted(found.values(), key=lambda s: order.index(s.sparse_key()))


def _given(data: Any) -> list[Dataset]:
    """The draws that a caller has prepared."""
    what = "a Dataset or several"
    return [check_kind(part, Dataset, "data", what) for part in check_several(data, "data")]


def _mapping(kept: Any) -> Kept:
    if not isinstance(kept, MutableMapping):
        raise ValueError(f"kept is {type(kept).__name__}; give a dict or None.")
    return kept


def key_of(
    settings: RunSettings,
    draws: Sequence[Dataset],
    seeds: Sequence[int],
    n_clusters: int,
    criteria: bool = True,
) -> Hashable:
    """What an outcome depends on: points, seeds, number of clusters, setting, what is looked at."""
    digests = tuple(part.digest for part in draws)
    return digests, tuple(seeds), n_clusters, settings.dense_key(), criteria


def _usual_clusters(data: Dataset, progress: Progress | None) -> int:
    return data.n_classes or suggest_clusters(data, _at_least(progress, 0, 0))


def _at_least(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Ticks of a step within one setting: no further on, but a chance to be stopped."""
    return None if progress is None else lambda *_: progress(done, total)


def _longest(settings: Sequence[RunSettings]) -> int:
    return max((s.gamma for s in settings), default=1)


@dataclass
class _Found:
    """What follows from one W*: clusters and figures for each seed."""

    labels: list[NDArray[np.int64]]
    figures: list[dict[str, float | None]]
    message: str


@dataclass
class _Draw:
    """One draw of the data, and what several settings share on it."""

    data: Dataset
    gamma: int
    n_jobs: int | None
    criteria: bool
    paths: dict[Hashable, ImcPath] = field(default_factory=dict)
    key: Hashable = None
    W: Affinity | None = None
    seen: dict[bytes, _Found] = field(default_factory=dict)
    products: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None

    def path(self, settings: RunSettings, tell: Progress | None) -> ImcPath:
        """To the largest Γ; both readings of the similarity have the same picks."""
        s = settings
        known = self.paths.get((s.residual, "residual"))
        if known is None:
            known = imc(
                self.data.X, self.gamma, residual=s.residual, n_jobs=self.n_jobs, progress=tell
            )
            self.paths[s.residual, "residual"] = known
        if s.similarity == "pair" and (s.residual, "pair") not in self.paths:
            self.paths[s.residual, "pair"] = of_pairs(self.data.X, known)
        return self.paths[s.residual, s.similarity]

    def begin(self, settings: RunSettings, tell: Progress | None) -> None:
        """W for the settings to come; what was seen of another one's W* is of no more use."""
        if self.key == settings.sparse_key():
            return
        self.key, self.seen = settings.sparse_key(), {}
        self.W = self.path(settings, tell).affinity(settings.gamma)
        if self.criteria and self.products is None:
            self.products = some_products(self.data.X)

    def distances(self, labels: NDArray[np.int64]) -> tuple[float, float]:
        """`subspace_distance` of clusters; of many points, on so many that are drawn once."""
        assert self.products is not None
        some, gram = self.products
        return subspace_distance(gram, labels[some])


def _outcome(
    work: Sequence[_Draw], s: RunSettings, seeds: Sequence[int], k: int, tell: Progress | None
) -> Outcome:
    found = [_found(draw, s, seeds, k, tell) for draw in work]
    results = tuple(
        Result(number, seed, figures)
        for number, one in enumerate(found)
        for seed, figures in zip(seeds, one.figures, strict=True)
    )
    between_seeds = tuple(agreement(a, b) for one in found for a, b in combinations(one.labels, 2))
    between_draws = tuple(
        shared_agreement(a.data.row_numbers, x.labels[i], b.data.row_numbers, y.labels[i])
        for (a, x), (b, y) in combinations(zip(work, found, strict=True), 2)
        for i in range(len(seeds))
    )
    message = " ".join(dict.fromkeys(one.message for one in found if one.message))
    return Outcome(s, results, between_draws, between_seeds, message)


def _found(
    draw: _Draw, s: RunSettings, seeds: Sequence[int], k: int, tell: Progress | None
) -> _Found:
    """Clusters and figures of one setting on one draw; those of an equal W* serve again."""
    assert draw.W is not None
    star = dense_stage(draw.W, s.dense, n_jobs=1, progress=tell, **s.dense_params())
    key = _digest(star)
    if key not in draw.seen:
        found, labels = None, []
        # The eigenvalue after those of the clusters takes as many products as all of these.
        vectors = min(k + 1, star.shape[0]) if draw.criteria else None
        for seed in seeds:  # one spectrum serves all of them
            side = side_of(star, k, None, seed, found, vectors, tell)
            found = side.spectrum
            labels.append(side.labels)
        assert found is not None
        figures = _figures(draw, star, found, labels, k)
        draw.seen[key] = _Found(labels, figures, found.message)
    return draw.seen[key]


def _figures(
    draw: _Draw,
    star: Affinity,
    found: Spectrum,
    labels: Sequence[NDArray[np.int64]],
    k: int,
) -> list[dict[str, float | None]]:
    """The figures for each seed; equal clusters are looked at once."""
    different = {own.tobytes(): own for own in labels}
    figures = figures_of(star, found, list(different.values()), draw.data.labels)
    if draw.criteria:
        rows, gap = found.embedding(k), relative_eigengap(found, k)
        for made, own in zip(figures, different.values(), strict=True):
            made["eigengap"] = gap
            made["silhouette"] = silhouette(rows, own)
            made["distance"], made["astray"] = draw.distances(own)
    known = dict(zip(different, figures, strict=True))
    return [known[own.tobytes()] for own in labels]


def _digest(W: Affinity) -> bytes:
    """What tells one W* from another."""
    sha = hashlib.blake2b(digest_size=16)
    for part in (W.indptr, W.indices, W.data) if is_sparse(W) else (W,):
        sha.update(part.tobytes())
    return sha.digest()
