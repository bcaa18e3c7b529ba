"""What we measured, as small files in the package: every single result of every experiment.

``sdsc reproduce all --out DIR --ship`` writes them from the folder in which `sdsc reproduce` keeps
its cells, and computes nothing. A file NAME.csv has a line for each result; about.json says
of each experiment when, on what machine, with which versions and settings it was run.
"""

import csv
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sdsc_core.experiments import hopkins
from sdsc_core.experiments.keeping import Cell, Row, Store, this_run
from sdsc_core.experiments.output import COLUMNS, to_csv
from sdsc_core.experiments.registry import EXPERIMENTS
from sdsc_core.experiments.running import Options, run

RESULTS = Path(__file__).with_name("results")
ABOUT = "about.json"
DIGITS = 5  # significant, of each figure
HOPKINS = "hopkins"
PICTURES = {"figure4": ("W", "W_star")}  # that no row holds


@dataclass(frozen=True)
class Results:
    """The rows of an experiment, the runs that they come from, and each method's settings."""

    name: str
    rows: Sequence[Row]
    runs: Sequence[dict[str, Any]]
    settings: dict[str, str]

    @property
    def n_draws(self) -> int:
        """The most draws that a method has at one place."""
        counts: dict[Any, int] = {}
        for row in self.rows:
            if row.figures:
                key = (row.where, row.name, row.setting)
                counts[key] = counts.get(key, 0) + 1
        return max(counts.values(), default=0)


def ship(
    source: Path,
    folder: Path | None = None,
    options: Options | None = None,
    names: Sequence[str] = (*EXPERIMENTS, "hopkins"),
) -> list[str]:
    """Write what a folder of `sdsc reproduce` holds; the names of the experiments written.

    What was left out for the time that it would take is written as a line with its message.
    """
    folder = folder or RESULTS
    folder.mkdir(exist_ok=True)
    about = _about(folder)
    written = []
    for name, experiment in EXPERIMENTS.items():
        path = source / f"{name}.jsonl"
        if name not in names or not path.exists():
            continue
        store = Store(path)
        rows = run(experiment, options or Options(), store, compute=False)
        (folder / f"{name}.csv").write_text(to_csv([_short(r) for r in rows]), encoding="utf-8")
        cells = [Cell(*key) for key in store.cells]  # type: ignore[misc]
        about[name] = {
            "title": experiment.title,
            "runs": store.runs,
            "settings": {cell.method: cell.settings for cell in cells},
        }
        for part in PICTURES.get(name, ()):
            picture = source / f"{name}_{part}.svg"
            if picture.exists():
                shutil.copyfile(picture, folder / picture.name)
        written.append(name)
    if HOPKINS in names and (source / f"{HOPKINS}.csv").exists():
        cells_of = hopkins.read(source / f"{HOPKINS}.csv")
        shutil.copyfile(source / f"{HOPKINS}.csv", folder / f"{HOPKINS}.csv")
        day = time.gmtime((source / f"{HOPKINS}.csv").stat().st_mtime)
        about[HOPKINS] = {
            "title": "Hopkins155, segmentation of rigid motions",
            "runs": [this_run() | {"date": time.strftime("%Y-%m-%d", day)}],
            "settings": {cell.method: cell.settings for cell in cells_of},
        }
        written.append(HOPKINS)
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    (folder / ABOUT).write_text(text, encoding="utf-8")
    return written


def lay_out(name: str, folder: Path, shipped_in: Path | None = None) -> int:
    """Write the cells of what ships into a folder of `sdsc reproduce` that has none of NAME's.

    A run in that folder then computes only what is missing. Returns the number of cells: those
    whose settings are no longer the present ones are left out. A cell's seconds are those of its
    longest row, since each row counts the W that they share.
    """
    if name == HOPKINS and not (folder / f"{HOPKINS}.csv").exists():
        shutil.copyfile((shipped_in or RESULTS) / f"{HOPKINS}.csv", folder / f"{HOPKINS}.csv")
        return len(hopkins.read(folder / f"{HOPKINS}.csv"))
    path, found = folder / f"{name}.jsonl", shipped(name, shipped_in)
    if found is None or found.name != name or path.exists():
        return 0
    present = {(c.where, c.draw, c.method): c for c in EXPERIMENTS[name].cells(Options())}
    rows: dict[Cell, list[Row]] = {}
    for row in found.rows:
        cell = present.get((row.where, row.draw, row.method))
        if row.figures and cell and found.settings.get(cell.method) == cell.settings:
            rows.setdefault(cell, []).append(row)
    store = Store(path)
    for run_ in found.runs:
        store.begin(run_)
    for cell, own in rows.items():
        store.add(cell, own, max(row.figures.get("seconds") or 0.0 for row in own))
    return len(rows)


def picture(name: str, part: str) -> str | None:
    """A picture of an experiment as SVG, where there is one.

    >>> picture("figure9", "W") is None
    True
    """
    path = RESULTS / f"{name}_{part}.svg"
    return path.read_text("utf-8") if path.exists() else None


def _short(row: Row) -> Row:
    figures = {
        name: None if value is None else float(f"{value:.{DIGITS}g}")
        for name, value in row.figures.items()
    }
    return Row(row.where, row.draw, row.method, row.stage, figures, row.setting, row.message)


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def shipped(name: str, folder: Path | None = None) -> Results | None:
    """The results of an experiment, or None where it has none; of Hopkins155 see `hopkins.read`.

    >>> shipped("figure9") is None
    True
    """
    path = (folder or RESULTS) / f"{name}.csv"
    if name not in EXPERIMENTS or not path.exists():
        other = EXPERIMENTS[name].cells_of if name in EXPERIMENTS else ""
        return shipped(other, folder) if other else None
    return _read(name, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _read(name: str, path: Path, changed: int) -> Results:
    about = _about(path.parent).get(name, {})
    with open(path, newline="", encoding="utf-8") as file:
        rows = [_row(line) for line in csv.DictReader(file)]
    return Results(name, rows, about.get("runs", []), about.get("settings", {}))


def _row(line: dict[str, str]) -> Row:
    fixed = {*COLUMNS, "message"}
    figures = {
        name: float(value) for name, value in line.items() if name not in fixed and value != ""
    }
    where: int | str = int(line["where"]) if line["where"].isdigit() else line["where"]
    return Row(
        where, int(line["draw"]), line["method"], line["stage"], dict(figures), line["setting"],
        line["message"],
    )  # fmt: skip
