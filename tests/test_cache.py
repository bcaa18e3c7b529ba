"""Without a place for compiled kernels the library still works, with one warning."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT

USE = """
import sys
import warnings

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import numpy as np
    import sdsc_core

    if "full" in sys.argv:  # no file may grow, as on a full disk
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    assert sdsc_core.pce(W)[0, 2] == 0.7
    assert len(sdsc_core.changes(W, sdsc_core.pce(W))) == 1
told = [str(w.message) for w in told if "kept on disk" in str(w.message)]
print(sdsc_core.__file__, *told, sep="\\n", end="")
"""


@pytest.mark.skipif(os.name != "posix", reason="blocks folders and disks as POSIX does")
@pytest.mark.parametrize("trouble", ["read-only", "full"])
def test_works_without_a_cache_with_one_warning(trouble, tmp_path):
    skip = shutil.ignore_patterns("__pycache__")
    package = shutil.copytree(ROOT / "sdsc_core", tmp_path / "sdsc_core", ignore=skip)
    blocked = tmp_path / "blocked"
    blocked.touch()  # no folder can be made below a file, not even by root
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked / "cache")}
    if trouble == "read-only":
        for folder in [package, *(p for p in package.iterdir() if p.is_dir())]:
            (folder / "__pycache__").touch()
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    run = subprocess.run(
        [sys.executable, "-c", USE, trouble],
        cwd=tmp_path,
        env=clean | home | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    place, *told = run.stdout.splitlines()
    assert place == str(package / "__init__.py")
    assert len(told) == 1 and "NUMBA_CACHE_DIR" in told[0]
    assert not list(package.rglob("*.nbc"))
