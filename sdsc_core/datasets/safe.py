"""What all readers share: limits, and arrays looked at before they are read.

A file may come from anybody. Its header says how much it will need, so the header is read first
and checked against `MAX_BYTES`; nothing is unpickled and nothing is written to disk.
"""

import io
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.extras import MissingExtra

MAX_BYTES = 2 * 2**30  # of one array in memory, as float64 where it holds numbers
MAX_VARIABLES = 1000  # in one file


class BadFile(ValueError):
    """Our own sentence about a file; `reading` lets it through."""


class Variable(NamedTuple):
    """An array in a file, before it is read.

    ``dtype`` is NumPy's name of a type of numbers, or "sparse", "text", "cell" or "other".
    """

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_number(self) -> bool:
        return self.dtype not in ("text", "cell", "other")

    @property
    def is_text(self) -> bool:
        return self.dtype in ("text", "cell")


@dataclass(frozen=True)
class Container:
    """An open file of arrays: what is in it, how to read one, and how to end."""

    variables: list[Variable]
    read: Callable[[Variable], NDArray]
    close: Callable[[], None] = lambda: None


@contextmanager
def reading(label: str, what: str) -> Iterator[None]:
    """One sentence in place of whatever a parser raises on a broken file."""
    try:
        yield
    except (BadFile, MissingExtra):
        raise
    except MemoryError as error:
        raise BadFile(f"{label} needs more memory than there is.") from error
    except Exception as error:
        raise BadFile(
            f"{label} could not be read as {what}; it is damaged or of another kind."
        ) from error


def check_size(label: str, variable: Variable, itemsize: int, limit: int) -> None:
    """Refuse an array that would take more than ``limit`` bytes."""
    needed = variable.size * max(itemsize, 8)
    if min(variable.shape, default=0) < 0 or needed > limit:
        raise BadFile(
            f"{variable.name} in {label} has shape {variable.shape} and would take"
            f" {megabytes(needed)}; at most {megabytes(limit)} are read."
        )


def real_numbers(values: NDArray, place: str) -> NDArray:
    """The values, if they have no imaginary part that would be lost."""
    if values.dtype.kind != "c":
        return values
    if (values.imag != 0).any():
        raise BadFile(
            f"{place} holds complex numbers; save real and imaginary parts, or absolute values,"
            " as features."
        )
    return values.real


def megabytes(n: int) -> str:
    return f"{n / 2**20:,.0f} MB" if n >= 2**20 else f"{n:,} bytes"


def dtype_name(dtype: np.dtype) -> str:
    if dtype.kind in "buifc":
        return dtype.name
    return "text" if dtype.kind in "US" else "other"


def npy_container(file: IO[bytes], label: str, limit: int, mapped: bool = False) -> Container:
    """A .npy file as a container of one variable, X; ``mapped``, float64 stays on the disk."""
    shape, dtype = _npy_header(file, label)
    available = file.seek(0, 2)
    variable = Variable("X", shape, dtype_name(dtype))

    def read(_: Variable) -> NDArray:
        file.seek(0)
        whole = 0 < variable.size * dtype.itemsize <= available
        if mapped and whole and dtype == np.float64 and isinstance(file, io.BufferedReader):
            return np.asarray(np.lib.format.open_memmap(file.name, mode="r"))
        return _read_npy(file, label, variable, dtype, available, limit)

    return Container([variable], read)


def npz_container(file: IO[bytes], label: str, limit: int) -> Container:
    """A .npz file; the header of each member is read, not the member."""
    archive = zipfile.ZipFile(file)
    members, headers, variables = {}, {}, []
    for info in checked_members(archive, label, MAX_VARIABLES):
        if not info.filename.endswith(".npy"):
            continue
        name = info.filename.removesuffix(".npy")
        with archive.open(info) as member:
            shape, headers[name] = _npy_header(member, label)
        if name in members:
            raise BadFile(f"{label} holds two variables of one name; save it again.")
        members[name] = info
        variables.append(Variable(name, shape, dtype_name(headers[name])))

    def read(variable: Variable) -> NDArray:
        info = members[variable.name]
        with archive.open(info) as member:
            dtype = headers[variable.name]
            return _read_npy(member, label, variable, dtype, info.file_size, limit)

    return Container(variables, read, archive.close)


def checked_members(archive: zipfile.ZipFile, label: str, most: int) -> list[zipfile.ZipInfo]:
    """Members of a zip archive, if they are few enough and packed in the usual way.

    The usual way only, because the other methods unpack without a bound on what one read gives.
    """
    members = [info for info in archive.infolist() if not info.is_dir()]
    if len(members) > most:
        raise BadFile(f"{label} holds {len(members):,} files; at most {most:,} are read.")
    for info in members:
        if info.flag_bits & 1:
            raise BadFile(f"{info.filename} in {label} is encrypted; pack it without a password.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadFile(
                f"{info.filename} in {label} is packed in an unusual way; use plain zip (deflate)."
            )
    return members


def _npy_header(stream: Any, label: str) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(stream)
    headers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in headers:
        raise BadFile(f"{label} has version {version} of NumPy's format; save a plain array.")
    shape, _, dtype = headers[version](stream)
    return shape, dtype


def _read_npy(
    stream: Any, label: str, variable: Variable, dtype: np.dtype, available: int, limit: int
) -> NDArray:
    if variable.dtype == "other":
        raise BadFile(
            f"{variable.name} in {label} holds {dtype}; only plain numbers and text are read."
        )
    check_size(label, variable, dtype.itemsize, limit)
    if variable.size * dtype.itemsize > available:
        raise BadFile(f"{variable.name} in {label} is cut short; save the file again.")
    values = np.lib.format.read_array(stream, allow_pickle=False)
    values = real_numbers(values, f"{variable.name} in {label}")
    return _decoded(values) if dtype.kind == "S" else values


def _decoded(values: NDArray) -> NDArray:
    """Bytes as text; Latin-1 has a letter for every byte, so that no two texts become one."""
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError:
        return np.char.decode(values, "latin-1")
