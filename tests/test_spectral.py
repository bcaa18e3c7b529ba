"""Spectral clustering: degenerate graphs, reproducibility, fall-backs."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numba import config
from scipy.sparse.linalg import ArpackNoConvergence

from sdsc_core import SDSC, Cancelled, eigenpairs, kmeans, spectral
from sdsc_core.conn import connectivity
from sdsc_core.kmeans import cluster_rows, quick
from sdsc_core.memory import available
from sdsc_core.metrics import clustering_accuracy, ncut, summarise
from sdsc_core.run import cluster_side
from sdsc_core.spectral import check_spectrum, spectral_clustering, spectrum, suggest_n_clusters


def blocks(sizes, inside=0.9, between=0.0, seed=0):
    """A noisy block graph and its classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    W = np.where(y[:, None] == y, inside, between) * rng.random((len(y), len(y)))
    W = np.triu(W, 1)
    return W + W.T, y


@pytest.mark.parametrize("sizes", [(3, 4), (30, 40, 50), (150, 200, 100)])
@pytest.mark.parametrize("between", [0.0, 0.02])
def test_finds_blocks_sparse_and_dense(sizes, between):
    W, y = blocks(sizes, between=between)
    for A in (W, sp.csr_array(W)):
        assert clustering_accuracy(y, spectral_clustering(A, len(sizes))) == 1


def test_eigenvalues_equal_a_full_decomposition():
    W, _ = blocks((90, 80), between=0.1)
    d = W.sum(axis=1)
    reference = np.sort(np.linalg.eigvalsh(W / np.sqrt(np.outer(d, d))))[::-1]
    for A in (W, sp.csr_array(W)):
        found = spectrum(A, 5)
        np.testing.assert_allclose(found.eigenvalues, reference[:5], atol=1e-5)
        np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-5)


@pytest.mark.parametrize("debris", [3, 20])
@pytest.mark.parametrize("sizes", [(20, 25), (100, 120)])
def test_the_regularised_spectrum_equals_a_dense_reference(sizes, debris):
    """D_τ^{-1/2} (W + τ/N) D_τ^{-1/2}, with τ the mean degree: in both solvers."""
    W, _ = blocks(sizes, between=0.05)
    W = sp.block_diag([W, np.kron(np.eye(debris), 1 - np.eye(2))], format="csr")
    n = W.shape[0]
    A = W.toarray() + W.sum() / n / n
    d = A.sum(axis=1)
    values, vectors = np.linalg.eigh(A / np.sqrt(np.outer(d, d)))
    for form in (W, W.toarray()):
        found = spectrum(form, 4, 2)
        assert found.regularised and found.n_components == debris + 1 and found.converged
        np.testing.assert_allclose(found.eigenvalues, values[::-1][:4], atol=1e-5)
        # Multiple eigenvalues leave the vectors free; the part of one that stands alone is fixed.
        alone = [m for m in range(3) if values[-1 - m] - values[-2 - m] > 1e-3]
        assert len(alone) >= 2
        for m in alone:
            if m == 0 or values[-m] - values[-1 - m] > 1e-3:
                assert abs(found.vectors[:, m] @ vectors[:, -1 - m]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("sizes", [(3, 4), (50, 60), (90, 100)])
@pytest.mark.parametrize("parts", [1, 3])
def test_all_vectors_of_a_bipartite_graph_are_orthonormal(sizes, parts):
    """Its spectrum is symmetric, so that −1 is an eigenvalue as 1 is."""
    a, b = sizes
    half = np.random.default_rng(0).random((a, b))
    one = np.block([[np.zeros((a, a)), half], [half.T, np.zeros((b, b))]])
    W = np.kron(np.eye(parts), one)
    n = len(W)
    for form in (W, sp.csr_array(W)):
        found = spectrum(form, n)
        np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(n), atol=1e-8)
        d = np.sqrt(W.sum(axis=1))
        A = W / np.outer(d, d)
        np.testing.assert_allclose(A @ found.vectors, found.vectors * found.eigenvalues, atol=1e-8)
        np.testing.assert_allclose(found.eigenvalues, -found.eigenvalues[::-1], atol=1e-8)


def links(n, density, seed):
    W = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    W *= np.random.default_rng(seed + 1).random((n, n)) < density
    return W + W.T


def ring(n):
    return np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0)


def star(n):
    W = np.zeros((n, n))
    W[0, 1:] = W[1:, 0] = 1
    return W


def torus(n, m):
    return np.kron(ring(n), np.eye(m)) + np.kron(np.eye(n), ring(m))


GRAPHS = {
    "one part": [links(20, 0.5, 0)],
    "one large part": [links(180, 0.1, 0)],
    "three parts": [links(9, 0.9, 0), links(30, 0.9, 1), links(12, 0.9, 2)],
    "three large parts": [links(40, 0.5, 0), links(90, 0.5, 1), links(60, 0.5, 2)],
    "lonely points": [links(150, 0.2, 0), np.zeros((2, 2))],
    "few lonely points": [np.zeros((1, 1)), links(15, 0.7, 0)],
    # Eigenvalues that come twice and more, of which plain Lanczos finds one.
    "a ring": [ring(150)],
    "a torus": [torus(12, 15)],
    "equal parts": [links(60, 0.3, 0)] * 4,
    # The largest beside the parts is 0, from which ARPACK's accuracy is no distance.
    "a star beside equal parts": [1 - np.eye(100), 1 - np.eye(100), star(60)],
}


@pytest.mark.parametrize("n_clusters", [1, 2, 7])
@pytest.mark.parametrize("n_vectors", [1, 2, 3, 6, 12])
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_pair_is_that_of_the_full_matrix(graph, n_vectors, n_clusters):
    """Weak links and all: D_τ^{-1/2} (W + τ/N 11ᵀ) D_τ^{-1/2}, written out."""
    W = sp.block_diag(GRAPHS[graph]).toarray()
    n, parts = len(W), sum(len(g) if not g.any() else 1 for g in GRAPHS[graph])
    tau = W.sum(axis=1).mean() if parts > n_clusters else 0.0
    d = W.sum(axis=1) + tau
    scale = 1 / np.sqrt(np.where(d > 0, d, 1))
    full = scale[:, None] * (W + tau / n) * scale
    full[np.diag_indices(n)] += d == 0  # a point without edges is a part: eigenvalue 1
    reference = np.linalg.eigvalsh(full)[::-1][:n_vectors]
    for A in (W, sp.csr_array(W)):
        found = spectrum(A, n_vectors, n_clusters)
        V = found.vectors
        assert found.regularised == (parts > n_clusters) and found.n_components == parts
        np.testing.assert_allclose(found.eigenvalues, reference, atol=1e-5)
        np.testing.assert_allclose(full @ V, V * found.eigenvalues, atol=1e-4)
        np.testing.assert_allclose(V.T @ V, np.eye(n_vectors), atol=1e-5)
        assert (V[np.abs(V).argmax(axis=0), np.arange(n_vectors)] > 0).all()


def test_pairs_that_are_only_shown_are_the_largest_too(monkeypatch):
    monkeypatch.setattr(eigenpairs, "LARGE", 100)
    W = sp.csr_array(sp.block_diag(GRAPHS["a star beside equal parts"]))
    np.testing.assert_allclose(spectrum(W, 8, 3).eigenvalues, [1] * 3 + [0] * 5, atol=1e-6)


@pytest.mark.parametrize("moderate", [5000, 10])
def test_falls_back_when_the_solver_misses_what_is_there(moderate, monkeypatch):
    """It finds one of the equal pairs and, asked again, lower ones alone."""
    asked = []

    def again(operator, wanted, *rest):
        asked.append(wanted)
        return np.full(wanted, -1.0), np.zeros((operator.shape[0], wanted))

    monkeypatch.setattr(eigenpairs, "_lifted", again)
    monkeypatch.setattr(eigenpairs, "MODERATE", moderate)
    found = spectrum(sp.csr_array(ring(200)), 5)
    reference = np.cos(2 * np.pi * np.array([0, 1, 1, 2, 2]) / 200)
    np.testing.assert_allclose(found.eigenvalues, reference, atol=1e-5)
    assert asked == [4]


def test_equal_parts_are_not_cut():
    W = sp.csr_array(sp.block_diag([links(100, 0.1, 0)] * 5))
    for n_clusters in (2, 3, 4):
        assert ncut(W, spectral_clustering(W, n_clusters)) == 0


def test_as_many_components_as_vectors_are_not_joined():
    W = np.kron(np.eye(3), 1 - np.eye(4))
    assert not spectrum(W, 3).regularised and spectrum(W, 2).regularised
    np.testing.assert_allclose(spectrum(W, 3).eigenvalues, 1)


def test_the_largest_components_come_first():
    W = sp.block_diag([1 - np.eye(2), 1 - np.eye(5), 1 - np.eye(3)]).toarray()
    first = spectrum(W, 2, 3).vectors
    np.testing.assert_allclose(first[2:7, 0], 5**-0.5)
    np.testing.assert_allclose(first[7:, 1], 3**-0.5)
    assert np.count_nonzero(first) == 8


@pytest.mark.parametrize("full", [True, False])
def test_the_whole_spectrum_and_all_but_one(full):
    W = links(140, 0.3, 0)
    d = W.sum(axis=1)
    reference = np.linalg.eigvalsh(W / np.sqrt(np.outer(d, d)))[::-1]
    m = 140 if full else 139
    np.testing.assert_allclose(spectrum(W, m).eigenvalues, reference[:m], atol=1e-6)


def test_without_an_edge_there_is_nothing_to_find():
    found = spectrum(np.zeros((4, 4)), 3)
    assert found.regularised and found.n_components == 4
    np.testing.assert_array_equal(found.eigenvalues, 0)
    np.testing.assert_array_equal(found.vectors, np.eye(4, 3))
    assert found.converged and not found.message and found.residual == 0 and found.n_exact == 3
    assert not spectrum(np.zeros((2, 2)), 2).regularised


def test_of_many_components_no_more_vectors_are_made_than_are_kept():
    n = 50_000
    tracemalloc.start()
    found = spectrum(sp.csr_array((n, n)), 2, n)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert found.eigenvalues.tolist() == [1, 1] and found.n_components == n
    W, _ = blocks((9, 30, 20))
    several, few = spectrum(W, 3, 3), spectrum(W, 1, 3)
    np.testing.assert_array_equal(several.vectors[:, :1], few.vectors)
    assert [np.count_nonzero(v) for v in several.vectors.T] == [30, 20, 9]


def test_limits_are_those_that_are_told():
    """In the docstring of `spectrum`, in the README, and on the screens."""
    assert eigenpairs.LARGE == 20_000 and spectral.MOST_CLUSTERS == 30
    assert (eigenpairs.ACCURACY, eigenpairs.COARSE, eigenpairs.LOOSE) == (1e-6, 1e-4, 1e-2)
    bare = spectral.Spectrum(np.ones(1), np.ones((2, 1)), np.zeros(2, int), 1, False)
    assert (bare.converged, bare.residual, bare.n_exact) == (True, 0, 0)


def test_the_embedding_has_n_columns_of_unit_rows_and_keeps_zero_rows():
    vectors = np.array([[3.0, 4, 12], [0, 0, 5], [1e-13, 0, 1]])
    found = spectral.Spectrum(np.ones(3), vectors, np.zeros(3, np.int64), 1, False)
    np.testing.assert_allclose(found.embedding(2), [[0.6, 0.8], [0, 0], [1e-13, 0]], rtol=1e-12)
    np.testing.assert_allclose(found.embedding(3)[0], np.array([3, 4, 12]) / 13)
    assert (found.message, found.residual, found.n_exact) == ("", 0.0, 0)
    for n in (0, 4):
        with pytest.raises(ValueError, match=f"n is {n}; give a whole number from 1 to 3"):
            found.embedding(n)


def test_a_spectrum_for_another_number_of_clusters_is_refused_where_that_decides():
    W, _ = blocks((8, 12, 16, 20, 24))
    for made_for, clusters in ((10, 2), (2, 6)):  # weak links that lack, and that are too many
        with pytest.raises(ValueError, match=f"give `spectrum` n_clusters={clusters} too"):
            spectral_clustering(W, clusters, spectrum_=spectrum(W, 10, made_for))
        right = spectral_clustering(W, clusters, spectrum_=spectrum(W, 10, clusters))
        assert right.tolist() == spectral_clustering(W, clusters).tolist()


@pytest.mark.parametrize("W", [
    np.zeros((5, 5)), np.pad(1 - np.eye(4), (0, 2)), np.kron(np.eye(5), 1 - np.eye(4)),
    sp.csr_array(np.pad(1 - np.eye(4), (0, 2))), 1 - np.eye(7),
])  # fmt: skip
@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_the_spectrum_of_a_graph_is_known_as_its_own(W, n_clusters):
    found = spectrum(W, 5, n_clusters)
    assert check_spectrum(found, W, "found") is found


def test_a_spectrum_that_is_there_serves_and_its_first_vectors_alone():
    W, y = blocks((40, 50), between=0.05)
    more = spectrum(W, 9, 2)
    labels = spectral_clustering(W, 2, spectrum_=more)
    np.testing.assert_array_equal(labels, cluster_rows(more.embedding(2), 2, 0))
    assert clustering_accuracy(y, labels) == 1


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("n_clusters", [1, 2, 5, 12])
def test_compiled_k_means_is_scikit_learns(n_clusters):
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(n_clusters)
    W, _ = blocks((40, 30, 50, 25, 35), between=0.15)
    cases = [spectrum(W, 13, n_clusters).embedding(n_clusters)]  # clusters that are hard to tell
    sizes = [(60, 2), (50, 11), (150, 12), (400, 7)]
    few = bool(config.DISABLE_JIT)  # loops of Python take their time
    cases += [unit(rng.standard_normal(size)) for size in (sizes[:2] if few else sizes)]
    for rows in cases[few:]:
        for seed in range(2 if few else 4):
            theirs = KMeans(n_clusters, n_init=6, random_state=seed).fit(rows).labels_
            ours = quick(rows, n_clusters, seed, 6)
            np.testing.assert_array_equal(ours, theirs)
    grid = rng.integers(0, 4, (90, 3)).astype(float)  # ties all over, which rounding decides
    found = quick(grid, n_clusters, 0, 20)
    spread = sum(((grid[found == c] - grid[found == c].mean(axis=0)) ** 2).sum()
                 for c in range(n_clusters))  # fmt: skip
    assert spread <= 1.05 * KMeans(n_clusters, n_init=20, random_state=0).fit(grid).inertia_
    assert quick(np.ones((9, 2)), 3, 0) is None, "clusters that run empty"
    assert quick(np.ones((90, 60)), 3, 0) is None, "many columns"


def test_fewer_distinct_rows_than_clusters():
    assert set(cluster_rows(np.ones((9, 2)), 3, 0).tolist()) == {0}


def test_fewer_components_than_clusters():
    W, y = blocks((100, 120))
    bridge, z = blocks((80, 80), between=0.03, seed=1)
    W = sp.block_diag([W, bridge], format="csr")
    truth = np.concatenate([y, z + 2])
    assert clustering_accuracy(truth, spectral_clustering(W, 4)) == 1


def test_more_components_than_clusters_keeps_the_large_parts():
    W, y = blocks((100, 100), between=0.02)
    debris = np.kron(np.eye(5), 1 - np.eye(2))
    W = sp.block_diag([W, debris], format="csr")
    found = spectrum(W, 2, 2)
    assert found.regularised and found.n_components == 6
    labels = spectral_clustering(W, 2)
    assert clustering_accuracy(y, labels[:200]) == 1


def test_isolated_points_get_a_label_and_no_nan():
    W, y = blocks((60, 60), between=0.01)
    W = sp.block_diag([W, np.zeros((3, 3))], format="csr")
    found = spectrum(W, 2, 2)
    assert np.isfinite(found.vectors).all()
    labels = spectral_clustering(W, 2)
    assert set(labels.tolist()) == {0, 1}
    assert clustering_accuracy(y, labels[:120]) == 1


@pytest.mark.parametrize("n", [1, 2, 5, 200])
def test_a_graph_without_edges(n):
    labels = spectral_clustering(sp.csr_array((n, n)), min(2, n))
    assert len(labels) == n


def test_as_many_clusters_as_points_and_one_cluster():
    W, _ = blocks((3, 3), between=0.1)
    assert len(set(spectral_clustering(W, 6).tolist())) == 6
    assert set(spectral_clustering(W, 1).tolist()) == {0}


def test_reproducible_and_numbered_by_first_appearance():
    W, _ = blocks((150, 150, 150), between=0.3)
    labels = spectral_clustering(W, 3, random_state=5)
    np.testing.assert_array_equal(labels, spectral_clustering(W, 3, random_state=5))
    assert labels[0] == 0
    first = [np.flatnonzero(labels == c)[0] for c in range(3)]
    assert first == sorted(first)


@pytest.mark.parametrize("moderate", [5000, 10])
def test_falls_back_when_the_solver_does_not_converge(moderate, monkeypatch):
    def never(*args, **kwargs):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(eigenpairs, "eigsh", never)
    monkeypatch.setattr(eigenpairs, "MODERATE", moderate)
    W, y = blocks((150, 150), between=0.05)
    assert clustering_accuracy(y, spectral_clustering(W, 2)) == 1
    W, y = blocks((60, 70, 80, 60), between=0.05)
    d = W.sum(axis=1)
    reference = np.linalg.eigvalsh(W / np.sqrt(np.outer(d, d)))[::-1][:4]
    np.testing.assert_allclose(spectrum(W, 4).eigenvalues, reference, atol=1e-4)
    assert clustering_accuracy(y, spectral_clustering(W, 4)) == 1
    assert spectrum(W, 2).converged


def test_eigenvectors_that_did_not_converge_are_told(unconverged):
    W, _ = blocks((150, 150), between=0.5)
    found = spectrum(W, 4)
    assert not found.converged and found.residual > eigenpairs.COARSE
    assert "did not converge" in found.message and f"{found.residual:.2g}" in found.message
    d = np.sqrt(W.sum(axis=1))
    A = W / np.outer(d, d)
    gaps = np.linalg.norm(A @ found.vectors - found.vectors * found.eigenvalues, axis=0)
    assert gaps.max() == pytest.approx(found.residual, rel=0.05)
    conn = connectivity(W, np.arange(300) % 2)
    assert not conn.converged and "CONN" in conn.message
    model = SDSC(2).fit(np.random.default_rng(0).standard_normal((40, 6)))
    assert found.message.split(":")[0] in model.message_


@pytest.mark.parametrize("share", [0.5, 2])
@pytest.mark.parametrize("limit, n_vectors", [("COARSE", 2), ("LOOSE", 4)])
def test_what_is_exact_enough_for_its_use_counts_as_converged(share, limit, n_vectors, monkeypatch):
    """Pairs that clusters rest on, and pairs that are shown alone."""
    most = getattr(eigenpairs, limit)

    def found(A, weak, known, wanted, accuracy, *rest):
        more = wanted - known.shape[1]
        return np.zeros(more), np.ones((40, more)), share * most if wanted == n_vectors else 0.0

    monkeypatch.setattr(eigenpairs, "LARGE", 30)
    monkeypatch.setattr(eigenpairs, "_rest", found)
    spread = spectrum(1 - np.eye(40), n_vectors, 2)
    assert spread.converged == (share < 1)
    assert spread.residual == (0.0 if share < 1 else share * most)


def test_converged_eigenvectors_are_not_told_of():
    W, _ = blocks((150, 150), between=0.5)
    assert spectrum(W, 4).message == connectivity(W).message == ""
    assert connectivity(W, np.arange(300) % 2).converged


@pytest.mark.parametrize("highest", [1.0, 1e-3])
def test_a_graph_that_differs_a_little_everywhere_is_another(highest):
    """No row of the first two pairs is off by 1e-2, the pairs as a whole are; so of faint links."""
    rng = np.random.default_rng(0)
    W = np.triu(highest * rng.uniform(0.5, 1, (90, 90)), 1)
    other = W * rng.uniform(0.75, 1.25, W.shape)
    with pytest.raises(ValueError, match="of another graph"):
        spectral_clustering(other + other.T, 2, spectrum_=spectrum(W + W.T, 5))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_spectrum_with_too_few_vectors_or_of_another_graph_is_refused(form):
    W = form(blocks((30, 30, 30), between=0.1)[0])
    with pytest.raises(ValueError, match="3 clusters need at least 3 vectors"):
        spectral_clustering(W, 3, spectrum_=spectrum(W, 2))
    takes = {
        "spectrum_": [
            lambda found: spectral_clustering(W, 3, spectrum_=found),
            lambda found: summarise(W, np.arange(90) % 3, spectrum_=found),
        ],
        "found": [
            lambda found: connectivity(W, found=found),
            lambda found: cluster_side(W, 3, found=found),
        ],
    }
    apart, other = (form(blocks((30, 30, 30), b, seed=9)[0]) for b in (0.0, 0.1))
    of_others = {
        "is of 60 points; W has 90": spectrum(W[:60, :60], 3),
        "of another graph": spectrum(other, 3),
        "the spectrum of another graph": spectrum(apart, 3),
        "is int; give what": 3,
    }
    for name, calls in takes.items():
        for said, found in of_others.items():
            for call in calls:
                with pytest.raises(ValueError, match=f"{name} is.*{said.removeprefix('is ')}"):
                    call(found)
    np.testing.assert_array_equal(
        spectral_clustering(W, 3, spectrum_=spectrum(W, 5)), spectral_clustering(W, 3)
    )


def test_the_seed_is_0_unless_another_is_given():
    W = links(200, 0.3, 4)  # no clusters in there: the seed decides
    same, other = spectral_clustering(W, 6, 0), spectral_clustering(W, 6, 1)
    np.testing.assert_array_equal(spectral_clustering(W, 6), same)
    assert (same != other).any()
    np.testing.assert_array_equal(spectrum(W, 5).vectors, spectrum(W, 5, random_state=0).vectors)
    assert (spectrum(W, 5).vectors != spectrum(W, 5, random_state=1).vectors).any()


def test_the_eigengap_suggests_the_number_of_clusters():
    W, _ = blocks((40, 40, 40, 40), between=0.02)
    assert suggest_n_clusters(spectrum(W, 10).eigenvalues) == 4


@pytest.mark.parametrize(
    ("values", "number"),
    [([1.0], 1), ([1.0, 0.2], 1), ([1, 0.9, 0.1], 2), ([1, 0.5, 0.4, 0.1], 3), ([1, 1, 0.5, 0], 2)],
)
def test_the_widest_gap_after_the_second_eigenvalue(values, number):
    assert suggest_n_clusters(np.array(values)) == number


def test_progress_counts_products_and_may_cancel():
    W, _ = blocks((60, 70, 80, 60), between=0.05)
    told = []
    spectral_clustering(W, 4, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, len(told) + 1)) and len(told) > 5
    assert {total for _, total in told} == {0}

    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        spectrum(W, 4, progress=stop)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_large_graph_has_sharp_pairs_for_its_clusters_and_loose_ones(sparse, monkeypatch):
    monkeypatch.setattr(eigenpairs, "LARGE", 100)
    W, y = blocks((60, 60, 60), between=0.3)
    d = np.sqrt(W.sum(axis=1))
    A = W / np.outer(d, d)
    reference = np.linalg.eigvalsh(A)[::-1][:8]
    W = sp.csr_array(W) if sparse else W
    asked = []
    solve = eigenpairs.eigsh
    monkeypatch.setattr(
        eigenpairs, "eigsh", lambda *a, **k: asked.append((a[1], k["tol"])) or solve(*a, **k)
    )
    told = []
    found = spectrum(W, 8, 3, progress=lambda done, total: told.append(done))
    assert told == list(range(1, len(told) + 1))
    assert found.n_exact == 3
    assert asked == [(2, eigenpairs.COARSE), (5, eigenpairs.LOOSE / (1 + eigenpairs.LIFT))]
    gaps = np.linalg.norm(A @ found.vectors - found.vectors * found.eigenvalues, axis=0)
    assert gaps[:3].max() <= eigenpairs.COARSE and gaps.max() <= 2 * eigenpairs.LOOSE
    np.testing.assert_allclose(found.eigenvalues, reference, atol=eigenpairs.LOOSE)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(8), atol=1e-3)
    assert clustering_accuracy(y, spectral_clustering(W, 3, spectrum_=found)) == 1
    with pytest.raises(ValueError, match="4 clusters need at least 4 vectors"):
        spectral_clustering(W, 4, spectrum_=found)


def test_a_spectrum_for_counting_alone_is_not_clustered_by(monkeypatch):
    monkeypatch.setattr(eigenpairs, "LARGE", 100)
    W, y = blocks((150, 150), between=0.3)
    counting = spectrum(W, 6, n_exact=1)
    side = cluster_side(W, 2, y, found=counting)
    assert counting.n_exact == 1 and side.spectrum.n_exact == 2 and side.summary.acc == 1


@pytest.mark.compiled
@pytest.mark.parametrize("spread", [0.02, 0.5])
def test_seeding_on_some_points_clusters_as_well_as_on_all(spread, monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((7, 5))
    rows = centres[rng.integers(7, size=4000)] + spread * rng.standard_normal((4000, 5))

    def inertia(labels):
        return sum(
            ((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels)
        )

    whole = inertia(cluster_rows(rows, 7, 0))
    monkeypatch.setattr(kmeans, "SEEDED_ON", 400)
    labels = cluster_rows(rows, 7, 0)
    np.testing.assert_array_equal(labels, cluster_rows(rows, 7, 0))
    assert inertia(labels) <= 1.002 * whole


def chain(n):
    ones = np.ones(n - 1)
    return sp.csr_array(sp.diags_array([ones, ones], offsets=[-1, 1]))


@pytest.mark.compiled
@pytest.mark.parametrize("n, accuracy", [(20_000, ["ACCURACY"]), (20_001, ["COARSE", "LOOSE"])])
def test_beyond_20000_points_pairs_are_found_as_accurately_as_they_are_used(
    n, accuracy, monkeypatch
):
    asked = []

    def solver(operator, wanted, *, tol, **how):
        asked.append((wanted, tol))
        return np.ones(wanted), np.ones((n, wanted))

    monkeypatch.setattr(eigenpairs, "eigsh", solver)
    found = spectrum(chain(n), 5, 3)
    few = [4] if len(accuracy) == 1 else [2, 2]
    limits = [getattr(eigenpairs, a) for a in accuracy]
    if limits[-1] == eigenpairs.LOOSE:  # a share of eigenvalues that were lifted
        limits[-1] /= 1 + eigenpairs.LIFT
    assert asked == list(zip(few, limits, strict=True))
    assert found.n_exact == (5 if len(accuracy) == 1 else 3)


@pytest.mark.parametrize(
    "form", [np.asarray, pytest.param(sp.csr_array, marks=pytest.mark.compiled)]
)
@pytest.mark.parametrize("n_vectors", [3, 400])
def test_a_spectrum_takes_the_memory_that_is_asked_for(form, n_vectors, monkeypatch):
    """By Lanczos for a few vectors, by a decomposition of the whole for many.

    What LAPACK itself takes is not traced.
    """
    W, asked = form(links(900, 0.2, 0)), []
    monkeypatch.setattr(spectral, "check_memory", lambda needed, *a, **k: asked.append(needed))
    spectrum(W, n_vectors)
    tracemalloc.start()
    spectrum(W, n_vectors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.2 * asked[-1] < peak < asked[-1]
    assert n_vectors == 3 or asked[-1] > 5 * 8 * 900**2  # several N × N within LAPACK


@pytest.mark.compiled
def test_many_vectors_count_in_what_is_asked_for(monkeypatch):
    """Those that Lanczos keeps, and those that it gives."""
    W, asked = sp.csr_array(links(1200, 0.012, 0)), []
    monkeypatch.setattr(spectral, "check_memory", lambda needed, *a, **k: asked.append(needed))
    spectrum(W, 80)
    tracemalloc.start()
    spectrum(W, 80)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.75 * asked[-1] < peak < asked[-1], (peak, asked)


def test_a_spectrum_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(available, "available_memory", lambda: 1000)
    with pytest.raises(ValueError, match=r"W has 60 points.* spectral clustering"):
        spectrum(links(60, 0.5, 0), 2)
