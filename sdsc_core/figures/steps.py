"""What the drawn steps need: one point's trace, and how W and W* grow with Γ, as plain arrays."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity
from sdsc_core.figures.cells import largest_by_cell, places
from sdsc_core.figures.charts import colour
from sdsc_core.tracing import Step, Trace

MOST_CELLS = 700  # cells a side of a growing matrix; beyond, neighbours are merged


@dataclass(frozen=True)
class Reading:
    """One trace under a title, with a sentence for each of its steps."""

    title: str
    trace: Trace
    words: Sequence[str]


@dataclass(frozen=True)
class PointView:
    """Traces of one point, with what is drawn of it: residuals, correlations, pictures.

    ``groups`` (N,) and their ``names`` are classes or found clusters, ``one`` what one of them is
    called; a pick in the point's own group is right.
    """

    readings: tuple[Reading, ...]
    X: NDArray[np.float64]
    images: NDArray[np.uint8] | None
    groups: NDArray[np.int64]
    names: Sequence[str]
    one: str
    gamma: int

    @property
    def picture(self) -> tuple[int, int] | None:
        """(height, width) in which a residual is drawn, None for a curve.

        Pixels are features only as long as nothing was projected.
        """
        if self.images is None or self.images[0].size != self.X.shape[1]:
            return None
        return self.images.shape[1], self.images.shape[2]

    @property
    def shown(self) -> list[int]:
        """The point and all picks: those whose picture or curve is needed."""
        picks = [j for r in self.readings for j in r.trace.picks]
        return list(dict.fromkeys([self.readings[0].trace.i, *picks]))

    @property
    def order(self) -> NDArray[np.int64]:
        """Points as the bars stand, group by group."""
        return np.argsort(self.groups, kind="stable")

    def head(self) -> dict[str, Any]:
        """The part that goes as JSON."""
        i, along = self.readings[0].trace.i, self.groups[self.order]
        starts = np.flatnonzero(np.diff(along, prepend=along[0] - 1))
        stops = np.append(starts[1:], len(along))
        return {
            "point": i,
            "name": self._name(i),
            "one": self.one,
            "gamma": self.gamma,
            "picture": self.picture,
            "photo": None if self.images is None else self.images.shape[1:],
            "shown": self.shown,
            "groups": [
                {"name": str(self.names[along[a]]), "colour": colour(int(along[a])),
                 "start": int(a), "stop": int(b)}
                for a, b in zip(starts, stops, strict=True)
            ],
            "readings": [self._reading(r) for r in self.readings],
            "stamp": self.stamp(),
        }  # fmt: skip

    def _reading(self, reading: Reading) -> dict[str, Any]:
        trace = reading.trace
        steps = zip(trace.steps, reading.words, strict=True)
        return {
            "title": reading.title,
            "ended": trace.ended,
            "steps": [self._step(trace.i, step, words) for step, words in steps],
        }

    def _step(self, i: int, step: Step, words: str) -> dict[str, Any]:
        j = step.pick
        return {
            "norm": step.norm,
            "centred": step.centred_norm,
            "pick": j,
            "name": self._name(j) if j >= 0 else "",
            "right": bool(j >= 0 and self.groups[i] == self.groups[j]),
            "rho": step.rho,
            "coefficient": step.coefficient,
            "kept": step.kept,
            "energy": step.energy,
            "again": step.again,
            "words": words,
        }

    def _name(self, i: int) -> str:
        name = str(self.names[self.groups[i]])
        return f"{self.one} {name}" if name.isdigit() else name

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The part that goes as bytes."""
        out: dict[str, NDArray[Any]] = {
            "order": self.order.astype(np.uint32),
            "samples": self.X[self.shown].astype(np.float32).ravel(),
        }
        if self.images is not None:
            out["photos"] = np.ascontiguousarray(self.images[self.shown]).ravel()
        for r, reading in enumerate(self.readings):
            steps = reading.trace.steps
            out[f"residual{r}"] = np.concatenate([s.residual for s in steps]).astype(np.float32)
            out[f"rho{r}"] = np.concatenate([s.correlations for s in steps]).astype(np.float32)
        return out

    def stamp(self) -> str:
        """Changes with what is drawn; the place in the trace is kept as long as it does not."""
        digest = hashlib.sha1(usedforsecurity=False)
        for reading in self.readings:
            digest.update(f"{reading.title} {reading.trace.i} {reading.trace.picks}".encode())
            digest.update(reading.trace.steps[0].residual.tobytes())
        return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Frames:
    """W and W* for a growing Γ, as changes from one Γ to the next on a grid of cells.

    Frame t runs from ``starts[t]`` to ``starts[t + 1]`` in ``at`` (row · size + column, above the
    diagonal) and ``value`` (0 to 255): first for W, then for what W* has above W.
    """

    size: int
    cell: int  # points that a cell stands for, along each side
    w_starts: list[int]
    w_at: NDArray[np.uint32]
    w_value: NDArray[np.uint8]
    star_starts: list[int]
    star_at: NDArray[np.uint32]
    star_value: NDArray[np.uint8]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a component unpacks."""
        return {
            "wStarts": np.array(self.w_starts, np.uint32),
            "wAt": self.w_at,
            "wValue": self.w_value,
            "starStarts": np.array(self.star_starts, np.uint32),
            "starAt": self.star_at,
            "starValue": self.star_value,
        }


def frames(pairs: Iterable[tuple[Affinity, Affinity]], order: NDArray[np.int64]) -> Frames:
    """`Frames` of (W, W*) for Γ = 1, 2, …, with the points in the given order.

    Where W* raised an entry its value goes to the second part, and 0 where it did not.

    >>> a = np.array([[0, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0]])
    >>> f = frames([(a, a), (a, a + 0.5 * np.eye(3)[::-1] * [1, 0, 1])], np.arange(3))
    >>> f.w_at.tolist(), f.w_starts, f.star_at.tolist(), f.star_starts, f.star_value.tolist()
    ([1, 5], [0, 2, 2], [2], [0, 0, 1], [128])
    """
    n = len(order)
    cell = -(-n // MOST_CELLS)
    size = -(-n // cell)
    cell_of = places(order) // cell
    parts: tuple[list, list] = ([], [])
    last = [np.zeros(size * size, np.uint8), np.zeros(size * size, np.uint8)]
    for W, W_star in pairs:
        W = sp.csr_array(W)
        raised = sp.csr_array(W_star)
        raised = raised.multiply(raised > W)
        for which, matrix in enumerate((W, sp.csr_array(raised))):
            grid = _grid(matrix, cell_of, size)
            changed = np.flatnonzero(grid != last[which])
            parts[which].append((changed.astype(np.uint32), grid[changed]))
            last[which] = grid
    return Frames(size, cell, *_joined(parts[0]), *_joined(parts[1]))


def _grid(W: sp.csr_array, cell_of: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """The largest value in each cell above the diagonal, in 255 levels; 0 for none."""
    grid = np.triu(largest_by_cell(W, cell_of, size)).ravel()
    levels = np.maximum(1, np.rint(255 * grid)).astype(np.uint8)
    return np.where(grid > 0, levels, np.uint8(0))


def _joined(parts: list) -> tuple[list[int], NDArray[np.uint32], NDArray[np.uint8]]:
    sizes = [len(at) for at, _ in parts]
    starts = [0, *np.cumsum(sizes).tolist()]
    return starts, np.concatenate([a for a, _ in parts]), np.concatenate([v for _, v in parts])
