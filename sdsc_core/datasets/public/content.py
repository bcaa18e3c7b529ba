"""What a file of a folder is by its first bytes, whatever it is called."""

import bz2
import gzip
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, cast

from sdsc_core.datasets.matlab import HDF5_MAGIC
from sdsc_core.datasets.readers import inspect
from sdsc_core.datasets.safe import Variable
from sdsc_core.extras import MissingExtra, require

MOST_FILES = 20_000  # that a folder is searched for
DEEPEST = 3  # folders below the one that is given
IDX = {b"\0\0\x08\x01": 1, b"\0\0\x08\x03": 3}  # bytes in one or in three dimensions
LIBSVM = re.compile(rb"^\s*[+-]?[\d.]+(\s+\d+:[-+.\deE]+)+\s*$")
# The ending by which `load` knows what the first bytes say.
ARRAYS = {b"PK\x03\x04": ".npz", b"MATLAB 5.0 MAT": ".mat", b"\x93NUMPY": ".npy"}
MOST_LINES = 5000  # of the head of an ARFF table
CLASSES = re.compile(rb"^@attribute\s+['\"]?(class|label|target|digit|int0)['\"]?\s")
PARTS = ("train", "test")


class Piece(NamedTuple):
    """A file that holds arrays: its form, and their names and shapes."""

    path: Path
    form: str  # an ending that `load` reads, or "idx", "libsvm", "arff" or "h5"
    arrays: tuple[Variable, ...]


def files(folder: Path) -> Iterator[Path]:
    """Every file of a folder and a few folders below, hidden ones aside, in the order of names."""
    seen = 0
    for place, below, names in os.walk(folder, followlinks=True):
        depth = len(Path(place).relative_to(folder).parts)
        below[:] = sorted(d for d in below if not d.startswith(".")) if depth < DEEPEST else []
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(place) / name
                seen += 1
                if seen == MOST_FILES:
                    return


def pieces(folder: Path) -> list[Piece]:
    """What holds arrays in a folder; pictures are none of them."""
    found = []
    for path in files(folder):
        if path.suffix.lower() == ".pgm":
            continue
        try:
            stat = path.stat()
            piece = _piece(path, stat.st_size, stat.st_mtime_ns)
        except OSError:  # gone, or not ours to read
            continue
        if piece is not None:
            found.append(piece)
    return found


@lru_cache(maxsize=4096)
def _piece(path: Path, size: int, changed: int) -> Piece | None:
    """One file, looked at once as long as it does not change; None where it is something else."""
    try:
        with open(path, "rb") as file:
            start = file.read(520)
        form = next((end for magic, end in ARRAYS.items() if start.startswith(magic)), "")
        if start.startswith(HDF5_MAGIC) or start[512:] == HDF5_MAGIC:
            groups = _groups(path)
            if groups:
                return Piece(path, "h5", groups)
            form = ".mat"
        if form:
            return Piece(path, form, tuple(inspect(path, name=f"x{form}")))
        if (
            start[:3] == b"BZh"
            or start[:2] == b"\x1f\x8b"
            or start[:4] in IDX
            or start[:1].isdigit()
            or start[:1] in (b"%", b"@")
        ):
            return _packed(path)
    except (ValueError, EOFError, MissingExtra):  # damaged, or a reader is not installed
        return None
    return None


def opened(path: Path) -> IO[bytes]:
    """A file unpacked while it is read, if its first bytes say that it is packed."""
    with open(path, "rb") as file:
        start = file.read(3)
    if start == b"BZh":
        return cast(IO[bytes], bz2.open(path, "rb"))
    return cast(IO[bytes], gzip.open(path, "rb") if start[:2] == b"\x1f\x8b" else open(path, "rb"))


def _packed(path: Path) -> Piece | None:
    """An idx file, lines of libsvm or an ARFF table, plain or packed."""
    with opened(path) as file:
        start = file.read(4)
        if start in IDX:
            sides = tuple(int.from_bytes(file.read(4), "big") for _ in range(IDX[start]))
            return Piece(path, "idx", (Variable("", sides, "uint8"),))
    with opened(path) as file:
        lines = list(islice(iter(lambda: file.readline(100_000), b""), 20))
    if lines and lines[0][:1] in (b"%", b"@"):
        return _arff(path)
    if not lines or not all(LIBSVM.match(line) for line in lines):
        return None
    last = max(int(part.split(b":")[0]) for line in lines for part in line.split()[1:])
    return Piece(path, "libsvm", (Variable("", (0, last), "float64"),))


def _arff(path: Path) -> Piece | None:
    """A table as OpenML sends it, a line for each sample; its name is the column of the classes.

    That is the column with values in braces or with one of the usual names, else the last.
    """
    columns: list[bytes] = []
    with opened(path) as file:
        for line in islice(iter(lambda: file.readline(100_000), b""), MOST_LINES):
            words = line.split(None, 2)
            if words and words[0].lower() == b"@attribute":
                columns.append(line.lower())
            if words and words[0].lower() == b"@data":
                first = file.readline(100_000)
                break
        else:
            return None
    if len(columns) < 2 or first.lstrip()[:1] == b"{":  # lines of the sparse form are none of ours
        return None
    at = [k for k, line in enumerate(columns) if b"{" in line or CLASSES.search(line)]
    name = str(at[0] if at else len(columns) - 1)
    return Piece(path, "arff", (Variable(name, (0, len(columns) - 1), "float64"),))


def _groups(path: Path) -> tuple[Variable, ...]:
    """Arrays ``data`` and ``target`` in groups ``train`` and ``test``, as usps.h5 has them."""
    h5py = require("h5py", "Reading .h5 files")
    with h5py.File(path, "r") as root:
        inner = [(part, name) for part in PARTS for name in ("data", "target")]
        if not all(isinstance(root.get(part, getlink=True), h5py.HardLink) for part in PARTS):
            return ()
        items = {f"{p}/{n}": root[p].get(n) for p, n in inner if isinstance(root[p], h5py.Group)}
        if len(items) < len(inner) or not all(isinstance(i, h5py.Dataset) for i in items.values()):
            return ()
        return tuple(Variable(n, tuple(i.shape), str(i.dtype)) for n, i in items.items())
