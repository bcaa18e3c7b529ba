"""Memory is granted before it is taken: estimates hold, and sessions count together."""

import subprocess
import sys
import threading
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from pages.shared.memory import Memory
from sdsc_core import (
    BASELINES,
    Grid,
    account,
    changes,
    confusion,
    connectivity,
    densify,
    explain,
    figures,
    fit_subspaces,
    imc,
    kmeans,
    pce,
    run_stages,
    spectrum,
    subspaces,
    summarise,
    sweep,
)
from sdsc_core.blocks import Cancelled, all_work_within, watched
from sdsc_core.datasets import Dataset, make_subspaces, points_csv, prepare
from sdsc_core.datasets.wavelets import scattering_vectors
from sdsc_core.dense import DENSE as REGISTRY
from sdsc_core.dense import dense_stage
from sdsc_core.endable import lloyd
from sdsc_core.endable.decompose import all_pairs
from sdsc_core.fitted.files import distances_csv
from sdsc_core.fitted.nearest import nearest_subspace
from sdsc_core.kmeans import cluster_rows, in_steps
from sdsc_core.memory import TooLarge, available, budget, check_memory, free_room, working_for
from sdsc_core.methods import METHODS
from sdsc_core.script import affinity_npz, changes_csv
from sdsc_core.session import Session, write_session

MB = 1_000_000


@pytest.fixture
def own(monkeypatch):
    """A budget with nobody else in it, on a machine with 1 GB free."""
    found = budget.Budget()
    monkeypatch.setattr(budget, "BUDGET", found)
    monkeypatch.setattr(available, "available_memory", lambda: 1000 * MB)
    return found


class TestAvailable:
    @pytest.fixture
    def cgroup(self, tmp_path, monkeypatch):
        monkeypatch.setattr(available, "CGROUP", tmp_path)
        monkeypatch.setattr(available, "OWN_CGROUP", tmp_path / "own")
        monkeypatch.setattr(available, "_free_by_kernel", lambda: 64 << 30)

        def write(folder, limit, used, cache):
            folder.mkdir(exist_ok=True, parents=True)
            (folder / "memory.max").write_text(f"{limit}\n")
            (folder / "memory.current").write_text(f"{used}\n")
            (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\n")

        return write

    def test_a_containers_limit_less_its_use(self, cgroup, tmp_path):
        cgroup(tmp_path, 500 * MB, 300 * MB, 100 * MB)
        assert available.available_memory() == 300 * MB

    def test_no_limit(self, cgroup, tmp_path):
        cgroup(tmp_path, "max", 300 * MB, 0)
        assert available.available_memory() == 64 << 30

    def test_a_unit_lies_deeper_and_its_parents_count_too(self, cgroup, tmp_path):
        (tmp_path / "own").write_text("0::/system.slice/sdsc.service\n")
        cgroup(tmp_path / "system.slice" / "sdsc.service", 900 * MB, 100 * MB, 0)
        assert available.available_memory() == 800 * MB
        cgroup(tmp_path / "system.slice", 500 * MB, 400 * MB, 0)
        assert available.available_memory() == 100 * MB

    @pytest.mark.parametrize("kind", ["RLIMIT_AS", "RLIMIT_DATA"])
    def test_ulimit(self, kind):
        code = (
            "import resource; from sdsc_core.memory import available_memory as a; before = a();"
            f"from pathlib import Path; p = Path('/proc/self/statm').read_text().split();"
            f"used = int(p[{0 if kind == 'RLIMIT_AS' else 5}]) * resource.getpagesize();"
            f"resource.setrlimit(resource.{kind}, (used + 200_000_000,) * 2); print(before, a())"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        before, after = map(int, said.stdout.split())
        assert before > 300 * MB > after > 100 * MB, said.stderr


class TestBudget:
    def test_half_of_what_is_free_may_be_used(self, own):
        check_memory(500 * MB, "IMC", 10)
        with pytest.raises(TooLarge, match=r"X has 10 points, for which IMC needs about 0\.47 GiB"):
            check_memory(501 * MB, "IMC", 10)

    def test_two_that_start_at_once_count_together(self, own):
        """What one was granted is held until it ends."""
        granted, end, said = threading.Event(), threading.Event(), []

        def first():
            with working_for(one):
                check_memory(300 * MB, "IMC", 10)
                granted.set()
                end.wait(10)

        one, two = own.open(lambda: 0, lambda: None), own.open(lambda: 0, lambda: None)
        thread = threading.Thread(target=first)
        thread.start()
        assert granted.wait(10)
        with working_for(two):
            assert free_room() == 200 * MB
            with pytest.raises(TooLarge) as caught:
                check_memory(300 * MB, "D3", 10)
            assert "0.19 GiB may be used beside what others compute" in str(caught.value), said
            end.set()
            thread.join()
            check_memory(300 * MB, "D3", 10)
        assert own.granted() == 0

    def test_stages_of_one_run_follow_each_other(self, own):
        account = own.open(lambda: 0, lambda: None)
        with working_for(account):
            check_memory(100 * MB, "IMC", 10)
            check_memory(60 * MB, "PCE", 10)
            assert account.granted == 100 * MB, "the largest, not their sum"
        assert account.granted == 0

    def test_a_session_keeps_and_takes_no_more_than_its_own(self, own):
        own.session = 200 * MB
        account = own.open(lambda: 150 * MB, lambda: None)
        with working_for(account):
            check_memory(50 * MB, "PCE", 10)
            with pytest.raises(TooLarge, match="may be used by this session"):
                check_memory(51 * MB, "PCE", 10)
        check_memory(400 * MB, "PCE", 10)  # a program has no session

    def test_all_sessions_together(self, own):
        own.server, own.session = 300 * MB, 10**12
        accounts = [own.open(lambda: 100 * MB, lambda: None) for _ in range(2)]
        with working_for(accounts[0]):
            check_memory(100 * MB, "PCE", 10)
            with pytest.raises(TooLarge, match="may be used beside all other sessions"):
                check_memory(101 * MB, "PCE", 10)
        del accounts[1]  # closed: what it kept counts no more
        with working_for(accounts[0]):
            check_memory(200 * MB, "PCE", 10)

    def test_results_that_are_not_shown_give_way_first(self, own):
        own.session = 300 * MB
        results = Memory(10**9)
        account = own.open(lambda: results.nbytes, results.let_go)
        for run in (1, 2):
            results.run = run
            results.get(run, lambda: np.zeros(100 * MB, np.uint8))
        with working_for(account):
            check_memory(90 * MB, "PCE", 10)
            assert len(results) == 2
            check_memory(150 * MB, "PCE", 10)
            assert 1 not in results and 2 in results, "what the present run used stays"
            with pytest.raises(TooLarge):
                check_memory(250 * MB, "PCE", 10)

    def test_work_in_a_thread_counts_for_its_session(self, own):
        account, granted = own.open(lambda: 0, lambda: None), []

        def work(tell):
            check_memory(7, "IMC", 10)
            granted.append(account.granted)

        all_work_within(lambda tell: working_for(account))
        try:
            watched(work, lambda done, total: None)
        finally:
            all_work_within(None)
        assert granted == [7] and account.granted == 0


N = 1200
POINTS = make_subspaces(6, 4, 30, N // 6, noise=0.05).X
SPARSE = imc(POINTS[:N], 8).affinity()
WIDE = pce(SPARSE, 0.3, 0.1)
DENSE = (0.2 + 0.8 * np.random.default_rng(0).random((400, 400))).round(3)
DENSE = np.maximum(DENSE, DENSE.T)
np.fill_diagonal(DENSE, 0.0)
LABELS = np.arange(N) % 6
ALL = replace(spectrum(SPARSE, 16), vectors=np.random.default_rng(0).random((N, 1000)))
PLACES, GROUPS = np.random.default_rng(0).random((20_000, 2)), np.arange(20_000) % 2
TITLES = [
    f"point {k}, row {k}, a name of some letters, class of a name, 1 of W" for k in range(20_000)
]
PICTURES = np.zeros((500, 60, 60), np.uint8)
NAMED = Dataset(
    np.random.default_rng(0).random((20_000, 20)), GROUPS, "named", ("c" * 30, "d"),
    identifiers=np.array([f"identifier of the point {k}" for k in range(20_000)]),
)  # fmt: skip
FEW = np.random.default_rng(1).standard_normal((1200, 20))
HIGH = Dataset(np.random.default_rng(0).standard_normal((600, 3000)), None, "high")
PLANES = fit_subspaces(HIGH.X, np.arange(600) % 3)
MANY_PLANES = fit_subspaces(POINTS, np.arange(N) % 300)
SWEPT = make_subspaces(6, 4, 30, 200, noise=0.05)
RUN = run_stages(replace(SWEPT, identifiers=np.array([f"a name of point {k}" for k in range(N)])))
CHANGED = changes(RUN.before.W, RUN.after.W)
DESCRIBED = subspaces(SWEPT.X, RUN.after.labels)
STAGES = {
    "IMC by blocks": lambda: (
        check_memory(METHODS["IMC"].bytes_for(*POINTS.shape), "IMC", N),
        imc(POINTS, 6, search="blocks"),
    ),
    "IMC by a matrix": lambda: (
        check_memory(METHODS["IMC"].bytes_for(*POINTS.shape), "IMC", N),
        imc(POINTS, 6, search="auto"),
    ),
    "PCE": lambda: pce(SPARSE, 0.3, 0.1),
    "D3": lambda: densify(SPARSE, "D3"),
    "D1 of an array": lambda: densify(DENSE, "D1"),
    "D2 of an array": lambda: densify(DENSE, "D2"),
    "PCE of an array": lambda: pce(DENSE),
    "spectrum": lambda: spectrum(WIDE, 16, 6),
    "whole spectrum": lambda: spectrum(WIDE, 300, 300),
    "spectrum of an array": lambda: spectrum(DENSE, 6),
    "figures": lambda: summarise(WIDE, LABELS, LABELS, spectrum_=None),
    "causes": lambda: changes(SPARSE, WIDE, "PCE", 0.3, 0.1),
    "causes of an array": lambda: changes(DENSE, DENSE),
    "one pair of an array": lambda: explain(DENSE, 0, 1),
    **{
        f"one pair of {name}": lambda name=name: account(DENSE, 0, 1, name)
        for name in ("Sinkhorn", "Diffusion", "Mutual")
    },
    "picture": lambda: figures.matrix_view(SPARSE, WIDE, np.arange(N)),
    "file": lambda: affinity_npz(WIDE),
    "file of an array": lambda: affinity_npz(DENSE),
    "projection": lambda: figures.projection(ALL, 900, 2),
    "chart of affinities": lambda: figures.affinities([("W", SPARSE), ("W*", WIDE)]).to_html(),
    "chart of an array": lambda: figures.affinities([("W", DENSE)]).to_html(),
    "chart of an embedding": lambda: figures.embedding(
        [("W", PLACES), ("W*", PLACES)], GROUPS, ["a", "b"], titles=TITLES
    ).to_html(),
    "confusion": lambda: figures.confusion_matrix(
        np.ones((700, 700), int), ["c"] * 700, np.arange(700)
    ).to_json(),
    "sheet": lambda: figures.contact_sheet(PICTURES, np.zeros(500, bool), zoom=2),
    "table of points": lambda: points_csv(NAMED, GROUPS, GROUPS),
    "KNN with many links": lambda: METHODS["KNN"].solve(FEW, n_neighbours=1000),
    "IMC with many picks": lambda: METHODS["IMC"].solve(FEW, n_iterations=300),
    **{
        f"{name} of {what}": lambda name=name, W=W: dense_stage(W, name)
        for name in REGISTRY
        for what, W in {"many links": WIDE, "all links": DENSE}.items()
    },
    **{name: lambda name=name: BASELINES[name].cluster(POINTS, 6) for name in BASELINES},
    "scattering": lambda: scattering_vectors(PICTURES[:100, :28, :28]),
    "PCA": lambda: prepare(HIGH, pca=50),
    "standardising": lambda: prepare(HIGH, standardise=True, unit_norm=True),
    "subspaces": lambda: fit_subspaces(HIGH.X, np.arange(600) % 3),
    "prediction": lambda: nearest_subspace(HIGH.X, PLANES),
    "prediction of many": lambda: nearest_subspace(np.tile(POINTS, (10, 1)), MANY_PLANES),
    "sweep": lambda: sweep(SWEPT, Grid((3,), (0.8,), (0.6,), dense=("PCE",)), n_clusters=6),
    "table of pairs": lambda: changes_csv(RUN, CHANGED),
    "table of distances": lambda: distances_csv(RUN, DESCRIBED),
    "session": lambda: write_session(Session({"a": NAMED, "b": NAMED})),
}


@pytest.mark.parametrize("stage", STAGES)
def test_estimates_hold_and_are_not_far_off(stage, monkeypatch):
    """No stage takes more than it was granted, and none asks for many times what it takes."""
    found = budget.Budget()
    monkeypatch.setattr(budget, "BUDGET", found)
    STAGES[stage]()  # compiles and imports
    tracemalloc.start()
    try:
        with working_for(None):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            kept = STAGES[stage]()
            peak = tracemalloc.get_traced_memory()[1] - before
            granted = found.granted()
    finally:
        tracemalloc.stop()
    assert kept is not None
    assert peak <= 1.05 * granted + 3 * MB, f"took {peak / MB:.1f} of {granted / MB:.1f} MB"
    assert granted <= 6 * peak + 3 * MB, f"took {peak / MB:.1f} of {granted / MB:.1f} MB"


def test_estimate_of_a_picture_for_papers():
    """Matplotlib's own memory is not Python's: by the largest size of a process that draws."""
    code = """
import re
from sdsc_core import figures
from sdsc_core.memory import budget
def most(): return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
figure = figures.paper_eigenvalues([("W", [1.0, 0.9, 0.2], 2)])
figures.figure_file(figure, "png", 50)
before = most()
with budget.working_for(None):
    figures.figure_file(figure, "png", 500)
    print(most() - before, budget.BUDGET.granted())
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    peak, granted = map(int, said.stdout.split())
    assert peak <= 1.05 * granted + 3 * MB and granted <= 4 * peak, (peak, granted)


def test_a_figure_of_many_dots_is_refused(own):
    figure = figures.paper_eigenvalues([("W", [1.0, 0.9], 1)], paper=figures.Paper(1000))
    says = r"^A picture of 47,244 × .* pixels needs about .* so choose fewer dots per inch"
    with pytest.raises(TooLarge, match=says):
        figures.figure_file(figure, "png", 1200)
    assert figures.figure_file(figure, "svg", 1200), "lines and letters have no dots"


class TestManyClusters:
    def test_in_steps_is_as_good(self):
        rng = np.random.default_rng(0)
        rows = np.repeat(rng.standard_normal((40, 40)), 5, axis=0)
        rows += 0.01 * rng.standard_normal(rows.shape)
        labels = in_steps(rows, 40, 0).labels_
        assert len(set(labels.tolist())) == 40
        assert (labels.reshape(40, 5) == labels.reshape(40, 5)[:, :1]).all()

    def test_as_many_as_points_end_when_nobody_waits(self):
        """2,000 clusters of 2,000 points: the thread ends soon after whoever asked is gone."""
        rows = np.random.default_rng(0).standard_normal((2000, 2000))
        begun, ended = threading.Event(), threading.Event()

        def work(tell):
            begun.set()
            try:
                return cluster_rows(rows, 1000, 0)
            finally:
                ended.set()

        def stop(done, total):
            if begun.is_set():
                raise Cancelled

        with pytest.raises(Cancelled):
            watched(work, stop)
        assert ended.wait(1)

    def test_starts_one_by_one_are_the_same(self, monkeypatch):
        rows = np.random.default_rng(0).standard_normal((300, 6))
        at_once = lloyd.best_start(rows, 8, 3, 10)
        monkeypatch.setattr(lloyd, "SOME", 0)
        one_by_one = lloyd.best_start(rows, 8, 3, 10)
        assert one_by_one.inertia_ == at_once.inertia_
        assert np.array_equal(one_by_one.labels_, at_once.labels_)

    def test_some_rows_at_a_time_are_the_same(self, monkeypatch):
        rows = np.random.default_rng(0).standard_normal((200, 5))
        whole = in_steps(rows, 7, 0)
        monkeypatch.setattr(kmeans, "A_STEP", 100)
        monkeypatch.setattr(lloyd, "A_PIECE", 35 * 30)  # 30 rows of 200
        pieces = in_steps(rows, 7, 0)
        assert np.array_equal(pieces.labels_, whole.labels_)
        assert pieces.inertia_ == pytest.approx(whole.inertia_)

    def test_a_centre_without_points_moves(self):
        rows, centres = np.repeat(np.eye(4), 3, axis=0), np.eye(4)
        centres[3] = 9.0
        moved = lloyd.one_iteration(rows, centres)
        assert moved.labels_.max() == 3 and (moved.cluster_centers_[3] == np.eye(4)[3]).all()
        same = lloyd.one_iteration(np.ones((5, 2)), np.array([[1.0, 1.0], [2.0, 2.0]]))
        assert same.inertia_ == 0 and same.cluster_centers_[1].tolist() == [2.0, 2.0]

    def test_a_decomposition_ends_when_nobody_waits(self):
        """LAPACK itself hears nobody: its process is ended, and one that is not gives the same."""
        A = np.random.default_rng(0).standard_normal((1000, 1000))
        A = A + A.T
        values, vectors = watched(lambda tell: all_pairs(A), lambda done, total: None)
        assert np.allclose(vectors * values @ vectors.T, A)
        assert np.allclose(values, np.linalg.eigvalsh(A))
        large, ended = np.tile(A, (4, 4)), threading.Event()

        def work(tell):
            try:
                all_pairs(large)
            finally:
                ended.set()

        def stop(done, total):
            raise Cancelled

        with pytest.raises(Cancelled):
            watched(work, stop)
        assert ended.wait(1), "4,000 points take a minute"

    def test_figures_of_many_clusters_end_too(self):
        W, labels, ended = WIDE, np.arange(N), threading.Event()

        def work(tell):
            try:
                return connectivity(W, labels)
            finally:
                ended.set()

        def stop(done, total):
            raise Cancelled

        with pytest.raises(Cancelled):
            watched(work, stop)
        assert ended.wait(2)

    def test_a_table_of_clusters_that_would_fill_the_memory_is_not_made_or_refused(self, own):
        each = np.arange(20_000)
        with working_for(None):
            assert summarise(sp.csr_array((20_000, 20_000)), each).ncut == 0
            with pytest.raises(TooLarge, match="20,000 classes and 20,000 clusters"):
                confusion(each, each)
