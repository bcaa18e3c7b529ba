"""Baselines beside scikit-learn, and K-subspaces beside a slow transcription."""

import numpy as np
import pytest
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances, rbf_kernel

from sdsc_core import compare, datasets
from sdsc_core.baselines import BASELINES
from sdsc_core.baselines.raw_spectral import kernel_matrix
from tests import naive


@pytest.fixture(scope="module")
def blobs():
    """Three groups around points of their own, apart enough to be found."""
    rng = np.random.default_rng(3)
    centres = 4 * rng.standard_normal((3, 5))
    return np.repeat(centres, 20, axis=0) + rng.standard_normal((60, 5))


def test_kmeans_finds_what_scikit_learn_finds(blobs):
    ours = BASELINES["k-means"].cluster(blobs, 3, random_state=5)
    theirs = KMeans(3, n_init=10, random_state=5).fit(blobs).labels_
    assert adjusted_rand_score(theirs, ours.labels) == 1 and ours.W is None
    assert ours.labels[0] == 0  # numbered by first appearance


@pytest.mark.parametrize("kernel", ["rbf", "cosine"])
def test_raw_spectral_is_scikit_learns_on_the_same_kernel(blobs, kernel):
    found = BASELINES["Spectral"].cluster(blobs, 3, kernel=kernel)
    if kernel == "rbf":
        far = euclidean_distances(blobs)[np.triu_indices(60, 1)]
        W = rbf_kernel(blobs, gamma=1 / (2 * np.median(far) ** 2))
    else:
        W = np.abs(cosine_similarity(blobs))
    np.fill_diagonal(W, 0)
    np.testing.assert_allclose(found.W, W, atol=1e-9)
    theirs = SpectralClustering(3, affinity="precomputed", random_state=0).fit(W).labels_
    assert adjusted_rand_score(theirs, found.labels) > 0.95


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_ksubspaces_is_the_slow_one(dim, noise):
    data = datasets.make_subspaces(3, 2, 6, points_each=12, noise=noise, random_state=dim)
    X = np.vstack([data.X, np.zeros((1, 6)), data.X[:2]])  # a zero, and points that are there twice
    rng = np.random.default_rng(7)
    starts = [[rng.choice(len(X), dim, replace=False) for _ in range(3)] for _ in range(4)]
    expected = naive.ksubspaces(X, starts, dim)
    found = BASELINES["K-subspaces"].cluster(X, 3, dim=dim, n_starts=4, random_state=7)
    assert found.labels.tolist() == expected


def test_ksubspaces_finds_subspaces_and_bounds_its_dimension():
    data = datasets.make_subspaces(3, 2, 20, points_each=15)
    cell, _ = compare.baseline_cell(data, "K-subspaces", {"dim": 2}, n_clusters=3)
    assert cell.acc == cell.nmi == 1 and np.isnan(cell.conn) and cell.dense == "none"
    assert len(BASELINES["K-subspaces"].cluster(data.X[:4], 2, dim=50).labels) == 4


def test_a_subspace_is_never_the_whole_space():
    """With as many dimensions as the samples have, all would lie in the first."""
    data = datasets.make_subspaces(3, 2, 5, points_each=20, noise=0.01)
    cell, found = compare.baseline_cell(data, "K-subspaces", {"dim": 6}, n_clusters=3)
    assert len(set(found.labels.tolist())) == 3
    assert cell.message == "The samples have 5 dimensions, so dim is 4, not 6."
    cell, _ = compare.baseline_cell(data, "K-subspaces", {"dim": 4}, n_clusters=3)
    assert not cell.message


@pytest.mark.parametrize("name", BASELINES)
def test_degenerate_samples_get_clusters(name):
    for X in (np.zeros((5, 3)), np.ones((5, 3)), np.eye(5)):
        labels = BASELINES[name].cluster(X, 2).labels
        assert labels.shape == (5,) and labels.min() == 0 and labels.max() < 2


def test_a_kernel_of_points_mostly_alike_is_finite():
    X = np.vstack([np.zeros((9, 2)), np.ones((1, 2))])
    assert np.isfinite(kernel_matrix(X)).all()


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_is_checked_as_a_method_is(name, blobs):
    baseline = BASELINES[name]
    with pytest.raises(ValueError, match="colour is not a parameter"):
        baseline.cluster(blobs, 3, colour=1)
    with pytest.raises(ValueError, match="n_clusters"):
        baseline.cluster(blobs, 61)
    with pytest.raises(ValueError, match="GiB"):
        baseline.cluster(blobs, 3, memory_limit=10)
    told = []
    a, b = (
        baseline.cluster(blobs, 3, random_state=1, progress=lambda *step: told.append(step))
        for _ in range(2)
    )
    assert a.labels.tolist() == b.labels.tolist() and told
    assert set(baseline.presets) <= {"faces", "digits", "motion"}
    for preset in baseline.presets.values():
        baseline.settings(**preset)


def test_a_graph_has_conn_and_no_graph_has_none(blobs):
    data = datasets.Dataset(blobs, np.repeat([0, 1, 2], 20), "blobs", ("a", "b", "c"))
    spectral, _ = compare.baseline_cell(data, "Spectral", n_clusters=3)
    assert 0 < spectral.conn <= 1.5
    rows = compare.table(
        [spectral, compare.baseline_cell(data, "k-means", n_clusters=3)[0]], "conn"
    )
    assert [row.method for row in rows] == ["Spectral"]
