"""Hopkins155: sequences of tracks by name, as in ``hopkins:1R2RC``, from a folder of one's own."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.datasets.limits import OWN, Limits
from sdsc_core.datasets.readers import load
from sdsc_core.datasets.safe import reading

PREFIX = "hopkins:"
FILE, ENDING = "hopkins155.npz", "_truth.mat"
MOTIONS = {2: "two", 3: "three"}  # of the sequences that are read; the database has one with five
WORD = re.compile(r"[\w-]{1,100}", re.ASCII)


def _folder(folder: str | Path | None) -> Path | None:
    given = folder or os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else None


def sequences(folder: str | Path | None = None) -> list[tuple[str, Dataset]]:
    """The sequences with two or three motions by name, tracks (N, 2F) with their motions as labels.

    ``folder``, or that of SDSC_DATA, holds hopkins155.npz (``names``, and ``X_<name>`` and
    ``y_<name>`` for each) or the database as its authors give it, NAME_truth.mat in folders.

    >>> sequences("/nowhere")
    Traceback (most recent call last):
    ValueError: Hopkins155 is not in '/nowhere': get hopkins155.npz, or the folders of the database
    Hopkins 155 with their *_truth.mat; put it into a folder, and give that by --data or in
    SDSC_DATA.
    """
    place = _folder(folder)
    found = list(_sequences(place)) if place else []
    if not found:
        raise ValueError(missing_sequences(folder))
    return found


def missing_sequences(folder: str | Path | None = None) -> str:
    """What to get, and where to put it.

    >>> missing_sequences("/data")[:33]
    "Hopkins155 is not in '/data': get"
    """
    place = _folder(folder)
    where = "here, as no folder of data is given" if place is None else f"in {str(place)!r}"
    return (
        f"Hopkins155 is not {where}: get {FILE}, or the folders of the database Hopkins 155 with"
        f" their *{ENDING}; put it into a folder, and give that by --data or in {FOLDER_VARIABLE}."
    )


def _sequences(folder: Path) -> Iterator[tuple[str, Dataset]]:
    if (folder / FILE).is_file():
        with _archive(folder) as arrays:
            for name in map(str, arrays["names"]):
                yield name, _tracks(arrays[f"X_{name}"], arrays[f"y_{name}"], name)
        return
    for name, path in _files(folder):
        data = load(path)
        if data.n_classes in MOTIONS:
            yield name, data


@contextmanager
def _archive(folder: Path) -> Iterator[Any]:
    """Our own file, open; one sentence where it is damaged."""
    with reading(repr(str(folder / FILE)), "sequences"), np.load(folder / FILE) as arrays:
        yield arrays


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob(f"*{ENDING}")):
        yield path.name.removesuffix(ENDING), path


def _tracks(X: NDArray, y: NDArray, name: str) -> Dataset:
    labels = y.astype(np.int64)
    classes = tuple(f"motion {k + 1}" for k in range(labels.max() + 1))
    return Dataset(X.astype(np.float64), labels, name, classes, kind="motion")


@dataclass(frozen=True)
class MotionSequence:
    """One sequence; no part of its name is ever a path.

    >>> MotionSequence("1R2RC").name, MotionSequence.read("hopkins:1R2RC").title
    ('hopkins:1R2RC', '1R2RC of Hopkins155')
    """

    word: str

    everywhere = False  # it lies in a folder

    def __post_init__(self) -> None:
        if not isinstance(self.word, str) or not WORD.fullmatch(self.word):
            raise ValueError(f"word is {self.word!r}; give the name of a sequence, as in 1R2RC.")

    @classmethod
    def read(cls, name: str) -> "MotionSequence":
        """The sequence of a name, or ValueError where it cannot be one."""
        if not name.startswith(PREFIX) or not WORD.fullmatch(name.removeprefix(PREFIX)):
            raise ValueError(f"The data is {name!r}; give hopkins:SEQUENCE, as in hopkins:1R2RC.")
        return cls(name.removeprefix(PREFIX))

    @property
    def name(self) -> str:
        return PREFIX + self.word

    @property
    def title(self) -> str:
        return f"{self.word} of Hopkins155"

    @property
    def script(self) -> str:
        """How a script loads the same data."""
        return f"datasets.load_named({self.name!r})"

    def missing(self, folder: str | Path | None = None) -> str:
        """What to get where it is not there, or nothing."""
        place = _folder(folder)
        if place is None:
            return missing_sequences(folder)
        if (place / FILE).is_file():
            try:
                with _archive(place) as arrays:
                    there = self.word in map(str, arrays["names"])
            except ValueError as problem:
                return str(problem)
            return "" if there else f"{FILE} in {str(place)!r} has no sequence {self.word!r}."
        there = any(name == self.word for name, _ in _files(place))
        return "" if there else missing_sequences(folder)

    def load(
        self,
        folder: str | Path | None = None,
        limits: Limits = OWN,
        progress: Progress | None = None,
    ) -> Dataset:
        """Its tracks (N, 2F), as the experiment on all sequences has them."""
        if problem := self.missing(folder):
            raise ValueError(problem)
        place = _folder(folder)
        assert place is not None
        tick(progress, 0, 1)
        if (place / FILE).is_file():
            with _archive(place) as arrays:
                data = _tracks(arrays[f"X_{self.word}"], arrays[f"y_{self.word}"], self.word)
        else:
            data = load(dict(_files(place))[self.word], limits=limits)
        tick(progress, 1, 1)
        frames = data.n_features // 2
        note = f"Tracks of points on {data.n_classes} rigid motions over {frames} frames."
        return replace(data, name=self.title, note=note, kind="motion")
