"""Work in blocks and in a thread of its own: progress, and how it is cancelled."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from sdsc_core.blocks import (
    OVERRUN,
    Cancelled,
    end_if_cancelled,
    n_threads,
    one_thread,
    one_thread_for,
    run_blocks,
    watched,
)
from sdsc_core.memory import available_memory
from sdsc_core.methods import METHODS
from sdsc_core.methods.solvers.admm import LassoAdmm

ROOT = Path(__file__).resolve().parents[1]


def test_watched_work_is_told_of_while_it_says_nothing_itself():
    """As long as one product may take: here until it was heard of three times."""
    heard, enough = [], threading.Event()

    def hear(done, total):
        heard.append((done, total))
        if len(heard) == 3:
            enough.set()

    assert watched(lambda tell: enough.wait(60), hear)
    assert len(heard) >= 3


def test_watched_work_passes_its_own_progress_on():
    heard, seen = [], threading.Event()

    def hear(done, total):
        heard.append((done, total))
        seen.set()

    watched(lambda tell: (tell(3, 7), seen.wait(60)), hear)
    assert heard[-1] == (3, 7)


def test_a_stop_does_not_wait_for_watched_work():
    """The caller is free at once; the thread ends where it next tells how far it is."""
    free, ended = threading.Event(), threading.Event()

    def work(tell):
        free.wait(60)
        try:
            tell(1, 2)
        except Cancelled:
            ended.set()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watched(work, stop)
    assert not ended.is_set()
    free.set()
    assert ended.wait(60)


def test_an_error_in_watched_work_is_the_callers():
    def fail(tell):
        raise ValueError("Give more.")

    with pytest.raises(ValueError, match="Give more"):
        watched(fail, lambda done, total: None)
    with pytest.raises(ValueError, match="Give more"):
        watched(fail, None)


def test_a_block_ends_in_its_middle():
    """Both blocks would wait for each other's end for good."""

    def wait_for_the_end(start, stop):
        while True:
            end_if_cancelled()

    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        run_blocks(wait_for_the_end, 2, 1, n_jobs=2, progress=stop)


@pytest.mark.parametrize("name, options", [
    ("SSC", {}), ("SSC", {"outliers": True}), ("SSC", {"affine": True}), ("ENSC", {}),
    ("SSSC", {}), ("SSSC", {"outliers": True}),
])  # fmt: skip
def test_solvers_look_within_a_block_whether_they_are_cancelled(monkeypatch, name, options):
    looks = []
    for module in ("admm", "elastic", "huber"):
        monkeypatch.setattr(
            f"sdsc_core.methods.solvers.{module}.end_if_cancelled", lambda: looks.append(1)
        )
    X = np.random.default_rng(0).standard_normal((100, 12))
    METHODS[name].solve(X, n_clusters=2, **options)
    assert len(looks) > 2  # there are two blocks


def test_admm_looks_every_few_steps(monkeypatch):
    def cancel():
        raise Cancelled

    monkeypatch.setattr("sdsc_core.methods.solvers.admm.end_if_cancelled", cancel)
    X = np.random.default_rng(0).standard_normal((20, 6))
    problem = LassoAdmm(X, 20.0, affine=False, outliers=True)
    with pytest.raises(Cancelled):
        problem.run(0, problem.start(0, 20), 100)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_stopped_from_beside(name):
    X = np.random.default_rng(0).standard_normal((60, 12))
    began = []

    def stop(done, total):
        began.append(done)
        raise Cancelled

    with pytest.raises(Cancelled):
        watched(lambda tell: METHODS[name].solve(X, n_clusters=2, progress=tell), stop)
    assert len(began) == 1


def pool_sizes():
    import sklearn.cluster  # noqa: F401, which brings OpenMP

    return {pool["num_threads"] for pool in threadpool_info()}


@pytest.mark.skipif(n_threads(None) < 2, reason="one core has one thread in any case")
def test_a_limit_within_a_limit_does_not_end_it():
    free = pool_sizes()
    with one_thread():
        with one_thread():
            assert pool_sizes() == {1}
        assert pool_sizes() == {1}
    assert pool_sizes() == free


@pytest.mark.skipif(n_threads(None) < 2, reason="one core has one thread in any case")
def test_a_product_of_many_rows_has_one_thread():
    free = pool_sizes()
    with one_thread_for(OVERRUN):
        assert pool_sizes() == free
    with one_thread_for(OVERRUN + 1):
        assert pool_sizes() == {1}


@pytest.mark.skipif(available_memory() < 8 << 30, reason="needs 8 GB of memory")
def test_a_product_of_many_rows_does_not_end_the_process():
    """Of 20,000 × 200 it did, in OpenBLAS."""
    code = "import numpy as np; from sdsc_core.blocks import gram; gram(np.ones((20_000, 200)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.skipif(n_threads(None) < 2, reason="one core has one thread in any case")
def test_the_limit_to_one_thread_holds_in_every_thread():
    """threadpoolctl heeds the first thread that set BLAS's limit; OpenMP's is each thread's own."""
    free = pool_sizes()
    inside, one_is_out, seen = threading.Barrier(3), threading.Event(), []

    def work(leaves_first):
        with one_thread():
            inside.wait(60)
            seen.append(pool_sizes())
            inside.wait(60)
            if not leaves_first:
                one_is_out.wait(60)
                seen.append(pool_sizes())

    with one_thread():
        pass  # the main thread was first
    first, last = (threading.Thread(target=work, args=(leaves,)) for leaves in (True, False))
    first.start()
    last.start()
    inside.wait(60)
    inside.wait(60)
    first.join(60)
    one_is_out.set()
    last.join(60)
    assert seen == [{1}] * 3 and pool_sizes() == free
