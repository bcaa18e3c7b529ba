"""The figures of one W* and its clusters, as `summarise` gives them, for many W* in a row.

What a sweep measures comes from our own dense stage, so it is not checked again, and the classes'
own graphs are taken out of one array.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.metrics import cut_vol, summarise
from sdsc_core.spectral import Spectrum

MOST_DENSE = 2000  # points up to which the classes' graphs are cut out as arrays
SURE = 1e-9  # an eigenvalue so close to 1 needs a look at the components


def class_connectivity(W: Affinity, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """CONN of each cluster's own graph in W (N, N); see `connectivity`.

    >>> class_connectivity(1.0 - np.eye(6), np.array([0, 0, 0, 1, 1, 1])).round(3).tolist()
    [1.5, 1.5]
    """
    sizes = np.bincount(labels)
    found = np.zeros(len(sizes))
    blocks = _blocks(sp.csr_array(W), labels, sizes)
    for size in set(sizes.tolist()) - {0, 1}:  # those of a size at once
        own = np.flatnonzero(sizes == size)
        found[own] = _second(np.stack([blocks[c] for c in own]))
    return found


def _blocks(
    W: sp.csr_array, labels: NDArray[np.int64], sizes: NDArray[np.int64]
) -> list[NDArray[np.float64]]:
    """Each cluster's own part of W as an array."""
    order = np.argsort(labels, kind="stable")
    place = np.empty(len(labels), np.int64)  # of a point among those of its cluster
    place[order] = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.repeat(np.arange(len(labels)), np.diff(W.indptr))
    inside = labels[rows] == labels[W.indices]
    rows, columns = rows[inside], W.indices[inside]
    starts = np.cumsum(sizes**2) - sizes**2
    whole = np.zeros(int((sizes**2).sum()))
    whole[starts[labels[rows]] + place[rows] * sizes[labels[rows]] + place[columns]] = W.data[
        inside
    ]
    return [whole[a : a + m * m].reshape(m, m) for a, m in zip(starts, sizes, strict=True)]


def _second(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """For blocks (c, m, m), m > 1: 1 minus the second eigenvalue of D^{-1/2} W D^{-1/2}.

    0 where one is not connected.
    """
    degrees = blocks.sum(axis=2)
    found, whole = np.zeros(len(blocks)), degrees.all(axis=1)
    roots = 1.0 / np.sqrt(degrees[whole])
    scaled = blocks[whole] * roots[:, :, None] * roots[:, None, :]
    second = np.linalg.eigvalsh(scaled)[:, -2]
    for k, value in zip(np.flatnonzero(whole), second, strict=True):
        sure = value <= 1.0 - SURE
        if sure or sp.csgraph.connected_components(blocks[k], directed=False)[0] == 1:
            found[k] = max(0.0, 1.0 - value)
    return found


def acc_nmi(truth: NDArray[np.int64], found: NDArray[np.int64]) -> tuple[float, float]:
    """`clustering_accuracy` and `nmi` of labels that count from 0, from one table of counts.

    >>> acc_nmi(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    (1.0, 1.0)
    """
    shape, n = (int(truth.max()) + 1, int(found.max()) + 1), len(truth)
    table = np.bincount(truth * shape[1] + found, minlength=shape[0] * shape[1]).reshape(shape)
    rows, columns = linear_sum_assignment(table, maximize=True)
    joint = table / n
    own, other = joint.sum(axis=1), joint.sum(axis=0)
    of_own, of_other = _entropy(own), _entropy(other)
    if of_own == of_other == 0.0:
        return float(table[rows, columns].sum() / n), 1.0
    shared = max(0.0, of_own + of_other - _entropy(joint))
    return float(table[rows, columns].sum() / n), 2.0 * shared / (of_own + of_other)


def _entropy(shares: NDArray[np.float64]) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum()) if some.size > 1 else 0.0


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
    n = W.shape[0]
    if n > MOST_DENSE:
        s = summarise(W, labels, spectrum_=found)
        conn, whole, nonzeros = s.conn.per_cluster, s.conn.whole, s.nonzeros
    else:
        conn = class_connectivity(W, labels)
        connected = found.n_components == 1
        whole = float(max(0.0, 1.0 - found.eigenvalues[1])) if connected else 0.0
        nonzeros = W.nnz if is_sparse(W) else int(np.count_nonzero(W))
    return {
        "conn": float(conn.mean()),
        "conn_min": float(conn.min()),
        "conn_whole": whole,
        "ncut": _ncut(W, labels),
        "density": nonzeros / max(1, n * (n - 1)),
        "components": float(found.n_components),
    }


def _ncut(W: Affinity, labels: NDArray[np.int64]) -> float:
    """Eq. 8, as `ncut` has it; of few points by two products."""
    if W.shape[0] > MOST_DENSE:
        cut, vol = cut_vol(W, labels)
    else:
        of = np.eye(int(labels.max()) + 1)[labels]
        between = of.T @ (W @ of)
        vol = between.diagonal()
        cut = (between - np.diag(vol)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(cut > 0, cut / vol, 0.0).sum())
