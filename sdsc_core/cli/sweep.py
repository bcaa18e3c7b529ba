"""``sdsc sweep FILE``: many settings at once, the best of them, and a suggestion without labels."""

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdsc_core import datasets
from sdsc_core.cli.options import (
    about_data,
    add_data,
    as_json,
    data_words,
    folder_to_write,
    named_by_option,
    preparation,
    read_data,
    read_raw,
)
from sdsc_core.cli.progress import Reporter
from sdsc_core.compare import suggest_clusters
from sdsc_core.experiments import criteria
from sdsc_core.experiments.sweep_file import SweepFile
from sdsc_core.settings import as_options
from sdsc_core.sweeping import (
    AXES,
    CRITERIA,
    FIGURES,
    Grid,
    Outcome,
    best,
    describe,
    draws_of,
    known_figures,
    notes,
    read_axis,
    scores,
    spell_axis,
    sweep,
    title_of,
    to_csv,
)
from sdsc_core.sweeping import as_json as as_rows

SHOWN = 10  # settings that are printed, the best first
COLUMNS = ("acc", "nmi", "conn", "ncut", "density", "components", "stability", "silhouette")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The grid, the draws and seeds, and where to keep it."""
    add_data(parser)
    add, usual = parser.add_argument, Grid()
    for name in AXES:
        add(f"--{name}", metavar="VALUES",
            help=f"FIRST:LAST:STEP or values with commas; {spell_axis(getattr(usual, name))}"
            " by default")  # fmt: skip
    add("--figure2", action="store_true",
        help="the two lines of Figure 2: θ₁ at θ₂ = 0.6, θ₂ at θ₁ = 0.8")  # fmt: skip
    add("--clusters", type=int, metavar="K", help="by default one for each class, else suggested")
    add("--draws", type=int, default=1,
        help="1 by default; others are random parts, or with --per-class other draws")  # fmt: skip
    add("--seeds", type=int, default=1, help="how many seeds of k-means, 1 by default")
    add("--by", choices=[*FIGURES, "together"], metavar="FIGURE",
        help="order by this figure; ACC by default, without labels the suggestion's")  # fmt: skip
    add("--out", metavar="DIR", help="keep each setting there, go on there, and write sweep.csv")
    add("--json", action="store_true", help="print all as JSON")
    parser.set_defaults(run=_sweep)


def _sweep(options: argparse.Namespace) -> None:
    with named_by_option():
        grid = _grid(options)
        seeds = range(_at_least_one(options.seeds, "--seeds"))
        draws = _draws(options, _at_least_one(options.draws, "--draws"))
        kept = SweepFile(folder_to_write(options.out) / "sweep.jsonl") if options.out else None
        report = Reporter("settings")
        if options.clusters is None and not draws[0].n_classes:  # the suggested command states it
            options.clusters = suggest_clusters(draws[0], Reporter("clusters"))
        found = sweep(
            draws, grid, seeds=seeds, n_clusters=options.clusters, kept=kept, progress=report
        )
    report.clear()
    if options.out:
        Path(options.out, "sweep.csv").write_text(to_csv(found), encoding="utf-8")
    criterion = criteria.preferred(criteria.read(), known_figures(found, CRITERIA) or CRITERIA)
    by = options.by or ("acc" if draws[0].n_classes else criterion)
    if options.json:
        print(as_json(_everything(draws[0], found, criterion, options.clusters)))
        return
    print(about_data(options, draws[0]), end="")
    clusters = options.clusters or draws[0].n_classes
    print(f"{draws[0].name}: {len(found)} settings, {len(found[0].results)} results each,"
          f" {clusters} clusters.")  # fmt: skip
    print(_table(found, by))
    for note in notes(found):
        print(note)
    print(_suggestion(found, criterion, options))


def _at_least_one(number: int, option: str) -> int:
    if number < 1:
        raise ValueError(f"{option} is {number}; give a whole number from 1.")
    return number


def _grid(options: argparse.Namespace) -> Grid:
    given = {name: getattr(options, name) for name in AXES if getattr(options, name) is not None}
    axes: dict[str, Any] = {name: read_axis(name, text) for name, text in given.items()}
    if options.figure2:
        return Grid(**{"gamma": (5,)} | axes, cross=(0.8, 0.6))
    return Grid(**axes)


def _draws(options: argparse.Namespace, number: int) -> list[datasets.Dataset]:
    if not options.per_class:
        return draws_of(read_data(options), number)
    raw = read_raw(options)
    steps = preparation(options, raw)
    return [
        datasets.prepare(raw, **steps | {"random_state": options.draw + k}) for k in range(number)
    ]


def _table(found: list[Outcome], by: str) -> str:
    """The best settings, a line each."""
    order = scores(found, by).argsort(kind="stable")[::-1]
    columns = [name for name in COLUMNS if name in known_figures(found)]
    if by in FIGURES and by not in columns:
        columns.insert(0, by)
    width = max(len(describe(o.settings)) for o in found)
    heads = [FIGURES[name].title for name in columns]
    lines = [f"{'':{width}}" + "".join(f"  {head:>{max(12, len(head))}}" for head in heads)]
    for k in order[:SHOWN]:
        cells = (_cell(found[k], name) for name in columns)
        texts = (f"  {c:>{max(12, len(h))}}" for c, h in zip(cells, heads, strict=True))
        lines.append(f"{describe(found[k].settings):{width}}" + "".join(texts))
    if len(found) > SHOWN:
        lines.append(f"… and {len(found) - SHOWN} more; ordered by {title_of(by)}.")
    return "\n".join(lines)


def _cell(outcome: Outcome, name: str) -> str:
    scale, places = (100, 1) if FIGURES[name].percent else (1, 3)
    value = f"{scale * outcome.mean(name):.{places}f}" + (" %" if FIGURES[name].percent else "")
    if len(outcome.values(name)) < 2:
        return value
    return f"{value} ± {scale * outcome.spread(name):.{places}f}"


def _suggestion(found: list[Outcome], criterion: str, options: argparse.Namespace) -> str:
    """What is suggested without a look at labels, and how far to trust it."""
    chosen = best(found, criterion)
    words = f"Suggested without labels, by {title_of(criterion)}: {describe(chosen.settings)}."
    if chosen.values("acc").size:
        top = best(found, "acc")
        words += f" Its ACC is {_cell(chosen, 'acc')}, the best {_cell(top, 'acc')}."
    evidence = criteria.read()
    known = {t.criterion: t for t in criteria.trust(evidence)}
    fair = criteria.left_out(evidence, known_figures(found, CRITERIA))
    if criterion in known:
        words += f" {known[criterion].sentence}" + (f" {fair.sentence}" if fair else "")
    asked = replace(chosen.settings, n_clusters=options.clusters)
    return f"{words}\n{shlex.join(['sdsc', 'cluster', *data_words(options), *as_options(asked)])}"


def _everything(
    data: datasets.Dataset, found: list[Outcome], criterion: str, clusters: int | None
) -> dict[str, Any]:
    chosen = best(found, criterion)
    suggested: dict[str, Any] = {"criterion": criterion, "setting": describe(chosen.settings)}
    suggested |= {name: getattr(chosen.settings, name) for name in AXES}
    return {
        "data": {"name": data.name, "points": data.n_points, "classes": data.n_classes},
        "clusters": clusters or data.n_classes,
        "settings": as_rows(found),
        "suggested": suggested,
    }
