"""Metrics against their definitions."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sdsc_core import conn, metrics
from sdsc_core.conn import connectivity, second_eigenvalue
from sdsc_core.dense import Changes, rank_changes, tally
from sdsc_core.dense.explanations import ORDERS
from sdsc_core.labels import matching
from sdsc_core.labels.checking import check_labels, label_names
from sdsc_core.memory import available
from sdsc_core.spectral import spectrum
from tests import naive

COMPILED = pytest.mark.compiled  # too slow with kernels left uncompiled
LABELS = st.lists(st.integers(0, 3), min_size=2, max_size=12)


def random_affinity(n, seed, density=0.6):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return W + W.T


@settings(max_examples=150)
@given(u=LABELS, seed=st.integers(0, 999))
def test_acc_and_nmi_equal_their_definitions(u, seed):
    v = np.random.default_rng(seed).integers(0, 4, len(u)).tolist()
    assert metrics.clustering_accuracy(u, v) == pytest.approx(naive.accuracy(u, v))
    assert metrics.nmi(u, v) == pytest.approx(naive.normalised_mutual_information(u, v), abs=1e-9)
    assert metrics.misplaced(u, v).mean() == pytest.approx(1 - naive.accuracy(u, v))
    table, clusters = metrics.confusion(u, v)
    assert table.sum() == len(u) and sorted(set(clusters) - {-1}) == list(range(len(set(v))))
    assert np.trace(table) == pytest.approx(len(u) * naive.accuracy(u, v))


def test_one_class_shares_nothing_with_any_clusters_to_the_last_bit():
    """Its share is a sum of others, which rounding keeps from 1."""
    rng = np.random.default_rng(0)
    for n in range(2, 120):
        found = rng.integers(0, 7, n)
        found[:2] = 0, 1
        assert metrics.nmi(np.zeros(n), found) == 0 == metrics.nmi(found, np.zeros(n))


@settings(max_examples=60)
@given(seed=st.integers(0, 9999), n=st.integers(3, 14))
def test_cut_vol_ncut_and_conn_equal_their_definitions(seed, n):
    W = random_affinity(n, seed) + 0.01 * (1 - np.eye(n))
    labels = np.arange(n) % 3
    for A in (W, sp.csr_array(W)):
        cut, vol = metrics.cut_vol(A, labels)
        np.testing.assert_allclose(cut, [naive.cut(W, labels, c) for c in range(3)])
        np.testing.assert_allclose(vol, [naive.vol(W, labels, c) for c in range(3)])
        if (vol > 0).all():
            assert metrics.ncut(A, labels) == pytest.approx(naive.ncut(W, labels))
        assert connectivity(A).whole == pytest.approx(naive.conn(W), abs=1e-6)


def test_conn_of_a_large_graph_equals_a_full_decomposition():
    W = random_affinity(300, 0, 0.05)
    assert connectivity(sp.csr_array(W)).whole == pytest.approx(naive.conn(W), abs=1e-5)


def test_conn_is_zero_where_the_graph_or_a_cluster_falls_apart():
    W = np.kron(np.eye(2), 1 - np.eye(3))
    conn = connectivity(W, [0, 0, 0, 1, 1, 1])
    assert conn.whole == 0
    np.testing.assert_allclose(conn.per_cluster, [1.5, 1.5])
    lonely = sp.block_diag([1 - np.eye(3), np.zeros((1, 1))], format="csr")
    assert connectivity(lonely, [0, 0, 0, 0]).min == 0
    assert connectivity(W, [0, 0, 0, 1, 1, 2]).per_cluster[2] == 0


@pytest.mark.parametrize("seed", range(5))
def test_conn_of_two_parts_is_exactly_zero(seed):
    W = sp.block_diag([random_affinity(7, seed, 1.0), random_affinity(9, seed, 1.0)])
    conn = connectivity(W.toarray())
    assert conn.whole == 0 and conn.converged and conn.message == ""


def test_conn_of_many_parts_is_zero_though_their_spectrum_would_be_regularised():
    assert connectivity(np.kron(np.eye(4), 1 - np.eye(3))).whole == 0


def test_conn_of_one_link_is_that_of_the_complete_graph():
    assert connectivity(np.array([[0, 0.3], [0.3, 0]])).whole == pytest.approx(2)


def test_conn_of_a_cluster_of_two_is_that_of_their_link():
    W = np.kron(np.eye(3), 0.3 * (1 - np.eye(2)))
    W[2, 3] = W[3, 2] = 0
    for form in (np.asarray, sp.csr_array):
        found = connectivity(form(W), np.arange(6) // 2).per_cluster
        np.testing.assert_allclose(found, [2, 0, 2])


@pytest.mark.parametrize("size", [4, 6, 10])
def test_conn_says_where_any_of_its_eigenvalues_did_not_converge(monkeypatch, size):
    def short(W, k):
        return replace(spectrum(W, k), converged=W.shape[0] != size)

    spectrum = conn.spectrum
    monkeypatch.setattr(conn, "spectrum", short)
    found = connectivity(1 - np.eye(10), [0] * 4 + [1] * 6)
    assert not found.converged and "did not converge" in found.message


def test_conn_of_each_cluster_is_that_of_its_own_graph():
    W, labels = random_affinity(18, 5, 0.9), np.array([0] * 5 + [1] * 9 + [2] * 4)
    conn = connectivity(W, labels)
    each = [naive.conn(W[np.ix_(labels == c, labels == c)]) for c in range(3)]
    np.testing.assert_allclose(conn.per_cluster, each, atol=1e-6)
    assert conn.min == pytest.approx(min(each)) and conn.mean == pytest.approx(np.mean(each))


def test_conn_without_labels_says_nothing_of_clusters():
    conn = connectivity(1 - np.eye(4))
    assert np.isnan(conn.min) and np.isnan(conn.mean) and len(conn.per_cluster) == 0


def test_components_of_a_stored_zero():
    W = sp.csr_array((np.array([0.0, 0.0]), ([0, 1], [1, 0])), shape=(2, 2))
    assert connectivity(W).whole == 0


def test_ncut_without_similarity_inside_is_infinite():
    assert metrics.ncut(np.array([[0, 1.0], [1, 0]]), [0, 1]) == np.inf


def test_ncut_of_a_point_without_links_is_zero():
    W = sp.block_diag([1 - np.eye(3), np.zeros((1, 1))]).toarray()
    assert metrics.ncut(W, [0, 0, 0, 1]) == 0


def test_analysis_counts_what_the_paper_counts():
    W, star = random_affinity(10, 1, 0.3), random_affinity(10, 1, 0.3)
    star = np.maximum(star, random_affinity(10, 2, 0.3))
    labels = np.arange(10) % 2
    a = metrics.analyse(W, star, labels)
    inside = labels[:, None] == labels
    assert a.eta1 == pytest.approx(W[inside].sum()) and a.eta2 == pytest.approx(W[~inside].sum())
    assert a.zeta == np.count_nonzero(W[~inside]) and a.k == np.count_nonzero(W) / 10
    assert a.tau == pytest.approx(10 * a.k**2 - np.count_nonzero(star))
    assert a.zeta_star == np.count_nonzero(star[~inside])
    before, after = a.eta2 / a.eta1, star[~inside].sum() / star[inside].sum()
    assert a.q == pytest.approx(after / before)
    k2 = 10 * a.k**2
    assert a.q_predicted == pytest.approx((k2 - 10 * a.k) / (k2 - a.tau))
    assert metrics.inside_share(W, labels) == pytest.approx(a.eta1 / (a.eta1 + a.eta2))
    assert a.q_predicted_no_tau == pytest.approx((k2 - 10 * a.k) / k2)
    assert (a.n, a.ncut, a.ncut_star) == (10, pytest.approx(before), pytest.approx(after))
    assert (a.eta1_star, a.eta2_star) == pytest.approx((star[inside].sum(), star[~inside].sum()))


def test_a_summary_is_made_of_the_single_figures():
    W, found, truth = random_affinity(12, 3), np.arange(12) % 3, np.arange(12) // 6
    for A in (W, sp.csr_array(W)):
        s = metrics.summarise(A, found, truth)
        assert s.acc == metrics.clustering_accuracy(truth, found)
        assert s.nmi == metrics.nmi(truth, found)
        assert s.by == "true classes" and s.nonzeros == np.count_nonzero(W)
        assert s.density == np.count_nonzero(W) / (12 * 11)
        assert s.ncut == metrics.ncut(W, truth) and s.inside == metrics.inside_share(W, truth)
        assert s.conn.min == pytest.approx(connectivity(W, truth).per_cluster.min())
        assert s.conn.mean == pytest.approx(connectivity(W, truth).per_cluster.mean())
        alone = metrics.summarise(A, found)
        assert alone.acc is None and alone.nmi is None and alone.by == "found clusters"
        assert alone.ncut == metrics.ncut(W, found)
    one = metrics.summarise(np.zeros((1, 1)), [0])
    assert one.density == 0 and one.component_sizes.tolist() == [1]


def test_components_are_counted_the_largest_first():
    W = sp.block_diag([1 - np.eye(2), np.zeros((1, 1)), 1 - np.eye(4)]).toarray()
    assert metrics.components(W).tolist() == [4, 2, 1]


def test_a_class_without_a_cluster_and_a_cluster_without_a_class():
    table, clusters = metrics.confusion([0, 0, 0, 1, 2], [0, 0, 0, 0, 1])
    assert clusters.tolist() in ([0, -1, 1], [0, 1, -1])
    assert table[:, clusters == -1].sum() == 0 and table[0, 0] == 3
    table, clusters = metrics.confusion([0, 0, 0, 1], [2, 2, 1, 0])
    assert table.tolist() == [[2, 0, 1], [0, 1, 0]] and clusters.tolist() == [2, 0, 1]
    assert metrics.misplaced([0, 0, 0, 1], [2, 2, 1, 0]).tolist() == [False, False, True, False]


@pytest.mark.parametrize("seed", range(8))
def test_many_classes_and_clusters_give_the_same_without_a_table(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    truth, found = np.arange(40) // rng.integers(1, 5), rng.permutation(40) // rng.integers(1, 7)
    if seed > 3:  # many parts that share nothing
        found = np.where(rng.random(40) < 0.2, truth + 1, truth)
    W = sp.csr_array(random_affinity(40, seed, 0.5))

    def figures():
        a, s = metrics.analyse(W, W, truth), metrics.summarise(W, truth, found)
        return np.concatenate([
            [metrics.clustering_accuracy(truth, found), metrics.nmi(truth, found)],
            [metrics.misplaced(truth, found).sum(), metrics.inside_share(W, truth)],
            *metrics.cut_vol(W, truth), [metrics.ncut(W, found), s.acc, s.nmi, s.ncut, s.nonzeros],
            [a.ncut, a.zeta, a.zeta_star, a.k],
        ])  # fmt: skip

    expected = figures()
    monkeypatch.setattr(matching, "MANY", 0)
    monkeypatch.setattr(metrics, "MANY", 0)
    monkeypatch.setattr(metrics, "sums_by_group", None)
    np.testing.assert_allclose(figures(), expected, rtol=1e-12)


def test_as_many_classes_as_points_need_no_square_of_them():
    n = 70_000
    each, chain = np.arange(n), sp.diags_array([np.ones(n - 1)] * 2, offsets=[1, -1])
    tracemalloc.start()
    assert metrics.clustering_accuracy(each, each[::-1]) == metrics.nmi(each, each) == 1
    assert metrics.misplaced(each, each // 2).sum() == n // 2
    assert metrics.cut_vol(chain, each)[1].sum() == metrics.inside_share(chain, each) == 0
    assert metrics.ncut(chain, each // 2) == n // 2 - 1
    assert metrics.analyse(chain, chain, each).zeta == 2 * (n - 1)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_a_table_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(available, "available_memory", lambda: 1 << 20)
    each = np.arange(5000)
    with pytest.raises(ValueError, match="A table of 5,000 classes and 5,000 clusters needs"):
        metrics.confusion(each, each)


@pytest.mark.parametrize("labels", [
    [2**63, 2**63 + 1, -1, -1], [2**53, 2**53 + 1, 0.5, 0.5], [10**400, 10**400 + 1, 0.5, 0.5],
    [np.uint64(2**63), np.uint64(2**63 + 1), -1, -1], ["a", "a\0", "b", "b"],
    np.array(["b", "c", "a", "a"], np.dtypes.StringDType()),
])  # fmt: skip
def test_labels_that_differ_stay_apart_whatever_type_holds_them(labels):
    assert metrics.clustering_accuracy(labels, [0, 1, 2, 2]) == 1
    names = label_names(labels)
    assert [names[k] for k in check_labels(labels)] == list(labels)


def test_flags_of_numpy_are_labels_and_gaps_are_none():
    assert check_labels([np.True_, np.False_, True]).tolist() == [1, 0, 1]
    gaps = np.array(["a", None], np.dtypes.StringDType(na_object=None))
    for labels in (gaps, [2**63 + 1, -1, np.nan], [10**400, np.inf]):
        with pytest.raises(ValueError, match="labels h"):
            check_labels(labels)


def some_changes(m, n, seed=0):
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)[:, :2], axis=1)
    before = np.where(rng.random(m) < 0.5, 0.0, rng.random(m) / 2)
    after = before + rng.random(m) / 2
    return Changes(*ends.T, before, after, rng.integers(1, 4, m), rng.integers(0, n, m))


def test_tally_counts_each_condition_inside_and_between():
    found, labels = some_changes(300, 12), np.arange(12) % 3
    assert [t.condition for t in tally(found, labels)] == [1, 2, 3]
    for t in tally(found, labels):
        mine = [
            (labels[i] == labels[j], w == 0)
            for i, j, w, c in zip(found.i, found.j, found.before, found.condition, strict=True)
            if c == t.condition
        ]
        assert (t.inside, t.between) == (sum(a for a, _ in mine), sum(not a for a, _ in mine))
        assert t.new_inside == sum(a and b for a, b in mine)
        assert t.new_between == sum(b and not a for a, b in mine)
        assert t.precision == pytest.approx(t.inside / len(mine))
    assert np.isnan(tally(found, labels, (0,))[0].precision)
    one_each = Changes(np.array([0, 0]), np.array([1, 2]), *np.zeros((2, 2)), *np.ones((2, 2)))
    assert tally(one_each, [0, 0, 1], (1,))[0].precision == 0.5


@pytest.mark.parametrize("by", ORDERS)
@pytest.mark.parametrize("where", ["all", "inside", "between"])
def test_changes_are_filtered_and_in_order(by, where):
    found, labels = some_changes(300, 12), np.arange(12) % 3
    order = rank_changes(found, labels, by, where=where, conditions=[1, 3], clusters=[2])

    def passes(p):
        a, b = labels[found.i[p]], labels[found.j[p]]
        place = where == "all" or (a == b) == (where == "inside")
        return place and found.condition[p] in (1, 3) and 2 in (a, b)

    def key(p):
        change = found.after[p] - found.before[p]
        within = labels[found.i[p]] == labels[found.j[p]]
        if by == "between":
            return within, -change
        if by in ("change", "after", "before"):
            return -(change if by == "change" else getattr(found, by)[p]), -change
        return getattr(found, by)[p], -change

    assert order.tolist() == sorted(filter(passes, range(300)), key=key)


def test_labels_of_too_few_points_are_refused():
    found = some_changes(30, 12)
    assert found.j.max() == 11 and len(tally(found, np.arange(12) % 2)) == 3
    with pytest.raises(ValueError, match=r"labels has shape \(11,\); .* speak of point 11"):
        tally(found, np.arange(11) % 2)
    with pytest.raises(ValueError, match="changes is str; give what `changes` returns"):
        tally("these", [0, 1])
    none = some_changes(0, 2)
    assert tally(none, [0])[0].inside == 0


@pytest.mark.parametrize("names", [
    [1, 2, 3], ["a", "b", "c"], [0.5, 7, 9], [0, 2, 5], [b"x", b"y", b"z"],
])  # fmt: skip
def test_clusters_go_by_the_names_that_labels_have(names):
    found, codes = some_changes(300, 12), np.arange(12) % 3
    labels = [names[c] for c in codes]
    for chosen in (names[1:2], names[::2], names[1]):
        ours = rank_changes(found, labels, clusters=chosen).tolist()
        several = chosen if isinstance(chosen, list) else [chosen]
        theirs = rank_changes(found, codes, clusters=[names.index(c) for c in several])
        assert ours == theirs.tolist()
        ends = {(labels[found.i[p]], labels[found.j[p]]) for p in ours}
        assert ends and all(a in several or b in several for a, b in ends)
    assert len(rank_changes(found, labels)) == 300
    assert not len(rank_changes(found, labels, clusters=[names[2] * 99]))


def test_conditions_and_clusters_that_cannot_be_are_refused():
    found, labels = some_changes(3, 4), ["a", "a", "b", "b"]
    for wrong in ("x", "abc", [9], [None], 1.5):
        for call in (
            lambda wrong=wrong: tally(found, labels, wrong),
            lambda wrong=wrong: rank_changes(found, labels, conditions=wrong),
        ):
            with pytest.raises(ValueError, match=r"conditions is .*; choose one of 0, 1, 2, 3, 5"):
                call()
    with pytest.raises(ValueError, match="clusters has 1; labels has 'a', give names of that"):
        rank_changes(found, labels, clusters=[1])
    with pytest.raises(ValueError, match="clusters holds neither only numbers nor only text"):
        rank_changes(found, labels, clusters=[None])


def test_an_order_that_does_not_exist():
    with pytest.raises(ValueError, match="by is 'best'; choose one of"):
        rank_changes(some_changes(3, 4), [0, 0, 1, 1], "best")
    with pytest.raises(ValueError, match="where is 'here'; choose one of"):
        rank_changes(some_changes(3, 4), [0, 0, 1, 1], where="here")


def test_preserving_error_leaves_out_empty_rows():
    C = np.array([[0, 3.0, 1], [0, 0, 0], [1, 1, 0]])
    assert metrics.preserving_error(C, [0, 0, 1]) == pytest.approx((0.25 + 1) / 2)
    assert np.isnan(metrics.preserving_error(np.zeros((2, 2)), [0, 1]))


@pytest.mark.parametrize("call", [metrics.clustering_accuracy, metrics.nmi, metrics.confusion])
def test_labels_of_the_wrong_length(call):
    with pytest.raises(ValueError, match="y_pred has shape"):
        call([0, 1, 1], [0, 1])


@pytest.mark.parametrize("apart", [False, True])
def test_a_summary_takes_from_a_spectrum_what_it_needs(apart, monkeypatch):
    W, truth = random_affinity(40, 3), np.arange(40) // 10
    if apart:
        W[:20, 20:] = W[20:, :20] = 0
    alone = metrics.summarise(W, truth, truth)
    looked_for, spectrum = [], conn.spectrum
    monkeypatch.setattr(conn, "LARGE", 10)  # clusters in threads
    monkeypatch.setattr(
        conn, "spectrum", lambda A, *rest: looked_for.append(A.shape[0]) or spectrum(A, *rest)
    )
    known = metrics.summarise(W, truth, truth, spectrum_=spectrum(W, 16, 4))
    assert looked_for == [10] * 4, "the whole graph's is there"
    assert known.conn.whole == pytest.approx(alone.conn.whole, abs=1e-9)
    assert (known.conn.whole == 0) == apart
    assert np.array_equal(known.conn.per_cluster, alone.conn.per_cluster)
    assert known.component_sizes.tolist() == ([20, 20] if apart else [40])


@pytest.mark.parametrize("form", [np.asarray, pytest.param(sp.csr_array, marks=COMPILED)])
@pytest.mark.parametrize("n_clusters", [2, 300])
def test_a_summary_takes_the_memory_that_is_asked_for(form, n_clusters, monkeypatch):
    """Of an array without CONN, whose spectrum asks for its own."""
    W = form(random_affinity(300, 0, 0.9 if n_clusters == 2 else 0.05))
    labels = np.arange(300) % n_clusters
    asked = []
    monkeypatch.setattr(metrics, "check_memory", lambda needed, *a, **k: asked.append(needed))
    if form is np.asarray:
        monkeypatch.setattr(metrics, "conn_of", lambda *a: None)
    metrics.summarise(W, labels)
    tracemalloc.start()
    metrics.summarise(W, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.3 * asked[-1] < peak < asked[-1] + 100_000


def test_a_summary_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(available, "available_memory", lambda: 1000)
    with pytest.raises(ValueError, match=r"W has 20 points.* its figures"):
        metrics.summarise(random_affinity(20, 0), np.arange(20) % 2)


def test_a_summary_of_many_clusters_asks_for_their_tables(monkeypatch):
    W = sp.csr_array(random_affinity(300, 0) > 0.9, dtype=float)
    monkeypatch.setattr(available, "available_memory", lambda: 40 * 300**2 + 24 * W.nnz)
    metrics.summarise(W, np.arange(300) % 2)
    with pytest.raises(ValueError, match=r"W has 300 points.* its figures"):
        metrics.summarise(W, np.arange(300))


@pytest.mark.parametrize("n", [2, 3, 5, 17, 60, pytest.param(400, marks=COMPILED)])
@pytest.mark.parametrize("share", [0.03, 0.3, 1.0])
def test_the_second_eigenvalue_of_a_connected_graph(n, share):
    rng = np.random.default_rng(n)
    W = np.where(rng.random((n, n)) < share, rng.random((n, n)), 0.0)
    W[np.arange(n - 1), np.arange(1, n)] += 0.01  # a path makes it connected
    W = np.triu(W, 1) + np.triu(W, 1).T
    assert second_eigenvalue(sp.csr_array(W)) == pytest.approx(1 - naive.conn(W), abs=1e-10)


@pytest.mark.parametrize(
    "W",
    [
        1 - np.eye(30),  # one eigenvalue beside 1, many times
        np.kron([[0, 1], [1, 0]], np.ones((4, 4))),  # bipartite: 0 many times, and -1
        np.diag(np.ones(40), 1) + np.diag(np.ones(40), -1),
    ],
    ids=["complete", "bipartite", "path"],
)
def test_the_second_eigenvalue_where_lanczos_ends_early_or_late(W):
    assert second_eigenvalue(sp.csr_array(W)) == pytest.approx(1 - naive.conn(W), abs=1e-10)


@pytest.mark.parametrize(("n", "steps"), [(100, 40), pytest.param(600, 320, marks=COMPILED)])
def test_where_lanczos_takes_too_long_another_solver_goes_on(n, steps, monkeypatch):
    monkeypatch.setattr(conn, "MOST_STEPS", steps)
    W = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    assert second_eigenvalue(sp.csr_array(W)) is None
    found = connectivity(sp.csr_array(W), [0] * n)
    assert found.min == pytest.approx(naive.conn(W), abs=1e-7)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-8])
def test_the_second_eigenvalue_among_many_that_are_nearly_equal(apart):
    """Each new vector is what rounding leaves of a difference: the first one creeps back in."""
    noise = random_affinity(60, 1, 1.0)
    W = 1 - np.eye(60) + apart * noise
    assert second_eigenvalue(sp.csr_array(W)) == pytest.approx(1 - naive.conn(W), abs=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_conn_of_a_graph_whose_eigenvalues_are_known_is_not_looked_for(form, monkeypatch):
    W = form(random_affinity(30, 4, 0.9))
    known = {n: spectrum(W, n) for n in (1, 2, 5)}
    expected = naive.conn(random_affinity(30, 4, 0.9))
    found = connectivity(W, found=known[1])
    assert found.converged and found.whole == pytest.approx(expected, abs=1e-6)

    def look(*_):
        raise AssertionError("it is known")

    monkeypatch.setattr(conn, "spectrum", look)
    monkeypatch.setattr(conn, "second_eigenvalue", look)
    for n in (2, 5):
        assert connectivity(W, found=known[n]).whole == pytest.approx(expected, abs=1e-6)
        unsure = replace(known[n], converged=False)
        assert not connectivity(W, found=unsure).converged
