"""Why an entry of W* is what it is under Sinkhorn, Diffusion and Mutual, which have no witness."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Progress
from sdsc_core.checks import check_affinity, check_choice, check_pair, n_entries
from sdsc_core.dense.registry import DENSE, PARAMETERS
from sdsc_core.dense.scaling import scaling_factors
from sdsc_core.dense.walking import walk, walk_matrix, walks
from sdsc_core.memory import check_memory

ACCOUNT_BYTES = 50  # an entry of W at the largest moment; of an array before it is sparse too


@dataclass(frozen=True)
class Entry:
    """A pair of points and what w became; each stage adds what that comes from."""

    i: int
    j: int
    before: float
    after: float


@dataclass(frozen=True)
class Scaling(Entry):
    """Sinkhorn: w* = w · factors[0] · factors[1] / largest; ``sums`` are the rows' sums in W."""

    factors: tuple[float, float]
    sums: tuple[float, float]
    largest: float


@dataclass(frozen=True)
class Ranks(Entry):
    """Mutual: how many points are nearer to i than j is, plus 1, and the same the other way round.

    ``floors`` are the k-th largest similarities of i and of j. A rank is 0 where there is no link.
    """

    ranks: tuple[int, int]
    floors: tuple[float, float]
    neighbours: int


@dataclass(frozen=True)
class Walks(Entry):
    """Diffusion: w* = value / largest, of the walk from ``start``, the larger of both directions.

    ``stayed`` is the part of the value that was at the other end one step before, ``over`` the
    others by what came over them in the last step, (k, part), the largest first. Together they are
    the value; where it was not among the nearest of the row after the last step, the value is 0.
    """

    start: int
    value: float
    largest: float
    stayed: float
    over: tuple[tuple[int, float], ...]


Account = Scaling | Ranks | Walks


def account(
    W: Any,
    i: int,
    j: int,
    rule: str,
    *,
    progress: Progress | None = None,
    **parameters: Any,
) -> Account:
    """What an entry of W* comes from, for a stage that no witness explains.

    ``parameters`` are those of the stage by name, see ``DENSE``. For PCE and D1–D3 there is
    `explain`.

    >>> W = np.array([[0, 0.9, 0.8], [0.9, 0, 0.7], [0.8, 0.7, 0]])
    >>> found = account(W, 0, 2, "Mutual", neighbours=1)
    >>> found.before, found.after, found.ranks
    (0.8, 0.0, (2, 1))
    """
    check_choice(rule, "rule", tuple(_ACCOUNTS))
    W = check_affinity(W, unit=True)
    check_memory(ACCOUNT_BYTES * n_entries(W), "what an entry comes from", W.shape[0], name="W")
    W = off_diagonal(sp.csr_array(W))
    i, j = check_pair(i, j, W.shape[0])
    for name in parameters:
        check_choice(name, "parameter", tuple(PARAMETERS))
    given = {p.name: p.checked(parameters.get(p.name, p.default)) for p in DENSE[rule].parameters}
    return _ACCOUNTS[rule](W, i, j, progress=progress, **given)


def _row(W: sp.csr_array, i: int) -> NDArray[np.float64]:
    return W[[i]].toarray().ravel()


def _scaling(
    W: sp.csr_array, i: int, j: int, self_weight: float, progress: Progress | None
) -> Scaling:
    d = scaling_factors(W, self_weight, progress)
    of = np.repeat(np.arange(len(d)), np.diff(W.indptr))
    scaled = W.data * (d[of] * d[W.indices])
    largest = float(scaled.max()) if len(scaled) else 1.0
    rows = _row(W, i), _row(W, j)
    before = float(rows[0][j])
    after = before * float(d[i] * d[j]) / largest
    factors, sums = (float(d[i]), float(d[j])), (float(rows[0].sum()), float(rows[1].sum()))
    return Scaling(i, j, before, after, factors, sums, largest)


def _floor(row: NDArray[np.float64], k: int) -> float:
    """The k-th largest similarity, 0 where there are fewer."""
    return float(np.partition(row, -k)[-k]) if k <= len(row) else 0.0


def _ranks(W: sp.csr_array, i: int, j: int, neighbours: int, progress: Progress | None) -> Ranks:
    rows = _row(W, i), _row(W, j)
    before = float(rows[0][j])
    floors = _floor(rows[0], neighbours), _floor(rows[1], neighbours)
    ranks = tuple(int((row > before).sum()) + 1 if before else 0 for row in rows)
    stays = before >= max(floors)
    return Ranks(i, j, before, before if stays else 0.0, (ranks[0], ranks[1]), floors, neighbours)


def _walks(
    W: sp.csr_array, i: int, j: int, steps: int, neighbours: int, progress: Progress | None
) -> Walks:
    S = walk_matrix(W)
    A = walks(S, steps, neighbours, progress=progress)
    largest = float(A.data.max()) if A.nnz else 1.0
    start, end = (i, j) if A[i, j] >= A[j, i] else (j, i)
    value = float(A[start, end])
    earlier = walk(S, start, steps - 1, neighbours)
    came = 0.5 * earlier * _row(S, end)
    order = np.argsort(-came, kind="stable")
    over = tuple((int(k), float(came[k])) for k in order if came[k] > 0) if value else ()
    stayed = 0.5 * float(earlier[end]) if value else 0.0
    return Walks(i, j, float(W[i, j]), value / largest, start, value, largest, stayed, over)


_ACCOUNTS: dict[str, Callable[..., Account]] = {
    "Sinkhorn": _scaling,
    "Mutual": _ranks,
    "Diffusion": _walks,
}
