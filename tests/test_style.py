"""The tools that read the code find nothing to say."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    "tool", ["ruff check", "ruff format --check", "mypy"], ids=lambda tool: tool.split(" -")[0]
)
def test_clean(tool):
    run = subprocess.run(
        [sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
