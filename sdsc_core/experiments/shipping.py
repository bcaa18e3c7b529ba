"""What we measured, as small files in the package: every single result of every experiment.

``sdsc reproduce all --out DIR --ship`` writes them from the folder in which `sdsc reproduce` keeps
its cells, and computes nothing. A file NAME.csv has a line for each result; about.json says
of each experiment when, on what machine, with which versions and settings it was run.
"""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.output import COLUMNS, to_csv
from sdsc_core.experiments.readings import Readings
from sdsc_core.experiments.readings.judging import SCREENING
from sdsc_core.experiments.registry import EXPERIMENTS
from sdsc_core.experiments.running import Options, run

RESULTS = Path(__file__).with_name("results")
ABOUT = "about.json"
DIGITS = 5  # significant, of each figure
PICTURES = {"figure4": ("W", "W_star")}  # that no row holds


@dataclass(frozen=True, eq=False)  # one for each file, so that what follows from it can be kept
class Results:
    """The rows of an experiment, the runs that they come from, and each method's settings."""

    name: str
    rows: Sequence[Row]
    runs: Sequence[dict[str, Any]]
    settings: dict[str, str]

    def settings_of(self, of: Cell | Row) -> str:
        return self.settings.get(f"{of.method} at {of.where}", self.settings.get(of.method, ""))

    @property
    def n_draws(self) -> int:
        """The most draws that a method has at one place."""
        counts: dict[Any, int] = {}
        for row in self.rows:
            if row.figures and row.message != SCREENING:
                key = (row.where, row.name, row.setting)
                counts[key] = counts.get(key, 0) + 1
        return max(counts.values(), default=0)


def ship(
    source: Path,
    folder: Path | None = None,
    options: Options | None = None,
    names: Sequence[str] = tuple(EXPERIMENTS),
) -> list[str]:
    """Write what a folder of `sdsc reproduce` holds; the names of the experiments written.

    What was left out for the time that it would take is written as a line with its message.
    """
    folder = folder or RESULTS
    about, texts, written = _about(folder), {}, []
    for name, experiment in EXPERIMENTS.items():
        path = source / f"{name}.jsonl"
        if name not in names or not path.exists():
            continue
        store, chosen = Store(path), options or Options()
        rows = run(experiment, chosen, store, compute=False)
        texts[f"{name}.csv"] = to_csv([_short(r) for r in rows])
        about[name] = {
            "title": experiment.title,
            "runs": [r for k, r in enumerate(store.runs) if r not in store.runs[:k]],
            "settings": _settings(_taken(rows, store)),
        }
        for part in PICTURES.get(name, ()):
            picture = source / f"{name}_{part}.svg"
            if picture.exists():
                texts[picture.name] = picture.read_text("utf-8")
        written.append(name)
    texts[ABOUT] = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    folder.mkdir(exist_ok=True)
    for file, text in texts.items():  # at the end: what cannot be read changes nothing
        (folder / file).write_text(text, encoding="utf-8")
    return written


def _taken(rows: Sequence[Row], store: Store) -> list[Cell]:
    """The cells that these rows are of; the store may hold others, of other settings."""
    shown = {id(row) for row in rows}
    return [
        Cell(*key)  # type: ignore[misc]
        for key, kept in store.cells.items()
        if any(id(row) in shown for row in kept.rows)
    ]


def _settings(cells: Sequence[Cell]) -> dict[str, str]:
    """Each method's, and where they differ from place to place those of METHOD at PLACE too."""
    found: dict[str, str] = {}
    for cell in cells:
        if found.setdefault(cell.method, cell.settings) != cell.settings:
            found[f"{cell.method} at {cell.where}"] = cell.settings
    return found


def lay_out(name: str, folder: Path, shipped_in: Path | None = None) -> int:
    """Write the cells of what ships into a folder of `sdsc reproduce` that has none of NAME's.

    A run in that folder then computes only what is missing. Returns the number of cells: those
    whose settings are no longer the present ones are left out. A cell's seconds are those of its
    longest row, since each row counts the W that they share.
    """
    name = EXPERIMENTS[name].cells_of or name if name in EXPERIMENTS else name
    path, found = folder / f"{name}.jsonl", shipped(name, shipped_in)
    if found is None or found.name != name or path.exists():
        return 0
    store = Store(path)
    for run_ in found.runs:
        store.begin(run_)
    return _add_all(store, _present_cells(found))


def _present_cells(found: Results) -> dict[Cell, list[Row]]:
    """The cells that an experiment has now, with their rows."""
    experiment = EXPERIMENTS[found.name]
    if isinstance(experiment, Readings):  # where one cell chooses the next
        return experiment.gathered(found.rows, Options())
    rows: dict[Cell, list[Row]] = {}
    for row in found.rows:
        if row.figures:
            cell = Cell(row.where, row.draw, row.method, found.settings_of(row))
            rows.setdefault(cell, []).append(row)
    known = Store(None)
    _add_all(known, rows)
    present = set(experiment.kept_cells(Options(), known))
    return {cell: own for cell, own in rows.items() if cell in present}


def _add_all(store: Store, rows: dict[Cell, list[Row]]) -> int:
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
    """The results of an experiment, or None where it has none.

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
