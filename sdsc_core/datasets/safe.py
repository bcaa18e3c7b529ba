"""What all readers share: limits, and arrays looked at before they are read.

A file may come from anybody. Its header says how much it will need, so the header is read first
and checked against `Limits`; nothing is unpickled and nothing is written to disk.
"""

import io
import math
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.extras import MissingExtra

LONGEST_SENTENCE = 1000
UNREAD = ("other", "object", "sparse 7.3")  # types of what is neither numbers nor text
LONGEST_HEADER = 2**16  # bytes of a NumPy header, which names a shape and a type
MOST_SIDES = 32
ENTRY = b"PK\x01\x02"  # begins each entry in the table of contents of a zip archive
# What parsers say, and what that means to whoever has the file.
REASONS = (
    ("exceeds limit of", "it has too many pixels"),
    ("EOF inside string|unexpected end of data", "a quotation mark in it is not closed"),
    ("not a zip file|central directory|magic number for file|zip file comment",
     "it is no zip archive, or only a part of one"),
    ("Decompressed data too large|text chunk", "a text or a colour profile in it is too long"),
    ("Token too long", "a number in it is too long"),
    ("CRC|checksum", "what is packed in it is damaged: a checksum is wrong"),
    ("decompress|invalid (block|distance|stored|literal|code|bit)|incorrect (header|data) check",
     "what is packed in it is damaged"),
    ("magic string", "it does not begin as a NumPy array does"),
    ("[Hh]eader|descr|malformed node|not a valid dtype|fixed-type tuple", "its header is damaged"),
    ("truncated|EOF|too (small|short)|buffer is smaller|ends? (too )?early|Not enough (data|bytes)"
     "|unpack requires|Expecting .* bytes|end.of.(file|stream)|Unexpected end|could not read bytes"
     "|Failed to read all",
     "it ends too early"),
    ("appears to be empty", "it is empty"),
    ("broken data stream|broken PNG", "the picture is damaged"),
    ("negative seek|Invalid argument", "it points outside of itself, as a part of a file does"),
    ("cannot identify image", "it is no picture of a kind that can be read"),
    ("field larger than field limit", "it has a cell of more than 131,072 letters"),
    ("reshape|broadcast|cannot be resized|length must be non-negative|IndexError",
     "its sizes do not go with what it holds"),
    ("[Uu]nknown mat file|Unknown (mat|type)|Mat 4|MOPT|SDE format",
     "it is no MATLAB file, or its beginning is damaged"),
    ("signature not found|object header|Unable to|Can't synchronously|Link iteration|HDF5"
     "|dataset chunks|addr overflow", "its HDF5 structure is damaged"),
    ("new-line character", "a line break stands where none belongs"),
    ("extra field|zip file version", "its table of contents is damaged"),
    (r"KeyError: (np\.int|\d)", "it holds numbers of an unknown type"),
    ("codec can't decode", "its letters are written in an unknown way"),
)  # fmt: skip


def quoted(text: object, most: int = 60) -> str:
    """What a sentence shows of a text from a file: printable, and not too long.

    >>> quoted("a\\tb" + 100 * "c", most=6)
    'a�bcc…'
    """
    shown = str(text)
    shown = shown[: most - 1] + "…" if len(shown) > most else shown
    return "".join(letter if letter.isprintable() else "�" for letter in shown)


class BadFile(ValueError):
    """Our own sentence about a file; `reading` lets it through."""

    def __init__(self, sentence: str):
        super().__init__(quoted(sentence, LONGEST_SENTENCE))


class Variable(NamedTuple):
    """An array in a file, before it is read.

    ``dtype`` is NumPy's name of a type of numbers, or "sparse", "text", "cell" or one of `UNREAD`.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_number(self) -> bool:
        return not (self.is_text or self.is_unread)

    @property
    def is_text(self) -> bool:
        return self.dtype in ("text", "cell")

    @property
    def is_unread(self) -> bool:
        return self.dtype in UNREAD


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
    except Exception as error:
        if isinstance(error, MemoryError) or "out of memory" in str(error):
            raise BadFile(
                f"{label} needs more memory than there is to read it; give fewer samples or"
                " features."
            ) from error
        raise BadFile(f"{label} could not be read as {what}; {reason(error)}.") from error


def reason(error: Exception) -> str:
    """Why a parser gave up, in words for whoever has the file.

    >>> reason(zipfile.BadZipFile("File is not a zip file"))
    'it is no zip archive, or only a part of one'
    """
    said = f"{type(error).__name__}: {error}"[:500]
    for pattern, meaning in REASONS:
        if re.search(pattern, said):
            return meaning
    if isinstance(error, (EOFError, struct.error)):
        return "it ends too early"
    return "it is damaged or of another kind"


def check_limit(found: str, n: int, limits: Limits, name: str) -> None:
    """Refuse what is more than the limit of this name; ``found`` says what there is."""
    most = getattr(limits, name)
    if n > most:
        raise BadFile(f"{found}; at most {most:,} are read.")


def check_size(label: str, variable: Variable, itemsize: int, limits: Limits) -> None:
    """Refuse an array that would take more than is allowed."""
    needed = variable.size * max(itemsize, 8)
    place = f"{quoted(variable.name)} in {label}"
    if min(variable.shape, default=0) < 0 or len(variable.shape) > MOST_SIDES:
        raise BadFile(f"{place} has shape {quoted(variable.shape)}, which no array has.")
    if needed > limits.array_bytes:
        raise BadFile(
            f"{place} has shape {variable.shape} and would take {megabytes(needed)}; at most"
            f" {megabytes(limits.array_bytes)} are read."
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


def dtype_name(dtype: np.dtype) -> str:
    if dtype.kind in "buifc":
        return dtype.name
    return "text" if dtype.kind in "US" else "other"


def npy_container(file: IO[bytes], label: str, limits: Limits, mapped: bool = False) -> Container:
    """A .npy file as a container of one variable, X; ``mapped``, float64 stays on the disk."""
    shape, dtype = _npy_header(file, label)
    available = file.seek(0, 2)
    variable = Variable("X", shape, dtype_name(dtype))

    def read(_: Variable) -> NDArray:
        file.seek(0)
        whole = 0 < variable.size * dtype.itemsize <= available
        if mapped and whole and dtype == np.float64 and isinstance(file, io.BufferedReader):
            return np.asarray(np.lib.format.open_memmap(file.name, mode="r"))
        return _read_npy(file, label, variable, dtype, available, limits)

    return Container([variable], read)


def npz_container(file: IO[bytes], label: str, limits: Limits) -> Container:
    """A .npz file; the header of each member is read, not the member."""
    check_entries(file, label, limits)
    archive = zipfile.ZipFile(file)
    members, headers, variables = {}, {}, []
    for info in checked_members(archive, label, limits, "variables"):
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
            return _read_npy(member, label, variable, dtype, info.file_size, limits)

    return Container(variables, read, archive.close)


def check_entries(file: IO[bytes], label: str, limits: Limits) -> None:
    """Refuse an archive of too many files before the table of them is read, which takes long."""
    file.seek(0)
    count, end = 0, b""
    while piece := file.read(2**20):
        piece = end + piece
        count, end = count + piece.count(ENTRY), piece[1 - len(ENTRY) :]
    check_limit(f"{label} holds {count:,} files", count, limits, "members")
    file.seek(0)


def checked_members(
    archive: zipfile.ZipFile, label: str, limits: Limits, limit: str
) -> list[zipfile.ZipInfo]:
    """Members of a zip archive, if they are few enough and packed in the usual way.

    The usual way only, because the other methods unpack without a bound on what one read gives.
    """
    members = [info for info in archive.infolist() if not info.is_dir()]
    check_limit(f"{label} holds {len(members):,} files", len(members), limits, limit)
    for info in members:
        place = f"{quoted(info.filename)} in {label}"
        if info.flag_bits & 1:
            raise BadFile(f"{place} is encrypted; pack it without a password.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadFile(f"{place} is packed in an unusual way; use plain zip (deflate).")
    return members


def _npy_header(stream: Any, label: str) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type, once the header turned out to be as short as it is in any honest file."""
    start = stream.read(12)
    version = np.lib.format.read_magic(io.BytesIO(start))
    sizes = {(1, 0): ("<H", 10), (2, 0): ("<I", 12)}
    if version not in sizes:
        raise BadFile(f"{label} has version {version} of NumPy's format; save a plain array.")
    code, begin = sizes[version]
    (length,) = struct.unpack(code, start[8:begin])
    if length > LONGEST_HEADER:
        raise BadFile(
            f"{label} has a header of {megabytes(length)}, which no plain array has; save it again."
        )
    header = io.BytesIO(start + stream.read(length + begin - len(start)))
    header.seek(8)
    of_version = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    shape, _, dtype = of_version[version](header)
    if len(shape) > MOST_SIDES:
        raise BadFile(f"{label} has an array of {len(shape):,} dimensions; give two or three.")
    return shape, dtype


def check_letters(place: str, letters: int, limits: Limits) -> None:
    """Refuse texts that are too long: an array gives each of them the room of the longest."""
    check_limit(f"{place} has texts of {letters:,} letters", letters, limits, "letters")


def _read_npy(
    stream: Any, label: str, variable: Variable, dtype: np.dtype, available: int, limits: Limits
) -> NDArray:
    place = f"{quoted(variable.name)} in {label}"
    if variable.dtype == "other":
        raise BadFile(
            f"{place} holds {quoted(dtype)}; save plain numbers or text, as"
            f" {quoted(variable.name)}.astype(str) is."
        )
    if variable.is_text:
        check_letters(place, dtype.itemsize // (4 if dtype.kind == "U" else 1), limits)
    check_size(label, variable, dtype.itemsize, limits)
    if variable.size * dtype.itemsize > available:
        raise BadFile(f"{place} is cut short; save the file again.")
    values = np.lib.format.read_array(stream, allow_pickle=False)
    values = real_numbers(values, place)
    return _decoded(values) if dtype.kind == "S" else values


def _decoded(values: NDArray) -> NDArray:
    """Bytes as text; Latin-1 has a letter for every byte, so that no two texts become one."""
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError:
        return np.char.decode(values, "latin-1")
