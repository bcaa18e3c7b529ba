"""How much of a file is read: all limits, in one place.

`Limits()` holds for files from anybody, on a server; `OWN` for files that somebody reads alone.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

VARIABLE = "SDSC_LIMITS"  # how `sdsc app --limit` hands its words to the screens
UNITS = {"k": 10**3, "M": 10**6, "G": 10**9}


def megabytes(n: int) -> str:
    """A size as everything here says it: as Streamlit's uploader does, in steps of 2**20 bytes.

    >>> megabytes(200 * 2**20), megabytes(500)
    ('200 MB', '500 bytes')
    """
    return f"{n / 2**20:,.0f} MB" if n >= 2**20 else f"{n:,} bytes"


def _limit(default: int, what: str, shown: bool = False) -> int:
    return field(default=default, metadata={"what": what, "shown": shown})


@dataclass(frozen=True)
class Limits:
    """What one file may hold, and what reading it may take; and what sessions of the app may.

    >>> Limits.of(["rows=500", "bytes=2M"]).rows
    500
    """

    bytes: int = _limit(200 * 2**20, "bytes of the file")
    rows: int = _limit(1_000_000, "rows of a table", shown=True)
    columns: int = _limit(20_000, "columns of a table", shown=True)
    values: int = _limit(30_000_000, "points × features", shown=True)
    classes: int = _limit(1_000, "classes", shown=True)
    images: int = _limit(20_000, "pictures", shown=True)
    pixels: int = _limit(20_000_000, "pixels of a picture", shown=True)
    members: int = _limit(50_000, "files in an archive", shown=True)
    variables: int = _limit(1_000, "variables in a file")
    chunks: int = _limit(50_000, "chunks of a variable in HDF5", shown=True)
    cells: int = _limit(10_000, "cells of a MATLAB cell array")
    letters: int = _limit(1_000, "letters of a name or a text")
    memory: int = _limit(2 * 10**9, "bytes of memory to read it in")
    seconds: int = _limit(10, "seconds of processor time to read it in")
    # Not of a file: what the app may keep and compute in. The machine's own limits come first.
    session_memory: int = _limit(2 * 10**9, "bytes that a session may keep and compute in")
    server_memory: int = _limit(10**12, "bytes that all sessions may keep and compute in")

    @property
    def array_bytes(self) -> int:
        """What the largest array takes as float64."""
        return 8 * self.values

    @property
    def unpacked_bytes(self) -> int:
        """What all that is packed in a file may unpack to."""
        return 2 * self.array_bytes

    @property
    def upload(self) -> int:
        """What Streamlit's uploader may take, in its unit of 2**20 bytes; it knows whole ones.

        >>> Limits().upload
        200
        """
        return max(1, round(self.bytes / 2**20))

    @classmethod
    def of(cls, words: Iterable[str]) -> "Limits":
        """The defaults with changes, each as ``name=number``; k, M and G are units."""
        names = [f.name for f in fields(cls)]
        changes = {}
        for word in words:
            name, _, number = word.partition("=")
            unit = UNITS.get(number[-1:], 1)
            digits = number[:-1] if unit > 1 else number
            if name not in names or not digits.isdecimal() or int(digits) == 0:
                raise ValueError(
                    f"--limit is {word!r}; give NAME=NUMBER with one of {', '.join(names)}, as in"
                    " rows=50000 or bytes=20M."
                )
            changes[name] = int(digits) * unit
        return cls(**changes)

    @classmethod
    def of_server(cls) -> "Limits":
        """Those that `sdsc app --limit` set.

        >>> Limits.of_server().columns
        20000
        """
        return cls.of(os.environ.get(VARIABLE, "").split())

    def sentence(self) -> str:
        """What people should know before they choose a file.

        >>> Limits().sentence()[:59]
        'At most 200 MB, 1,000,000 rows of a table, 20,000 columns o'
        """
        parts = [f"{getattr(self, f.name):,} {f.metadata['what']}"
                 for f in fields(self) if f.metadata["shown"]]  # fmt: skip
        return f"At most {megabytes(self.bytes)}, {', '.join(parts)}."


# What an owner reads with their own program: limited by an array of 2 GiB alone, as it was.
OWN = replace(
    Limits(), bytes=10**12, rows=10**9, columns=10**6, values=2**28, classes=10**6,
    images=100_000, members=100_000, chunks=10**6, cells=100_000, letters=10_000,
)  # fmt: skip
