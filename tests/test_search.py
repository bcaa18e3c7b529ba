"""Tree, Gram and blocks give the picks of brute force in float64, ties included."""

import numpy as np
import pytest

from sdsc_core.cli import benchmark_scale
from sdsc_core.datasets import make_subspaces
from sdsc_core.imc_path import Samples, _rows, imc
from sdsc_core.methods.knn import knn
from sdsc_core.methods.omp import omp
from sdsc_core.search import TIE, choose, make_search
from sdsc_core.search.blocks import Blocks
from sdsc_core.search.gram import Gram
from sdsc_core.search.tree import Tree
from sdsc_core.tracing import _follow

STRATEGIES = ("tree", "gram", "blocks")
N = 9000


def points(kind, n, d, seed=0):
    """Data with duplicates, opposite points, multiples, ties and samples without variance."""
    rng = np.random.default_rng(seed)
    if kind in ("clean", "noisy"):
        noise = 0.3 if kind == "noisy" else 0.0
        X = make_subspaces(6, min(6, d - 1), d, -(-n // 6), noise, seed).X[:n]
    elif kind == "clustered":
        X = rng.standard_normal((20, d))[rng.integers(20, size=n)]
        X = X + 0.02 * rng.standard_normal((n, d))
    else:
        X = rng.standard_normal((n, d))
    X = X[rng.permutation(n)]
    X[n // 2] = X[5]
    X[n // 2 + 1] = -X[6]
    X[n // 2 + 2] = 2 * X[7]
    X[8], X[9] = 1.0, 0.0
    X[10:60] = X[10]
    X[60:160, : min(d, 6)] = rng.integers(-1, 2, (100, min(d, 6)))
    X[60:160, 6:] = 0.0
    return X


def brute_force(samples, own, gamma):
    """Every point a candidate, in float64, as `trace` follows one point."""
    n, d = samples.Z.shape
    picks = np.full((len(own), gamma + 1), -1)
    for row, i in zip(picks, own, strict=True):
        psi, products = np.zeros((gamma + 1, d)), np.zeros((gamma + 1, n))
        arrays = psi, np.zeros(gamma + 1), products, np.zeros(gamma)
        _follow(i, samples.Z, samples.s, samples.m, row, *arrays)
    return picks[:, :gamma]


def picks_of(search, samples, own, gamma):
    search.order = own
    nothing = np.empty((len(samples.Z), 0), np.int64)
    return _rows(search, samples, nothing, gamma, 0, len(own))[0]


@pytest.mark.parametrize("kind", ["clean", "noisy", "clustered", "uniform"])
@pytest.mark.parametrize("d", [3, 10, 50, 500])
def test_all_strategies_give_the_picks_of_brute_force(d, kind):
    X = points(kind, N, d)
    gamma = 3 if d == 500 else 6
    own = np.r_[4:14, 57:67, N // 2 : N // 2 + 3, 200 : N : N // (12 if d == 500 else 60)]
    readings = [Samples.of(X, residual) for residual in ("as_printed", "centred")]
    expected = [brute_force(samples, own, gamma) for samples in readings]
    for strategy in (Tree, Gram, Blocks):
        search = strategy(readings[0].Z)
        for samples, ref in zip(readings, expected, strict=True):
            np.testing.assert_array_equal(picks_of(search, samples, own, gamma), ref)


@pytest.mark.parametrize("kind", ["clean", "noisy", "clustered", "uniform"])
@pytest.mark.parametrize("n", [2, 33, 700])
@pytest.mark.parametrize("d", [3, 9, 20])
def test_whole_paths_are_the_same_to_the_last_bit(n, d, kind):
    X = points(kind, 700, d)[:n]
    gamma = min(n - 1, 8)
    for residual in ("as_printed", "centred"):
        paths = [imc(X, gamma, residual=residual, search=s) for s in STRATEGIES]
        samples = Samples.of(X, residual)
        np.testing.assert_array_equal(paths[0].picks, brute_force(samples, np.arange(n), gamma))
        for path in paths[1:]:
            np.testing.assert_array_equal(path.picks, paths[0].picks)
            np.testing.assert_array_equal(path.correlations, paths[0].correlations)


def test_many_near_ties_still_find_the_exact_winner():
    rng = np.random.default_rng(0)
    Z = np.tile(rng.standard_normal(50), (600, 1)) + 1e-9 * rng.standard_normal((600, 50))
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    own = np.arange(4)
    residuals = Z[:4] + 1e-3 * rng.standard_normal((4, 50))
    products = np.abs(residuals @ Z.T)
    products[own, own] = 0
    for search in (Tree(Z), Blocks(Z)):
        picks, _ = search.rows(own).find(residuals)
        np.testing.assert_allclose(
            products[own, picks[:, 0]], products.max(axis=1), rtol=0, atol=2 * TIE
        )


@pytest.mark.parametrize("search", STRATEGIES)
def test_the_nearest_are_those_of_a_full_sort(search):
    X = points("noisy", 500, 8)
    C = knn(X, n_neighbours=9, search=search).C
    Z = Samples.of(X, "as_printed").Z
    rho = np.abs(Z @ Z.T)
    np.fill_diagonal(rho, -1)
    for i in range(len(X)):
        left = rho[i].copy()
        expected = []
        for _ in range(9):
            j = int(np.flatnonzero(left >= left.max() - TIE)[0])
            if left[j] > 1e-10:
                expected.append(j)
            left[j] = -1
        assert sorted(C.indices[C.indptr[i] : C.indptr[i + 1]]) == sorted(expected), i


@pytest.mark.parametrize("kind", ["clean", "noisy", "clustered", "uniform"])
def test_omp_does_not_depend_on_the_strategy(kind):
    X = points(kind, 700, 12)
    results = [omp(X, n_nonzero=6, search=s).C for s in STRATEGIES]
    for C in results[1:]:
        np.testing.assert_array_equal(C.indices, results[0].indices)
        np.testing.assert_array_equal(C.data, results[0].data)


@pytest.mark.parametrize("similarity", ["residual", "pair"])
@pytest.mark.parametrize("search", STRATEGIES)
def test_a_continued_path_is_the_whole_one_to_the_last_bit(search, similarity):
    X = points("noisy", 400, 7)
    whole = imc(X, 7, search=search, similarity=similarity)
    path = imc(X, 2, search="blocks", similarity=similarity)
    for gamma in (3, 7):
        path = imc(X, gamma, search=search, similarity=similarity, start=path)
    np.testing.assert_array_equal(path.picks, whole.picks)
    np.testing.assert_array_equal(path.correlations, whole.correlations)
    np.testing.assert_array_equal(path.constant, whole.constant)
    shorter = imc(X, 4, similarity=similarity, start=whole)
    np.testing.assert_array_equal(shorter.picks, whole.picks[:, :4])


def test_blocks_do_not_search_for_what_is_gone(monkeypatch):
    """Every point is a near-tie of a zero residual, and each would be kept."""
    Z = Samples.of(points("noisy", 400, 7), "centred").Z
    own, residuals = np.arange(220, 226), np.roll(Z, 1, axis=0)[220:226]
    residuals[[1, 4]] = 0.0
    passes = []
    one = Blocks._pass
    monkeypatch.setattr(Blocks, "_pass", lambda self, *a: passes.append(len(a[0])) or one(self, *a))
    picks, products = Blocks(Z).find(residuals, own)
    assert passes == [4]
    assert picks[[1, 4]].tolist() == [[-1], [-1]] and not products[[1, 4]].any()
    for row in (0, 2, 3, 5):
        np.testing.assert_array_equal(picks[row], Tree(Z).find(residuals, own)[0][row])
    assert (Blocks(Z).find(np.zeros((3, 7)), own[:3], 2)[0] == -1).all()


def test_a_path_of_other_data_or_settings_is_refused():
    X = points("noisy", 400, 7)
    path = imc(X, 2)
    for other, settings in ((X[:-1], {}), (X + 1e-3 * X[::-1], {}), (X, {"similarity": "pair"})):
        with pytest.raises(ValueError, match="start is the path of other data or settings"):
            imc(other, 3, start=path, **settings)


def test_the_choice_follows_data_and_memory(monkeypatch):
    clean = Samples.of(points("clean", 6000, 10), "centred").Z
    wide = Samples.of(points("uniform", 3000, 100), "centred").Z
    assert make_search(clean, 6).name == "tree"
    assert make_search(wide, 6).name == "gram"
    assert make_search(wide, 6, memory_mb=1).name == "blocks"
    assert make_search(wide, 6, "tree").name == "tree"
    monkeypatch.setattr("sdsc_core.search.choose.available_memory", lambda: 10_000)
    assert make_search(wide, 6).name == "blocks"


def test_the_rival_of_the_benchmark_makes_the_same_picks():
    X = make_subspaces(points_each=60).X
    np.testing.assert_array_equal(benchmark_scale.kd_imc(X, 4), imc(X, 4).picks)


def test_a_strategy_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="search"):
        imc(np.eye(4), 2, search="forest")


def test_a_product_is_cheaper_than_a_matrix_for_one_step_only():
    one, six = (choose.costs_of_products(20_000, 500, steps) for steps in (1, 6))
    assert six["gram"] < six["blocks"]
    assert one["gram"] > 0.5 * one["blocks"]
