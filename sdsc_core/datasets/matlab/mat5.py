"""What a version 5 .mat file holds, looked at before SciPy reads it.

SciPy's reader, which is C, takes the number of a type from the file as the place in a table, and
unpacks whatever is packed: a file of 664 bytes ends the process, one of a few kB fills the memory.
"""

import io
import math
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.safe import BadFile, check_limit

# Types of elements, and classes of the matrices among them.
NUMBERS, MATRIX, COMPRESSED, LETTERS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}, 14, 15, {16, 17, 18}
CELL, CHARACTERS, SPARSE, NUMERIC, OPAQUE = 1, 4, 5, range(6, 16), 17
# SciPy reads cells within cells by recursion in C, and some thousand levels crash the process.
# A cell of this size cannot nest so deep, and still holds the names of a thousand classes.
MAX_CELL_BYTES = 2**16
CELLS_IN_CELLS = 4


class Stored(NamedTuple):
    """Where a variable stands in its file, its bytes once unpacked, and whether SciPy can list it.

    Objects, as MATLAB's strings, tables and dates are, it cannot.
    """

    start: int
    end: int
    size: int
    is_object: bool


def stored_variables(file: IO[bytes], label: str, limits: Limits) -> list[Stored]:
    """Each variable of a version 5 file, in its order.

    Counted, not believed: the lengths that a compressed variable states may be anything. All that
    SciPy would use as the number of a type is looked at, because it does not look itself.
    """
    end = file.seek(0, 2)
    file.seek(126)
    order = "<" if file.read(2) == b"IM" else ">"
    found: list[Stored] = []
    position, left = 128, limits.unpacked_bytes
    while len(tag := file.read(8)) == 8:
        kind, length = struct.unpack(f"{order}II", tag)
        if position + 8 + length > end:
            raise BadFile(f"{label} ends too early: it is cut short, or damaged; save it again.")
        pieces = _pieces(file, length)
        element = _Element(
            _inflate(pieces) if kind == COMPRESSED else pieces, order, label,
            limits.array_bytes + 2**16,
        )  # fmt: skip
        element.check(MATRIX if kind != COMPRESSED else 0)
        found.append(Stored(position, position + 8 + length, element.count, element.is_object))
        left -= element.count
        if left < 0:
            most = megabytes(limits.unpacked_bytes)
            raise BadFile(f"{label} unpacks to more than {most}; save fewer variables.")
        check_limit(f"{label} holds {len(found):,} variables", len(found), limits, "variables")
        position = file.seek(position + 8 + length)
    return found


def without_objects(file: IO[bytes], found: list[Stored]) -> IO[bytes]:
    """The file, or a copy in memory that lacks what SciPy cannot list."""
    if not any(one.is_object for one in found):
        return file
    copy = io.BytesIO()
    for start, end in [(0, 128), *((one.start, one.end) for one in found if not one.is_object)]:
        file.seek(start)
        copy.write(file.read(end - start))
    return copy


class _Element:
    """A variable of a version 5 file as it unpacks: its types are checked, its bytes counted."""

    def __init__(self, pieces: Iterator[bytes], order: str, label: str, most: int):
        self.pieces, self.order, self.label, self.most = pieces, order, label, most
        self.ready, self.count = b"", 0
        self.is_object = False

    def check(self, kind: int) -> None:
        """The whole of it; ``kind`` is that of the tag already read, 0 where it is yet to come."""
        if kind != MATRIX:
            kind, _, _ = self._tag()
        if kind == MATRIX:
            self._check_matrix(depth=0)
        while self._more():
            self.ready = b""

    def _more(self) -> bool:
        piece = next(self.pieces, b"")
        self.ready += piece
        self.count += len(piece)
        if self.count > self.most:
            raise BadFile(
                f"{self.label} unpacks to more than {megabytes(self.most)}; save fewer"
                " or smaller variables."
            )
        return bool(piece)

    def _take(self, n: int, keep: int = 2**16) -> bytes:
        """The next ``n`` bytes, of which the first few are returned."""
        start, left = b"", n
        while left:
            if not self.ready and not self._more():
                raise BadFile(f"{self.label} ends within a variable; save it again.")
            part, self.ready = self.ready[:left], self.ready[left:]
            left -= len(part)
            start += part[: keep - len(start)]
        return start

    def _tag(self) -> tuple[int, int, bytes]:
        """Type, length and first bytes of what comes next; the bytes of a matrix stay."""
        first, second = struct.unpack(f"{self.order}II", raw := self._take(8))
        if first >> 16:  # a small one: its data stands in its tag
            length = first >> 16
            return first & 0xFFFF, length, raw[4 : 4 + length]
        if first == MATRIX:
            return first, second, b""
        return first, second, self._take(second + -second % 8)[:second]

    def _check_matrix(self, depth: int) -> None:
        flags_type, length, flags = self._tag()
        if flags_type != 6 or length != 8:
            raise self._damaged("begins wrongly")
        (bits,) = struct.unpack(f"{self.order}I", flags[:4])
        dims_type, length, dims = self._tag()
        if bits & 0xFF == OPAQUE:  # an object, which is not read
            self.is_object |= depth == 0
            return
        if dims_type not in (5, 6) or not 8 <= length <= 4 * 32 or length % 4:
            raise self._damaged("has no shape")
        name_type, _, _ = self._tag()
        if name_type not in (1, 2, 16):
            raise self._damaged("has no name")
        shape = struct.unpack(f"{self.order}{length // 4}i", dims)
        if bits & 0xFF == CELL:
            self._check_cells(math.prod(shape), depth)
        else:
            self._check_parts(bits)

    def _check_cells(self, n: int, depth: int) -> None:
        """What is too large, or cells in cells in cells, is not read; see `MAX_CELL_BYTES`."""
        if depth == CELLS_IN_CELLS or not 0 <= n <= MAX_CELL_BYTES:
            return
        for _ in range(n):
            if self.count > 2 * MAX_CELL_BYTES:
                return
            kind, length, _ = self._tag()
            if kind != MATRIX:
                raise self._damaged("has a cell that is no array")
            if length:
                self._check_matrix(depth + 1)

    def _check_parts(self, bits: int) -> None:
        """Real and imaginary part of numbers; of a sparse matrix the indices before them."""
        kind, is_complex = bits & 0xFF, bool(bits & 0x800)
        if kind not in (CHARACTERS, SPARSE, *NUMERIC):
            return
        known = NUMBERS | LETTERS if kind == CHARACTERS else NUMBERS
        for _ in range((3 if kind == SPARSE else 1) + is_complex):
            part, _, _ = self._tag()
            if part not in known:
                raise self._damaged(f"has numbers of an unknown type ({part})")

    def _damaged(self, how: str) -> BadFile:
        return BadFile(f"{self.label} is damaged: a variable in it {how}; save it again.")


def _pieces(file: IO[bytes], length: int) -> Iterator[bytes]:
    while length > 0 and (piece := file.read(min(length, 2**16))):
        length -= len(piece)
        yield piece


def _inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Zlib data unpacked, at most a megabyte at a time."""
    inflate = zlib.decompressobj()
    for piece in pieces:
        while piece:
            if part := inflate.decompress(piece, 2**20):
                yield part
            piece = inflate.unconsumed_tail


def inflated(pieces: Iterable[bytes], most: int) -> int:
    """How many bytes zlib data unpacks to; counting ends soon after ``most``."""
    count = 0
    for part in _inflate(pieces):
        count += len(part)
        if count > most:
            break
    return count
