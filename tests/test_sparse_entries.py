"""One pass over the entries of a sparse matrix, beside what SciPy and definitions give."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sdsc_core import conn
from sdsc_core.conn import second_eigenvalue
from sdsc_core.labels.checking import check_labels
from sdsc_core.sparse.entries import (
    components_of,
    inner_graphs,
    is_symmetric,
    off_diagonal_entries,
    scaled,
    sums_by_group,
)
from sdsc_core.sparse.product import shifted_product
from tests import naive


def graph(n, share, seed=0):
    rng = np.random.default_rng(seed)
    W = np.triu(np.where(rng.random((n, n)) < share, rng.random((n, n)), 0.0), 1)
    return W + W.T


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
def test_components_are_those_of_scipy(share):
    W = sp.csr_array(graph(60, share))
    count, part = components_of(W)
    expected = connected_components(W, directed=False)
    assert count == expected[0] and np.array_equal(part, expected[1])


@pytest.mark.parametrize("share", [0.05, 0.4, 1.0])
def test_a_symmetric_matrix_is_told_from_one_that_is_not(share):
    W = sp.csr_array(graph(40, share))
    assert is_symmetric(W)
    for change in range(0, W.nnz, max(1, W.nnz // 7)):
        other = W.copy()
        other.data[change] = np.nextafter(other.data[change], 2)
        assert not is_symmetric(other)
        other.data[change] = 0.0
        other.eliminate_zeros()
        assert not is_symmetric(other)


def test_a_value_on_the_diagonal_is_symmetric():
    assert is_symmetric(sp.csr_array(np.array([[1.0, 2, 0], [2, 0, 0], [0, 0, 3]])))
    assert not is_symmetric(sp.csr_array(np.array([[0.0, 2, 0], [0, 0, 2], [2, 0, 0]])))
    assert not is_symmetric(sp.csr_array(np.array([[0.0, 0, 0], [0, 0, 0], [0, 2, 0]])))


def test_scaled_entries_and_sums_by_group_are_those_of_their_definitions():
    W, group = graph(30, 0.3), np.arange(30) % 4
    by, each = np.arange(1.0, 31), group[:, None] == np.arange(4)
    np.testing.assert_array_equal(
        scaled(sp.csr_array(W), by).toarray(), W * by[:, None] * by[None, :]
    )
    sums, counts = sums_by_group(W, group, 5)
    np.testing.assert_allclose(sums[:4, :4], each.T @ W @ each)
    np.testing.assert_array_equal(counts[:4, :4], each.T @ (W > 0).astype(int) @ each)
    assert not sums[4].any() and not counts[:, 4].any()


def test_inner_graphs_are_the_parts_of_the_matrix():
    W, group = graph(40, 0.4, 3), np.random.default_rng(0).integers(0, 3, 40)
    found = inner_graphs(W, group, 4)
    for g in range(3):
        own = np.flatnonzero(group == g)
        np.testing.assert_array_equal(found.graph(g).toarray(), W[np.ix_(own, own)])
    assert found.graph(3).shape == (0, 0)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.6])
def test_which_inner_graphs_are_connected(share):
    W, group = graph(60, share, 5), np.random.default_rng(1).integers(0, 4, 60)
    group[group == 2] = 1
    group[7] = 2  # a point by itself
    expected = []
    for g in range(5):
        own = W[np.ix_(group == g, group == g)]
        expected.append(len(own) > 1 and connected_components(own)[0] == 1)
    assert inner_graphs(W, group, 5).connected().tolist() == expected


@pytest.mark.parametrize("above", [0.0, 0.5, 1.0])
def test_entries_off_the_diagonal_and_above_a_value(above):
    W = graph(30, 0.3, 4) + np.diag(np.full(30, 0.9))
    data, columns, begins = off_diagonal_entries(sp.csr_array(W), above)
    expected = np.where((above < W) & ~np.eye(30, dtype=bool), W, 0.0)
    np.testing.assert_array_equal(
        sp.csr_array((data, columns, begins), shape=W.shape).toarray(), expected
    )


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("columns", [0, 1, 3])
def test_the_shifted_product_is_that_of_the_whole_matrix(linked, columns):
    rng = np.random.default_rng(columns)
    A, known = graph(50, 0.2, 2), rng.standard_normal((50, columns))
    weak = rng.random(50) * linked
    x = rng.standard_normal(50)
    whole = A + np.outer(weak, weak) - 1.5 * known @ known.T
    before = x.copy()
    found = shifted_product(sp.csr_array(A), weak, known, 1.5)(x)
    np.testing.assert_allclose(found, whole @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("n", [30, 200, pytest.param(700, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_second_eigenvalue_of_a_large_graph(monkeypatch, n, share):
    """With the last vectors alone, and entries of 32 bits."""
    monkeypatch.setattr(conn, "MANY", 10)
    W = graph(n, share, n)
    W[np.arange(n - 1), np.arange(1, n)] = W[np.arange(1, n), np.arange(n - 1)] = 0.5
    assert second_eigenvalue(sp.csr_array(W)) == pytest.approx(1 - naive.conn(W), abs=2e-7)


@pytest.mark.parametrize("W", [1 - np.eye(30), np.kron([[0, 1], [1, 0]], np.ones((9, 9)))])
def test_the_second_eigenvalue_of_a_large_graph_whose_space_ends_early(monkeypatch, W):
    monkeypatch.setattr(conn, "MANY", 10)
    assert second_eigenvalue(sp.csr_array(W)) == pytest.approx(1 - naive.conn(W), abs=2e-7)


@pytest.mark.parametrize("labels", [[3, 1, 3, 0], [7, 7], [5, -1, 5], [0, 10**9], [2, 0, 1]])
def test_labels_are_counted_as_if_they_were_sorted(labels):
    expected = np.unique(labels, return_inverse=True)[1]
    found = check_labels(np.array(labels))
    assert found.dtype == np.int64 and np.array_equal(found, expected)
