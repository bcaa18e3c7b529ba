"""Blocks and Gram at small sizes of their parts, several picks at once, and the choice of one."""

import numpy as np
import pytest
from numba import config

from sdsc_core.imc_path import imc
from sdsc_core.search import blocks, choose, gram, make_search
from sdsc_core.search.exact import choose as choose_one
from sdsc_core.search.exact import dot, drop_below, offer, settle
from tests import naive
from tests.test_picks import unit


def tied(n, d, seed):
    """Unit rows of few distinct values: duplicates, opposite and zero rows."""
    return unit(np.random.default_rng(seed).choice([-1.0, 0.0, 0.0, 1.0], (n, d)))


def change_constant(monkeypatch, module, name, value):
    """A constant of kernels, only where they are not compiled: the cache on disk would keep it."""
    if config.DISABLE_JIT:
        monkeypatch.setattr(module, name, value)


def nearest(residual, Z, own, n_picks):
    """The best, then the best of the others, and so on."""
    rest, found = Z.copy(), []
    for _ in range(n_picks):
        found.append(naive.pick(residual, rest, own))
        if found[-1] >= 0:
            rest[found[-1]] = 0.0
    return found


@pytest.mark.parametrize("n_picks", [1, 2, 5])
@pytest.mark.parametrize("sizes", [(8, 4, 3), (7, 3, 1), (64, 5, 2), (3, 100, 16)])
def test_blocks_of_any_size_find_what_a_loop_finds(sizes, n_picks, monkeypatch):
    tile, candidates, again = sizes
    monkeypatch.setattr(blocks, "TILE", tile)
    monkeypatch.setattr(blocks, "CANDIDATES", candidates)
    monkeypatch.setattr(blocks, "AGAIN", again)
    change_constant(monkeypatch, blocks, "PART", 4)
    for seed in range(4):
        Z = tied(29, 5, seed)
        own = np.array([0, 3, 4, 11, 28])
        residuals = np.concatenate([Z[own[:3]], tied(2, 5, seed + 9) * 3.0])
        search = blocks.Blocks(Z)
        picks, products = search.rows(own).find(residuals, n_picks)
        for row, values, psi, i in zip(picks, products, residuals, own, strict=True):
            assert row.tolist() == nearest(psi, Z, i, n_picks)
            expected = [psi @ Z[k] if k >= 0 else 0.0 for k in row]
            np.testing.assert_allclose(values, expected, atol=1e-12)


def test_a_second_pass_counts_the_best_once():
    """One is nearest, then more tie than candidates are kept of."""
    Z = np.zeros((61, 62))
    Z[np.arange(61), np.arange(61) + 1] = np.sqrt(0.75)
    Z[:, 0] = 0.5
    Z[7] = np.eye(62)[0]
    picks, products = blocks.Blocks(Z).find(np.eye(62)[:1], np.array([60]), 2)
    assert picks.tolist() == [[7, 0]] and products.tolist() == [[1.0, 0.5]]


@pytest.mark.parametrize("n_picks", [1, 3])
@pytest.mark.parametrize("sizes", [(8, 3, 4), (5, 2, 100), (64, 32, 6)])
def test_a_gram_matrix_of_any_squares_finds_what_a_loop_finds(sizes, n_picks, monkeypatch):
    monkeypatch.setattr(gram, "SIDE", sizes[0])
    change_constant(monkeypatch, gram, "PATCH", sizes[1])
    change_constant(monkeypatch, gram, "CANDIDATES", sizes[2])
    for seed in range(4):
        Z = tied(19, 6, seed)
        search = gram.Gram(Z)
        np.testing.assert_allclose(search.R / gram.SCALE, Z @ Z.T, atol=0.6 / gram.SCALE)
        np.testing.assert_array_equal(search.R, search.R.T)
        own = np.array([0, 7, 18])
        rows = search.rows(own)
        others = np.array([[3, 1], [4, 2], [5, 0]])
        weights = np.array([[0.5, -0.25], [0.0, 2.0], [-1.0, 0.0]])
        rows.change(own[:, None], np.ones((3, 1)))
        rows.change(others, weights)
        residuals = Z[own] + np.einsum("ra,rad->rd", weights, Z[others])
        picks, products = rows.find(residuals, n_picks)
        for row, values, psi, i in zip(picks, products, residuals, own, strict=True):
            assert row.tolist() == nearest(psi, Z, i, n_picks)
            expected = [psi @ Z[k] if k >= 0 else 0.0 for k in row]
            np.testing.assert_allclose(values, expected, atol=1e-12)


def test_a_gram_row_of_nothing_picks_nothing_and_no_part_takes_its_own_point():
    """Of three parts of products, with an own point in each."""
    rng = np.random.default_rng(0)
    Z = unit(rng.standard_normal((150, 40)))
    own = np.array([0, 70, 149])
    rows = gram.Gram(Z).rows(own)
    picks, products = rows.find(np.zeros((3, 40)))
    assert (picks == -1).all() and not products.any()
    rows.change(own[:, None], np.ones((3, 1)))
    picks, products = rows.find(Z[own])
    for r, i in enumerate(own):
        assert picks[r, 0] == naive.pick(Z[i], Z, i)
        assert products[r, 0] == pytest.approx(Z[i] @ Z[picks[r, 0]])


def test_the_error_of_a_gram_row_covers_what_its_products_are_off():
    """Products of a sum of many points, beside those in float64."""
    rng = np.random.default_rng(0)
    Z = unit(rng.standard_normal((40, 12)))
    rows = gram.Gram(Z).rows(np.arange(4))
    points, weights = rng.integers(0, 40, (4, 60)), rng.standard_normal((4, 60))
    rows.change(points, weights)
    residuals = np.einsum("ra,rad->rd", weights, Z[points])
    rows.find(residuals)
    exact = residuals @ Z.T
    exact[np.arange(4), np.arange(4)] = 0.0  # a point does not find itself
    off = np.abs(rows._kept.Q - exact).max(axis=1)
    assert (off <= rows._kept.errors).all() and (rows._kept.errors <= 60 * off).all()
    np.testing.assert_allclose(rows._kept.totals, np.abs(weights).sum(axis=1))
    sums, rounding = np.cumsum(np.abs(weights), axis=1), 2.0**-24
    expected = sums[:, -1] * (gram.Gram(Z).error + 4 * rounding) + 2 * rounding * sums.sum(axis=1)
    np.testing.assert_allclose(rows._kept.errors, expected)
    assert gram.Gram(Z).error == pytest.approx(0.5 / gram.SCALE + 16 * rounding, rel=1e-3)


@pytest.mark.parametrize("side", [7, 16, 23])
def test_imc_on_a_matrix_of_several_squares(side, monkeypatch):
    monkeypatch.setattr(gram, "SIDE", side)
    X = np.random.default_rng(2).standard_normal((45, 8))
    np.testing.assert_array_equal(imc(X, 5, search="gram").picks, naive.imc(X, 5)[0])


def test_candidates_keep_the_best_values_so_far_in_order():
    top, kept, values = np.zeros(3, np.float32), np.zeros(9, np.int64), np.zeros(9, np.float32)
    n = 0
    offered = [0.5, 0.75, 0.25, 0.75, 0.125, 1.0]
    for index, value in enumerate(offered):
        n = offer(np.float32(value), index, top, kept, values, n)
        best = sorted([*offered[: index + 1], 0, 0], reverse=True)
        assert top.tolist() == best[:3] and n == index + 1
    assert drop_below(np.float32(0.75), kept, values, n) == 3
    assert kept[:3].tolist() == [1, 3, 5] and values[:3].tolist() == [0.75, 0.75, 1.0]


def test_a_residual_settles_on_the_best_first_and_each_point_once():
    Z = np.array([[1.0, 0], [0.6, 0.8], [-1.0, 0], [0, 1.0], [0.8, 0.6]])
    picks, products, scratch = np.zeros(5, np.int64), np.ones(5), np.empty(5)
    settle(np.array([2.0, 0]), 2.0, Z, np.arange(5), 5, scratch, picks, products)
    assert picks.tolist() == [0, 2, 4, 1, -1]
    np.testing.assert_allclose(products, [2.0, -2.0, 1.6, 1.2, 0.0])


@pytest.mark.parametrize("norm", [1e-6, 1.0, 1e6])
def test_a_tie_and_nothing_are_shares_of_the_norm(norm):
    def first(*products):
        picks, found = np.zeros(1, np.int64), np.zeros(1)
        Z, n = np.array(products)[:, None], len(products)
        settle(np.array([norm]), norm, Z, np.arange(n)[::-1].copy(), n, np.empty(n), picks, found)
        return picks[0]

    assert first(1 - 5e-13, 1.0) == first(1.0, 1 - 5e-13) == first(1.0, -1.0) == 0
    assert first(1 - 5e-12, 1.0) == 1
    assert first(5e-11) == -1 and first(2e-10) == first(-2e-10) == 0
    assert choose_one(np.empty(0, np.int64), np.empty(0), 0, 1e-12) == (-1, 0.0)


def test_costs_count_steps_and_features():
    costs = choose.costs_of_products(100, 10, 2)
    assert costs == {"blocks": pytest.approx(23_000), "gram": pytest.approx(40_250)}
    assert gram.gram_bytes(100) == 20_000


def test_the_gram_matrix_is_asked_for_beside_the_points(monkeypatch):
    Z, asked = np.ones((300, 200)), []
    monkeypatch.setattr(choose, "check_memory", lambda needed, *_: asked.append(needed))
    assert choose._granted(Z)
    assert 4 * Z.nbytes < asked[0] - gram.gram_bytes(300) < 6 * Z.nbytes


@pytest.mark.parametrize(
    ("tree", "products", "memory_mb", "expected"),
    [
        (1.0, {"blocks": 1e9, "gram": 1e9}, None, "tree"),
        (1e9, {"blocks": 1.0, "gram": 2.0}, None, "blocks"),
        (1e9, {"blocks": 2.0, "gram": 1.0}, None, "gram"),
        (1e9, {"blocks": 2.0, "gram": 1.0}, 0.0032, "gram"),  # 40² entries of two bytes
        (1e9, {"blocks": 2.0, "gram": 1.0}, 0.0031, "blocks"),
        (10.0, {"blocks": 10.0 * 2 * 40 + 1, "gram": 1e9}, None, "tree"),  # a query a step
        (10.0, {"blocks": 10.0 * 2 * 40, "gram": 1e9}, None, "blocks"),
    ],
)
def test_the_cheapest_way_is_taken(tree, products, memory_mb, expected, monkeypatch):
    monkeypatch.setattr(choose, "FEW_POINTS", 39)
    monkeypatch.setattr(choose, "cost_of_query", lambda *args: tree)
    monkeypatch.setattr(choose, "costs_of_products", lambda *args: dict(products))
    Z = unit(np.random.default_rng(0).standard_normal((40, 5)))
    assert make_search(Z, 2, memory_mb=memory_mb).name == expected
    for name, value in (("FEW_POINTS", 40), ("MOST_DIMENSIONS", 4)):  # no tree is tried
        monkeypatch.undo()
        monkeypatch.setattr(choose, "FEW_POINTS", 39)
        monkeypatch.setattr(choose, name, value)
        monkeypatch.setattr(choose, "Tree", None)
        monkeypatch.setattr(choose, "costs_of_products", lambda *args: dict(products))
        assert make_search(Z, 2, memory_mb=memory_mb).name != "tree"


def test_memory_for_a_matrix_is_a_share_of_what_is_free(monkeypatch):
    assert choose._budget(3.0) == 3e6
    monkeypatch.setattr(choose, "available_memory", lambda: 1000)
    assert choose._budget(None) == 400


@pytest.mark.parametrize(("cost", "rows"), [(1.0, 16384), (1e9, 64), (2e5, 500)])
def test_a_block_of_a_tree_takes_a_moment(cost, rows, monkeypatch):
    monkeypatch.setattr(choose, "cost_of_query", lambda *args: cost)
    Z = unit(np.random.default_rng(0).standard_normal((40, 5)))
    assert make_search(Z, 2, "tree").block_rows == rows


def test_a_product_sums_every_entry_once():
    for n in range(21):
        a = np.arange(1.0, n + 1)
        b = 2.0 ** np.arange(n)
        assert dot(a, b) == a @ b and dot(-a, b) == -(a @ b)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 130])
def test_the_largest_entry_of_each_part(n):
    q = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    q[0] = -9.0 if n % 2 else q[0]
    parts = np.full(n // blocks.PART + 1, 99, np.float32)
    assert blocks.largest_abs(q, parts) == np.abs(q).max()
    for p in range(-(-n // blocks.PART)):
        assert parts[p] == np.abs(q[p * blocks.PART : (p + 1) * blocks.PART]).max()


def test_residuals_of_unit_norm():
    rows, norms = blocks.to_unit(np.array([[3.0, 4.0], [0, 0], [0, -0.5]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [0, -1]])
    np.testing.assert_allclose(norms, [5, 0, 0.5])


@pytest.mark.parametrize("d", [3, 50])
def test_margins_are_those_that_were_proved(d):
    Z = unit(np.random.default_rng(0).standard_normal((60, d)))
    rounding = 2.0**-24
    assert blocks.Blocks(Z)._margin == pytest.approx(2 * (d * (1 + 2.0**-10) + 4) * rounding)
    assert make_search(Z, 1, "tree").margin == pytest.approx(2 * (d + 8) * rounding)
    assert gram.Gram(Z).error == pytest.approx((d * (1 + 2.0**-10) + 4) * rounding + 0.5001 / 32700)


@pytest.mark.parametrize("search", ["tree", "gram", "blocks"])
def test_what_every_search_says_of_itself(search):
    Z = tied(40, 5, 0)
    told = []
    found = make_search(Z, 1, search, progress=lambda done, total: told.append((done, total)))
    assert found.name == search and found.follows == (search == "gram") and found.Z is not None
    assert sorted(found.order) == list(range(40)) and found.block_rows >= 16
    assert set(told) == ({(0, 40)} if search != "blocks" else set())
    rows = found.rows(np.arange(3))
    rows.change(np.arange(3)[:, None], np.ones((3, 1)))
    assert rows.find(Z[:3])[0].shape == rows.find(Z[:3])[1].shape == (3, 1)  # one pick by default


@pytest.mark.parametrize(("n", "rows"), [(100, 256), (4096, 256), (10_000, 104), (200_000, 16)])
def test_rows_of_a_gram_search_fit_into_the_cache(n, rows, monkeypatch):
    monkeypatch.setattr(gram, "run_blocks", lambda *args, **options: None)
    monkeypatch.setattr(gram.np, "empty", lambda *args: None)
    assert gram.Gram(np.zeros((n, 1))).block_rows == rows
