"""Generators, samples, preparation, known data sets and readers of files."""

import csv
import io
import struct
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.datasets
from PIL import Image
from scipy.io import savemat
from sklearn.decomposition import PCA

from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import (
    KNOWN,
    OWN,
    SAMPLES,
    Dataset,
    columns,
    fill_missing,
    inspect,
    load,
    load_known,
    make_faces,
    make_motion,
    make_subspaces,
    pca_variance,
    points_csv,
    prepare,
    sample,
    scales_differ,
    unequal_units,
)
from sdsc_core.datasets.write_samples import write_samples
from tests.conftest import DATA, ROOT


def test_import_is_light():
    # The package around it is empty here: what the rest of the library imports is its own affair.
    code = f"""
import sys, types
package = types.ModuleType("sdsc_core")
package.__path__ = [{str(ROOT / "sdsc_core")!r}]
sys.modules["sdsc_core"] = package
import sdsc_core.datasets
print([m for m in ("pandas", "h5py", "PIL", "sklearn") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestDataset:
    def test_digest_follows_all_that_a_result_can_hold(self):
        pictures = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
        parts = {
            "X": np.arange(6.0).reshape(2, 3),
            "labels": np.array([0, 1]),
            "name": "a",
            "class_names": ("p", "q"),
            "images": pictures,
        }
        first = Dataset(**parts)
        copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in parts.items()}
        same = Dataset(**copies | {"name": "b", "note": "Called otherwise."})
        assert first.digest == same.digest
        changes = [
            {"X": parts["X"] + 1},
            {"X": parts["X"].reshape(3, 2)[:2]},
            {"labels": np.array([1, 0])},
            {"labels": None, "class_names": ()},
            {"class_names": ("q", "p")},
            {"class_names": ("p', 'q", "")},
            {"images": pictures[:, ::-1]},
            {"images": pictures.reshape(2, 1, 4)},
            {"images": None},
            {"kind": "digits"},
        ]
        digests = [first.digest, *(Dataset(**parts | change).digest for change in changes)]
        assert len(set(digests)) == len(digests)

    def test_digest_follows_a_field_that_is_added(self):
        @dataclass(frozen=True, eq=False)
        class More(Dataset):
            extra: np.ndarray | None = None

        X = np.eye(2)
        rows = [None, np.array([0, 1]), np.array([0, 2]), np.array(["0", "1"]), np.array([])]
        rows += [np.array([0, "a"], dtype=object), np.array([1, "a"], dtype=object)]
        assert len({More(X, None, "a", extra=one).digest for one in rows}) == len(rows)

    def test_arrays_are_read_only_and_the_callers_are_not(self):
        X = np.zeros((2, 2))
        data = Dataset(X, None, "zeros")
        with pytest.raises(ValueError, match="read-only"):
            data.X[0, 0] = 1
        X[0, 0] = 1

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"X": np.zeros(3)}, "X has shape"),
            ({"labels": np.array([0])}, "labels has shape"),
            ({"labels": np.array([0, 2]), "class_names": ("a", "b")}, "labels run from 0 to 2"),
            ({"class_names": ("a",)}, "class_names has 1"),
            ({"images": np.zeros((3, 2, 2), np.uint8)}, "images has shape"),
        ],
    )
    def test_wrong_parts(self, change, says):
        with pytest.raises(ValueError, match=says):
            Dataset(**{"X": np.zeros((2, 2)), "labels": None, "name": "x"} | change)


ODD_NAMES = (
    "=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", 'a"b', "a,b", "a\nb", "a;b", "'", "\\", "é ξ 漢",
    "<b>", "$x$", "![x](http://host/t.png)", "-3", "+4.5", "1e5", " =1",
)  # fmt: skip


def test_tables_keep_every_name_and_run_none():
    """Only a formula is changed, by an apostrophe before it, as spreadsheets have it."""
    n = len(ODD_NAMES)
    data = Dataset(np.eye(n), np.arange(n), "odd", ODD_NAMES, identifiers=np.array(ODD_NAMES))
    rows = list(csv.DictReader(io.StringIO(points_csv(data, np.zeros(n), np.zeros(n)), newline="")))
    for row, name in zip(rows, ODD_NAMES, strict=True):
        disarmed = "'" * (name in ODD_NAMES[:5]) + name
        assert row["class"] == row["identifier"] == disarmed


class TestSubspaces:
    def test_rank_and_norm(self):
        data = make_subspaces(4, 3, 9, points_each=[5, 6, 7, 8], random_state=3)
        assert np.bincount(data.labels).tolist() == [5, 6, 7, 8]
        np.testing.assert_allclose(np.linalg.norm(data.X, axis=1), 1)
        for k in range(4):
            assert np.linalg.matrix_rank(data.X[data.labels == k]) == 3
        assert np.linalg.matrix_rank(data.X) == 9

    def test_overlap_is_shared_by_all(self):
        data = make_subspaces(3, 4, 20, overlap=2)
        assert np.linalg.matrix_rank(data.X) == 2 + 3 * 2

    def test_noise_is_its_expected_norm(self):
        clean, noisy = make_subspaces(points_each=300), make_subspaces(points_each=300, noise=0.4)
        norms = np.linalg.norm(noisy.X - clean.X, axis=1)
        assert np.sqrt((norms**2).mean()) == pytest.approx(0.4, rel=0.03)

    def test_seed(self):
        assert make_subspaces().digest == make_subspaces().digest
        assert make_subspaces().digest != make_subspaces(random_state=1).digest

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"dim": 11}, "dim is 11"),
            ({"overlap": 6}, "overlap is 6"),
            ({"noise": -1}, "noise is -1"),
            ({"noise": float("nan")}, "noise is nan"),
            ({"points_each": [3, 4]}, "points_each has 2"),
            ({"points_each": 0}, "points_each is 0"),
            ({"random_state": 0.5}, "random_state is 0.5"),
        ],
    )
    def test_wrong_arguments(self, wrong, says):
        with pytest.raises(ValueError, match=says):
            make_subspaces(**wrong)


class TestFaces:
    @pytest.mark.parametrize("cast_shadows", [False, True])
    def test_nine_dimensions_hold_a_face(self, cast_shadows):
        faces = make_faces(3, cast_shadows=cast_shadows, random_state=1)
        for k in range(3):
            energy = np.linalg.svd(faces.X[faces.labels == k], compute_uv=False) ** 2
            assert energy[:9].sum() > 0.98 * energy.sum()
            assert energy[:2].sum() < 0.98 * energy.sum()

    def test_pictures(self):
        faces = make_faces(2, 10, shape=(24, 20))
        assert faces.images.shape == (20, 24, 20)
        assert faces.images.dtype == np.uint8
        np.testing.assert_array_equal(faces.X, faces.images.reshape(20, -1))
        assert faces.X.std(axis=1).min() > 1
        assert faces.digest != make_faces(2, 10, shape=(24, 20), random_state=1).digest

    def test_cast_shadows_only_take_light_away(self):
        plain, cast = make_faces(1, 20), make_faces(1, 20, cast_shadows=True)
        assert (cast.images <= plain.images).all()
        assert (cast.images < plain.images).any()

    def test_the_light_from_the_left_lights_the_left(self, monkeypatch):
        left = np.array([[-0.9, 0.0, np.sqrt(1 - 0.81)]])
        monkeypatch.setattr("sdsc_core.datasets.faces._lights", lambda n: left)
        image = make_faces(1, 1).images[0].astype(float)
        assert image[:, :15].mean() > 2 * image[:, -15:].mean()

    def test_wrong_shape(self):
        with pytest.raises(ValueError, match="shape is"):
            make_faces(shape=(48,))


def test_motion_has_rank_four_for_each_body():
    tracks = make_motion(3, [10, 20, 30], n_frames=12)
    assert tracks.X.shape == (60, 24)
    for k in range(3):
        assert np.linalg.matrix_rank(tracks.X[tracks.labels == k], tol=1e-8) == 4
    assert np.linalg.matrix_rank(tracks.X, tol=1e-8) == 12
    noisy = make_motion(3, [10, 20, 30], n_frames=12, noise=2.0)
    assert (noisy.X - tracks.X).std() == pytest.approx(2, rel=0.1)


class TestSamples:
    @pytest.mark.parametrize("name", SAMPLES)
    def test_each_is_ready_to_cluster(self, name):
        data = sample(name)
        assert data is sample(name)
        assert np.isfinite(data.X).all()
        assert 100 <= data.n_points <= 1000
        assert data.n_classes == len(np.unique(data.labels)) >= 3
        assert data.name == SAMPLES[name].title
        assert SAMPLES[name].sentence.endswith(".")

    def test_the_default(self):
        assert sample("faces").images.shape == (384, 48, 42)

    def test_unknown_name_lists_the_names(self):
        with pytest.raises(ValueError, match="'faces', 'subspaces'"):
            sample("face")


class TestPrepare:
    def test_choice_keeps_pictures_and_names(self):
        data = sample("digits")
        part = prepare(data, classes=[4, 2], per_class=10)
        assert part.class_names == ("2", "4")
        assert np.bincount(part.labels).tolist() == [10, 10]
        np.testing.assert_array_equal(part.images.reshape(20, -1), np.rint(part.X * 255 / 16))
        rows = {tuple(x) for x in data.X[np.isin(data.labels, [2, 4])]}
        assert {tuple(x) for x in part.X} <= rows

    def test_another_class_leaves_the_draw_alone(self):
        data = sample("digits")
        one = prepare(data, classes=[2], per_class=10, random_state=5)
        two = prepare(data, classes=[2, 3], per_class=10, random_state=5)
        np.testing.assert_array_equal(one.X, two.X[two.labels == 0])
        assert one.digest != prepare(data, classes=[2], per_class=10, random_state=6).digest

    def test_fewer_than_asked_and_no_labels(self):
        data = make_subspaces(2, 2, 5, points_each=(3, 9))
        assert np.bincount(prepare(data, per_class=5).labels).tolist() == [3, 5]
        plain = Dataset(data.X, None, "plain")
        assert prepare(plain, per_class=5).X.shape == (5, 5)

    @pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
    def test_pca_equals_scikit_learn_up_to_sign(self, shape):
        X = np.random.default_rng(0).standard_normal(shape) + 3
        ours = prepare(Dataset(X, None, "random"), pca=5).X
        model = PCA(5, svd_solver="full")
        reference = model.fit_transform(X)
        np.testing.assert_allclose(abs(ours), abs(reference), atol=1e-10)
        assert (ours.max(axis=0) >= -ours.min(axis=0)).all()
        share = np.cumsum(PCA(svd_solver="full").fit(X).explained_variance_ratio_)[:5]
        np.testing.assert_allclose(pca_variance(X, 5), share)

    def test_order_of_centring_pca_and_norm(self):
        data = make_subspaces(noise=0.1)
        np.testing.assert_allclose(prepare(data, centre=True).X.mean(axis=0), 0, atol=1e-15)
        reduced = prepare(data, centre=True, pca=4, unit_norm=True)
        np.testing.assert_allclose(np.linalg.norm(reduced.X, axis=1), 1)
        assert reduced.class_names == data.class_names

    def test_standardised_features_count_alike(self):
        X = np.random.default_rng(0).standard_normal((40, 3)) * [1, 200, 0] + [5, -3, 7]
        data = Dataset(X, None, "units")
        found = prepare(data, standardise=True).X
        np.testing.assert_allclose(found[:, :2], ((X - X.mean(0)) / X.std(0).clip(1e-9))[:, :2])
        np.testing.assert_allclose(found[:, 2], 0, atol=1e-12)
        assert scales_differ(data)[1] == pytest.approx(X[:, 1].std())
        assert scales_differ(prepare(data, standardise=True)) is None
        assert scales_differ(sample("faces")) is None
        assert unequal_units(data).startswith("Feature 2 varies by 164, feature 1 by 1.1")
        named = replace(data, X=X * [1, 1e-5, 1], feature_names=("a", "b", "c"))
        assert unequal_units(named).startswith("“a” varies by 1.1, “b” by 0.0016")
        assert unequal_units(prepare(data, standardise=True)) == ""

    def test_pca_may_be_cancelled(self):
        def stop(done, total):
            raise Cancelled

        data = make_subspaces()
        assert prepare(data, unit_norm=True, progress=stop).n_points == data.n_points
        with pytest.raises(Cancelled):
            prepare(data, pca=4, progress=stop)

    def test_zero_sample_keeps_its_zeros(self):
        data = Dataset(np.array([[0.0, 0.0], [3.0, 4.0]]), None, "two")
        assert prepare(data, unit_norm=True).X.tolist() == [[0, 0], [0.6, 0.8]]

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"classes": [5]}, "classes is 5"),
            ({"classes": []}, "classes is empty"),
            ({"per_class": 0}, "per_class is 0"),
            ({"pca": 65}, "pca is 65"),
        ],
    )
    def test_wrong_arguments(self, wrong, says):
        with pytest.raises(ValueError, match=says):
            prepare(sample("digits"), **wrong)

    def test_no_classes_without_labels(self):
        with pytest.raises(ValueError, match="without labels"):
            prepare(Dataset(np.eye(3), None, "x"), classes=[0])

    def test_missing_values(self):
        X = np.array([[1, np.nan, 5, np.nan], [2, 4, 6, np.nan], [np.inf, 8, 7, np.nan]])
        data = Dataset(X, np.array([0, 1, 1]), "holes", ("a", "b"))
        assert fill_missing(data).X.tolist() == [[1, 6, 5], [2, 4, 6], [1.5, 8, 7]]
        dropped = fill_missing(data, "drop")
        assert dropped.X.tolist() == [[2, 4, 6]]
        assert dropped.class_names == ("b",)
        with pytest.raises(ValueError, match="NaN or infinite"):
            prepare(data, unit_norm=True)
        with pytest.raises(ValueError, match="every sample"):
            fill_missing(Dataset(np.array([[1, np.nan], [np.nan, 1]]), None, "x"), "drop")
        with pytest.raises(ValueError, match="no values at all"):
            fill_missing(Dataset(np.full((2, 2), np.nan), None, "x"))
        with pytest.raises(ValueError, match="how is 'median'"):
            fill_missing(data, "median")


class TestKnown:
    @pytest.mark.parametrize("name", KNOWN)
    def test_from_the_folder(self, name, real_data, monkeypatch):
        arrays = real_data(KNOWN[name].file)
        monkeypatch.setenv("SDSC_DATA", str(DATA))
        calls = []
        data = load_known(name, progress=lambda done, total: calls.append((done, total)))
        assert calls == [(0, 1), (1, 1)]
        assert data.X.shape == arrays["X"].shape
        np.testing.assert_array_equal(data.labels, arrays["y"])
        assert data.name == KNOWN[name].title
        assert data.kind == KNOWN[name].kind
        assert data.images is not None
        if name == "usps":
            np.testing.assert_allclose(data.X, (arrays["X"].astype(float) + 1) / 2)
        if name == "yaleb":
            assert data.class_names == tuple(arrays["subject"])

    def test_usps_file_loads_as_it_is(self, real_data):
        real_data("usps.npz")
        assert load(DATA / "usps.npz").X.min() == -1

    def test_yale_b_is_not_on_openml(self, tmp_path):
        with pytest.raises(ValueError, match=r"Extended Yale B is not in .*CroppedYale.zip"):
            load_known("yaleb", tmp_path)

    def test_openml(self, tmp_path, monkeypatch):
        seen = {}

        def fetch(**arguments):
            seen.update(arguments)
            X = np.linspace(-1, 1, 20 * 256).reshape(20, 256)
            return SimpleNamespace(data=X, target=np.array([str(k % 10 + 1) for k in range(20)]))

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        data = load_known("usps", tmp_path)
        assert seen["data_id"] == 41082
        assert (data.X.min(), data.X.max()) == (0, 1)
        assert data.labels[:3].tolist() == [0, 1, 2]
        assert data.class_names == tuple("0123456789")
        assert data.images.shape == (20, 16, 16)
        assert (data.images.min(), data.images.max()) == (0, 255)

    def test_openml_out_of_reach(self, tmp_path, monkeypatch):
        def fetch(**arguments):
            raise OSError("no route")

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        with pytest.raises(ValueError, match="MNIST could not be fetched from OpenML"):
            load_known("mnist", tmp_path)

    def test_unknown_name(self):
        with pytest.raises(ValueError, match="'yaleb', 'usps'"):
            load_known("cifar")


def as_file(write, name):
    """A file in memory, as an upload has it."""
    file = io.BytesIO()
    write(file)
    file.name = name
    return file


def npz(name="a.npz", **arrays):
    return as_file(lambda file: np.savez_compressed(file, **arrays), name)


def mat(name="a.mat", **arrays):
    return as_file(lambda file: savemat(file, arrays, do_compression=True), name)


def hdf5(fill, name="a.mat"):
    def write(file):
        with h5py.File(file, "w") as root:
            fill(root)

    return as_file(write, name)


def text(content):
    return as_file(lambda file: file.write(content.encode()), "a.csv")


def pictures(members, compression=zipfile.ZIP_DEFLATED):
    """A zip archive of name -> array of pixels, or bytes."""

    def write(file):
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, content in members.items():
                if not isinstance(content, bytes):
                    png = io.BytesIO()
                    Image.fromarray(content).save(png, "PNG")
                    content = png.getvalue()
                archive.writestr(name, content)

    return as_file(write, "a.zip")


X, Y = np.arange(12.0).reshape(4, 3) / 7, np.array([3, 3, 8, 8])
GREY = np.arange(20, dtype=np.uint8).reshape(4, 5)


def allow(n_bytes):
    """Limits for an array of so many bytes."""
    return replace(OWN, values=n_bytes // 8)


def refused(says, *arguments, **options):
    """load() fails with one sentence that says so."""
    with pytest.raises(ValueError, match=says) as caught:
        load(*arguments, **options)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    write_samples(folder)
    return folder


class TestSampleFiles:
    def test_are_small_and_up_to_date_in_kind(self, folder):
        written = {path.name for path in folder.iterdir()}
        shipped = {path.name: path for path in (ROOT / "sample_data").iterdir()}
        assert written | {"README.md"} == set(shipped)
        assert sum(path.stat().st_size for path in shipped.values()) < 1_500_000
        for name in written:
            assert name in shipped["README.md"].read_text()
            ours, theirs = load(folder / name), load(shipped[name])
            np.testing.assert_allclose(ours.X, theirs.X, atol=1e-5)
            assert ours.class_names == theirs.class_names

    def test_same_bytes_again(self, folder, tmp_path):
        for path in write_samples(tmp_path):
            assert path.read_bytes() == (folder / path.name).read_bytes()

    @pytest.mark.parametrize(
        ("name", "made"),
        [
            ("subspaces.csv", lambda: make_subspaces(5, 4, 12, points_each=40)),
            ("motion.mat", lambda: make_motion(noise=1.0)),
            ("overlapping_subspaces_v73.mat", lambda: make_subspaces(4, 4, 15, 40, overlap=2)),
            ("digits.npz", lambda: sample("digits")),
            ("shaded_faces.zip", lambda: make_faces(4, 16)),
        ],
    )
    def test_round_trip(self, folder, name, made):
        data, made = load(folder / name), made()
        np.testing.assert_allclose(data.X, made.X, atol=1e-6)
        np.testing.assert_array_equal(data.labels, made.labels)
        if made.images is not None:
            assert data.images.shape == made.images.shape

    def test_damaged_files_give_one_sentence(self, folder):
        rng = np.random.default_rng(0)
        for path in sorted(folder.iterdir()):
            whole = path.read_bytes()
            for _ in range(25):
                broken = bytearray(whole[: rng.integers(len(whole))])
                for place in rng.integers(min(len(broken), 600) or 1, size=5):
                    broken[place : place + 1] = bytes([rng.integers(256)])
                try:
                    load(io.BytesIO(broken), name=path.name)
                except ValueError as error:
                    assert str(error).endswith(".")


class TestArrays:
    @pytest.mark.parametrize("save", [npz, mat])
    @pytest.mark.parametrize("label_name", ["y", "GND", "labels", "Class", "target", "s"])
    def test_names_and_orientation(self, save, label_name):
        for values in (X, X.T):
            data = load(save(**{"fea": values, "big": np.zeros((9, 9)), label_name: Y}))
            np.testing.assert_array_equal(data.X, X)
            assert data.labels.tolist() == [0, 0, 1, 1]
            assert data.class_names == ("3", "8")

    def test_without_labels_rows_are_samples_unless_told(self):
        assert load(mat(X=X)).X.shape == (4, 3)
        assert load(mat(X=X), transpose=True).X.shape == (3, 4)
        assert load(npz(a=X, b=np.zeros((2, 2)))).X.shape == (4, 3)
        square = np.arange(16.0).reshape(4, 4)
        np.testing.assert_array_equal(load(mat(X=square, y=Y), transpose=True).X, square.T)
        refused("does not go with 4 labels and transpose=True", mat(X=X, y=Y), transpose=True)

    def test_choice_of_variables(self):
        file = npz(a=X, b=X + 1, other=Y, y=np.arange(7), text=np.array(["p", "q"]))
        data = load(file, x="b", y="other")
        np.testing.assert_array_equal(data.X, X + 1)
        assert data.class_names == ("p", "q")
        assert load(file, x="a").labels is None
        assert load(npz(X=X, y=Y), y=False).labels is None
        refused("x is 'c'; 'a.npz' holds a, b", file, x="c")
        refused("x is 'other', which has shape", file, x="other")
        refused("does not go with 7 labels", file, y="y")
        assert [tuple(v) for v in inspect(file)[:3]] == [
            ("a", (4, 3), "float64"),
            ("b", (4, 3), "float64"),
            ("other", (4,), "int64"),
        ]

    def test_fractions_are_no_labels(self):
        assert load(npz(X=X, y=np.array([0.5, 1, 2, 3]))).labels is None
        refused("missing or infinite", npz(X=X, z=np.array([0, 1, 2, np.nan])), y="z")

    @pytest.mark.parametrize("axis", [0, 2])
    def test_pictures_in_three_dimensions(self, axis):
        images = np.random.default_rng(0).integers(0, 256, (4, 5, 6), dtype=np.uint8)
        data = load(mat(images=np.moveaxis(images, 0, axis), labels=Y))
        np.testing.assert_array_equal(data.images, images)
        np.testing.assert_array_equal(data.X, images.reshape(4, 30))

    def test_tracks_in_three_dimensions(self):
        x = np.concatenate([np.random.default_rng(0).normal(size=(2, 4, 7)), np.ones((1, 4, 7))])
        data = load(mat(x=x, y=x + 1, s=Y[:, None]))
        np.testing.assert_array_equal(data.X, x[:2].transpose(1, 0, 2).reshape(4, 14))
        assert data.images is None

    @pytest.mark.parametrize("save", [npz, mat])
    def test_image_shape(self, save):
        data = load(save(X=np.array([[-1.0, 0, 1, 1, 0, -1]] * 4), image_shape=[2, 3], y=Y))
        assert data.images[0].tolist() == [[0, 128, 255], [255, 128, 0]]
        assert data.X.min() == -1

    @pytest.mark.parametrize("texts", [["a", "bc"], np.array(["a", "bc"], dtype=object)])
    def test_class_names_in_mat(self, texts):
        assert load(mat(X=X, gnd=Y, names=texts)).class_names == ("a", "bc")

    def test_names_in_mat_73(self):
        def fill(root):
            root["fea"], root["gnd"] = X.T, Y[None]
            kept = []
            for k, word in enumerate(["Zoë", "b"]):
                codes = np.array([[ord(c)] for c in word], dtype=np.uint16)
                item = root.create_dataset(f"#refs#/{k}", data=codes)
                item.attrs["MATLAB_class"] = np.bytes_("char")
                kept.append(item.ref)
            cell = root.create_dataset("names", data=np.array([kept], dtype=h5py.ref_dtype))
            cell.attrs["MATLAB_class"] = np.bytes_("cell")

        data = load(hdf5(fill))
        assert data.class_names == ("Zoë", "b")
        np.testing.assert_array_equal(data.X, X)

    def test_sparse_samples(self):
        np.testing.assert_array_equal(load(mat(fea=sp.csc_array(X), gnd=Y)).X, X)

    def test_npy(self):
        assert load(as_file(lambda f: np.save(f, X.astype(np.float16)), "a.npy")).X.shape == (4, 3)
        refused("no table of numbers", as_file(lambda f: np.save(f, Y), "a.npy"))

    def test_labels_that_do_not_fit_are_named(self):
        data = load(as_file(lambda f: np.savez(f, X=np.eye(4, 3), y=np.arange(5)), "a.npz"))
        assert data.labels is None and "y has 5 entries, not one a sample" in data.note


def tsv(name):
    return as_file(lambda file: file.write(b"a\tb\tc\n1\t2\t3\n4\t5\t6\n"), name)


class TestNameless:
    """Content that nobody named says by its first bytes what it is."""

    FILES: ClassVar = {
        ".csv": text("1,2,y\n3,4,n\n5,6,y\n"), ".tab": tsv("a.tsv"), ".npz": npz(X=X, y=Y),
        ".npy": as_file(lambda file: np.save(file, X), "a.npy"), ".mat": mat(X=X, y=Y),
        ".h5": hdf5(lambda root: root.create_dataset("X", data=X)),
        ".zip": pictures({"cat/1.png": GREY, "cat/2.png": GREY, "dog/1.png": GREY}),
    }  # fmt: skip

    @pytest.mark.parametrize("kind", FILES)
    @pytest.mark.parametrize("form", [bytes, bytearray, memoryview, io.BytesIO])
    def test_is_read_as_with_a_name(self, kind, form):
        named = self.FILES[kind]
        content = named.getvalue()
        np.testing.assert_array_equal(load(form(content)).X, load(named).X)
        assert load(form(content)).class_names == load(named).class_names
        assert inspect(form(content)) == inspect(named)
        assert load(form(content), name=named.name).note == load(named).note

    def test_columns(self):
        assert [c.role for c in columns(b"1,2,y\n3,4,n\n5,6,y\n")] == ["feature"] * 2 + ["label"]

    @pytest.mark.parametrize(
        ("content", "says"),
        [(b"", "is empty"), (b"%PDF-1.7", "is a PDF by its content"), (b"\x1f\x8b", "unpack it")],
    )
    def test_what_cannot_be_read_says_why(self, content, says):
        refused(says, content)
        refused(says, io.BytesIO(content))


class TestTables:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_header_and_text_labels(self, delimiter):
        content = "a,b,Class\n1,2.5,cat\n3,,dog\n5,6,cat\n".replace(",", delimiter)
        data = load(text(content))
        np.testing.assert_array_equal(data.X, [[1, 2.5], [3, np.nan], [5, 6]])
        assert data.labels.tolist() == [0, 1, 0]
        assert [v.dtype for v in inspect(text(content))] == ["float64", "float64", "text"]

    def test_no_header(self):
        assert load(text("1,2\n3,4\n")).X.tolist() == [[1, 2], [3, 4]]
        data = load(text("1,2,x\n3,4,y2\n"), label_column="last")
        assert data.class_names == ("x", "y2")
        assert data.X.shape == (2, 2)
        assert load(text("1,2\n3,4\n"), header=True).X.tolist() == [[3, 4]]

    def test_which_column_is_the_label(self):
        content = "label,b,c\n0,1,2\n1,3,4\n"
        assert load(text(content)).X.tolist() == [[1, 2], [3, 4]]
        assert load(text(content), label_column="b").class_names == ("1", "3")
        assert load(text(content), label_column=2).class_names == ("2", "4")
        assert load(text(content), label_column=False).X.shape == (2, 3)
        assert load(text("x,y\n0.5,0.5\n1,1\n")).X.shape == (2, 2)
        refused(
            "label_column is 'd'; 'a.csv' has the columns label, b, c",
            text(content),
            label_column="d",
        )

    def test_what_spreadsheets_and_programs_write(self):
        assert load(text("\ufeffa;b\r\n1,5;2\r\n3;4\r\n")).X.tolist() == [[1.5, 2], [3, 4]]
        assert load(text(",a,b\n0,5,6\n1,7,8\n")).X.tolist() == [[5, 6], [7, 8]]
        assert load(text('"a","b"\n"r1",5,6\n"r2",7,8\n')).X.tolist() == [[5, 6], [7, 8]]
        assert load(text("a,b\n1,2\n3,4\n"), transpose=True).X.tolist() == [[1, 3], [2, 4]]

    def test_errors_say_where(self):
        refused("'oops' in row 3 of column 'b'", text("a,b\n1,2\n3,oops\n"))
        refused("3 cells in row 3, but 2", text("a,b\n1,2\n3,4,5\n"))
        refused("no class in row 3 of column 'y'", text("a,y\n1,p\n3,\n"))
        refused("2 names in its header and 4 cells", text("a,b\n1,2,3,4\n"))
        refused("is empty", text("\n\n"))
        refused("header but no rows", text("a,label\n"))
        refused("header but no rows", text("a,b\n"))
        refused(
            "save it as CSV in UTF-8", as_file(lambda f: f.write("1,2".encode("utf-16")), "a.csv")
        )
        refused("no column of numbers", text("label\n1\n2\n"))
        refused("would take 9,600 bytes; at most 1,000", text("1,2,3\n" * 400), limits=allow(1000))


class TestPictures:
    def test_folders_are_classes(self):
        members = {
            "set/b/2.png": GREY + 1,
            "set/b/1.png": GREY,
            "set/a/x.png": np.stack([GREY] * 3, axis=2),
            "__MACOSX/set/a/._x.png": b"no picture",
            "set/a/.hidden.png": b"no picture",
            "readme.txt": b"hello",
        }
        data = load(pictures(members))
        assert data.class_names == ("a", "b")
        np.testing.assert_array_equal(data.images, [GREY, GREY, GREY + 1])
        assert [tuple(v) for v in inspect(pictures(members))] == [
            ("a", (1,), "uint8"),
            ("b", (2,), "uint8"),
        ]

    @pytest.mark.parametrize("root", ["", "all/"])
    def test_no_labels_without_several_folders(self, root):
        data = load(pictures({f"{root}1.png": GREY, f"{root}2.png": GREY}))
        assert data.labels is None
        assert data.X.shape == (2, 20)

    def test_sixteen_bits(self):
        data = load(pictures({"1.png": GREY.astype(np.uint16) * 256, "2.png": GREY}))
        np.testing.assert_array_equal(data.images[0], GREY)

    def test_photographs_of_several_sizes_are_scaled_to_one(self):
        left = np.zeros((300, 400), np.uint8)
        left[:, :200] = 240
        deep = np.tile(left[:, ::-1].astype(np.uint16) * 256, (2, 2))
        data = load(pictures({"a/1.png": left, "b/2.png": deep}))
        assert data.images.shape == (2, 48, 64) and "scaled from 2 sizes" in data.note
        assert np.abs(data.images[0, :, :30] - 240).max() < 1 > data.images[0, :, 34:].max()
        assert data.images[1].max() <= 240 and data.images[1, :, 20:30].min() > 239

    def test_what_is_upright_or_not_keeps_its_proportions(self):
        wide = np.zeros((100, 300), np.uint8)
        wide[:, 100:200] = 200  # its middle
        data = load(pictures({"a/1.png": wide, "b/2.png": wide.T}))
        assert data.images.shape == (2, 64, 64) and "the middle of each" in data.note
        assert np.abs(data.images[:, 2:-2, 2:-2] - 200).max() < 1

    def test_large_pictures_of_one_size_are_scaled_and_small_ones_are_not(self):
        large = pictures(
            {"a/1.png": np.zeros((600, 300), np.uint8), "b/2.png": np.full((600, 300), 9, np.uint8)}
        )
        data = load(large)
        assert data.images.shape == (2, 64, 32) and "scaled from 600×300" in data.note
        assert load(pictures({"1.png": np.eye(256, dtype=np.uint8)})).images.shape == (1, 256, 256)

    def test_refused(self):
        refused("2.png lies outside", pictures({"a/1.png": GREY, "2.png": GREY}))
        refused("a/1.png in 'a.zip' could not be read as a picture", pictures({"a/1.png": b"x"}))
        refused("holds no pictures", pictures({"a.txt": b"x"}))
        refused("would take 320 bytes", pictures({"1.png": GREY, "2.png": GREY}), limits=allow(312))
        refused("packed in an unusual way", pictures({"1.png": GREY}, zipfile.ZIP_LZMA))
        huge = pictures({"1.png": np.zeros((5000, 5000), np.uint8)})
        refused("5000×5000 pixels; at most", huge)


class TestSafety:
    def test_headers_are_checked_before_arrays_are_made(self):
        def claim(file):
            header = {"descr": "<f8", "fortran_order": False, "shape": (80_000, 80_000)}
            np.lib.format.write_array_header_1_0(file, header)

        refused("would take 48,828 MB", as_file(claim, "a.npy"))
        refused("is cut short", as_file(claim, "a.npy"), limits=allow(2**40))
        assert inspect(as_file(claim, "a.npy"))[0].shape == (80_000, 80_000)

    @pytest.mark.parametrize("save", [npz, mat])
    def test_small_files_that_unpack_to_much(self, save):
        file = save(X=np.zeros((1000, 100), np.uint8), y=np.arange(1000) % 2)
        assert len(file.getvalue()) < 5000
        refused("unpacks|would take 800,000 bytes", file, limits=allow(799_992))
        assert load(file, limits=allow(800_000)).X.shape == (1000, 100)

    def test_pickles(self):
        objects = np.array([[1, "a"], [None, 2]], dtype=object)
        refused("no table of numbers", npz(X=objects))
        refused("holds object", npz(X=X, y=objects[0]), y="y")

    def test_mat_that_claims_less_than_it_holds(self):
        def element(kind, data):
            return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

        head = element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", 2, 2))
        body = element(14, head + element(1, b"X") + element(9, bytes(10_000_000)))
        start = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
        packed = zlib.compress(body)
        file = io.BytesIO(start + struct.pack("<II", 15, len(packed)) + packed)
        refused("unpacks to more than", file, name="a.mat", limits=allow(1_000_000))

    def test_cells_in_cells(self):
        cell = np.array(["deep"], dtype=object)
        for _ in range(1500):
            outer = np.empty(1, dtype=object)
            outer[0] = cell
            cell = outer
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(20_000)
        try:
            file = mat(X=X, y=cell)
        finally:
            sys.setrecursionlimit(limit)
        refused("cell array of more than", file, y="y")
        assert load(file).X.shape == (4, 3)

    def test_sparse_with_wrong_indices(self):
        wrong = sp.csc_array(X)
        wrong.indices[:] = 10**6
        refused("entries outside of it", mat(X=wrong))

    @pytest.mark.parametrize(
        ("fill", "says"),
        [
            (lambda root: root.__setitem__("X", h5py.SoftLink("/other")), "is a link"),
            (lambda root: root.__setitem__("X", h5py.ExternalLink("b.h5", "X")), "is a link"),
            (
                lambda root: root.create_dataset(
                    "X", (4, 3), "f8", external=[("/etc/hostname", 0, 96)]
                ),
                "in another file",
            ),
            (
                lambda root: root.create_virtual_dataset("X", _virtual(), fillvalue=0),
                "in another file",
            ),
            (lambda root: root.create_dataset("X", (10**6, 10**6), "f8"), "would take"),
            (
                lambda root: root.create_dataset(
                    "X", (4, 3), "f8", maxshape=(None, None), chunks=(20_000, 20_000)
                ),
                "would take",
            ),
            (lambda root: root.create_dataset("X", data=X, compression="lzf"), "unusual way"),
            (lambda root: _overfull(root), "more than its header says"),
        ],
    )
    def test_hdf5_that_reaches_out_or_lies(self, fill, says):
        refused(says, hdf5(fill))

    def test_paths_and_endings(self, tmp_path):
        refused("there is no such file", tmp_path / "none.csv")
        refused(r"endings that can be read: \.csv, \.tsv", tmp_path / "a.xlsx")
        refused("endings", io.BytesIO(b"1,2"), name="a.doc")
        (tmp_path / "folder.csv").mkdir()
        refused("cannot be opened", tmp_path / "folder.csv")
        for ending in (".npy", ".npz", ".mat", ".zip"):
            refused("could not be read as", io.BytesIO(b"nonsense" * 100), name=f"a{ending}")


def _virtual():
    layout = h5py.VirtualLayout((4, 3), "f8")
    layout[:] = h5py.VirtualSource("b.h5", "X", (4, 3))
    return layout


def _overfull(root):
    data = root.create_dataset("X", (4, 3), "f8", chunks=(4, 3), compression="gzip")
    data.id.write_direct_chunk((0, 0), zlib.compress(bytes(10_000)))


def test_a_large_array_can_stay_on_the_disk(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 4))
    np.save(tmp_path / "X.npy", X)
    few = replace(OWN, values=12)
    with pytest.raises(ValueError, match="at most"):
        load(tmp_path / "X.npy", limits=few)
    data = load(tmp_path / "X.npy", limits=few, mapped=True)
    np.testing.assert_array_equal(data.X, X)
    assert isinstance(data.X.base.base, np.memmap) or isinstance(data.X.base, np.memmap)


@pytest.mark.parametrize("values", [np.eye(3, dtype=np.float32), np.eye(3, dtype=int)])
def test_other_numbers_are_read(tmp_path, values):
    np.save(tmp_path / "X.npy", values)
    data = load(tmp_path / "X.npy", mapped=True)
    np.testing.assert_array_equal(data.X, np.eye(3))
    assert data.X.dtype == np.float64


def test_a_mapped_file_cut_short_is_refused(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(30))
    (tmp_path / "X.npy").write_bytes((tmp_path / "X.npy").read_bytes()[:-8])
    with pytest.raises(ValueError, match="could not be read"):
        load(tmp_path / "X.npy", mapped=True)


def test_labels_that_are_no_whole_numbers_are_refused():
    assert Dataset(np.eye(2), np.array([0.0, 1.0]), "two", ("a", "b")).labels.tolist() == [0, 1]
    assert Dataset(np.eye(2), np.array([0, 1], object), "two", ("a", "b")).labels.tolist() == [0, 1]
    for labels in ([0.9, 0.0], ["a", "b"]):
        with pytest.raises(ValueError, match="labels are not whole numbers"):
            Dataset(np.eye(2), np.array(labels), "two", ("a", "b"))


@pytest.mark.parametrize(("low", "expected"), [(-1, 0.0), (0, 0.0)])
def test_usps_from_0_to_1_stays_as_it_is(tmp_path, low, expected):
    X = np.array([[low, 1.0], [1.0, low], [low, 1.0]])
    np.savez(tmp_path / "usps.npz", X=X, y=[0, 1, 0])
    assert load_known("usps", tmp_path).X[0].tolist() == [expected, 1.0]
