"""The one way a kernel is compiled."""

import hashlib
import warnings
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import njit


def kernel(function: Any = None, *, fastmath: Any = False) -> Any:
    """Compile a function, or load it from the cache on disk.

    Serial and without the GIL: threads come from `blocks`, so a kernel never freezes a server and
    never meets Numba's threading layer. IEEE order is kept, because ties and θ decide by equality;
    ``fastmath`` names what a kernel may give up whose rounding is bounded otherwise.
    """
    if function is None:
        return partial(kernel, fastmath=fastmath)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError as problem:  # neither the package's folder nor the home can be written
        _warn_of_no_cache(problem)
        return njit(**options)(function)
    _notice_edits_elsewhere(compiled)
    _survive_a_full_disk(compiled)
    return compiled


def _survive_a_full_disk(compiled: Any) -> None:
    """A kernel that is compiled but cannot be kept, or one that cannot be read, is no failure."""
    cache: Any = getattr(compiled, "_cache", None)
    if cache is None:  # compiling is switched off
        return

    def guarded(work: Any) -> Any:
        def attempt(*args: Any) -> Any:
            try:
                return work(*args)
            except OSError as problem:
                _warn_of_no_cache(problem)
                return None

        return attempt

    cache.save_overload = guarded(cache.save_overload)
    cache.load_overload = guarded(cache.load_overload)


_warned: list[str] = []


def _warn_of_no_cache(problem: Exception) -> None:
    if not _warned:
        _warned.append(str(problem))
        warnings.warn(
            f"Compiled kernels cannot be kept on disk ({problem}), so every start compiles them"
            " again; set NUMBA_CACHE_DIR to a folder that can be written.",
            RuntimeWarning,
            stacklevel=4,
        )


def _notice_edits_elsewhere(compiled: Any) -> None:
    """Let the cache of a kernel hold for the present text of all kernels.

    Numba looks at the file of the function alone, but inlines kernels and constants of others.
    What an older text left is overwritten, or removed where the function has moved to another line.
    """
    files = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if files is None:  # compiling, or the cache, is switched off
        return
    files._source_stamp = (files._source_stamp, sources_digest())
    name, rest = files._index_name.rsplit("-", 1)
    version = rest.partition(".")[2].removesuffix(".nbi")
    for old in Path(files._cache_path).glob(f"{name}-*.{version}.*"):
        if not old.name.startswith(files._index_name.removesuffix("nbi")):
            with suppress(OSError):
                old.unlink()


@cache
def sources_digest() -> str:
    """Digest of every module of this package that holds kernels; their constants live there too."""
    digest = hashlib.sha256()
    for path in kernel_modules():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_modules() -> list[Path]:
    """The files of this package that compile kernels, or hold instructions for them."""
    package = Path(__file__).resolve().parent
    marks = (b"_jit import kernel", b"numba.extending")
    return sorted(
        p
        for p in package.rglob("*.py")
        if p.name != "_jit.py" and any(m in p.read_bytes() for m in marks)
    )
