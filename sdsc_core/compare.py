"""Methods × dense stages on one data set: the matrix of Tables 3 and 4."""

import csv
import io
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from sdsc_core.blocks import Progress
from sdsc_core.datasets import Dataset
from sdsc_core.dense import DENSE_STAGES
from sdsc_core.memory import check_memory
from sdsc_core.methods import METHODS
from sdsc_core.run import Keep, Report, Run, run_stages, suggested_n_clusters
from sdsc_core.settings import RunSettings

STAGES = tuple(d or "none" for d in DENSE_STAGES)  # the order of every table
AVERAGES = ("mean", "median")
PERCENT = ("acc", "nmi")
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


def keep_everything() -> Keep:
    """A ``keep`` for `run_stages` that forgets nothing, for a few runs that share stages."""
    kept: dict[tuple[str, Hashable], Any] = {}

    def keep(stage: str, key: Hashable, compute: Callable[[], Any]) -> Any:
        if (stage, key) not in kept:
            kept[stage, key] = compute()
        return kept[stage, key]

    return keep


def suggest_clusters(data: Dataset, progress: Progress | None = None) -> int:
    """The number of clusters by the eigengap of IMC's affinity, for data without classes.

    >>> from sdsc_core.datasets import make_subspaces
    >>> suggest_clusters(make_subspaces(3, 3, 30, 30))
    3
    """
    gamma = min(RunSettings.gamma, data.n_points - 1)
    return suggested_n_clusters(data, RunSettings(gamma=gamma, dense=None), progress)


def fits(data: Dataset, method: str, limit: int | None = None) -> str:
    """Empty, or the sentence that says why a method would not fit into memory here."""
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

    A figure that is missing or not a number has no row.

    >>> r = Result("IMC", "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0)
    >>> table([r])[0].mean
    0.5
    """
    groups: dict[tuple[str, str], list[float]] = {}
    for r in results:
        value = getattr(r, figure)
        if _known(value):
            groups.setdefault((r.method, r.dense), []).append(value)
    return [
        Row(m, d, len(v), float(np.mean(v)), float(np.median(v)), float(np.std(v)))
        for (m, d), v in groups.items()
    ]


def _known(value: float | None) -> bool:
    return value is not None and not np.isnan(value)


def to_csv(results: Sequence[Result]) -> str:
    """Every single result, a line each; read back by any table reader."""
    names = [f.name for f in fields(Result)]
    return _csv(names, ([getattr(r, name) for name in names] for r in results))


def _csv(head: list[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV; what is missing or not a number is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if v is None or v != v else v for v in row] for row in rows)
    return text.getvalue()


def summary_csv(results: Sequence[Result]) -> str:
    """Mean, median and standard deviation of every figure, a line for each cell.

    >>> r = Result("IMC", "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0)
    >>> print(summary_csv([r]).splitlines()[1])
    acc,IMC,none,1,0.5,0.5,0.0
    """
    rows = ([figure, *astuple(row)] for figure in TITLES for row in table(results, figure))
    return _csv(["figure", *(f.name for f in fields(Row))], rows)


def grid(results: Sequence[Result], figure: str = "acc") -> tuple[list[str], list[list[Any]]]:
    """Stages, and for each method its name and a Row or None for each stage."""
    stages = sorted({r.dense for r in results}, key=STAGES.index)
    rows = {(r.method, r.dense): r for r in table(results, figure)}
    methods = dict.fromkeys(r.method for r in results)
    return stages, [[m, *(rows.get((m, d)) for d in stages)] for m in methods]


def best(
    results: Sequence[Result], figure: str = "acc", average: str = "mean"
) -> tuple[str, str] | None:
    """Method and stage with the best mean or median."""
    rows = table(results, figure)
    if not rows:
        return None
    top = (min if figure == "seconds" else max)(rows, key=lambda r: getattr(r, average))
    return top.method, top.dense


def heading(figure: str) -> str:
    """A figure's name with its unit.

    >>> heading("acc")
    'ACC (%)'
    """
    return TITLES[figure] + (" (%)" if figure in PERCENT else "")


def unit(figure: str) -> tuple[int, int]:
    """What a figure is multiplied by where it is shown, and its decimal places."""
    return (100, 1) if figure in PERCENT else (1, 3)


def caption(results: Sequence[Result], figure: str = "acc", average: str = "mean") -> str:
    """What the table of a figure shows, in a line.

    >>> caption([Result("IMC", "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0)])
    'ACC (%) of methods and dense stages'
    """
    text = f"{heading(figure)} of methods and dense stages"
    counts = {row.repeats for row in table(results, figure)}
    if max(counts, default=1) < 2:
        return text
    low, high = min(counts), max(counts)
    span = f"{high}" if low == high else f"{low} to {high}"
    return f"{text}, {average} ± standard deviation over {span} repeats"


def to_markdown(results: Sequence[Result], figure: str = "acc", average: str = "mean") -> str:
    """Methods down, stages across, with a line on what is shown; the best is bold."""
    stages, lines = _text_cells(results, figure, average, "**{}**")
    head = [caption(results, figure, average) + "; the best is bold.", ""]
    head += ["| method | " + " | ".join(stages) + " |", "|---" * (len(stages) + 1) + "|"]
    return "\n".join(head + [f"| {' | '.join(cells)} |" for cells in lines]) + "\n"


def to_latex(results: Sequence[Result], figure: str = "acc", average: str = "mean") -> str:
    """The same as a booktabs table with a caption."""
    stages, lines = _text_cells(results, figure, average, r"\textbf{{{}}}")
    title = caption(results, figure, average).replace("%", r"\%") + "; the best is bold."
    head = [r"\begin{table}", r"\centering", rf"\caption{{{title}}}"]
    head += [rf"\begin{{tabular}}{{l{'c' * len(stages)}}}", r"\toprule"]
    head += [" & ".join(["method", *stages]) + r" \\", r"\midrule"]
    body = [" & ".join(cells) + r" \\" for cells in lines]
    text = "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"
    return text.replace("±", r"$\pm$").replace("–", "--")


def _text_cells(
    results: Sequence[Result], figure: str, average: str, mark: str
) -> tuple[list[str], list[list[str]]]:
    stages, rows = grid(results, figure)
    top = best(results, figure, average)
    lines = []
    for method, *cells in rows:
        texts = [cell_text(c, figure, average) for c in cells]
        lines.append([method, *(
            mark.format(t) if (method, d) == top else t
            for t, d in zip(texts, stages, strict=True)
        )])  # fmt: skip
    return stages, lines


def cell_text(row: Row | None, figure: str, average: str = "mean") -> str:
    """A mean or median, with the standard deviation where there are repeats."""
    if row is None:
        return "–"
    scale, places = unit(figure)
    text = f"{scale * getattr(row, average):.{places}f}"
    return text if row.repeats < 2 else f"{text} ± {scale * row.std:.{places}f}"


def spread_text(row: Row | None, figure: str) -> str:
    """All that is known of a cell's repeats; nothing where there is only one.

    >>> spread_text(Row("IMC", "none", 2, 0.6, 0.6, 0.1), "acc")
    'mean 60.0, median 60.0, standard deviation 10.0 over 2 repeats'
    """
    if row is None or row.repeats < 2:
        return ""
    scale, places = unit(figure)
    mean, median, std = (f"{scale * v:.{places}f}" for v in (row.mean, row.median, row.std))
    return f"mean {mean}, median {median}, standard deviation {std} over {row.repeats} repeats"


def change(row: Row, base: Row, figure: str, average: str = "mean") -> tuple[str, int]:
    """The change against a base, and 1 for better, -1 for worse, 0 for neither.

    It is the difference of the figures as they are shown, so that a reader finds the same.

    >>> change(Row("IMC", "D1", 1, 0.7, 0.7, 0), Row("IMC", "none", 1, 0.5, 0.5, 0), "acc")
    ('+20.0', 1)
    """
    scale, places = unit(figure)
    after, before = (round(scale * getattr(r, average), places) for r in (row, base))
    shown = round(after - before, places)
    if shown == 0:
        return f"{0:.{places}f}", 0
    better = shown < 0 if figure == "seconds" else shown > 0
    return f"{shown:+.{places}f}", 1 if better else -1
