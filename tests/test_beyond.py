"""Sinkhorn, Diffusion and Mutual equal their transcriptions, and the registry names every stage."""

import tracemalloc
from dataclasses import fields, replace
from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sdsc_core.affinities import off_diagonal
from sdsc_core.blocks import Cancelled
from sdsc_core.dense import (
    DENSE,
    DENSE_STAGES,
    LOWERED,
    PARAMETERS,
    RAISED,
    account,
    changes,
    dense_pass,
    dense_stage,
    densify,
    diffusion,
    explain,
    explanations,
    mutual,
    mutuality,
    pce,
    rank_changes,
    scaling,
    sinkhorn,
    sparse_pass,
    stage,
    tally,
    walking,
)
from sdsc_core.dense.scaling import scaling_factors
from sdsc_core.memory import available
from sdsc_core.settings import RunSettings
from tests import naive
from tests.conftest import examples
from tests.test_dense import affinities, sparse_graph

BEYOND = [name for name, known in DENSE.items() if known.lowers]
# Ties, and values so small that a product of three is none.
TIED = st.sampled_from([0.0, 0.0, 0.5, 0.5, 0.9, 1.0, 1e-150])


@examples(150)
@given(W=affinities(TIED), own=st.sampled_from([0.05, 0.5, 1.0]))
def test_sinkhorn_equals_the_transcription(W, own):
    reference = naive.sinkhorn(W, own)
    star = sinkhorn(sp.csr_array(W), own)
    assert sp.issparse(star)
    np.testing.assert_allclose(star.toarray(), reference, atol=1e-7)
    np.testing.assert_array_equal(sinkhorn(W, own), star.toarray())


@examples(200)
@given(W=affinities(TIED), steps=st.integers(1, 4), neighbours=st.integers(1, 9))
def test_diffusion_equals_the_transcription(W, steps, neighbours):
    reference = naive.diffusion(W, steps, neighbours)
    star = diffusion(sp.csr_array(W), steps, neighbours)
    assert sp.issparse(star) and star.has_sorted_indices
    np.testing.assert_allclose(star.toarray(), reference, atol=1e-12)
    np.testing.assert_array_equal(diffusion(W, steps, neighbours), star.toarray())


@examples(200)
@given(W=affinities(TIED), neighbours=st.integers(1, 9))
def test_mutual_equals_the_transcription(W, neighbours):
    star = mutual(sp.csr_array(W), neighbours)
    assert sp.issparse(star) and star.nnz == np.count_nonzero(star.toarray())
    np.testing.assert_array_equal(star.toarray(), naive.mutual(W, neighbours))
    np.testing.assert_array_equal(mutual(W, neighbours), star.toarray())


@pytest.mark.parametrize("rule", BEYOND)
@examples(60)
@given(W=affinities(TIED), seed=st.integers(0, 99))
def test_what_always_holds(rule, W, seed):
    star = dense_stage(W, rule)
    assert np.isfinite(star).all() and star.min(initial=0) >= 0 and star.max(initial=0) <= 1
    np.testing.assert_array_equal(star, star.T)
    assert not star.diagonal().any()
    order = np.random.default_rng(seed).permutation(len(W))
    turned = dense_stage(W[np.ix_(order, order)], rule)
    np.testing.assert_allclose(turned, star[np.ix_(order, order)], atol=1e-7)


def test_all_rows_weigh_the_same_after_sinkhorn():
    W = off_diagonal(sparse_graph(200))
    for own in (0.01, 0.3, 1.0):
        d = scaling_factors(W, own)
        sums = d * (W @ d + own * d)
        np.testing.assert_allclose(sums, 1, atol=1e-9)
        star, largest = sinkhorn(W, own), (d[:, None] * W.toarray() * d).max()
        np.testing.assert_allclose(largest * star.sum(axis=1) + own * d * d, 1, atol=1e-9)


def test_a_hub_whose_leaves_have_no_other_link_has_a_scaling():
    W = np.zeros((7, 7))
    W[0, 1:6] = W[1:6, 0] = [1.0, 0.9, 0.5, 0.5, 0.1]  # and point 6 has no link at all
    d = scaling_factors(sp.csr_array(W), 0.01)
    np.testing.assert_allclose(d * (W @ d + 0.01 * d), 1, atol=1e-9)
    assert not sinkhorn(W, 0.01)[6].any()


@pytest.mark.parametrize("rule", BEYOND)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_graph_without_links_stays_one(rule, form):
    star = dense_stage(form(np.zeros((4, 4))), rule)
    assert sp.csr_array(star).nnz == 0 and sp.issparse(star) == (form is sp.csr_array)


@pytest.mark.parametrize("rule", BEYOND)
def test_blocks_and_threads_change_nothing(rule, monkeypatch):
    W = sparse_graph(300)
    reference = dense_stage(W, rule, n_jobs=1).toarray()
    monkeypatch.setattr("sdsc_core.dense.walking.ROWS_AT_A_TIME", 7)
    monkeypatch.setattr("sdsc_core.dense.mutuality.ROWS_AT_A_TIME", 7)
    for jobs in (1, 3):
        np.testing.assert_array_equal(dense_stage(W, rule, n_jobs=jobs).toarray(), reference)


@pytest.mark.parametrize("rule", BEYOND)
def test_progress_is_told_and_cancels(rule):
    told = []
    dense_stage(sparse_graph(100), rule, progress=lambda *at: told.append(at))
    assert told
    if rule == "Sinkhorn":  # nobody knows how many sweeps it takes
        assert told == [(k, 0) for k in range(len(told))]

    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        dense_stage(sparse_graph(100), rule, progress=stop)


def test_the_floor_of_a_rank_is_the_kth_largest_similarity():
    rng = np.random.default_rng(4)
    W = np.triu(rng.random((41, 41)), 1)
    W += W.T
    for k in (1, 3, 20, 40, 41, 60):
        floors = [np.sort(W[i])[-k] if k <= 41 else 0.0 for i in (5, 9)]
        assert list(account(W, 5, 9, "Mutual", neighbours=k).floors) == floors


@pytest.mark.parametrize("rule", ["Sinkhorn", "Diffusion"])
def test_what_would_not_fit_is_refused(rule, monkeypatch):
    monkeypatch.setattr(available, "available_memory", lambda: 1000)
    with pytest.raises(ValueError, match="W has 100 points"):
        dense_stage(sparse_graph(100), rule)


def two_steps(W):
    return walking.walks(W, 2, 5)


def full_pce(W):
    return pce(W.toarray()[:200, :200])


def full_densify(W):
    return densify(W.toarray()[:40, :40], "D1")


@pytest.mark.parametrize("module, work, links", [
    (scaling, sinkhorn, 0),
    (scaling, sinkhorn, 20_000),
    (walking, two_steps, 0),
    (stage, full_pce, 20_000),
    (dense_pass, full_densify, 20_000),
    (sparse_pass, pce, 2000),
    (mutuality, mutual, 20_000),
    pytest.param(walking, two_steps, 20_000, marks=pytest.mark.compiled),
])  # fmt: skip
def test_memory_is_asked_for_in_the_right_order(module, work, links, monkeypatch):
    """With hardly a link what each point takes counts, with many what each link takes."""
    n = 3000 if links == 0 else 200
    rng, asked = np.random.default_rng(0), []
    ends = rng.integers(0, n, (2, links or 1))
    W = off_diagonal(sp.csr_array((np.full(ends.shape[1], 0.5), ends), shape=(n, n)))
    W = sp.csr_array(W.maximum(W.T))
    W.data[:] = 0.5  # an entry that was drawn twice is not twice as large
    monkeypatch.setattr(module, "check_memory", lambda needed, *a, **k: asked.append(needed))
    work(W)
    tracemalloc.start()
    work(W)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / 8 < asked[-1] < 8 * peak


@pytest.mark.parametrize("rule", BEYOND)
@examples(40)
@given(W=affinities(TIED), neighbours=st.integers(1, 4), steps=st.integers(1, 3))
def test_an_account_agrees_with_the_stage(rule, W, neighbours, steps):
    own = {"neighbours": neighbours, "steps": steps, "self_weight": 0.5}
    star = dense_stage(W, rule, **own)
    for i in range(len(W)):
        for j in range(i):
            found = account(W, i, j, rule, **own)
            assert found.before == W[i, j]
            assert found.after == pytest.approx(star[i, j], abs=1e-9)
            if rule == "Diffusion":
                parts = found.stayed + sum(part for _, part in found.over)
                assert parts == pytest.approx(found.value, abs=1e-12)
            if rule == "Sinkhorn":
                assert found.sums == pytest.approx((W[i].sum(), W[j].sum()))
            if rule == "Mutual" and W[i, j]:
                expected = [(W[p] > W[i, j]).sum() + 1 for p in (i, j)]
                assert list(found.ranks) == expected


@pytest.mark.parametrize("rule", ["Sinkhorn", "Diffusion"])
def test_without_a_link_there_is_nothing_to_divide_by(rule):
    found = account(np.zeros((3, 3)), 0, 1, rule)
    assert (found.before, found.after, found.largest) == (0, 0, 1)


def test_what_a_walk_came_over():
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[1, 2] = W[2, 1] = 1.0
    found = account(W, 0, 2, "Diffusion", steps=2, neighbours=3)
    assert found.before == 0 and [k for k, _ in found.over] == [1] and found.stayed == 0
    assert account(W, 0, 3, "Diffusion").after == 0


@pytest.mark.parametrize("neighbours", [1, 2, 3])
def test_no_point_is_its_own_neighbour(neighbours):
    W = sparse_graph(40, seed=5).toarray()
    np.fill_diagonal(W, 0)
    own = np.diag(np.linspace(0.1, 1, 40))
    found, alone = (mutual(sp.csr_array(V), neighbours) for V in (W + own, W))
    assert np.array_equal(found.toarray() - own, alone.toarray())
    assert 0 < alone.nnz < np.count_nonzero(W)


def test_a_walk_names_the_largest_part_first():
    W = np.zeros((5, 5))
    W[0, 1:4] = W[1:4, 0] = 0.2, 0.9, 0.5
    W[4, 1:4] = W[1:4, 4] = 0.2, 0.9, 0.5
    found = account(W, 0, 4, "Diffusion", steps=2, neighbours=4)
    assert [k for k, _ in found.over] == [2, 3, 1]
    parts = [part for _, part in found.over]
    assert parts == sorted(parts, reverse=True) and sum(parts) == pytest.approx(found.value)


def test_a_walk_is_that_of_the_larger_direction():
    """From the middle only the nearest is kept, from the end the middle is the only one."""
    W = np.zeros((4, 4))
    W[0, 1:] = W[1:, 0] = 0.9, 0.5, 0.2
    for pair in ((0, 3), (3, 0)):
        found = account(W, *pair, "Diffusion", steps=1, neighbours=1)
        assert found.start == 3 and found.value > 0
        assert found.after == pytest.approx(
            dense_stage(W, "Diffusion", steps=1, neighbours=1)[0, 3]
        )


def test_an_account_is_of_similarities_up_to_1():
    with pytest.raises(ValueError, match="1"):
        account(np.array([[0, 2.0], [2.0, 0]]), 0, 1, "Mutual")


@pytest.mark.parametrize("rule", BEYOND)
def test_changes_go_both_ways(rule):
    W = sparse_graph(60, seed=3)
    star = dense_stage(W, rule, neighbours=1, steps=2)
    found = changes(W, star, rule)
    before, after = W.toarray(), star.toarray()
    assert len(found) == np.count_nonzero(np.triu(before != after, 1)) > 5
    for i, j, b, a, case, witness in zip(*found, strict=True):
        assert (b, a, witness) == (before[i, j], after[i, j], -1)
        assert case == (RAISED if a > b else LOWERED)
    assert LOWERED in found.condition
    labels = np.arange(60) % 3
    counts = tally(found, labels, (RAISED, LOWERED))
    assert sum(t.inside + t.between for t in counts) == len(found)
    order = rank_changes(found, labels)
    rose, inside = found.after > found.before, labels[found.i] == labels[found.j]
    misleads = (rose != inside)[order]
    assert (np.diff(misleads.astype(int)) <= 0).all() and misleads.any() and not misleads.all()
    by_size = np.abs(found.after - found.before)[rank_changes(found, labels, "change")]
    assert (np.diff(by_size) <= 0).all()


def test_changes_ask_for_the_larger_of_the_two(monkeypatch):
    W, asked = sp.csr_array(1 - np.eye(4)), []
    monkeypatch.setattr(explanations, "check_memory", lambda needed, *a, **k: asked.append(needed))
    for star in (W, sp.csr_array((4, 4))):
        changes(W, star, "Mutual")
    changes(sp.csr_array((4, 4)), W, "Mutual")
    assert asked[0] == asked[1] == asked[2] > 0


def test_the_registry_knows_every_stage_and_parameter():
    assert (None, *DENSE) == DENSE_STAGES and list(DENSE)[:4] == ["PCE", "D1", "D2", "D3"]
    settings = {f.name: f for f in fields(RunSettings)}
    for known in DENSE.values():
        assert known.title and known.formula and known.source
        for p in known.parameters:
            assert PARAMETERS[p.name] is p and settings[p.name].default == p.default
            assert p.low <= p.default <= p.high <= (p.most or p.high)


def test_defaults_and_ends_of_sliders_are_those_that_are_written_down():
    """Of the paper and of the docstrings; a call without parameters takes them."""
    assert {p.name: (p.default, p.low, p.high, p.most) for p in PARAMETERS.values()} == {
        "theta1": (0.8, 0, 1, 1), "theta2": (0.6, 0, 1, 1), "hops": (1, 1, 5, None),
        "self_weight": (1, 0.01, 1, 1), "steps": (3, 1, 10, 100), "neighbours": (10, 1, 50, None),
    }  # fmt: skip
    W = sparse_graph(60, seed=2)
    for rule, known in DENSE.items():
        own = {p.name: p.default for p in known.parameters}
        assert (dense_stage(W, rule) != dense_stage(W, rule, **own)).nnz == 0
    for function, rule in ((sinkhorn, "Sinkhorn"), (diffusion, "Diffusion"), (mutual, "Mutual")):
        assert (function(W) != dense_stage(W, rule)).nnz == 0
    for function in (sinkhorn, scaling_factors, diffusion, walking.walks, mutual):
        own = [p for p in signature(function).parameters.values() if p.name in PARAMETERS]
        assert own and all(p.default == PARAMETERS[p.name].default for p in own)
    assert [name for name, known in DENSE.items() if known.lowers] == list(DENSE)[4:]


@pytest.mark.parametrize("rule", DENSE)
def test_a_stage_hears_of_its_own_parameters_alone(rule):
    W = sparse_graph(80, seed=1)
    other = {"theta1": 0.7, "theta2": 0.3, "hops": 2, "self_weight": 0.1, "steps": 2,
             "neighbours": 2}  # fmt: skip
    base = RunSettings(dense=rule)
    star = dense_stage(W, rule).toarray()
    for name, value in other.items():
        own = name in base.dense_params()
        assert (replace(base, **{name: value}).dense_key() != base.dense_key()) == own
        assert (dense_stage(W, rule, **{name: value}).toarray() != star).any() == own


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda W: sinkhorn(W, 0), "self_weight is 0"),
        (lambda W: sinkhorn(W, 1.1), "self_weight is 1.1"),
        (lambda W: dense_stage(W, None, n_jobs=0), "n_jobs is 0"),
        (lambda W: densify(W, "D1", None, n_jobs=0), "n_jobs is 0"),
        (lambda W: sinkhorn(3 * W), r"similarities in \[0, 1\]"),
        (lambda W: diffusion(W, 0), "steps is 0"),
        (lambda W: diffusion(W, 101), "from 1 to 100"),
        (lambda W: diffusion(W, 1, 0), "neighbours is 0"),
        (lambda W: mutual(W, 1.5), "neighbours is 1.5"),
        (lambda W: dense_stage(W, "PCE", colour=1), "parameter is 'colour'"),
        (lambda W: dense_stage(np.triu(W), None), "symmetric"),
        (lambda W: account(W, 0, 0, "Mutual"), "i and j are both 0"),
        (lambda W: account(W, 0, 1, "PCE"), "rule is 'PCE'"),
        (lambda W: explain(W, 0, 1, rule="Mutual"), "rule is 'Mutual'"),
        (lambda W: RunSettings(dense="Sinkhorn", self_weight=2.0), "self_weight is 2.0"),
        (lambda W: RunSettings(neighbours=0), "neighbours is 0"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.array([[0, 0.5], [0.5, 0]]))


@pytest.mark.parametrize(
    ("parameters", "says"), [({"neighbours": "x"}, "neighbours is 'x'"), ({"near": 2}, "'near'")]
)
def test_an_account_refuses_a_wrong_parameter(parameters, says):
    W = np.array([[0, 0.9, 0.8], [0.9, 0, 0.7], [0.8, 0.7, 0]])
    with pytest.raises(ValueError, match=says):
        account(W, 0, 2, "Mutual", **parameters)
