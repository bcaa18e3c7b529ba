"""How good a clustering and an affinity are: ACC, NMI, CONN, Ncut, Q and what the analysis uses."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.affinities import magnitudes
from sdsc_core.checks import Affinity, check_affinity, check_star, is_sparse
from sdsc_core.conn import Connectivity, conn_of
from sdsc_core.labels.checking import check_labels
from sdsc_core.labels.matching import best_map, cells_of, is_large, table_of
from sdsc_core.memory import check_memory
from sdsc_core.sparse.entries import components_of, cuts_by_group, sums_by_group
from sdsc_core.spectral import Spectrum, check_spectrum

MANY = 2048  # clusters, beyond which no table of each with each is made


def confusion(y_true: Any, y_pred: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts (classes, columns) and the cluster of each column, by the best one-to-one map.

    Column c holds the cluster matched to class c, so the right points lie on the diagonal; clusters
    without a class follow, and a class without a cluster has an empty column, cluster −1.

    >>> table, clusters = confusion([0, 0, 1], [1, 1, 0])
    >>> table.tolist(), clusters.tolist()
    ([[2, 0], [0, 1]], [1, 0])
    """
    truth, found = _both(y_true, y_pred)
    table = table_of(truth, found)
    rows, columns, _ = best_map(truth, found, table)
    clusters = np.full(max(table.shape), -1)
    clusters[rows] = columns
    clusters[len(table) :] = np.setdiff1d(np.arange(table.shape[1]), columns)
    ordered = np.where(clusters >= 0, table[:, clusters], 0)
    return ordered, clusters


def clustering_accuracy(y_true: Any, y_pred: Any) -> float:
    """ACC, eq. 14: the share of points right under the best one-to-one map (Hungarian method).

    >>> clustering_accuracy([0, 0, 1, 1], [5, 5, 3, 5])
    0.75
    """
    truth, found = _both(y_true, y_pred)
    return best_map(truth, found)[2] / len(truth)


def misplaced(y_true: Any, y_pred: Any) -> NDArray[np.bool_]:
    """Which points ACC counts as wrong, (N,).

    >>> misplaced([0, 0, 1, 1], [5, 5, 3, 5]).tolist()
    [False, False, False, True]
    """
    truth, found = _both(y_true, y_pred)
    rows, columns, _ = best_map(truth, found)
    to_class = np.full(found.max() + 1, -1)
    to_class[columns] = rows
    return to_class[found] != truth


def nmi(y_true: Any, y_pred: Any) -> float:
    """NMI, eq. 15: 2 I(U;V) / (H(U) + H(V)), the arithmetic mean.

    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return acc_nmi(*_both(y_true, y_pred))[1]


def acc_nmi(truth: NDArray[np.int64], found: NDArray[np.int64]) -> tuple[float, float]:
    """`clustering_accuracy` and `nmi` of labels that count from 0, from one table of counts.

    >>> acc_nmi(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    (1.0, 1.0)
    """
    n, table = len(truth), None
    if is_large(truth, found):
        joint = cells_of(truth, found)[2] / n
        own, other = np.bincount(truth) / n, np.bincount(found) / n
    else:
        table = table_of(truth, found)
        joint = table / n
        own, other = joint.sum(axis=1), joint.sum(axis=0)
    acc = best_map(truth, found, table)[2] / n
    of_own, of_other = _entropy(own), _entropy(other)
    if of_own == of_other == 0.0:
        return acc, 1.0
    shared = max(0.0, of_own + of_other - _entropy(joint))
    return acc, min(1.0, 2.0 * shared / (of_own + of_other))


def _entropy(shares: NDArray[np.float64]) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum()) if some.size > 1 else 0.0


def _both(y_true: Any, y_pred: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    truth = check_labels(y_true, name="y_true")
    return truth, check_labels(y_pred, len(truth), "y_pred")


def components(W: Any) -> NDArray[np.int64]:
    """Sizes of the connected components, the largest first.

    >>> components(np.kron(np.eye(2), 1 - np.eye(3))).tolist()
    [3, 3]
    """
    return _sizes(components_of(check_affinity(W))[1])


def _sizes(part: NDArray[Any]) -> NDArray[np.int64]:
    return np.sort(np.bincount(part))[::-1]


def cut_vol(W: Any, labels: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """cut(A_i, rest) of eq. 6 and vol(A_i) of eq. 7 for each cluster.

    As printed, vol sums the similarity inside A_i alone, over ordered pairs.

    >>> [v.tolist() for v in cut_vol(1 - np.eye(4), [0, 0, 1, 1])]
    [[4.0, 4.0], [2.0, 2.0]]
    """
    W = check_affinity(W)
    return sums_of(W, check_labels(labels, W.shape[0]))[:2]


class Sums(NamedTuple):
    """cut and vol of each cluster, and how many nonzeros W has in all and between clusters."""

    cut: NDArray[np.float64]
    vol: NDArray[np.float64]
    nonzeros: int
    between: int


def sums_of(W: Affinity, labels: NDArray[np.int64]) -> Sums:
    """What lies inside and between clusters, without a table of many clusters.

    >>> sums_of(1 - np.eye(4), np.array([0, 0, 1, 1])).cut.tolist()
    [4.0, 4.0]
    """
    n = int(labels.max()) + 1
    if n > MANY:
        return Sums(*cuts_by_group(W, labels, n))
    between, entries = sums_by_group(W, labels, n)
    vol, nonzeros = between.diagonal().copy(), int(entries.sum())
    cut = (between - np.diag(vol)).sum(axis=1)
    return Sums(cut, vol, nonzeros, nonzeros - int(np.trace(entries)))


def ncut(W: Any, labels: Any) -> float:
    """Ncut, eq. 8: Σ cut(A_i, rest) / vol(A_i); infinite where a cluster has no similarity inside.

    >>> ncut(1 - np.eye(4), [0, 0, 1, 1])
    4.0
    """
    return ncut_of(*cut_vol(W, labels))


def ncut_of(cut: NDArray[np.float64], vol: NDArray[np.float64]) -> float:
    """`ncut` from what `cut_vol` gives.

    >>> ncut_of(np.array([4.0, 4.0]), np.array([2.0, 2.0]))
    4.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(cut > 0, cut / vol, 0.0)
    return float(each.sum())


@dataclass(frozen=True)
class Analysis:
    """The quantities of eq. 9–13 for one W and its W*, by given clusters.

    η₁ and η₂ are the similarity inside and between, ζ the nonzeros between, k the nonzeros a point.
    ``zeta_star`` counts the nonzeros between in W*, which eq. 10 takes to be ζ(k − 1).
    ``ncut`` is η₂/η₁, eq. 9 (not eq. 8, which sums over clusters); ``q`` is measured, eq. 11;
    ``tau`` is what eq. 10 lets the number of new entries fall short of, Nk² − nnz(W*);
    ``q_predicted`` is eq. 13 with that τ, and ``q_predicted_no_tau`` with τ = 0, as the paper says.
    """

    n: int
    k: float
    zeta: int
    tau: float
    eta1: float
    eta2: float
    eta1_star: float
    eta2_star: float
    ncut: float
    ncut_star: float
    q: float
    q_predicted: float
    q_predicted_no_tau: float
    zeta_star: int


def analyse(W: Any, W_star: Any, labels: Any) -> Analysis:
    """Ncut before and after densification with Q measured beside Q predicted (eq. 9–13).

    >>> from scipy.sparse import csr_array
    >>> W = csr_array(np.kron(np.eye(2), 1 - np.eye(3)))
    >>> analyse(W, W, [0, 0, 0, 1, 1, 1]).k
    2.0
    """
    W = check_affinity(W)
    return analysis_of(W, check_star(W, W_star), check_labels(labels, W.shape[0]))


def analysis_of(W: Affinity, W_star: Affinity, labels: NDArray[np.int64]) -> Analysis:
    """`analyse` of what was checked before."""
    n = W.shape[0]
    (eta1, eta2, nonzeros, zeta), (eta1_s, eta2_s, nonzeros_s, zeta_s) = (
        _inside_between(A, labels) for A in (W, W_star)
    )
    k = nonzeros / n
    tau = n * k * k - nonzeros_s
    before, after = _ratio(eta2, eta1), _ratio(eta2_s, eta1_s)
    return Analysis(
        n=n,
        k=k,
        zeta=zeta,
        tau=tau,
        eta1=eta1,
        eta2=eta2,
        eta1_star=eta1_s,
        eta2_star=eta2_s,
        ncut=before,
        ncut_star=after,
        q=_ratio(after, before),
        q_predicted=_ratio(n * k * k - n * k, n * k * k - tau),
        q_predicted_no_tau=_ratio(n * k * k - n * k, n * k * k),
        zeta_star=zeta_s,
    )


def inside_share(W: Any, labels: Any) -> float:
    """Share of all similarity that lies inside the true subspaces, η₁ / (η₁ + η₂).

    >>> round(inside_share(1 - np.eye(4), [0, 0, 1, 1]), 4)
    0.3333
    """
    W = check_affinity(W)
    cut, vol = cut_vol(W, labels)
    return _ratio(float(vol.sum()), float(vol.sum() + cut.sum()))


@dataclass(frozen=True)
class Summary:
    """The figures of one affinity and the clusters found from it.

    ACC and NMI are None without labels. CONN, Ncut and the share inside go by the true classes,
    or without labels by the found clusters; ``by`` says which.
    """

    acc: float | None
    nmi: float | None
    conn: Connectivity
    ncut: float
    inside: float
    nonzeros: int
    density: float
    component_sizes: NDArray[np.int64]
    by: str


def summarise(
    W: Any, found: Any, truth: Any = None, *, spectrum_: Spectrum | None = None
) -> Summary:
    """All figures that a screen or a table shows for W (N, N) and its clusters.

    ``spectrum_`` is W's, where it is there already: CONN need not look for it again.

    >>> s = summarise(np.kron(np.eye(2), 1 - np.eye(3)), [0, 0, 0, 1, 1, 1])
    >>> s.acc, s.ncut, s.component_sizes.tolist(), s.by
    (None, 0.0, [3, 3], 'found clusters')
    """
    W = check_affinity(W)
    found = check_labels(found, W.shape[0], "found")
    truth = None if truth is None else check_labels(truth, W.shape[0], "truth")
    return summary_of(W, found, truth, check_spectrum(spectrum_, W, "spectrum_"))


def summary_of(
    W: Affinity,
    found: NDArray[np.int64],
    truth: NDArray[np.int64] | None,
    spectrum_: Spectrum | None,
) -> Summary:
    """`summarise` of what was checked before."""
    n, reference = W.shape[0], found if truth is None else truth
    # Some matrices of clusters; the clusters' own graphs, as they are, scaled and of 32 bits.
    size, clusters = W.nnz if is_sparse(W) else 2 * W.size, int(reference.max()) + 1
    tables = 40 * clusters**2 if clusters <= MANY else 24 * size
    check_memory(24 * size + tables, "its figures", n, name="W")
    cut, vol, nonzeros, _ = sums_of(W, reference)
    acc, shared = (None, None) if truth is None else acc_nmi(truth, found)
    return Summary(
        acc=acc,
        nmi=shared,
        conn=conn_of(W, reference, spectrum_),
        ncut=ncut_of(cut, vol),
        inside=_ratio(float(vol.sum()), float(vol.sum() + cut.sum())),
        nonzeros=nonzeros,
        density=nonzeros / max(1, n * (n - 1)),
        component_sizes=components(W) if spectrum_ is None else _sizes(spectrum_.component),
        by="found clusters" if truth is None else "true classes",
    )


def preserving_error(C: Any, labels: Any) -> float:
    """Subspace-preserving error: mean over points of the share of |c_i| on other subspaces.

    C is (N, N) with row i for point i. Points without coefficients are left out.

    >>> preserving_error(np.array([[0, 1.0, 1], [1, 0, 0], [1, 0, 0]]), [0, 0, 1])
    0.5
    """
    C = magnitudes(C)
    labels = check_labels(labels, C.shape[0])
    rows = np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    wrong = labels[rows] != labels[C.indices]
    total = np.bincount(rows, C.data, C.shape[0])
    other = np.bincount(rows[wrong], C.data[wrong], C.shape[0])
    return float((other[total > 0] / total[total > 0]).mean()) if total.any() else float("nan")


def _inside_between(W: Any, labels: NDArray[np.int64]) -> tuple[float, float, int, int]:
    """Similarity inside and between, number of nonzeros, and of those between."""
    cut, vol, nonzeros, between = sums_of(W, labels)
    return float(vol.sum()), float(cut.sum()), nonzeros, between


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("nan")
