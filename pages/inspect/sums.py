"""What densification did, in sums: conditions, clusters, and Q beside the paper's prediction."""

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.shared.groups import conditions, groups, lowers
from pages.shared.run import causes, patiently, run_key
from pages.shared.tables import html_table
from pages.shared.text import number
from sdsc_core import Analysis, analyse, cut_vol, figures, ncut, tally
from sdsc_core.blocks import Progress
from sdsc_core.run import Run

HARDLY = 0.25  # cut "hardly" grows where it grows by at most this part of what vol grows by

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def measured(run: Run) -> tuple[Analysis, Pair, Pair]:
    """η, ζ, k, τ, Q of eq. 9–13; vol and cut of each cluster, in W and W*."""
    by = groups(run)

    def work(tell: Progress | None) -> tuple[Analysis, Pair, Pair]:
        (cut, vol), (cut_s, vol_s) = (cut_vol(s.W, by.of) for s in (run.before, run.after))
        return analyse(run.before.W, run.after.W, by.of), (vol, vol_s), (cut, cut_s)

    return patiently("Adding up vol and cut", ("sums", run_key(run), by.one), work)


def verdict(a: Analysis, vol: Pair, cut: Pair, many: str) -> str:
    """Whether vol grows and cut hardly does, as the paper argues for PCE, in a sentence or two."""
    if a.eta1_star == a.eta1 and a.eta2_star == a.eta2:
        return "The dense stage raised nothing, so the paper's argument cannot be judged here."
    better = int((cut[1] * vol[0] < cut[0] * vol[1]).sum())
    where = f"The ratio of cut to vol falls in {better} of {len(vol[0])} {many}."
    if not a.eta1 or not a.eta2:
        return (
            f"Similarity inside the {many} (vol) goes from {a.eta1:.2f} to {a.eta1_star:.2f},"
            f" between them (cut) from {a.eta2:.2f} to {a.eta2_star:.2f}, so **the paper's argument"
            f" {'holds' if not a.eta2_star else 'fails'} here**: cut "
            + ("stays 0." if not a.eta2_star else "appears where there was none.")
        )
    vol_by, cut_by = a.eta1_star / a.eta1 - 1, a.eta2_star / a.eta2 - 1
    grows = (
        f"Similarity inside the {many} (vol) grows by {vol_by:.0%}, between them (cut) by"
        f" {cut_by:.0%}"
    )
    if a.q >= 1:
        return (
            f"{grows}: **the paper's argument fails here**, that vol grows and cut hardly does."
            f" Ncut (eq. 9) rises to {a.q:.2f} times what it was (Q). {where}"
        )
    if cut_by > HARDLY * vol_by:
        return (
            f"{grows}: **the paper's argument holds in part**. Cut grows less than vol, so Ncut"
            f" (eq. 9) falls to {a.q:.2f} of what it was (Q), but cut does not “hardly” grow."
            f" {where}"
        )
    return (
        f"{grows}: **the paper's argument holds** that vol grows and cut hardly does, so Ncut"
        f" (eq. 9) falls to {a.q:.2f} of what it was (Q). {where}"
    )


def ratio_verdict(a: Analysis, vol: Pair, cut: Pair, many: str) -> str:
    """What a stage that also lowers similarities does to cut over vol, in a sentence or two."""
    if a.eta1_star == a.eta1 and a.eta2_star == a.eta2:
        return "The dense stage changed nothing."
    sums = (
        f"Similarity inside the {many} (vol) goes from {a.eta1:.2f} to {a.eta1_star:.2f}, between"
        f" them (cut) from {a.eta2:.2f} to {a.eta2_star:.2f}"
    )
    better = int((cut[1] * vol[0] < cut[0] * vol[1]).sum())
    where = f"The ratio of cut to vol falls in {better} of {len(vol[0])} {many}."
    note = " The paper's argument, that vol grows and cut hardly does, is not about such a stage."
    if np.isnan(a.q):
        return f"{sums}. {where}{note}"
    turn = "falls" if a.q < 1 else "rises"
    return (
        f"{sums}; their ratio, Ncut (eq. 9), {turn} to {a.q:.2f} of what it was (Q). {where}{note}"
    )


VERDICT_HELP = (
    "The paper's argument: the dense stage adds much similarity inside the subspaces (vol, eq. 7)"
    " and hardly any between them (cut, eq. 6), so Ncut, eq. 8, falls. We say “holds” where cut"
    f" grows by at most {HARDLY:.0%} of what vol grows by, “in part” where it grows less than vol."
)


def by_condition(run: Run) -> None:
    """Raised and new pairs inside and between, and the precision, for each condition."""
    by, known = groups(run), conditions(run)
    counts = tally(causes(run), by.of, tuple(known))
    what = "changed" if lowers(run) else "raised"
    st.markdown(f"**{what.capitalize()} pairs by cause** (each pair counted once, by {by.many})")
    rows: dict[str, tuple[int, ...]] = {
        known[t.condition]: (t.inside, t.between, t.new_inside, t.new_between) for t in counts
    }
    if len(rows) > 1:
        rows["all"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    lines = [
        [name, *map(number, n), f"{n[0] / (n[0] + n[1]):.1%}" if n[0] + n[1] else "–"]
        for name, n in rows.items()
    ]
    share = "share inside" if lowers(run) else "precision"
    head = ["cause", f"{what} inside", f"{what} between", "new inside", "new between", share]
    html_table(head, lines, f"{what.capitalize()} pairs by cause")
    st.caption(
        f"New: w was 0 before. {share.capitalize()}: the share of {what} pairs inside a {by.one}."
        + " To lower a pair inside harms, to lower one between helps." * lowers(run)
    )


def growth(run: Run, vol: Pair, cut: Pair) -> None:
    """vol and cut of each cluster as bars."""
    by = groups(run)
    figure = figures.growth(by.names, vol, cut)
    figure.update_layout(
        title=f"vol and cut of each {by.one}",
        xaxis_title=by.one,
    )
    st.plotly_chart(
        figure, key="growth",
        alt=f"vol grows from {vol[0].sum():.1f} to {vol[1].sum():.1f} and cut from"
        f" {cut[0].sum():.1f} to {cut[1].sum():.1f} over all {by.many}.",
    )  # fmt: skip


def by_cluster(run: Run, vol: Pair, cut: Pair) -> None:
    """vol and cut of each cluster before and after."""
    by = groups(run)
    names = [str(n) for n in by.names]
    with np.errstate(divide="ignore", invalid="ignore"):
        grows = [100 * (after / before - 1) for before, after in (vol, cut)]
        ratios = [c / v for c, v in zip(cut, vol, strict=True)]
    frame = pd.DataFrame(
        {
            by.one: names, "vol in W": vol[0], "vol in W*": vol[1], "vol grows, %": grows[0],
            "cut in W": cut[0], "cut in W*": cut[1], "cut grows, %": grows[1],
            "cut/vol in W": ratios[0], "cut/vol in W*": ratios[1],
        }
    )  # fmt: skip
    digits = dict.fromkeys([c for c in frame if "%" in c], "%.0f") | dict.fromkeys(
        [c for c in frame if "/" in c], "%.4f"
    )
    st.dataframe(
        frame, hide_index=True, key="per cluster", height=min(38 * (len(frame) + 1), 420),
        column_config={
            c: st.column_config.NumberColumn(format=digits.get(c, "%.2f"))
            for c in frame.columns[1:]
        },
        alt=f"vol and cut of each {by.one} in W and W*.",
    )  # fmt: skip


def prediction(run: Run, a: Analysis) -> None:
    """Ncut and Q measured beside eq. 13, and the quantities behind the prediction."""
    by = groups(run)
    st.markdown("**Measured, beside what eq. 9–13 say**")
    eq8 = [number(ncut(s.W, by.of)) for s in (run.before, run.after)]
    html_table(
        ["", "in W", "in W*"],
        [
            ["Ncut, eq. 8: sum of cut/vol over clusters", *eq8],
            [
                "Ncut, eq. 9: η₂/η₁, all between over all inside",
                number(a.ncut),
                number(a.ncut_star),
            ],
            ["η₁, similarity inside", number(a.eta1, 2), number(a.eta1_star, 2)],
            ["η₂, similarity between", number(a.eta2, 2), number(a.eta2_star, 2)],
        ],
        "Ncut in W and W*",
    )
    if lowers(run):
        st.caption("Eq. 13 predicts Q for stages that only add similarity; it says nothing here.")
        return
    whole = a.n * a.k * a.k
    html_table(
        ["", "predicted", "measured"],
        [
            ["Q = Ncut*/Ncut (eq. 9, 11), predicted by eq. 13 with τ = 0",
             number(a.q_predicted_no_tau), number(a.q)],
            ["the same, eq. 13 with τ as measured", number(a.q_predicted), number(a.q)],
            ["Nonzeros of W*: Nk² with τ = 0", number(whole, 0), number(whole - a.tau, 0)],
            ["Nonzeros between in W*: ζ(k − 1)",
             number(a.zeta * (a.k - 1), 0), number(a.zeta_star)],
        ],
        "Predictions of eq. 9 to 13",
    )  # fmt: skip
    html_table(
        ["", "here"],
        [
            ["N, points", number(a.n)],
            ["k, nonzeros of W for each point, on average", number(a.k, 2)],
            [f"ζ, nonzeros of W between {by.many}, each pair twice", number(a.zeta)],
            ["τ, nonzeros that W* lacks of Nk²", number(a.tau, 0)],
        ],
        "Quantities of eq. 13",
    )
    st.caption(_reading(a))


def _reading(a: Analysis) -> str:
    if np.isnan(a.q):
        return "Without similarity between clusters Q is 0/0 and says nothing."
    out = [
        "Eq. 13 counts entries: it takes their mean value for unchanged, and ζ for much smaller"
        f" than N (here ζ/N = {a.zeta / a.n:.2f})."
    ]
    if a.tau > 0.05 * a.n * a.k**2:
        out.append(
            f"The paper finds τ to be 0; here {a.tau / (a.n * a.k**2):.0%} of the Nk² entries are"
            " missing, since many two-hop paths end in the same pair or are too weak for a rule."
        )
    if a.tau < 0:
        out.append("τ is negative, as points with many links have more than k² two-hop paths.")
    near = abs(a.q_predicted_no_tau - a.q) <= 0.1 * a.q
    out.append("The prediction with τ = 0 is within a tenth." if near else "So it misses here.")
    return " ".join(out)
