"""A verdict asked for, and taken away: as a table, as JSON, as CSV."""

import csv
import io
from dataclasses import asdict
from typing import Any

from sdsc_core.blocks import Progress
from sdsc_core.datasets import Dataset, points_csv
from sdsc_core.verdict.judging import Row, Verdict, judge, lead
from sdsc_core.verdict.sentences import TEST, report
from sdsc_core.verdict.trying import Findings, try_out

ASTRAY = "nearer to another (%)"  # the column of points nearer to another cluster's subspace


def advise(
    data: Dataset,
    seconds: float = 60.0,
    *,
    n_clusters: int | None = None,
    findings: Findings | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """What helps on this data, within so many seconds.

    Tried are k-means, the graph of nearest neighbours (KNN), IMC, and the other methods as far as
    the time allows, plain and with dense stages, each on the same random draws of two thirds of
    the points. They are judged by ACC, without classes by how stable their clusters are and how
    well these fit subspaces.

    Parameters
    ----------
    seconds : in which it ends, whatever is done by then; at least 1.
    n_clusters : None for one for each class, or by the eigengap of IMC's affinity without classes.
    findings : filled as results come in; new ones by default.
    progress : hears of seconds; raising `Cancelled` in it ends it early, and what is done counts.

    >>> from sdsc_core.datasets import make_subspaces
    >>> from sdsc_core.verdict import report
    >>> verdict = advise(make_subspaces(2, 2, 20, 15), seconds=1.5)
    >>> verdict.measure, bool(report(verdict).answer)
    ('ACC', True)
    """
    how: dict[str, Any] = {"n_clusters": n_clusters, "findings": findings, "progress": progress}
    return judge(try_out(data, seconds, **how, lead=lead))


def head(verdict: Verdict) -> list[str]:
    """The titles of the columns of `table`."""
    known = verdict.findings.labelled
    score, beside = ("ACC (%)", "NMI (%)") if known else (verdict.measure, ASTRAY)
    return ["setting", "draws", score, "s.d.", beside, "against the best", "spread", "seconds"]


def table(verdict: Verdict) -> list[list[str]]:
    """The settings, best first, as texts under `head`."""
    return [_texts(row, verdict.findings.labelled) for row in verdict.rows]


def _texts(row: Row, labelled: bool) -> list[str]:
    scale, places = (100, 1) if labelled else (1, 2)

    def shown(value: float | None) -> str:
        return "" if value is None or value != value else f"{scale * value:.{places}f}"

    beside = row.nmi if labelled else row.astray
    first = row.behind.mean == 0 and row.behind.exceeds is not True
    return [
        row.candidate.title,
        str(row.draws),
        shown(row.mean),
        shown(row.std if row.draws > 1 else None),
        "" if beside is None else f"{100 * beside:.1f}",
        "" if first else shown(row.behind.mean),
        "" if first else shown(row.behind.spread),
        f"{row.seconds:.2f}",
    ]


def as_dict(verdict: Verdict) -> dict[str, Any]:
    """All of a verdict in plain types, for JSON."""
    found, best, said = verdict.findings, verdict.best, report(verdict)
    return {
        "data": {"name": found.data.name, "points": found.data.n_points,
                 "features": found.data.n_features, "classes": list(found.data.class_names)},
        "n_clusters": found.n_clusters,
        "n_clusters_from": found.clusters_from,
        "measure": verdict.measure,
        "points_in_a_draw": found.n_drawn,
        "budget": found.budget,
        "seconds": found.seconds,
        "ended": found.ended,
        "answer": list(said.answer),
        "doubts": list(said.doubts),
        "test": TEST,
        "take": None if best is None else _candidate(best) | {
            "command": best.candidate.command(n_clusters=asked_clusters(found)),
        },
        "stability": verdict.stability,
        "settings": [
            _candidate(row) | {
                "draws": row.draws, "mean": row.mean, "std": row.std, "nmi": row.nmi,
                "astray": row.astray, "seconds": row.seconds, "behind": asdict(row.behind),
            }
            for row in verdict.rows
        ],
        "untried": dict(found.untried),
        "labels": None if found.whole is None else found.whole.labels,
    }  # fmt: skip


def asked_clusters(found: Findings) -> int | None:
    """The number of clusters where a command would not find it by itself."""
    return None if found.clusters_from == "one for each class" else found.n_clusters


def _candidate(row: Row) -> dict[str, Any]:
    c = row.candidate
    return {"name": c.title, "method": c.method, "dense": c.dense, "params": dict(c.params)}


def trials_csv(verdict: Verdict) -> str:
    """Every single trial, a line each."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["setting", "method", "dense", "draw", "points", "acc", "nmi", "astray", "seconds"]
    )
    for t in verdict.findings.trials:
        c = t.candidate
        figures = ["" if v is None else v for v in (t.acc, t.nmi, t.astray)]
        row = [c.title, c.method, c.dense, t.draw, len(t.points), *figures, t.seconds]
        writer.writerow(row)
    return text.getvalue()


def clusters_csv(verdict: Verdict) -> str:
    """The clusters of all points by the leading setting; empty where that did not come about."""
    found = verdict.findings
    if found.whole is None:
        return ""
    return points_csv(found.data, found.whole.labels)
