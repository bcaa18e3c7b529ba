"""Why a pair has its w* under the stages beyond the paper, which no single point explains."""

from pages.shared.run import patiently
from sdsc_core import Explanation, account
from sdsc_core.dense import DENSE, Account, Ranks, Scaling
from sdsc_core.run import Run

MOST = 5  # points of a walk that are named


def explained(run: Run, pair: tuple[int, int]) -> tuple[Explanation, str]:
    """Before and after of a pair, without a witness, and what makes the difference, in words."""
    found = accounted(run, pair)
    return Explanation(found.i, found.j, found.before, found.after, 0, -1, ()), words(found, run)


def accounted(run: Run, pair: tuple[int, int]) -> Account:
    """What the entry of a pair comes from."""
    s = run.settings
    assert s.dense is not None, "without a dense stage there is nothing to explain"
    rule = s.dense
    return patiently(
        "Looking for what makes the entry",
        ("account", run.data.digest, s.dense_key(), *pair),
        lambda tell: account(run.before.W, *pair, rule, progress=tell, **s.dense_params()),
    )


def words(found: Account, run: Run) -> str:
    """The reason with its formula and the numbers in it."""
    if isinstance(found, Scaling):
        return _scaling(found)
    if isinstance(found, Ranks):
        return _ranks(found)
    name = run.settings.dense
    formula = DENSE[name].formula if name else ""
    if not found.value:
        return (
            f"**{name}**, ${formula}$: no walk from one point reaches the other, or it is not among"
            f" the nearest that are kept, so $w^*_{{ij}} = 0$ ($w_{{ij}}$ was {found.before:.4f})."
        )
    parts = [f"over $k = {k}$ {part / found.value:.0%}" for k, part in found.over[:MOST]]
    rest = sum(part for _, part in found.over[MOST:]) / found.value
    more = f", over {len(found.over) - MOST} others {rest:.0%}" if len(found.over) > MOST else ""
    end = found.j if found.start == found.i else found.i
    return (
        f"**{name}**, ${formula}$: $w_{{ij}}$ goes from {found.before:.4f} to"
        f" $w^*_{{ij}} = {found.value:.4f} / {found.largest:.4f} = {found.after:.4f}$. No single"
        f" point decides it: it sums all walks from point {found.start} to point {end}. What"
        f" arrives there in the last step: {found.stayed / found.value:.0%} was there before, "
        + ", ".join(parts)
        + f"{more}."
    )


def _scaling(e: Scaling) -> str:
    (a, b), (of_i, of_j) = e.factors, e.sums
    if not e.before:
        return (
            "**Sinkhorn** scales links and makes none: $w_{ij} = 0$, so $w^*_{ij} = 0$, whatever"
            f" the factors of $i$ ({a:.4f}) and $j$ ({b:.4f}) are."
        )
    return (
        f"**Sinkhorn**: the links of $i$ sum to {of_i:.2f}, those of $j$ to {of_j:.2f}, and all"
        f" rows must weigh the same, so $i$ has the factor {a:.4f} and $j$ {b:.4f}; all is divided"
        f" by the largest, {e.largest:.4f}:  \n$w^*_{{ij}} = d_i w_{{ij}} d_j / \\max ="
        f" {a:.4f} \\cdot {e.before:.4f} \\cdot {b:.4f} / {e.largest:.4f} = {e.after:.4f}$. No"
        " third point plays a part but by these sums."
    )


def _ranks(e: Ranks) -> str:
    if not e.before:
        return "**Mutual** takes links away and makes none: $w_{ij} = 0$ stays 0."
    k, (of_i, of_j) = e.neighbours, e.ranks
    ranks = f"$j$ is number {of_i} among the nearest of $i$, and $i$ number {of_j} of $j$"
    if e.after:
        return f"**Mutual**: {ranks}; both are within {k}, so $w_{{ij}} = {e.before:.4f}$ stays."
    return (
        f"**Mutual**: {ranks}. That must be within {k} on both sides (ties count as near), so"
        f" $w_{{ij}} = {e.before:.4f}$ becomes 0."
    )
