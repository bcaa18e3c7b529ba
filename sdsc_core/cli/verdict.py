"""``sdsc verdict FILE``: what helps on this data, tried within a stated time."""

import argparse
from dataclasses import replace
from pathlib import Path

from sdsc_core.checks import check_number
from sdsc_core.cli.options import (
    about_data,
    add_data,
    as_json,
    check_writable,
    data_words,
    read_data,
)
from sdsc_core.cli.progress import Reporter
from sdsc_core.cli.warm import warm_up
from sdsc_core.verdict import (
    STABILITY,
    TEST,
    advise,
    as_dict,
    asked_clusters,
    clusters_csv,
    head,
    report,
    table,
    trials_csv,
    words,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The data, the time, and what to write."""
    add = parser.add_argument
    add_data(parser)
    add("--seconds", type=float, default=60.0, help="in which it ends, 60 by default")
    add("--clusters", type=int, help="how many; by default one for each class, else by the gap")
    add("--json", action="store_true", help="print everything as JSON")
    add("--csv", metavar="FILE", help="write every trial")
    add("--output", metavar="FILE", help="write row, identifier, class and cluster, .csv")
    parser.set_defaults(run=_verdict)


def _verdict(options: argparse.Namespace) -> None:
    check_number(options.seconds, "--seconds", 1)
    for path in (options.csv, options.output):
        check_writable(path)
    data = read_data(options)
    warm_up(Reporter("Compiling, once on a machine"))  # which is not to count
    reporter = Reporter("Trying")
    verdict = advise(data, options.seconds, n_clusters=options.clusters, progress=reporter)
    reporter.clear()
    if options.csv:
        Path(options.csv).write_text(trials_csv(verdict), encoding="utf-8")
    whole = verdict.findings.whole
    if options.output and whole is not None:
        Path(options.output).write_text(clusters_csv(verdict), encoding="utf-8")
    if options.json:
        print(as_json(as_dict(verdict)))
        return
    print(about_data(options, data), end="")
    said = report(verdict)
    if verdict.best is not None:
        k = asked_clusters(verdict.findings)
        command = verdict.best.candidate.command(*data_words(options), n_clusters=k)
        said = replace(said, take=f"{said.take} {command}")
    print(words(said))
    print()
    print(_table([head(verdict), *table(verdict)]))
    print(TEST if verdict.findings.labelled else f"{STABILITY} {TEST}")
    if options.output and whole is None:
        print(f"{options.output} was not written: the time was over before the run on all points.")


def _table(rows: list[list[str]]) -> str:
    """Texts in columns, the first to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if k == 0 else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
