"""``sdsc benchmark estimates``: estimated beside measured times; ``--measure`` what they rest on.

Every part of a run is one cell and is kept as soon as it is known, so that a run that was stopped
goes on where it was.
"""

import csv
import math
import time
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from sdsc_core.blocks import one_thread
from sdsc_core.cli.measuring import seconds
from sdsc_core.cli.warm import warm_up
from sdsc_core.compare import compare_cell
from sdsc_core.datasets import (
    SAMPLES,
    Dataset,
    load_known,
    make_faces,
    make_motion,
    make_subspaces,
    prepare,
    sample,
)
from sdsc_core.datasets.known import known_file
from sdsc_core.estimates import (
    AFFINITY,
    AGREEMENT,
    ANY_KIND,
    CRITERIA,
    DENSE,
    GROWTH,
    MEASURED,
    PARTS,
    SEED,
    SWEPT,
    Cell,
    at,
    estimate,
    read,
    trial,
)
from sdsc_core.kmeans import cluster_rows
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.run import sparse_stage
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping.criteria import agreement, silhouette, some_products, subspace_distance

LONGEST = 45.0  # seconds: a part that may take longer is not measured
BUSY = 1.4  # times the quickest `trial`: what is timed beside a slower one is not kept
LARGE = 20_000  # points, beyond which only W is measured
# By kind of data and features, the sizes that are measured.
SIZES = {
    ("digits", 10): (300, 1200, 2500, 5000, 20_000, 100_000),
    ("digits", 200): (300, 1200, 2500, 5000, 20_000),
    ("faces", 2016): (192, 384, 1024, 2560),
    ("motion", 60): (180, 600, 1500, 3000),
}


def parts_of(method: str, kind: str, n_features: int) -> tuple[str, ...]:
    """What is measured of a method on a kind of data.

    What follows a dense W depends on its size alone, so one method stands for all. Where the kind
    makes no difference the digits do, and faces for W with many features. A sweep is of IMC.
    """
    first = next(iter(SIZES)) == (kind, n_features)
    if method in ANY_KIND and kind == "motion":
        return ()
    if METHODS[method].dense:
        return PARTS if method == DENSE and first else PARTS[:1]
    if method in ANY_KIND and kind == "faces":
        return PARTS[:1]
    return PARTS + SWEPT if method == "IMC" else PARTS


def reference(kind: str, n_features: int, n_points: int) -> Dataset:
    """Data of a kind with so many features and points, made up.

    >>> reference("digits", 10, 500).X.shape, reference("motion", 60, 200).X.shape
    ((500, 10), (200, 60))
    """
    if kind == "faces":
        side = math.isqrt(n_features * 8 // 7)
        return make_faces(-(-n_points // 64), shape=(side, n_features // side))
    if kind == "motion":
        return make_motion(3, _shares(n_points, 3), n_features // 2, noise=1.0)
    if n_features < 30:
        return make_subspaces(6, 6, n_features, _shares(n_points, 6))
    return make_subspaces(10, 12, n_features, _shares(n_points, 10), noise=0.5)


def _shares(n: int, parts: int) -> list[int]:
    return [n // parts + (i < n % parts) for i in range(parts)]


class Timed:
    """A method on a data set; its parts are run one by one, W first."""

    def __init__(self, data: Dataset, method: str, kind: str):
        self.data, self.method, self.params = data, method, METHODS[method].presets[kind]
        self.kept: dict[str, Any] = {}

    def settings(self, part: str) -> RunSettings:
        dense = None if part in (AFFINITY, "none") else part
        return RunSettings.of_method(self.method, self.params, dense=dense)

    def run(self, part: str) -> None:
        """W anew, or all that follows from the last W."""
        if part in SWEPT:
            self._swept(part)[0]()
        elif part == AFFINITY:
            self.kept["sparse"] = sparse_stage(self.data, self.settings(part)), 0.0
        else:
            if "sparse" not in self.kept:
                self.run(AFFINITY)
            self.kept["run"] = compare_cell(self.data, self.settings(part), keep=self._keep)[1]

    def _swept(self, part: str) -> tuple[Callable[[], Any], int]:
        """Part of a sweep, on clusters that are there already, and how many times it is done."""
        if "side" not in self.kept:
            self.run("PCE")
            self.kept["side"] = self.kept["run"].after
            self.kept["products"] = some_products(self.data.X)
        side, (some, gram) = self.kept["side"], self.kept["products"]
        rows, labels, own = side.spectrum.embedding(side.k), side.labels, side.labels[some]
        works: dict[str, tuple[Callable[[], Any], int]] = {
            SEED: (lambda: [cluster_rows(rows, side.k, i) for i in range(1, 6)], 5 * side.k),
            CRITERIA: (lambda: (silhouette(rows, labels), subspace_distance(gram, own)), 1),
            AGREEMENT: (lambda: [agreement(labels, side.truth) for _ in range(100)], 100),
        }
        return works[part]

    def _keep(self, stage: str, key: Hashable, work: Callable[[], Any]) -> Any:
        if stage == "IMC":  # its picks serve W alone
            return (None, 0.0), 0.0
        return self.kept[stage] if stage in self.kept else work()

    def seconds(self, part: str) -> float:
        """The better of two runs, or the first where it takes long."""
        if part in SWEPT:
            work, times = self._swept(part)
            with one_thread():  # as a sweep does
                return min(seconds(work) for _ in range(3)) / times
        if part != AFFINITY and "sparse" not in self.kept:
            self.run(AFFINITY)
        took = seconds(lambda: self.run(part))
        return took if took > LONGEST / 20 else min(took, seconds(lambda: self.run(part)))


# What the estimates rest on.


def measure(
    methods: list[str], anew: bool, minutes: float = math.inf, path: Path = MEASURED
) -> None:
    """Measure what the file lacks, or all cells of the methods anew; each is kept at once.

    The small sizes come first, so that a run that was stopped knows something of every method.
    After so many minutes no more is begun.
    """
    end = time.monotonic() + 60 * minutes
    cells = {c[:5]: c for c in read(path) if not (anew and c.method in methods)}
    for step in range(max(map(len, SIZES.values()))):
        for method, ((kind, d), sizes) in product(methods, SIZES.items()):
            for cell in _cells(method, kind, d, sizes[step], cells) if step < len(sizes) else ():
                cells[cell[:5]] = cell
                _write(path, list(cells.values()))
                print(f"{method:<5} {kind:<6} D = {d:<5} N = {cell.n_points:<7} {cell.part:<5}"
                      f" {cell.seconds:.3g} s", flush=True)  # fmt: skip
                if time.monotonic() >= end:
                    print("The time is over; the same command goes on, without --anew.")
                    return


@cache
def _warm(method: str, kind: str, d: int) -> None:
    """Compile every kernel that is timed, those of many points too."""
    warm_up()
    small = Timed(reference(kind, d, 90), method, kind)
    for part in parts_of(method, kind, d):
        small.run(part)


def _cells(method: str, kind: str, d: int, n: int, known: dict[Any, Cell]) -> Iterator[Cell]:
    """The parts at one size that are not known and will not take too long."""
    wanted = parts_of(method, kind, d) if n <= LARGE else PARTS[:1]
    missing = [p for p in wanted if (method, kind, d, n, p) not in known]
    missing = [p for p in missing if _expected(method, kind, d, n, p, known) <= LONGEST]
    if not missing or _expected(method, kind, d, n, AFFINITY, known) > LONGEST:
        return
    _warm(method, kind, d)
    timed = Timed(reference(kind, d, n), method, kind)
    least = min((c.trial for c in known.values()), default=math.inf)
    before = trial()
    for part in missing:
        try:
            took = timed.seconds(part)
        except ValueError:  # it does not fit into memory
            return
        after = trial()
        least, speed = min(least, before, after), math.sqrt(before * after)
        if speed > BUSY * least:
            print(f"{method} N = {n} {part}: left out, the machine was busy", flush=True)
        else:
            yield Cell(method, kind, d, n, part, float(f"{took:.3g}"), float(f"{speed:.3g}"))
        before = after


def _expected(method: str, kind: str, d: int, n: int, part: str, known: dict[Any, Cell]) -> float:
    """Seconds by the growth between smaller sizes; nothing where less than two are known."""
    sizes = {
        c.n_points: c.seconds for c in known.values()
        if c[:3] == (method, kind, d) and c.part == part and c.n_points <= n
    }  # fmt: skip
    if n in sizes:
        return sizes[n]
    return at(n, sizes, GROWTH) if len(sizes) > 1 else 0.0


def _write(path: Path, cells: list[Cell]) -> None:
    order = list(METHODS)
    cells = sorted(cells, key=lambda c: (order.index(c.method), KINDS.index(c.kind), c[2:4]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Cell._fields)
        writer.writerows(cells)


# The comparison.


def compare(methods: list[str]) -> None:
    """Print what is estimated for each method and stage beside what it takes, W included.

    That is what the app says before a run; the last line says how many are within a factor of two.
    """
    print(f"{'data':<10}  {'N':>6}  {'D':>4}  {'method':<6}  {'stage':<5}  {'estimate':>9}"
          f"  {'measured':>9}  ratio")  # fmt: skip
    ratios: list[float] = []
    for method, (kind, d) in product(methods, SIZES):
        _warm(method, kind, d)
    for name, data, kind in _compared():
        for method in methods:
            for line in _lines(name, data, method, kind, ratios):
                print(line, flush=True)
    near = sum(0.5 <= ratio <= 2.0 for ratio in ratios)
    print(f"{near} of {len(ratios)} within a factor of two.")


def _lines(name: str, data: Dataset, method: str, kind: str, ratios: list[float]) -> Iterator[str]:
    n, d = data.X.shape
    timed = Timed(data, method, kind)
    took_W = None
    for part in PARTS[1:]:
        guess = estimate(method, n, d, kind, [AFFINITY, part])
        line = f"{name:<10}  {n:>6}  {d:>4}  {method:<6}  {part:<5}  {guess:>7.3g} s"
        if guess > LONGEST:
            yield f"{line}  not measured: over {LONGEST:.0f} s"
            continue
        try:
            took_W = timed.seconds(AFFINITY) if took_W is None else took_W
            took = took_W + timed.seconds(part)
        except ValueError as problem:
            yield f"{line}  {problem}"
            return
        ratios.append(guess / took)
        yield f"{line}  {took:>7.3g} s  {guess / took:>5.2f}"


def _compared() -> Iterator[tuple[str, Dataset, str]]:
    """The samples, each with its preset, and larger data that was not measured for the table."""
    for name in SAMPLES:
        data = sample(name)
        yield name, data, data.kind if data.kind in KINDS else "digits"
    for n in (5000, 20_000):
        yield "subspaces", make_subspaces(8, 5, 12, _shares(n, 8), random_state=1), "digits"
        noisy = make_subspaces(10, 10, 100, _shares(n, 10), noise=0.3, random_state=1)
        yield "noisy", noisy, "digits"
    if known_file("mnist_scattering"):
        data = load_known("mnist_scattering")
        yield "mnist", prepare(data, per_class=500), "digits"
