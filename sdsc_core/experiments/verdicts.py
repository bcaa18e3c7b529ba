"""What the paper claims, and what our results say of it: a verdict by a stated rule.

A claim is taken apart into statements that a result file can settle. It holds where all of them
do, does not hold where none does, and holds in part otherwise. A difference counts where it is more
than two standard errors of the draws, which are compared one by one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdsc_core.experiments import printed
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.tables import PAPERS

HOLDS, IN_PART, FAILS, UNKNOWN = "holds", "holds in part", "does not hold", "not measured"
TWO_STAGE = tuple(m for m in PAPERS if m not in ("SSSC", "IMC"))
MORE_INSIDE, LITTLE_BETWEEN = 2.0, 0.1  # times as many entries inside; share of new ones between
ABOUT_ZERO = 0.05  # of Nk²
LARGE = 6000  # points from which the paper sees IMC ahead
ALMOST_LINEAR = 1.5  # power of N
Rows = dict[str, Sequence[Row]]


@dataclass(frozen=True)
class Statement:
    """One thing that a result file settles; ``true`` is None where it does not have it."""

    text: str
    true: bool | None


@dataclass(frozen=True)
class Claim:
    """A claim in the paper's words, the rule of its verdict, and what the results say."""

    title: str
    quote: str
    rule: str
    statements: tuple[Statement, ...]

    @property
    def verdict(self) -> str:
        """By the statements that are settled.

        >>> Claim("", "", "", (Statement("a", True), Statement("b", None))).verdict
        'holds'
        """
        known = [s.true for s in self.statements if s.true is not None]
        if not known:
            return UNKNOWN
        return HOLDS if all(known) else IN_PART if any(known) else FAILS

    @property
    def n_missing(self) -> int:
        return sum(s.true is None for s in self.statements)


def claims(results: Rows) -> list[Claim]:
    """All claims of the abstract and the contributions; ``results`` are rows by experiment."""
    return [make(results) for make in (
        _scales, _more_accurate, _densifies, _pce_improves, _d3_universal, _q_below_one, _tau_zero
    )]  # fmt: skip


def _values(rows: Iterable[Row], figure: str, **where: object) -> dict[int, float]:
    """A figure by draw, of rows with these attributes."""
    found = {}
    for row in rows:
        value = row.figures.get(figure)
        if value is not None and all(getattr(row, k) == v for k, v in where.items()):
            found[row.draw] = value
    return found


def _gain(after: dict[int, float], before: dict[int, float], scale: float = 100) -> Mean | None:
    """The mean difference over the draws that both have; None where one draw is all there is."""
    both = sorted(after.keys() & before.keys())
    return Mean.of([after[d] - before[d] for d in both], scale) if len(both) > 1 else None


def _mean(values: dict[int, float]) -> float:
    return float(np.mean(list(values.values())))


def _gain_text(gain: Mean | None) -> str:
    return "not measured" if gain is None else f"{gain.value:+.1f} ± {gain.error:.1f} points"


def _scales(results: Rows) -> Claim:
    rows = results.get("figure1", ())
    statements = []
    for method, (size, factor) in printed.FASTER.items():
        slow, fast = (_values(rows, "seconds", where=size, method=m, stage="none")
                      for m in (method, "IMC"))  # fmt: skip
        ratio = _mean(slow) / _mean(fast) if slow and fast else None
        statements.append(Statement(
            f"IMC is {factor:,.0f} times as fast as {method} at {size:,} points: "
            + ("not measured" if ratio is None else f"{ratio:,.1f} times"),
            None if ratio is None else ratio >= factor,
        ))  # fmt: skip
    times = {
        size: _mean(found)
        for size in sorted({int(r.where) for r in rows})
        if (found := _values(rows, "seconds", where=size, method="IMC", stage="none"))
    }
    large = max(times, default=0)
    ended = large >= 100_002 if times else None
    said = [f"{n:,} in {times[n]:,.1f} s" for n in dict.fromkeys((100_002, large)) if n in times]
    statements.append(Statement(
        f"IMC clusters 100,002 points: {', '.join(said) or 'not measured'}", ended
    ))  # fmt: skip
    power = _power({n: t for n, t in times.items() if n >= 3000})
    statements.append(Statement(
        f"its time grows by less than N^{ALMOST_LINEAR} from 3,000 points on: "
        + ("not measured" if power is None else f"N^{power:.2f}"),
        None if power is None else power < ALMOST_LINEAR,
    ))  # fmt: skip
    rivals = {
        m: max((int(r.where) for r in rows if r.method == m and r.figures), default=0)
        for m in dict.fromkeys(r.method for r in rows)
        if m != "IMC"
    }
    left_out = {r.method for r in rows if r.message and not r.figures}  # for their time
    short = [m for m, n in rivals.items() if n < 100_002]
    beaten = [m for m in short if m in left_out]
    most = (
        None if 2 * len(beaten) <= len(rivals) < 2 * len(short) else 2 * len(beaten) > len(rivals)
    )
    statements.append(Statement(
        "most other methods do not get to 100,002 points: "
        + (f"{len(beaten)} of {len(rivals)}, " if rivals else "not measured")
        + ", ".join(f"{m} to {n:,}" for m, n in rivals.items()),
        most if rivals else None,
    ))  # fmt: skip
    return Claim(
        "IMC is efficient and scales",
        "IMC is efficient when clustering large-scale data: 3 orders of magnitude faster than SSC"
        " at 6,000 points and 4 orders faster than SSSC at 1,200.",
        "Figure 1: mean CPU time of the whole run, from samples to figures, on one machine.",
        tuple(statements),
    )


def _power(times: dict[int, float]) -> float | None:
    """The slope of log time over log N."""
    if len(times) < 2:
        return None
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def _more_accurate(results: Rows) -> Claim:
    statements = []
    faces = results.get("table2", ())
    for size in (2, 5, 10, 15, 20):
        statements.append(_ahead(faces, size, "IMC-P", f"{size} subjects",
                                 [m for m in PAPERS if m != "IMC"]))  # fmt: skip
    for size in (500, 1000, 2000, 3000):
        rows = results.get("table3", ())
        statements.append(_ahead(rows, size, "IMC", f"USPS, {size:,} samples", TWO_STAGE))
    rows = results.get("figure1", ())
    for size in sorted({int(r.where) for r in rows if LARGE <= int(r.where) <= 100_002}):
        rivals = [m for m in ("OMP", "ENSC", "LSR", "SSC", "BDR", "SSSC")
                  if _values(rows, "acc", where=size, method=m)]  # fmt: skip
        if rivals:
            statements.append(_ahead(rows, size, "IMC", f"synthetic, {size:,} points", rivals))
    return Claim(
        "IMC is more accurate",
        "IMC and IMC-P outperform other methods.",
        "Mean ACC not below that of the best other method by more than two standard errors, draw"
        " by draw: IMC-P in Table 2, IMC among two-stage methods in Table 3 and, from 6,000 points"
        " on, in Figure 1.",
        tuple(statements),
    )


def _ahead(
    rows: Sequence[Row], size: int, name: str, where: str, rivals: Sequence[str]
) -> Statement:
    own = _values(rows, "acc", where=size, name=name)
    others = {m: found for m in rivals
              if (found := _values(rows, "acc", where=size, method=m, stage="none"))}  # fmt: skip
    if not own or not others:
        return Statement(f"{where}: not measured", None)
    best = max(others, key=lambda m: _mean(others[m]))
    gain = _gain(own, others[best])
    text = f"{where}: {name} {100 * _mean(own):.1f}, {best} {100 * _mean(others[best]):.1f}"
    return Statement(text, None if gain is None else gain.value >= 0 or gain.sign == 0)


def _densifies(results: Rows) -> Claim:
    rows = results.get("figure4", ())
    counts = {name: _values(rows, name) for name in
              ("inside", "inside_star", "between", "between_star")}  # fmt: skip
    statements = [Statement("six subjects of Extended Yale B: not measured", None)]
    if all(counts.values()):
        inside, inside_star, between, between_star = (_mean(v) for v in counts.values())
        new = (inside_star - inside) + (between_star - between)
        share = (between_star - between) / new if new else 0.0
        statements = [
            Statement(
                f"entries inside classes become {MORE_INSIDE:g} times as many or more:"
                f" {inside:,.0f} to {inside_star:,.0f}, {inside_star / inside:.1f} times",
                inside_star >= MORE_INSIDE * inside,
            ),
            Statement(
                f"at most {100 * LITTLE_BETWEEN:.0f} % of the new entries lie between classes:"
                f" {100 * share:.1f} %, {between:,.0f} to {between_star:,.0f}",
                share <= LITTLE_BETWEEN,
            ),
        ]
    return Claim(
        "PCE densifies inside, and hardly between",
        "After PCE we gain denser intra-subspace similarity, while the number of inter-subspace"
        " elements increases little.",
        "Figure 4: mean number of entries of W and W* inside and between the true classes.",
        tuple(statements),
    )


def _pce_improves(results: Rows) -> Claim:
    places = [
        *(("table2", n, f"{n} subjects") for n in (2, 5, 10, 15, 20)),
        *(("table3", n, f"USPS, {n:,} samples") for n in (500, 1000, 2000, 3000)),
        ("table4", 500, "MNIST, 500 samples"),
    ]
    statements = []
    for name, size, where in places:
        rows = results.get(name, ())
        before, after = (_values(rows, "acc", where=size, method="IMC", stage=s)
                         for s in ("none", "PCE"))  # fmt: skip
        gain = _gain(after, before)
        statements.append(
            Statement(f"{where}: {_gain_text(gain)}", None if gain is None else gain.sign > 0)
        )
    return Claim(
        "PCE improves ACC",
        "PCE ensures better performance for IMC.",
        "ACC of IMC-P above that of IMC by more than two standard errors, draw by draw.",
        tuple(statements),
    )


def _d3_universal(results: Rows) -> Claim:
    statements = []
    for name, title, sizes in (("table3", "USPS", (500, 1000, 2000, 3000)),
                               ("table4", "MNIST", (500,))):  # fmt: skip
        rows = results.get(name, ())
        for method in TWO_STAGE:
            gains = {}
            for n in sizes:
                after, before = (_values(rows, "acc", where=n, method=method, stage=s)
                                 for s in ("D3", "none"))  # fmt: skip
                if (gain := _gain(after, before)) is not None:
                    gains[n] = gain
            texts = ", ".join(f"{_gain_text(g)} at {n:,}" for n, g in gains.items())
            true = all(g.sign > 0 for g in gains.values()) if gains else None
            statements.append(Statement(f"{title}, {method}: {texts or 'not measured'}", true))
    return Claim(
        "D3 is universal",
        "SDSC is a universal framework that can be applied on current two-stage methods to get"
        " better performance.",
        "ACC with D3 above that without a dense stage by more than two standard errors, draw by"
        " draw, for each of the six two-stage methods at every size that was measured.",
        tuple(statements),
    )


def _of_sets(results: Rows, figure: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in results.get("qratio", ()):
        if (value := row.figures.get(figure)) is not None:
            found.setdefault(str(row.where), []).append(value)
    return found


def _q_below_one(results: Rows) -> Claim:
    return Claim(
        "Q < 1",
        "The ratio is smaller than 1, i.e. Ncut* < Ncut.",
        "Eq. 11 as measured, by the true classes: the mean of Q below 1 by more than two standard"
        " errors.",
        _settled(
            _of_sets(results, "q"),
            lambda values: (
                f"{np.mean(values):.3f}, below 1 in {sum(v < 1 for v in values)} of"
                f" {len(values)} draws"
            ),
            lambda values: Mean.of([v - 1 for v in values], 1).sign < 0,
        ),
    )


def _tau_zero(results: Rows) -> Claim:
    return Claim(
        "τ is about zero",
        "Actually τ is usually zero in real experiments.",
        f"τ of eq. 10, Nk² less the entries of W*, at most {100 * ABOUT_ZERO:.0f} % of Nk² in the"
        " mean, either way.",
        _settled(
            _of_sets(results, "tau_share"),
            lambda values: f"{100 * np.mean(values):.0f} % of Nk²",
            lambda values: abs(float(np.mean(values))) <= ABOUT_ZERO,
        ),
    )


def _settled(
    found: dict[str, list[float]],
    said: Callable[[list[float]], str],
    true: Callable[[list[float]], bool],
) -> tuple[Statement, ...]:
    if not found:
        return (Statement("not measured", None),)
    return tuple(Statement(f"{name}: {said(v)}", bool(true(v))) for name, v in found.items())
