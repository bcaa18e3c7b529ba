"""The results of a comparison as tables: means over repeats, CSV, Markdown, LaTeX."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from typing import Any

import numpy as np

from sdsc_core.compare.cells import STAGES, Result
from sdsc_core.compare.escaping import escape_latex, escape_markdown
from sdsc_core.datasets import Dataset
from sdsc_core.datasets.dataset import disarmed

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
    writer.writerows(["" if v is None or v != v else disarmed(v) for v in row] for row in rows)
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
) -> set[tuple[str, str]]:
    """Methods and stages with the best mean or median: all that show the same figure.

    >>> rows = [Result(m, "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0) for m in ("IMC", "SSC")]
    >>> sorted(best(rows))
    [('IMC', 'none'), ('SSC', 'none')]
    """
    scale, places = unit(figure)
    shown = {
        (row.method, row.dense): round(scale * getattr(row, average), places)
        for row in table(results, figure)
    }
    top = (min if figure == "seconds" else max)(shown.values(), default=None)
    return {place for place, value in shown.items() if value == top}


@dataclass(frozen=True)
class About:
    """What a comparison was made on and with, for its caption.

    ``params`` are those of each method; ``thetas`` are of PCE, where it is among the stages;
    ``prepared`` is what was done to the data before, from `datasets.steps_in_words`.
    """

    data: str
    n_points: int
    n_features: int
    n_clusters: int
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    thetas: tuple[float, ...] = ()
    seed: int = 0
    prepared: str = ""

    @classmethod
    def of(cls, data: Dataset, n_clusters: int, params: Any, **rest: Any) -> "About":
        """With name and sizes of the data."""
        return cls(data.name, data.n_points, data.n_features, n_clusters, params, **rest)

    def words(self, escape: Callable[[str], str] = str) -> str:
        r"""Where the figures come from; ``escape`` is for the name, which a file gave.

        >>> About("a_b", 50, 4, 2).words(escape_markdown)
        'on a\\_b (50 points, 4 features, 2 clusters)'
        """
        name = escape(" ".join(self.data.split()))
        return (
            f"on {name} ({self.n_points:,} points, {self.n_features:,} features,"
            f" {self.n_clusters:,} clusters{self.prepared and '; '}{self.prepared})"
        )

    def parameters(self) -> str:
        """The parameters of each method and of PCE, and the seed.

        >>> About("a", 50, 4, 2, {"KNN": {"n_neighbours": 6}}, (0.8, 0.6)).parameters()
        'KNN (n_neighbours = 6), PCE (θ₁ = 0.8, θ₂ = 0.6), seed 0'
        """
        given = {name: dict(values) for name, values in self.params.items()}
        if self.thetas:
            given["PCE"] = dict(zip(("θ₁", "θ₂"), self.thetas, strict=True))
        parts = [
            f"{name} ({', '.join(f'{k} = {_spell(v)}' for k, v in values.items())})"
            for name, values in given.items()
            if values
        ]
        return ", ".join([*parts, f"seed {self.seed}"])


def _spell(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def heading(figure: str) -> str:
    """A figure's name with its unit.

    >>> heading("acc")
    'ACC (%)'
    """
    return TITLES[figure] + (" (%)" if figure in PERCENT else "")


def unit(figure: str) -> tuple[int, int]:
    """What a figure is multiplied by where it is shown, and its decimal places."""
    return (100, 1) if figure in PERCENT else (1, 3)


def caption(
    results: Sequence[Result],
    figure: str = "acc",
    average: str = "mean",
    about: About | None = None,
    escape: Callable[[str], str] = str,
) -> str:
    """What the table of a figure shows: the data, the repeats, and the parameters, if told.

    >>> caption([Result("IMC", "none", 0, 0.5, None, 0.1, 0.0, 0.0, 1.0)])
    'ACC (%) of methods and dense stages'
    """
    text = f"{heading(figure)} of methods and dense stages"
    if about:
        text += f" {about.words(escape)}"
    counts = {row.repeats for row in table(results, figure)}
    low, high = min(counts, default=1), max(counts, default=1)
    if high > 1:
        span = f"{high}" if low == high else f"{low} to {high}"
        text += f", {average} ± standard deviation over {span} repeats"
    elif about:
        text += ", one run each"
    return f"{text}. Parameters: {about.parameters()}" if about else text


def to_markdown(
    results: Sequence[Result],
    figure: str = "acc",
    average: str = "mean",
    about: About | None = None,
) -> str:
    """Methods down, stages across, with what is shown above it; all that are best are bold."""
    stages, lines = _text_cells(results, figure, average, "**{}**")
    head = [caption(results, figure, average, about, escape_markdown) + ". The best is bold.", ""]
    head += ["| method | " + " | ".join(stages) + " |", "|---" * (len(stages) + 1) + "|"]
    return "\n".join(head + [f"| {' | '.join(cells)} |" for cells in lines]) + "\n"


def to_latex(
    results: Sequence[Result],
    figure: str = "acc",
    average: str = "mean",
    about: About | None = None,
) -> str:
    """The same as a booktabs table with a caption."""
    stages, lines = _text_cells(results, figure, average, r"\textbf{{{}}}")
    title = escape_latex(caption(results, figure, average, about) + ". The best is bold.")
    head = [r"\begin{table}", r"\centering", rf"\caption{{{title}}}"]
    head += [rf"\begin{{tabular}}{{l{'c' * len(stages)}}}", r"\toprule"]
    head += [" & ".join(["method", *stages]) + r" \\", r"\midrule"]
    body = [" & ".join(cells) + r" \\" for cells in lines]
    body = [line.replace("±", r"$\pm$").replace("–", "--") for line in body]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _text_cells(
    results: Sequence[Result], figure: str, average: str, mark: str
) -> tuple[list[str], list[list[str]]]:
    stages, rows = grid(results, figure)
    top = best(results, figure, average)
    lines = []
    for method, *cells in rows:
        texts = [cell_text(c, figure, average) for c in cells]
        lines.append([method, *(
            mark.format(t) if (method, d) in top else t
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
