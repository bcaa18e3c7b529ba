"""What every method shares: its parameters, its result, and the checks before it runs."""

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from numbers import Real
from sys import float_info
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.affinities import affinity, unit_affinity
from sdsc_core.blocks import Progress, gram, n_threads, one_thread, one_thread_for
from sdsc_core.checks import (
    Affinity,
    check_choice,
    check_count,
    check_data,
    check_n_clusters,
    check_random_state,
    shown,
)
from sdsc_core.imc_path import unit_rows
from sdsc_core.memory import check_memory
from sdsc_core.methods.solvers.lapack import positive_solve

Value = float | int | bool | str

GRAM_BYTES = 1 << 30  # up to this size a method keeps one N × N Gram matrix
SMALL = 1000
MOST_POWER = 1000  # of a cosine, which rounding may leave a little above 1: it must not overflow
PICK_BYTES = 80  # a link of a point, with the copies that become W


@dataclass(frozen=True)
class Parameter:
    """One setting of a method: what a slider shows and what a call may give.

    The type of ``default`` is the type of the parameter; ``choices`` makes it a list of names.
    ``low`` and ``high`` are the slider's ends. A call may give more: a whole number from ``low``
    on, any other number above 0, both up to ``most``, which is what the mathematics allows.

    >>> Parameter("lam", 0.4, 1e-6, 1e3, "Weight of the penalty.", log=True).check(2000)
    2000.0
    """

    name: str
    default: Value
    low: float | None
    high: float | None
    help: str
    step: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()
    most: float | None = None

    def check(self, value: Any) -> Value:
        """The value in this parameter's type, or a ValueError that says what is allowed."""
        if self.choices:
            return check_choice(value, self.name, self.choices)
        if isinstance(self.default, bool):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{self.name} is {shown(value)}; give True or False.")
            return bool(value)
        if isinstance(self.default, int):
            most = None if self.most is None else int(self.most)
            return check_count(value, self.name, int(self.low or 0), most)
        return self._check_number(value)

    def _check_number(self, value: Any) -> float:
        number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
        if not number or not 0 < value <= (self.most or float_info.max):
            most = "" if self.most is None else f" and at most {self.most:g}"
            raise ValueError(f"{self.name} is {shown(value)}; give a number above 0{most}.")
        return float(value)


def check_settings(
    owner: str, parameters: tuple[Parameter, ...], given: dict[str, Any]
) -> dict[str, Value]:
    """All parameters of a method or baseline, checked, with the defaults of those not given."""
    known = {p.name: p for p in parameters}
    for name in given:
        if name not in known:
            raise ValueError(
                f"{name} is not a parameter of {owner}; it takes {', '.join(known) or 'none'}."
            )
    return {name: p.check(given.get(name, p.default)) for name, p in known.items()}


THRESHOLD = Parameter(
    "threshold", 1.0, 0.1, 1.0, "Share of each point's ℓ1 norm that is kept.", step=0.05, most=1.0
)  # for `keep_largest`
NORMALISE = Parameter("normalise", True, None, None, "Scale samples to unit norm first.")
AFFINE = Parameter(
    "affine", False, None, None, "Subspaces need not pass through the origin, as for motion."
)  # for `scaled_rows`


@dataclass(frozen=True, eq=False)
class Solution:
    """A representation and how the solver ended.

    ``C`` is (N, N), row i the coefficients of point i. ``residual`` is in the units of the
    solver's own stopping rule; ``message`` is one sentence where it did not reach it, else empty.
    """

    C: sp.csr_array | NDArray[np.float64]
    converged: bool = True
    iterations: int = 1
    residual: float = 0.0
    message: str = ""


def iterated(
    C: sp.csr_array | NDArray[np.float64],
    iterations: int,
    residual: float,
    tolerance: float,
) -> Solution:
    """The Solution of an iterative solver; says so where the tolerance was not reached."""
    converged = bool(residual <= tolerance)
    message = (
        ""
        if converged
        else f"Not converged after {iterations} iterations: the residual is {residual:.2g}, "
        f"above the tolerance of {tolerance:.2g}."
    )
    return Solution(C, converged, iterations, float(residual), message)


@dataclass(frozen=True)
class Method:
    """A way from data to a representation, with all that an app or a script needs to offer it.

    ``function`` takes X, the parameters by name, and those of ``n_clusters``, ``random_state``,
    ``n_jobs`` and ``progress`` that it names in its signature. A ``dense`` method represents each
    point by nearly all others; its W is an array, that of the others CSR.
    """

    name: str
    title: str
    function: Callable[..., Solution]
    parameters: tuple[Parameter, ...]
    memory: Callable[[int, int], int]
    presets: dict[str, dict[str, Value]] = field(default_factory=dict)
    rule: str = "sum"
    needs_clusters: bool = False
    dense: bool = False
    picks: str = ""  # the parameter that counts the links of a point

    def bytes_for(self, n: int, d: int, **params: Any) -> int:
        """What a run on n points with d features takes at its largest moment.

        >>> METHOD = Method("M", "", iterated, (Parameter("k", 6, 1, 9, ""),), lambda n, d: 100 * n,
        ...                 picks="k")
        >>> METHOD.bytes_for(10, 2, k=200) > METHOD.bytes_for(10, 2)
        True
        """
        picks = min(int(self.settings(**params)[self.picks]), n) if self.picks else 0
        return self.memory(n, d) + PICK_BYTES * n * picks

    @property
    def uses_seed(self) -> bool:
        """Whether the method draws at random; the others give the same W for every seed."""
        return "random_state" in _signature(self.function)

    @property
    def uses_clusters(self) -> bool:
        """Whether the number of clusters, where it is known, changes W."""
        return "n_clusters" in _signature(self.function)

    def settings(self, **params: Any) -> dict[str, Value]:
        """All parameters, checked, with the defaults of those not given."""
        return check_settings(self.name, self.parameters, params)

    def solve(
        self,
        X: Any,
        *,
        n_clusters: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        memory_limit: int | None = None,
        **params: Any,
    ) -> Solution:
        """Represent each point by the others; refuses what would not fit into memory.

        ``memory_limit`` is in bytes; None stands for a share of what the machine has free.
        """
        X = check_data(X)
        settings = self.settings(**params)
        if n_clusters is None and self.needs_clusters:
            raise ValueError(
                f"n_clusters is None; {self.name} needs the number of clusters, from 1."
            )
        if n_clusters is not None:
            n_clusters = check_n_clusters(n_clusters, X.shape[0])
        random_state = check_random_state(random_state)
        n_threads(n_jobs)  # refused here, whether or not the method uses it
        check_memory(
            self.bytes_for(X.shape[0], X.shape[1], **settings), self.name, X.shape[0], memory_limit
        )
        offered = {
            "n_clusters": n_clusters,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "progress": progress,
        }
        wanted = _signature(self.function)
        given = {name: value for name, value in offered.items() if name in wanted}
        # A small matrix gains little from several BLAS threads, which on a busy machine wait.
        with one_thread() if len(X) <= SMALL else nullcontext():
            return self.function(X, **settings, **given)

    def affinity(self, solution: Solution) -> Affinity:
        """W in [0, 1] by this method's rule: eq. 5 for IMC, eq. 4 for the others.

        CSR, or an array where the method is a dense one.
        """
        W = affinity(solution.C) if self.rule == "max" else unit_affinity(solution.C)
        return W.toarray() if self.dense else W


@cache  # a signature takes a while to read
def _signature(function: Callable[..., Solution]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def rounding(X: NDArray[np.float64]) -> float:
    """What counts as zero beside 1 in X: the bound by which `matrix_rank` tells zero.

    >>> rounding(np.ones((4, 2))) == 4 * 2.0**-52
    True
    """
    return float(np.finfo(float).eps * max(X.shape))


def scaled_rows(
    X: NDArray[np.float64], normalise: bool, affine: bool = False
) -> NDArray[np.float64]:
    """`unit_rows`, or all samples divided by the longest one's norm.

    ``affine`` appends to each sample the length of the longest, before it is scaled: in these
    homogeneous coordinates an affine subspace is a linear one, of one dimension more, and unit
    norm does not bend it. A zero sample stays zero, and one of rounding alone, as centring leaves
    a sample at the mean, becomes one: it has no direction to keep.

    >>> scaled_rows(np.array([[3.0, 4.0], [0.0, 1e-17], [0.0, 1.0]]), False, affine=True)
    array([[0.6, 0.8, 1. ], [0. , 0. , 0. ], [0. , 0.2, 1. ]])
    """
    sizes = np.abs(X).max(axis=1, keepdims=True)
    only_rounding = sizes <= rounding(X) * sizes.max()
    if only_rounding.any():
        X = np.where(only_rounding, 0.0, X)
    if affine or not normalise:
        X = X / max(np.abs(X).max(), np.finfo(float).tiny)
        X = X / max(np.linalg.norm(X, axis=1).max(), np.finfo(float).tiny)
    if affine:
        X = np.hstack([X, X.any(axis=1, keepdims=True)])
    return unit_rows(X) if normalise else X


def thin_svd(
    X: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """X = U diag(s) Vᵀ, with rows of U that are zero where those of X are.

    LAPACK leaves rounding there, and W, for which each point's coefficients are divided by their
    maximum, would have full links of it.

    >>> thin_svd(np.array([[3.0, 4.0], [0.0, 0.0], [4.0, -3.0]]))[0][1].tolist()
    [0.0, 0.0]
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    U[~X.any(axis=1)] = 0.0
    return U, s, Vt


def row_cosines(M: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """|cos|^power between the rows of M, without the diagonal.

    The affinity of LRR's authors, for M = UΣ^{1/2} of a representation UΣVᵀ; a row of rounding
    alone, as a zero sample leaves it, has no direction and stays zero.

    >>> row_cosines(np.array([[1.0, 0.0], [3.0, 3.0], [0.0, 0.0]]), 2).round(2).tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    lengths = np.linalg.norm(M, axis=1, keepdims=True)
    M = unit_rows(np.where(lengths > 1e-8 * lengths.max(initial=0.0), M, 0.0))
    S = np.abs(gram(M)) ** power
    np.fill_diagonal(S, 0.0)
    return S


def shifted_inverse(
    A: NDArray[np.float64], shift: float, B: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(A Aᵀ + shift I)⁻¹ B.

    >>> shifted_inverse(np.array([[1.0], [0.0]]), 1.0, np.eye(2)).round(9).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    with one_thread_for(len(A)):
        return positive_solve(gram(A) + shift * np.eye(len(A)), B)


def keep_largest(C: NDArray[np.float64] | sp.csr_array, share: float) -> Any:
    """Keep in each row the largest |c| until they sum to ``share`` of the row's ℓ1 norm.

    The column threshold of SSC's authors, for our rows; a share of 1 keeps all, as it came.

    >>> keep_largest(np.array([[0.0, 4.0, -3.0, 1.0]]), 0.6).toarray().tolist()
    [[0.0, 4.0, -3.0, 0.0]]
    """
    if share >= 1:
        return C
    C = sp.csr_array(C)
    C.sum_duplicates()
    size, lengths = np.abs(C.data), np.diff(C.indptr)
    rows = np.repeat(np.arange(C.shape[0]), lengths)
    order = np.lexsort((-size, rows))
    # An entry stays while the larger ones before it, in its row, have not reached the share.
    before = np.concatenate([[0.0], np.cumsum(size[order])])
    needed = share * np.bincount(rows, weights=size, minlength=C.shape[0])
    stays = before[:-1] - np.repeat(before[C.indptr[:-1]], lengths) < np.repeat(needed, lengths)
    keep = np.empty(size.shape, dtype=bool)
    keep[order] = stays
    kept = np.bincount(rows[keep], minlength=C.shape[0])
    indptr = np.concatenate([[0], np.cumsum(kept)])
    return sp.csr_array((C.data[keep], C.indices[keep], indptr), shape=C.shape)
