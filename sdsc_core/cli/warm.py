"""What the app needs before its first picture: libraries, and compiled kernels."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np
import scipy.sparse as sp

from sdsc_core.blocks import Progress, tick
from sdsc_core.datasets import make_subspaces
from sdsc_core.dense import changes, dense_stage, densify, explain, pce
from sdsc_core.imc_path import imc
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings
from sdsc_core.sparse.entries import sums_by_group
from sdsc_core.tracing import trace

# What is imported late elsewhere, or by Streamlit in the middle of its own imports.
LIBRARIES = (
    "pandas", "narwhals", "plotly.graph_objects", "sklearn.cluster", "sdsc_core.figures",
    "cryptography.fernet",
)  # fmt: skip
FIRST_RESULT = 6  # so many steps of `warm_up` are all that Explore needs for its first picture


def load_libraries() -> None:
    """Import all that is large, in the one thread that there is before a server takes visitors.

    Two threads that import pandas, narwhals or scikit-learn at once can meet a half-initialised
    module, or wait for each other for good.

    >>> load_libraries()
    """
    for name in LIBRARIES:
        import_module(name)


def warm_up(progress: Progress | None = None) -> None:
    """Call each kernel once on some points; seconds on a new machine, a moment afterwards.

    >>> warm_up()
    """
    X = np.random.default_rng(0).standard_normal((12, 20))
    W = sp.csr_array(np.kron(np.eye(4), 0.9 * (1 - np.eye(3))))
    made = make_subspaces(3, 4, 20, 50, noise=0.3)  # more than are decomposed at once
    chain = sp.csr_array(0.9 * (np.eye(12, k=1) + np.eye(12, k=-1)))  # entries that change
    kept = np.zeros(12, np.int64)  # as a result keeps its labels: of another type for a kernel
    kept.flags.writeable = False
    steps: list[Callable[[], object]] = [
        lambda: imc(X, 3, search="gram"),
        lambda: imc(X, 3, search="blocks"),
        lambda: imc(X, 3, start=imc(X, 2)),
        lambda: pce(W),
        lambda: run_stages(made, RunSettings(dense="PCE")),  # eigenvectors, clusters, figures
        lambda: sums_by_group(W, kept, 1),
        lambda: densify(W, "D3"),
        *(partial(dense_stage, W, name) for name in ("Sinkhorn", "Diffusion", "Mutual")),
        lambda: densify(W.toarray(), "D3"),
        lambda: changes(chain, pce(chain)),
        lambda: explain(chain, 0, 2),
        lambda: trace(X, 0, 3),
        lambda: imc(X, 3, search="tree"),
    ]
    for done, step in enumerate(steps):
        tick(progress, done, len(steps))
        step()
    tick(progress, len(steps), len(steps))
