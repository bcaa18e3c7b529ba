"""Found subspaces as files: each point's distances, and the subspaces themselves."""

import io
from typing import Any

import numpy as np

from sdsc_core.datasets.dataset import check_points, table_csv
from sdsc_core.fitted.describing import Subspaces
from sdsc_core.run import Run
from sdsc_core.script import columns_of

MORE = 4  # columns of `distances_csv` beside those of `points_csv`


def distances_csv(run: Run, found: Subspaces) -> str:
    """A line for each point: what `points_csv` says of it, its distances, the worst fit first.

    >>> from sdsc_core import run_stages, subspaces
    >>> from sdsc_core.datasets import make_subspaces
    >>> run = run_stages(make_subspaces(2, 2, 10, 8))
    >>> distances_csv(run, subspaces(run.data.X, run.after.labels)).splitlines()[0]
    'point,row,class,cluster_W,cluster_W_star,distance_own,distance_next,next_cluster,own_over_next'
    """
    check_points(run.data, columns=MORE)
    order = found.worst(len(found.labels))
    other = found.points.other
    names = np.where(other >= 0, found.names[other].astype(object), "")
    columns = columns_of(run) | {
        "distance_own": found.points.own,
        "distance_next": found.points.next,
        "next_cluster": names,
        "own_over_next": found.misfit,
    }
    return table_csv({name: values[order] for name, values in columns.items()})


def subspaces_npz(found: Subspaces) -> bytes:
    """The subspaces as the bytes of a file that `numpy.load` reads.

    ``basis_NAME`` (r, D) and ``singular_values_NAME`` for each cluster, ``mean_NAME`` where they
    are affine; ``angles`` and ``mean_angles`` (K, K) in degrees, ``clusters`` their names.

    >>> from sdsc_core import subspaces
    >>> found = subspaces(np.eye(4)[[0, 0, 1, 1]], [0, 0, 1, 1])
    >>> np.load(io.BytesIO(subspaces_npz(found)))["basis_1"].shape
    (1, 4)
    """
    arrays: dict[str, Any] = {"clusters": found.names}
    arrays |= {"angles": found.angles, "mean_angles": found.mean_angles}
    for name, subspace in zip(found.names, found.each, strict=True):
        arrays[f"basis_{name}"] = subspace.basis
        arrays[f"singular_values_{name}"] = subspace.singular_values
        if subspace.mean is not None:
            arrays[f"mean_{name}"] = subspace.mean
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()
