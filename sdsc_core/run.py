"""Algorithm 3, once: samples → C → W → W* → eigenvectors → clusters → figures.

`run_stages` takes a data set and `RunSettings` and returns a `Run` with every intermediate result.
Estimator, comparison, experiments, command line, downloaded script and screens all call it. Each
stage is asked for by a key of what it depends on, so that a caller who keeps results (``keep``)
computes only what lies after a change; `sparse_stage` and `cluster_side` are stages by themselves.
"""

import time
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from sdsc_core.affinities import affinity
from sdsc_core.blocks import Progress, watched
from sdsc_core.checks import (
    Affinity,
    check_flag,
    check_gamma,
    check_kind,
    check_n_clusters,
    check_number,
    shown,
)
from sdsc_core.datasets import Dataset
from sdsc_core.dense import dense_stage
from sdsc_core.imc_path import ImcPath, imc
from sdsc_core.memory import check_memory
from sdsc_core.methods import METHODS
from sdsc_core.settings import RunSettings
from sdsc_core.sides import Side, cluster_side, n_vectors
from sdsc_core.spectral import Spectrum, spectrum, suggest_n_clusters

T = TypeVar("T")
# Points, up to which W and W* come one after the other: in two threads they took as long at 640
# points, 0.9 times as long at 1,500 and 0.8 times at 3,000.
APART = 1_000

# Gives the value for a stage and its key: computed now, or kept from before.
Keep = Callable[[str, Hashable, Callable[[], Any]], Any]
# Gives the progress callback for a stage by its title.
Report = Callable[[str], Progress | None]


@dataclass(frozen=True)
class Sparse:
    """The first stage: C (N, N), W, the path where the method is IMC, and how a solver ended."""

    C: Any
    W: Affinity
    path: ImcPath | None = None
    message: str = ""


@dataclass(frozen=True)
class Run:
    """Every result of one run; ``before`` is what follows from W, ``after`` from W*.

    ``n_clusters`` is that of W*; where the eigengap suggests it, W has a number of its own, since
    its figures must not depend on the dense stage. ``n_clusters_from`` is "chosen", "known" or
    "suggested by the eigengap". ``seconds`` holds what each stage took when it was computed.
    """

    data: Dataset
    settings: RunSettings
    n_clusters: int
    n_clusters_from: str
    sparse: Sparse
    side_of_w: Side | None  # None where only W* was asked for
    after: Side
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def before(self) -> Side:
        """What follows from W."""
        if self.side_of_w is None:
            raise ValueError("This run is of W* alone; call run_stages without only_dense for W.")
        return self.side_of_w

    @property
    def path(self) -> ImcPath:
        """The picks of IMC."""
        if self.sparse.path is None:
            raise ValueError(f"{self.settings.method} has no path of picks; only IMC has.")
        return self.sparse.path


def run_stages(
    data: Dataset,
    settings: RunSettings | None = None,
    *,
    only_dense: bool = False,
    keep: Keep | None = None,
    report: Report | None = None,
    n_jobs: int | None = None,
    start: tuple[ImcPath, float] | None = None,
    client: Any = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Run:
    """Algorithm 3 with every intermediate result.

    Parameters
    ----------
    data : X (N, D), with labels where the classes are known.
    settings : see `RunSettings`; without a number of clusters the classes give it, else the
        widest gap between eigenvalues.
    only_dense : the clusters of W* alone, as an estimator
        or a table wants them; the figures wait until they are read.
    keep : called with a stage's name, its key and a function; returns the function's value or
        one kept from before.
    report : called with the title of a stage; returns its progress callback.
    start : a path of IMC on this data by the same readings, and the seconds that it took. A longer
        one serves as it is, since a smaller Γ is a slice of it; a shorter one is continued.
    client : a `distributed.Client`, whose cluster then runs IMC and the dense stage; the result is
        the same.
    clock : what ``seconds`` is read from; `time.process_time` gives CPU time, which other work on
        the machine hardly changes.

    >>> from sdsc_core.datasets import make_subspaces
    >>> run = run_stages(make_subspaces(2, 4, 20, 30), RunSettings(gamma=5))
    >>> run.n_clusters, run.n_clusters_from, run.after.summary.acc
    (2, 'known', 1.0)
    """
    stages = _Stages(data, settings, keep, report, n_jobs, start, only_dense, client, clock)
    sparse = stages.sparse()
    star = stages.dense(sparse.W)
    n_clusters, origin = stages.clusters()
    before, after = stages.sides(sparse.W, star, n_clusters)
    return Run(data, stages.settings, after.k, origin, sparse, before, after, stages.seconds)


def sparse_stage(
    data: Dataset,
    settings: RunSettings | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Sparse:
    """The first stage by itself: C and W by the method of the settings.

    >>> from sdsc_core.datasets import make_subspaces
    >>> sparse_stage(make_subspaces(2, 2, 20, 10)).W.shape
    (20, 20)
    """
    return _Stages(data, settings, None, lambda _: progress, n_jobs).sparse()


def suggested_n_clusters(
    data: Dataset, settings: RunSettings, progress: Progress | None = None
) -> int:
    """The number of clusters by the eigengap of W* (of W without a dense stage).

    >>> from sdsc_core.datasets import make_subspaces
    >>> suggested_n_clusters(make_subspaces(3, 3, 30, 30), RunSettings(dense=None))
    3
    """
    stages = _Stages(data, settings, None, lambda _: progress)
    star = stages.dense(stages.sparse().W)
    return suggest_n_clusters(stages.counting_spectrum("W*", star).eigenvalues)


class _Stages:
    """One run's data, settings and keeping; a method for each stage."""

    def __init__(
        self,
        data: Dataset,
        settings: RunSettings | None,
        keep: Keep | None,
        report: Report | None,
        n_jobs: int | None = None,
        start: tuple[ImcPath, float] | None = None,
        only_dense: bool = False,
        client: Any = None,
        clock: Callable[[], float] = time.perf_counter,
    ):
        self.data = check_kind(data, Dataset, "data", "a Dataset")
        settings = RunSettings() if settings is None else settings
        self.settings = check_kind(settings, RunSettings, "settings", "RunSettings or None")
        self.n_jobs = n_jobs
        self.where: dict[str, Any] = {"n_jobs": n_jobs, "client": client}
        self.keep, self.report = keep, report
        self.start = None if start is None else _check_start(start, data.n_points)
        self.only_dense, self.clock = check_flag(only_dense, "only_dense"), clock
        self.seconds: dict[str, float] = {}
        self.meanwhile: Callable[[], None] | None = None  # what to do beside the next stage

    def sparse(self) -> Sparse:
        """C and W by the method; of IMC the whole path is kept, which another Γ starts from."""
        s = self.settings
        if s.method != "IMC":
            return self._stage("sparse", s.sparse_key(), s.method, self._solve)
        check_gamma(s.gamma, self.data.n_points, "gamma")
        key = (s.residual, s.similarity, s.gamma)
        path, before = self._stage("IMC", key, "IMC, points done", self._path)
        self.seconds["IMC"] += before
        return self._stage("sparse", s.sparse_key(), "W", partial(self._slice, path))

    def _path(self, tell: Progress | None) -> tuple[ImcPath, float]:
        """The path to Γ or beyond, and the seconds that its beginning had taken before."""
        s, X, (start, before) = self.settings, self.data.X, self.start or (None, 0.0)
        if start is not None and start.picks.shape[1] >= s.gamma:
            return start, before
        needed = METHODS["IMC"].bytes_for(*X.shape, n_iterations=s.gamma)
        check_memory(needed, "IMC", len(X))
        how: dict[str, Any] = {"residual": s.residual, "similarity": s.similarity}
        path = imc(X, s.gamma, **how, start=start, progress=tell, **self.where)
        return path, before

    def _slice(self, path: ImcPath, tell: Progress | None) -> Sparse:
        C = path.coefficients(self.settings.gamma)
        return Sparse(C, affinity(C, "max"), path)

    def _solve(self, tell: Progress | None) -> Sparse:
        s, method = self.settings, METHODS[self.settings.method]
        solution = method.solve(
            self.data.X,
            n_clusters=self.clusters()[0],
            random_state=s.seed,
            n_jobs=self.n_jobs,
            progress=tell,
            **s.method_params(),
        )
        return Sparse(solution.C, method.affinity(solution), message=solution.message)

    def dense(self, W: Affinity) -> Affinity:
        """W*; W itself without a dense stage."""
        s = self.settings
        if s.dense is None:
            return W
        return self._stage(
            "dense",
            s.dense_key(),
            "Dense stage",
            lambda tell: dense_stage(W, s.dense, progress=tell, **s.dense_params(), **self.where),
        )

    def clusters(self) -> tuple[int | None, str]:
        """How many clusters, None where the eigengap decides, and where the number comes from."""
        asked = self.settings.n_clusters
        if isinstance(asked, int):
            return check_n_clusters(asked, self.data.n_points), "chosen"
        if asked is None and self.data.n_classes:
            return self.data.n_classes, "known"
        return None, "suggested by the eigengap"

    def sides(self, W: Affinity, star: Affinity, n: int | None) -> tuple[Side | None, Side]:
        """What follows from W and from W*: of many points at once, in two threads."""
        if star is W or self.only_dense:
            after = self.side("W*" if self.settings.dense else "W", star, n)
            return (after if star is W else None), after
        if W.shape[0] <= APART:
            return self.side("W", W, n), self.side("W*", star, n)
        made: list[Side] = []

        def of_star() -> None:
            made.append(self.side("W*", star, n))
            if self.report is not None:
                self.report(_eigenvectors("W"))  # which is waited for from here on

        with warnings.catch_warnings():  # two threads that silence a solver undo each other's
            warnings.simplefilter("ignore", UserWarning)
            self.meanwhile = of_star
            before = self.side("W", W, n)
            self.meanwhile = None
            if not made:  # W's was there from before
                of_star()
        return before, made[0]

    def side(self, name: str, W: Affinity, n_clusters: int | None) -> Side:
        """Clusters and figures of W or W*; their number by the matrix's own eigengap for None."""
        found = self.counting_spectrum(name, W) if n_clusters is None else None
        k = suggest_n_clusters(found.eigenvalues) if found else n_clusters
        assert k is not None
        work = partial(self._cluster, W, k, found)
        key = (self._side_key(name), k, found is None)
        return self._stage(f"{name} side", key, _eigenvectors(name), work)

    def counting_spectrum(self, name: str, W: Affinity) -> Spectrum:
        """Enough of the spectrum to count clusters by its widest gap."""
        wanted, seed = n_vectors(W.shape[0], None), self.settings.seed
        return self._stage(
            f"{name} spectrum",
            self._side_key(name),
            _eigenvectors(name),
            lambda tell: spectrum(W, wanted, None, seed, tell, n_exact=1),
        )

    def _cluster(self, W: Affinity, k: int, found: Spectrum | None, tell: Progress | None) -> Side:
        side = cluster_side(
            W, k, self.data.labels, seed=self.settings.seed, found=found, progress=tell
        )
        if not self.only_dense:
            _ = side.summary  # computed here, where its progress is watched
        return side

    def _side_key(self, name: str) -> Hashable:
        s = self.settings
        return s.sparse_key() if name == "W" else s.dense_key(), s.seed

    def _stage(
        self, name: str, key: Hashable, title: str, work: Callable[[Progress | None], T]
    ) -> T:
        def clocked(tell: Progress | None) -> tuple[T, float]:
            start = self.clock()
            return work(tell), self.clock() - start

        def timed() -> tuple[T, float]:
            meanwhile, self.meanwhile = self.meanwhile, None
            tell = None if self.report is None else self.report(title)
            return watched(clocked, tell, meanwhile)

        of = (self.data.digest, key)
        made = timed() if self.keep is None else self.keep(name, of, timed)
        value, self.seconds[name] = made
        return value


def _check_start(start: Any, n_points: int) -> tuple[ImcPath, float]:
    """A path with its seconds; one that is long enough serves unseen, so of as many points."""
    if not isinstance(start, tuple) or len(start) != 2 or not isinstance(start[0], ImcPath):
        raise ValueError(
            f"start is {shown(start)}; give a path of `imc` and the seconds that it took, or None."
        )
    path, seconds = start
    if len(path.picks) != n_points:
        raise ValueError(
            f"start is a path of {len(path.picks)} points; data has {n_points}, give its own."
        )
    return path, check_number(seconds, "the time of start", 0)


def _eigenvectors(name: str) -> str:
    return f"Eigenvectors of {name}, products"
