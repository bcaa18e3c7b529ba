"""What an experiment leaves: every single result, tables beside the printed ones, charts."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from sdsc_core.compare import PERCENT, TITLES
from sdsc_core.experiments.keeping import Row, Store
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.running import MEAN, MEDIAN, Experiment, Options

COLUMNS = ("where", "draw", "method", "stage", "setting")
NAMES = TITLES | {
    "error": "clustering error",
    "acc_rest": "ACC of the rest, predicted",
    "acc_true": "ACC of the rest, by true classes of the part",
    "acc_all": "ACC, all points clustered",
    "regret": "regret: ACC of the best setting minus ACC of the chosen one",
    "spearman": "Spearman's correlation of the criterion and ACC over the settings",
    "kendall": "Kendall's correlation of the criterion and ACC over the settings",
    "inside": "entries of W inside classes",
    "between": "entries of W between classes",
    "inside_star": "entries of W* inside classes",
    "between_star": "entries of W* between classes",
    "q": "Q, measured",
    "q_predicted": "Q by eq. 13",
    "q_predicted_no_tau": "Q by eq. 13, τ = 0",
    "tau_share": "τ as a share of Nk²",
}
SHARES = (*PERCENT, "error", "regret", "acc_rest", "acc_true", "acc_all")
LATEX = {
    "_": r"\_", "%": r"\%", "±": r"$\pm$", "–": "--", "θ₁": r"$\theta_1$", "θ₂": r"$\theta_2$",
    "τ": r"$\tau$", "Γ": r"$\Gamma$", "²": "$^2$",
}  # fmt: skip


def to_csv(rows: Sequence[Row]) -> str:
    """Every single result, a line each.

    >>> print(to_csv([Row(2, 0, "OMP", "none", {"acc": 0.9})]))
    where,draw,method,stage,setting,acc,message
    2,0,OMP,none,,0.9,
    <BLANKLINE>
    """
    figures = list(dict.fromkeys(name for row in rows for name in row.figures))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *figures, "message"])
    for row in rows:
        values = [row.figures.get(name) for name in figures]
        known = ["" if v is None or v != v else v for v in values]
        writer.writerow([*(getattr(row, name) for name in COLUMNS), *known, row.message])
    return text.getvalue()


def to_json(title: str, rows: Sequence[Row], store: Store) -> str:
    """The rows with the runs that they come from: date, machine, versions."""
    content = {"title": title, "runs": store.runs, "rows": [asdict(row) for row in rows]}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def table(
    experiment: Experiment, rows: Sequence[Row], figure: str, statistic: str = MEAN
) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: methods down, places across; the paper's in brackets."""
    places = list(dict.fromkeys((row.where, row.setting) for row in rows))
    names = list(dict.fromkeys(row.name for row in rows if row.figures))
    lines = []
    for name in names:
        own = [row for row in rows if row.name == name]
        cells = [
            _cell(experiment, [r for r in own if (r.where, r.setting) == p], figure, statistic)
            for p in places
        ]
        if any(cells):
            lines.append([name, *cells])
    heads = [f"{where:,}" if isinstance(where, int) else where for where, _ in places]
    heads = [f"{h}, {s}" if s else h for h, (_, s) in zip(heads, places, strict=True)]
    return [experiment.where, *heads], lines


def _cell(experiment: Experiment, rows: Sequence[Row], figure: str, statistic: str) -> str:
    """A mean stands with its standard deviation."""
    values = [v for v in (r.figures.get(figure) for r in rows) if v is not None and v == v]
    if not values:
        return next((r.message for r in rows if r.message), "")
    scale, places = (100, 1) if figure in SHARES else (1, 3)
    found = Mean.of(values, scale)
    one = {MEAN: found.value, MEDIAN: found.median}.get(statistic, found.deviation)
    text = f"{one:.{places}f}"
    if statistic == MEAN and len(values) > 1:
        text += f" ± {found.deviation:.{places}f}"
    paper = experiment.printed(rows[0], figure, statistic)
    return text if paper is None else f"{text} ({scale * paper:.{places}f})"


def to_markdown(experiment: Experiment, rows: Sequence[Row]) -> str:
    """A table for each figure, with the number of draws and the paper's in brackets."""
    parts = [f"## {experiment.title}"]
    for figure, statistic in _tables(experiment):
        heads, lines = table(experiment, rows, figure, statistic)
        parts += [_caption(experiment, rows, figure, statistic), "",
                  "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]  # fmt: skip
        parts += [f"| {' | '.join(line)} |" for line in lines] + [""]
    if report := experiment.report(rows):
        parts.append(report)
    return "\n".join(parts) + "\n"


def to_latex(experiment: Experiment, rows: Sequence[Row]) -> str:
    """The same as booktabs tables, and what else is said as paragraphs."""
    parts = []
    for figure, statistic in _tables(experiment):
        caption = _caption(experiment, rows, figure, statistic)
        parts += _booktabs(caption, *table(experiment, rows, figure, statistic))
    for block in experiment.report(rows).split("\n\n"):
        lines = [[part.strip() for part in line.strip("|").split("|")]
                 for line in block.splitlines() if line.startswith("|")]  # fmt: skip
        if lines:
            parts += _booktabs("", lines[0], lines[2:])  # the second has but dashes
        elif block.strip():
            parts += [block.strip(), ""]
    text = "\n".join(parts)
    for sign, latex in LATEX.items():
        text = text.replace(sign, latex)
    return text


def _tables(experiment: Experiment) -> list[tuple[str, str]]:
    return [(figure, how) for figure in experiment.shown for how in experiment.statistics]


def _booktabs(caption: str, heads: list[str], lines: list[list[str]]) -> list[str]:
    return [
        r"\begin{table}", r"\centering", *([rf"\caption{{{caption}}}"] if caption else []),
        rf"\begin{{tabular}}{{l{'c' * (len(heads) - 1)}}}", r"\toprule",
        " & ".join(heads) + r" \\", r"\midrule",
        *(" & ".join(line) + r" \\" for line in lines),
        r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ]  # fmt: skip


def _caption(experiment: Experiment, rows: Sequence[Row], figure: str, statistic: str) -> str:
    counts: dict[tuple[int | str, str, str], int] = {}
    for row in rows:
        if row.figures:
            key = (row.where, row.name, row.setting)
            counts[key] = counts.get(key, 0) + 1
    low, high = min(counts.values(), default=0), max(counts.values(), default=0)
    span = f"{high}" if low == high else f"{low} to {high}"
    unit = " (%)" if figure in SHARES else ""
    printed = any(experiment.printed(row, figure, statistic) is not None for row in rows)
    if span == "1":
        return f"{NAMES[figure]}{unit}, one draw" + ("; in brackets the paper's" * printed)
    how = "mean ± standard deviation" if statistic == MEAN else statistic
    return f"{NAMES[figure]}{unit}: {how} of {span} draws" + "; in brackets the paper's" * printed


def write(
    name: str, experiment: Experiment, options: Options, rows: Sequence[Row], store: Store
) -> None:
    """All files of an experiment, beside its store: results, tables, charts."""
    assert store.path is not None
    folder = store.path.parent
    texts = {
        "csv": to_csv(rows),
        "json": to_json(experiment.title, rows, store),
        "md": to_markdown(experiment, rows),
        "tex": to_latex(experiment, rows),
    }
    for end, text in texts.items():
        (folder / f"{name}.{end}").write_text(text, encoding="utf-8")
    for part, chart in experiment.charts(rows).items():
        path = folder / f"{name}_{part}"
        path.with_suffix(".svg").write_text(chart.to_svg(), encoding="utf-8")
        chart.write_html(path.with_suffix(".html"))
    for part, picture in experiment.pictures(options).items():
        (folder / f"{name}_{part}.svg").write_text(picture, encoding="utf-8")
        page = f"<!doctype html><meta charset='utf-8'><title>{experiment.title}</title>{picture}"
        (folder / f"{name}_{part}.html").write_text(page, encoding="utf-8")
