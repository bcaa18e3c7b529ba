"""The one way a kernel is compiled."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


def kernel(function: Any) -> Any:
    """Compile a function, or load it from the cache on disk.

    Serial and without the GIL: threads come from `blocks`, so a kernel never freezes a server and
    never meets Numba's threading layer. IEEE order is kept, because ties and θ decide by equality.
    """
    compiled = njit(nogil=True, cache=True, error_model="numpy")(function)
    _notice_edits_elsewhere(compiled)
    return compiled


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
    """The files of this package that compile kernels."""
    package = Path(__file__).resolve().parent
    return sorted(p for p in package.rglob("*.py") if b"_jit import kernel" in p.read_bytes())
