"""What several test files share."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"

# A cold compile takes seconds and machines are noisy: no deadline; the same cases every time.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")


@pytest.fixture(scope="session")
def real_data():
    """Loader of a research data set, by file name."""

    def load(name):
        if not (DATA / name).exists():
            pytest.skip(f"{name} is not in {DATA}; research data is not shipped")
        return np.load(DATA / name)

    return load
