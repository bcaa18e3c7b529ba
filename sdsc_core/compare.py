"""Methods × dense stages on one data set: the matrix of Tables 3 and 4."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress
from sdsc_core.checks import Affinity
from sdsc_core.datasets import Dataset, prepare
from sdsc_core.methods import METHODS
from sdsc_core.pipeline import dense_stage, summarise
from sdsc_core.spectral import spectral_clustering

# How the time of a method grows with the number of points, for the estimate before a run.
GROWTH = {"LSR": 3.0, "LRR": 3.0, "BDR": 3.0, "LRSC": 3.0, "SSC": 2.3, "SSSC": 2.3}
PROBE_POINTS = 100
TITLES = {
    "acc": "ACC",
    "nmi": "NMI",
    "conn": "CONN, mean",
    "conn_min": "CONN, least",
    "conn_whole": "CONN, whole graph",
    "seconds": "seconds",
}


@dataclass(frozen=True)
class Result:
    """One method with one dense stage on one draw.

    ``conn`` and ``conn_min`` are CONN's mean and least over the classes, see `connectivity`.
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


@dataclass(frozen=True)
class Solved:
    """A method's affinity and what it took."""

    W: Affinity
    seconds: float
    message: str


def solve(
    data: Dataset,
    method: str,
    n_clusters: int,
    params: dict[str, Any] | None = None,
    *,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Solved:
    """The first stage: W of a method by its name.

    >>> from sdsc_core.datasets import make_subspaces
    >>> solve(make_subspaces(2, 2, 20, 10), "IMC", 2).W.shape
    (20, 20)
    """
    start = time.perf_counter()
    chosen = METHODS[method]
    solution = chosen.solve(
        data.X,
        n_clusters=n_clusters,
        random_state=random_state,
        progress=progress,
        **(params or {}),
    )
    W = chosen.affinity(solution)
    return Solved(W, time.perf_counter() - start, solution.message)


def finish(
    data: Dataset,
    solved: Solved,
    method: str,
    dense: str | None,
    n_clusters: int,
    *,
    repeat: int = 0,
    random_state: int = 0,
    thetas: tuple[float, float] = (0.8, 0.6),
    progress: Progress | None = None,
) -> tuple[Result, Affinity, NDArray[np.int64]]:
    """Second and third stage: the figures, W*, and the labels found."""
    start = time.perf_counter()
    star = dense_stage(solved.W, dense, *thetas, progress=progress)
    labels = spectral_clustering(star, n_clusters, random_state, progress=progress)
    seconds = solved.seconds + time.perf_counter() - start
    s = summarise(star, labels, data.labels)
    figures = (s.acc, s.nmi, s.conn.mean, s.conn.min, s.conn.whole, seconds)
    return Result(method, dense or "none", repeat, *figures, solved.message), star, labels


def estimate(data: Dataset, method: str, n_clusters: int, params: dict[str, Any]) -> float:
    """Seconds that a method may take: measured on a hundred points, then scaled up.

    >>> from sdsc_core.datasets import make_subspaces
    >>> estimate(make_subspaces(2, 2, 20, 10), "IMC", 2, {}) > 0
    True
    """
    n = data.n_points
    share = max(2, PROBE_POINTS // max(1, data.n_classes))
    part = prepare(data, per_class=share if data.n_classes else min(n, PROBE_POINTS))
    params = dict(params)
    if "n_iterations" in params:
        params["n_iterations"] = min(params["n_iterations"], part.n_points - 1)
    # Twice: the first call may compile.
    took = min(solve(part, method, min(n_clusters, part.n_points), params).seconds for _ in "ab")
    return took * (n / part.n_points) ** GROWTH.get(method, 2.0)


def fits(data: Dataset, method: str, limit: int | None = None) -> str:
    """Empty, or the sentence that says why a method would not fit into memory here."""
    from sdsc_core.methods._memory import check_memory

    chosen = METHODS[method]
    try:
        check_memory(chosen.memory(*data.X.shape), method, data.n_points, limit)
    except ValueError as problem:
        return str(problem)
    return ""


@dataclass(frozen=True)
class Row:
    """Mean, median and standard deviation of one figure for one method and stage."""

    method: str
    dense: str
    repeats: int
    mean: float
    median: float
    std: float


def table(results: Iterable[Result], figure: str = "acc") -> list[Row]:
    """Results over their repeats, in the order in which methods and stages came.

    >>> r = Result("IMC", "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0)
    >>> table([r])[0].mean
    0.5
    """
    groups: dict[tuple[str, str], list[float]] = {}
    for r in results:
        value = getattr(r, figure)
        if value is not None:
            groups.setdefault((r.method, r.dense), []).append(value)
    return [
        Row(m, d, len(v), float(np.mean(v)), float(np.median(v)), float(np.std(v)))
        for (m, d), v in groups.items()
    ]


def to_csv(results: Sequence[Result]) -> str:
    """Every single result, a line each; read back by any table reader."""
    names = [f.name for f in fields(Result)]
    lines = [",".join(names)]
    for r in results:
        values = ["" if getattr(r, n) is None else str(getattr(r, n)) for n in names]
        values[-1] = '"' + values[-1].replace('"', "'") + '"'
        lines.append(",".join(values))
    return "\n".join(lines) + "\n"


def grid(results: Sequence[Result], figure: str = "acc") -> tuple[list[str], list[list[Any]]]:
    """Stages, and for each method its name and a Row or None for each stage."""
    stages = list(dict.fromkeys(r.dense for r in results))
    rows = {(r.method, r.dense): r for r in table(results, figure)}
    methods = dict.fromkeys(r.method for r in results)
    return stages, [[m, *(rows.get((m, d)) for d in stages)] for m in methods]


def best(results: Sequence[Result], figure: str = "acc") -> tuple[str, str] | None:
    """Method and stage with the best mean."""
    rows = table(results, figure)
    if not rows:
        return None
    top = (min if figure == "seconds" else max)(rows, key=lambda r: r.mean)
    return top.method, top.dense


def to_markdown(results: Sequence[Result], figure: str = "acc") -> str:
    """Methods down, stages across, mean ± standard deviation; the best is bold."""
    stages, lines = _text_cells(results, figure, "**{}**")
    head = ["| method | " + " | ".join(stages) + " |", "|---" * (len(stages) + 1) + "|"]
    return "\n".join(head + [f"| {' | '.join(cells)} |" for cells in lines]) + "\n"


def to_latex(results: Sequence[Result], figure: str = "acc") -> str:
    """The same as a booktabs table."""
    stages, lines = _text_cells(results, figure, r"\textbf{{{}}}")
    body = [" & ".join(cells).replace("±", r"$\pm$") + r" \\" for cells in lines]
    head = [rf"\begin{{tabular}}{{l{'c' * len(stages)}}}", r"\toprule"]
    head += [" & ".join(["method", *stages]) + r" \\", r"\midrule"]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _text_cells(
    results: Sequence[Result], figure: str, mark: str
) -> tuple[list[str], list[list[str]]]:
    stages, rows = grid(results, figure)
    top = best(results, figure)
    lines = []
    for method, *cells in rows:
        texts = [cell_text(c, figure) for c in cells]
        lines.append([method, *(
            mark.format(t) if (method, d) == top else t
            for t, d in zip(texts, stages, strict=True)
        )])  # fmt: skip
    return stages, lines


def cell_text(row: Row | None, figure: str) -> str:
    """A mean, with its standard deviation where there are repeats."""
    if row is None:
        return "–"
    scale, places = (100, 1) if figure in ("acc", "nmi") else (1, 3)
    text = f"{scale * row.mean:.{places}f}"
    return text if row.repeats < 2 else f"{text} ± {scale * row.std:.{places}f}"
