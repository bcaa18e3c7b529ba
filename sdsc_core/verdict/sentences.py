"""A verdict in a few sentences, each true of what was found: what helps, what to take, doubts."""

from dataclasses import dataclass

import numpy as np

from sdsc_core.datasets import unequal_units
from sdsc_core.settings import NONE
from sdsc_core.verdict.candidates import FLOOR, GRAPH, OURS
from sdsc_core.verdict.evidence import trust
from sdsc_core.verdict.judging import LEVEL, Difference, Row, Verdict
from sdsc_core.verdict.trying import FEW, NO_TIME

FEW_POINTS, FEW_OF_CLASS = 100, 10
UNSTABLE = 0.7  # agreement between draws below which clusters are called unstable
LOPSIDED = 0.8  # share of all points in one cluster that is worth a word
MANY = 8  # candidates from which on the best one's own figure flatters it

TEST = (
    f"Differences are paired over the same draws. One exceeds the spread where 0 lies outside its"
    f" {100 * LEVEL:.0f} % interval by the corrected resampled t-test (Nadeau and Bengio, 2003),"
    " which allows for the points that draws share; ± is the half-width of that interval."
)
STABILITY = (
    "Consistency is the mean of two shares: stability, the mean adjusted Rand index between the"
    " clusters of two draws on the points that both hold, and the points that lie nearest to the"
    " subspace of their own cluster, which is fitted to its other half."
)


@dataclass(frozen=True)
class Report:
    """The verdict in words: ``answer`` in a few sentences, ``take`` the setting, ``doubts``."""

    answer: tuple[str, ...]
    take: str
    doubts: tuple[str, ...]


def report(verdict: Verdict) -> Report:
    """The sentences of a verdict.

    >>> from sdsc_core.datasets import make_subspaces
    >>> from sdsc_core.verdict.judging import judge
    >>> from sdsc_core.verdict.trying import Findings
    >>> report(judge(Findings(make_subspaces(2, 2, 10, 10), 60, ended="time"))).answer
    ('Nothing could be tried within 60 s; give more time, or fewer points.',)
    """
    best = verdict.best
    if best is None:
        return Report((_nothing(verdict),), "", ())
    answer = [_headline(verdict, best)]
    if best.draws >= FEW:
        answer += [s for s in (_dense(verdict, best), _ours(verdict, best)) if s]
        answer += [s for s in (_both(verdict, best),) if s]
    if verdict.findings.whole is not None:
        answer.append(_whole(verdict))
    return Report(tuple(answer), f"Take {best.candidate.title}.", tuple(_doubts(verdict, best)))


def _nothing(verdict: Verdict) -> str:
    found = verdict.findings
    if found.trials:
        return (
            "Nothing can be compared yet: without classes a setting needs two draws, which share"
            " points; give more time."
        )
    if found.untried and found.ended != "time":
        name, why = next(iter(found.untried.items()))
        return f"Nothing could be tried: {name}: {why.rstrip('.')}."
    if found.ended == "stopped":
        return "It was stopped before anything was tried."
    if not found.ended:
        return "Nothing has been tried yet."
    return f"Nothing could be tried within {found.budget:g} s; give more time, or fewer points."


def _figure(verdict: Verdict, row: Row) -> str:
    """Such as ACC 84.0 % over 5 draws."""
    draws = f"{row.draws} draw{'s' * (row.draws != 1)}"
    if verdict.findings.labelled:
        return f"ACC {100 * row.mean:.1f} % over {draws}"
    return f"{verdict.measure} {row.mean:.2f} over {draws}"


def _amount(verdict: Verdict, value: float) -> str:
    """A difference without its sign."""
    if not verdict.findings.labelled:
        return f"{abs(value):.2f}"
    points = f"{100 * abs(value):.1f}"
    return f"{points} point{'s' * (points != '1.0')}"


def _spread(verdict: Verdict, d: Difference) -> str:
    """Whether a difference exceeds the spread, and the spread."""
    if d.exceeds is None and _all_alike(verdict):
        return "which draws of the same points cannot tell from chance"
    if d.exceeds is None:
        return "which too few draws can tell from chance"
    wide = f"{100 * d.spread:.1f}" if verdict.findings.labelled else f"{d.spread:.2f}"
    return f"{'more than' if d.exceeds else 'within'} the spread of ± {wide}"


def _all_alike(verdict: Verdict) -> bool:
    """Whether every draw has all points, as where no class has more than two."""
    return verdict.findings.n_drawn >= verdict.findings.data.n_points


def _below(verdict: Verdict, d: Difference) -> str:
    """How far something is below the best: ``d`` is the best's score minus its."""
    if abs(d.mean) < 5e-4 if verdict.findings.labelled else abs(d.mean) < 5e-3:
        return "the same"
    where = "below" if d.mean > 0 else "above on the draws that both have"
    return f"{_amount(verdict, d.mean)} {where}, {_spread(verdict, d)}"


def _headline(verdict: Verdict, best: Row) -> str:
    leads, figure = best.candidate.title, _figure(verdict, best)
    ways = {"ACC": "does best", "stability": "is the most stable"}
    does_best = ways.get(verdict.measure, "is the most consistent")
    if best.draws < FEW:
        return (
            f"So far {leads} {does_best}, {figure}; fewer than {FEW} draws cannot tell that from"
            " chance, so give more time."
        )
    floor, graph = verdict.floor, verdict.graph
    if best.candidate.method == FLOOR:
        other = next((r for r in verdict.rows if r.candidate.method != FLOOR), None)
        rest = "" if other is None else f" The best graph, {_behind(verdict, best, other)}."
        return f"No graph helps here: plain k-means {does_best}, {figure}.{rest}"
    if floor is not None and (d := verdict.minus(best.candidate, floor.candidate)).exceeds is False:
        return (
            f"Nothing clearly helps here: {leads} {does_best}, {figure}, but plain k-means is as"
            f" good within the spread ({_below(verdict, d)})."
        )
    above = _above(verdict, best, [r for r in (graph, floor) if r is not None and r is not best])
    if best.candidate.method == GRAPH and best.candidate.dense == NONE:
        rest = f" It is {above}." if above else ""
        return f"A plain nearest-neighbour graph {does_best} here: {leads}, {figure}.{rest}"
    if graph is not None and (d := verdict.minus(best.candidate, graph.candidate)).exceeds is False:
        return (
            f"{leads} {does_best}, {figure}, but a plain nearest-neighbour graph is as good within"
            f" the spread: {graph.candidate.title} ({_below(verdict, d)})."
        )
    return f"{leads} {does_best}, {figure}{f': {above}' if above else ''}."


def _above(verdict: Verdict, best: Row, others: list[Row]) -> str:
    """What the best is above, by how much; k-means and the plain graph."""
    names = {FLOOR: "k-means", GRAPH: "the best plain nearest-neighbour graph"}
    parts = []
    for row in others:
        d = verdict.minus(best.candidate, row.candidate)
        if d.draws:
            parts.append(
                f"{_amount(verdict, d.mean)} above {names[row.candidate.method]}"
                f" ({_spread(verdict, d)})"
            )
    return " and ".join(parts)


def _behind(verdict: Verdict, best: Row, other: Row) -> str:
    d = verdict.minus(best.candidate, other.candidate)
    return f"{other.candidate.title}, is {_below(verdict, d)}"


def _dense(verdict: Verdict, best: Row) -> str:
    """What the dense stage does for the method that leads."""
    method, own = best.candidate.method, best.candidate
    if own.dense != NONE:
        plain = verdict.row(own.plain)
        if plain is None:
            return ""
        d = verdict.minus(own, own.plain)
        if d.exceeds is None:
            return ""
        if d.exceeds:
            return (
                f"The dense stage helps: {own.dense} adds {_amount(verdict, d.mean)} to"
                f" {own.plain.title}, {_spread(verdict, d)}."
            )
        return (
            f"Whether its dense stage helps is open: {own.plain.title} without {own.dense} is"
            f" {_below(verdict, d)}."
        )
    stages = [
        r for r in verdict.rows if r.candidate.plain == own and r.candidate.dense != NONE
    ]  # fmt: skip
    if not stages or (d := verdict.minus(own, stages[0].candidate)).exceeds is None:
        return ""
    helps = "does not help" if d.exceeds else "makes no clear difference to"
    return (
        f"A dense stage {helps} {method} here: {stages[0].candidate.name} is {_below(verdict, d)}."
    )


def _ours(verdict: Verdict, best: Row) -> str:
    """Where the best of IMC stands, if it is not the best of all."""
    ours = verdict.ours
    if ours is None or best.candidate.method in (OURS, FLOOR):
        return ""
    d = verdict.minus(best.candidate, ours.candidate)
    return f"The best of IMC, {ours.candidate.title}, is {_below(verdict, d)}." if d.draws else ""


def _both(verdict: Verdict, best: Row) -> str:
    """Without classes: what the figure of the best is made of."""
    if best.astray is None:
        return ""
    return (
        f"Its clusters agree by {verdict.stability:.2f} between draws, and"
        f" {100 * best.astray:.0f} % of its points lie nearer to the subspace of another cluster."
    )


def _whole(verdict: Verdict) -> str:
    """What the leading setting gives on all points."""
    whole = verdict.findings.whole
    assert whole is not None
    sizes = np.sort(np.bincount(whole.labels))[::-1]
    if whole.acc is None or whole.nmi is None:
        shown = ", ".join(f"{n:,}" for n in sizes[:6]) + (" …" if len(sizes) > 6 else "")
        return f"On all {len(whole.labels):,} points it finds clusters of {shown} points."
    return (
        f"On all {len(whole.labels):,} points it gives ACC {100 * whole.acc:.1f} % and NMI"
        f" {100 * whole.nmi:.1f} %."
    )


def _doubts(verdict: Verdict, best: Row) -> list[str]:
    """What speaks against trusting it."""
    found, doubts = verdict.findings, []
    data = found.data
    if not found.labelled:
        doubts.append(
            "There are no classes to check against: stable clusters need not be the right ones, and"
            f" their number, {found.n_clusters}, is {found.clusters_from}."
        )
        if best.astray is not None:
            doubts.append(trust())
    if _all_alike(verdict):
        doubts.append(
            f"Every draw holds all {data.n_points:,} points, since the classes are so small: they"
            " differ by their seeds alone, and nothing can be told from chance."
        )
    if data.feature_names and (units := unequal_units(data)):
        doubts.append(f"{units} If they are in different units, standardise them and ask again.")
    if data.n_points < FEW_POINTS:
        doubts.append(f"{data.n_points} points are few: another sample may say otherwise.")
    elif data.labels is not None and (least := np.bincount(data.labels).min()) < FEW_OF_CLASS:
        doubts.append(f"The smallest class has {least} points only.")
    if best.draws >= FEW and (tied := verdict.tied):
        names = ", ".join(r.candidate.title for r in tied[:3]) + (
            " and others" if len(tied) > 3 else ""
        )
        many = "One other setting is" if len(tied) == 1 else f"{len(tied)} other settings are"
        doubts.append(f"{many} as good within the spread: {names}.")
    doubts += _of_the_clusters(verdict, best)
    if found.n_drawn < data.n_points / 2:
        doubts.append(
            f"To save time each draw has {found.n_drawn:,} of {data.n_points:,} points; with all of"
            " them the order may be another."
        )
    if len(verdict.rows) >= MANY:
        doubts.append(
            f"It is the best of {len(verdict.rows)} settings by the draws it is judged by, so its"
            " own figure flatters it a little."
        )
    return doubts + _of_the_time(verdict)


def _of_the_clusters(verdict: Verdict, best: Row) -> list[str]:
    found, doubts = verdict.findings, []
    if verdict.stability < UNSTABLE:
        doubts.append(
            f"Its clusters are unstable: two draws agree by {verdict.stability:.2f} (adjusted Rand"
            " index; 1 is the same)."
        )
    by_nmi = max((r for r in verdict.rows if r.nmi is not None and r.draws == best.draws),
                 key=lambda r: r.nmi or 0.0, default=best)  # fmt: skip
    if by_nmi.candidate != best.candidate and (by_nmi.nmi or 0) - (best.nmi or 0) > 0.005:
        doubts.append(
            f"By NMI {by_nmi.candidate.title} leads, {100 * (by_nmi.nmi or 0):.1f} % against"
            f" {100 * (best.nmi or 0):.1f} %."
        )
    if found.whole is not None:
        share = np.bincount(found.whole.labels).max() / len(found.whole.labels)
        if share > LOPSIDED and found.n_clusters > 1:
            doubts.append(f"One cluster holds {100 * share:.0f} % of all points.")
    message = next((t.message for t in found.trials
                    if t.candidate == best.candidate and t.message), "")  # fmt: skip
    return [*doubts, f"{best.candidate.title}: {message}"] if message else doubts


def _of_the_time(verdict: Verdict) -> list[str]:
    found = verdict.findings
    short = [name for name, why in found.untried.items() if why == NO_TIME]
    other = {name: why for name, why in found.untried.items() if name not in short}
    doubts = []
    if short:
        doubts.append(f"Not tried, or on too few draws, for want of time: {', '.join(short)}.")
    doubts += [f"Not tried: {name}: {why.rstrip('.')}." for name, why in list(other.items())[:3]]
    if found.ended == "stopped":
        doubts.append("It was stopped before all was tried.")
    elif found.ended == "time" and found.rounds < FEW:
        doubts.append("The time was over before all was tried.")
    return doubts


def words(report_: Report) -> str:
    """All of a report as plain text."""
    parts = [" ".join(report_.answer)]
    if report_.take:
        parts.append(report_.take)
    if report_.doubts:
        parts.append("\n".join(["What to doubt:", *(f"- {doubt}" for doubt in report_.doubts)]))
    return "\n\n".join(parts)
