"""What a file is by its first bytes, where its name says something else."""

from collections.abc import Iterator
from typing import IO

from sdsc_core.datasets.safe import BadFile

START = 64  # bytes at the beginning of a file that tell what it is
CONTENTS = 2**16  # bytes at both ends of a zip archive, in which its first and last names stand
TABLE = "save it as CSV in the program that it comes from"
PICTURE = "put pictures into a .zip, one folder for each class"
UNPACK = "unpack it and give the file in it"
# What the first bytes say, the endings that go with it, and what to do where another one is there.
MAGIC: dict[bytes, tuple[str, tuple[str, ...], str]] = {
    b"\x93NUMPY": ("a NumPy array", (".npy",), ""),
    b"MATLAB 5.0 MAT": ("a MATLAB file", (".mat",), ""),
    b"\x89HDF\r\n": ("an HDF5 file", (".mat",), ""),
    b"PK\x03\x04": ("a zip archive", (".npz", ".zip"), ""),
    b"\x1f\x8b": ("packed with gzip", (), UNPACK),
    b"BZh": ("packed with bzip2", (), UNPACK),
    b"\xfd7zXZ": ("packed with xz", (), UNPACK),
    b"Rar!": ("a RAR archive", (), UNPACK),
    b"7z\xbc\xaf": ("a 7z archive", (), UNPACK),
    b"\xd0\xcf\x11\xe0": ("an old Excel or Word file", (), TABLE),
    b"\x89PNG": ("a PNG picture", (), PICTURE),
    b"\xff\xd8\xff": ("a JPEG picture", (), PICTURE),
    b"GIF8": ("a GIF picture", (), PICTURE),
    b"II*\0": ("a TIFF picture", (), PICTURE),
    b"MM\0*": ("a TIFF picture", (), PICTURE),
    b"%PDF": ("a PDF", (), "give the table itself as CSV"),
    b"PAR1": ("a Parquet file", (), TABLE),
    b"\x80\x04\x95": ("a Python pickle", (), "that could run a program; save it as .npz"),
    b"@relation": ("a table of Weka", (), TABLE),
    b"<!doctype html": ("a web page", (), "download the file itself, perhaps after a login"),
    b"<html": ("a web page", (), "download the file itself, perhaps after a login"),
}
# Documents that are zip archives, by a name in them.
OFFICE = {
    b"xl/workbook": "an Excel workbook",
    b"opendocument.spreadsheet": "an OpenDocument table",
    b"word/document": "a Word document",
}


def check_ending(file: IO[bytes], ending: str, label: str) -> None:
    """Say what a file is where its name says something else."""
    for what, endings, advice in _kinds(file):
        if ending not in endings:
            advice = advice or f"call it {' or '.join(endings)}"
            raise BadFile(f"{label} is {what} by its content, not {ending}; {advice}.")


def what_it_is(file: IO[bytes]) -> str:
    """What a file of an unknown ending is, and what to do, in half a sentence; or nothing.

    >>> import io
    >>> what_it_is(io.BytesIO(b"%PDF-1.7"))
    '; it is a PDF: give the table itself as CSV'
    """
    for what, endings, advice in _kinds(file):
        return f"; it is {what}: {advice or 'call it ' + ' or '.join(endings)}"
    return ""


def ending_of(file: IO[bytes]) -> str:
    """The ending that content without a name would have; what is no known kind is a table.

    >>> import io
    >>> ending_of(io.BytesIO(b"1,2\\n3,4\\n")), ending_of(io.BytesIO(b"MATLAB 5.0 MAT-file"))
    ('.csv', '.mat')
    """
    for _, endings, _ in _kinds(file):
        if len(endings) > 1:  # of the archives, those of NumPy hold arrays alone
            return endings[0] if b".npy" in _ends(file) else endings[1]
        return (*endings, ".csv")[0]
    return ".csv"


def _kinds(file: IO[bytes]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The first kind that fits, if any, with the file at its start again."""
    file.seek(0)
    start = file.read(START)
    file.seek(0)
    plain = start.lstrip().lower()
    for magic, kind in MAGIC.items():
        if start.startswith(magic) or (magic[:1] in b"<@" and plain.startswith(magic)):
            document = _document(file) if kind[0] == "a zip archive" else ""
            yield (document, (".zip",), TABLE) if document else kind
            return


def _document(file: IO[bytes]) -> str:
    """Which document a zip archive is, or nothing."""
    names = _ends(file)
    return next((what for name, what in OFFICE.items() if name in names), "")


def _ends(file: IO[bytes]) -> bytes:
    """Both ends of a zip archive, where its names stand, with the file at its start again."""
    size = file.seek(0, 2)
    file.seek(0)
    names = file.read(CONTENTS)
    file.seek(max(0, size - CONTENTS))
    names += file.read(CONTENTS)
    file.seek(0)
    return names
