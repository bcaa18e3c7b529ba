"""The dense stage equals its transcription, sparse and dense."""

import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

from sdsc_core.blocks import Cancelled
from sdsc_core.dense import (
    account,
    changes,
    dense_pass,
    dense_stage,
    densify,
    explain,
    explanations,
    pce,
    sparse_pass,
    to_distance,
    to_similarity,
)
from sdsc_core.dense.explanations import RAISED
from sdsc_core.dense.rules import RULES, condition, two_hop
from sdsc_core.memory import available
from tests import naive

# θ themselves, 0 and 1 among the values: the half-open intervals decide there.
LEVELS = st.sampled_from([0.0, 0.0, 0.3, 0.6, 0.60001, 0.7, 0.8, 0.80001, 0.9, 1.0])
ANY = st.one_of(LEVELS, st.floats(1e-9, 1))


@st.composite
def affinities(draw, values=ANY):
    n = draw(st.integers(1, 9))
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            W[i, j] = W[j, i] = draw(values)
    return W


@settings(max_examples=200)
@given(W=affinities(), theta=st.sampled_from([(0.8, 0.6), (0.7, 0.0), (1.0, 0.3), (0.9, 0.8)]))
def test_pce_equals_the_transcription(W, theta):
    star = pce(sp.csr_array(W), *theta)
    np.testing.assert_array_equal(star.toarray(), naive.pce(W, *theta))
    np.testing.assert_array_equal(pce(W, *theta).toarray(), star.toarray())
    assert star.has_sorted_indices


@pytest.mark.parametrize("stage", [pce, densify, lambda W: densify(W, "D2", 2)])
def test_indices_stay_32_bits_wide(stage):
    W = sp.csr_array(np.kron(np.eye(3), 0.9 * (1 - np.eye(4))))
    wide = sp.csr_array((W.data, W.indices.astype(np.int64), W.indptr.astype(np.int64)))
    star = stage(wide)
    assert star.indices.dtype == star.indptr.dtype == np.int32
    assert (star != stage(W)).nnz == 0 and wide.indices.dtype == np.int64


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@settings(max_examples=100)
@given(W=affinities(), hops=st.integers(1, 3))
def test_densify_equals_the_transcription(transform, W, hops):
    reference = naive.densify(W, transform, hops)
    sparse = densify(sp.csr_array(W), transform, hops)
    assert sp.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), reference, atol=1e-12)
    np.testing.assert_array_equal(sparse.toarray(), sparse.toarray().T)
    assert sparse.nnz == np.count_nonzero(sparse.toarray())  # an offer of 0 is none
    full = densify(W, transform, hops)
    assert isinstance(full, np.ndarray)
    np.testing.assert_allclose(full, reference, atol=1e-6)


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@settings(max_examples=40)
@given(W=affinities())
def test_all_shortest_paths_are_the_limit_of_more_hops(transform, W):
    reference = naive.densify(W, transform, hops=len(W))
    np.testing.assert_allclose(densify(W, transform, None), reference, atol=1e-9)
    np.testing.assert_allclose(
        densify(sp.csr_array(W), transform, None).toarray(), reference, atol=1e-9
    )


@pytest.mark.parametrize("transform", ["D2", "D3"])
def test_a_path_counts_by_the_end_from_which_it_sums_to_more(transform):
    """Sums of the same distances differ in the last bit, and W* must be symmetric."""
    W = sparse_graph(60, seed=5).toarray()
    graph = sp.csr_array(W)
    graph.data = to_distance(graph.data, transform)
    raw = dijkstra(graph)
    np.fill_diagonal(raw, np.inf)
    one_way = np.maximum(to_similarity(raw, transform), W)
    assert (one_way != one_way.T).any()
    for form in (W, sp.csr_array(W)):
        star = sp.csr_array(densify(form, transform, None)).toarray()
        np.testing.assert_array_equal(star, np.maximum(one_way, one_way.T))


BESIDE = (0.0, 0.3, 0.6, 0.61, 0.8, 0.81, 1.0)


def test_what_a_point_offers_to_a_pair_is_that_of_the_paper():
    for a, b, w in itertools.product(BESIDE, repeat=3):
        assert condition(a, b, w, 0.8, 0.6) == naive.tur_condition(a, b, w, 0.8, 0.6)
        for rule in ("D1", "D2", "D3"):
            d = naive.to_distance(a, rule) + naive.to_distance(b, rule) if a and b else np.inf
            expected = max(0.0, naive.to_similarity(d, rule)) if a and b else 0.0
            offered = two_hop(RULES[rule], a, b, w, 0.0, 0.0)
            assert offered == pytest.approx(expected)


@settings(max_examples=60)
@given(W=affinities(), seed=st.integers(0, 99), rule=st.sampled_from(["PCE", "D1", "D2", "D3"]))
def test_what_always_holds(W, seed, rule):
    def stage(A):
        A = sp.csr_array(A)
        return (pce(A) if rule == "PCE" else densify(A, rule)).toarray()

    star = stage(W)
    assert (star >= W).all()
    assert (star <= 1).all()
    np.testing.assert_array_equal(star, star.T)
    order = np.random.default_rng(seed).permutation(len(W))
    np.testing.assert_array_equal(stage(W[np.ix_(order, order)]), star[np.ix_(order, order)])


def sparse_graph(n=400, seed=0):
    W = sp.random_array((n, n), density=0.02, random_state=seed, format="csr")
    return sp.csr_array(W.maximum(W.T))


@pytest.mark.parametrize("rule", ["PCE", "D1", "D2", "D3"])
def test_blocks_and_threads_change_nothing(rule, monkeypatch):
    W = sparse_graph()

    def stage(jobs):
        return pce(W, n_jobs=jobs) if rule == "PCE" else densify(W, rule, n_jobs=jobs)

    reference = stage(1)
    monkeypatch.setattr(sparse_pass, "PATHS_A_BLOCK", 500)
    for jobs in (1, 3):
        np.testing.assert_array_equal(stage(jobs).toarray(), reference.toarray())


@pytest.mark.compiled
@pytest.mark.parametrize("n", [255, 256, 261, 515])
def test_dense_tiles_fit_any_size(n):
    W = sparse_graph(n).toarray()
    np.testing.assert_allclose(
        densify(W, "D3", n_jobs=2), densify(sp.csr_array(W), "D3").toarray(), atol=1e-6
    )


def test_float32_leaves_entries_without_a_shorter_path_alone():
    W = np.array([[0, 0.3, 0.3], [0.3, 0, 0.3], [0.3, 0.3, 0]])
    np.testing.assert_array_equal(densify(W, "D3"), W)


def test_a_diagonal_stays_and_never_serves_as_intermediate():
    W = np.array([[1, 0.9, 0], [0.9, 1, 0.7], [0, 0.7, 1]])
    star = pce(W).toarray()
    np.testing.assert_array_equal(star.diagonal(), 1)
    assert star[0, 2] == 0.7
    np.testing.assert_allclose(densify(W, "D3").diagonal(), 1)


@settings(max_examples=80)
@given(W=affinities())
def test_explain_agrees_with_the_stage(W):
    star = naive.pce(W, 0.8, 0.6)
    for i in range(len(W)):
        for j in range(i):
            e = explain(W, i, j, 0.8, 0.6)
            assert e.before == W[i, j] and e.after == star[i, j]
            if e.witness >= 0:
                triple = W[i, e.witness], W[e.witness, j], W[i, j]
                assert e.condition == naive.tur_condition(*triple, 0.8, 0.6) > 0
            else:
                assert e.condition == 0 and star[i, j] == W[i, j]


@pytest.mark.parametrize("rule", ["PCE", "D1", "D2", "D3"])
def test_changes_agree_with_explain(rule):
    W = sparse_graph(60, seed=3)
    W = sp.csr_array(W.maximum(sparse_graph(60, seed=4)))
    star = pce(W) if rule == "PCE" else densify(W, rule)
    found = changes(W, star, rule)
    assert len(found) == np.count_nonzero(np.triu(star.toarray() > W.toarray()))
    assert len(found) > 20
    for i, j, before, after, case, witness in list(zip(*found, strict=True))[:200]:
        e = explain(W, int(i), int(j), rule=rule)
        assert (before, after, case, witness) == (e.before, e.after, e.condition, e.witness)


def in_another_order(W, rng):
    """The same CSR with the entries of each row shuffled, and one of them in two parts."""
    coo = sp.coo_array(W)
    order = rng.permutation(coo.nnz)
    row, col, data = coo.row[order], coo.col[order], coo.data[order]
    if len(data):
        row, col, data = np.append(row, row[0]), np.append(col, col[0]), np.append(data, 0.0)
    by_row = np.argsort(row, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(W)))])
    return sp.csr_array((data[by_row], col[by_row], indptr), shape=W.shape)


@settings(max_examples=120)
@given(
    W=affinities(),
    seed=st.integers(0, 99),
    rule=st.sampled_from(["PCE", "D1", "D2", "D3"]),
    uneven=st.booleans(),
)
def test_whatever_form_w_comes_in_the_reasons_are_those_of_the_stage(W, seed, rule, uneven):
    rng = np.random.default_rng(seed)
    if uneven:  # by rounding, as the checks allow
        W = W * (1 - 5e-9 * rng.random(W.shape))
    form = in_another_order(W, rng)
    kept = [a.copy() for a in (form.data, form.indices, form.indptr)]

    def stage(A):
        return pce(A) if rule == "PCE" else densify(A, rule)

    star = stage(form)
    np.testing.assert_array_equal(star.toarray(), stage(sp.csr_array(W)).toarray())
    np.testing.assert_array_equal(star.toarray(), star.toarray().T)
    assert (star.toarray() >= np.maximum(W, W.T)).all()
    found = changes(form, star, rule)
    raised = np.argwhere(np.triu(star.toarray() > np.maximum(W, W.T), 1)).tolist()
    assert sorted(zip(found.i.tolist(), found.j.tolist(), strict=True)) == sorted(
        map(tuple, raised)
    )
    for i, j, before, after, case, witness in zip(*found, strict=True):
        e = explain(form, int(i), int(j), rule=rule)
        assert witness >= 0 and after == star[i, j]
        assert (before, after, case, witness) == (e.before, e.after, e.condition, e.witness)
    for a, b in zip(kept, (form.data, form.indices, form.indptr), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_order_that_the_matrix_itself_has_wrong():
    W = sparse_graph(40, seed=1)
    star = pce(W)
    shuffled = W.copy()
    assert shuffled.has_sorted_indices  # it remembers this
    for a, b in zip(shuffled.indptr, shuffled.indptr[1:], strict=False):
        shuffled.indices[a:b], shuffled.data[a:b] = W.indices[a:b][::-1], W.data[a:b][::-1]
    np.testing.assert_array_equal(pce(shuffled).toarray(), star.toarray())
    for one, other in zip(changes(shuffled, star), changes(W, star), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@settings(max_examples=60)
@given(W=affinities())
def test_every_entry_raised_in_float32_has_a_witness(transform, W):
    found = changes(W, densify(W, transform), transform)
    for i, j, after, witness in zip(found.i, found.j, found.after, found.witness, strict=True):
        e = explain(W, int(i), int(j), rule=transform)
        assert witness == e.witness >= 0
        assert after == pytest.approx(e.after, abs=1e-6)


@pytest.mark.filterwarnings("ignore:overflow")  # to no way at all; said where uncompiled alone
@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@pytest.mark.parametrize("lowest", [3, 8, 150, 320])
def test_small_values_keep_their_witness_in_float32(transform, lowest):
    """Of 1 − ln w, a distance of 20 and more, the sum in float32 is off by more than of 1."""
    raised = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 30))
        W = np.triu(10.0 ** -rng.uniform(0, lowest, (n, n)) * (rng.random((n, n)) < 0.5), 1)
        W += W.T
        star = densify(W, transform)
        found = changes(W, star, transform)
        for i, j, witness in zip(found.i, found.j, found.witness, strict=True):
            assert witness == explain(W, int(i), int(j), rule=transform).witness >= 0
        raised += len(found)
    assert raised > (0 if transform == "D1" else 100)  # D1 gives up below a sum of 1


@pytest.mark.parametrize("rule", ["PCE", "D1", "D2", "D3"])
@pytest.mark.parametrize("w", [0.7, 1e-6])
def test_what_is_off_by_more_than_rounding_has_no_witness(rule, w):
    """Also an entry that fell to 0, of which there is no logarithm."""
    W = np.zeros((3, 3))
    W[0, 1] = W[1, 0] = W[1, 2] = W[2, 1] = w if rule in ("D2", "D3") else 0.9
    star = pce(W).toarray() if rule == "PCE" else densify(W, rule)
    assert changes(W, star, rule).witness.tolist() == [1]
    star[0, 2] = star[2, 0] = star[0, 2] * 1.0001
    star[0, 1] = star[1, 0] = 0.0
    assert changes(W, star, rule).witness.tolist() == [-1, -1]


def test_a_small_sum_of_a_dense_w_keeps_its_witness():
    """D1 subtracts: 0.6 + 0.4003 − 1 is off by more than a millionth of itself in float32."""
    W = np.zeros((3, 3))
    W[0, 1] = W[1, 0] = 0.6
    W[1, 2] = W[2, 1] = 0.4003
    assert changes(W, densify(W, "D1"), "D1").witness.tolist() == [1]


def test_a_witness_that_offers_something_else_is_none():
    """W* of another rule, or of several hops: the best k explains less, or more, than there is."""
    W = sp.csr_array(sparse_graph(40, seed=3).maximum(sparse_graph(40, seed=4)))
    for star, rule in ((densify(W, "D1", 2), "D1"), (densify(W, "D1"), "PCE")):
        found = changes(W, star, rule)
        alone = 0
        for i, j, after, case, k in zip(
            found.i, found.j, found.after, found.condition, found.witness, strict=True
        ):
            offered = explain(W, int(i), int(j), rule=rule)
            same = offered.witness >= 0 and offered.after == pytest.approx(after)
            assert k == (offered.witness if same else -1) and (case == RAISED) == (k < 0)
            alone += k < 0
        assert alone > 0


def test_several_hops_leave_entries_without_a_witness():
    chain = np.diag([0.9, 0.9, 0.9], 1)
    W = chain + chain.T
    found = changes(W, densify(W, "D3", 2), "D3")
    assert dict(
        zip(zip(found.i.tolist(), found.j.tolist(), strict=True), found.witness, strict=True)
    ) == {(0, 2): 1, (1, 3): 2, (0, 3): -1}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_all_shortest_paths_are_refused_where_they_do_not_fit(form, monkeypatch):
    W = form(sparse_graph(60).toarray())
    need = 8 * 60 * 60 if form is np.asarray else 20 * 60 * 60
    monkeypatch.setattr(available, "available_memory", lambda: 2 * need)
    assert densify(W, "D3", None).shape == (60, 60)
    monkeypatch.setattr(available, "available_memory", lambda: 2 * need - 2)
    with pytest.raises(ValueError, match=r"W has 60 points.* GiB .* or a number of hops\.$"):
        densify(W, "D3", None)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_all_shortest_paths_take_the_memory_that_was_estimated(form):
    n = 700
    W = form(sparse_graph(n).toarray())
    densify(W, "D3", None)  # compiles
    tracemalloc.start()
    star = densify(W, "D3", None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (star.nnz if form is sp.csr_array else np.count_nonzero(star)) > 0.9 * n * n
    rows = 5 * 8 * n * dense_pass.ROWS_AT_A_TIME  # a block of rows on its way
    assert peak < (8 if form is np.asarray else 20) * n * n + rows + 16 * sp.csr_array(W).nnz


@pytest.mark.parametrize("what", ["changes", "account"])
def test_an_array_is_not_made_sparse_before_memory_is_asked_for(what, monkeypatch):
    W = np.full((600, 600), 0.5)
    monkeypatch.setattr(available, "available_memory", lambda: W.nbytes)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="W has 600 points"):
            changes(W, W) if what == "changes" else account(W, 0, 1, "Mutual")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * W.nbytes


def test_all_shortest_paths_tell_their_progress():
    told = []
    densify(sparse_graph(300), "D3", None, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 300), (256, 300)]


def levels(n, seed, diagonal=0.0):
    """Values at and beside the default θ."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.choice([0, 0, 0.3, 0.6, 0.61, 0.7, 0.8, 0.81, 0.9, 1.0], (n, n)), 1)
    return W + W.T + diagonal * np.eye(n)


def plain(kernel):
    """The function behind a kernel, which reads a module's constants when it runs."""
    return getattr(kernel, "py_func", kernel)


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@pytest.mark.parametrize("hops", [1, 2])
def test_small_tiles_of_the_dense_product(transform, hops, monkeypatch):
    monkeypatch.setattr(dense_pass, "TILE", 4)
    monkeypatch.setattr(dense_pass, "_min_plus_rows", plain(dense_pass._min_plus_rows))
    for n in range(1, 15):
        W = levels(n, n)
        expected = naive.densify(W, transform, hops)
        np.testing.assert_allclose(densify(W, transform, hops), expected, atol=1e-6)


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
def test_distances_are_those_of_table_1_and_back(transform):
    w = np.array([0.0, 1e-5, 0.3, 0.999, 1.0])
    d = to_distance(w, transform)
    np.testing.assert_allclose(d, [naive.to_distance(x, transform) for x in w])
    np.testing.assert_allclose(to_similarity(d, transform), w, atol=1e-12)
    assert to_similarity([np.inf, 1e9], transform).max() <= 1e-9


def test_defaults_are_the_papers():
    W = levels(14, 0)
    star = naive.pce(W, 0.8, 0.6)
    sparse = sp.csr_array(W)
    for result in (pce(W), dense_stage(sparse), pce(W, 0.8, 0.6)):
        np.testing.assert_array_equal(result.toarray(), star)
    found, given = changes(W, star), changes(W, star, "PCE", 0.8, 0.6)
    assert all(np.array_equal(a, b) for a, b in zip(found, given, strict=True))
    assert explain(W, 1, 2) == explain(W, 1, 2, 0.8, 0.6, "PCE")
    for result in (densify(sparse), dense_stage(sparse, "D3")):
        np.testing.assert_allclose(result.toarray(), naive.densify(W, "D3", 1))


def test_a_stage_passes_on_what_it_is_given():
    W = levels(14, 1)
    sparse = sp.csr_array(W)
    assert dense_stage(sparse, None) is sparse
    assert sp.issparse(dense_stage(sparse, "PCE"))
    assert isinstance(dense_stage(W, "PCE"), np.ndarray)  # mostly nonzero: an array is quicker
    star = dense_stage(sparse, "PCE", 0.7, 0.3)
    np.testing.assert_array_equal(star.toarray(), naive.pce(W, 0.7, 0.3))
    for rule in ("D1", "D2", "D3"):
        for hops in (1, 2):
            expected = naive.densify(W, rule, hops)
            got = dense_stage(sparse, rule, hops=hops).toarray()
            np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("rule", ["PCE", "D1", "D2", "D3"])
@pytest.mark.parametrize("diagonal", [0.0, 1.0])
def test_every_offer_is_the_transcriptions_and_the_first_best_wins(rule, diagonal):
    W = levels(9, 2, diagonal)
    star = naive.pce(W, 0.8, 0.6) if rule == "PCE" else naive.densify(W, rule, 1)
    pairs = {}
    for i, j in np.ndindex(W.shape):
        if i == j:
            continue
        e = explain(W, i, j, rule=rule)
        between = [k for k in range(9) if k not in (i, j) and W[i, k] > 0 and W[k, j] > 0]
        assert [o.k for o in e.offers] == between
        for o in e.offers:
            assert (o.w_ik, o.w_kj) == (W[i, o.k], W[o.k, j])
            if rule == "PCE":
                assert o.condition == naive.tur_condition(o.w_ik, o.w_kj, W[i, j], 0.8, 0.6)
            else:
                d = naive.to_distance(o.w_ik, rule) + naive.to_distance(o.w_kj, rule)
                assert o.condition == 0
                assert o.value == pytest.approx(max(0, naive.to_similarity(d, rule)))
        assert e.after == pytest.approx(star[i, j])
        best = max([o.value for o in e.offers], default=0)
        first = next((o.k for o in e.offers if o.value == best), -1)
        assert e.witness == (first if best > W[i, j] else -1)
        pairs[i, j] = e
    found = changes(W, star if rule == "PCE" else densify(sp.csr_array(W), rule), rule)
    assert len(found) > 3
    assert {(i, j) for i, j, *_ in zip(*found, strict=True)} == {
        (i, j) for (i, j), e in pairs.items() if i < j and e.after > e.before
    }
    for i, j, before, after, case, witness in zip(*found, strict=True):
        e = pairs[i, j]
        assert (before, case, witness) == (e.before, e.condition, e.witness)
        assert after == pytest.approx(e.after)


def test_what_is_refused():
    W = levels(4, 0)
    with pytest.raises(ValueError, match="i and j are both 2"):
        explain(W, 2, 2)
    for i, j in ((4, 0), (0, -1)):
        with pytest.raises(ValueError, match="give a whole number from 0 to 3"):
            explain(W, i, j)
    with pytest.raises(ValueError, match="hops is 0"):
        densify(W, "D1", 0)
    with pytest.raises(ValueError, match="transform is 'PCE'"):
        densify(W, "PCE")
    for call in (lambda: explain(W, 0, 1, rule="D4"), lambda: changes(W, W, "D4")):
        with pytest.raises(ValueError, match="rule is 'D4'"):
            call()
    with pytest.raises(ValueError, match="theta1 must be the larger one"):
        explain(W, 0, 1, 0.5, 0.5)
    with pytest.raises(ValueError, match="square"):
        dense_stage(np.ones((2, 3)), None)
    for call in (pce, densify, lambda W: explain(W, 0, 1), lambda W: changes(W, W)):
        with pytest.raises(ValueError, match=r"similarities in \[0, 1\]"):
            call(2 * W)


def test_progress_and_blocks(monkeypatch):
    W = sparse_graph(200)
    seen = []
    monkeypatch.setattr(sparse_pass, "PATHS_A_BLOCK", 1)
    pce(W, n_jobs=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 200), (64, 200), (128, 200), (192, 200), (200, 200)]


@pytest.mark.parametrize("rule", ["PCE", "D3"])
def test_witnesses_of_short_rows(rule):
    """Rows end at different points, so that one is through before the other."""
    for seed in range(12):
        W = levels(8, seed) * (levels(8, seed + 50) > 0.6)
        star = pce(W) if rule == "PCE" else densify(sp.csr_array(W), rule)
        for i, j, *_, case, witness in zip(*changes(W, star, rule), strict=True):
            e = explain(W, int(i), int(j), rule=rule)
            assert (case, witness) == (e.condition, e.witness)


def test_causes_come_in_blocks_and_may_be_cancelled(monkeypatch):
    W = sparse_graph(200)
    star = pce(W)
    whole, seen = changes(W, star), []
    monkeypatch.setattr(explanations, "PAIRS_A_BLOCK", 7)
    parts = changes(W, star, n_jobs=1, progress=lambda done, total: seen.append((done, total)))
    n = len(whole)
    assert n > 14 and seen == [(min(k, n), n) for k in range(0, n + 7, 7)]
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)

    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        changes(W, star, progress=stop)
