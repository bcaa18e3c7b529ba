"""What the library takes on this machine, each figure beside its limit: ``sdsc benchmark``.

A ratio compares with what is timed beside it, turn by turn, so that a busy machine slows both.
Everything is warm: compiling is not measured. A limit that does not hold is printed as such.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core import datasets
from sdsc_core.datasets.known import FOLDER_VARIABLE, KNOWN
from sdsc_core.dense import densify, pce
from sdsc_core.imc import imc
from sdsc_core.paths import home
from sdsc_core.spectral import spectral_clustering

LARGE = 100_000
GAMMA = 6


@dataclass(frozen=True)
class Row:
    """One line of the table. ``measure`` gives the figure and a remark on how it came about."""

    name: str
    limit: float | None
    unit: str
    measure: Callable[[], tuple[float, str]]


ROWS: list[Row] = []


def row(name: str, limit: float | None, unit: str) -> Callable[[Callable], Callable]:
    """Add a function to the table; a limit of None is a figure for the record."""

    def add(measure: Callable[[], tuple[float, str]]) -> Callable[[], tuple[float, str]]:
        ROWS.append(Row(name, limit, unit, measure))
        return measure

    return add


def run(only: str = "") -> None:
    """Measure and print every row whose name holds ``only``."""
    chosen = [r for r in ROWS if only.lower() in r.name.lower()]
    if not chosen:
        names = "; ".join(r.name for r in ROWS)
        raise ValueError(f"--only is {only!r}; no row holds that, they are: {names}.")
    width = max(len(r.name) for r in chosen)
    print(f"{'what':<{width}}  {'measured':>14}  {'limit':>14}  holds  how")
    for r in chosen:
        value, remark = r.measure()
        limit = "" if r.limit is None else _figure(r.limit, r.unit)
        holds = "" if r.limit is None else "yes" if value <= r.limit else "NO"
        print(f"{r.name:<{width}}  {_figure(value, r.unit):>14}  {limit:>14}  {holds:<5}  {remark}")
        sys.stdout.flush()


def _figure(value: float, unit: str) -> str:
    return f"{value:,.3g} {unit}"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], Any], repeats: int) -> float:
    """Seconds of the quickest of some runs, after one to warm up."""
    work()
    return min(seconds(work) for _ in range(repeats))


def compare(
    ours: Callable[[], Any], theirs: Callable[[], Any], beside: str, repeats: int = 7
) -> tuple[float, str]:
    """How many times as long ours takes, by the medians of interleaved runs; and both times."""
    ours(), theirs()
    times = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    a, b = np.median(times, axis=0)
    return a / b, f"{1000 * a:.0f} ms against {1000 * b:.0f} ms of {beside}, {repeats} turns"


# What several rows start from.


@cache
def faces() -> datasets.Dataset:
    """Ten subjects of Extended Yale B where it is at hand, else ten shaded faces."""
    beside = home().parent / "shared" / "data"
    folder = Path(os.environ.get(FOLDER_VARIABLE, beside))
    if (folder / KNOWN["yaleb"].file).is_file():
        return datasets.prepare(datasets.load_known("yaleb", folder), classes=range(10))
    return datasets.make_faces(10)


@cache
def faces_affinity() -> sp.csr_array:
    return imc(faces().X, GAMMA).affinity()


@cache
def large() -> tuple[sp.csr_array, float]:
    """W of the paper's largest synthetic data, and what IMC took for it."""
    X = datasets.make_subspaces(points_each=[LARGE // 6 + (c < LARGE % 6) for c in range(6)]).X
    imc(X[:: LARGE // 500], GAMMA)
    start = time.perf_counter()
    W = imc(X, GAMMA).affinity()
    return W, time.perf_counter() - start


# The rows.


@row("IMC, N = 3,000, D = 256, Γ = 10", 5, "× X·Xᵀ")
def _imc() -> tuple[float, str]:
    X = np.random.default_rng(0).standard_normal((3000, 256))
    return compare(lambda: imc(X, 10), lambda: X @ X.T, "X·Xᵀ in float64")


@row("PCE, ten faces", 10, "ms")
def _pce() -> tuple[float, str]:
    W = faces_affinity()
    return 1000 * best(lambda: pce(W), 20), f"{faces().name}, N = {W.shape[0]}, best of 20"


@row("PCE, N = 100,000", 2, "s")
def _pce_large() -> tuple[float, str]:
    W, _ = large()
    return best(lambda: pce(W), 3), f"{W.nnz:,} nonzeros before, best of 3"


@row("D3 on a dense W, N = 3,000", 10, "× W·W")
def _d3() -> tuple[float, str]:
    W = np.random.default_rng(0).random((3000, 3000))
    W = np.maximum(W, W.T)
    single = W.astype(np.float32)
    return compare(lambda: densify(W, "D3"), lambda: single @ single, "W·W in float32", 5)


@row("spectral clustering, ten faces", 200, "ms")
def _spectral() -> tuple[float, str]:
    star = pce(faces_affinity())
    taken = 1000 * best(lambda: spectral_clustering(star, 10), 5)
    return taken, f"{faces().name}, N = {star.shape[0]}, 10 clusters from W*, best of 5"


@row("spectral clustering, N = 100,000", 5, "s")
def _spectral_large() -> tuple[float, str]:
    star = pce(large()[0])
    taken = best(lambda: spectral_clustering(star, 6), 2)
    return taken, f"6 clusters from W* with {star.nnz:,} nonzeros, best of 2"


@row("IMC, N = 100,000", None, "s")
def _imc_large() -> tuple[float, str]:
    return large()[1], f"D = 10, Γ = {GAMMA}, W included, one run"
