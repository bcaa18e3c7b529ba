"""One way to read the paper where it is open, and what follows from it on one draw of data."""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.affinities import affinity
from sdsc_core.blocks import gram
from sdsc_core.datasets import Dataset
from sdsc_core.dense import pce
from sdsc_core.experiments.readings.passes import in_place, last_wins
from sdsc_core.imc_path import NO_VARIANCE, ImcPath, unit_rows
from sdsc_core.kmeans import cluster_rows
from sdsc_core.metrics import clustering_accuracy
from sdsc_core.spectral import spectrum

LONGEST = 15  # Γ of a path; every smaller Γ is a slice of it
TIE, NOTHING = 1e-12, 1e-10  # as in `imc`: equal correlations, and one that is none
PRINTED = "as printed"


@dataclass(frozen=True)
class Reading:
    """A choice for every open point; the defaults are the library's reading as printed.

    unit : when samples get unit norm. "after" all preparation (PCA, centring), "before" it and not
        again, "none": never, so that step 6 is no projection.
    coefficients : "plain", or each point's divided by their "largest", as for the other methods.
    rule : eq. 5 ("max"), or eq. 4 brought into [0, 1] by its largest entry ("sum") or by cutting
        at 1 ("cut sum").
    pce : how Algorithm 2's loop over k is read. "maximum": every k reads W and the largest value
        wins; "in place": W changes under the loop; "last": every k reads W, the last one wins; "2
        passes" and "3 passes" apply the first reading again.
    rows, vectors, starts : of spectral clustering: rows of the embedding, how many eigenvectors for
        n clusters, and k-means' starts.

    >>> Reading(gamma=4, residual="centred").text
    'gamma=4 residual=centred'
    """

    gamma: int = 5
    theta1: float = 0.8
    theta2: float = 0.6
    residual: str = "as_printed"
    similarity: str = "residual"
    rule: str = "max"
    unit: str = "after"
    coefficients: str = "plain"
    pce: str = "maximum"
    rows: str = "unit"
    vectors: str = "n"
    starts: int = 10

    @property
    def text(self) -> str:
        """What differs from the reading as printed."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        parts = [f"{f.name}={str(own[f.name]).replace(' ', '_')}"
                 for f in fields(self) if own[f.name] != f.default]  # fmt: skip
        return " ".join(parts) or PRINTED

    @property
    def in_library(self) -> bool:
        """Whether `RunSettings` has an option for all of it, so that it can become a preset."""
        fixed = ("rule", "unit", "coefficients", "pce", "rows", "vectors", "starts")
        usual = all(getattr(self, name) == getattr(Reading, name) for name in fixed)
        return usual and self.similarity != "projection"

    @classmethod
    def of(cls, text: str) -> "Reading":
        """The reading of a text.

        >>> Reading.of("pce=2_passes starts=50").pce
        '2 passes'
        """
        if text == PRINTED:
            return cls()
        kinds: dict[str, Any] = {f.name: type(f.default) for f in fields(cls)}
        given = dict(part.split("=") for part in text.split())
        changes: dict[str, Any] = {n: kinds[n](v.replace("_", " ")) for n, v in given.items()}
        if "residual" in changes:  # its names have an underscore of their own
            changes["residual"] = given["residual"]
        return replace(cls(), **changes)


class Draw(NamedTuple):
    """Samples as every method gets them, and with unit norm before they were prepared."""

    data: Dataset
    before: NDArray[np.float64]


def samples(draw: Draw, unit: str, residual: str) -> NDArray[np.float64]:
    """X (N, D) as Algorithm 1 gets it."""
    X = draw.before if unit == "before" else draw.data.X
    if residual == "centred":
        X = X - X.mean(axis=1, keepdims=True)
    if unit == "after":
        return unit_rows(X)
    return X / max(np.abs(X).max(), np.finfo(float).tiny) if unit == "none" else X


def paths(X: NDArray[np.float64], gamma: int = LONGEST) -> dict[str, ImcPath]:
    """Algorithm 1 on X as it is, in plain NumPy: a path for each meaning of c_ij.

    "residual" holds |ρ| of ψ and x_j (step 5, as printed), "pair" that of x_i and x_j, and
    "projection" |ψ·x_j| of step 6. Where samples have unit norm, the first two are `imc`'s.

    >>> X = np.array([[1, 2, 3, 4.0], [2, 4, 6, 8], [1, -1, 1, -1], [1, -1, 2, -1]])
    >>> paths(unit_rows(X), 1)["pair"].picks.ravel().tolist()
    [1, 0, 3, 2]
    """
    n = len(X)
    gamma = min(gamma, n - 1)
    centred = X - X.mean(axis=1, keepdims=True)
    spread, norms = np.linalg.norm(centred, axis=1), np.linalg.norm(X, axis=1)
    alive = spread >= NO_VARIANCE * np.where(norms > 0, norms, 1.0)
    Z = unit_rows(np.where(alive[:, None], centred, 0.0))
    pairs, products = np.abs(gram(Z)), X @ Z.T  # products with the residuals; at first with X
    of_samples, psi, own = products.copy(), X.copy(), np.arange(n)
    picks = np.full((n, gamma), -1)
    values = {name: np.zeros((n, gamma)) for name in ("residual", "pair", "projection")}
    for g in range(gamma):
        left = np.linalg.norm(psi - psi.mean(axis=1, keepdims=True), axis=1)
        alive &= left >= NO_VARIANCE * np.where(norms > 0, norms, 1.0)
        rho = np.abs(products) / np.where(alive, left, 1.0)[:, None]
        rho[own, own] = 0.0
        top = rho.max(axis=1)
        alive &= top > NOTHING
        found = (rho >= top[:, None] - TIE).argmax(axis=1)
        step = np.where(alive, np.einsum("id,id->i", psi, X[found]), 0.0)
        picks[alive, g] = found[alive]
        values["residual"][alive, g] = np.minimum(top, 1.0)[alive]
        values["pair"][alive, g] = np.minimum(pairs[own, found], 1.0)[alive]
        values["projection"][alive, g] = np.abs(step)[alive]
        psi -= step[:, None] * X[found]
        products -= step[:, None] * of_samples[found]
    return {name: ImcPath(picks, own_values) for name, own_values in values.items()}


def weights(reading: Reading, path: ImcPath) -> sp.csr_array:
    """W in [0, 1] from a path, by eq. 5 or eq. 4."""
    C = path.coefficients(min(reading.gamma, path.picks.shape[1]))
    if reading.coefficients == "largest":
        largest = C.max(axis=1).toarray()
        C.data /= np.repeat(np.where(largest > 0, largest, 1.0), np.diff(C.indptr))
    if C.nnz and C.data.max() > 1:
        C.data /= C.data.max()
    W = affinity(C, "max" if reading.rule == "max" else "sum")
    if reading.rule == "sum" and W.nnz:
        W.data /= W.data.max()
    W.data = np.minimum(W.data, 1.0)
    return W


def densified(reading: Reading, W: sp.csr_array) -> sp.csr_array:
    """W* by Algorithm 2."""
    thetas = reading.theta1, reading.theta2
    if reading.pce in ("in place", "last"):
        star = W.toarray()
        (in_place if reading.pce == "in place" else last_wins)(W.toarray(), star, *thetas)
        return sp.csr_array(star)
    for _ in range(1 if reading.pce == "maximum" else int(reading.pce[0])):
        W = pce(W, *thetas, n_jobs=1)
    return W


def accuracy(reading: Reading, W: sp.csr_array, labels: NDArray[np.int64], n: int) -> float:
    """ACC of spectral clustering into n clusters."""
    wanted = {"n-1": max(1, n - 1), "n": n, "n+1": n + 1, "2n": 2 * n}[reading.vectors]
    wanted = min(wanted, W.shape[0])
    found = spectrum(W, wanted, n)
    rows = found.embedding(wanted) if reading.rows == "unit" else found.vectors[:, :wanted]
    return clustering_accuracy(labels, cluster_rows(rows, n, 0, reading.starts))


class Measured(NamedTuple):
    """ACC of W (IMC) and of W* (IMC-P)."""

    sparse: float
    dense: float


def measure(draw: Draw, readings: list[Reading]) -> list[Measured]:
    """Each reading on one draw; what several have in common is computed once."""
    labels, n = draw.data.labels, draw.data.n_classes
    assert labels is not None
    known: dict[Any, Any] = {}

    def once(key: Any, compute: Any) -> Any:
        if key not in known:
            known[key] = compute()
        return known[key]

    results = []
    for r in readings:
        clustering = (r.rows, r.vectors, r.starts)
        of_path = (r.unit, r.residual)
        found = once(of_path, lambda p=of_path: paths(samples(draw, *p)))
        of_w = (*of_path, r.similarity, r.gamma, r.rule, r.coefficients)
        W = once(of_w, lambda r=r, f=found: weights(r, f[r.similarity]))
        sparse = once((of_w, clustering), lambda r=r, W=W: accuracy(r, W, labels, n))
        results.append(Measured(sparse, accuracy(r, densified(r, W), labels, n)))
    return results
