"""The process that reads: it waits, warm, and forks a reader for every file.

It knows nothing of whoever asks but three descriptors for each file: the file itself, a line for
question and answer, and a line that tells how the reader ended and that closes when nobody waits.
"""

import gc
import io
import json
import os
import select
import signal
import socket
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from sdsc_core.datasets import readers
from sdsc_core.datasets.columns import ColumnProblem
from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.safe import quoted
from sdsc_core.extras import MissingExtra
from sdsc_core.session.file import read_parts

LENGTH = 8  # bytes that tell how long the words are, or how a reader ended
WARM = (
    "pandas", "h5py", "scipy.io", "scipy.sparse", "PIL.ImageOps", "PIL.PngImagePlugin",
    "PIL.JpegImagePlugin", "PIL.PpmImagePlugin", "PIL.BmpImagePlugin", "PIL.GifImagePlugin",
    "PIL.TiffImagePlugin",
)  # fmt: skip


def serve(control: int) -> None:
    """Fork a reader for every file that comes over the socket ``control``, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the app, which closes the line
    _warm_up()
    jobs: list[_Job] = []
    with socket.socket(fileno=control) as line:
        while True:
            waiting: list[Any] = [line, *(job.alive for job in jobs)]
            ready, _, _ = select.select(waiting + [job.watch for job in jobs], [], [])
            for job in [job for job in jobs if job.watch in ready]:
                os.kill(job.pid, signal.SIGKILL)  # nobody waits any more
            for job in [job for job in jobs if job.watch in ready or job.alive in ready]:
                job.tell_end()
                jobs.remove(job)
            if line in ready:
                word, descriptors, _, _ = socket.recv_fds(line, 1, 3)
                if not word:
                    break
                with suppress(OSError):  # no more processes: whoever asks hears that nobody answers
                    others = [line, *(job.watch for job in jobs)]
                    jobs.append(_Job(descriptors[0], descriptors[1], descriptors[2], others))
    for job in jobs:
        os.kill(job.pid, signal.SIGKILL)


def _warm_up() -> None:
    """Import what readers import late, and leave as little as possible to do after a fork."""
    for module in WARM:
        with suppress(ImportError):
            import_module(module)
    with suppress(ImportError):
        readers.load(io.BytesIO(b"a,b,label\n1,2,x\n3,5,y\n"), name="warm.csv")
    gc.freeze()  # a reader that collects garbage would copy all that it shares


class _Job:
    """A reader of one file: its number, what closes when it ends, and who wants to know."""

    def __init__(self, file: int, talk: int, watch: int, others: list[socket.socket]):
        self.watch = socket.socket(fileno=watch)
        self.alive, end = os.pipe()
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _be_reader(file, talk, [*others, self.watch])
        except OSError:
            self.watch.close()
            os.close(self.alive)
            raise
        finally:
            for descriptor in (end, file, talk):
                os.close(descriptor)

    def tell_end(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        with suppress(OSError):
            self.watch.send(code.to_bytes(LENGTH, "big", signed=True))
        self.watch.close()
        os.close(self.alive)


def _be_reader(file: int, talk: int, others: list[socket.socket]) -> NoReturn:
    """What a forked process does, and nothing after it."""
    try:
        for crash in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT):
            signal.signal(crash, signal.SIG_DFL)  # a library may have caught it
        for other in others:
            other.close()
        _read_one(file, socket.socket(fileno=talk))
    finally:
        os._exit(1)


def _read_one(file: int, talk: socket.socket) -> None:
    """Answer one question about one file, then end."""
    line = talk.makefile("rwb")
    question = json.loads(line.read(int.from_bytes(line.read(LENGTH), "big")))
    limits = Limits(**question["limits"])
    _confine(limits)
    arrays: list[np.ndarray] = []
    try:
        with os.fdopen(file, "rb") as opened:
            said = _asked(question, opened, limits, arrays)
    except ColumnProblem as problem:
        said = {"problem": problem.what, "column": problem.column}
    except MemoryError:
        name = repr(quoted(question["name"], 100))
        said = {
            "problem": f"{name} needs more than {megabytes(limits.memory)} of memory to read; give"
            " fewer samples or features."
        }
    except (ValueError, MissingExtra) as problem:
        said = {"problem": str(problem)}
    words = json.dumps(said).encode()
    line.write(len(words).to_bytes(LENGTH, "big") + words)
    for array in arrays:
        if array.size:
            line.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    line.flush()
    os._exit(0)


def _asked(
    question: dict[str, Any], file: IO[bytes], limits: Limits, arrays: list[np.ndarray]
) -> dict[str, Any]:
    """What is asked of a file, in words; arrays are put into ``arrays``."""
    if question["function"] == "session":
        words, found = read_parts(file, repr(quoted(question["name"], 100)), limits)
        arrays += found.values()
        shapes = [(name, array.dtype.str, array.shape) for name, array in found.items()]
        return {"words": words, "arrays": shapes}
    read = getattr(readers, question["function"])
    return _in_words(
        read(file, name=question["name"], limits=limits, **question["options"]), arrays
    )


def _in_words(result: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    """What JSON can hold of a result; its arrays are put into ``arrays``."""
    if isinstance(result, list):
        return {"list": result}
    words, shapes = {}, []
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            arrays.append(value)
            shapes.append((field.name, value.dtype.str, value.shape))
        elif value is not None:
            words[field.name] = value
    return {"words": words, "arrays": shapes}


def _confine(limits: Limits) -> None:
    """No more memory and time than allowed, no file written, behind those who move sliders."""
    import resource

    size = 0
    with suppress(OSError):
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    bounds = {
        "RLIMIT_AS": size + limits.memory,
        "RLIMIT_CPU": limits.seconds,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
    }
    for name, most in bounds.items():
        with suppress(ValueError, OSError, AttributeError):  # not every system has each of them
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most + 1 if name == "RLIMIT_CPU" else most))
    os.nice(5)
