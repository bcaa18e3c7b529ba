"""The subspaces of found clusters: dimension, basis, angles, and the nearest one for any point."""

from sdsc_core.fitted.describing import Subspaces, principal_angles, subspaces
from sdsc_core.fitted.fitting import Subspace, fit_subspaces, suggest_dimension
from sdsc_core.fitted.nearest import Nearest, draw_rows, nearest_subspace, strongest_link
from sdsc_core.fitted.sampling import PartRun, run_part

__all__ = [
    "Nearest",
    "PartRun",
    "Subspace",
    "Subspaces",
    "draw_rows",
    "fit_subspaces",
    "nearest_subspace",
    "principal_angles",
    "run_part",
    "strongest_link",
    "subspaces",
    "suggest_dimension",
]
