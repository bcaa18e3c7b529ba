"""The tree of directions: every point in one leaf and inside every cone above it, nothing lost."""

import numpy as np
import pytest

from sdsc_core.search import grow, tree
from sdsc_core.search.choose import cost_of_query, make_search
from sdsc_core.search.tree import Tree
from tests import naive

CHILDREN, LEAF = grow.CHILDREN, grow.LEAF


def directions(n, r, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, r))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def leaves_below(nodes, node):
    if node < len(nodes.points):
        return [node]
    g = node - len(nodes.points)
    there = np.flatnonzero(nodes.cosines[g] <= 1)
    return [leaf for c in there for leaf in leaves_below(nodes, nodes.first[g] + c)]


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 100, 512, 513, 700])
def test_every_point_is_in_one_leaf_and_in_every_cone_above_it(n):
    Z = directions(n, 4, seed=n)
    names = np.arange(n) * 3 + 1
    rows, ids = Z.astype(np.float32), names.copy()
    nodes = grow.grow(rows, ids)
    assert sorted(nodes.ids[nodes.ids >= 0]) == sorted(names) == sorted(ids)
    for leaf, own in enumerate(nodes.ids):
        for c, k in enumerate(own):
            expected = Z[(k - 1) // 3] if k >= 0 else np.zeros(4)
            np.testing.assert_allclose(nodes.points[leaf, :, c], expected, atol=1e-7)
    root = len(nodes.points) + len(nodes.axes) - 1
    assert leaves_below(nodes, root) == list(range(len(nodes.points)))
    for g, (cosines, sines) in enumerate(zip(nodes.cosines, nodes.sines, strict=True)):
        for c, (cosine, sine) in enumerate(zip(cosines, sines, strict=True)):
            if cosine > 1:  # not there: t ≥ floor·2 + height never holds where a product counts
                assert (cosine, sine) == (2, -1)
                continue
            inside = nodes.ids[leaves_below(nodes, nodes.first[g] + c)]
            points = Z[(inside[inside >= 0] - 1) // 3]
            axis = nodes.axes[g, :, c].astype(float)
            least = np.abs(points @ axis).min() / np.linalg.norm(axis)
            angle = np.arccos(min(1.0, least))
            assert cosine == pytest.approx(least, abs=2e-6)
            assert sine == pytest.approx(np.sin(angle + 2.0**-22), abs=2e-7)


def test_groups_are_full_but_for_the_last_of_a_level():
    n = 700
    nodes = grow.grow(directions(n, 3).astype(np.float32), np.arange(n))
    full = [(row >= 0).sum() for row in nodes.ids]
    assert full[:-1] == [LEAF] * (len(full) - 1) and full[-1] == n - LEAF * (len(full) - 1)
    there = (nodes.cosines <= 1).sum(axis=1)
    assert there.tolist() == [CHILDREN, len(full) - CHILDREN, 2]


def test_groups_of_three_levels_know_their_first_child(monkeypatch):
    """282 leaves, then 18, 2 and 1 groups, each numbered behind those below it."""
    monkeypatch.setattr(grow, "run_blocks", lambda *args, **options: None)
    nodes = grow._nodes(np.zeros((9000, 1), np.float32), np.arange(9000), None, None)
    assert nodes.first.tolist() == [*range(0, 16 * 18, 16), 282, 298, 300]


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_values_come_first_with_their_rows(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    low, high = sorted(rng.choice(n + 1, 2, replace=False))
    middle = int(rng.integers(low, high))
    values = rng.integers(0, 6, n).astype(np.float32)
    rows, ids = np.c_[values, np.arange(n)].astype(np.float32), np.arange(n)
    before = values.copy()
    grow._select(rows, ids, values, low, high, middle)
    assert sorted(ids) == list(range(n)) and (ids[:low] == np.arange(low)).all()
    assert (ids[high:] == np.arange(high, n)).all()
    np.testing.assert_array_equal(values, before[ids])
    np.testing.assert_array_equal(rows, np.c_[before[ids], ids])
    if middle > low:
        assert values[low:middle].max() <= values[middle:high].min()


def groups_of_directions(n_groups, r=3, spread=1e-3, seed=1):
    """Groups of one leaf each, mixed, every other point turned round."""
    rng = np.random.default_rng(seed)
    centres = directions(n_groups, r, seed)
    of = rng.permutation(np.repeat(np.arange(n_groups), LEAF))
    X = centres[of] + spread * rng.standard_normal((len(of), r))
    X[::2] *= -1
    return X / np.linalg.norm(X, axis=1, keepdims=True), of


def test_points_of_one_direction_share_a_leaf_and_little_else_is_looked_at():
    Z, of = groups_of_directions(20)
    found = Tree(Z)
    for own in found.nodes.ids:
        assert len(set(of[own[own >= 0]])) == 1
    for i in (0, 5, 100, 639):
        picks, products, work = found.counted(Z[[i]], np.array([i]))
        assert picks.shape == products.shape == (1, 1)
        assert picks[0, 0] == naive.pick(Z[i], Z, i)
        assert products[0, 0] == pytest.approx(Z[i] @ Z[picks[0, 0]])
        assert work.tolist() == [1, 1]  # of two groups below the root, and of 20 leaves


@pytest.mark.parametrize(("n", "step"), [(640, 6), (100, 1)])
def test_the_cost_of_a_query_is_what_a_few_of_them_look_at(n, step):
    Z = directions(n, 3)
    found = Tree(Z)
    own = found.order[::step][:96]
    picks, products = found.find(Z[own], own)
    for n_picks, asked in ((1, Z[own] - products * Z[picks.ravel()]), (2, Z[own])):
        groups, leaves = found.counted(asked, own, n_picks)[2] / 96
        expected = groups * (35 + 1.6 * 3) + leaves * (22 + 3.1 * 3) + 500
        assert cost_of_query(found, n_picks) == pytest.approx(expected)
    assert cost_of_query(found) == cost_of_query(found, 1) != cost_of_query(found, 2)


@pytest.mark.parametrize("n_picks", [1, 3])
@pytest.mark.parametrize("r", [2, 3, 6])
def test_a_tree_of_several_levels_finds_what_a_loop_finds(r, n_picks):
    Z = directions(600, r, seed=r)
    Z[40] = Z[7]
    Z[41] = -Z[7]
    Z[[5, 300]] = 0.0
    found = Tree(Z)
    own = np.array([0, 5, 7, 40, 41, 77, 300, 599])
    residuals = np.concatenate([Z[own[:6]], directions(2, r, seed=9)])
    residuals[3] *= 1e4
    picks, products = found.find(residuals, own, n_picks)
    for row, i, psi, values in zip(picks, own, residuals, products, strict=True):
        left = [naive.pick(psi, Z, i)]
        rest = Z.copy()
        while len(left) < n_picks:
            rest[left[-1]] = 0.0
            left.append(naive.pick(psi, rest, i))
        assert row.tolist() == left
        expected = [psi @ Z[k] if k >= 0 else 0.0 for k in left]
        np.testing.assert_allclose(values, expected, rtol=1e-12)


def test_a_tree_without_points_finds_nothing():
    picks, products = Tree(np.zeros((3, 2))).find(np.eye(2), np.array([0, 1]))
    assert picks.tolist() == [[-1], [-1]] and not products.any()


def test_directions_without_spread_are_left_out():
    rng = np.random.default_rng(0)
    plane = np.linalg.qr(rng.standard_normal((9, 3)))[0].T
    Z = directions(40, 3) @ plane
    basis, left_out = tree._basis(Z)
    assert basis.shape == (9, 3) and left_out < 1e-7
    np.testing.assert_allclose(Z @ basis @ basis.T, Z, atol=1e-7)
    Z[0] += 1e-8 * np.linalg.qr(rng.standard_normal((9, 9)))[0][0]
    assert 1e-9 < tree._basis(Z)[1] < 1e-7
    assert Tree(Z).dimensions == 3 and Tree(Z).margin > 2 * (11 * 2.0**-24)
    for whole in (directions(40, 9), directions(8, 9), np.zeros((12, 3))):
        assert tree._basis(whole) == (None, 0.0)
    for i in range(5):
        assert Tree(Z).find(Z[[i]], np.array([i]))[0][0, 0] == naive.pick(Z[i], Z, i)


@pytest.mark.parametrize(("spread", "kept"), [(1e-9, 3), (1e-5, 4)])
def test_a_direction_counts_by_how_far_the_points_spread_in_it(spread, kept, monkeypatch):
    monkeypatch.setattr(tree, "FEW", 2)
    rng = np.random.default_rng(0)
    Z = np.c_[directions(40, 3), spread * rng.standard_normal(40)]
    basis, _ = tree._basis(np.c_[Z, np.zeros(40)])
    assert basis.shape == (5, kept) and tree.dimensions(Z) == kept


def test_dimensions_in_use_are_counted_where_they_are_neither_few_nor_many(monkeypatch):
    Z = directions(50, 3) @ np.linalg.qr(np.random.default_rng(0).standard_normal((9, 3)))[0].T
    assert tree.dimensions(Z) == 9
    monkeypatch.setattr(tree, "FEW", 8)
    assert tree.dimensions(Z) == 3
    monkeypatch.setattr(tree, "FEW", 9)
    assert tree.dimensions(Z) == 9
    monkeypatch.setattr(tree, "FEW", 2)
    monkeypatch.setattr(tree, "MANY", 8)
    assert tree.dimensions(Z) == 9


def test_points_are_asked_for_in_the_order_of_the_leaves():
    Z, of = groups_of_directions(5)
    Z[[3, 50]] = 0.0
    order = make_search(Z, 2, "tree").order
    assert sorted(order) == list(range(len(Z))) and order[-2:].tolist() == [3, 50]
    assert (np.diff(of[order[:-2]]) != 0).sum() <= 6
