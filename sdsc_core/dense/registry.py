"""The dense stages by name: one entry for each, which settings, command line and screens read.

A further rule is one function and one entry here. Its parameters stand in `PARAMETERS`; a new one
gets a line in `settings.RunSettings` as well, by which address and command line know it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sdsc_core.blocks import Progress, n_threads
from sdsc_core.checks import (
    Affinity,
    check_affinity,
    check_choice,
    check_count,
    check_number,
    check_thetas,
    is_sparse,
)
from sdsc_core.dense.mutuality import mutual
from sdsc_core.dense.rules import DISTANCES
from sdsc_core.dense.scaling import sinkhorn
from sdsc_core.dense.stage import densify, pce
from sdsc_core.dense.walking import MOST_STEPS, diffusion


@dataclass(frozen=True)
class StageParameter:
    """A parameter of dense stages: default, the slider's ends, and what the mathematics allows.

    ``most`` is the largest value that a call may give, None for no limit.
    """

    name: str
    title: str
    default: float | int
    low: float | int
    high: float | int
    help: str
    most: float | int | None = None

    def checked(self, value: Any) -> Any:
        """The value, if it is of the parameter's kind and within what the mathematics allows."""
        if isinstance(self.default, int):
            most = None if self.most is None else int(self.most)
            return check_count(value, self.name, int(self.low), most)
        return check_number(value, self.name, self.low, self.most)


@dataclass(frozen=True)
class DenseStage:
    """A way from W to W*, with all that an app or a script needs to offer it.

    ``function`` takes W, the parameters by name, ``n_jobs``, ``progress`` and ``client``.
    ``formula`` is LaTeX. Where a stage ``lowers`` entries, W* ≥ W does not hold and no witness k
    explains an entry; `account` says what it comes from.
    """

    name: str
    title: str
    formula: str
    source: str
    function: Callable[..., Affinity]
    parameters: tuple[StageParameter, ...]
    lowers: bool = False
    check: Callable[..., Any] | None = None  # of several parameters together


THETA1 = StageParameter("theta1", "θ₁", 0.8, 0.0, 1.0, "θ₁ of PCE", most=1.0)
THETA2 = StageParameter("theta2", "θ₂", 0.6, 0.0, 1.0, "θ₂ of PCE", most=1.0)
HOPS = StageParameter("hops", "Hops", 1, 1, 5, "points between, for D1 to D3")
SELF_WEIGHT = StageParameter(
    "self_weight", "Weight of a point itself", 1.0, 0.01, 1.0,
    "similarity of a point with itself while Sinkhorn scales the rows", most=1.0,
)  # fmt: skip
STEPS = StageParameter(
    "steps", "Steps", 3, 1, 10, "steps of the walk, for Diffusion", most=MOST_STEPS
)
NEIGHBOURS = StageParameter(
    "neighbours", "Neighbours", 10, 1, 50,
    "nearest points that count, for Diffusion and Mutual",
)  # fmt: skip
PARAMETERS = {
    p.name: p for p in (THETA1, THETA2, HOPS, SELF_WEIGHT, STEPS, NEIGHBOURS)
}  # in the order in which a command line lists them


def _by_distance(name: str) -> Callable[..., Affinity]:
    def stage(W: Affinity, hops: int | None, **where: Any) -> Affinity:
        return densify(W, name, hops, **where)

    return stage


def _pce(W: Affinity, theta1: float, theta2: float, **where: Any) -> Affinity:
    star = pce(W, theta1, theta2, **where)
    return star if is_sparse(W) else star.toarray()


DENSE: dict[str, DenseStage] = {
    s.name: s
    for s in (
        DenseStage(
            "PCE", "Piecewise Correlation Estimation",
            r"w^*_{ij} = \max(w_{ij}, \max_k f(w_{ik}, w_{kj}, w_{ij}))",
            "Algorithm 2 and Definition 2 of the paper", _pce, (THETA1, THETA2),
            check=check_thetas,
        ),
        *(
            DenseStage(
                name, f"Shortest paths, {name}",
                rf"d = {by.distance}, \; w^*_{{ij}} = \max(w_{{ij}}, {by.worth})",
                "Algorithm 4 and Table 1 of the paper", _by_distance(name), (HOPS,),
            )
            for name, by in DISTANCES.items()
        ),
        DenseStage(
            "Sinkhorn", "Doubly stochastic scaling",
            r"w^*_{ij} \propto d_i w_{ij} d_j, \; D(W + sI)D\mathbf{1} = \mathbf{1}",
            "Sinkhorn 1964; Zass and Shashua 2006; Lim, Vidal and Haeffele 2020", sinkhorn,
            (SELF_WEIGHT,), lowers=True,
        ),
        DenseStage(
            "Diffusion", "Lazy walk over a few links",
            r"v \leftarrow \tfrac12 (v + vS), \; S = D^{-1/2}WD^{-1/2}",
            "Zhou and others 2004; Li, Liu and Li 2018", diffusion, (STEPS, NEIGHBOURS),
            lowers=True,
        ),
        DenseStage(
            "Mutual", "Mutual neighbours",
            r"w^*_{ij} = w_{ij} \text{ if } w_{ij} \ge t_i, t_j \text{, else } 0",
            "Brito and others 1997; von Luxburg 2007", mutual, (NEIGHBOURS,), lowers=True,
        ),
    )
}  # fmt: skip
DENSE_STAGES = (None, *DENSE)


def dense_stage(
    W: Affinity,
    dense: str | None = "PCE",
    theta1: float = 0.8,
    theta2: float = 0.6,
    hops: int | None = 1,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
    **parameters: Any,
) -> Affinity:
    """Step 2 of Algorithm 3: W* by a stage of `DENSE`; W itself for None.

    ``parameters`` are further ones by the names in ``PARAMETERS``: ``self_weight`` of Sinkhorn,
    ``steps`` and ``neighbours`` of Diffusion, ``neighbours`` of Mutual. Those that a stage does not
    have play no part.

    >>> import numpy as np
    >>> W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    >>> dense_stage(W, None) is W
    True
    >>> dense_stage(W, "Mutual", neighbours=1)[1].tolist()
    [0.9, 0.0, 0.0]
    """
    check_choice(dense, "dense", DENSE_STAGES)
    for name in parameters:
        check_choice(name, "parameter", tuple(PARAMETERS))
    n_threads(n_jobs)
    if dense is None:
        check_affinity(W)
        return W
    given = {"theta1": theta1, "theta2": theta2, "hops": hops} | parameters
    own = {p.name: given.get(p.name, p.default) for p in DENSE[dense].parameters}
    where = {"n_jobs": n_jobs, "progress": progress, "client": client}
    return DENSE[dense].function(W, **own, **where)
