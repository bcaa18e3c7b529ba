"""The picks themselves, ties included: IMC, its trace, OMP, KNN and the search under them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sdsc_core import imc
from sdsc_core.methods.knn import knn
from sdsc_core.methods.omp import omp
from sdsc_core.search import blocks, make_search
from sdsc_core.tracing import trace
from tests import naive
from tests.conftest import examples

# Few distinct values: duplicates, negated and constant samples, and ties in abundance.
VALUES = st.sampled_from([-1.0, 0.0, 1.0, 2.0])
SHAPES = st.one_of(
    st.tuples(st.integers(3, 12), st.integers(2, 6)),
    st.tuples(st.integers(3, 12), st.integers(17, 19)),  # enough features for a Gram matrix
)
TIED = arrays(np.float64, SHAPES, elements=VALUES)
READINGS = ["as_printed", "centred"]
FREE = ("tree", "blocks")  # strategies that take any residual; gram follows those of a method
WAYS = pytest.mark.parametrize("search", ["tree", "gram", "blocks"])


def unit(X):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms == 0, 1, norms)


def clear_steps(X, picks, residual):
    """For each row the steps that rounding cannot turn: the residual is large, or gone for good."""
    U = unit(X - X.mean(axis=1, keepdims=True) if residual == "centred" else X)
    clear = np.zeros(len(X), int)
    for i, row in enumerate(picks):
        psi = U[i].copy()
        for j in row:
            if 1e-14 < np.linalg.norm(psi - psi.mean()) < 1e-3:
                break
            clear[i] += 1
            psi = psi - (psi @ U[j]) * U[j] if j >= 0 else psi
    return clear


@WAYS
@pytest.mark.parametrize("residual", READINGS)
@examples(60)
@given(X=TIED, data=st.data())
def test_imc_and_its_trace_pick_what_the_transcription_picks(residual, search, X, data):
    gamma = data.draw(st.integers(1, len(X) - 1))
    expected, values = naive.imc(X, gamma, residual)
    path = imc(X, gamma, residual=residual, search=search)
    for i, clear in enumerate(clear_steps(X, expected, residual)):
        assert path.picks[i, :clear].tolist() == expected[i, :clear].tolist()
        np.testing.assert_allclose(path.correlations[i, :clear], values[i, :clear], atol=1e-9)
        steps = trace(X, i, gamma, residual=residual).picks
        found = steps + [-1] * (gamma - len(steps))
        assert found[:clear] == expected[i, :clear].tolist()


@WAYS
@examples(60)
@given(X=TIED, data=st.data())
def test_omp_picks_what_the_transcription_picks(search, X, data):
    n_nonzero = data.draw(st.integers(1, len(X) - 1))
    C = omp(X, n_nonzero=n_nonzero, search=search).C.toarray()
    np.testing.assert_allclose(C, naive.omp(X, n_nonzero), atol=1e-7)


@examples(60)
@given(X=TIED, data=st.data())
def test_knn_links_as_strongly_as_the_transcription(X, data):
    k = data.draw(st.integers(1, len(X) - 1))
    C = knn(X, n_neighbours=k).C.toarray()
    for i in range(len(X)):
        rho = np.array([abs(naive.pearson(X[i], x)) for x in X])
        np.testing.assert_allclose(C[i], np.where(C[i] > 0, rho, 0), atol=1e-9)
        rho[i] = 0
        strongest = np.sort(rho)[::-1][:k]
        np.testing.assert_allclose(np.sort(C[i])[::-1][:k], strongest, atol=1e-7)


def find(strategy, Z, residuals, own):
    found = make_search(np.ascontiguousarray(Z, dtype=float), 1, strategy).rows(np.asarray(own))
    picks, products = found.find(np.ascontiguousarray(residuals, dtype=float))
    return picks[:, 0], products[:, 0]


def check_search(Z, residuals, own):
    """The pick is the lowest index of the largest |product|, as a plain loop finds it."""
    for strategy in FREE:
        _check_search(strategy, Z, residuals, own)


def _check_search(strategy, Z, residuals, own):
    picks, products = find(strategy, Z, residuals, own)
    for r, i in enumerate(own):
        assert picks[r] == naive.pick(residuals[r], Z, i)
        if picks[r] >= 0:
            assert products[r] == pytest.approx(residuals[r] @ Z[picks[r]], rel=1e-12)


@examples(100)
@given(X=TIED, scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_search_among_ties(X, scale):
    Z = unit(X)
    check_search(Z, scale * Z, np.arange(len(Z)))
    check_search(Z, scale * np.roll(Z, 1, axis=1), np.arange(len(Z)))


@pytest.mark.parametrize("n", [31, 32, 33, 34, 35, 63, 64, 65, 66, 130])
def test_search_among_many_equal_points(n):
    """More equal points than a list of candidates holds, from the first place and from others."""
    Z = np.zeros((n + 3, 3))
    Z[:, 0] = 1.0
    Z[1::2, 0] = -1.0
    Z[0] = [0.6, 0.8, 0.0]
    Z[-1] = [0.0, 0.0, 1.0]
    own = np.array([0, 1, 2, n, n + 1, n + 2])
    check_search(Z, Z[own] + [0.1, 0.0, 0.2], own)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of the blocks of so many points that a few make two."""
    monkeypatch.setattr(blocks, "TILE", TILE)


TILE = 64


@pytest.mark.parametrize("weak", [3, 32, 40])
@pytest.mark.parametrize("strong", [1, 32, 40])
def test_search_where_better_points_come_late(weak, strong, small_tiles):
    """Candidates of an earlier part give way to better ones, or stay where those are equal."""
    Z = np.zeros((2 * TILE, 4))
    Z[:, 3] = 1.0  # nothing to a residual without a fourth entry
    early_and_late = [(0.5, 0.9), (-0.9, 0.9), (0.9, 0.9 - 1e-7), (0.9, -0.9 + 1e-9), (0.9, 0.5)]
    for value, late in early_and_late:
        for at, count, size in ((17, weak, value), (TILE + 4, strong, late)):
            Z[at : at + count] = [size, np.sqrt(1 - size**2), 0, 0]
        own = np.array([5, 17, TILE + 4, TILE + 5])
        check_search(Z, np.tile([2.0, 0, 0, 0], (4, 1)), own)


def test_search_where_one_late_point_stands_out(small_tiles):
    """Everything early is fairly good, nearly everything late is poor."""
    size = np.where(np.arange(2 * TILE) < TILE, 0.5, 0.1)
    size[TILE + 4] = 0.9
    Z = np.stack([size, np.sqrt(1 - size**2)], axis=1)
    check_search(Z, np.array([[1.0, 0], [-3.0, 0]]), np.array([7, TILE + 5]))


@pytest.mark.parametrize("gap", [1e-6, 1e-8, 1e-10, 1e-11, 2e-13, 0.0])
def test_search_tells_points_apart_beyond_single_precision(gap):
    """A later point that is better by more than the tie wins; by less, the first one."""
    a = 0.5 + gap
    Z = np.array([[1.0, 0, 0], [0.5, np.sqrt(0.75), 0], [a, 0, np.sqrt(1 - a * a)]])
    for scale in (1.0, 1e-5, 1e5):
        for strategy in FREE:
            picks, _ = find(strategy, Z, scale * Z[:1], np.array([0]))
            assert picks.tolist() == [2 if gap > 1e-12 else 1]


def test_search_finds_nothing_where_nothing_correlates():
    Z = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 0], [1e-11, 0, 1]])
    residuals, own = np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 2]]), np.array([0, 1, 3])
    for strategy in FREE:
        picks, products = find(strategy, Z, residuals, own)
        assert picks.tolist() == [-1, -1, -1] and products.tolist() == [0, 0, 0]
        picks, _ = find(strategy, Z, np.array([[1e-9, 0, 1.0]]), np.array([1]))
        assert picks.tolist() == [3]
