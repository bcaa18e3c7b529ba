"""All eigenpairs of a symmetric matrix, found where they can be given up.

LAPACK looks up from its work for nobody: seconds for 2,000 points, a minute for 5,000. Where
somebody may stop it, it works in a process of its own, which is ended; the matrix goes over in
shared memory, and the vectors come back in its place.
"""

import mmap
import os
import subprocess
import sys
import time

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import can_be_cancelled, end_if_cancelled

LARGE = 1000  # points; below, it takes less than half a second
PAUSE = 0.02  # seconds between two looks whether it is done, or nobody waits any more
CODE = """
import mmap, sys
import numpy as np
file, n = map(int, sys.argv[1:])
room = np.frombuffer(mmap.mmap(file, 0), np.float64)
values, vectors = np.linalg.eigh(room[: n * n].reshape(n, n))
room[: n * n], room[n * n :] = vectors.ravel(), values
"""


def all_pairs(A: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues (N,) in ascending order and eigenvectors (N, N) as columns, by NumPy's `eigh`.

    In a thread of `watched` whose work is cancelled it ends at once.

    >>> all_pairs(np.array([[2.0, 0.0], [0.0, 1.0]]))[0].tolist()
    [1.0, 2.0]
    """
    apart = len(A) >= LARGE and can_be_cancelled() and hasattr(os, "memfd_create")
    found = _apart(A) if apart else None
    if found is None:
        values, vectors = np.linalg.eigh(A)
        return values, vectors
    return found


def _apart(A: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The same in a process of its own; None where the system has none to give."""
    n = len(A)
    file = os.memfd_create("matrix")
    try:
        os.ftruncate(file, 8 * (n * n + n))
        room = np.frombuffer(mmap.mmap(file, 0), np.float64)
        room[: n * n].reshape(n, n)[...] = A
        one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, str(file), str(n)], pass_fds=[file],
            env={**os.environ, **one_thread}, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return None
    finally:
        os.close(file)
    try:
        while process.poll() is None:
            end_if_cancelled()
            time.sleep(PAUSE)
    finally:
        process.kill()  # where it is done, nothing happens
        process.wait()
    if process.returncode:  # ended from outside, or no memory
        return None
    return room[n * n :], room[: n * n].reshape(n, n)
