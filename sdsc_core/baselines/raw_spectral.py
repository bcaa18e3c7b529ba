"""Spectral clustering of the samples themselves: a kernel for W, and the third stage on it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.baselines.base import Baseline, Found
from sdsc_core.blocks import Progress, gram, tick
from sdsc_core.methods.base import Parameter, row_cosines
from sdsc_core.sides import cluster_side

KERNELS = ("rbf", "cosine")


def kernel_matrix(X: NDArray[np.float64], kernel: str = "rbf") -> NDArray[np.float64]:
    """W (N, N) with a zero diagonal.

    ``rbf``: w_ij = exp(−‖x_i − x_j‖² / 2σ²), σ the median distance of two points; ``cosine``:
    w_ij = |cos(x_i, x_j)|.

    >>> kernel_matrix(np.array([[0.0], [1.0], [3.0]])).round(3).tolist()
    [[0.0, 0.882, 0.325], [0.882, 0.0, 0.607], [0.325, 0.607, 0.0]]
    """
    if kernel == "cosine":
        return row_cosines(X, 1)
    X = X - X.mean(axis=0)  # distances are the same, and of smaller numbers
    squares = (X**2).sum(axis=1)
    far = np.maximum(squares[:, None] + squares - 2 * gram(X), 0.0)
    far = (far + far.T) / 2
    pairs = far[np.triu_indices(len(X), 1)]
    scale = np.median(pairs) if len(pairs) else 1.0
    if not scale:  # most points are the same
        scale = pairs.mean() or 1.0
    W: NDArray[Any] = np.exp(-far / (2 * scale))
    np.fill_diagonal(W, 0.0)
    return W


def raw_spectral(
    X: NDArray[np.float64],
    n_clusters: int,
    *,
    kernel: str = "rbf",
    random_state: int = 0,
    progress: Progress | None = None,
) -> Found:
    """Normalised cut of the kernel matrix, by the same third stage as every method.

    >>> raw_spectral(np.array([[0.0], [0.1], [5.0], [5.1]]), 2).labels.tolist()
    [0, 0, 1, 1]
    """
    tick(progress, 0, 1)
    W = kernel_matrix(X, kernel)
    side = cluster_side(W, n_clusters, seed=random_state, vectors=n_clusters, progress=progress)
    return Found(side.labels, W, side.spectrum.message)


BASELINE = Baseline(
    name="Spectral",
    title="Spectral clustering of the samples by a kernel",
    function=raw_spectral,
    parameters=(
        Parameter(
            "kernel", "rbf", None, None,
            "exp(−d²/2σ²) with σ the median distance, or the absolute cosine.", choices=KERNELS,
        ),
    ),
    memory=lambda n, d: 8 * (2 * n * d + 6 * n * n),
)  # fmt: skip
