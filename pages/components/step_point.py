"""One point's way through IMC on canvases: residuals, correlations, the pick; step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import pack, script, source, stamp
from sdsc_core.figures import colour
from sdsc_core.tracing import Step, Trace

_mount = st.components.v2.component(
    "sdsc_step_point",
    html="<div class='bar'></div><div class='readings'></div>",
    css=source("step.css"),
    js=script("player", "step_point"),
)


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
        parts: list[Any] = []
        for reading in self.readings:
            parts.append(f"{reading.title} {reading.trace.i} {reading.trace.picks}")
            parts.append(reading.trace.steps[0].residual)
        return stamp(*parts)


def step_point(view: PointView) -> None:
    """Draw the steps; going from one to the next asks the server nothing."""
    _mount(key="one point", data=pack(view.head(), view.arrays()), height="content")
