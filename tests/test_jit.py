"""Compiled kernels kept on disk follow the source, in whatever module it is edited."""

import ast
import os
import shutil
import subprocess
import sys

from sdsc_core import _jit

INNER = """from sdsc_core._jit import kernel

SHIFT = 1


@kernel
def inner(x):
    return x + SHIFT
"""
OUTER = """from sdsc_core._jit import kernel
from sdsc_core.inner import inner


@kernel
def outer(x):
    return inner(x)


if __name__ == "__main__":
    from sdsc_core.outer import outer as kept
    print(kept(0), sum(kept.stats.cache_hits.values()))
"""


def test_an_edit_in_another_module_reaches_a_kept_kernel(tmp_path):
    package = tmp_path / "sdsc_core"
    package.mkdir()
    shutil.copy(_jit.__file__, package)
    for name, text in (("__init__", ""), ("inner", INNER), ("outer", OUTER), ("other", "A = 1")):
        (package / f"{name}.py").write_text(text)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}

    def result_and_hits():
        command = [sys.executable, "-W", "error::UserWarning", "-m", "sdsc_core.outer"]
        done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return tuple(map(int, done.stdout.split()))

    def kept():
        return sorted(p.name.split(".py")[0] for p in package.rglob("*.nb[ic]"))

    assert result_and_hits() == (1, 0)
    assert result_and_hits() == (1, 1)
    (package / "other.py").write_text("A = 2")  # no kernels in there
    assert result_and_hits() == (1, 1)
    (package / "inner.py").write_text(INNER.replace("SHIFT = 1", "SHIFT = 10"))
    assert result_and_hits() == (10, 0)
    assert result_and_hits() == (10, 1)
    before = kept()
    (package / "inner.py").write_text(INNER.replace("SHIFT = 1", "# moved\n\nSHIFT = 100"))
    assert result_and_hits() == (100, 0)
    assert len(kept()) == len(before) and kept() != before  # nothing is left of the old line


def defined(tree):
    """Names that a module gives a meaning itself."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        for target in getattr(node, "targets", []):
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def test_what_a_kernel_uses_of_other_modules_lies_in_modules_with_kernels():
    """Else an edit there would not be noticed."""
    trees = {p.name: ast.parse(p.read_text()) for p in _jit.kernel_modules()}
    known = {name for tree in trees.values() for name in defined(tree)}
    known |= {
        ast.unparse(node.target)
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
    }
    assert {"decide", "TIE", "NO_VARIANCE"} <= known
    for module, tree in trees.items():
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sdsc_core")
            for alias in node.names
        }
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id == "kernel" for d in function.decorator_list
            ):
                used = {n.id for b in function.body for n in ast.walk(b) if isinstance(n, ast.Name)}
                assert used & imported <= known, f"{module}: {used & imported - known}"
