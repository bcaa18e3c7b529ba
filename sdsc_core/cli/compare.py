"""``sdsc compare FILE``: methods and baselines × dense stages, as on the Compare screen."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sdsc_core import compare, datasets
from sdsc_core.baselines import BASELINES
from sdsc_core.checks import check_choice, check_count, check_data
from sdsc_core.cli.options import (
    about_data,
    add_data,
    as_json,
    check_writable,
    named_by_option,
    preparation,
    read_params,
    read_raw,
)
from sdsc_core.cli.progress import Reporter
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.settings import RunSettings

KNOWN = (*METHODS, *BASELINES)
FIGURES = tuple(compare.TITLES)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The data, what to compare on it, and what to write."""
    add = parser.add_argument
    add_data(parser)
    add("--methods", nargs="+", default=["IMC", "KNN", "k-means"], metavar="NAME",
        help=f"of {', '.join(KNOWN)}; IMC, KNN and k-means by default")  # fmt: skip
    add("--dense", nargs="+", default=["none", "D3"], metavar="STAGE",
        help=f"of {', '.join(compare.STAGES)}; none and D3 by default")  # fmt: skip
    add("--repeats", type=int, default=1, help="each with its own seed, and draw if any")
    add("--preset", choices=KINDS, help="of every method, for such data")
    add("--param", action="append", default=[], metavar="METHOD.NAME=VALUE", help="of a method")
    add("--theta1", type=float, default=RunSettings.theta1, help="θ₁ of PCE, 0.8 by default")
    add("--theta2", type=float, default=RunSettings.theta2, help="θ₂ of PCE, 0.6 by default")
    add("--clusters", type=int, help="how many; by default one for each class, else by the gap")
    add("--seed", type=int, default=0, help="of the first repeat, 0 by default")
    add("--figure", choices=FIGURES, help="that the table shows; acc by default, else conn")
    add("--average", choices=compare.AVERAGES, default="mean", help="over the repeats")
    add("--latex", action="store_true", help="print the table as LaTeX, not as Markdown")
    add("--json", action="store_true", help="print all results as JSON")
    add("--csv", metavar="FILE", help="write every result")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    methods = _methods(options)
    for stage in options.dense:
        check_choice(stage, "--dense", compare.STAGES)
    check_count(options.repeats, "--repeats", 1)
    check_count(options.seed, "--seed", 0)
    check_writable(options.csv)
    draw, prepared = _draws(options)
    data, reporter = draw(0), Reporter()
    k = options.clusters
    if k is None:
        k = data.n_classes or compare.suggest_clusters(data)
    how: dict[str, Any] = {"n_clusters": k, "theta1": options.theta1, "theta2": options.theta2}
    with named_by_option():
        results = compare.compare_methods(
            draw, methods, options.dense, repeats=options.repeats, seed=options.seed,
            report=reporter.named, **how,
        )  # fmt: skip
    reporter.clear()
    if options.csv:
        Path(options.csv).write_text(compare.to_csv(results), encoding="utf-8")
    thetas = (options.theta1, options.theta2) if "PCE" in options.dense else ()
    seed = options.seed
    about = compare.About.of(data, k, methods, thetas=thetas, seed=seed, prepared=prepared)
    if options.json:
        everything = {"about": asdict(about), "results": [asdict(r) for r in results]}
        print(as_json(everything))
        return
    print(about_data(options, data), end="", file=sys.stderr)  # the table may go into a file
    figure = options.figure or ("acc" if data.n_classes else "conn")
    show = compare.to_latex if options.latex else compare.to_markdown
    print(show(results, figure, options.average, about), end="")
    for note in dict.fromkeys(f"{r.method}: {r.message}" for r in results if r.message):
        print(note)


def _methods(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Every method with its parameters, checked."""
    known = {name: compare.entry(name).parameters for name in KNOWN}
    given = read_params(options.param, known)
    chosen = {}
    for name in options.methods:
        check_choice(name, "--methods", KNOWN)
        preset = compare.entry(name).presets.get(options.preset, {}) if options.preset else {}
        chosen[name] = compare.entry(name).settings(**{**preset, **given.pop(name, {})})
    if given:
        raise ValueError(f"--param is for {', '.join(given)}, not among --methods; add it there.")
    return chosen


def _draws(options: argparse.Namespace) -> tuple[Callable[[int], datasets.Dataset], str]:
    """The points of each repeat: other ones, where samples are drawn; and how, in words."""
    raw = read_raw(options)
    how = preparation(options, raw)
    first = datasets.prepare(raw, **how)
    check_data(first.X, name=repr(first.name), copy=False)

    def draw(repeat: int) -> datasets.Dataset:
        if not repeat or not options.per_class:
            return first
        return datasets.prepare(raw, **how | {"random_state": options.draw + repeat})

    return draw, datasets.steps_in_words(how, bool(raw.n_classes))
