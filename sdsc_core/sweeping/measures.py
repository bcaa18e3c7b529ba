"""The figures of one W* and its clusters, as `summarise` gives them, for many W* in a row.

What a sweep measures comes from our own dense stage, so it is not checked again.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.conn import conn_of
from sdsc_core.metrics import acc_nmi, ncut_of, sums_of
from sdsc_core.spectral import Spectrum


def figures_of(
    W: Affinity,
    found: Spectrum,
    clusters: Sequence[NDArray[np.int64]],
    truth: NDArray[np.int64] | None,
) -> list[dict[str, float | None]]:
    """ACC, NMI, CONN, Ncut, density and components for each of some clusterings of one W*.

    ``cut`` is Ncut by the found clusters, ``ncut`` that by the classes where they are known.

    >>> from sdsc_core import spectrum
    >>> W, two = np.kron(np.eye(2), 1 - np.eye(3)), np.array([0, 0, 0, 1, 1, 1])
    >>> figures = figures_of(W, spectrum(W, 2), [two], two)[0]
    >>> figures["acc"], figures["ncut"], figures["components"]
    (1.0, 0.0, 2.0)
    """
    by_truth = None if truth is None else _by_labels(W, found, truth)
    made = []
    for own in clusters:
        figures: dict[str, float | None] = {"acc": None, "nmi": None}
        if truth is None or by_truth is None:
            by_own = _by_labels(W, found, own)
            figures |= by_own | {"cut": by_own["ncut"]}
        else:
            figures |= by_truth
            figures["acc"], figures["nmi"] = acc_nmi(truth, own)
            figures["cut"] = _ncut(W, own)
        made.append(figures)
    return made


def _by_labels(W: Affinity, found: Spectrum, labels: NDArray[np.int64]) -> dict[str, float | None]:
    """What depends on the classes, or on the clusters in their place."""
    n, conn = W.shape[0], conn_of(W, labels, found)
    nonzeros = W.nnz if is_sparse(W) else int(np.count_nonzero(W))
    return {
        "conn": conn.mean,
        "conn_min": conn.min,
        "conn_whole": conn.whole,
        "ncut": _ncut(W, labels),
        "density": nonzeros / max(1, n * (n - 1)),
        "components": float(found.n_components),
    }


def _ncut(W: Affinity, labels: NDArray[np.int64]) -> float:
    """Eq. 8, as `ncut` has it."""
    return ncut_of(*sums_of(W, labels)[:2])
