"""k-means: seeds as published, steps that change nothing, and an end when nobody waits."""

import numpy as np
import pytest

from sdsc_core import kmeans
from sdsc_core.blocks import Cancelled
from sdsc_core.kmeans import by_first_appearance, cluster_rows, in_steps, quick, takes_long
from tests import naive


def heaps(n_clusters=6, spread=0.05, seed=0):
    """Points around so many centres, in mixed order, and the centre of each."""
    rng = np.random.default_rng(seed)
    of = rng.permutation(np.repeat(np.arange(n_clusters), 12))
    return 2 * np.eye(n_clusters)[of] + spread * rng.standard_normal((len(of), n_clusters)), of


def inertia(rows, labels):
    return sum(((rows[labels == c] - rows[labels == c].mean(0)) ** 2).sum() for c in set(labels))


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_seeds_are_drawn_by_the_distance_to_the_nearest_one(n_clusters):
    rows = np.random.default_rng(1).standard_normal((30, 3)) * [9.0, 1.0, 0.1]
    for seed in range(20):
        rows = rows / 100 if seed == 10 else rows  # sums of squares below one, too
        found = kmeans._spread(rows, n_clusters, np.random.default_rng(seed))
        expected = naive.spread_seeds(rows, n_clusters, np.random.default_rng(seed))
        np.testing.assert_array_equal(found, expected)


def test_where_all_rows_are_seeds_any_other_is_taken():
    rows = np.repeat([[1.0, 0.0], [0.0, 2.0]], 3, axis=0)
    found = kmeans._spread(rows, 5, np.random.default_rng(0))
    assert found.shape == (5, 2) and len(np.unique(found, axis=0)) == 2
    assert kmeans._spread(np.zeros((4, 2)), 3, np.random.default_rng(0)).shape == (3, 2)


def test_steps_of_any_length_end_at_the_same(monkeypatch):
    rows = np.random.default_rng(3).standard_normal((80, 3))  # no clusters: many iterations
    whole = in_steps(rows, 5, 0)
    lengths, fit = [], kmeans._fitted

    def noted(rows, n_clusters, centres, most):
        lengths.append(most)
        return fit(rows, n_clusters, centres, most)

    monkeypatch.setattr(kmeans, "_fitted", noted)
    for at_once in (1, 3):
        lengths.clear()
        monkeypatch.setattr(kmeans, "A_STEP", at_once * rows.size * 5)
        found = in_steps(rows, 5, 0)
        assert set(lengths) == {at_once} and 20 < len(lengths) < 600  # it ends where none moves
        np.testing.assert_array_equal(found.labels_, whole.labels_)
        assert found.inertia_ == pytest.approx(whole.inertia_)
    monkeypatch.setattr(kmeans, "A_STEP", 1)  # a step takes one iteration at least
    assert in_steps(rows, 5, 0).inertia_ == pytest.approx(whole.inertia_)


def test_the_best_of_the_starts_counts():
    rows = np.random.default_rng(3).standard_normal((80, 3))
    ends = [in_steps(rows, 9, 0, starts).inertia_ for starts in range(1, 8)]
    assert ends == sorted(ends, reverse=True) and ends[-1] < 0.99 * ends[0]
    usual = in_steps(rows, 9, 0)
    assert usual.inertia_ == in_steps(rows, 9, 0, 10).inertia_
    assert usual.inertia_ == pytest.approx(inertia(rows, usual.labels_))
    assert (in_steps(rows, 9, 1).labels_ != usual.labels_).any()


def test_there_are_ten_starts_unless_more_are_asked_for(monkeypatch):
    rows, _ = heaps()
    seeded, drawn = [], []
    spread, draw = kmeans._spread, kmeans._drawn
    monkeypatch.setattr(kmeans, "_spread", lambda *a: seeded.append(1) or spread(*a))
    monkeypatch.setattr(kmeans, "_drawn", lambda *a: drawn.append(a[-1]) or draw(*a))
    in_steps(rows, 6, 0)
    quick(rows, 6, 0)
    quick(rows, 6, 0, 12)
    assert len(seeded) == 10 and drawn == [10, 12]


def test_clusters_are_the_same_whatever_their_names():
    """Of two starts that end at the same clusters the first keeps its names."""
    one = np.array([0, 0, 1, 2, 1])
    assert kmeans._same(one, np.array([2, 2, 0, 1, 0]), 3) and kmeans._same(one, one, 3)
    assert not kmeans._same(one, np.array([2, 2, 0, 1, 1]), 3)
    assert not kmeans._same(one, np.array([2, 0, 0, 1, 0]), 3)


@pytest.mark.parametrize("looks", [1, 6, 7, 9])
def test_it_ends_at_the_next_look_once_nobody_waits(looks, monkeypatch):
    """A look for each of six seeds, and one before each step."""
    rows, _ = heaps()
    left = [looks]

    def look():
        left[0] -= 1
        if not left[0]:
            raise Cancelled

    monkeypatch.setattr(kmeans, "end_if_cancelled", look)
    monkeypatch.setattr(kmeans, "A_STEP", rows.size * 6)
    fits, fit = [], kmeans._fitted
    monkeypatch.setattr(kmeans, "_fitted", lambda *a: fits.append(1) or fit(*a))
    with pytest.raises(Cancelled):
        in_steps(rows, 6, 0)
    assert len(fits) == max(0, looks - 7)


def test_what_takes_long_goes_in_steps_and_is_numbered_alike(monkeypatch):
    rows, of = heaps()
    size = rows.size * 6
    monkeypatch.setattr(kmeans, "MANY", size)
    assert not takes_long(rows, 6) and takes_long(rows, 7)
    usual = cluster_rows(rows, 6, 0)
    monkeypatch.setattr(kmeans, "MANY", size - 1)
    asked, steps = [], kmeans.in_steps
    monkeypatch.setattr(kmeans, "in_steps", lambda *a: asked.append(a[1:]) or steps(*a))
    np.testing.assert_array_equal(cluster_rows(rows, 6, 3), usual)
    np.testing.assert_array_equal(usual, by_first_appearance(of))
    assert asked == [(6, 3, 10)]


@pytest.mark.parametrize("n", [71, 72])
def test_of_many_points_some_seed_all(n, monkeypatch):
    rows, of = heaps()
    assert kmeans.SEEDED_ON == 20_000  # as its docstring says
    monkeypatch.setattr(kmeans, "SEEDED_ON", n)
    monkeypatch.setattr(kmeans, "MANY", 0)
    seeded = []
    steps = kmeans.in_steps
    monkeypatch.setattr(kmeans, "in_steps", lambda some, *a: seeded.append(some) or steps(some, *a))
    np.testing.assert_array_equal(cluster_rows(rows, 6, 0), by_first_appearance(of))
    assert seeded[0].shape == (n, 6) and len(np.unique(seeded[0], axis=0)) == n
    at = [np.flatnonzero((rows == row).all(axis=1))[0] for row in seeded[0]]
    assert at == sorted(at)


def theirs(rows, n_clusters, seed, starts, **more):
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=starts, random_state=seed, **more).fit(rows).labels_


@pytest.mark.parametrize("scale", [0.02, 1.0, 50.0])
def test_the_compiled_one_stops_where_scikit_learns_does(scale):
    """By the tolerance, while points still change: two far heaps make it large within each."""
    rng, early = np.random.default_rng(5), 0
    for seed in range(8):
        rows = scale * (rng.random((120, 2)) + np.repeat([[0, 0], [60, 60]], 60, axis=0))
        ours = quick(rows, 6, seed, 1)
        np.testing.assert_array_equal(ours, theirs(rows, 6, seed, 1))
        early += (ours != theirs(rows, 6, seed, 1, tol=0)).any()
    assert early > 3


def test_the_unit_in_which_rows_are_measured_changes_nothing():
    """A power of two, so that every number but the exponents is the same."""
    rows = np.random.default_rng(13).standard_normal((40, 2))  # the starts differ
    usual = quick(rows, 7, 0)
    assert (usual != quick(rows, 7, 0, 1)).any()
    for power in (-40, 40):
        np.testing.assert_array_equal(quick(2.0**power * rows, 7, 0), usual)


def test_of_two_centres_alike_near_the_first_is_taken():
    rows = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    for seed in range(30):
        np.testing.assert_array_equal(quick(rows, 2, seed, 1), theirs(rows, 2, seed, 1))


def test_a_cluster_of_one_point_is_not_empty():
    rows = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [9.0, 9.0]])
    assert by_first_appearance(quick(rows, 2, 0)).tolist() == [0, 0, 0, 1]
    assert sorted(quick(rows, 4, 0).tolist()) == [0, 1, 2, 3] and quick(rows, 5, 0) is None


def test_few_points_take_the_compiled_one_and_what_it_leaves_goes_to_scikit_learn(monkeypatch):
    rows, of = heaps()
    asked, start = [], kmeans.best_start
    monkeypatch.setattr(kmeans, "best_start", lambda *a: asked.append(len(a[0])) or start(*a))
    np.testing.assert_array_equal(cluster_rows(rows, 6, 0), by_first_appearance(of))
    assert not asked
    cluster_rows(np.ones((9, 2)), 3, 0)  # clusters that run empty
    wide = np.hstack([rows, np.zeros((len(rows), 50))])
    np.testing.assert_array_equal(cluster_rows(wide, 6, 0), by_first_appearance(of))
    monkeypatch.setattr(kmeans, "SEEDED_ON", 71)
    np.testing.assert_array_equal(cluster_rows(rows, 6, 0), by_first_appearance(of))
    assert asked == [9, 72, 71]
