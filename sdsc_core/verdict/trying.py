"""Trying within a stated time: draw by draw, the cheapest first; every result is kept."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.baselines import BASELINES
from sdsc_core.blocks import Cancelled, Progress, tick, watched
from sdsc_core.checks import check_data, check_kind, check_n_clusters, check_number
from sdsc_core.compare import fits, keep_everything, suggest_clusters
from sdsc_core.datasets import Dataset
from sdsc_core.metrics import clustering_accuracy, nmi
from sdsc_core.run import Keep, run_stages
from sdsc_core.sweeping.criteria import some_products, subspace_distance
from sdsc_core.verdict.candidates import Candidate, Group, groups
from sdsc_core.verdict.draws import LEAST, SHARE, draw_points, part_of

FEW, MOST = 3, 10  # draws of everything, and of what leads
FOR_FIRST = 0.7  # of the time, for the first draws of everything
FOR_ONE = 0.4  # of it, for the first of these draws
FOR_CORE = 0.5  # of it, in which the core must have its first draws, else draws are smaller
FOR_WHOLE = 0.4  # of the time at most is kept for the last run, on all points
FOR_LAST = 0.05  # of the time is left to the last run, whatever the trials took
FOR_END = 0.1  # of the time, beside what the last run takes by what it took on a draw
SLOWER = 1.3  # times what it took before, as a machine has other work too
A_DAY = 86_400  # seconds
NO_TIME = "the time does not suffice"


class TimeOver(Cancelled):
    """The stated time is over."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One candidate on one draw: which points, their clusters, and how good these are."""

    candidate: Candidate
    draw: int
    points: NDArray[np.int64]
    labels: NDArray[np.int64]
    acc: float | None
    nmi: float | None
    seconds: float
    message: str = ""
    astray: float | None = None  # without classes: share of points nearer to another subspace


@dataclass
class Findings:
    """All that was found so far; it grows while things are tried.

    ``rounds`` are the draws on which all that took part are through. ``untried`` says for each
    setting that was left out, from the start or later, why. ``whole`` is the leading candidate on
    all points. ``ended`` is empty while it grows, then "done", "time" or "stopped".
    """

    data: Dataset
    budget: float
    n_clusters: int = 0
    clusters_from: str = ""
    n_drawn: int = 0
    trials: list[Trial] = field(default_factory=list)
    rounds: int = 0
    untried: dict[str, str] = field(default_factory=dict)
    whole: Trial | None = None
    ended: str = ""
    seconds: float = 0.0

    @property
    def labelled(self) -> bool:
        return bool(self.data.n_classes)


def try_out(
    data: Dataset,
    seconds: float = 60.0,
    *,
    n_clusters: int | None = None,
    findings: Findings | None = None,
    lead: Callable[[Findings], list[Candidate]],
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Findings:
    """Fill ``findings``, those given or new ones, for so many seconds at most, by ``clock``.

    ``lead`` gives the best candidate so far and those not clearly behind it, the best first.
    Raising `Cancelled` in ``progress``, which hears of seconds, stops it; what was found stays.
    """
    check_number(seconds, "seconds", 1, A_DAY)
    check_kind(data, Dataset, "data", "a Dataset")
    check_data(data.X, name=repr(data.name), copy=False)
    found = Findings(data, seconds) if findings is None else findings
    check_kind(found, Findings, "findings", "Findings or None")
    work = _Trying(found, lead, progress, clock)
    ended = "done"
    try:
        with suppress(TimeOver):
            ended = "time"
            work.count_clusters(n_clusters)
            work.first_draws()
            work.second_chance()
            work.further_draws()
            ended = "done"
        work.whole()
    except TimeOver:
        ended = "time"
    except Cancelled:
        ended = "stopped"
    found.seconds = work.spent
    found.ended = ended
    return found


class _Trying:
    """One call of `try_out`: its clock, and its steps."""

    def __init__(
        self,
        found: Findings,
        lead: Callable[[Findings], list[Candidate]],
        progress: Progress | None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.found, self.lead, self.progress = found, lead, progress
        self.now, self.begun = clock, clock()
        self.end = (1.0 - FOR_LAST) * found.budget  # of the trials
        self.took: dict[Group, float] = {}
        self.offered: list[Group] = []
        self.groups: list[Group] = []
        self.products: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    @property
    def spent(self) -> float:
        return self.now() - self.begun

    @property
    def left(self) -> float:
        return self.found.budget - self.spent

    def clock(self, done: int, total: int) -> None:
        """The progress of every step: what it does matters less than the time that is left."""
        if self.spent >= self.end:
            raise TimeOver
        tick(self.progress, int(self.spent), math.ceil(self.found.budget))

    def count_clusters(self, asked: int | None) -> None:
        """How many clusters: as asked, one for each class, or by the eigengap."""
        found, data = self.found, self.found.data
        self.clock(0, 0)
        if asked is not None:
            found.n_clusters = check_n_clusters(asked, data.n_points)
            found.clusters_from = "as asked"
        elif data.n_classes:
            found.n_clusters, found.clusters_from = data.n_classes, "one for each class"
        else:
            found.n_clusters = watched(lambda tell: suggest_clusters(data, tell), self.clock)
            found.clusters_from = "suggested by the eigengap of IMC's affinity"

    def first_draws(self) -> None:
        """A few draws of everything that fits into the time."""
        self.groups = self._admitted()
        self._round(self.groups, 0, until=FOR_ONE * self.left)
        for draw in range(1, FEW):
            self._leave_out(FOR_FIRST * self.left / (FEW - draw))
            self._round(self.groups, draw)

    def second_chance(self) -> None:
        """The first draws of what was left out, where there is time after all."""
        for group in self.offered:
            cost = min(group.seconds, self.took.get(group, math.inf))
            room = FOR_FIRST * (self.left - self._for_whole())
            if self.found.untried.get(group.name) != NO_TIME or not SLOWER * FEW * cost < room:
                continue
            del self.found.untried[group.name]
            there = {t.draw for t in self.found.trials if t.candidate in group.candidates}
            for draw in set(range(FEW)) - there:
                self._try(group, draw)
            self.groups.append(group)

    def _leave_out(self, seconds: float) -> None:
        """Go on with the core and with what a round of so many seconds has room for."""
        for group in sorted(self.groups, key=lambda g: (not g.core, self.took.get(g, 0.0))):
            seconds -= self.took.get(group, 0.0)
            if seconds < 0 and not group.core:
                self.found.untried.setdefault(group.name, NO_TIME)
        self.groups = [g for g in self.groups if g.name not in self.found.untried]

    def _admitted(self) -> list[Group]:
        found, data = self.found, self.found.data
        most = max(2, round(SHARE * data.n_points))
        found.n_drawn = most
        offered = groups(data, most)
        while self._core(offered) > FOR_CORE * self.left and found.n_drawn > LEAST:
            found.n_drawn = max(LEAST, round(0.7 * found.n_drawn))
            offered = groups(data, found.n_drawn)
        found.n_drawn = len(draw_points(data, found.n_drawn, 0))
        self.offered = offered
        admitted, sum_of = [], self._core(offered)
        for group in offered:
            why = fits(data, group.candidates[0].method)
            if not group.core and not why:
                cost = FEW * group.seconds
                if math.isnan(cost) or sum_of + cost > FOR_FIRST * self.left:
                    why = NO_TIME
                else:
                    sum_of += cost
            if why:
                found.untried[group.name] = why
            else:
                admitted.append(group)
        return admitted

    def _core(self, offered: list[Group]) -> float:
        return FEW * sum(g.seconds for g in offered if g.core and not math.isnan(g.seconds))

    def _round(self, taking_part: list[Group], draw: int, until: float = math.inf) -> None:
        end = self.spent + until
        for group in taking_part:
            if self.spent > end and not group.core:
                self.found.untried.setdefault(group.name, NO_TIME)
            self._try(group, draw)
        self.found.rounds = draw + 1

    def _try(self, group: Group, draw: int) -> None:
        """One draw of a group; what cannot be computed is left out from then on."""
        found, begun = self.found, self.now()
        if group.name in found.untried:
            return
        points = draw_points(found.data, found.n_drawn, draw)
        part, keep = part_of(found.data, points), keep_everything()
        for candidate in group.candidates:
            try:
                found.trials.append(self._trial(candidate, part, points, draw, keep))
            except (ValueError, MemoryError) as problem:
                found.untried[group.name] = str(problem) or "there is not enough memory"
                return
        self.took[group] = self.now() - begun

    def _trial(
        self,
        candidate: Candidate,
        part: Dataset,
        points: NDArray[np.int64],
        draw: int,
        keep: Keep | None,
    ) -> Trial:
        k, begun, truth = self.found.n_clusters, time.perf_counter(), part.labels
        settings = candidate.settings(k, seed=draw)
        if settings is None:
            how: dict[str, Any] = {"random_state": draw, **dict(candidate.params)}
            cluster = BASELINES[candidate.method].cluster
            got = watched(lambda tell: cluster(part.X, k, progress=tell, **how), self.clock)
            labels, message = got.labels, got.message
            took = time.perf_counter() - begun
        else:
            run = run_stages(
                part, settings, only_dense=True, keep=keep, report=lambda title: self.clock
            )
            labels = run.after.labels
            message = run.sparse.message or run.after.spectrum.message
            took = sum(run.seconds.values())  # W's time counts in each of its stages
        acc = None if truth is None else clustering_accuracy(truth, labels)
        shared = None if truth is None else nmi(truth, labels)
        astray = self._astray(part, labels) if truth is None else None
        return Trial(candidate, draw, points, labels, acc, shared, took, message, astray)

    def _astray(self, part: Dataset, labels: NDArray[np.int64]) -> float:
        """The share of points that lie nearer to another found cluster's subspace than their own's.

        Their products are kept for the other candidates on the same draw.
        """
        if part.digest not in self.products:
            self.products = {part.digest: watched(lambda tell: some_products(part.X), self.clock)}
        some, gram = self.products[part.digest]
        return watched(lambda tell: subspace_distance(gram, labels[some])[1], self.clock)

    def further_draws(self) -> None:
        """More draws of the core and of what leads, as many of these as the time allows."""
        for draw in range(FEW, MOST):
            room = self.left - self._for_whole()
            leading = {c: place for place, c in enumerate(self.lead(self.found))}
            core = [g for g in self.groups if g.core]
            others = [g for g in self.groups if not g.core and leading.keys() & {*g.candidates}]
            others.sort(key=lambda g: min(leading[c] for c in g.candidates if c in leading))
            taking_part = []
            for group in [*core, *others]:
                room -= SLOWER * self.took.get(group, 0.0)
                if room > 0:
                    taking_part.append(group)
            if len(taking_part) < len(core) + bool(others):
                return
            self._round(taking_part, draw)

    def _for_whole(self) -> float:
        """Seconds that the run on all points may take, by what it took on a draw."""
        if not (best := self.lead(self.found)):
            return 0.0
        growth = (self.found.data.n_points / self.found.n_drawn) ** 2
        took = [t.seconds for t in self.found.trials if t.candidate == best[0]]
        wanted = SLOWER * growth * float(np.mean(took)) + FOR_END * self.found.budget
        return min(wanted, FOR_WHOLE * self.found.budget)

    def whole(self) -> None:
        """The leading candidate on all points."""
        data, best = self.found.data, self.lead(self.found)
        self.end = self.found.budget
        if not best:
            return
        with suppress(ValueError, MemoryError):  # it worked on fewer points
            self.found.whole = self._trial(best[0], data, np.arange(data.n_points), 0, None)
