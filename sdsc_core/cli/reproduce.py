"""``sdsc reproduce NAME``: a figure or a table of the paper, measured."""

import argparse
from pathlib import Path

from sdsc_core import experiments
from sdsc_core.checks import check_choice
from sdsc_core.cli.options import folder_to_write, read_params
from sdsc_core.cli.progress import Reporter
from sdsc_core.cli.warm import warm_up
from sdsc_core.methods import METHODS

NAMES = (*experiments.EXPERIMENTS, "all")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which figure or table, how many draws, which methods."""
    add = parser.add_argument
    add("name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    add("--data", metavar="DIR", help="folder with the data sets; else SDSC_DATA, else OpenML")
    add("--out", metavar="DIR", help="write results, tables and charts there, and go on there")
    add("--quick", action="store_true", help="a small part of it, within a minute")
    add("--sizes", type=int, nargs="+", help="subjects, samples or points, as in the table")
    add("--methods", nargs="+", help="all of the table by default")
    add("--draws", type=int, help="random draws, 20 by default")
    add("--seed", type=int, default=0, help="of the first draw, 0 by default")
    add("--limit", type=float, default=experiments.Options.limit,
        help="seconds that a method may take for one draw")  # fmt: skip
    add(
        "--ship",
        action="store_true",
        help="compute nothing; put what --out holds into the package, for the Paper screen",
    )
    add(
        "--go-on",
        action="store_true",
        help="begin with the results that the package has, and compute what they lack into --out",
    )
    add("--param", action="append", default=[], metavar="METHOD.NAME=VALUE", help="not the preset")
    parser.set_defaults(run=_reproduce)


def _reproduce(options: argparse.Namespace) -> None:
    check_choice(options.name, "NAME", NAMES)
    folder = None if options.out is None else folder_to_write(options.out)
    parameters = {name: method.parameters for name, method in METHODS.items()}
    chosen = experiments.Options(
        folder=options.data,
        draws=options.draws,
        seed=options.seed,
        quick=options.quick,
        sizes=options.sizes,
        methods=options.methods,
        params=read_params(options.param, parameters),
        limit=options.limit,
    )
    names = list(experiments.EXPERIMENTS) if options.name == "all" else [options.name]
    if options.ship:
        if folder is None:
            raise ValueError("--ship needs --out, the folder that holds the results.")
        written = experiments.ship(folder, options=chosen, names=names)
        print(f"Written: {', '.join(written) or 'nothing'}.")
        return
    if options.go_on:
        if folder is None:
            raise ValueError("--go-on needs --out, the folder that takes the results.")
        for name in names:
            experiments.lay_out(name, folder)
    warm_up()  # what is measured holds no time of compiling
    for name in names:
        _measure(name, chosen, folder, Reporter(name))


def _measure(
    name: str, options: experiments.Options, folder: Path | None, report: Reporter
) -> None:
    experiment = experiments.EXPERIMENTS[name]
    store = experiments.Store(folder / f"{experiment.cells_of or name}.jsonl" if folder else None)
    rows = experiments.run(experiment, options, store, report)
    report.clear()
    print(experiments.to_markdown(experiment, rows), flush=True)
    if folder:
        experiments.write(name, experiment, options, rows, store)
