"""``sdsc benchmark``: what the library takes on this machine, each figure beside its limit.

A ratio compares with what is timed beside it, turn by turn, so that a busy machine slows both.
Everything is warm: compiling is not measured. A limit that does not hold is printed as such.
"""

import argparse
import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from sdsc_core import datasets
from sdsc_core.cli.measuring import Row, markdown, print_rows, read_lines, seconds
from sdsc_core.cli.options import check_writable
from sdsc_core.cli.plot import plot
from sdsc_core.dense import densify, pce
from sdsc_core.imc_path import imc
from sdsc_core.methods import METHODS
from sdsc_core.methods.bdr import TOLERANCE
from sdsc_core.methods.bdr import _solve as bdr_solve
from sdsc_core.run import run_stages
from sdsc_core.spectral import spectral_clustering
from sdsc_core.sweeping import Grid, read_axis, sweep

LARGE = 100_000
GAMMA = 6


ROWS: list[Row] = []


def row(name: str, limit: float | None, unit: str) -> Callable[[Callable], Callable]:
    """Add a function to the table; a limit of None is a figure for the record."""

    def add(measure: Callable[[], tuple[float, str]]) -> Callable[[], tuple[float, str]]:
        ROWS.append(Row(name, limit, unit, measure))
        return measure

    return add


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which rows to measure."""
    add = parser.add_argument
    add("part", nargs="?", choices=("all", "scale", "estimates"), default="all",
        help="scale: up to a million; estimates: estimated beside measured times")  # fmt: skip
    add("--only", metavar="NAME", nargs="+", default=(), help="rows whose name holds NAME; methods")
    add("--save", metavar="FILE", help="keep the rows in a .csv, beside those of earlier runs")
    add("--table", metavar="FILE", help="print rows of such a file, measure nothing")
    add("--plot", metavar="FILE", help="with scale and a saved file: draw the times as an .svg")
    add("--measure", action="store_true",
        help="with estimates: measure what they rest on, as far as it is not known")  # fmt: skip
    add("--anew", action="store_true", help="with --measure: what is known too")
    add("--minutes", type=float, default=math.inf,
        help="with --measure: begin nothing more after so many; the same command goes on"
        " later, without --anew")  # fmt: skip
    parser.set_defaults(run=_benchmark)


def _benchmark(options: argparse.Namespace) -> None:
    kept = options.table or options.save
    if options.plot and not kept:
        raise ValueError("--plot draws saved rows; name their file by --save or --table.")
    for path in (options.save, options.plot):
        check_writable(path)
    if options.table:
        print(markdown(read_lines(Path(options.table)), options.only))
    elif options.part == "estimates":
        _estimates(options)
    elif options.part == "all":
        print_rows(ROWS, options.only, options.save)
    else:
        from sdsc_core.cli import benchmark_scale  # takes a moment to import, and few need it

        print_rows(benchmark_scale.ROWS, options.only, options.save)
    if options.plot:
        Path(options.plot).write_text(plot(read_lines(Path(kept))), encoding="utf-8")


def _estimates(options: argparse.Namespace) -> None:
    from sdsc_core.cli import benchmark_estimates

    asked = [name.upper() for name in options.only]
    methods = [m for m in METHODS if not asked or m in asked]
    if not methods:
        raise ValueError(
            f"--only is {' '.join(options.only)!r}; give some of {', '.join(METHODS)}."
        )
    if options.measure:
        benchmark_estimates.measure(methods, options.anew, options.minutes)
    else:
        benchmark_estimates.compare(methods)


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
    if datasets.known_file("yaleb"):
        return datasets.prepare(datasets.load_known("yaleb"), classes=range(10))
    return datasets.make_faces(10)


@cache
def faces_affinity() -> sp.csr_array:
    return imc(faces().X, GAMMA).affinity()


@cache
def large() -> sp.csr_array:
    """W of the paper's largest synthetic data."""
    X = datasets.make_subspaces(points_each=[LARGE // 6 + (c < LARGE % 6) for c in range(6)]).X
    return imc(X, GAMMA).affinity()


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
    W = large()
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
    star = pce(large())
    taken = best(lambda: spectral_clustering(star, 6), 2)
    return taken, f"6 clusters from W* with {star.nnz:,} nonzeros, best of 2"


@row("sweep of 490 settings, ten faces", 60, "× one run")
def _sweep() -> tuple[float, str]:
    data = faces()
    grid = Grid(gamma=range(3, 13), theta1=read_axis("theta1", "0.7:1:0.05"),
                theta2=read_axis("theta2", "0.35:0.65:0.05"))  # fmt: skip
    settings = grid.settings()
    sweep(data, settings[:3])  # compiles
    runs = [seconds(lambda: run_stages(data)) for _ in range(10)]
    taken = seconds(lambda: sweep(data, settings, criteria=False))
    runs += [seconds(lambda: run_stages(data)) for _ in range(10)]
    judged = seconds(lambda: sweep(data, settings[::7]))
    single = float(np.median(runs))
    return taken / single, (
        f"{taken:.1f} s for {len(settings)} settings of {data.n_points} points against"
        f" {1000 * single:.0f} ms, the median of {len(runs)} whole runs; with the criteria that"
        f" need no labels {7 * judged / single:.0f} ×"
    )


@row("OMP, N = 9,000, D = 10, K = 6", 0.1, "× scikit-learn")
def _omp() -> tuple[float, str]:
    from sklearn.linear_model import orthogonal_mp

    X = datasets.make_subspaces(points_each=1500).X
    X = X / np.linalg.norm(X, axis=1, keepdims=True)

    def theirs(i: int) -> None:
        orthogonal_mp(np.delete(X, i, axis=0).T, X[i], n_nonzero_coefs=6)

    return _against_loop(lambda: METHODS["OMP"].solve(X, n_nonzero=6), theirs, len(X), 100)


@row("ENSC, N = 2,000 scattering features", 1 / 3, "× scikit-learn")
def _ensc() -> tuple[float, str]:
    from sklearn.linear_model import ElasticNet

    X = _digits(2000)
    tau, gamma = 0.9, 200.0
    products = np.abs(X @ X.T)
    np.fill_diagonal(products, 0.0)
    lam = gamma * tau / products.max(axis=1)
    found: dict[int, NDArray[np.float64]] = {}

    def theirs(i: int) -> None:
        others = np.delete(X, i, axis=0)
        # The same problem over λ, which scikit-learn divides by the number of features.
        net = ElasticNet(
            alpha=1.0 / (lam[i] * X.shape[1]), l1_ratio=tau, fit_intercept=False, tol=1e-6,
            max_iter=20_000,
        )  # fmt: skip
        found[i] = np.insert(net.fit(others.T, X[i]).coef_, i, 0.0)

    ratio, remark = _against_loop(
        lambda: METHODS["ENSC"].solve(X, gamma=gamma, tau=tau), theirs, len(X), 20
    )
    C = sp.csr_array(METHODS["ENSC"].solve(X, gamma=gamma, tau=tau).C)

    def objective(i: int, c: NDArray[np.float64]) -> float:
        fit = lam[i] / 2 * np.sum((X[i] - c @ X) ** 2)
        return float(tau * np.abs(c).sum() + (1 - tau) / 2 * (c @ c) + fit)

    gaps = [objective(i, C[[i]].toarray().ravel()) / objective(i, c) - 1 for i, c in found.items()]
    return ratio, f"{remark}; our objective is off theirs by {max(gaps):+.1e} at the worst"


def _against_loop(
    ours: Callable[[], Any], theirs: Callable[[int], None], n: int, some: int
) -> tuple[float, str]:
    """Ours for all points against a loop over a few of them, scaled up to all."""
    points = range(0, n, n // some)
    theirs(0)
    loop = sum(seconds(partial(theirs, i)) for i in points) * n / len(points)
    mine = best(ours, 3)
    remark = f"{mine:.2f} s against {loop:.1f} s of a loop, scaled up from {len(points)} points"
    return mine / loop, remark


def _digits(n: int) -> NDArray[np.float64]:
    """Scattering features of MNIST where they are at hand, else made-up data of their size."""
    if datasets.known_file("mnist_scattering"):
        X = datasets.load_known("mnist_scattering").X[:n]
    else:
        X = datasets.make_subspaces(10, 12, 500, points_each=n // 10, noise=0.5).X
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@row("BDR, N = 2,000 scattering features", 1 / 3, "× plain")
def _bdr() -> tuple[float, str]:
    X, lam, gamma, k = _digits(2000), 50.0, 1.0, 10
    bdr_solve(X[:200], lam, gamma, k, 3, None)  # compiles
    found: list[Any] = []
    ours = seconds(lambda: found.append(bdr_solve(X, lam, gamma, k, 1000, None)))
    theirs = seconds(lambda: found.append(plain_bdr(X, lam, gamma, k)))
    values = [bdr_objective(X, Z, B, lam, gamma, k) for Z, B, *_ in found]
    steps = " and ".join(str(step) for _, _, step, *_ in found)
    return ours / theirs, (
        f"{ours:.1f} s against {theirs:.1f} s of the plain transcription, {steps} steps;"
        f" our objective is off theirs by {values[0] / values[1] - 1:+.1e}"
    )


def plain_bdr(
    X: NDArray[np.float64], lam: float, gamma: float, k: int, max_steps: int = 1000
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """BDR's alternation as it is written down: Z, B and the number of steps."""
    n = len(X)
    P = np.linalg.inv(X @ X.T + lam * np.eye(n))
    fit = X @ X.T @ P
    Z, B, V = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for step in range(1, max_steps + 1):
        new_Z = fit + lam * (B @ P)
        if step > 1:
            L = np.diag(B.sum(axis=1)) - B
            U = eigh(L, subset_by_index=(0, k - 1), driver="evr")[1]
            V = U @ U.T
        A = new_Z - gamma / lam * (np.diag(V)[:, None] - V)
        new_B = np.maximum(0.0, (A + A.T) / 2)
        np.fill_diagonal(new_B, 0.0)
        moved = max(np.abs(new_Z - Z).max(), np.abs(new_B - B).max())
        Z, B = new_Z, new_B
        if moved <= TOLERANCE:
            break
    return Z, B, step


def bdr_objective(
    X: NDArray[np.float64],
    Z: NDArray[np.float64],
    B: NDArray[np.float64],
    lam: float,
    gamma: float,
    k: int,
) -> float:
    """½‖X − ZX‖² + (λ/2)‖Z − B‖² + γ · the k smallest eigenvalues of B's Laplacian."""
    smallest = eigh(np.diag(B.sum(axis=1)) - B, eigvals_only=True, subset_by_index=(0, k - 1))
    fit = np.linalg.norm(X - Z @ X) ** 2 / 2 + lam / 2 * np.linalg.norm(Z - B) ** 2
    return float(fit + gamma * smallest.sum())


def _growth(name: str) -> Callable[[], tuple[float, str]]:
    """Seconds at three sizes, and the exponent by which they grow."""

    def measure() -> tuple[float, str]:
        sizes, X = (500, 1000, 2000), _digits(2000)
        method = METHODS[name]
        preset: dict[str, Any] = dict(method.presets["digits"])
        method.solve(X[:60], n_clusters=10, **preset)
        taken = []
        for n in sizes:
            part = X[:: len(X) // n]
            work = partial(method.solve, part, n_clusters=10, **preset)
            taken.append(seconds(work))
        exponent = float(np.polyfit(np.log(sizes), np.log(taken), 1)[0])
        return exponent, ", ".join(f"{t:.2f} s at {n:,}" for n, t in zip(sizes, taken, strict=True))

    return measure


for _name in ("SSC", "LRR", "BDR"):
    row(f"{_name}, growth from 500 to 2,000 points", None, "exponent")(_growth(_name))
