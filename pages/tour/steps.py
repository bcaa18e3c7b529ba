"""The seven steps of the tour, each an equation of the paper and a state of the Explore screen.

The figures in the text are those of the run on the screen, so they stay true when somebody moves a
slider in the middle of a step.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from pages.inspect import sums
from pages.shared.groups import conditions, groups
from pages.shared.run import causes
from pages.shared.settings import METHOD, PREPARE, defaults
from pages.shared.text import escape_markdown
from sdsc_core import preserving_error, tally
from sdsc_core.dense import DISTANCES
from sdsc_core.run import Run

STATE = (
    *METHOD, *PREPARE, "data", "clusters", "k", "order", "view", "colour", "dims", "paint", "point",
    "pair",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """What is explained, by which part of the paper, and on which settings."""

    title: str
    source: str
    formula: str
    text: Callable[[Run], str]
    look_at: str
    attempt: str
    shows: str = "matrices"  # the part of Explore that it speaks of, which comes first
    values: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        return defaults(*STATE) | self.values


def _point(run: Run) -> int:
    """The marked point, or the first where none is, or one that other data had."""
    at: int = st.session_state.point
    return at if 0 <= at < run.data.n_points else 0


def _things(run: Run) -> tuple[str, str, str, str]:
    """What a point is, several of them, what a class is, and several of them, for this data."""
    if run.data.kind == "faces":
        return "picture", "pictures", "person", "people"
    return "point", "points", "class", "classes"


def _expression(run: Run) -> str:
    data, at = run.data, _point(run)
    one, many, kind, kinds = _things(run)
    pixels = data.images is not None and data.images[0].size == data.n_features
    of = f" of {data.n_classes} {kinds}" if data.n_classes else ""
    row = run.path.coefficients(run.settings.gamma)[[at]].toarray().ravel()
    used = np.flatnonzero(row)
    out = (
        f"**{escape_markdown(data.name)}** holds {data.n_points} {many}{of}"
        f"{' under changing light' if kind == 'person' else ''}. To the computer each is a list of"
        f" {data.n_features:,} {'grey values' if pixels else 'numbers'}, a point $x_i$; nobody told"
        f" it which belong together. The idea of *self-expression*: a {one} is nearly a weighted"
        f" sum of a few other {many} of the same {kind},"
        r" $x_i \approx \sum_j c_{ij} x_j$, or for all points at once:"
        "\n\n"
        "The weights form the matrix $C$, and whoever appears in $x_i$'s sum is probably of its"
        " kind."
    )
    if data.labels is not None:
        own = int((data.labels[used] == data.labels[at]).sum())
        name = escape_markdown(data.class_names[data.labels[at]])
        out += (
            f" Point {at} ({name}) is made of {len(used)} others;"
            f" {own} of them {'show' if kind == 'person' else 'are of'} the same {kind}."
        )
    return out


def _imc(run: Run) -> str:
    at, gamma = _point(run), run.settings.gamma
    picks, values = run.path.picks[at, :gamma], run.path.correlations[at, :gamma]
    named = ", then ".join(
        rf"{j} ($|\rho| = {v:.2f}$)" for j, v in zip(picks, values, strict=True) if j >= 0
    )
    out = (
        r"*Iterative Maximum Correlation* finds the sum greedily. Start with the whole point,"
        r" $\psi_0 = x_i$. Pick the point $x_j$ that correlates most with it, note the correlation"
        r" as $c_{ij}$, take $x_j$'s part out of $\psi$, and go on with what is left, $\Gamma$"
        f" times:\n\nFor point {at} it picks {named}."
    )
    if run.data.labels is not None:
        error = preserving_error(run.path.coefficients(gamma), run.data.labels)
        out += (
            f" Over all points {error:.1%} of the weight lands on a wrong class"
            " (*subspace-preserving error*)."
        )
    return out + " The later a pick, the less is left to go by."


def _sparse(run: Run) -> str:
    s = run.before.summary
    parts, (_, many, kind, _) = len(s.component_sizes), _things(run)
    out = (
        r"$W$ takes the larger of $|c_{ij}|$ and $|c_{ji}|$ as the link between $i$ and $j$. With"
        rf" $\Gamma = {run.settings.gamma}$ it holds {s.nonzeros:,} nonzeros, {s.density:.2%} of"
        f" all: most pairs of {many} of one {kind} have no link at all.\n\n"
    )
    if parts > 1:
        out += (
            f"The graph falls into **{parts} pieces** where there should be {run.n_clusters}."
            " Nothing tells which pieces belong together, so its connectivity, CONN, is 0"
        )
    else:
        out += f"The graph is in one piece, but hangs by threads: CONN inside is {s.conn.mean:.3f}"
    acc = "" if s.acc is None else f", and only {s.acc:.0%} of the points come out right (ACC of W)"
    return out + acc + "."


_NO_STAGE = r"No dense stage is chosen, so W\* is W; choose one to see what it changes."


def _pce(run: Run) -> str:
    changed, by = causes(run), groups(run)
    counts = tally(changed, by.of, tuple(conditions(run)))
    inside = sum(t.inside for t in counts)
    share = f", {inside / len(changed):.0%} of them inside a {by.one}" if len(changed) else ""
    each = ", ".join(f"{t.inside + t.between:,} by condition {t.condition}" for t in counts)
    here = _NO_STAGE
    if run.settings.dense:
        here = (
            f"Here {run.settings.dense} changed **{len(changed):,} pairs**{share}"
            + (f": {each}." if run.settings.dense == "PCE" else ".")
            + f" Nonzeros go from {run.before.summary.nonzeros:,} to"
            f" {run.after.summary.nonzeros:,}."
        )
    return (
        "*Piecewise Correlation Estimation* fills the gaps: if $k$ is strongly linked with $i$ and"
        r" with $j$, then $i$ and $j$ should be linked as well. Strong means above $\theta_2 ="
        rf" {run.settings.theta2:.2f}$, extremely strong above $\theta_1 ="
        rf" {run.settings.theta1:.2f}$; the three cases are the *conditions* of Definition 2."
        f"\n\n{here}"
    )


def _distances(run: Run) -> str:
    changed, by = causes(run), groups(run)
    inside = float((by.of[changed.i] == by.of[changed.j]).mean()) if len(changed) else 0.0
    three = ", ".join(f"**{rule}** ${by.distance}$" for rule, by in DISTANCES.items())
    best = " or of ".join(f"${by.worth}$" for by in DISTANCES.values())
    pairs = f"changed **{len(changed):,} pairs**, {inside:.0%} of them inside a {by.one}."
    if run.settings.dense is None:
        here = _NO_STAGE
    elif run.settings.dense in DISTANCES:
        here = (
            "There is no threshold, so every shared neighbour counts, the wrong ones too:"
            f" {run.settings.dense} {pairs}"
        )
    else:
        here = (
            "D1, D2 and D3 have no threshold, so with them every shared neighbour counts. Now"
            f" chosen is {run.settings.dense}, which {pairs}"
        )
    return (
        "For methods other than IMC the paper offers a *universal* dense stage: turn similarity"
        " into a distance, take the way over a third point where it is shorter, turn back. Three"
        f" distances: {three}. As one formula each, $w^*_{{ij}}$ is the best over $k$ of {best}."
        f"\n\n{here}"
    )


def _spectral(run: Run) -> str:
    b, a = run.before.summary, run.after.summary
    name = escape_markdown(run.data.name)
    out = (
        r"A cluster is good if much similarity stays inside (vol) and little is cut; *Ncut* adds up"
        r" cut over vol. Spectral clustering makes it small with the top eigenvectors of"
        r" $D^{-1/2} W^* D^{-1/2}$: they give each point a place, and k-means groups the places."
        " The charts *Spectral embedding* below show them for W and for W*."
        f"\n\nOn **{name}** Ncut goes from {b.ncut:.2f} (W) to {a.ncut:.2f} (W*)"
    )
    if a.acc is None or b.acc is None:
        return out + "."
    return out + f", and the share of points in the right cluster from {b.acc:.0%} to {a.acc:.0%}."


def _fails(run: Run) -> str:
    a, vol, cut = sums.measured(run)
    name = escape_markdown(run.data.name)
    out = (
        "Why should Ncut fall? The paper counts entries. With $k$ links a point, the two-hop paths"
        r" give about $Nk^2$ entries, less $\tau$ where paths meet; if only few of the links are"
        r" wrong, $\zeta \ll N$, nearly all new ones lie inside, and Ncut changes by the factor"
        "\n\n"
        rf"For **{name}** that would be {a.q_predicted_no_tau:.2f} with $\tau = 0$. But it"
        f" has {a.zeta:,} wrong entries (ζ) on {a.n} points (N), and each of them spreads. "
    )
    out += sums.verdict(a, vol, cut, groups(run).many)
    b, s = run.before.summary, run.after.summary
    if b.acc is not None and s.acc is not None:
        out += f" ACC goes from {b.acc:.1%} to {s.acc:.1%}."
    return out


STEPS = [
    Step(
        "a point is made of others",
        "eq. 1",
        r"X = XC, \quad \operatorname{diag}(C) = 0",
        _expression,
        "at the cross in W: it marks the row and the column of one point, and the dots on it are"
        " its partners. Each square on the diagonal is one class, of faces a person; most dots lie"
        " inside.",
        "clicking a dot: the cross moves to that pair. The tab *Gallery* at the bottom shows the"
        " pictures, where points are pictures.",
        values={"dense": "none", "point": 100},
    ),
    Step(
        "IMC picks one by one",
        "Algorithm 1, eq. 3",
        r"\begin{aligned} c_{ij} &= \max_j |\rho_{\psi_\gamma x_j}|, \\"
        r"\psi_{\gamma+1} &= \psi_\gamma - (\psi_\gamma \cdot x_j)\, x_j \end{aligned}",
        _imc,
        "at how few dots lie outside the squares: the first picks are nearly always right, later"
        " ones less often.",
        "Γ in the sidebar, from 1 to 20. More picks: more links, and more of them wrong. The screen"
        " *Step through* shows the picks of a point in slow motion.",
        values={"gamma": 3, "dense": "none", "point": 100},
    ),
    Step(
        "why W is too sparse",
        "eq. 5 and CONN",
        r"W = \max(|C|, |C^\top|)",
        _sparse,
        "at how empty the squares are. The figures below the matrices have CONN, the table further"
        " down the *Components* too.",
        "raising Γ until the graph is in one piece, then see what it costs: dots outside the"
        " squares.",
        values={"gamma": 1, "dense": "none"},
    ),
    Step(
        "PCE fills the gaps",
        "Definitions 1 and 2, Algorithm 2",
        r"w^*_{ij} = \begin{cases}\frac12(w_{ik}+w_{kj}) & 1)\\ \min(w_{ik},w_{kj}) & 2)\\"
        r"\frac12\max(w_{ik},w_{kj}) & 3)\end{cases}",
        _pce,
        "at the first matrix: raised entries in the colour of their condition, in full where they"
        " join two classes and are wrong, pale inside a class. The second one is W*.",
        "θ₁ and θ₂: lower, and more is filled, right and wrong. The screen *Inspect* lists every"
        " raised entry with its reason.",
        values={"view": "change"},
    ),
    Step(
        "D1, D2, D3: a dense stage for any method",
        "Algorithm 4, Table 1",
        r"d^*_{ij} = \min(d_{ij},\; d_{ik} + d_{kj})",
        _distances,
        "at the full colours outside the blocks: links between classes, far more than with PCE in"
        " the step before.",
        "switching *Dense stage* between PCE, D1, D2 and D3, and compare Ncut and ACC below the"
        " matrices.",
        values={"dense": "D3", "view": "change"},
    ),
    Step(
        "what spectral clustering does with it",
        "eq. 6–8",
        r"\mathrm{Ncut} = \sum_{i=1}^{n} \frac{\mathrm{cut}(A_i, \overline{A_i})}"
        r"{\mathrm{vol}(A_i)}",
        _spectral,
        "at the embedding: one heap for each class in W*, a tangle in W. Crosses are points in the"
        " wrong cluster.",
        "*Dense stage* none, PCE and D3. Then the tab *Eigenvalues*: the gap after the n-th is"
        " what tells the number of clusters.",
        "below",
        {"data": "noise"},
    ),
    Step(
        "where it fails",
        "eq. 9–13",
        r"\widetilde Q = \frac{Nk^2 - Nk}{Nk^2 - \tau}",
        _fails,
        "at the dots outside the squares of W, which become stripes in W*. The subspaces share"
        " three of their four directions, so points near the shared part belong to all of them.",
        "more picks (Γ = 15): the clusters of W get better, those of W* far worse. *Inspect*, tab"
        " *In sums*, has every quantity of eq. 13 beside its measurement.",
        values={"data": "overlap"},
    ),
]
