"""The one way a kernel is compiled."""

import warnings
from typing import Any

from numba import njit


def kernel(function: Any) -> Any:
    """Compile a function, or load it from the cache on disk.

    Serial and without the GIL: threads come from `blocks`, so a kernel never freezes a server and
    never meets Numba's threading layer. IEEE order is kept, because ties and θ decide by equality.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError as problem:  # neither the package's folder nor the home can be written
        _warn_of_no_cache(problem)
        return njit(**options)(function)
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
