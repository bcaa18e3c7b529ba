"""The dense stage: Algorithms 2 and 4 as one two-hop maximum with four rules, and three others.

For each of PCE, D1, D2 and D3, w*_ij is the largest of w_ij and of f(w_ik, w_kj, w_ij) over the
points k that i and j share; only f differs. `rules.two_hop` is that f, `rules.condition`
Definition 2. Sinkhorn, Diffusion and Mutual go beyond the paper. `registry.DENSE` has all of them.
"""

from sdsc_core.dense.accounts import Account, Ranks, Scaling, Walks, account
from sdsc_core.dense.explanations import (
    LOWERED,
    RAISED,
    Changes,
    Explanation,
    Offer,
    Tally,
    changes,
    explain,
    rank_changes,
    tally,
)
from sdsc_core.dense.mutuality import mutual
from sdsc_core.dense.registry import (
    DENSE,
    DENSE_STAGES,
    PARAMETERS,
    DenseStage,
    StageParameter,
    dense_stage,
)
from sdsc_core.dense.rules import (
    DISTANCE_RULES,
    DISTANCES,
    RULES,
    condition,
    to_distance,
    to_similarity,
    two_hop,
)
from sdsc_core.dense.scaling import sinkhorn
from sdsc_core.dense.stage import densify, pce
from sdsc_core.dense.walking import diffusion

__all__ = [
    "DENSE",
    "DENSE_STAGES",
    "DISTANCES",
    "DISTANCE_RULES",
    "LOWERED",
    "PARAMETERS",
    "RAISED",
    "RULES",
    "Account",
    "Changes",
    "DenseStage",
    "Explanation",
    "Offer",
    "Ranks",
    "Scaling",
    "StageParameter",
    "Tally",
    "Walks",
    "account",
    "changes",
    "condition",
    "dense_stage",
    "densify",
    "diffusion",
    "explain",
    "mutual",
    "pce",
    "rank_changes",
    "sinkhorn",
    "tally",
    "to_distance",
    "to_similarity",
    "two_hop",
]
