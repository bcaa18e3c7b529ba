"""How the search grows with points and dimensions: ``sdsc benchmark scale``.

Each row stands beside its rival in the same run, on the same data, with all cores and after a
warm-up; it says its peak of memory. Rivals give the same picks. Rows can be measured one by one,
since ``--save`` keeps them in a file from which table and plot are made.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import n_threads, run_blocks
from sdsc_core.cli.measuring import Figure, Row, seconds
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.imc_path import Samples, _rows, _step, imc
from sdsc_core.methods.omp import omp
from sdsc_core.metrics import clustering_accuracy
from sdsc_core.run import run_stages
from sdsc_core.search import STRATEGIES, make_search
from sdsc_core.settings import RunSettings

GAMMA = 6
SIZES = (10_002, 100_002, 1_000_002)
DIMENSIONS = (3, 6, 10, 20, 30, 50, 100, 500)
TURNS = 3
SLOW = 8  # one point in so many is searched, where a strategy would take minutes
ROWS: list[Row] = []


Measure = Callable[[], Figure]


def row(
    name: str, limit: float | None, unit: str, at_least: bool = False
) -> Callable[[Measure], Measure]:
    def add(measure: Measure) -> Measure:
        ROWS.append(Row(name, limit, unit, measure, at_least))
        return measure

    return add


def _reset_peak() -> None:
    with suppress(OSError):  # then the peak is that of the whole run so far
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """GB that the process took at most since the last reset; NaN where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next(int(k.split()[1]) for k in lines if k.startswith("VmHWM:")) * 1024 / 1e9


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds, and the peak of memory in GB."""
    _reset_peak()
    return seconds(work), _peak()


@cache
def warm() -> None:
    """Compile every kernel that a row uses."""
    data = make_subspaces(points_each=200)
    X = data.X
    run_stages(data, RunSettings(gamma=2, dense=None), only_dense=True)
    for search in ("tree", "gram", "blocks"):
        imc(X, 2, search=search)
        omp(X, n_nonzero=2, search=search)
    kd_imc(X, 2)


@cache
def paper(n: int) -> Dataset:
    """The paper's synthetic data: 6 subspaces of dimension 6 in 10."""
    return make_subspaces(points_each=n // 6)


class Whole(NamedTuple):
    """Seconds of IMC, affinity, spectral clustering and ACC, and of IMC alone; peak in GB."""

    seconds: float
    imc: float
    peak: float
    acc: float
    picks: NDArray[np.int64]


@cache
def whole(n: int) -> Whole:
    warm()
    data, settings, found = paper(n), RunSettings(gamma=GAMMA, dense=None), []

    def work() -> None:
        run = run_stages(data, settings, only_dense=True)
        found.append((run, clustering_accuracy(data.labels, run.after.labels)))

    taken, peak = timed(work)
    run, acc = found[0]
    return Whole(taken, run.seconds["IMC"], peak, acc, run.path.picks)


def kd_imc(X: NDArray[np.float64], gamma: int) -> NDArray[np.int64]:
    """IMC's picks by SciPy's k-d tree over z and −z, the two nearest, all cores."""
    from scipy.spatial import cKDTree

    samples = Samples.of(X, "as_printed")
    Z, n = samples.Z, len(X)
    tree = cKDTree(np.vstack([Z, -Z]))
    psi, mean = Z * samples.s[:, None], samples.m.copy()
    picks, values = np.full((n, gamma), -1), np.zeros((n, gamma))
    own = np.arange(n)
    for g in range(gamma):
        unit = psi / np.maximum(np.linalg.norm(psi, axis=1, keepdims=True), 1e-300)
        near = np.asarray(tree.query(unit, k=2, workers=n_threads(None))[1]) % n
        found = np.where(near[:, 0] == own, near[:, 1], near[:, 0])
        products = np.einsum("ij,ij->i", psi, Z[found])
        _step(psi, mean, found, products, Z, samples.s, samples.m, picks[:, g], values[:, g])
    return picks


def _beside_kd(n: int) -> Measure:
    def measure() -> Figure:
        ours, picks = whole(n).imc, whole(n).picks
        found: list[NDArray[np.int64]] = []
        theirs, _ = timed(lambda: found.append(kd_imc(paper(n).X, GAMMA)))
        same = np.mean((found[0] == picks).all(axis=1))
        how = (
            f"{ours:.2f} s against {theirs:.1f} s of cKDTree; the same picks for {same:.2%} of the"
            f" points; peak {whole(n).peak:.2f} GB"
        )
        return Figure(theirs / ours, how, n, ours, theirs)

    return measure


for _n in SIZES:
    _limit = None if _n < 100_000 else 4
    row(f"IMC beside a k-d tree, N = {_n:,}", _limit, "times as fast", True)(_beside_kd(_n))


def _whole(n: int) -> Figure:
    run = whole(n)
    how = f"{run.seconds:.1f} s with affinity, spectral clustering and ACC, {run.imc:.1f} s of IMC"
    return Figure(run.seconds / run.imc, how)


for _n in SIZES[1:]:
    row(f"whole run, N = {_n:,}", 2, "× IMC alone")(partial(_whole, _n))


@row("whole run, peak of memory, N = 1,000,002", 8, "GB")
def _whole_peak() -> Figure:
    return Figure(whole(SIZES[-1]).peak, "the whole process")


@row("whole run, ACC, N = 1,000,002", 99.5, "%", at_least=True)
def _whole_acc() -> Figure:
    return Figure(100 * whole(SIZES[-1]).acc, f"Γ = {GAMMA}, without a dense stage")


@row("growth of IMC's time", 1.35, "exponent")
def _growth() -> Figure:
    taken = [whole(n).imc for n in SIZES]
    exponent = float(np.polyfit(np.log(SIZES), np.log(taken), 1)[0])
    how = ", ".join(f"{t:.2f} s at {n:,}" for n, t in zip(SIZES, taken, strict=True))
    return Figure(exponent, how)


@cache
def _wide(n: int, d: int = 500) -> NDArray[np.float64]:
    X = make_subspaces(10, 12, d, points_each=n // 10, noise=0.5).X
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _turns(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float, float]:
    """The quickest of each in TURNS turns, and the peak of memory of ours."""
    times = [(timed(ours), seconds(theirs)) for _ in range(TURNS)]
    best, peak = min(t for t, _ in times)
    return best, min(t for _, t in times), peak


def _beside_product(n: int) -> Measure:
    def measure() -> Figure:
        warm()
        X = _wide(n)
        single = X.astype(np.float32)
        ours, product, peak = _turns(lambda: imc(X, 5), lambda: single @ single.T)
        how = (
            f"{ours:.2f} s against {product:.2f} s of X @ X.T, each the best of {TURNS} turns;"
            f" peak {peak:.2f} GB"
        )
        return Figure(ours / product, how)

    return measure


for _n in (10_000, 20_000):
    row(f"IMC, D = 500, Γ = 5, N = {_n:,}", 1.5, "× X·Xᵀ")(_beside_product(_n))


@cache
def _seconds_by_blocks(n: int) -> float:
    """Seconds of X @ X.T, by blocks of rows: as a whole it would not fit into memory."""
    single = _wide(n).astype(np.float32)

    def product() -> None:
        for a in range(0, n, 2048):
            np.matmul(single[a : a + 2048], single.T)

    return seconds(product)


def _beside_products(search: str) -> Measure:
    def measure() -> Figure:
        warm()
        X, once = _wide(60_000), _seconds_by_blocks(60_000)
        ours, peak = timed(lambda: imc(X, 5, search=search))
        how = f"{ours:.1f} s against 5 × {once:.1f} s of X @ X.T; peak {peak:.2f} GB"
        return Figure(ours / (5 * once), how)

    return measure


row("IMC by blocks, D = 500, Γ = 5, N = 60,000", 1.3, "× Γ·X·Xᵀ")(_beside_products("blocks"))
row("IMC as chosen, D = 500, Γ = 5, N = 60,000", 1.3, "× Γ·X·Xᵀ")(_beside_products("auto"))


def strategy_seconds(X: NDArray[np.float64], search: str, part: int = 1) -> tuple[float, str]:
    """Seconds of one strategy, scaled up from one row in ``part``; and which one it was."""
    samples = Samples.of(X, "as_printed")
    found: list[Any] = []
    built = seconds(lambda: found.append(make_search(samples.Z, GAMMA, search)))
    strategy = found[0]
    strategy.order = strategy.order[::part]
    n = len(strategy.order)
    rows = partial(_rows, strategy, samples, np.empty((len(X), 0), np.int64), GAMMA)
    searched = seconds(lambda: run_blocks(rows, n, min(strategy.block_rows, -(-n // 4))))
    return built + part * searched, strategy.name


def _choice(d: int, noise: float) -> Measure:
    def measure() -> Figure:
        warm()
        X = make_subspaces(6, min(6, d - 1), d, points_each=3334, noise=noise).X[:20_000]
        chosen, name = strategy_seconds(X, "auto")
        others = {}
        for other in STRATEGIES:
            if other not in ("auto", name):
                slow = noise > 0 and (other, d) in (("tree", 100), ("tree", 500), ("blocks", 500))
                others[other] = strategy_seconds(X, other, SLOW if slow else 1)[0]
        said = ", ".join(f"{s} {t:.2f} s" for s, t in others.items())
        return Figure(chosen / min(chosen, *others.values()), f"{name} {chosen:.2f} s; {said}")

    return measure


for _d in DIMENSIONS:
    for _noise in (0.0, 0.3):
        _kind = "noisy" if _noise else "clean"
        row(f"choice, N = 20,000, D = {_d}, {_kind}", 1.5, "× the best")(_choice(_d, _noise))


def _omp(n: int) -> Measure:
    def measure() -> Figure:
        warm()
        X = paper(n).X
        ours, peak = timed(lambda: omp(X, n_nonzero=GAMMA))
        blocks, _ = timed(lambda: omp(X, n_nonzero=GAMMA, search="blocks"))
        how = f"{ours:.2f} s against {blocks:.1f} s by blocks of products; peak {peak:.2f} GB"
        return Figure(blocks / ours, how)

    return measure


for _n in (30_000, 100_002):
    row(f"OMP, N = {_n:,}", 4, "times as fast", True)(_omp(_n))
