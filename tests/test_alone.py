"""The library without the app: an environment that has its own dependencies and no more."""

import os
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ("numpy", "scipy", "scikit-learn", "numba", "threadpoolctl")
ABSENT = ("streamlit", "plotly", "pandas", "h5py", "PIL", "dask", "pytest")


def _closure(names):
    """Distributions that these need, their own needs included, extras left out."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = distribution(name)
        except PackageNotFoundError:
            continue  # needed on another platform or another Python
        for need in found[key].requires or ():
            if "extra ==" not in need:
                waiting.append(re.match(r"[\w.-]+", need).group())
    return found.values()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A virtual environment that holds links to the library's dependencies alone."""
    folder = tmp_path_factory.mktemp("alone")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    paths = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", paths))
    for package in _closure(CORE):
        for top in {file.parts[0] for file in package.files or () if file.parts[0] != ".."}:
            source = Path(package.locate_file(top))
            if source.exists() and not (site / top).exists() and top != "__pycache__":
                (site / top).symlink_to(source)
    return folder / "bin" / "python"


def run(python, code, **env):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        [python, "-W", "error", "-c", code], cwd=ROOT.parent, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip


def test_library_works_without_the_extras(alone):
    code = f"""
import importlib.util
for name in {ABSENT}:
    assert importlib.util.find_spec(name) is None, name
from sdsc_core import SDSC, METHODS, datasets, clustering_accuracy
data = datasets.make_subspaces(3, 3, 20, 20)
for method in METHODS:
    SDSC(3, method=method, dense="D3").fit(data.X)
print(clustering_accuracy(data.labels, SDSC(3).fit(data.X).labels_))
"""
    ended = run(alone, code)
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) > 0.9


@pytest.mark.parametrize(
    ("code", "package", "extra"),
    [
        ("from sdsc_core import datasets; datasets.load('{}/subspaces.csv')", "pandas", "files"),
        ("from sdsc_core import datasets; datasets.load('{}/shaded_faces.zip')", "Pillow", "files"),
        (
            "from sdsc_core import datasets; datasets.load('{}/overlapping_subspaces_v73.mat')",
            "h5py",
            "files",
        ),
        ("import sdsc_core.figures", "plotly", "figures"),
    ],
)
def test_absent_package_is_named_with_its_extra(alone, code, package, extra):
    ended = run(alone, code.format(ROOT / "sample_data"))
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert package in last and f"pip install 'sdsc-explorer[{extra}]'" in last


def test_app_command_names_its_extra(alone):
    ended = run(alone, "import sys; from sdsc_core.cli import main; sys.exit(main(['app']))")
    assert ended.returncode == 2, ended.stderr
    assert "pip install 'sdsc-explorer[app]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_dask_option_names_its_extra(alone):
    argv = ["cluster", "sample:motion", "--dask", "tcp://127.0.0.1:9"]
    ended = run(alone, f"import sys; from sdsc_core.cli import main; sys.exit(main({argv}))")
    assert ended.returncode == 2, ended.stderr
    assert "pip install 'sdsc-explorer[cluster]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_versions_agree():
    import tomllib

    import sdsc_core

    assert sdsc_core.__version__ in (ROOT / "CITATION.cff").read_text()
    assert f"## {sdsc_core.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]


def test_the_reference_is_made_without_a_warning(tmp_path):
    command = [sys.executable, "-W", "error", "-m", "pdoc", "sdsc_core", "-d", "numpy"]
    ended = subprocess.run([*command, "-o", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    page = (tmp_path / "sdsc_core.html").read_text()
    assert 'id="SDSC.fit"' in page and 'id="run_stages"' in page
