"""Algorithms 2 and 4 on an affinity: `pce` and `densify`."""

from typing import Any

import scipy.sparse as sp

from sdsc_core.blocks import Progress, n_threads
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_choice,
    check_count,
    check_thetas,
    is_sparse,
)
from sdsc_core.dense.dense_pass import all_paths, dense_passes
from sdsc_core.dense.rules import DISTANCE_RULES, Thresholds
from sdsc_core.dense.sparse_pass import sparse_pass
from sdsc_core.memory import check_memory


def pce(
    W: Any,
    theta1: float = 0.8,
    theta2: float = 0.6,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> sp.csr_array:
    """Piecewise Correlation Estimation, Algorithm 2, with Definitions 1 and 2.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1].
    theta1, theta2 : 1 ≥ θ₁ > θ₂ ≥ 0. A value equal to θ₁ is strong, not extremely strong.
    client : a `distributed.Client`, as for `imc`; blocks of rows run on its cluster.

    Returns
    -------
    W* : (N, N) CSR. Every k reads W, and the largest value that any k gives wins; so w* ≥ w and
    the order of the points does not matter. The time goes with the two-hop paths above θ₂.

    >>> import numpy as np
    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> pce(W).toarray()[0].tolist()
    [0.0, 0.9, 0.7]
    """
    W = check_affinity(W, unit=True)
    if not is_sparse(W):  # places and values of all entries, before they are sparse
        check_memory(48 * W.size, "the dense stage", len(W), name="W")
    W = sp.csr_array(W)
    thresholds = Thresholds(*check_thetas(theta1, theta2))
    return sparse_pass(W, W, "PCE", thresholds, n_jobs, progress, client)


def densify(
    W: Any,
    transform: str = "D3",
    hops: int | None = 1,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Affinity:
    """The universal dense stage, Algorithm 4, with the transformations of Table 1.

    Parameters
    ----------
    W : (N, N) symmetric, in [0, 1], sparse or dense.
    transform : "D1": d = 1 − w; "D2": d = 1 − ln w; "D3": d = 1 / w.
    hops : intermediate points on a path. 1 is the paper's single pass, which reads d and not d*;
        more go beyond the paper, and None takes all shortest paths, by Dijkstra's algorithm; it
        is refused where the result, in which nearly all pairs are linked, would not fit.
    client : a `distributed.Client`, as for `imc`; all shortest paths are found here all the same.

    Returns
    -------
    W* as W was, CSR or array. On a dense W the distances are float32, and what they do not show,
    a change by less than 5e-7 of a distance, is none.

    >>> import numpy as np
    >>> W = np.array([[0, 0.8, 0], [0.8, 0, 0.4], [0, 0.4, 0]])
    >>> densify(sp.csr_array(W), "D1").toarray()[0].round(2).tolist()
    [0.0, 0.8, 0.2]
    """
    W = check_affinity(W, unit=True)
    check_choice(transform, "transform", DISTANCE_RULES)
    if hops is None:
        n_threads(n_jobs)  # refused here too, though it is not used
        return all_paths(W, transform, progress)
    hops = check_count(hops, "hops", 1, None, ", or None for all shortest paths")
    hops = min(hops, max(1, W.shape[0] - 2))  # no path has more points between its ends
    if not is_sparse(W):
        return dense_passes(W, transform, hops, n_jobs, progress, client)
    result = W
    for _ in range(hops):
        result = sparse_pass(result, W, transform, Thresholds(0.0, 0.0), n_jobs, progress, client)
    return result if hops == 1 else sp.csr_array(result.maximum(result.T))
