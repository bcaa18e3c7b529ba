"""CONN's Lanczos in its parts: tridiagonal matrices beside LAPACK, and where it stops."""

import numpy as np
import pytest
import scipy.sparse as sp

from sdsc_core import conn
from tests import naive


def tridiagonal(m, seed):
    """Diagonal and what is beside it, and the matrix; all eigenvalues within [-2, 2]."""
    rng = np.random.default_rng(seed)
    diagonal, beside = rng.uniform(-0.8, 0.8, m), rng.uniform(0.05, 0.6, m)
    beside[-1] = 7.0  # of the next vector: no part of the matrix
    T = np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)
    return diagonal, beside, T


@pytest.mark.parametrize("x", [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
def test_an_eigenvalue_is_counted_above_what_is_less_than_it(x):
    """At −1, 0 and 1 a pivot of [[0, 1], [1, 0]] is 0, and at −1 one is 1."""
    found = conn._above(np.zeros(2), np.array([1.0, 7.0]), x)
    assert found == sum(value > x for value in (-1.0, 1.0))


@pytest.mark.parametrize("m", [1, 2, 3, 12])
def test_a_tridiagonal_matrix_has_the_eigenvalues_of_lapack(m):
    for seed in range(5):
        diagonal, beside, T = tridiagonal(m, seed)
        values, vectors = np.linalg.eigh(T)
        found = [conn._kth(diagonal, beside, k) for k in range(m, 0, -1)]
        np.testing.assert_allclose(found, values, atol=1e-13)
        value, last = conn._largest(diagonal, beside)
        assert value == pytest.approx(values[-1], abs=1e-13)
        assert last == pytest.approx(abs(vectors[-1, -1]), rel=1e-6)


def two_blocks(n):
    """A second eigenvalue far above the third: few steps find it."""
    noise = np.triu(np.random.default_rng(0).random((n, n)), 1)
    group = np.arange(n) % 2
    return (noise + noise.T) * np.where(group[:, None] == group, 1.0, 0.1)


def test_few_steps_suffice_where_the_residual_says_so(monkeypatch):
    W = two_blocks(60)
    monkeypatch.setattr(conn, "MOST_STEPS", 24)
    found = conn.second_eigenvalue(sp.csr_array(W))
    assert found == pytest.approx(1 - naive.conn(W), abs=1e-10)
    monkeypatch.setattr(conn, "ACCURACY", -1.0)
    assert conn.second_eigenvalue(sp.csr_array(W)) is None


def test_of_a_large_graph_the_distance_to_the_next_eigenvalue_bounds_the_error(monkeypatch):
    W = two_blocks(60)
    monkeypatch.setattr(conn, "MOST_STEPS", 24)
    monkeypatch.setattr(conn, "MANY", 10)
    monkeypatch.setattr(conn, "ACCURACY", -1.0)
    found = conn.second_eigenvalue(sp.csr_array(W))
    assert found == pytest.approx(1 - naive.conn(W), abs=2e-7)
    monkeypatch.setattr(conn, "CLOSE", -1.0)
    assert conn.second_eigenvalue(sp.csr_array(W)) is None
