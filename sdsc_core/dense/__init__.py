"""Algorithms 2 and 4, the dense stage: one two-hop maximum, four rules.

For each of PCE, D1, D2 and D3, w*_ij is the largest of w_ij and of f(w_ik, w_kj, w_ij) over the
points k that i and j share; only f differs. `rules.two_hop` is that f, `rules.condition`
Definition 2.
"""

from sdsc_core.dense.explanations import (
    Changes,
    Explanation,
    Offer,
    Tally,
    changes,
    explain,
    rank_changes,
    tally,
)
from sdsc_core.dense.rules import (
    DENSE_STAGES,
    DISTANCE_RULES,
    RULES,
    condition,
    to_distance,
    to_similarity,
    two_hop,
)
from sdsc_core.dense.stage import dense_stage, densify, pce

__all__ = [
    "DENSE_STAGES",
    "DISTANCE_RULES",
    "RULES",
    "Changes",
    "Explanation",
    "Offer",
    "Tally",
    "changes",
    "condition",
    "dense_stage",
    "densify",
    "explain",
    "pce",
    "rank_changes",
    "tally",
    "to_distance",
    "to_similarity",
    "two_hop",
]
