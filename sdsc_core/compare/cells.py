"""Methods × dense stages on one data set, cell by cell: the matrix of Tables 3 and 4."""

import math
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdsc_core.baselines import BASELINES, Baseline, Found
from sdsc_core.blocks import Progress, watched
from sdsc_core.checks import check_choice, check_count, check_n_clusters
from sdsc_core.conn import connectivity
from sdsc_core.datasets import Dataset
from sdsc_core.dense import DENSE_STAGES
from sdsc_core.memory import check_memory
from sdsc_core.methods import METHODS, Method
from sdsc_core.metrics import clustering_accuracy, nmi
from sdsc_core.run import Keep, Report, Run, run_stages, suggested_n_clusters
from sdsc_core.settings import NONE, RunSettings

STAGES = tuple(d or NONE for d in DENSE_STAGES)  # the order of every table


@dataclass(frozen=True)
class Result:
    """One method with one dense stage, or one baseline without any, on one draw.

    ``conn`` and ``conn_min`` are CONN's mean and least over the classes, see `connectivity`; not
    a number where there is no graph.
    """

    method: str
    dense: str
    repeat: int
    acc: float | None
    nmi: float | None
    conn: float
    conn_min: float
    conn_whole: float
    seconds: float
    message: str = ""


def compare_cell(
    data: Dataset,
    settings: RunSettings,
    *,
    repeat: int = 0,
    keep: Keep | None = None,
    report: Report | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Result, Run]:
    """The figures of one method with one dense stage, and the run that they come from.

    A ``keep`` that cells share computes a method once for all its dense stages; the time of such
    a stage counts in each of them.

    >>> from sdsc_core.datasets import make_subspaces
    >>> compare_cell(make_subspaces(2, 2, 20, 10), RunSettings(dense="D3"))[0].acc
    1.0
    """
    run = run_stages(data, settings, only_dense=True, keep=keep, report=report, clock=clock)
    s = run.after.summary
    figures = (s.acc, s.nmi, s.conn.mean, s.conn.min, s.conn.whole, sum(run.seconds.values()))
    messages = (run.sparse.message, run.after.spectrum.message, s.conn.message)
    message = " ".join(filter(None, messages))
    return Result(settings.method, settings.dense or "none", repeat, *figures, message), run


def baseline_cell(
    data: Dataset,
    name: str,
    params: Mapping[str, Any] | None = None,
    *,
    n_clusters: int,
    seed: int = 0,
    repeat: int = 0,
    report: Report | None = None,
) -> tuple[Result, Found]:
    """The figures of one baseline, and its clusters; CONN only where it has a graph.

    >>> from sdsc_core.datasets import make_subspaces
    >>> data = make_subspaces(2, 2, 20, 10)
    >>> baseline_cell(data, "K-subspaces", {"dim": 2}, n_clusters=2)[0].acc
    1.0
    """
    check_choice(name, "name", tuple(BASELINES))

    def work(tell: Progress | None) -> tuple[Found, float]:
        begun = time.perf_counter()
        found = BASELINES[name].cluster(
            data.X, n_clusters, random_state=seed, progress=tell, **(params or {})
        )
        return found, time.perf_counter() - begun

    found, seconds = watched(work, report(name) if report else None)
    truth = data.labels
    acc = None if truth is None else clustering_accuracy(truth, found.labels)
    information = None if truth is None else nmi(truth, found.labels)
    conn = (math.nan,) * 3
    if found.W is not None:
        by = connectivity(found.W, found.labels if truth is None else truth)
        conn = (by.mean, by.min, by.whole)
    return Result(name, NONE, repeat, acc, information, *conn, seconds, found.message), found


def entry(name: str) -> Method | Baseline:
    """The method or the baseline of this name.

    >>> entry("IMC").title, entry("k-means").title
    ('Iterative Maximum Correlation', 'k-means of the samples, no graph')
    """
    known: dict[str, Method | Baseline] = {**METHODS, **BASELINES}
    return known[check_choice(name, "method", tuple(known))]


def matrix_of_cells(
    methods: Mapping[str, Mapping[str, Any]], stages: Sequence[str], repeats: int
) -> Iterator[tuple[str, str, int]]:
    """Method, stage and repeat of every cell, a method's stages together; a baseline has none.

    >>> list(matrix_of_cells({"IMC": {}, "k-means": {}}, ["none", "D3"], 1))
    [('IMC', 'none', 0), ('IMC', 'D3', 0), ('k-means', 'none', 0)]
    """
    for name in methods:
        for repeat in range(repeats):
            for stage in (NONE,) if name in BASELINES else stages:
                yield name, stage, repeat


def compare_methods(
    data: Dataset | Callable[[int], Dataset],
    methods: Mapping[str, Mapping[str, Any]] | Sequence[str],
    stages: Sequence[str] = (NONE,),
    *,
    repeats: int = 1,
    n_clusters: int | None = None,
    seed: int = 0,
    theta1: float = RunSettings.theta1,
    theta2: float = RunSettings.theta2,
    report: Report | None = None,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Methods and baselines × dense stages, as in Tables 3 and 4, with repeats.

    Parameters
    ----------
    data : the same points for every repeat, or a function of the repeat that draws them.
    methods : names, or names with their parameters; see `METHODS` and `BASELINES`.
    stages : of ``"none"`` and the dense stages; a baseline has no affinity and runs once.
    repeats : each has the seed ``seed + repeat``.
    n_clusters : None for one for each class, or by the eigengap of IMC's affinity without classes.
    on_result : hears of each result as it comes; what it raises ends the comparison.

    >>> from sdsc_core.datasets import make_subspaces
    >>> found = compare_methods(make_subspaces(2, 2, 20, 10), ["IMC", "k-means"], ["none", "D3"])
    >>> [(r.method, r.dense) for r in found]
    [('IMC', 'none'), ('IMC', 'D3'), ('k-means', 'none')]
    """
    chosen = methods if isinstance(methods, Mapping) else {name: {} for name in methods}
    check_count(repeats, "repeats", 1)
    for name, params in chosen.items():
        entry(name).settings(**params)
    for stage in stages:
        check_choice(stage, "stages", STAGES)
    draw = data if callable(data) else lambda repeat: data
    points = {0: draw(0)}
    k = _number_of_clusters(points[0], n_clusters)
    results, kept = [], (("", -1), keep_everything())
    for name, stage, repeat in matrix_of_cells(chosen, stages, repeats):
        if repeat not in points:
            points[repeat] = draw(repeat)
        if (name, repeat) != kept[0]:  # another affinity: let go of the last one
            kept = ((name, repeat), keep_everything())
        own: dict[str, Any] = {"n_clusters": k, "seed": seed + repeat}
        if name in BASELINES:
            found: Any = baseline_cell(
                points[repeat], name, chosen[name], **own, repeat=repeat, report=report
            )
        else:
            own["dense"] = None if stage == NONE else stage
            own |= {"theta1": theta1, "theta2": theta2} if stage == "PCE" else {}
            settings = RunSettings.of_method(name, chosen[name], **own)
            found = compare_cell(
                points[repeat], settings, repeat=repeat, keep=kept[1], report=report
            )
        results.append(found[0])
        if on_result:
            on_result(found[0])
    return results


def keep_everything() -> Keep:
    """A ``keep`` for `run_stages` that forgets nothing, for a few runs that share stages."""
    kept: dict[tuple[str, Hashable], Any] = {}

    def keep(stage: str, key: Hashable, compute: Callable[[], Any]) -> Any:
        if (stage, key) not in kept:
            kept[stage, key] = compute()
        return kept[stage, key]

    return keep


def _number_of_clusters(data: Dataset, given: int | None) -> int:
    found = (data.n_classes or suggest_clusters(data)) if given is None else given
    return check_n_clusters(found, data.n_points)


def suggest_clusters(data: Dataset, progress: Progress | None = None) -> int:
    """The number of clusters by the eigengap of IMC's affinity, for data without classes.

    >>> from sdsc_core.datasets import make_subspaces
    >>> suggest_clusters(make_subspaces(3, 3, 30, 30))
    3
    """
    gamma = min(RunSettings.gamma, data.n_points - 1)
    return suggested_n_clusters(data, RunSettings(gamma=gamma, dense=None), progress)


def fits(data: Dataset, method: str, limit: int | None = None) -> str:
    """Empty, or the sentence that says why a method or baseline would not fit into memory here."""
    try:
        check_memory(entry(method).bytes_for(*data.X.shape), method, data.n_points, limit)
    except ValueError as problem:
        return str(problem)
    return ""
