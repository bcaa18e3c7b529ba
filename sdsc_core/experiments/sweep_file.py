"""A sweep kept in a file, setting by setting, so that one that was killed goes on."""

from collections.abc import Hashable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping import AXES, Outcome, Result

PAIRS = ("stability", "seed_stability")
KEPT = (*AXES, "hops", "self_weight", "steps", "neighbours")  # settings of a sweep's outcome


class SweepFile(MutableMapping[Hashable, Outcome]):
    """What `sweep` takes as ``kept``: outcomes by their key, on disk as soon as they are put here.

    >>> import tempfile
    >>> from sdsc_core import sweep
    >>> from sdsc_core.datasets import make_subspaces
    >>> from sdsc_core.sweeping import Grid
    >>> data, few = make_subspaces(2, 2, 10, 8), Grid(gamma=(3,), theta1=(0.8,), theta2=(0.6,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = sweep(data, few, kept=SweepFile(Path(folder) / "sweep.jsonl"))
    ...     len(SweepFile(Path(folder) / "sweep.jsonl"))
    1
    """

    def __init__(self, path: str | Path):
        self.store = Store(Path(path))

    def __getitem__(self, key: Hashable) -> Outcome:
        kept = self.store.cells[_cell(key).key]
        return _outcome(kept.rows)

    def __setitem__(self, key: Hashable, outcome: Outcome) -> None:
        self.store.add(_cell(key), _rows(outcome), 0.0)

    def __contains__(self, key: object) -> bool:
        return _cell(key).key in self.store.cells

    def __delitem__(self, key: Hashable) -> None:
        raise TypeError("What is kept in a file stays there; give another file.")

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.store.cells)

    def __len__(self) -> int:
        return len(self.store.cells)


def _cell(key: object) -> Cell:
    return Cell("sweep", 0, "IMC", repr(key))


def _rows(outcome: Outcome) -> list[Row]:
    s = outcome.settings
    text = " ".join(f"{name}={getattr(s, name)}" for name in KEPT)
    stage = s.dense or "none"
    rows = [
        Row(r.seed, r.draw, "IMC", stage, dict(r.figures), text, outcome.message)
        for r in outcome.results
    ]
    for name in PAIRS:
        for number, value in enumerate(getattr(outcome, name)):
            rows.append(Row(number, 0, "IMC", stage, {name: value}, name))
    return rows


def _value(name: str, word: str) -> Any:
    """A setting from its text, in the type of its default."""
    return None if word == "None" else type(getattr(RunSettings(), name))(word)


def _outcome(rows: list[Row]) -> Outcome:
    own = [row for row in rows if row.setting not in PAIRS]
    pairs = {
        name: tuple(float(row.figures[name] or 0.0) for row in rows if row.setting == name)
        for name in PAIRS
    }
    words = dict(word.split("=", 1) for word in own[0].setting.split(" "))
    given = {name: _value(name, word) for name, word in words.items()}
    settings = RunSettings(**given)
    results = tuple(Result(row.draw, int(row.where), row.figures) for row in own)
    return Outcome(settings, results, pairs["stability"], pairs["seed_stability"], own[0].message)
