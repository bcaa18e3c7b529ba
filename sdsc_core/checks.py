"""Input checks. A failure is one sentence: the argument, its value, and what is allowed."""

from collections.abc import Iterable
from numbers import Real
from reprlib import Repr
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.sparse.entries import is_symmetric
from sdsc_core.sparse.sound import Damaged, as_sound_csr, canonical

if TYPE_CHECKING:
    from typing_extensions import TypeIs

T = TypeVar("T")
Affinity = sp.csr_array | NDArray[np.floating]


def is_sparse(W: Any) -> "TypeIs[sp.csr_array]":
    """`scipy.sparse.issparse` in terms of the one format that we use."""
    return sp.issparse(W)


def n_entries(W: Affinity) -> int:
    """How many entries W keeps: of an array all, zeros too.

    >>> n_entries(sp.csr_array(np.eye(3))), n_entries(np.eye(3))
    (3, 9)
    """
    return int(W.nnz if is_sparse(W) else W.size)


ROUNDING = 1e-8  # of W's highest entry: by so much w_ij and w_ji may differ
MOST_SHOWN = 160  # characters of a value in a message
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = MOST_SHOWN // 2  # of one in a list
ROWS = 1 << 16  # looked at in one go, so that a mapped file need not fit into memory


def shown(value: Any) -> str:
    """A value as a message names it: on one line, cut where it is long, as a matrix is.

    >>> shown("left"), shown(list(range(99)))
    ("'left'", '[0, 1, 2, 3, 4, 5, ...]')
    """
    try:
        text = _SHORT.repr(value)
    except ValueError:  # Python spells no number of thousands of digits
        text = type(value).__name__
    text = " ".join(line.strip() for line in text.splitlines())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


class Incomplete(ValueError):
    """Values are missing where none may be; ``what`` leaves out what to do."""

    def __init__(self, what: str):
        super().__init__(f"{what}; fill in or remove them.")
        self.what = what


def check_data(
    X: Any,
    *,
    min_points: int = 2,
    name: str = "X",
    copy: bool = True,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """X as a finite float64 array of shape (n_samples, n_features).

    Without ``copy`` an array of float64, a memory-mapped one too, is itself what is returned.
    ``rows`` (n_samples,) are the numbers by which a message names a row, its index by default.
    """
    return _checked(check_array(X, name, copy=copy), min_points, name, rows)


def check_array(X: Any, name: str = "X", *, copy: bool = False) -> NDArray[np.float64]:
    """X as a float64 array, of whatever shape; values may be missing, but none are hidden.

    >>> check_array([[1, 2]]).tolist()
    [[1.0, 2.0]]
    """
    if sp.issparse(X):
        raise ValueError(
            f"{name} is a sparse matrix; give a dense array of shape (n_samples, n_features)."
        )
    return _real(X, name, copy=copy)


def check_rows(X: Any, *, min_points: int = 1, name: str = "X") -> NDArray[Any]:
    """X (n_samples, n_features) for work by blocks of rows, each of them finite.

    An array of real numbers of whatever type, a memory-mapped one too, stays as it is; whoever
    reads a block of it makes that float64.
    """
    plain = isinstance(X, np.ndarray) and X.dtype.kind in "buif" and X.dtype.itemsize <= 8
    if plain and not np.ma.isMaskedArray(X):  # a longer float may be infinite in float64
        return _checked(X, min_points, name)
    return check_data(X, min_points=min_points, name=name, copy=False)


def _checked(
    array: NDArray[Any], min_points: int, name: str, rows: NDArray[np.int64] | None = None
) -> NDArray[Any]:
    """The array if it has two dimensions, enough samples and features, and finite values."""
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; give two dimensions, (n_samples, n_features)."
        )
    if array.shape[0] < min_points:
        raise ValueError(
            f"{name} has {array.shape[0]} sample(s); at least {min_points} points are needed."
        )
    if array.shape[1] < 2:
        raise ValueError(
            f"{name} has {array.shape[1]} feature(s) (shape={array.shape}) while a minimum of 2 is"
            " required, as correlation runs over the features."
        )
    parts = (array[a : a + ROWS] for a in range(0, len(array), ROWS))
    bad = np.flatnonzero(np.concatenate([~np.isfinite(part).all(axis=1) for part in parts]))
    if bad.size:
        raise Incomplete(
            f"{name} has NaN or infinite values in {bad.size} row(s), first in row"
            f" {(bad if rows is None else rows[bad])[0]}"
        )
    return array


def binary_scale(X: NDArray[np.float64], axis: int | None = None) -> NDArray[np.float64]:
    """A power of two near the largest entry: over it squares neither overflow nor vanish.

    Dividing by it changes no digit.

    >>> binary_scale(np.array([[3e200, 0.0], [0.0, 0.0]]), axis=1).ravel().tolist()[1]
    1.0
    """
    largest = np.abs(X).max(axis=axis, keepdims=axis is not None, initial=0.0)
    exponents = np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1
    return np.ldexp(1.0, exponents)


def _real(values: Any, name: str, copy: bool = False) -> Any:
    """An array, or a sparse matrix as CSR, of float64."""
    if _is_masked(values):  # what lies below a mask is often a sign such as 999
        raise Incomplete(f"{name} has masked values")
    try:
        array = as_sound_csr(values) if is_sparse(values) else np.asarray(values)
        # A complex number would lose its imaginary part, as an object too.
        if array.dtype.kind not in "buifOUS" or _has_complex(array):
            raise TypeError
        with np.errstate(over="ignore"):  # what no float64 holds becomes infinite, and is refused
            return array.astype(np.float64, copy=copy)
    except Damaged:
        raise _damaged(name) from None
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} holds values that are not real numbers; give a numeric array."
        ) from None


def _is_masked(values: Any) -> bool:
    """Whether there are masked values in an array, or in one of a list of them."""
    several = values if isinstance(values, list | tuple) else [values]
    return any(np.ma.is_masked(v) for v in several)


def _has_complex(array: Any) -> bool:
    values = array.data if is_sparse(array) else array
    return values.dtype == object and any(np.iscomplexobj(v) for v in values.flat)


def _damaged(name: str) -> ValueError:
    return ValueError(f"{name} is a damaged sparse matrix; build it anew.")


def check_values(values: Any, name: str) -> NDArray[np.float64]:
    """A finite float64 vector of at least one number."""
    array = _real(values, name)
    if sp.issparse(array) or array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; give one dimension, not empty.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinite values; remove them.")
    return array


def check_count(value: Any, name: str, low: int, high: int | None = None, why: str = "") -> int:
    """A whole number in [low, high]."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        span = f"from {low}" + ("" if high is None else f" to {high}")
        raise ValueError(f"{name} is {shown(value)}; give a whole number {span}{why}.")
    return int(value)


def check_gamma(value: Any, n_points: int, name: str = "n_iterations") -> int:
    """Γ in [1, N − 1]."""
    return check_count(value, name, 1, n_points - 1, f", below the number of points, {n_points}")


def check_pair(i: Any, j: Any, n_points: int) -> tuple[int, int]:
    """Two different points of n."""
    i, j = (check_count(v, s, 0, n_points - 1) for v, s in ((i, "i"), (j, "j")))
    if i == j:
        raise ValueError(f"i and j are both {i}; give two different points.")
    return i, j


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """One of a few names."""
    kinds = str | int | np.integer | np.bool_ | None
    if not isinstance(value, kinds) or value not in choices:
        raise ValueError(
            f"{name} is {shown(value)}; choose one of {', '.join(map(repr, choices))}."
        )
    return value


def check_flag(value: Any, name: str) -> bool:
    """True or False."""
    return bool(check_choice(value, name, (True, False)))


def check_kind(value: Any, kind: type[T], name: str, what: str) -> T:
    """An object that our own functions make."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {type(value).__name__}; give {what}.")
    return value


def check_several(values: Any, name: str) -> tuple[Any, ...]:
    """Several values; text is one."""
    single = isinstance(values, str | bytes) or (isinstance(values, np.ndarray) and not values.ndim)
    if single or not isinstance(values, Iterable):
        raise ValueError(f"{name} is {shown(values)}; give a sequence of values.")
    return tuple(values)


def check_number(value: Any, name: str, low: float, high: float | None = None) -> float:
    """A number in [low, high]."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    span = f"from {low:g}" + ("" if high is None else f" to {high:g}")
    if not number or not low <= value or (high is not None and value > high):
        raise ValueError(f"{name} is {shown(value)}; give a number {span}.")
    try:
        return float(value)
    except OverflowError:  # a whole number has no limit of its own
        raise ValueError(f"{name} is larger than any float; give a number {span}.") from None


def check_random_state(value: Any, name: str = "random_state") -> int:
    """A seed from a whole number, from a RandomState, which moves on, or from None: a new one.

    As in scikit-learn, None draws from NumPy's own RandomState.
    """
    if value is None or isinstance(value, np.random.RandomState):
        draw = np.random.randint if value is None else value.randint
        return int(draw(2**31))
    return check_count(value, name, 0, 2**32 - 1, ", a RandomState, or None for another each time")


def check_thetas(theta1: Any, theta2: Any) -> tuple[float, float]:
    """1 ≥ θ₁ > θ₂ ≥ 0, as Definition 1 needs."""
    theta1, theta2 = check_number(theta1, "theta1", 0, 1), check_number(theta2, "theta2", 0, 1)
    if theta1 <= theta2:
        raise ValueError(
            f"theta1 is {theta1} and theta2 is {theta2}; theta1 must be the larger one."
        )
    return theta1, theta2


def check_square(W: Any, name: str, what: str) -> Affinity:
    """A square matrix of finite numbers as float64: CSR with sorted rows and without stored zeros,
    or an array, as it came. The caller's own matrix is left as it is."""
    return _square(W, name, what)[0]


def _square(W: Any, name: str, what: str) -> tuple[Affinity, float, float]:
    """`check_square`, and its lowest and highest entry."""
    W = _real(W, name)
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"{name} has shape {W.shape}; {what} matrix is square.")
    if W.shape[0] < 1:
        raise ValueError(f"{name} has shape {W.shape}; at least one point is needed.")
    if is_sparse(W):
        try:
            W = canonical(W)
        except Damaged:
            raise _damaged(name) from None
    values = W.data if is_sparse(W) else W
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not (np.isfinite(low) and np.isfinite(high)):  # NaN is both
        raise ValueError(f"{name} has NaN or infinite entries; fill in or remove them.")
    if not _has_sum(values, max(-low, high)):
        raise ValueError(
            f"{name} has entries whose sum is larger than any float; divide {name} by its largest"
            " entry."
        )
    return W, low, high


def _has_sum(values: NDArray[np.float64], largest: float) -> bool:
    """Whether magnitudes up to ``largest`` have a finite sum, which degrees are made from."""
    if largest <= np.finfo(float).max / max(1, values.size):
        return True
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.abs(values).sum()))


def check_affinity(W: Any, *, unit: bool = False, name: str = "W") -> Affinity:
    """W as a symmetric, non-negative float64 CSR array (or dense array, as it came).

    Whatever reads a W reads it through here, so that all read the same: rows sorted, no stored
    zeros, and w_ij = w_ji to the last bit; where rounding made them differ, the larger one holds.
    ``unit`` asks for values in [0, 1], which the dense stage needs.
    """
    W, lowest, highest = _square(W, name, "an affinity")
    if lowest < 0:
        raise ValueError(
            f"{name} has the negative entry {lowest:.6g}; similarities are at least 0."
        )
    if unit and highest > 1 + 1e-9:
        raise ValueError(
            f"{name} has the entry {highest:.6g}; the dense stage needs similarities in [0, 1]."
        )
    if _is_symmetric(W):
        return W
    difference: Any = abs(W - W.T)
    gap = float(difference.max())
    if gap > ROUNDING * highest:  # as a share, since a W of tiny entries is one too
        raise ValueError(f"{name} is not symmetric: w_ij and w_ji differ by up to {gap:.3g}.")
    return sp.csr_array(W.maximum(W.T)) if is_sparse(W) else np.maximum(W, W.T)


def _is_symmetric(W: Affinity) -> bool:
    if not is_sparse(W):
        return np.array_equal(W, W.T)
    return is_symmetric(W)


def check_star(W: Affinity, W_star: Any, name: str = "W_star") -> Affinity:
    """W* as an affinity of as many points as W."""
    W_star = check_affinity(W_star, name=name)
    if W_star.shape != W.shape:
        raise ValueError(f"{name} has shape {W_star.shape}; W has shape {W.shape}, give the same.")
    return W_star


def check_n_clusters(value: Any, n_points: int) -> int:
    """A number of clusters in [1, N]."""
    return check_count(
        value, "n_clusters", 1, n_points, f", at most one for each of {n_points} points"
    )
