"""What the study of readings says: which is nearest to the paper, which is best, what is reached.

Readings are chosen on the screening draws and judged on others; one reading serves all data sets,
and no labels choose it for one of them. But which of the few that were judged is called the best is
said by the same draws, so its figures, and the highest of several, lean upward a little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sdsc_core.experiments import printed
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.readings import design
from sdsc_core.experiments.readings.reading import PRINTED, Reading
from sdsc_core.experiments.readings.wording import GROUPS, place_words, words

SCREENING = "screening"  # the message of rows that only choose
Means = dict[str, tuple[float, float]]  # where → mean ACC in % of W and of W*


def printed_pair(where: str) -> tuple[float, float] | None:
    """What the paper prints for IMC and IMC-P on a set, in %.

    >>> printed_pair("yaleb 2"), printed_pair("mnist_scattering 500")
    ((99.48, 99.46), None)
    """
    name, _, size = where.partition(" ")
    if name == "yaleb":
        return printed.TABLE_2["IMC"][int(size)], printed.TABLE_2["IMC-P"][int(size)]
    return printed.TABLE_3_IMC[int(size)] if name == "usps" else None


def means(rows: Sequence[Row]) -> dict[str, Means]:
    """Mean ACC in % of W and W* for each reading and place."""
    groups: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        pair = (100 * (row.figures["acc_sparse"] or 0.0), 100 * (row.figures["acc"] or 0.0))
        groups.setdefault(row.setting, {}).setdefault(str(row.where), []).append(pair)
    return {
        text: {place: tuple(np.mean(pairs, axis=0).tolist()) for place, pairs in places.items()}
        for text, places in groups.items()
    }


def overall(found: Means) -> float:
    """ACC of W*: each data set counts once, whatever sizes it comes in."""
    parts: dict[str, list[float]] = {}
    for place, (_, dense) in found.items():
        parts.setdefault(place.partition(" ")[0], []).append(dense)
    return float(np.mean([np.mean(values) for values in parts.values()]))


def distance(found: Means) -> float:
    """Root mean square of the differences to Tables 2 and 3, of IMC and IMC-P, in points."""
    gaps = [
        ours - theirs
        for place, pair in found.items()
        if (paper := printed_pair(place)) is not None
        for ours, theirs in zip(pair, paper, strict=True)
    ]
    return float(np.sqrt(np.mean(np.square(gaps))))


def _above(name: str, found: Means) -> float:
    """How nearly a table is reached everywhere: what is missing, and a little of the mean."""
    margins = [
        (pair[k] - paper[k])
        for place, pair in found.items()
        if place.startswith(name) and (paper := printed_pair(place)) is not None
        for k in ((1,) if name == "yaleb" else (0, 1))  # the claim of Table 2 is IMC-P's
    ]
    return float(np.minimum(margins, 0).sum() + 0.01 * np.mean(margins)) if margins else 0.0


# What a reading may be good for; larger is better.
AIMS: dict[str, Callable[[Means], float]] = {
    "best overall": overall,
    "nearest to the paper": lambda found: -distance(found),
    "Table 2 reached": lambda found: _above("yaleb", found),
    "Table 3 reached": lambda found: _above("usps", found),
}


def candidates(rows: Sequence[Row], each: int) -> list[Reading]:
    """The best so many readings for each aim, of all and of those the library has, each once."""
    found = means(rows)
    own = [text for text in found if Reading.of(text).in_library]
    chosen = [
        text
        for pool in (list(found), own)
        for aim in AIMS.values()
        for text in sorted(pool, key=lambda text: -aim(found[text]))[:each]
    ]
    return [Reading.of(text) for text in dict.fromkeys(chosen)]


def all_round(rows: Sequence[Row], each: int) -> list[Reading]:
    """The best so many that the library has, by the least gain over as printed on any data set."""
    found = means(rows)
    if PRINTED not in found:
        return []
    base = found[PRINTED]

    def least(text: str) -> float:
        gains = [
            np.mean([found[text][p][1] - base[p][1] for p in base if p.startswith(name)])
            for name in GROUPS
            if any(p.startswith(name) for p in base)
        ]
        return float(min(gains))

    own = [t for t in found if Reading.of(t).in_library and found[t].keys() >= base.keys()]
    return [Reading.of(text) for text in sorted(own, key=lambda text: -least(text))[:each]]


@dataclass(frozen=True)
class Confirmed:
    """A reading on the draws that confirm: IMC and IMC-P by place, and against as printed."""

    text: str
    sparse: dict[str, Mean]
    dense: dict[str, Mean]
    gains: dict[str, Mean]  # of IMC-P over the reading as printed, by data set, draw by draw
    draws: dict[str, dict[int, tuple[float, float]]]  # place → draw → ACC of IMC and of IMC-P

    @property
    def means(self) -> Means:
        return {place: (self.sparse[place].value, self.dense[place].value) for place in self.dense}

    def mean(self, figure: Callable[[Means], float]) -> Mean:
        """A figure of the means, with its standard error by leaving out one draw at a time."""
        numbers = sorted({draw for own in self.draws.values() for draw in own})
        others = []
        for left_out in numbers if len(numbers) > 1 else ():
            kept = {
                place: [pair for draw, pair in own.items() if draw != left_out]
                for place, own in self.draws.items()
            }
            others.append(
                figure({p: tuple(100 * np.mean(pairs, axis=0)) for p, pairs in kept.items()})
            )
        error = np.sqrt((len(numbers) - 1) * np.var(others)) if others else float("nan")
        return Mean(figure(self.means), float(error), len(numbers))

    @property
    def better_everywhere(self) -> bool:
        """On each data set by more than two standard errors."""
        return len(self.gains) == len(GROUPS) and all(g.sign > 0 for g in self.gains.values())


def confirmed(rows: Sequence[Row]) -> list[Confirmed]:
    """Every confirmed reading, as printed first, then the better overall first."""
    return compared([row for row in rows if row.message != SCREENING])


def compared(rows: Sequence[Row]) -> list[Confirmed]:
    """The same for every reading, on all draws that it has, those that chose among them."""
    places = list(dict.fromkeys(str(row.where) for row in rows))
    values: dict[tuple[str, str], dict[int, tuple[float, float]]] = {}
    for row in rows:
        pair = (row.figures["acc_sparse"] or 0.0, row.figures["acc"] or 0.0)
        values.setdefault((row.setting, str(row.where)), {})[row.draw] = pair
    results = []
    for text in dict.fromkeys(row.setting for row in rows):
        here = [place for place in places if (text, place) in values]
        sparse, dense = (
            {place: Mean.of([pair[k] for pair in values[text, place].values()]) for place in here}
            for k in (0, 1)
        )
        draws = {place: values[text, place] for place in here}
        results.append(Confirmed(text, sparse, dense, _gains(text, values, here), draws))
    return sorted(results, key=lambda c: (c.text != PRINTED, -overall(c.means)))


def _gains(
    text: str, values: dict[tuple[str, str], dict[int, tuple[float, float]]], places: list[str]
) -> dict[str, Mean]:
    """By data set the mean over the draws of what a reading gains; sizes of a set are averaged."""
    gains = {}
    for name in GROUPS:
        own = [p for p in places if p.startswith(name) and (PRINTED, p) in values]
        shared = [set(values[text, p]) & set(values[PRINTED, p]) for p in own]
        draws = sorted(set.intersection(*shared)) if shared else []
        if draws:
            gains[name] = Mean.of([
                float(np.mean([values[text, p][d][1] - values[PRINTED, p][d][1] for p in own]))
                for d in draws
            ])  # fmt: skip
    return gains


class Reached(NamedTuple):
    """Whether a printed figure is reached: by the reading with the highest mean there."""

    place: str
    name: str  # IMC or IMC-P
    paper: float
    best: Mean
    text: str

    @property
    def holds(self) -> bool:
        return self.best.value >= self.paper


def reached(found: Sequence[Confirmed]) -> list[Reached]:
    """Each figure of IMC and IMC-P in Tables 2 and 3, and the best that a reading gives there."""
    results = []
    for place in dict.fromkeys(place for c in found for place in c.dense):
        paper = printed_pair(place)
        if paper is None:
            continue
        for k, name in enumerate(("IMC", "IMC-P")):
            sides = [(c.text, (c.sparse, c.dense)[k][place]) for c in found if place in c.dense]
            text, best = max(sides, key=lambda side: side[1].value)
            results.append(Reached(place, name, paper[k], best, text))
    return results


class Effect(NamedTuple):
    """What a change of one factor does to ACC overall, on the screening draws."""

    centre: str
    change: str
    gain: Mean


def effects(rows: Sequence[Row]) -> list[Effect]:
    """One factor at a time around the two centres, draw by draw, the largest change first."""
    by_draw: dict[str, dict[int, Means]] = {}
    for row in rows:
        if row.message == SCREENING:
            pair = (0.0, row.figures["acc"] or 0.0)
            by_draw.setdefault(row.setting, {}).setdefault(row.draw, {})[str(row.where)] = pair
    found = []
    for centre in (design.AS_PRINTED, design.CENTRED):
        base = by_draw.get(centre.text)
        for reading in design.one_at_a_time(centre)[1:] if base else []:
            own = by_draw.get(reading.text)
            if own and base and reading != centre:
                gains = [overall(own[d]) - overall(base[d]) for d in own if d in base]
                found.append(Effect(centre.text, _change(centre, reading), Mean.of(gains)))
    return sorted(found, key=lambda e: -e.gain.value)


def _change(centre: Reading, reading: Reading) -> str:
    names = [n for n in vars(centre) if getattr(centre, n) != getattr(reading, n)]
    return " ".join(f"{n}={str(getattr(reading, n)).replace(' ', '_')}" for n in names)


def to_markdown(rows: Sequence[Row]) -> str:
    """The three answers with their figures; mean ± standard error of ACC in %."""
    found = confirmed(rows)
    if not found:
        return "Nothing was confirmed yet.\n"
    places = list(found[0].dense)
    draws = sorted({m.draws for c in found for m in c.dense.values()})
    span = f"{draws[0]}" if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"
    lines = [
        f"ACC (%), mean ± standard error of {span} draws, IMC-P (IMC in brackets).",
        "", "| reading | " + " | ".join(map(place_words, places)) + " |",
        "|---" * (len(places) + 1) + "|",
        "| the paper | " + " | ".join(paper_text(p) for p in places) + " |",
    ]  # fmt: skip
    lines += [
        f"| {words(c.text)} | " + " | ".join(cell_text(c, p) for p in places) + " |" for c in found
    ]
    lines += ["", *answers(rows), ""]
    lines += ["| one factor changed | from | gain of IMC-P overall, points |", "|---|---|---|"]
    lines += [f"| {words(e.change)} | {words(e.centre)} | {e.gain} |" for e in effects(rows)]
    return "\n".join([*lines, ""])


def answers(rows: Sequence[Row]) -> list[str]:
    """(i) which is nearest to the paper, (ii) which is best, (iii) what is reached at all."""
    found, every = confirmed(rows), compared(rows)
    printed_one = found[0]
    best = max(found, key=lambda c: overall(c.means))
    near = min(found, key=lambda c: distance(c.means))
    hit = reached(every)
    missed = [
        f"{r.name} on {place_words(r.place)} ({r.best}, paper {r.paper})"
        for r in hit
        if not r.holds
    ]
    gains = "; ".join(f"{GROUPS[name]} {gain}" for name, gain in best.gains.items())
    everywhere = [words(c.text) for c in found if c.better_everywhere]
    return [
        f"(i) Nearest to Tables 2 and 3: {words(near.text)}, {near.mean(distance)} points in the"
        f" root mean square; {printed_one.text} {printed_one.mean(distance)}.",
        f"(ii) Best overall: {words(best.text)}, mean of the data sets {best.mean(overall)};"
        f" {printed_one.text} {printed_one.mean(overall)}. Gains over it, draw by draw:"
        f" {gains}. Better on every set by more than two standard errors:"
        f" {'; '.join(everywhere) or 'none'}, of {len(found) - 1} readings compared with it on"
        " these draws, so that the best of them leans upward a little.",
        f"(iii) {len(hit) - len(missed)} of {len(hit)} figures of IMC and IMC-P in Tables 2 and 3"
        f" are reached by the best of {len(every)} readings there, on all draws that it has, those"
        f" of the screening too; not reached: {'; '.join(missed) or 'none'}.",
    ]


def paper_text(place: str) -> str:
    pair = printed_pair(place)
    return "" if pair is None else f"{pair[1]} ({pair[0]})"


def cell_text(found: Confirmed, place: str) -> str:
    return f"{found.dense[place]} ({found.sparse[place]})" if place in found.dense else ""
