"""Kernels that were compiled with an installation, put where the server may write."""

import hashlib
import logging
import os
import shutil
from pathlib import Path

CACHE_VARIABLE = "NUMBA_CACHE_DIR"
MARK = "laid out"  # a file that says which kernels were
LOGGER = logging.getLogger("sdsc")


def lay_out_kernels(compiled: str, cache: str) -> None:
    """Copy compiled kernels into the cache, once for each installation.

    Numba reads a cache only where it can write. A folder that outlives an installation (a volume
    of a container, a cache of systemd) holds the kernels of the one before, and its first visitor
    would wait until all are compiled again.
    """
    if not compiled or not cache:
        return
    mark, which = Path(cache) / MARK, _digest(Path(compiled))
    try:
        if not mark.exists() or mark.read_text() != which:
            shutil.copytree(compiled, cache, dirs_exist_ok=True)
            mark.write_text(which)
    except OSError as problem:  # they are compiled then
        first = problem.args[0][0][2] if isinstance(problem, shutil.Error) else problem
        LOGGER.warning("kernels of the installation cannot be used: %s", first)


def _digest(folder: Path) -> str:
    """Which kernels these are: by name, size and time."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.nb?")):
        about = path.stat()
        digest.update(f"{path.relative_to(folder)} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def of_installation() -> None:
    """As the environment says: `SDSC_KERNELS` holds what the installation compiled."""
    lay_out_kernels(os.environ.get("SDSC_KERNELS", ""), os.environ.get(CACHE_VARIABLE, ""))
