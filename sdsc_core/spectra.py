"""What a spectrum is, and whether one that is handed in belongs to a graph."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import Affinity, check_count, check_kind
from sdsc_core.sparse.entries import components_of

COARSE = 1e-4  # of large graphs and of the last resort: good enough to cluster by
LOOSE = 1e-2  # of pairs in a large graph that are only shown


@dataclass(frozen=True)
class Spectrum:
    """Top of the spectrum of D^{-1/2} W D^{-1/2}.

    Attributes
    ----------
    eigenvalues : (m,), descending; 1 − λ is the Laplacian's.
    vectors : (N, m), orthonormal columns.
    component : (N,), the connected component of each point.
    n_components : their number; a point without edges is one by itself.
    regularised : whether weak links between all points were added (see `spectrum`).
    converged : whether all eigenpairs reached the solver's accuracy.
    residual : the largest ‖A v − λ v‖ where they did not.
    n_exact : how many pairs can be clustered by; in a large graph the others are only to be shown.
    """

    eigenvalues: NDArray[np.float64]
    vectors: NDArray[np.float64]
    component: NDArray[np.int64]
    n_components: int
    regularised: bool
    converged: bool = True
    residual: float = 0.0
    n_exact: int = 0

    @property
    def message(self) -> str:
        """Empty, or a sentence on eigenvectors that did not converge."""
        if self.converged:
            return ""
        return (
            "The eigenvectors did not converge, so clusters and eigenvalues are not exact: the"
            f" residual is {self.residual:.2g}, above the tolerance of {COARSE:.2g}."
        )

    def embedding(self, n: int) -> NDArray[np.float64]:
        """The first n eigenvectors, rows of unit norm (Ng, Jordan and Weiss); zero rows stay."""
        n = check_count(n, "n", 1, self.vectors.shape[1], ", the eigenvectors that are there")
        rows = self.vectors[:, :n]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms > 1e-12, norms, 1.0)

    def decides_as(self, n_clusters: int) -> bool:
        """Whether so many clusters ask for weak links where this spectrum has them.

        >>> Spectrum(np.ones(1), np.ones((2, 1)), np.arange(2), 2, False).decides_as(1)
        False
        """
        return self.regularised == (self.n_components > n_clusters)


def check_spectrum(found: Any, W: Affinity, name: str) -> Spectrum | None:
    """None, or a spectrum that is W's as far as components and the first two pairs tell.

    >>> check_spectrum(None, np.eye(2), "found")
    """
    if found is None:
        return None
    found = check_kind(found, Spectrum, name, "what `spectrum` returns")
    points, n = len(found.vectors), W.shape[0]
    if points != n:
        raise ValueError(f"{name} is of {points} points; W has {n}, give the spectrum of W.")
    if not np.array_equal(components_of(W)[1], found.component) or not _are_pairs(found, W):
        raise ValueError(f"{name} is the spectrum of another graph; give that of W.")
    return found


def _are_pairs(found: Spectrum, W: Affinity) -> bool:
    """Whether the first two, as far as they are exact, are eigenpairs of W."""
    some = min(2, found.n_exact)
    vectors, values = found.vectors[:, :some], found.eigenvalues[:some]
    degrees = np.asarray(W.sum(axis=1)).ravel()
    tau = degrees.mean() if found.regularised else 0.0
    roots = np.sqrt(degrees + tau)
    scale = 1.0 / np.where(roots > 0, roots, 1.0)[:, None]
    inner = vectors * scale
    products = scale * (W @ inner + tau / len(roots) * inner.sum(axis=0))
    linked = roots > 0  # a point alone has the eigenvalue 1, and no row of W
    gaps = np.linalg.norm((products - vectors * values)[linked], axis=0)
    return bool((gaps <= max(LOOSE, 2 * found.residual)).all())
