"""IMC equals its transcription, whatever the blocks, threads and memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sdsc_core import checks
from sdsc_core import imc_path as imc_module
from sdsc_core.blocks import Cancelled, run_blocks
from sdsc_core.imc_path import ImcPath, imc
from sdsc_core.search import make_search
from tests import naive
from tests.conftest import examples

STRATEGIES = ("tree", "gram", "blocks")
# Few distinct values: duplicates, constant samples and ties in abundance.
TIED = arrays(
    np.float64,
    st.tuples(st.integers(3, 12), st.integers(2, 6)),
    elements=st.sampled_from([-1.0, 0.0, 1.0, 2.0]),
)
RANDOM = st.builds(
    lambda seed, n, d, rank: (
        np.random.default_rng(seed).standard_normal((n, rank))
        @ np.random.default_rng(seed + 1).standard_normal((rank, d))
    ),
    st.integers(0, 10**6),
    st.integers(3, 16),
    st.integers(2, 12),
    st.integers(1, 5),
)


@pytest.mark.parametrize("residual", ["as_printed", "centred"])
@pytest.mark.parametrize("search", STRATEGIES)
@examples(100)
@given(X=st.one_of(TIED, RANDOM), data=st.data())
def test_equals_the_transcription(residual, search, X, data):
    gamma = data.draw(st.integers(1, len(X) - 1))
    ref_picks, ref_values = naive.imc(X, gamma, residual)
    _, ref_pairs = naive.imc(X, gamma, residual, "pair")
    path = imc(X, gamma, residual=residual, search=search)
    pairs = imc(X, gamma, residual=residual, similarity="pair", search=search)
    np.testing.assert_array_equal(path.picks, pairs.picks)
    for i, g in np.ndindex(ref_picks.shape):
        # Only rounding may part them, where two correlations are as good as equal; from there on
        # the rest of that row goes another way.
        same = (path.picks[i, : g + 1] == ref_picks[i, : g + 1]).all()
        if same or (path.picks[i, :g] == ref_picks[i, :g]).all():
            np.testing.assert_allclose(path.correlations[i, g], ref_values[i, g], atol=1e-6)
        if same:
            np.testing.assert_allclose(pairs.correlations[i, g], ref_pairs[i, g], atol=1e-6)


@pytest.mark.parametrize("residual", ["as_printed", "centred"])
def test_equals_the_transcription_exactly_on_generic_data(residual):
    X = np.random.default_rng(3).standard_normal((60, 30))
    picks, values = naive.imc(X, 8, residual)
    for search in STRATEGIES:
        path = imc(X, 8, residual=residual, search=search)
        np.testing.assert_array_equal(path.picks, picks)
        np.testing.assert_allclose(path.correlations, values, atol=1e-12)


def in_blocks_of(size):
    def run(function, n_rows, block_rows, **kwargs):
        return run_blocks(function, n_rows, size, **kwargs)

    return run


@pytest.mark.compiled
@pytest.mark.parametrize("search", STRATEGIES)
@pytest.mark.parametrize("shape", [(700, 40), (700, 8)])
def test_identical_for_any_block_and_thread(shape, search, monkeypatch):
    X = np.random.default_rng(0).standard_normal(shape)
    X[5] = X[300] = -X[6]  # ties
    reference = imc(X, 5, n_jobs=1)

    for block, jobs in [(256, 2), (37, 3), (1, 2), (1000, 1)]:
        monkeypatch.setattr(imc_module, "run_blocks", in_blocks_of(block))
        path = imc(X, 5, n_jobs=jobs, search=search)
        np.testing.assert_array_equal(path.picks, reference.picks)
        np.testing.assert_array_equal(path.correlations, reference.correlations)


@pytest.mark.parametrize("similarity", ["residual", "pair"])
@pytest.mark.parametrize("residual", ["as_printed", "centred"])
@pytest.mark.parametrize("n_features", [6, 20])
def test_small_blocks_and_each_reading(n_features, residual, similarity, monkeypatch):
    X = np.random.default_rng(5).standard_normal((23, n_features)) + 0.7
    X[4], X[9], X[11] = X[2], -X[3], 1.0
    picks, values = naive.imc(X, 5, residual, similarity)
    for block, search in ((1, "blocks"), (7, "gram"), (7, "tree"), (23, "gram")):
        monkeypatch.setattr(imc_module, "run_blocks", in_blocks_of(block))
        path = imc(X, 5, residual=residual, similarity=similarity, search=search, n_jobs=1)
        np.testing.assert_array_equal(path.picks, picks)
        np.testing.assert_allclose(path.correlations, values, atol=1e-9)
        assert path.constant.tolist() == [11]
        for gamma in (1, 3, 5):
            C = naive.coefficients(picks[:, :gamma], values[:, :gamma])
            np.testing.assert_allclose(path.coefficients(gamma).toarray(), C, atol=1e-9)
            W = path.affinity(gamma).toarray()
            np.testing.assert_allclose(W, np.maximum(C, C.T), atol=1e-9)


def test_defaults_are_the_printed_algorithm():
    X = np.random.default_rng(6).standard_normal((12, 5)) + 1
    path = imc(X)
    assert path.picks.shape[1] == 6
    given = imc(X, 6, residual="as_printed", similarity="residual")
    np.testing.assert_array_equal(path.picks, given.picks)
    np.testing.assert_array_equal(path.correlations, given.correlations)


def test_variance_of_rounding_is_none():
    ramp = np.linspace(-1, 1, 8)
    X = np.array([1 + 1e-11 * ramp, 1 + 1e-5 * ramp, ramp, ramp**2])
    for residual in ("as_printed", "centred"):
        path = imc(X, 1, residual=residual)
        assert path.constant.tolist() == [0]
        assert path.picks.ravel().tolist()[:3] == [-1, 2, 1]


def test_all_samples_constant():
    path = imc(np.ones((4, 3)), 2)
    assert path.constant.tolist() == [0, 1, 2, 3]
    assert path.coefficients().nnz == 0 and path.affinity(1).shape == (4, 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"residual": "none"}, "residual is 'none'; choose one of 'as_printed', 'centred'"),
        ({"similarity": "none"}, "similarity is 'none'; choose one of 'residual', 'pair'"),
        ({"n_iterations": 5}, "n_iterations is 5; give a whole number from 1 to 4"),
        ({"n_iterations": 0}, "n_iterations is 0"),
        ({"search": "none"}, "search is 'none'; choose one of"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        imc(np.eye(5), **{"n_iterations": 2} | options)


def test_a_path_is_cut_at_most_at_its_end():
    path = imc(np.random.default_rng(0).standard_normal((6, 4)), 3)
    assert imc_module.ImcPath(path.picks, path.correlations).constant.size == 0
    for gamma in (0, 4):
        with pytest.raises(ValueError, match=f"gamma is {gamma}; give a whole number from 1 to 3"):
            path.affinity(gamma)


@examples(40)
@given(seed=st.integers(0, 10**6))
def test_permuting_the_points_permutes_the_picks(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 7))
    order = rng.permutation(20)
    path, moved = imc(X, 4), imc(X[order], 4)
    np.testing.assert_array_equal(order[moved.picks], path.picks[order])


def test_a_smaller_gamma_is_a_prefix():
    X = np.random.default_rng(1).standard_normal((40, 9))
    long, short = imc(X, 10), imc(X, 4)
    np.testing.assert_array_equal(long.picks[:, :4], short.picks)
    np.testing.assert_array_equal(long.affinity(4).toarray(), short.affinity().toarray())


def test_coefficients_keep_the_larger_value_of_a_point_picked_twice():
    X = np.random.default_rng(0).standard_normal((12, 4))
    path = imc(X, 11)
    C = path.coefficients().toarray()
    np.testing.assert_allclose(C, naive.coefficients(path.picks, path.correlations))
    assert (np.sort(path.picks, axis=1)[:, 1:] == np.sort(path.picks, axis=1)[:, :-1]).any()


@pytest.mark.parametrize("similarity", ["residual", "pair"])
@pytest.mark.parametrize("residual", ["as_printed", "centred"])
@pytest.mark.parametrize("search", STRATEGIES)
def test_a_path_goes_on_from_a_shorter_one(search, residual, similarity):
    X = np.random.default_rng(7).standard_normal((20, 6)) + 0.5
    X[3], X[8], X[9] = 1.0, X[2], -X[5]
    options = {"residual": residual, "similarity": similarity, "search": search}
    whole = imc(X, 6, **options)
    path = imc(X, 1, **options)
    for gamma in (3, 6):
        path = imc(X, gamma, start=path, **options)
    for gamma, other in ((6, path), (6, imc(X, 6, start=whole, **options))):
        np.testing.assert_array_equal(other.picks, whole.picks[:, :gamma])
        np.testing.assert_array_equal(other.correlations, whole.correlations[:, :gamma])
        np.testing.assert_array_equal(other.constant, whole.constant)
    shorter = imc(X, 2, start=whole, **options)
    np.testing.assert_array_equal(shorter.picks, whole.picks[:, :2])
    np.testing.assert_array_equal(shorter.correlations, whole.correlations[:, :2])


@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_a_path_that_is_long_enough_is_not_searched_again(gamma, monkeypatch):
    X = np.random.default_rng(7).standard_normal((20, 6))
    path = imc(X, 3)
    monkeypatch.setattr(imc_module, "make_search", None)  # calling it would fail
    np.testing.assert_array_equal(imc(X, gamma, start=path).picks, path.picks[:, :gamma])


@pytest.mark.parametrize("changed", [0, 6, 19])
def test_a_path_of_other_data_does_not_go_on(changed):
    """Sixteen rows are looked at, the first and the last among them."""
    X = np.random.default_rng(7).standard_normal((20, 6))
    path, other = imc(X, 2), X.copy()
    other[changed] = X[changed, ::-1]
    mirrored = imc_module.ImcPath(path.picks, path.correlations[::-1])
    longer = imc_module.ImcPath(path.picks + 20, path.correlations)
    given = [(other, path), (X[:-1], path), (X, mirrored), (X, longer), (X, imc(X[:19], 2))]
    for data, start in given:
        with pytest.raises(ValueError, match="start is the path of other data or settings"):
            imc(data, 3, start=start)
    for settings_ in ({"residual": "centred"}, {"similarity": "pair"}):
        with pytest.raises(ValueError, match="start is the path of other data or settings"):
            imc(X, 3, start=path, **settings_)


@pytest.mark.parametrize("row", [0, 19])
def test_a_path_with_one_wrong_entry_does_not_go_on(row):
    X = np.random.default_rng(7).standard_normal((20, 6))
    path = imc(X, 2)
    other, beyond = path.correlations.copy(), path.picks.copy()
    other[row, 1] *= 0.5
    beyond[row, 1] = 20
    for picks, values in ((path.picks, other), (beyond, path.correlations)):
        with pytest.raises(ValueError, match="start is the path of other data or settings"):
            imc(X, 3, start=imc_module.ImcPath(picks, values))


def test_rounding_takes_no_correlation_beyond_one():
    X = np.tile(np.random.default_rng(0).standard_normal((40, 7)), (2, 1))
    Z = imc_module.Samples.of(X, "centred").Z
    assert (np.einsum("ij,ij->i", Z, Z) > 1).any()  # by the last bit
    for options in ({}, {"similarity": "pair"}):
        whole = imc(X, 3, **options)
        assert whole.correlations.max() == 1
        again = imc(X, 3, start=imc(X, 1, **options), **options)
        np.testing.assert_array_equal(again.correlations, whole.correlations)


def test_a_point_that_correlates_with_nothing_stops():
    X = np.array([[1.0, -1, 0, 0, 0], [0, 0, 1, -1, 0], [1, 1, -2, -2, 2], [5, 5, 5, 5, 5]])
    for residual in ("as_printed", "centred"):
        for search in STRATEGIES:
            path = imc(X[[0, 1, 3]], 2, residual=residual, search=search)
            assert (path.picks == -1).all() and not path.correlations.any()


@pytest.mark.parametrize("memory_mb", [-1, float("nan"), "much"])
def test_an_amount_of_memory_that_is_none(memory_mb):
    with pytest.raises(ValueError, match="memory_mb is"):
        imc(np.eye(4), 2, memory_mb=memory_mb)
    np.testing.assert_array_equal(imc(np.eye(4), 2, memory_mb=0.5).picks, imc(np.eye(4), 2).picks)


def test_coefficients_have_32_bit_indices_in_order():
    picks = np.array([[3, 1, 3, -1], [-1, -1, -1, -1], [0, 3, 1, 0], [2, 1, 0, 1]])
    values = np.array(
        [[0.2, 0.9, 0.5, 0], [0, 0, 0, 0], [0.8, 0.1, 0.7, 0.3], [0.4, 0.5, 0.6, 0.2]]
    )
    C = ImcPath(picks, values).coefficients()
    assert C.indices.dtype == C.indptr.dtype == np.int32 and C.has_canonical_format
    assert C.indices.tolist() == [1, 3, 0, 1, 3, 0, 1, 2]
    np.testing.assert_array_equal(C.toarray(), naive.coefficients(picks, values))


def test_gamma_up_to_all_other_points():
    X = np.random.default_rng(2).standard_normal((9, 5))
    assert imc(X, 8).picks.shape == (9, 8)


def test_constant_and_duplicate_samples():
    X = np.array([[1, 1, 1.0], [0, 0, 0], [1, 2, 3], [1, 2, 3], [3, 1, 0]])
    path = imc(X, 3)
    assert path.constant.tolist() == [0, 1]
    assert (path.picks[:2] == -1).all()
    assert path.picks[2, 0] == 3 and path.picks[3, 0] == 2
    assert not np.isin(path.picks, [0, 1]).any()
    assert path.correlations.max() <= 1


def test_stops_early_when_nothing_is_left():
    path = imc(np.array([[1, -1, 0.0], [-2, 2, 0], [0, 1, -1]]), 2)
    assert path.picks[0].tolist() == [1, -1]


def test_huge_and_tiny_values_do_not_overflow():
    X = np.random.default_rng(0).standard_normal((10, 6))
    scale = np.array([1e200, 1e-200] * 5)[:, None]
    np.testing.assert_array_equal(imc(X * scale, 3).picks, imc(X, 3).picks)


@pytest.mark.parametrize("search", ["tree", "blocks"])
def test_many_near_ties_still_find_the_exact_winner(search):
    rng = np.random.default_rng(0)
    Z = np.tile(rng.standard_normal(50), (300, 1)) + 1e-9 * rng.standard_normal((300, 50))
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    residual = Z[:4] + 1e-3 * rng.standard_normal((4, 50))
    picks = make_search(Z, 1, search).rows(np.arange(4)).find(residual)[0][:, 0]
    products = np.abs(residual @ Z.T)
    products[np.arange(4), np.arange(4)] = 0
    np.testing.assert_allclose(
        products[np.arange(4), picks], products.max(axis=1), rtol=0, atol=1e-12
    )


@pytest.mark.compiled
def test_progress_counts_up_and_cancels():
    X = np.random.default_rng(0).standard_normal((1500, 20))
    seen = []
    imc(X, 2, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 1500) and seen[-1] == (1500, 1500) and seen == sorted(seen)

    def stop(done, total):
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        imc(X, 2, progress=stop)


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_of_a_mapped_file_give_the_same(tmp_path, monkeypatch, order):
    X = np.random.default_rng(0).standard_normal((50, 9))
    np.save(tmp_path / "X.npy", np.asarray(X, order=order))
    whole = imc(X, 4)
    for module in (checks, imc_module):
        monkeypatch.setattr(module, "ROWS", 7)
    found = imc(np.load(tmp_path / "X.npy", mmap_mode="r"), 4)
    np.testing.assert_array_equal(found.picks, whole.picks)
    np.testing.assert_array_equal(found.correlations, whole.correlations)
    X[44, 3] = np.nan
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(ValueError, match="first in row 44"):
        imc(np.load(tmp_path / "X.npy", mmap_mode="r"), 4)


def test_a_mapped_file_is_not_copied(tmp_path, monkeypatch):
    """Beside the scaled samples, which are as large as X, a few parts of it are in memory."""
    for module in (checks, imc_module):
        monkeypatch.setattr(module, "ROWS", 1000)
    np.save(tmp_path / "X.npy", np.random.default_rng(0).standard_normal((40_000, 20)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    tracemalloc.start()
    try:
        imc_module.Samples.of(checks.check_data(X, copy=False), "as_printed")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert X.nbytes < peak < 1.6 * X.nbytes
