"""Algorithms 2 and 4 as rules: what a point k offers to a pair, and Table 1's transformations.

`condition` and `two_hop` are all that tells PCE, D1, D2 and D3 apart; a fifth rule of their kind is
one more branch of `two_hop`. Stages of another kind are functions of their own, see `registry`.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.checks import check_choice, check_thetas

RULES = {"PCE": 0, "D1": 1, "D2": 2, "D3": 3}
E_INVERSE = float(np.exp(-1.0))


class DistanceFormula(NamedTuple):
    """A line of Table 1 in LaTeX: the distance d of a similarity w, and what two links are worth.

    >>> DISTANCES["D2"].with_numbers(0.9, 0.8)
    '0.9000 \\\\cdot 0.8000 / e'
    """

    distance: str
    worth: str

    @property
    def text(self) -> str:
        """The distance as text, for where no LaTeX is set."""
        return self.distance.replace("\\ln", "ln").replace("-", "−")

    def with_numbers(self, w_ik: float, w_kj: float) -> str:
        """What two links are worth, with their similarities put in."""
        return self.worth.replace("w_{ik}", f"{w_ik:.4f}").replace("w_{kj}", f"{w_kj:.4f}")


DISTANCES = {
    "D1": DistanceFormula("1 - w", "w_{ik} + w_{kj} - 1"),
    "D2": DistanceFormula(r"1 - \ln w", r"w_{ik} \cdot w_{kj} / e"),
    "D3": DistanceFormula("1 / w", r"\frac{w_{ik} \cdot w_{kj}}{w_{ik} + w_{kj}}"),
}
DISTANCE_RULES = tuple(DISTANCES)


class Thresholds(NamedTuple):
    """θ₁ and θ₂ of Definition 1; both 0 for D1–D3, which use none."""

    theta1: float
    theta2: float


class Rows(NamedTuple):
    """A CSR matrix (N, N) as kernels read it: row i is columns[indptr[i] : indptr[i + 1]]."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, W: sp.csr_array) -> "Rows":
        return cls(W.indptr.astype(np.int64), W.indices.astype(np.int32, copy=False), W.data)


def check_rule(rule: Any, theta1: Any, theta2: Any) -> Thresholds:
    """The thresholds that a rule works with, checked."""
    check_choice(rule, "rule", tuple(RULES))
    return Thresholds(*check_thetas(theta1, theta2)) if rule == "PCE" else Thresholds(0.0, 0.0)


@kernel
def condition(w_ik, w_kj, w_ij, theta1, theta2):
    """Definition 2: the TUR condition (1, 2, 3) of the triple, or 0."""
    low, high = min(w_ik, w_kj), max(w_ik, w_kj)
    if low > theta1:
        return 1 if w_ij <= theta1 else 0
    if low > theta2 and high > theta1:
        return 2 if w_ij <= theta2 else 0
    if low > theta2:
        return 3 if w_ij == 0 else 0
    return 0


@kernel
def two_hop(rule, w_ik, w_kj, w_ij, theta1, theta2):
    """The value that k offers to the pair (i, j); 0 where it offers none."""
    if rule == 0:  # PCE, Algorithm 2
        case = condition(w_ik, w_kj, w_ij, theta1, theta2)
        if case == 1:
            return 0.5 * (w_ik + w_kj)
        if case == 2:
            return min(w_ik, w_kj)
        if case == 3:
            return 0.5 * max(w_ik, w_kj)
        return 0.0
    if w_ik <= 0 or w_kj <= 0:
        return 0.0
    if rule == 1:  # d = 1 − w
        return max(0.0, w_ik + w_kj - 1.0)
    if rule == 2:  # d = 1 − ln w
        return w_ik * w_kj * E_INVERSE
    return w_ik * w_kj / (w_ik + w_kj)  # d = 1 / w


def to_distance(w: Any, transform: str) -> NDArray[np.float64]:
    """Table 1, step 1: similarities in [0, 1] as distances.

    >>> to_distance([0.5, 0.0], "D3").tolist()
    [2.0, inf]
    """
    w = np.asarray(w, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        if transform == "D1":
            return 1.0 - w
        return 1.0 - np.log(w) if transform == "D2" else 1.0 / w


def to_similarity(d: Any, transform: str) -> NDArray[np.float64]:
    """Table 1, last step: distances as similarities.

    >>> to_similarity([2.0, np.inf], "D3").tolist()
    [0.5, 0.0]
    """
    d = np.asarray(d, dtype=np.float64)
    if transform == "D1":
        return np.maximum(1.0 - d, 0.0)
    return np.exp(1.0 - d) if transform == "D2" else 1.0 / d
