"""Sparse-Dense Subspace Clustering (Yang, Zhu, Zhu): the library behind SDSC Explorer.

>>> from sdsc_core import SDSC, datasets
>>> model = SDSC(n_clusters=3).fit(datasets.make_subspaces(n_subspaces=3, ambient=30).X)
"""

import sys
from typing import TYPE_CHECKING, Any

from sdsc_core import datasets, sweeping
from sdsc_core._version import __version__
from sdsc_core.affinities import affinity
from sdsc_core.baselines import BASELINES
from sdsc_core.blocks import Cancelled
from sdsc_core.conn import connectivity
from sdsc_core.dense import (
    DENSE,
    DENSE_STAGES,
    Changes,
    Explanation,
    account,
    changes,
    dense_stage,
    densify,
    diffusion,
    explain,
    mutual,
    pce,
    rank_changes,
    sinkhorn,
    tally,
)
from sdsc_core.fitted import Subspace, Subspaces, fit_subspaces, subspaces
from sdsc_core.imc_path import ImcPath, imc
from sdsc_core.methods import METHODS
from sdsc_core.metrics import (
    Analysis,
    Summary,
    analyse,
    clustering_accuracy,
    components,
    confusion,
    cut_vol,
    inside_share,
    misplaced,
    ncut,
    nmi,
    preserving_error,
    summarise,
)
from sdsc_core.run import Run, run_stages
from sdsc_core.settings import RunSettings
from sdsc_core.spectra import Spectrum
from sdsc_core.spectral import spectral_clustering, spectrum, suggest_n_clusters
from sdsc_core.sweeping import Grid, sweep
from sdsc_core.tracing import trace
from sdsc_core.verdict import advise

if TYPE_CHECKING or "pdoc" in sys.modules:  # which reads names without `__getattr__`
    from sdsc_core.estimator import SDSC

__all__ = [
    "BASELINES",
    "DENSE",
    "DENSE_STAGES",
    "METHODS",
    "SDSC",
    "Analysis",
    "Cancelled",
    "Changes",
    "Explanation",
    "Grid",
    "ImcPath",
    "Run",
    "RunSettings",
    "Spectrum",
    "Subspace",
    "Subspaces",
    "Summary",
    "__version__",
    "account",
    "advise",
    "affinity",
    "analyse",
    "changes",
    "clustering_accuracy",
    "components",
    "confusion",
    "connectivity",
    "cut_vol",
    "datasets",
    "dense_stage",
    "densify",
    "diffusion",
    "explain",
    "fit_subspaces",
    "imc",
    "inside_share",
    "misplaced",
    "mutual",
    "ncut",
    "nmi",
    "pce",
    "preserving_error",
    "rank_changes",
    "run_stages",
    "sinkhorn",
    "spectral_clustering",
    "spectrum",
    "subspaces",
    "suggest_n_clusters",
    "summarise",
    "sweep",
    "sweeping",
    "tally",
    "trace",
]


def __getattr__(name: str) -> Any:
    """SDSC when it is asked for: importing scikit-learn for it takes as long as all else."""
    if name != "SDSC":
        raise AttributeError(f"module 'sdsc_core' has no attribute {name!r}")
    from sdsc_core.estimator import SDSC

    globals()[name] = SDSC
    return SDSC
