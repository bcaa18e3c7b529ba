"""Hopkins155, segmentation of rigid motions: ``sdsc reproduce hopkins``.

Not in the paper, but the usual test of its methods on affine subspaces: the tracks of one motion
under an affine camera. Every cell is one method on one sequence, and is kept as soon as it is
known, so that a run that was stopped goes on where it was.
"""

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice
from sdsc_core.datasets import Dataset, load
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.experiments.printed import HOPKINS
from sdsc_core.methods import METHODS
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings

FILE = "hopkins155.npz"
MOTIONS = (2, 3)
QUICK = 12  # of so many sequences a quick run takes one
MEASURED = Path(__file__).parent / "results" / "hopkins.csv"  # what we measured, all sequences


@dataclass(frozen=True)
class Cell:
    """One method on one sequence: the share of points in a wrong cluster."""

    method: str
    settings: str
    sequence: str
    motions: int
    error: float


COLUMNS = tuple(Cell.__dataclass_fields__)


def sequences(folder: str | Path | None = None, quick: bool = False) -> list[tuple[str, Dataset]]:
    """The sequences with two or three motions by name, tracks (N, 2F) with their motions as labels.

    ``folder``, or that of SDSC_DATA, holds hopkins155.npz (``names``, and ``X_<name>`` and
    ``y_<name>`` for each) or the database as its authors give it, NAME_truth.mat in folders.
    """
    given = folder or os.environ.get(FOLDER_VARIABLE)
    found = list(_sequences(Path(given))) if given else []
    if not found:
        raise ValueError(
            f"Hopkins155 is not in {str(given)!r}; put {FILE}, or the database's folders with their"
            f" *_truth.mat, into a folder and give it as folder or in {FOLDER_VARIABLE}."
        )
    if quick:
        by_motions = [[s for s in found if s[1].n_classes == n] for n in MOTIONS]
        found = [s for part in by_motions for s in part[::QUICK]]
    return found


def _sequences(folder: Path) -> Iterator[tuple[str, Dataset]]:
    if (folder / FILE).is_file():
        with np.load(folder / FILE) as arrays:
            for name in map(str, arrays["names"]):
                X, y = arrays[f"X_{name}"].astype(np.float64), arrays[f"y_{name}"].astype(np.int64)
                classes = tuple(f"motion {k + 1}" for k in range(y.max() + 1))
                yield name, Dataset(X, y, name, classes, kind="motion")
        return
    for path in sorted(folder.rglob("*_truth.mat")):
        data = load(path)
        if data.n_classes in MOTIONS:  # the database also has a sequence with five
            yield path.stem.removesuffix("_truth"), data


def run(
    folder: str | Path | None = None,
    *,
    methods: Sequence[str] = tuple(METHODS),
    quick: bool = False,
    params: dict[str, dict[str, Any]] | None = None,
    kept: str | Path | None = None,
    progress: Progress | None = None,
) -> list[Cell]:
    """Each method with its preset for motion, or what ``params`` gives, on each sequence.

    ``kept`` is a .csv file: cells that it has with the same settings are not computed again, and
    each new one is added to it at once.
    """
    for method in methods:
        check_choice(method, "method", tuple(METHODS))
    chosen = {m: METHODS[m].presets["motion"] | (params or {}).get(m, {}) for m in methods}
    texts = {m: _text(METHODS[m].settings(**values)) for m, values in chosen.items()}
    found = sequences(folder, quick)
    known = {(c.method, c.settings, c.sequence): c for c in (read(kept) if kept else ())}
    cells = []
    for at, method in enumerate(methods):
        for index, (name, data) in enumerate(found):
            tick(progress, at * len(found) + index, len(methods) * len(found))
            key = (method, texts[method], name)
            if key not in known:
                known[key] = Cell(*key, data.n_classes, _error(data, method, chosen[method]))
                if kept:
                    _add(Path(kept), known[key])
            cells.append(known[key])
    tick(progress, 1, 1)
    return cells


def _error(data: Dataset, method: str, params: dict[str, Any]) -> float:
    settings = RunSettings.of_method(method, params, dense=None)
    acc = run_stages(data, settings).after.summary.acc
    assert acc is not None
    return round(1.0 - acc, 6)


def _text(settings: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in settings.items())


def read(path: str | Path) -> list[Cell]:
    """The cells of a .csv file, none where there is no file; a line cut short is left out."""
    if not Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        head, *lines = list(csv.reader(file)) or [[]]
        if tuple(head) != COLUMNS:
            raise ValueError(f"{str(path)!r} holds something else; give the name of a new file.")
        whole = [line for line in lines if len(line) == len(COLUMNS)]
    return [Cell(m, s, name, int(n), float(error)) for m, s, name, n, error in whole]


def _add(path: Path, cell: Cell) -> None:
    """Append a cell; a line that a killed run left half written is ended first."""
    new = not path.exists() or not path.stat().st_size
    cut = not new and not path.read_bytes().endswith(b"\n")
    with open(path, "a", newline="", encoding="utf-8") as file:
        file.write("\n" if cut else "")
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerow([getattr(cell, name) for name in COLUMNS])


def to_markdown(cells: Sequence[Cell]) -> str:
    """Methods down; mean, median and the published mean for two and for three motions across.

    >>> cells = [Cell("SSC", "", "cars", 2, 0.02), Cell("SSC", "", "arm", 2, 0.0)]
    >>> print(to_markdown(cells))
    Clustering error (%) of Hopkins155: 2 sequences with two motions, 0 with three
    <BLANKLINE>
    | method | two: mean | median | published | three: mean | median | published | source |
    |---|---|---|---|---|---|---|---|
    | SSC | 1.00 | 1.00 | 1.52 | | | 4.40 | Elhamifar and Vidal 2013 |
    <BLANKLINE>
    """
    counts = [len({c.sequence for c in cells if c.motions == n}) for n in MOTIONS]
    lines = [
        f"Clustering error (%) of Hopkins155: {counts[0]} sequences with two motions,"
        f" {counts[1]} with three\n",
        "| method | two: mean | median | published | three: mean | median | published | source |",
        "|---" * 8 + "|",
    ]
    for method in dict.fromkeys(c.method for c in cells):
        *published, source = HOPKINS.get(method, (None, None, ""))
        line = [method]
        for n, figure in zip(MOTIONS, published, strict=True):
            errors = [100 * c.error for c in cells if c.method == method and c.motions == n]
            line += [f"{np.mean(errors):.2f}", f"{np.median(errors):.2f}"] if errors else ["", ""]
            line.append("" if figure is None else f"{figure:.2f}")
        lines.append(f"| {' | '.join([*line, source])} |".replace("  ", " "))
    return "\n".join([*lines, ""])
