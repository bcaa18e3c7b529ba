"""LAPACK without Python's lock: the same as NumPy finds, while other threads go on."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from sdsc_core.methods.solvers import lapack

ROOT = Path(__file__).resolve().parents[1]
KEEP_THE_LOCK = {"cho_factor", "cho_solve", "cholesky", "eigh", "inv", "qr", "solve", "svd"}
N = 900


def symmetric(n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A + A.T


def positive(n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A @ A.T + np.eye(n)


def test_lowest_pairs_are_those_of_the_whole_spectrum():
    A = symmetric(60)
    values, vectors = lapack.lowest_pairs(A.copy(), 7)
    assert np.allclose(values, np.linalg.eigvalsh(A)[:7])
    assert np.allclose(A @ vectors, vectors * values)
    assert np.allclose(vectors.T @ vectors, np.eye(7))


@pytest.mark.parametrize("limit", [-1e3, 2.0, 1e3])
def test_pairs_above_a_limit(limit):
    A = symmetric(60)
    values, vectors = lapack.pairs_above(A.copy(), limit)
    whole = np.linalg.eigvalsh(A)
    assert np.allclose(values, whole[whole > limit]) and vectors.shape == (60, len(values))
    assert np.allclose(A @ vectors, vectors * values)


def test_a_positive_matrix_is_solved_and_no_other():
    A, B = positive(40), np.random.default_rng(1).standard_normal((40, 3))
    before = B.copy()
    assert np.allclose(A @ lapack.positive_solve(A.copy(), B), B)
    assert (before == B).all()
    assert lapack.is_positive(A.copy()) and not lapack.is_positive(symmetric(40))
    with pytest.raises(np.linalg.LinAlgError):
        lapack.positive_solve(symmetric(40), B)


def test_a_matrix_in_columns_is_the_same():
    A = positive(30)
    assert np.allclose(lapack.positive_solve(np.asfortranarray(A), A), np.eye(30))


def test_what_is_not_finite_is_refused():
    A = positive(5)
    A[1, 2] = np.nan
    for work in (lapack.is_positive, lambda a: lapack.lowest_pairs(a, 2)):
        with pytest.raises(ValueError, match="infs or NaNs"):
            work(A.copy())


WORK = {
    "lowest_pairs": lambda: lapack.lowest_pairs(symmetric(N), 9),
    "pairs_above": lambda: lapack.pairs_above(symmetric(N), 0.0),
    "positive_solve": lambda: lapack.positive_solve(positive(N), np.eye(N)),
    "is_positive": lambda: [lapack.is_positive(positive(2 * N)) for _ in range(2)],
}


def longest_wait(work, monkeypatch):
    """Of another thread, as a share of the longest call of LAPACK that the work makes."""
    beats, within, call, over = [], [], lapack._call, threading.Event()

    def beat():
        while not over.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.002)

    def timed(*args):
        begun = time.perf_counter()
        info = call(*args)
        within.append((begun, time.perf_counter()))
        return info

    other = threading.Thread(target=beat, daemon=True)
    with monkeypatch.context() as patched:
        patched.setattr(lapack, "_call", timed)
        other.start()
        try:
            work()
        finally:
            over.set()
            other.join()
    begun, ended = max(within, key=lambda one: one[1] - one[0])
    times = np.array([begun, *(t for t in beats if begun < t < ended), ended])
    return np.diff(times).max() / (ended - begun)


@pytest.mark.parametrize("name", WORK)
def test_other_threads_go_on_meanwhile(name, monkeypatch):
    """With the lock kept no other thread ever has a turn; without it one may wait by chance."""
    assert any(longest_wait(WORK[name], monkeypatch) < 0.8 for _ in range(20))


def test_no_method_takes_what_keeps_the_lock():
    """All sessions of a server would wait: seconds for 3,000 points, more where it is busy."""
    for file in sorted((ROOT / "sdsc_core" / "methods").rglob("*.py")):
        for line in file.read_text().splitlines():
            if line.startswith("from scipy.linalg import"):
                taken = set(line.split("import")[1].replace(",", " ").split()) & KEEP_THE_LOCK
                assert not taken, f"{file.name} takes {taken} from SciPy; see solvers/lapack.py"
