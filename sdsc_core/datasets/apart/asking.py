"""Files of others, read in a process of their own that may take so much memory and time.

What parses a file is C that trusts it: SciPy, HDF5, Pillow. So a file is read where a crash, a
bomb or an endless loop ends nothing else. A process is started once, imports all readers and
waits; for every file it forks, and what it forked ends with the file. Back come arrays and words,
never objects: nothing that a file made is run here.

A file goes over as an open descriptor, the question as JSON, the answer as JSON with the bytes of
the arrays behind it. Whoever stops asking closes the line, and the reader of that file is killed.
Where there is no fork (Windows), files are read in the process itself, see `ISOLATED`.
"""

import atexit
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.datasets import readers
from sdsc_core.datasets.apart.process import LENGTH
from sdsc_core.datasets.columns import Column, ColumnProblem
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.safe import BadFile, Variable, quoted
from sdsc_core.session.file import KINDS, Session, build, parse_words, read_session

ISOLATED = hasattr(os, "fork") and hasattr(socket, "send_fds")
AT_ONCE = max(2, os.cpu_count() or 1)  # files; others wait for their turn
PAUSE = 0.05  # seconds between two looks whether anybody still waits
PATIENCE = 30  # seconds beyond the processor time, for a machine with other work
LONGEST_WORDS = 30_000_000  # bytes of JSON
TYPES = {"X": "<f8", "labels": "<i8", "images": "|u1", "rows": "<i8"}

_turns = threading.BoundedSemaphore(AT_ONCE)
_lock = threading.Lock()
_server: "_Server | None" = None


class _Gone(Exception):
    """The other side of a line is not there any more."""


def start() -> None:
    """Start the process that waits for files, if none is there; the first file then need not wait.

    >>> start()
    """
    if ISOLATED:
        _running()


def load(
    source: Path | IO[bytes], *, name: str, limits: Limits, progress: Progress | None = None,
    **options: Any,
) -> Dataset:  # fmt: skip
    """`datasets.load` in a process of its own; ``progress`` is called while it lasts.

    >>> import io
    >>> file = io.BytesIO(b"a,b,label\\n1,2,cat\\n3,4,dog\\n")
    >>> load(file, name="pets.csv", limits=Limits()).class_names
    ('cat', 'dog')
    """
    return _ask("load", source, name, limits, progress, options)


def columns(
    source: Path | IO[bytes], *, name: str, limits: Limits, progress: Progress | None = None,
    **options: Any,
) -> list[Column]:  # fmt: skip
    """`datasets.columns` in a process of its own."""
    return _ask("columns", source, name, limits, progress, options)


def inspect(
    source: Path | IO[bytes], *, name: str, limits: Limits, progress: Progress | None = None
) -> list[Variable]:
    """`datasets.inspect` in a process of its own."""
    return _ask("inspect", source, name, limits, progress, {})


def session(
    source: Path | IO[bytes], *, name: str, limits: Limits, progress: Progress | None = None
) -> Session:
    """`session.read_session` in a process of its own."""
    return _ask("session", source, name, limits, progress, {})


def _ask(
    function: str, source: Path | IO[bytes], name: str, limits: Limits,
    progress: Progress | None, options: dict[str, Any],
) -> Any:  # fmt: skip
    if not ISOLATED and function == "session":
        return read_session(source, name=name, limits=limits)
    if not ISOLATED:
        return getattr(readers, function)(source, name=name, limits=limits, **options)
    label = repr(quoted(name, 100))
    question = {"function": function, "name": name, "limits": asdict(limits), "options": options}
    try:
        with _turn(progress), _as_file(source, label, limits) as file:
            return _asked(question, label, file, limits, progress)
    except OSError as error:  # no more memory, processes or descriptors
        raise BadFile(
            f"{label} could not be read, because the server cannot start a reader now"
            f" ({error.strerror}); try it again later."
        ) from error


def _asked(
    question: dict[str, Any],
    label: str,
    file: IO[bytes],
    limits: Limits,
    progress: Progress | None,
) -> Any:
    """The answer to a question about an open file."""
    for attempt in (1, 2):  # the process that waits may have been ended from outside
        server = _running()
        with _Line(server, file.fileno(), PATIENCE + limits.seconds, progress) as line:
            try:
                line.send(json.dumps(question).encode())
                return _answer(question["function"], line, label, limits)
            except _Gone:
                code = line.code()
        if code is not None or attempt == 2 or not server.is_ending():
            raise BadFile(f"{label} {_cause_of_death(code, limits)}")
    raise AssertionError  # one of the attempts returns or raises


@contextmanager
def _turn(progress: Progress | None) -> Iterator[None]:
    while not _turns.acquire(timeout=PAUSE):
        tick(progress, 0, 0)
    try:
        yield
    finally:
        _turns.release()


@contextmanager
def _as_file(source: Path | IO[bytes], label: str, limits: Limits) -> Iterator[IO[bytes]]:
    """The source as a file that has a descriptor; an upload is copied to one that is in memory."""
    if isinstance(source, Path):
        try:
            file = open(source, "rb")  # noqa: SIM115 - closed below, apart from errors of the caller
        except OSError as error:
            raise BadFile(f"{label} cannot be opened: {error.strerror}.") from None
        with file:
            yield file
        return
    size = source.seek(0, 2)
    if size > limits.bytes:
        raise BadFile(
            f"{label} has {megabytes(size)}; files of at most {megabytes(limits.bytes)} are read."
        )
    source.seek(0)
    memory = os.fdopen(os.memfd_create("upload"), "w+b") if hasattr(os, "memfd_create") else None
    with memory or tempfile.TemporaryFile() as copy:
        while piece := source.read(2**20):
            copy.write(piece)
        copy.flush()
        yield copy


def _cause_of_death(code: int | None, limits: Limits) -> str:
    """What a reader died of, and what to do."""
    if code is None:
        return "could not be read, because the reader of files did not answer; try it again."
    if code == -signal.SIGXCPU:
        return (
            f"takes more than {limits.seconds} s to read and was given up; give fewer samples or"
            " features, or another format such as .npz."
        )
    if code == -signal.SIGKILL:
        return "was given up by the server, probably for lack of memory; give a smaller file."
    return "is damaged in a way that crashes its reader; save it again, or in another format."


def _answer(function: str, line: "_Line", label: str, limits: Limits) -> Any:
    """What the reader says, as far as it is what a reader may say."""
    words = line.receive(LONGEST_WORDS)
    try:
        said = parse_words(words, label)
        if "column" in said:
            raise ColumnProblem(said["problem"], said["column"])
        if "problem" in said:
            raise BadFile(said["problem"])
        if function == "columns":
            return [Column(n, role, why, tuple(some)) for n, role, why, some in said["list"]]
        if function == "inspect":
            return [Variable(n, tuple(shape), dtype) for n, shape, dtype in said["list"]]
        if function == "session":
            arrays = _empty(said["arrays"], limits, any_name=True)
            line.receive_all(arrays)
            return build(said["words"], arrays, label, limits)
        parts: dict[str, Any] = {"labels": None}
        parts |= {field: str(said["words"][field]) for field in ("name", "note", "kind")}
        for field in ("class_names", "feature_names"):
            parts[field] = tuple(map(str, said["words"][field]))
        arrays = _empty(said["arrays"], limits)
    except (KeyError, TypeError, AttributeError):
        raise BadFile(f"{label} made its reader answer nonsense; save it again.") from None
    line.receive_all(arrays)
    return Dataset(**parts | arrays)


def _empty(
    shapes: list[tuple[str, str, list[int]]], limits: Limits, any_name: bool = False
) -> dict[str, NDArray]:
    """Room for arrays of the types that a data set has, if they are not too large.

    With ``any_name``, as in a session, for any plain numbers and texts.
    """
    arrays, left = {}, limits.memory
    for field, dtype, shape in shapes:
        kind = np.dtype(dtype)
        texts = kind.kind == "U" and kind.itemsize <= 4 * limits.letters
        known = texts if field == "identifiers" else TYPES.get(field) == dtype
        if any_name:
            known = texts or kind.kind in KINDS.replace("U", "")
        left -= math.prod(shape) * kind.itemsize
        if not known or min(shape, default=0) < 0 or left < 0:
            raise TypeError
        arrays[field] = np.empty(shape, kind)
    return arrays


class _Line:
    """One question and its answer: a line to the reader, and one that hears of its end."""

    def __init__(self, server: "_Server", file: int, seconds: float, progress: Progress | None):
        self.progress, self.end = progress, time.monotonic() + seconds
        self.talk, talk = socket.socketpair()
        self.watch, watch = socket.socketpair()
        with talk, watch, suppress(OSError):  # a server that is gone: the first word finds out
            server.take([file, talk.fileno(), watch.fileno()])
        self.talk.settimeout(PAUSE)

    def __enter__(self) -> "_Line":
        return self

    def __exit__(self, *error: object) -> None:
        self.talk.close()
        self.watch.close()  # kills the reader, if it is still at work

    def send(self, words: bytes) -> None:
        data = memoryview(len(words).to_bytes(LENGTH, "big") + words)
        while data:
            data = data[self._patiently(self.talk.send, data) :]

    def receive(self, most: int) -> bytes:
        length = bytearray(LENGTH)
        self.receive_into(memoryview(length))
        n = int.from_bytes(length, "big")
        if n > most:
            raise BadFile("The file holds too many names; give fewer columns or variables.")
        words = bytearray(n)
        self.receive_into(memoryview(words))
        return bytes(words)

    def receive_into(self, room: memoryview) -> None:
        while room:
            n = self._patiently(self.talk.recv_into, room)
            if n == 0:
                raise _Gone
            room = room[n:]

    def receive_all(self, arrays: dict[str, NDArray]) -> None:
        for array in arrays.values():
            if array.size:
                self.receive_into(array.reshape(-1).view(np.uint8).data)

    def _patiently(self, move: Callable[[memoryview], int], data: memoryview) -> int:
        """As much as can be moved now; whoever waits may end it, and so does the clock."""
        while True:
            tick(self.progress, 0, 0)
            try:
                return move(data)
            except TimeoutError:
                if time.monotonic() > self.end:
                    raise BadFile(
                        "The server is too busy to read this file now; try it again later."
                    ) from None
            except OSError:
                raise _Gone from None

    def code(self) -> int | None:
        """How the reader of this file ended, or None where nobody is left to tell."""
        self.watch.settimeout(2)
        with suppress(OSError):
            said = self.watch.recv(LENGTH)
            return int.from_bytes(said, "big", signed=True) if said else None
        return None


class _Server:
    """The process that waits for files."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.lock = threading.Lock()
        home = str(Path(__file__).parents[3])
        paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
        one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        code = f"from sdsc_core.datasets.apart.process import serve; serve({theirs.fileno()})"
        with theirs:
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-W", "ignore", "-c", code],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
                    env={**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join(paths)},
                )  # fmt: skip
            except OSError:
                self.control.close()
                raise

    def take(self, descriptors: list[int]) -> None:
        with self.lock:
            socket.send_fds(self.control, [b"f"], descriptors)

    def is_ending(self) -> bool:
        """Whether it was ended from outside, waiting a moment for that."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        return self.process.poll() is not None

    def close(self) -> None:
        self.control.close()
        self.process.wait()


def _running() -> _Server:
    global _server
    with _lock:
        if _server is not None and _server.process.poll() is not None:
            _server.close()
            _server = None
        if _server is None:
            _server = _Server()
            atexit.register(_server.close)
        return _server
