"""The dense stage equals its transcription, sparse and dense."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sdsc_core import dense as dense_module
from sdsc_core.dense import changes, densify, explain, pce
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


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@settings(max_examples=100)
@given(W=affinities(), hops=st.integers(1, 3))
def test_densify_equals_the_transcription(transform, W, hops):
    reference = naive.densify(W, transform, hops)
    sparse = densify(sp.csr_array(W), transform, hops)
    assert sp.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), reference, atol=1e-12)
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
    monkeypatch.setattr(dense_module, "PATHS_A_BLOCK", 500)
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
        assert (before, case, witness) == (e.before, e.condition, e.witness)
        assert after == pytest.approx(e.after, abs=1e-12)
