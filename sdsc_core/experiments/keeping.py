"""Results of an experiment, kept cell by cell in a file, so that a run that was killed goes on."""

import json
import os
import platform
import time
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Row:
    """One result: which cell it is of, the dense stage, what else was set, and the figures."""

    where: int | str  # subjects, samples, points, data set or sequence
    draw: int
    method: str
    stage: str
    figures: dict[str, float | None]
    setting: str = ""  # what a figure's axis varies, as in "theta1=0.65"
    message: str = ""

    @property
    def name(self) -> str:
        """As the paper calls it: IMC-P, SSC-D3.

        >>> Row(2, 0, "SSC", "D3", {}).name, Row(2, 0, "IMC", "PCE", {}).name
        ('SSC-D3', 'IMC-P')
        """
        ends = {"none": "", "PCE": "-P"}
        return self.method + ends.get(self.stage, f"-{self.stage}")


@dataclass(frozen=True)
class Cell:
    """What is computed at once and kept: one method on one draw, with these settings."""

    where: int | str
    draw: int
    method: str
    settings: str

    @property
    def key(self) -> Hashable:
        return str(self.where), self.draw, self.method, self.settings


@dataclass
class Kept:
    """The rows of a cell, and the CPU seconds that it took."""

    rows: list[Row]
    seconds: float
    run: int


@dataclass
class Store:
    """A file of JSON lines: one for each run (when, where, which versions), one for each cell.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "table2.jsonl")
    ...     store.add(Cell(2, 0, "OMP", ""), [Row(2, 0, "OMP", "none", {"acc": 0.9})], 1.5)
    ...     Store(store.path).get(Cell(2, 0, "OMP", "")).rows[0].figures
    {'acc': 0.9}
    """

    path: Path | None
    runs: list[dict[str, Any]] = field(default_factory=list)
    cells: dict[Hashable, Kept] = field(default_factory=dict)
    begun: bool = False  # whether this run has its line

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        """A line that a killed run left half written is taken away."""
        whole = 0
        for line in path.read_bytes().splitlines(keepends=True):
            try:
                found = json.loads(line)
                if not line.endswith(b"\n"):
                    break
                self.take(found)
            except (ValueError, TypeError, KeyError):
                if whole == 0 or line.endswith(b"\n"):
                    raise ValueError(
                        f"{str(path)!r} holds something else; give another folder."
                    ) from None
                break
            whole += len(line)
        if whole < path.stat().st_size:
            os.truncate(path, whole)

    def take(self, found: dict[str, Any]) -> None:
        if "run" in found:
            self.runs.append(found["run"])
            return
        rows = [Row(**row) for row in found["rows"]]
        self.cells[Cell(**found["cell"]).key] = Kept(rows, found["seconds"], found["of_run"])

    def get(self, cell: Cell) -> Kept | None:
        return self.cells.get(cell.key)

    def add(self, cell: Cell, rows: list[Row], seconds: float) -> None:
        """Keep a cell; it is on disk when this returns."""
        if not self.begun:
            self.begin(this_run())
        self.cells[cell.key] = Kept(rows, seconds, len(self.runs) - 1)
        self._write({"cell": asdict(cell), "rows": [asdict(r) for r in rows],
                     "seconds": round(seconds, 3), "of_run": len(self.runs) - 1})  # fmt: skip

    def begin(self, run: dict[str, Any]) -> None:
        """Note the run that the cells from here on are of."""
        self.runs.append(run)
        self._write({"run": run})
        self.begun = True

    def _write(self, line: dict[str, Any]) -> None:
        if self.path is None:
            return
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def this_run() -> dict[str, Any]:
    """When, on what machine and with which versions a run is made."""
    from sdsc_core import __version__

    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "sdsc-explorer": __version__,
        **{name: version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
