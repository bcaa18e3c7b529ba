"""How the search grows with points and dimensions: ``sdsc benchmark scale``.

Each row stands beside its rival in the same run, on the same data, with all cores and after a
warm-up; it says its peak of memory. Rivals give the same picks.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import n_threads, run_blocks
from sdsc_core.cli.measuring import Row, seconds
from sdsc_core.datasets import make_subspaces
from sdsc_core.imc_path import ImcPath, Samples, _rows, _step, imc
from sdsc_core.methods.omp import omp
from sdsc_core.search import STRATEGIES, make_search

GAMMA = 6
SIZES = (10_002, 100_002, 1_000_002)
DIMENSIONS = (3, 6, 10, 20, 30, 50, 100, 500)
SLOW = 8  # one point in so many is searched, where a strategy would take minutes
ROWS: list[Row] = []
# Seconds by number of points, for the plot: what was measured in this run.
MEASURED: dict[str, list[tuple[int, float]]] = {"IMC": [], "k-d tree": []}
COLOURS = {"IMC": "#1f77b4", "k-d tree": "#d62728"}


def row(name: str, limit: float | None, unit: str) -> Callable[[Callable], Callable]:
    def add(measure: Callable[[], tuple[float, str]]) -> Callable[[], tuple[float, str]]:
        ROWS.append(Row(name, limit, unit, measure))
        return measure

    return add


def _reset_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass  # then the peak is that of the whole run so far


def _peak() -> str:
    """The process's peak of memory since the last reset, where the system tells."""
    try:
        with open("/proc/self/status") as lines:
            for line in lines:
                if line.startswith("VmHWM:"):
                    return f"peak {int(line.split()[1]) / 2**20:.2f} GiB"
    except OSError:
        pass
    return "peak unknown"


def timed(work: Callable[[], Any]) -> tuple[float, str]:
    """Seconds, and the peak of memory."""
    _reset_peak()
    taken = seconds(work)
    return taken, _peak()


@cache
def warm() -> None:
    """Compile every kernel that a row uses."""
    X = make_subspaces(points_each=200).X
    for search in ("tree", "gram", "blocks"):
        imc(X, 2, search=search)
        omp(X, n_nonzero=2, search=search)
    kd_imc(X, 2)


@cache
def paper(n: int) -> NDArray[np.float64]:
    """The paper's synthetic data: 6 subspaces of dimension 6 in 10."""
    return make_subspaces(points_each=n // 6).X


@cache
def imc_seconds(n: int) -> tuple[float, str, ImcPath]:
    warm()
    X, found = paper(n), []
    taken, peak = timed(lambda: found.append(imc(X, GAMMA)))
    MEASURED["IMC"].append((n, taken))
    return taken, peak, found[0]


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


def _beside_kd(n: int) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        ours, peak, path = imc_seconds(n)
        found: list[NDArray[np.int64]] = []
        theirs, _ = timed(lambda: found.append(kd_imc(paper(n), GAMMA)))
        MEASURED["k-d tree"].append((n, theirs))
        same = np.mean((found[0] == path.picks).all(axis=1))
        return theirs / ours, (
            f"{ours:.2f} s against {theirs:.1f} s of cKDTree, {peak}, {same:.3%} of the points"
            " with the same picks"
        )

    return measure


for _n in SIZES[1:]:
    ROWS.append(
        Row(f"IMC beside a k-d tree, N = {_n:,}", 4, "times as fast", _beside_kd(_n), at_least=True)
    )


@row("growth of IMC's time", 1.35, "exponent")
def _growth() -> tuple[float, str]:
    taken = [imc_seconds(n)[0] for n in SIZES]
    exponent = float(np.polyfit(np.log(SIZES), np.log(taken), 1)[0])
    return exponent, ", ".join(f"{t:.2f} s at {n:,}" for n, t in zip(SIZES, taken, strict=True))


def _wide(n: int, d: int = 500) -> NDArray[np.float64]:
    X = make_subspaces(10, 12, d, points_each=n // 10, noise=0.5).X
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _beside_product(n: int) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        warm()
        X = _wide(n)
        single = X.astype(np.float32)
        product = min(seconds(lambda: single @ single.T) for _ in range(2))
        ours, peak = timed(lambda: imc(X, 5))
        return ours / product, f"{ours:.2f} s against {product:.2f} s of X @ X.T, {peak}"

    return measure


for _n in (10_000, 20_000):
    row(f"IMC, D = 500, Γ = 5, N = {_n:,}", 1.5, "× X·Xᵀ")(_beside_product(_n))


def _blocks_beside_products(search: str) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        warm()
        X = _wide(60_000)
        single = X.astype(np.float32)

        def product() -> None:
            for a in range(0, len(single), 2048):  # as a whole it would take 14 GB
                np.matmul(single[a : a + 2048], single.T)

        once = seconds(product)
        ours, peak = timed(lambda: imc(X, 5, search=search))
        return ours / (5 * once), f"{ours:.1f} s against 5 × {once:.1f} s of X @ X.T, {peak}"

    return measure


row("IMC by blocks, D = 500, Γ = 5, N = 60,000", 1.3, "× Γ·X·Xᵀ")(_blocks_beside_products("blocks"))
row("IMC as chosen, D = 500, Γ = 5, N = 60,000", 1.3, "× Γ·X·Xᵀ")(_blocks_beside_products("auto"))


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


def _choice(d: int, noise: float) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        warm()
        X = make_subspaces(6, min(6, d - 1), d, points_each=3334, noise=noise).X[:20_000]
        chosen, name = strategy_seconds(X, "auto")
        slow = SLOW if d >= 50 else 1
        names = [s for s in STRATEGIES if s not in ("auto", name)]
        others = {s: strategy_seconds(X, s, slow)[0] for s in names}
        said = ", ".join(f"{s} {t:.2f} s" for s, t in others.items())
        return chosen / min(chosen, *others.values()), f"{name} {chosen:.2f} s; {said}"

    return measure


for _d in DIMENSIONS:
    for _noise in (0.0, 0.3):
        _kind = "noisy" if _noise else "clean"
        row(f"choice, N = 20,000, D = {_d}, {_kind}", 1.5, "× the best")(_choice(_d, _noise))


def _omp(n: int) -> Callable[[], tuple[float, str]]:
    def measure() -> tuple[float, str]:
        warm()
        X = paper(n)
        ours, peak = timed(lambda: omp(X, n_nonzero=GAMMA))
        blocks, _ = timed(lambda: omp(X, n_nonzero=GAMMA, search="blocks"))
        return blocks / ours, f"{ours:.2f} s against {blocks:.1f} s by blocks, {peak}"

    return measure


for _n in (30_000, 100_002):
    ROWS.append(Row(f"OMP, N = {_n:,}", 4, "times as fast", _omp(_n), at_least=True))


def plot() -> str:
    """An SVG picture of the seconds measured so far over the points, both axes logarithmic.

    >>> plot().startswith("<svg")
    True
    """
    width, height, left, bottom = 560, 360, 70, 50
    n_low, n_high, s_low, s_high = 3.8, 6.2, -1.5, 3.0  # powers of ten

    def x(power: float) -> float:
        return left + (power - n_low) / (n_high - n_low) * (width - left - 20)

    def y(power: float) -> float:
        return height - bottom - (power - s_low) / (s_high - s_low) * (height - bottom - 20)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{width / 2:.0f}" y="{height - 10}" text-anchor="middle">points</text>',
        '<text x="16" y="20">seconds</text>',
    ]
    for power in (4, 5, 6):
        parts += [
            f'<path d="M{x(power):.1f} 20V{height - bottom}" stroke="#ddd"/>',
            f'<text x="{x(power):.1f}" y="{height - 32}" text-anchor="middle">{10**power:,}</text>',
        ]
    for power in (-1, 0, 1, 2, 3):
        parts += [
            f'<path d="M{left} {y(power):.1f}H{width - 20}" stroke="#ddd"/>',
            f'<text x="{left - 8}" y="{y(power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>',
        ]
    for name, points in MEASURED.items():
        places = [(x(np.log10(n)), y(np.log10(s))) for n, s in sorted(points)]
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        parts += [f'<path d="M{line}" fill="none" stroke="{COLOURS[name]}"/>'] if line else []
        parts += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{COLOURS[name]}"/>' for a, b in places
        ]
        parts += [
            f'<text x="{a + 8:.1f}" y="{b - 8:.1f}" fill="{COLOURS[name]}">{name}</text>'
            for a, b in places[:1]
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
