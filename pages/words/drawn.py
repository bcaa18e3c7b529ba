"""Small graphs and points that the pictures of several words are made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core import imc, ncut
from sdsc_core.datasets import make_subspaces
from sdsc_core.figures import Graph

SQUARE = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]])
RIGHT = np.array([1.1, 0])
PAIR = np.vstack([SQUARE - RIGHT, SQUARE + RIGHT])  # two squares side by side
TWO = np.repeat([0, 1], 4)
ONE = np.zeros(3, int)
TRIANGLE = np.array([[-1.0, 0], [0.0, 1], [1.0, 0]])
FULL = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]
RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
CHAIN = [(0, 1), (1, 2), (2, 3)]


def links(n: int, *pairs: tuple[int, int], w: float = 1.0) -> NDArray[np.float64]:
    W = np.zeros((n, n))
    for a, b in pairs:
        W[a, b] = W[b, a] = w
    return W


def two_squares(
    left: list, right: list, *across: tuple[int, int], w: float = 1.0
) -> NDArray[np.float64]:
    """Two squares of four points, with links inside each and some between."""
    moved = [(a + 4, b + 4) for a, b in right]
    return np.maximum(links(8, *left, *moved), links(8, *across, w=w))


def small_imc(overlap: int) -> tuple[NDArray[np.float64], NDArray[np.int64], Any]:
    data = make_subspaces(2, 2, 6, points_each=5, random_state=5, overlap=overlap)
    assert data.labels is not None
    return data.X, data.labels, imc(data.X, 2)


def circles() -> NDArray[np.float64]:
    """Five points on each of two circles."""
    angle = 2 * np.pi * np.arange(5) / 5 + 0.3
    ring = 0.6 * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.vstack([ring - RIGHT, ring + RIGHT])


def triangle(a: float, b: float) -> NDArray[np.float64]:
    return np.array([[0, a, 0], [a, 0, b], [0, b, 0]])


def split(W: NDArray[np.float64], labels: NDArray[np.int64], title: str) -> Graph:
    return Graph(f"{title}: Ncut {ncut(W, labels):.2f}", W, labels, PAIR)
