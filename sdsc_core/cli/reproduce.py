"""``sdsc reproduce NAME``: a table of the paper, measured."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdsc_core import compare, experiments
from sdsc_core.checks import check_choice
from sdsc_core.cli.options import check_writable, read_param
from sdsc_core.cli.progress import Reporter
from sdsc_core.methods import METHODS

HOPKINS = "hopkins"
EXPERIMENTS = (*experiments.EXPERIMENTS, HOPKINS)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which table, how many draws, which methods."""
    add = parser.add_argument
    add("name", metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}")
    add("--data", metavar="DIR", help="folder with the data sets; else SDSC_DATA, else OpenML")
    add("--quick", action="store_true", help="a small part of it")
    add("--sizes", type=int, nargs="+", help="subjects or samples, as in the table")
    add("--methods", nargs="+", help="those of the paper by default, of hopkins all")
    add("--draws", type=int, help="random draws, 20 by default")
    add("--param", action="append", default=[], metavar="METHOD.NAME=VALUE", help="not the preset")
    add("--output", metavar="FILE", help="write every single result, .csv; hopkins goes on there")
    parser.set_defaults(run=_reproduce)


def _reproduce(options: argparse.Namespace) -> None:
    check_choice(options.name, "NAME", EXPERIMENTS)
    check_writable(options.output)
    report = Reporter()
    report.stage = options.name
    if options.name == HOPKINS:
        _reproduce_hopkins(options, report)
        return
    smallest = [min(experiments.EXPERIMENTS[options.name].sizes)] if options.quick else None
    found = experiments.run(
        options.name,
        options.data,
        sizes=options.sizes or smallest,
        methods=options.methods or experiments.LISTED,
        draws=(2 if options.quick else 20) if options.draws is None else options.draws,
        params=_method_params(options.param),
        progress=report,
    )
    rows: list[tuple[int, str]] = []
    for size, results in found:
        report.clear()
        if not rows:
            print(experiments.EXPERIMENTS[options.name].title + "\n")
        print(experiments.to_markdown(options.name, size, results), flush=True)
        rows += [(size, line) for line in compare.to_csv(results).splitlines()[1:]]
        if options.output is not None:
            head = "size," + compare.to_csv([])
            lines = "".join(f"{at},{line}\n" for at, line in rows)
            Path(options.output).write_text(head + lines, encoding="utf-8")


def _reproduce_hopkins(options: argparse.Namespace, report: Reporter) -> None:
    for name in ("sizes", "draws"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"--{name} is not for hopkins; every method meets every sequence once."
            )
    cells = experiments.hopkins.run(
        options.data,
        methods=options.methods or tuple(METHODS),
        quick=options.quick,
        params=_method_params(options.param),
        kept=options.output,
        progress=report,
    )
    report.clear()
    print(experiments.hopkins.to_markdown(cells))


def _method_params(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        method, _, rest = text.partition(".")
        check_choice(method, "METHOD in --param", tuple(METHODS))
        name, value = read_param(rest, METHODS[method], "METHOD.NAME=VALUE")
        given.setdefault(method, {})[name] = value
    return given
