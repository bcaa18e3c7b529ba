"""Tables 2, 3 and 4 of the paper, measured: ``sdsc reproduce``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sdsc_core import compare
from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice, check_count
from sdsc_core.compare import Result, keep_everything
from sdsc_core.datasets import Dataset, load_known, prepare
from sdsc_core.experiments import printed
from sdsc_core.methods import METHODS
from sdsc_core.settings import RunSettings

DIGITS = 5
STAGES = (None, "D1", "D2", "D3")

Print = dict[tuple[str, str], float]  # (method, stage) → a printed figure


@dataclass(frozen=True)
class Experiment:
    """One table: its data, how a draw of a size is made, what is run on it, what is printed.

    ``printed`` gives for a size and a figure what the paper prints of it, in %.
    """

    title: str
    data: str
    preset: str
    sizes: tuple[int, ...]
    default_sizes: tuple[int, ...]
    size_name: str
    figures: tuple[str, ...]
    stages: Callable[[str], tuple[str | None, ...]]
    draw: Callable[[Dataset, int, int], Dataset]
    printed: Callable[[int, str], Print]


def random_subjects(faces: Dataset, n_subjects: int, seed: int) -> Dataset:
    """All images of so many subjects, drawn at random."""
    chosen = np.random.default_rng(seed).choice(faces.n_classes, n_subjects, replace=False)
    return prepare(faces, classes=sorted(chosen.tolist()))


def random_digits(digits: Dataset, n_samples: int, seed: int, pca: int | None = None) -> Dataset:
    """Five digits drawn at random, equally many samples of each."""
    chosen = np.random.default_rng(seed).choice(digits.n_classes, DIGITS, replace=False)
    return prepare(
        digits,
        classes=sorted(chosen.tolist()),
        per_class=n_samples // DIGITS,
        pca=pca,
        random_state=seed,
    )


def _printed_2(n_subjects: int, figure: str) -> Print:
    rows = {name: values[n_subjects] for name, values in printed.TABLE_2.items()
            if n_subjects in values}  # fmt: skip
    return {("IMC", "PCE") if m == "IMC-P" else (m, "none"): v for m, v in rows.items()}


def _printed_3(n_samples: int, figure: str) -> Print:
    if figure != "acc":
        return {}
    stages = [d or "none" for d in STAGES]
    rows = printed.TABLE_3[n_samples].items()
    found = {(m, d): v for m, vs in rows for d, v in zip(stages, vs, strict=True)}
    imc = zip(("none", "PCE"), printed.TABLE_3_IMC[n_samples], strict=True)
    return found | {("IMC", d): v for d, v in imc}


def _printed_4(n_samples: int, figure: str) -> Print:
    at = ("acc", "nmi", "conn").index(figure)
    rows = printed.TABLE_4.items()
    return {(m, d): v[at] for m, vs in rows for d, v in zip(("none", "D3"), vs, strict=True)}


def _digit_stages(method: str) -> tuple[str | None, ...]:
    return (None, "PCE", *STAGES[1:]) if method == "IMC" else STAGES


EXPERIMENTS = {
    "table2": Experiment(
        title="Extended Yale B, random subjects, all of their images (Table 2)",
        data="yaleb", preset="faces",
        sizes=(2, 5, 10, 15, 20), default_sizes=(2, 5, 10), size_name="subjects",
        figures=("acc",), stages=lambda method: (None, "PCE") if method == "IMC" else (None,),
        draw=random_subjects, printed=_printed_2,
    ),
    "table3": Experiment(
        title="USPS, 200 principal components, five random digits (Table 3)",
        data="usps", preset="digits",
        sizes=(500, 1000, 2000, 3000), default_sizes=(500,), size_name="samples",
        figures=("acc", "nmi", "conn"), stages=_digit_stages,
        draw=lambda data, n, seed: random_digits(data, n, seed, pca=200), printed=_printed_3,
    ),
    "table4": Experiment(
        title="MNIST, scattering features, five random digits (Table 4)",
        data="mnist_scattering", preset="digits",
        sizes=(500,), default_sizes=(500,), size_name="samples",
        figures=("acc", "nmi", "conn"), stages=_digit_stages,
        draw=random_digits, printed=_printed_4,
    ),
}  # fmt: skip
LISTED = ("SSC", "OMP", "ENSC", "LSR", "LRR", "BDR", "SSSC", "IMC")


def run(
    name: str,
    folder: str | Path | None = None,
    *,
    sizes: Sequence[int] | None = None,
    methods: Sequence[str] = LISTED,
    draws: int = 20,
    params: dict[str, dict[str, Any]] | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[int, list[Result]]]:
    """Measure a table, a size at a time: the size, and a Result for each draw and cell.

    ``name`` is one of `EXPERIMENTS`; its data comes as in `load_known`. Draw s is seeded with s,
    and every method has its preset for this kind of data, or what ``params`` gives for its name.
    """
    check_choice(name, "name", tuple(EXPERIMENTS))
    check_count(draws, "draws", 1)
    chosen = EXPERIMENTS[name]
    for size in sizes or chosen.default_sizes:
        check_choice(size, "size", chosen.sizes)
    for method in methods:
        check_choice(method, "method", tuple(METHODS))
    settings = {m: METHODS[m].presets[chosen.preset] | (params or {}).get(m, {}) for m in methods}
    for method, values in settings.items():
        METHODS[method].settings(**values)
    data = load_known(chosen.data, folder)
    for size in sizes or chosen.default_sizes:
        results: list[Result] = []
        for seed in range(draws):
            part = chosen.draw(data, size, seed)
            for at, method in enumerate(methods):
                tick(progress, seed * len(methods) + at, draws * len(methods))
                results += _cells(chosen, part, method, seed, settings[method])
        tick(progress, 1, 1)
        yield size, results


def _cells(
    chosen: Experiment, part: Dataset, method: str, seed: int, params: dict[str, Any]
) -> list[Result]:
    keep = keep_everything()  # the method's W serves all dense stages
    cells = []
    for dense in chosen.stages(method):
        settings = RunSettings.of_method(method, params, dense=dense, n_clusters=part.n_classes)
        cells.append(compare.compare_cell(part, settings, repeat=seed, keep=keep)[0])
    return cells


def to_markdown(name: str, size: int, results: Sequence[Result]) -> str:
    """A table for each figure: methods down, stages across, each mean with the printed one.

    >>> r = Result("OMP", "none", 0, 0.95, 0.9, 0.1, 0.0, 0.0, 1.0)
    >>> print(to_markdown("table2", 2, [r]))
    ACC (%), 2 subjects, mean of 1 draw; in brackets the paper's
    <BLANKLINE>
    | method | none |
    |---|---|
    | OMP | 95.0 (99.2) |
    <BLANKLINE>
    """
    chosen = EXPERIMENTS[name]
    draws = len({r.repeat for r in results})
    texts = []
    for figure in chosen.figures:
        print_of = chosen.printed(size, figure)
        stages, rows = compare.grid(results, figure)
        head = f"{compare.TITLES[figure]} (%), {size} {chosen.size_name}, mean of {draws} draw"
        texts.append(head + ("s" if draws > 1 else "") + "; in brackets the paper's\n")
        texts.append("| method | " + " | ".join(stages) + " |")
        texts.append("|---" * (len(stages) + 1) + "|")
        for method, *cells in rows:
            line = [
                _beside(c, print_of.get((method, d))) for c, d in zip(cells, stages, strict=True)
            ]
            texts.append(f"| {method} | {' | '.join(line)} |")
        texts.append("")
    return "\n".join(texts)


def _beside(row: compare.Row | None, paper: float | None) -> str:
    if row is None:
        return ""
    return f"{100 * row.mean:.1f}" + ("" if paper is None else f" ({paper:.1f})")
