"""From trials to a verdict: means, paired differences, and which of them exceed the spread."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdsc_core.verdict.candidates import FLOOR, GRAPH, OURS, Candidate
from sdsc_core.verdict.trying import FEW, Findings, Trial

LEVEL = 0.95  # of the interval that a difference must leave to exceed the spread

Scores = Mapping[int, float]  # by the draw


@dataclass(frozen=True)
class Difference:
    """A candidate's score minus another's, over the draws that both have.

    ``exceeds`` says whether it is more than ``spread``, the half-width of its 95 % interval;
    None where fewer than three draws, or draws of the same points, say nothing.
    """

    mean: float
    spread: float
    draws: int
    exceeds: bool | None


@dataclass(frozen=True)
class Row:
    """One candidate: its score over the draws, and the difference from the best one's.

    ``astray`` is known without classes: the share of points that lie nearer to the subspace of
    another found cluster than to that of their own.
    """

    candidate: Candidate
    draws: int
    mean: float
    std: float
    nmi: float | None
    seconds: float
    behind: Difference
    astray: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What the trials say; the best row first. ``stability`` is that of the best one's clusters."""

    findings: Findings
    rows: tuple[Row, ...]
    scores: Mapping[Candidate, Scores]
    stability: float

    @property
    def best(self) -> Row | None:
        return self.rows[0] if self.rows else None

    @property
    def measure(self) -> str:
        """What the candidates are judged by."""
        if self.findings.labelled:
            return "ACC"
        return "stability" if self.best is None or self.best.astray is None else "consistency"

    def row(self, candidate: Candidate) -> Row | None:
        """The row of a candidate, if it was tried."""
        return next((r for r in self.rows if r.candidate == candidate), None)

    def best_of(self, method: str, plain: bool = False) -> Row | None:
        """The best row of a method, with or without a dense stage."""
        for r in self.rows:
            if r.candidate.method == method and not (plain and r.candidate.dense != "none"):
                return r
        return None

    @property
    def floor(self) -> Row | None:
        """k-means."""
        return self.best_of(FLOOR)

    @property
    def graph(self) -> Row | None:
        """The best plain graph of nearest neighbours."""
        return self.best_of(GRAPH, plain=True)

    @property
    def ours(self) -> Row | None:
        """The best of IMC, with or without a dense stage."""
        return self.best_of(OURS)

    def minus(self, one: Candidate, other: Candidate) -> Difference:
        """The paired difference of two candidates."""
        return difference(self.scores[one], self.scores[other], _ratio(self.findings))

    @property
    def tied(self) -> list[Row]:
        """Those behind the best by no more than the spread."""
        return [r for r in self.rows[1:] if r.behind.exceeds is False]


def difference(one: Scores, other: Scores, ratio: float = 0.0) -> Difference:
    """The mean of one score minus another over the draws that both have, and its spread.

    The spread is t_{0.975, R−1} · s · √(1/R + ratio), the half-width of the interval of the
    corrected resampled t-test (Nadeau and Bengio, Inference for the generalization error, 2003): s
    is the standard deviation of the R paired differences. Draws that share points vary less than
    new data would; their correlation is taken to be the share ρ of points that two draws have in
    common, and ``ratio`` is ρ / (1 − ρ), for draws of n of N points n / (N − n); infinite where
    every draw has all of them, which tells nothing of other points.

    >>> difference({0: 0.9, 1: 0.8, 2: 0.9}, {0: 0.5, 1: 0.4, 2: 0.5, 3: 0.0}).exceeds
    True
    >>> difference({0: 0.9, 1: 0.8}, {0: 0.5, 1: 0.4}).exceeds is None
    True
    """
    from scipy.stats import t as student  # which takes long to import

    both = sorted(one.keys() & other.keys())
    values = np.array([one[d] - other[d] for d in both])
    if len(values) == 0:
        return Difference(math.nan, math.nan, 0, None)
    mean = float(values.mean())
    if len(values) < FEW or math.isinf(ratio):
        return Difference(mean, math.nan, len(values), None)
    deviation = float(values.std(ddof=1))
    quantile = float(student.ppf((1 + LEVEL) / 2, len(values) - 1))
    spread = 0.0 if deviation < 1e-12 else quantile * deviation * math.sqrt(1 / len(both) + ratio)
    return Difference(mean, spread, len(values), abs(mean) > max(spread, 1e-12))


def judge(findings: Findings) -> Verdict:
    """What the trials so far say; of equal candidates the one that was tried first leads.

    >>> from sdsc_core.datasets import make_subspaces
    >>> judge(Findings(make_subspaces(2, 2, 10, 10), 60)).best is None
    True
    """
    # A draw that not all could take part in tells nothing fair, once there is another.
    draws = findings.rounds or math.inf
    by: dict[Candidate, list[Trial]] = {}
    for trial in findings.trials:
        if trial.draw < draws:
            by.setdefault(trial.candidate, []).append(trial)
    found = {c: _scores(trials, findings) for c, trials in by.items()}
    scores = {c: own for c, own in found.items() if own}
    most = max(map(len, scores.values()), default=0)
    # Who was left out of later draws was behind by then, whatever the mean of its fewer draws.
    order = sorted(scores, key=lambda c: (len(scores[c]) < most, -round(_mean(scores[c]), 9)))
    ratio = _ratio(findings)
    rows = [_row(by[c], scores[c], difference(scores[c], scores[order[0]], ratio)) for c in order]
    stable = _mean(stability(by[order[0]])) if order else math.nan
    return Verdict(findings, tuple(rows), scores, stable)


def lead(findings: Findings) -> list[Candidate]:
    """The best candidate and those that are not clearly behind it, the best first."""
    return [row.candidate for row in judge(findings).rows if row.behind.exceeds is not True]


def _mean(own: Scores) -> float:
    return float(np.mean(list(own.values()))) if own else math.nan


def _row(trials: list[Trial], own: Scores, behind: Difference) -> Row:
    values = np.array(list(own.values()))
    shared = [trial.nmi for trial in trials if trial.nmi is not None]
    astray = [trial.astray for trial in trials if trial.astray is not None]
    return Row(
        trials[0].candidate,
        len(values),
        float(values.mean()),
        float(values.std()),
        float(np.mean(shared)) if shared else None,
        float(np.mean([trial.seconds for trial in trials])),
        behind,
        float(np.mean(astray)) if astray else None,
    )


def _scores(trials: list[Trial], findings: Findings) -> dict[int, float]:
    """ACC of each draw; without classes the mean of two shares.

    How well its clusters agree with the other draws', and how many points lie nearest to the
    subspace of their own cluster. By the first alone k-means won on faces, stable and wrong: see
    `sdsc_core.experiments.hidden`.
    """
    if findings.labelled:
        return {trial.draw: trial.acc for trial in trials if trial.acc is not None}
    stable = stability(trials)
    return {
        t.draw: stable[t.draw] if t.astray is None else (stable[t.draw] + 1.0 - t.astray) / 2
        for t in trials
        if t.draw in stable
    }


def stability(trials: Sequence[Trial]) -> dict[int, float]:
    """For each draw the mean agreement of its clusters with those of the other draws.

    The adjusted Rand index on the points that two draws share; draws differ in their points and in
    their seeds. Draws that share too few points with all others are left out.
    """
    pairs: dict[int, list[float]] = {}
    for i, one in enumerate(trials):
        for other in trials[i + 1 :]:
            value = _agreement(one, other)
            if value is not None:
                pairs.setdefault(one.draw, []).append(value)
                pairs.setdefault(other.draw, []).append(value)
    return {draw: float(np.mean(values)) for draw, values in pairs.items()}


def _agreement(one: Trial, other: Trial) -> float | None:
    """The adjusted Rand index (Hubert and Arabie, 1985) on the points that two draws share."""
    from sklearn.metrics import adjusted_rand_score  # which takes long to import

    _, a, b = np.intersect1d(one.points, other.points, assume_unique=True, return_indices=True)
    return None if len(a) < 2 else float(adjusted_rand_score(one.labels[a], other.labels[b]))


def _ratio(findings: Findings) -> float:
    """What `difference` calls so, for draws of some of the points."""
    rest = findings.data.n_points - findings.n_drawn
    return findings.n_drawn / rest if rest > 0 else math.inf
