"""Words of the paper: two sentences each, and a picture whose numbers the library computes."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pages.words.drawn import (
    CHAIN,
    FULL,
    ONE,
    PAIR,
    RIGHT,
    RING,
    SQUARE,
    TRIANGLE,
    TWO,
    circles,
    links,
    small_imc,
    split,
    triangle,
    two_squares,
)
from sdsc_core import (
    analyse,
    connectivity,
    cut_vol,
    densify,
    diffusion,
    explain,
    figures,
    mutual,
    ncut,
    pce,
    preserving_error,
    sinkhorn,
    subspaces,
)
from sdsc_core.dense import DISTANCES
from sdsc_core.figures import Graph


@dataclass(frozen=True)
class Word:
    """A word, what it means in two sentences, and a picture."""

    name: str
    text: str
    figure: Any
    alt: str


@cache
def words() -> tuple[Word, ...]:
    """All of them, in the order in which they build on each other; made once for all sessions."""
    return (
        _self_expression(),
        _preserving(),
        _affinity(),
        _connectivity(),
        _conn_whole(),
        _conn_least(),
        _conn_mean(),
        _cut_vol(),
        _ncut(),
        _conditions(),
        _distances(),
        _others(),
        _q(),
        _angle(),
    )


def _self_expression() -> Word:
    _, labels, path = small_imc(0)
    row = path.coefficients().toarray()[0]
    used = np.flatnonzero(row)
    named = " and ".join(f"{j} (weight {row[j]:.2f})" for j in used)
    own = int((labels[used] == labels[0]).sum())
    return Word(
        "Self-expression",
        r"Each point is written as a weighted sum of a few others, $x_i \approx \sum_j c_{ij} x_j$"
        r" with $c_{ii} = 0$ (eq. 1), and the weights of all points form the matrix $C$. Here IMC"
        f" writes point 0 of ten by points {named}; {own} of {len(used)} lie in its own subspace,"
        " shown by colour.",
        figures.row_of_c(row, labels),
        f"Bars of the coefficients of point 0: points {named}.",
    )


def _preserving() -> Word:
    graphs, shares = [], []
    for overlap, title in ((0, "apart"), (1, "overlapping")):
        _, labels, path = small_imc(overlap)
        share = preserving_error(path.coefficients(), labels)
        shares.append(share)
        graphs.append(
            Graph(
                f"{title}: {share:.0%} astray",
                path.affinity().toarray(),
                labels,
                circles(),
            )
        )
    return Word(
        "Subspace-preserving",
        "$C$ is subspace-preserving if every point is made of points of its own subspace alone:"
        r" $c_{ij} \neq 0$ only where $x_i$ and $x_j$ lie in the same one. The subspace-preserving"
        " error is the share of the weight that goes astray, on average over the points:"
        f" {shares[0]:.0%} on the left, {shares[1]:.0%} on the right, by the orange links.",
        figures.small_graphs(graphs),
        "Two graphs of ten points; in the right one some links cross between the subspaces.",
    )


def _affinity() -> Word:
    _, labels, path = small_imc(0)
    W = path.affinity().toarray()
    five = np.arange(5)
    inside = W[np.ix_(five, five)]
    return Word(
        "Affinity W",
        r"The affinity $w_{ij}$ is how similar two points are, from 0 (no link) to 1; for IMC it is"
        r" the larger of $|c_{ij}|$ and $|c_{ji}|$ (eq. 5). So $W$ is a matrix and a graph at once:"
        f" these five points have {np.count_nonzero(np.triu(inside))} of 10 possible links, each"
        " with its value.",
        figures.small_graphs(
            [Graph("", inside, labels[:5], circles()[:5])], weights=True, height=280
        ),
        "A graph of five points with the affinity written on each link.",
    )


def _connectivity() -> Word:
    triangles = [(0, 1), (0, 3), (1, 3), (2, 4), (2, 5), (4, 5)]
    six = np.array([[-1, -0.5], [-1, 0.5], [0.4, 0], [-0.4, 0], [1, 0.5], [1, -0.5]])
    whole = [(a, b) for a in range(6) for b in range(a)]
    graphs, values = [], []
    for title, pairs in (
        ("in pieces", triangles),
        ("by a thread", [*triangles, (2, 3)]),
        ("all linked", whole),
    ):
        W = links(6, *pairs)
        values.append(connectivity(W).whole)
        graphs.append(Graph(f"{title}: {values[-1]:.2f}", W, np.zeros(6, int), six))
    return Word(
        "Connectivity",
        "Connectivity says how hard it is to tear a graph in two; it is the second smallest"
        r" eigenvalue of $L = I - D^{-1/2} W D^{-1/2}$, with the points' total affinities in $D$."
        f" It is {values[0]:.0f} for a graph in pieces, small where it hangs by a thread"
        f" ({values[1]:.2f}), and largest where every point is linked with every other"
        f" ({values[2]:.2f}).",
        figures.small_graphs(graphs),
        f"Three graphs of six points with connectivity {values[0]:.2f}, {values[1]:.2f} and"
        f" {values[2]:.2f}.",
    )


def _conn_whole() -> Word:
    few = two_squares(FULL, FULL, (3, 4))
    many = two_squares(FULL, FULL, (3, 4), (2, 5), (3, 5), (2, 4))
    a, b = (connectivity(W).whole for W in (few, many))
    return Word(
        "CONN, whole graph",
        "The connectivity of all points at once, as the paper's text defines CONN. It falls when"
        f" clusters part well: it is only {a:.2f} on the left, where the clusters are easy to see,"
        f" and {b:.2f} on the right, where four links cross; so a low value is no fault by itself.",
        figures.small_graphs(
            [
                Graph(f"one crossing: {a:.2f}", few, TWO, PAIR),
                Graph(f"four crossings: {b:.2f}", many, TWO, PAIR),
            ]
        ),
        "Two clusters of four points, joined by one link and by four.",
    )


def _conn_least() -> Word:
    W = two_squares(FULL, CHAIN, (3, 4))
    conn = connectivity(W, TWO)
    left, right = conn.per_cluster
    return Word(
        "CONN, least cluster",
        "The connectivity inside each class (or found cluster) by its own links alone, and of these"
        f" the smallest. Here the full square on the left has {left:.2f} and the chain on the"
        f" right {right:.2f}, so the least is {conn.min:.2f}: the chain is what spectral clustering"
        " would tear first.",
        figures.small_graphs([Graph(f"{left:.2f} and {right:.2f}", W, TWO, PAIR)]),
        f"A full square with connectivity {left:.2f} and a chain with {right:.2f}.",
    )


def _conn_mean() -> Word:
    three = np.vstack([SQUARE - 1.5 * RIGHT, SQUARE, SQUARE + 1.5 * RIGHT])
    broken = [(8, 9), (10, 11)]
    W = links(12, *FULL, *[(a + 4, b + 4) for a, b in RING], *broken)
    labels = np.repeat([0, 1, 2], 4)
    conn = connectivity(W, labels)
    each = ", ".join(f"{c:.2f}" for c in conn.per_cluster)
    return Word(
        "CONN, mean",
        f"The mean of the connectivities inside the classes: of {each} it is {conn.mean:.2f}. Read"
        f" it beside the least ({conn.min:.2f} here), as a class in pieces can hide behind good"
        " ones.",
        figures.small_graphs([Graph(each.replace(", ", " · "), W, labels, three)]),
        f"Three clusters of four points with connectivity {each}.",
    )


def _cut_vol() -> Word:
    W = two_squares(FULL, RING, (3, 4), (2, 5), w=0.5)
    cut, vol = cut_vol(W, TWO)
    return Word(
        "cut and vol",
        r"$\mathrm{cut}(A)$ is the affinity that leaves cluster $A$ (eq. 6): the two orange links"
        f" of 0.5 make {cut[0]:.0f}. $\\mathrm{{vol}}(A)$ is the affinity inside it (eq. 7), each"
        f" link counted from both ends: {vol[0]:.0f} for the blue cluster, {vol[1]:.0f} for the"
        " yellow one.",
        figures.small_graphs([Graph("", W, TWO, PAIR)], weights=True),
        f"Two clusters of four points; cut is {cut[0]:.0f}, vol {vol[0]:.0f} and {vol[1]:.0f}.",
    )


def _ncut() -> Word:
    W = two_squares(FULL, RING, (3, 4), (2, 5), w=0.5)
    other = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    a, b = ncut(W, TWO), ncut(W, other)
    return Word(
        "Ncut",
        r"The normalised cut $\sum_i \mathrm{cut}(A_i) / \mathrm{vol}(A_i)$ (eq. 8) is the affinity"
        " that a partition loses over what it keeps. Spectral clustering looks for the partition"
        f" with the smallest: {a:.2f} on the left is better than {b:.2f} on the right, for the"
        " same graph.",
        figures.small_graphs([split(W, TWO, "natural"), split(W, other, "torn")]),
        f"One graph parted in two ways, with Ncut {a:.2f} and {b:.2f}.",
    )


def _conditions() -> Word:
    graphs, found = [], []
    for a, b in ((0.9, 0.9), (0.9, 0.7), (0.7, 0.7)):
        W = triangle(a, b)
        e = explain(W, 0, 2)
        found.append(e)
        star = pce(W).toarray()
        title = f"condition {e.condition}"
        graphs.append(Graph(title, W, ONE, TRIANGLE, star, ("i", "k", "j")))
    values = ", ".join(f"{e.after:.2f}" for e in found)
    return Word(
        "Witness and conditions",
        r"PCE links $i$ and $j$ if a third point $k$, the witness, is close to both: two links"
        r" above $\theta_1$ (condition 1), one above $\theta_1$ and one above $\theta_2$ (2), or"
        r" two between $\theta_2$ and $\theta_1$ (3). With $\theta_1 = 0.8$ and $\theta_2 = 0.6$"
        rf" the new links are {values}: $\frac12(w_{{ik}}+w_{{kj}})$, $\min$, $\frac12\max$.",
        figures.small_graphs(graphs, weights=True),
        f"Three triangles; the new link from i to j has the value {values}.",
    )


def _distances() -> Word:
    W = triangle(0.9, 0.8)
    graphs, values = [], []
    for rule in DISTANCES:
        star = np.asarray(densify(W, rule))
        values.append(star[0, 2])
        graphs.append(Graph(rule, W, ONE, TRIANGLE, star, ("i", "k", "j")))
    shown = ", ".join(f"{v:.2f}" for v in values)
    distances = " or ".join(f"${by.distance}$" for by in DISTANCES.values())
    return Word(
        "D1, D2, D3",
        f"The universal dense stage (Algorithm 4) turns affinities into distances, {distances},"
        " takes the way over $k$ where it is shorter, and turns back. For"
        f" the same two links of 0.9 and 0.8 the new one becomes {shown}: a rule without"
        " thresholds links every pair that shares a neighbour.",
        figures.small_graphs(graphs, weights=True),
        f"Three triangles; the new link has the value {shown}.",
    )


def _others() -> Word:
    W, groups = two_squares(CHAIN, FULL, (3, 4), w=0.8), TWO
    stars = {"Sinkhorn": sinkhorn(W), "Diffusion": diffusion(W, 2, 4), "Mutual": mutual(W, 2)}
    graphs = [Graph(name, W, groups, PAIR, np.asarray(star)) for name, star in stars.items()]
    link = [float(star[3, 4]) for star in stars.values()]
    return Word(
        "Sinkhorn, Diffusion, Mutual",
        "Stages that are not the paper's, and that also lower entries: *Sinkhorn* scales links"
        " until all points weigh the same, *Diffusion* lets a walk take a few steps, *Mutual* keeps"
        " a link where each end is among the nearest of the other. The link between the squares,"
        f" {W[3, 4]:.2f} in W, becomes {link[0]:.2f}, {link[1]:.2f} and {link[2]:.2f}.",
        figures.small_graphs(graphs),
        "Three small graphs: what each stage makes of two squares with a link between them.",
    )


def _angle() -> Word:
    t = np.linspace(-1, 1, 9)
    turn = np.radians(35)
    X = np.vstack([np.outer(t, [1.0, 0.0]), np.outer(t, [np.cos(turn), np.sin(turn)])])
    found = subspaces(X, np.repeat([0, 1], len(t)))
    graph = Graph("two lines", np.zeros((len(X), len(X))), found.labels, X)
    return Word(
        "Subspace, dimension, principal angle",
        "Points of one cluster lie close to a subspace, here a line each: its dimension is how many"
        " directions it takes to reach them. The smallest *principal angle* between two subspaces,"
        f" here {found.angles[0, 1]:.0f}°, is that between the two directions that are most alike;"
        " at 0° they share one, and points along it could belong to either.",
        figures.small_graphs([graph]),
        "Points on two lines through the origin.",
    )


def _q() -> Word:
    W = two_squares(RING, RING, (3, 4), (2, 5), w=0.5)
    W = np.where((W > 0) & (TWO[:, None] == TWO), 0.9, W)
    star = pce(W).toarray()
    a = analyse(W, star, TWO)
    return Word(
        "Q",
        r"$Q = \mathrm{Ncut}^* / \mathrm{Ncut}$ (eq. 11) compares the cut after the dense stage"
        " with the one before, both as affinity between over affinity inside. Below 1 the dense"
        f" stage helped: here PCE adds the dashed links, Ncut falls from {a.ncut:.3f} to"
        f" {a.ncut_star:.3f}, and Q = {a.q:.2f}.",
        figures.small_graphs(
            [Graph("W", W, TWO, PAIR), Graph(f"W*: Q = {a.q:.2f}", W, TWO, PAIR, star)]
        ),
        f"Two clusters before and after PCE; Q is {a.q:.2f}.",
    )
