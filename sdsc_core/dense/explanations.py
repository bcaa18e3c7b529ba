"""Why an entry of W* is what it is, and all entries that the dense stage changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks
from sdsc_core.checks import (
    check_affinity,
    check_choice,
    check_kind,
    check_pair,
    check_star,
    is_sparse,
)
from sdsc_core.dense.registry import DENSE
from sdsc_core.dense.rules import RULES, Rows, Thresholds, check_rule, condition, two_hop
from sdsc_core.labels.checking import check_labels, label_names
from sdsc_core.memory import check_memory

CHANGE_BYTES = 90  # an entry of W* at the largest moment
PAIRS_A_BLOCK = 100_000  # changed pairs between two reports of progress
# What stands for a condition where no witness explains an entry: it only rose, or fell.
RAISED, LOWERED = 5, 6
CONDITIONS = (0, 1, 2, 3, RAISED, LOWERED)  # 0 for a path of Algorithm 4
SAME = 1e-6  # of a distance, relative: those of a dense W are summed in float32
TINY = np.finfo(np.float64).tiny  # below it float64 has fewer digits than float32
D1, D2 = RULES["D1"], RULES["D2"]


@dataclass(frozen=True)
class Offer:
    """What one intermediate point k offers to a pair."""

    k: int
    w_ik: float
    w_kj: float
    condition: int  # TUR condition 1–3, 0 for none; 0 throughout for D1–D3
    value: float


@dataclass(frozen=True)
class Explanation:
    """Why w*_ij is what it is. ``witness`` is the k that wins, −1 where w_ij stands."""

    i: int
    j: int
    before: float
    after: float
    condition: int
    witness: int
    offers: tuple[Offer, ...]


def explain(
    W: Any, i: int, j: int, theta1: float = 0.8, theta2: float = 0.6, rule: str = "PCE"
) -> Explanation:
    """The condition of Definition 2 and the witness k behind w*_ij, with every k's offer.

    With ``rule`` D1, D2 or D3 the same for Algorithm 4. Ties go to the lowest k. Other stages of
    `DENSE` have no witness; `account` says what their entries come from.

    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> e = explain(W, 0, 2)
    >>> e.condition, e.witness, e.before, e.after
    (2, 1, 0.0, 0.7)
    """
    W = check_affinity(W, unit=True)
    theta1, theta2 = check_rule(rule, theta1, theta2)
    i, j = check_pair(i, j, W.shape[0])
    row_i, row_j = (W[[k]].toarray().ravel() if is_sparse(W) else W[k] for k in (i, j))
    before = float(row_i[j])
    offers = []
    for k in np.flatnonzero((row_i > 0) & (row_j > 0)):
        if k in (i, j):
            continue
        a, b = float(row_i[k]), float(row_j[k])
        case = int(condition(a, b, before, theta1, theta2)) if rule == "PCE" else 0
        value = float(two_hop(RULES[rule], a, b, before, theta1, theta2))
        offers.append(Offer(int(k), a, b, case, value))
    best = max(offers, key=lambda o: o.value, default=None)
    if best is None or best.value <= before:
        return Explanation(i, j, before, before, 0, -1, tuple(offers))
    return Explanation(i, j, before, best.value, best.condition, best.k, tuple(offers))


@dataclass(frozen=True)
class Changes:
    """Entries i < j that the dense stage changed, each with its condition and witness.

    Where no witness explains them, ``condition`` is RAISED or LOWERED.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    condition: NDArray[np.int64]
    witness: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.i)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.i, self.j, self.before, self.after, self.condition, self.witness))


def changes(
    W: Any,
    W_star: Any,
    rule: str = "PCE",
    theta1: float = 0.8,
    theta2: float = 0.6,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Changes:
    """All entries that one pass of the dense stage changed, with the reason for each.

    W and W* are (N, N), sparse or dense. The witness is −1 where no single k explains an entry,
    as happens in a W* of several hops, of another rule, and of every stage that is not the paper's.
    θ counts for PCE alone. ``progress`` counts the changed pairs; raising in it cancels.

    >>> W = sp.csr_array(np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]]))
    >>> from sdsc_core import pce
    >>> [c.tolist() for c in changes(W, pce(W))]
    [[0], [2], [0.0], [0.7], [2], [1]]
    """
    check_choice(rule, "rule", tuple(DENSE))
    W = check_affinity(W, unit=True)
    W_star = check_star(W, W_star)
    links = max(int(A.nnz if is_sparse(A) else np.count_nonzero(A)) for A in (W, W_star))
    check_memory(CHANGE_BYTES * links, "the cause of every change", W.shape[0], name="W")
    W, W_star = sp.csr_array(W), sp.csr_array(W_star)
    change = sp.coo_array(sp.triu(W_star - W, k=1))
    keep = change.data != 0
    i, j = (change.row[keep].astype(np.int64), change.col[keep].astype(np.int64))
    # Where nothing was changed SciPy would give sparse arrays.
    before, after = (A[i, j] if len(i) else np.empty(0) for A in (W, W_star))
    cases, witness = np.zeros(len(i), np.int64), np.full(len(i), -1)
    if rule in RULES:
        thresholds = check_rule(rule, theta1, theta2)
        arrays = (i, j, before, after, cases, witness)
        look = partial(_witness_block, arrays, Rows.of(W), RULES[rule], thresholds)
        run_blocks(look, len(i), PAIRS_A_BLOCK, n_jobs=n_jobs, progress=progress)
    alone = np.where(after > before, RAISED, LOWERED)
    return Changes(i, j, before, after, np.where(witness < 0, alone, cases), witness)


def _witness_block(
    arrays: tuple[NDArray[Any], ...],
    W: Rows,
    rule: int,
    thresholds: Thresholds,
    start: int,
    stop: int,
) -> None:
    i, j, before, after, cases, witness = (a[start:stop] for a in arrays)
    _witnesses(i, j, W, rule, thresholds, before, after, cases, witness)


@kernel
def _witnesses(i, j, W, rule, thresholds, before, after, cases, witness):
    """Merge rows i and j of W to find, for each pair, the k that offers most, if that is w*."""
    indptr, columns, values = W
    theta1, theta2 = thresholds
    for p in range(i.shape[0]):
        a, a1 = indptr[i[p]], indptr[i[p] + 1]
        b, b1 = indptr[j[p]], indptr[j[p] + 1]
        best = before[p]
        while a < a1 and b < b1:
            if columns[a] < columns[b]:
                a += 1
            elif columns[a] > columns[b]:
                b += 1
            else:
                k = columns[a]
                v = two_hop(rule, values[a], values[b], before[p], theta1, theta2)
                if v > best and k != i[p] and k != j[p]:
                    best = v
                    witness[p] = k
                    if rule == 0:
                        cases[p] = condition(values[a], values[b], before[p], theta1, theta2)
                a += 1
                b += 1
        if abs(best - after[p]) > _margin(rule, after[p]):
            witness[p] = -1


@kernel
def _margin(rule, after):
    """What a distance that is off by SAME of itself makes of w*, to first order.

    Of D1 that is absolute, as it subtracts; of D2 the longer the distance, the more.
    """
    if rule == D1:
        return SAME
    if rule == D2:
        w = max(after, TINY)
        return SAME * w * max(1.0, 1.0 - np.log(w))
    return SAME * after


@dataclass(frozen=True)
class Tally:
    """Pairs i < j that one condition changed, inside and between clusters.

    Those that were 0 before are ``new``. ``condition`` is 1, 2 or 3 of Definition 2, 0 for a path
    of Algorithm 4, and RAISED or LOWERED where there is no witness. ``precision`` is the share
    inside, NaN where nothing was changed.
    """

    condition: int
    inside: int
    between: int
    new_inside: int
    new_between: int
    precision: float


def tally(changes: Changes, labels: Any, conditions: tuple[int, ...] = (1, 2, 3)) -> list[Tally]:
    """What each condition did: the paper wants new similarity inside the subspaces alone.

    >>> one = np.array([1])
    >>> [t] = tally(Changes(0 * one, one, 0.0 * one, 0.9 * one, one, 2 * one), [0, 0, 1], (1,))
    >>> t.inside, t.between, t.new_inside, t.precision
    (1, 0, 1, 1.0)
    """
    inside = same_cluster(changes, labels)
    new = changes.before == 0
    out = []
    for case in _check_conditions(conditions):
        mine = changes.condition == case
        n_in, n_between = int((mine & inside).sum()), int((mine & ~inside).sum())
        new_in, new_between = int((mine & inside & new).sum()), int((mine & ~inside & new).sum())
        share = n_in / (n_in + n_between) if n_in + n_between else float("nan")
        out.append(Tally(case, n_in, n_between, new_in, new_between, share))
    return out


ORDERS = ("between", "change", "after", "before", "i", "j", "condition", "witness")


def rank_changes(
    changes: Changes,
    labels: Any,
    by: str = "between",
    *,
    where: str = "all",
    conditions: Any = (),
    clusters: Any = (),
) -> NDArray[np.int64]:
    """Positions in ``changes``, filtered and in order.

    ``by`` "between" puts what misleads first, pairs between clusters that rose and pairs inside one
    that fell; it, "change", "after" and "before" descend, the others ascend, with the largest
    change, up or down, first among equals. ``where`` is "all", "inside" or
    "between"; ``conditions`` and ``clusters`` keep these alone (a pair with either end in one of
    the clusters, called as ``labels`` calls them), all of them where empty.

    >>> i, j = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> found = Changes(i, j, np.zeros(3), np.array([0.9, 0.7, 0.8]), np.ones(3, int), j)
    >>> rank_changes(found, [0, 0, 1]).tolist(), rank_changes(found, [0, 0, 1], "after").tolist()
    ([2, 1, 0], [0, 2, 1])
    """
    check_choice(by, "by", ORDERS)
    check_choice(where, "where", ("all", "inside", "between"))
    inside = same_cluster(changes, labels)
    conditions, wanted = _check_conditions(conditions), _wanted(clusters, labels)
    keep = np.ones(len(changes), bool) if where == "all" else inside == (where == "inside")
    if conditions:
        keep &= np.isin(changes.condition, conditions)
    if wanted is not None:
        keep &= wanted[changes.i] | wanted[changes.j]
    at = np.flatnonzero(keep)
    rose = changes.after[at] > changes.before[at]
    change = np.abs(changes.after[at] - changes.before[at])
    if by == "between":
        key = -change - 2.0 * (rose != inside[at])  # a change is at most 1
    elif by == "change":
        key = -change
    elif by in ("after", "before"):
        key = -getattr(changes, by)[at]
    else:
        key = getattr(changes, by)[at]
    return at[np.lexsort((-change, key))]


def _several(values: Any) -> list[Any]:
    """Values that were given as one or as several; text is one."""
    single = isinstance(values, str | bytes) or (isinstance(values, np.ndarray) and not values.ndim)
    return [values] if single or not isinstance(values, Iterable) else list(values)


def _check_conditions(values: Any) -> list[int]:
    return [int(check_choice(value, "conditions", CONDITIONS)) for value in _several(values)]


def _wanted(clusters: Any, labels: Any) -> NDArray[np.bool_] | None:
    """Which points are in one of these clusters; None where none is named, which means all.

    A name that no point has is no fault: a class may have lost its points.
    """
    named = _several(clusters)
    if not named:
        return None
    known = label_names(labels).tolist()
    wanted = label_names(named, "clusters").tolist()
    if isinstance(wanted[0], str | bytes) != isinstance(known[0], str | bytes):
        raise ValueError(
            f"clusters has {wanted[0]!r}; labels has {known[0]!r}, give names of that kind."
        )
    return np.isin(check_labels(labels), [k for k, name in enumerate(known) if name in wanted])


def same_cluster(changes: Changes, labels: Any) -> NDArray[np.bool_]:
    """Which changes join two points of one cluster."""
    check_kind(changes, Changes, "changes", "what `changes` returns")
    labels = check_labels(labels)
    if changes.j.max(initial=0) >= len(labels):  # i < j
        raise ValueError(
            f"labels has shape {labels.shape}; the changes speak of point {changes.j.max()}."
        )
    return labels[changes.i] == labels[changes.j]
