"""Compiled kernels: those of an installation are found, and without a place for them the library
still works, with one warning."""

import os
import shutil
import subprocess
import sys

import pytest

from sdsc_core.cli.kernels import MARK, lay_out_kernels
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


class TestOfAnInstallation:
    @pytest.fixture
    def folders(self, tmp_path):
        """What two installations compiled, and a cache with what the server wrote since."""
        for name in ("first", "second"):
            (tmp_path / name / "a_1").mkdir(parents=True)
            (tmp_path / name / "a_1" / "k.nbi").write_text(name)
        (tmp_path / "cache").mkdir()
        (tmp_path / "cache" / "exercise.key").write_text("key")
        return tmp_path

    def test_each_is_copied_once(self, folders):
        index = folders / "cache" / "a_1" / "k.nbi"
        lay_out_kernels(str(folders / "first"), str(folders / "cache"))
        assert index.read_text() == "first"
        index.write_text("first, and what another processor compiled")
        lay_out_kernels(str(folders / "first"), str(folders / "cache"))
        assert index.read_text() == "first, and what another processor compiled"
        lay_out_kernels(str(folders / "second"), str(folders / "cache"))
        assert index.read_text() == "second"
        assert (folders / "cache" / "exercise.key").read_text() == "key"

    def test_where_it_cannot_be_the_server_starts_all_the_same(self, folders, caplog):
        (folders / "cache" / "a_1").write_text("no folder can be made in its place")
        lay_out_kernels(str(folders / "first"), str(folders / "cache"))
        assert not (folders / "cache" / MARK).exists()
        assert "kernels of the installation cannot be used: [Errno 17]" in caplog.text

    def test_nothing_where_nothing_is_set(self):
        lay_out_kernels("", "")
