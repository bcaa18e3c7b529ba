"""Subspaces of clusters against plain algebra; prediction; a part that is drawn."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from sdsc_core import (
    BASELINES,
    SDSC,
    cli,
    clustering_accuracy,
    datasets,
    fit_subspaces,
    run_stages,
    subspaces,
)
from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.experiments import EXPERIMENTS, Options, run
from sdsc_core.fitted import draw_rows, fitting, nearest, nearest_subspace, run_part, strongest_link
from sdsc_core.fitted.files import distances_csv, subspaces_npz
from sdsc_core.settings import RunSettings
from tests import naive

DATA = make_subspaces(4, dim=3, ambient=12, points_each=40, noise=0.02, random_state=1)


def test_values_bases_and_distances_are_those_of_plain_algebra():
    found = subspaces(DATA.X, DATA.labels)
    for c, subspace in enumerate(found.each):
        mine = DATA.X[DATA.labels == c]
        _, values, vectors = np.linalg.svd(mine, full_matrices=False)
        np.testing.assert_allclose(subspace.singular_values, values)
        assert subspace.dimension == subspace.suggested == 3
        np.testing.assert_allclose(subspace.basis @ subspace.basis.T, np.eye(3), atol=1e-12)
        cosines = np.linalg.svd(subspace.basis @ vectors[:3].T)[1]
        np.testing.assert_allclose(cosines, 1)
        share = (values[:3] ** 2).sum() / (values**2).sum()
        assert subspace.share == pytest.approx(share)
    for i in range(0, DATA.n_points, 7):
        far = [naive.distance_to_span(DATA.X[i], s.basis) for s in found.each]
        own = far.pop(int(DATA.labels[i]))
        assert found.points.own[i] == pytest.approx(own)
        assert found.points.next[i] == pytest.approx(min(far))
        others = [c for c in range(4) if c != DATA.labels[i]]
        assert found.points.other[i] == others[int(np.argmin(far))]
    np.testing.assert_allclose(found.misfit, found.points.own / found.points.next)


def test_angles_are_those_of_the_bases():
    found = subspaces(DATA.X, DATA.labels, dimension=[1, 2, 3, 3])
    assert [s.dimension for s in found.each] == [1, 2, 3, 3]
    for a in range(4):
        for b in range(4):
            if a == b:
                assert np.isnan(found.angles[a, b])
                continue
            cosines = np.linalg.svd(found.each[a].basis @ found.each[b].basis.T)[1]
            angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
            assert found.angles[a, b] == pytest.approx(angles.min(), abs=1e-5)
            assert found.mean_angles[a, b] == pytest.approx(angles.mean(), abs=1e-5)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_a_gram_matrix_gives_the_same(affine, shape, monkeypatch):
    data = DATA if shape == "tall" else make_subspaces(3, 4, 90, 30, noise=0.05)
    direct = subspaces(data.X, data.labels, affine=affine)
    monkeypatch.setattr(fitting, "DIRECT", 0)
    monkeypatch.setattr(fitting, "ROWS", 11)
    monkeypatch.setattr(nearest, "ROWS", 11)
    other = subspaces(data.X, data.labels, affine=affine)
    for a, b in zip(direct.each, other.each, strict=True):
        assert a.dimension == b.dimension and a.norm == pytest.approx(b.norm)
        n = np.linalg.matrix_rank(a.singular_values * np.eye(len(a.singular_values)))
        np.testing.assert_allclose(
            a.singular_values[: n - 1], b.singular_values[: n - 1], rtol=1e-6
        )
        np.testing.assert_allclose(a.basis, b.basis, atol=1e-6)
    np.testing.assert_allclose(direct.points.own, other.points.own, atol=1e-9)
    np.testing.assert_array_equal(direct.worst(20), other.worst(20))


@pytest.mark.parametrize(
    ("dim", "ambient", "noise"), [(6, 10, 0.0), (6, 10, 0.01), (4, 30, 0.05), (2, 60, 0.1)]
)
def test_the_suggested_dimension_is_the_true_one(dim, ambient, noise):
    data = make_subspaces(3, dim, ambient, 100, noise=noise, random_state=3)
    assert [s.suggested for s in fit_subspaces(data.X, data.labels)] == [dim] * 3


def test_an_affine_subspace_is_one_dimension_smaller():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2)) @ rng.standard_normal((2, 8)) + 5 * rng.standard_normal(8)
    [linear], [affine] = (fit_subspaces(X, np.zeros(50), affine=a) for a in (False, True))
    assert (linear.dimension, affine.dimension) == (3, 2)
    np.testing.assert_allclose(affine.mean, X.mean(axis=0))
    assert affine.residuals(X).max() < 1e-9


def test_clusters_that_span_nothing_or_have_one_point():
    X = np.array([[1.0, 2, 2], [0, 0, 0], [0, 0, 0], [3, 3, 0], [3, 3, 0]])
    labels = ["one", "zero", "zero", "twins", "twins"]
    found = subspaces(X, labels)
    assert found.names.tolist() == ["one", "twins", "zero"]
    assert [s.dimension for s in found.each] == [1, 1, 0]
    np.testing.assert_allclose(found.points.own, 0, atol=1e-12)
    assert np.isfinite(found.misfit).all() and np.isnan(found.angles[2]).all()
    assert found.predict(np.array([[2.0, 4, 4], [1, 1, 0.1]])).tolist() == ["one", "twins"]
    twins = subspaces(X, labels, affine=True)
    assert [s.dimension for s in twins.each] == [0, 0, 0]
    lone = subspaces(X, np.zeros(5))
    assert np.isinf(lone.points.next).all() and (lone.points.other == -1).all()
    assert (lone.misfit == 0).all() and lone.angles.shape == (1, 1)


def test_worst_points_are_those_nearer_to_another():
    labels = DATA.labels.copy()
    labels[[3, 50, 100]] = (labels[[3, 50, 100]] + 1) % 4
    found = subspaces(DATA.X, labels, dimension=3)  # a wrong point would suggest one more
    assert set(found.worst(3).tolist()) == {3, 50, 100}
    assert (found.misfit[found.worst(3)] > 1).all()
    assert (found.points.labels[[3, 50, 100]] == DATA.labels[[3, 50, 100]]).all()
    assert set(found.labels[found.worst(5, cluster=2)].tolist()) == {2}


def test_the_strongest_link():
    W = np.array([[0.9, 0.2, 0.5, 0], [0.2, 0, 0, 0], [0.5, 0, 0, 0], [0, 0, 0, 0]])
    assert strongest_link(W, 0, np.array([1, 1, 0, 0], bool)) == 1
    assert strongest_link(W, 0, np.zeros(4, bool)) == 2
    assert strongest_link(W, 3, np.ones(4, bool)) == -1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: subspaces(np.full((4, 3), np.nan), [0, 0, 1, 1]), "NaN or infinite"),
        (lambda: subspaces(np.ones(4), [0, 0, 1, 1]), "two dimensions"),
        (lambda: subspaces(np.eye(4), [0, 1]), "one label for each of 4 points"),
        (lambda: subspaces(np.eye(4), [0, 0, 1, 1], dimension=-1), "dimension is -1"),
        (lambda: subspaces(np.eye(4), [0, 0, 1, 1], dimension=[1]), "each of 2 clusters"),
        (lambda: subspaces(DATA.X, DATA.labels).predict(np.ones((3, 2))), "X has 2 features"),
        (lambda: subspaces(DATA.X, DATA.labels).predict(np.nan * DATA.X), "NaN or infinite"),
        (lambda: subspaces(DATA.X, DATA.labels).predict(DATA.X[0]), "two dimensions"),
        (lambda: nearest_subspace(DATA.X, []), "found is empty"),
        (
            lambda: nearest_subspace(DATA.X, fit_subspaces(DATA.X, DATA.labels), [7] * len(DATA.X)),
            "numbers of subspaces",
        ),
        (lambda: SDSC(2, sample=1).fit(DATA.X), "sample is 1"),
        (lambda: SDSC(5, sample=4).fit(DATA.X), "n_iterations is 6"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_fitting_can_be_cancelled():
    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        subspaces(DATA.X, DATA.labels, progress=stop)


def test_new_points_get_the_label_of_their_subspace():
    model = SDSC(4).fit(DATA.X[::2])
    together = np.concatenate([model.labels_, model.predict(DATA.X[1::2])])
    truth = np.concatenate([DATA.labels[::2], DATA.labels[1::2]])
    assert clustering_accuracy(truth, together) > 0.97
    assert model.predict(DATA.X[1:2].astype(np.float32)).shape == (1,)
    np.testing.assert_array_equal(model.sample_indices_, np.arange(80))


class Watched(np.memmap):
    """Notes how many rows are asked for at once."""

    most = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        if isinstance(part, np.ndarray) and part.ndim == 2:
            Watched.most = max(Watched.most, len(part))
        return part


def test_a_part_is_clustered_and_the_rest_joins(tmp_path, monkeypatch):
    data = make_subspaces(3, 3, 20, 1000, noise=0.02, random_state=2)
    mapped = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, data.X.shape).view(
        Watched
    )
    mapped[:] = data.X
    monkeypatch.setattr("sdsc_core.checks.ROWS", 100)
    monkeypatch.setattr(nearest, "ROWS", 100)
    Watched.most = 0
    model = SDSC(3, sample=150, random_state=5).fit(mapped)
    assert Watched.most <= 150  # all rows were never in memory at once
    assert clustering_accuracy(data.labels, model.labels_) > 0.95
    rows = draw_rows(3000, 150, 5)
    np.testing.assert_array_equal(model.sample_indices_, rows)
    assert model.affinity_matrix_.shape == (150, 150)
    alone = SDSC(3, random_state=5).fit(data.X.astype(np.float32)[rows])
    np.testing.assert_array_equal(model.labels_[rows], alone.labels_)
    again = SDSC(3, sample=150, random_state=5).fit(data.X.astype(np.float32))
    np.testing.assert_array_equal(model.labels_, again.labels_)
    everything = SDSC(4, sample=1000).fit(DATA.X)  # more than there are
    np.testing.assert_array_equal(everything.labels_, SDSC(4).fit(DATA.X).labels_)


def test_a_part_with_a_class_fewer_has_all_clusters():
    X = np.vstack([make_subspaces(2, 2, 10, 50).X, np.full((2, 10), 7.0) + np.eye(10)[:2]])
    data = Dataset(X, np.repeat([0, 1, 2], [50, 50, 2]), "three", ("a", "b", "c"))
    found = run_part(data, RunSettings(dense=None), 20)
    assert found.run.n_clusters == 3 and len(found.before) == 102
    assert found.before is found.after or (found.before == found.after).all()


def test_the_command_line_clusters_a_part(tmp_path, capsys):
    file, out = tmp_path / "X.npy", tmp_path / "labels.csv"
    np.save(file, DATA.X)
    cli.main(["cluster", str(file), "--clusters", "4", "--sample", "80", "--output", str(out),
              "--save-dense", str(tmp_path / "W.npz")])  # fmt: skip
    text = capsys.readouterr().out
    assert "of 80 points drawn from 160; the other 80 joined the nearest subspace" in text
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == 160 and sum(int(r["clustered"]) for r in rows) == 80
    found = np.array([int(r["cluster_W_star"]) for r in rows])
    assert clustering_accuracy(DATA.labels, found) > 0.9
    assert len(np.load(tmp_path / "W.npz")["row"]) == 80
    assert cli.main(["cluster", str(file), "--sample", "1"]) != 0
    assert "--sample is 1; give a whole number from 2" in capsys.readouterr().err


def test_files_say_what_all_downloads_say():
    done = run_stages(datasets.prepare(datasets.sample("motion"), per_class=20))
    found = subspaces(done.data.X, done.after.labels)
    rows = list(csv.DictReader(io.StringIO(distances_csv(done, found))))
    assert len(rows) == done.data.n_points
    first = int(rows[0]["point"])
    assert first == found.worst(1)[0]
    assert float(rows[0]["distance_own"]) == pytest.approx(found.points.own[first])
    assert rows[0]["class"] == done.data.class_names[done.data.labels[first]]
    assert int(rows[0]["row"]) == done.data.row_numbers[first]
    kept = np.load(io.BytesIO(subspaces_npz(found)))
    np.testing.assert_array_equal(kept["basis_1"], found.each[1].basis)


@pytest.mark.parametrize("name", ["dense_rules", "nearest"])
def test_experiments_beyond_the_paper(name):
    rows = run(EXPERIMENTS[name], Options(quick=True, draws=1, methods=["IMC"]))
    assert {r.where for r in rows} == {"synthetic"}
    if name == "dense_rules":
        assert [r.stage for r in rows][:2] == ["none", "PCE"] and len(rows) == 8
        assert all(0.3 < r.figures["acc"] <= 1 for r in rows)
        return
    for row in rows:
        figures = row.figures
        assert figures["acc_true"] > 0.9 and abs(figures["acc"] - figures["acc_rest"]) < 0.2


def test_names_of_subspaces_are_those_that_were_given():
    names = [2**63, 2**63 + 1, -1]
    X = np.repeat(np.eye(3), 4, axis=0) * np.arange(1, 13)[:, None]
    found = subspaces(X, [n for n in names for _ in range(4)], dimension=1)
    assert found.predict(np.eye(3)).tolist() == names


def test_nothing_to_predict():
    found = nearest_subspace(np.empty((0, 12)), fit_subspaces(DATA.X, DATA.labels))
    assert len(found.labels) == 0


@pytest.mark.parametrize("scale", [1e-200, 1e-165, 1e160, 1e200])
def test_whatever_the_unit_the_answers_are_the_same(scale):
    """Squares of such numbers are 0 or infinite."""
    X, labels = DATA.X * scale, DATA.labels
    model, usual = SDSC(DATA.n_classes).fit(X), SDSC(DATA.n_classes).fit(DATA.X)
    assert model.predict(X).tolist() == usual.predict(DATA.X).tolist()
    found, before = subspaces(X, labels), subspaces(DATA.X, labels)
    assert [s.dimension for s in found.each] == [s.dimension for s in before.each]
    for how in ({"pca": 3}, {"unit_norm": True}, {"standardise": True}):
        ours = datasets.prepare(replace(DATA, X=X), **how).X
        ours = ours / scale if "pca" in how else ours
        np.testing.assert_allclose(ours, datasets.prepare(DATA, **how).X, rtol=1e-6, atol=1e-9)
    for name, baseline in BASELINES.items():
        usual_labels = baseline.cluster(DATA.X, DATA.n_classes).labels
        got = baseline.cluster(X, DATA.n_classes).labels
        assert clustering_accuracy(usual_labels, got) == 1.0, name
