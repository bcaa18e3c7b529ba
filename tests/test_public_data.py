"""The paper's data sets as the public has them: made-up files of the true layout, known by it."""

import bz2
import gzip
import struct
from dataclasses import replace

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from sdsc_core.datasets import (
    known,
    known_file,
    load_known,
    missing_sentence,
    prepare,
    scattering_vectors,
)
from sdsc_core.datasets.public import digits, faces

RNG = np.random.default_rng(0)
USPS_Y = np.arange(9298) % 10
# Mostly background, so that files are small; a few pixels tell the samples apart.
USPS = np.full((9298, 256), -1.0, np.float32)
USPS[np.arange(9298), RNG.integers(0, 256, 9298)] = 1.0
USPS[:, 255] = 0.5
MNIST_Y = (np.arange(300) % 10).astype(np.uint8)
MNIST = np.zeros((300, 28, 28), np.uint8)
MNIST[np.arange(300), RNG.integers(0, 28, 300), MNIST_Y] = 200


def idx(array):
    head = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.tobytes()


def lines(X, y):
    """libsvm's form: digits from 1, zeros left out."""
    rows = (
        f"{digit + 1} " + " ".join(f"{k + 1}:{v:.6g}" for k, v in enumerate(row) if v)
        for row, digit in zip(X, y, strict=True)
    )
    return ("\n".join(rows) + "\n").encode()


def pgm(path, picture, comment=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    h, w = picture.shape
    path.write_bytes(b"P5\n" + comment + b"%d %d\n255\n" % (w, h) + picture.tobytes())


class TestFaces:
    def test_the_folder_as_it_is_distributed(self, tmp_path):
        pictures = {}
        for person in (1, 2, 13):
            for light in range(3):
                picture = RNG.integers(0, 256, (192, 168), dtype=np.uint8)
                name = f"yaleB{person:02}/yaleB{person:02}_P00A+{light:03}E+00.pgm"
                pgm(tmp_path / "data" / "CroppedYale" / name, picture, b"# a comment\n")
                pictures[name] = picture
        base = tmp_path / "data" / "CroppedYale" / "yaleB01"
        pgm(base / "yaleB01_P00_Ambient.pgm", np.zeros((480, 640), np.uint8))
        pgm(base / "yaleB01_P00A+110E-20.pgm.bad", np.zeros((192, 168), np.uint8))
        (base / "yaleB01_P00.info").write_text("yaleB01_P00_Ambient.pgm\n")
        seen = []
        data = load_known("yaleb", tmp_path, lambda done, total: seen.append(total))
        assert data.X.shape == (9, 2016) and max(seen) == 9
        assert data.class_names == ("yaleB01", "yaleB02", "yaleB13")
        assert data.labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
        name = str(data.identifiers[4])
        small = data.X[4].reshape(48, 42)
        assert small[3, 5] == pytest.approx(pictures[name][12:16, 20:24].mean())
        assert data.images.shape == (9, 48, 42)
        assert known_file("yaleb", tmp_path) == tmp_path / "data" / "CroppedYale"

    def test_a_picture_cut_short_is_named(self, tmp_path):
        for person in ("a", "b"):
            pgm(tmp_path / person / "x.pgm", np.zeros((192, 168), np.uint8))
        path = tmp_path / "b" / "x.pgm"
        path.write_bytes(path.read_bytes()[:500])
        with pytest.raises(ValueError, match=r"'x.pgm' ends too early"):
            load_known("yaleb", tmp_path)

    def test_other_pictures_are_not_taken_for_them(self, tmp_path):
        for person in ("a", "b"):
            pgm(tmp_path / person / "x.pgm", np.zeros((112, 92), np.uint8))
        assert known_file("yaleb", tmp_path) is None

    @pytest.mark.parametrize("compressed", [True, False])
    def test_sscs_mat_file(self, tmp_path, compressed):
        """YaleBCrop025.mat: Y (2016, 64, 38), pictures written column by column."""
        stack = RNG.integers(1, 256, (48, 42, 64, 38), dtype=np.uint8)
        stack[:, :, 63, 10] = 0  # a missing one
        Y = stack.reshape(2016, 64, 38, order="F")
        content = {"Y": Y, "Ind": np.ones((1, 9)), "s": np.ones((1, 9))}
        savemat(tmp_path / "faces.mat", content, do_compression=compressed)
        data = load_known("yaleb", tmp_path)
        assert data.X.shape == (64 * 38 - 1, 2016) and data.n_classes == 38
        assert np.bincount(data.labels)[10] == 63
        np.testing.assert_array_equal(data.images[64 + 5], stack[:, :, 5, 1])
        np.testing.assert_array_equal(data.X[64 + 5].reshape(48, 42), stack[:, :, 5, 1])

    def test_samples_in_rows_or_columns(self, tmp_path):
        fea = RNG.integers(0, 256, (2414, 1024), dtype=np.uint8)
        gnd = 1 + np.arange(2414)[:, None] % 38
        for k, X in enumerate((fea, fea.T)):
            folder = tmp_path / str(k)
            folder.mkdir()
            savemat(folder / "any.mat", {"fea": X, "gnd": gnd})
            data = load_known("yaleb", folder)
            assert data.n_classes == 38 and data.images.shape == (2414, 32, 32)
            np.testing.assert_array_equal(data.images[7], fea[7].reshape(32, 32).T)

    def test_the_mean_of_sixteen_pixels(self):
        picture = RNG.random((192, 168))
        assert faces.smaller(picture)[47, 41] == pytest.approx(picture[188:, 164:].mean())


def write_mat(folder):
    savemat(folder / "a.mat", {"fea": USPS, "gnd": USPS_Y[:, None] + 1})


def write_resampled(folder):
    hot = np.where(USPS_Y[:, None] == np.arange(10), 1, -1)
    halves = {"train": slice(0, 4649), "test": slice(4649, None)}
    content = {f"{part}_patterns": USPS[rows].T for part, rows in halves.items()}
    content |= {f"{part}_labels": hot[rows].T for part, rows in halves.items()}
    savemat(folder / "b.mat", content, do_compression=True)


def write_h5(folder):
    with h5py.File(folder / "c.h5", "w") as file:
        for part, rows in (("train", slice(0, 7291)), ("test", slice(7291, None))):
            file[f"{part}/data"], file[f"{part}/target"] = (USPS[rows] + 1) / 2, USPS_Y[rows]


def write_npz(folder):
    (folder / "deep" / "er").mkdir(parents=True)
    np.savez_compressed(folder / "deep" / "er" / "any.npz", X=USPS, y=USPS_Y)


@pytest.mark.parametrize("write", [write_mat, write_resampled, write_h5, write_npz])
def test_usps(tmp_path, write):
    write(tmp_path)
    assert known_file("usps", tmp_path) is not None
    data = load_known("usps", tmp_path)
    np.testing.assert_allclose(data.X, (USPS + 1) / 2, atol=1e-6)
    np.testing.assert_array_equal(data.labels, USPS_Y)
    assert data.class_names == tuple("0123456789") and data.images.shape == (9298, 16, 16)
    assert data.kind == "digits" and data.name == "USPS"
    assert known_file("mnist", tmp_path) is None and known_file("yaleb", tmp_path) is None


def test_usps_in_lines(tmp_path):
    """libsvm's usps.bz2 and usps.t.bz2, the longer one first; an unpacked copy counts once."""
    X, y = USPS[:300], USPS_Y[:300]
    (tmp_path / "d.t.bz2").write_bytes(bz2.compress(lines(X[200:], y[200:]), 1))
    (tmp_path / "d.bz2").write_bytes(bz2.compress(lines(X[:200], y[:200]), 1))
    (tmp_path / "unpacked").write_bytes(lines(X[200:], y[200:]))
    data = load_known("usps", tmp_path)
    np.testing.assert_allclose(data.X, (X + 1) / 2, atol=1e-6)
    np.testing.assert_array_equal(data.labels, y)


def test_usps_in_bytes_a_sheet_a_digit(tmp_path):
    """usps_all.mat: (256, 1100, 10), in the order 1 to 9, then 0."""
    sheets = RNG.integers(0, 256, (256, 1100, 10), dtype=np.uint8)
    savemat(tmp_path / "all.mat", {"data": sheets})
    data = load_known("usps", tmp_path)
    assert data.X.shape == (11_000, 256) and 0.9 < data.X.max() <= 1
    np.testing.assert_allclose(data.X[1100 * 9 + 3], sheets[:, 3, 9] / 255)
    assert data.labels[1100 * 9] == 0 and data.labels[0] == 1


class TestMnist:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        """As if the test part had 300 digits, and all of MNIST 1,000."""
        monkeypatch.setattr(digits, "MNIST_TEST", 300)
        monkeypatch.setattr(digits, "MNIST_ALL", 1000)

    def check(self, folder):
        data = load_known("mnist", folder)
        np.testing.assert_array_equal(data.images, MNIST)
        np.testing.assert_array_equal(data.X, MNIST.reshape(-1, 784))
        np.testing.assert_array_equal(data.labels, MNIST_Y)

    @pytest.mark.parametrize("packed", [True, False])
    def test_idx(self, tmp_path, packed):
        for name, array in (("images", MNIST), ("labels", MNIST_Y),
                            ("train labels", np.zeros(700, np.uint8))):  # fmt: skip
            content = idx(array)
            (tmp_path / name).write_bytes(gzip.compress(content, 1) if packed else content)
        self.check(tmp_path)

    def test_keras(self, tmp_path):
        np.savez_compressed(
            tmp_path / "m.npz", x_train=np.zeros((700, 28, 28), np.uint8),
            y_train=np.zeros(700, np.uint8), x_test=MNIST, y_test=MNIST_Y,
        )  # fmt: skip
        self.check(tmp_path)

    def test_all_digits_in_columns(self, tmp_path):
        X = np.zeros((784, 1000), np.uint8)
        X[:, 700:] = MNIST.reshape(-1, 784).T
        y = np.concatenate([np.arange(700) % 10, MNIST_Y])[None].astype(float)
        savemat(tmp_path / "original.mat", {"data": X, "label": y}, do_compression=True)
        self.check(tmp_path)

    def test_an_idx_file_cut_short_is_named(self, tmp_path):
        (tmp_path / "i").write_bytes(idx(MNIST)[:-5])
        (tmp_path / "l").write_bytes(idx(MNIST_Y))
        with pytest.raises(ValueError, match="'i' ends too early"):
            load_known("mnist", tmp_path)

    def test_scattering_features_come_from_the_digits(self, tmp_path, monkeypatch):
        """Of few digits and to few components here; by the same two functions as everybody's."""
        monkeypatch.setattr(digits, "MNIST_TEST", 40)
        monkeypatch.setattr(known, "COMPONENTS", 12)
        (tmp_path / "i").write_bytes(idx(MNIST[:40]))
        (tmp_path / "l").write_bytes(idx(MNIST_Y[:40]))
        data = load_known("mnist_scattering", tmp_path)
        assert data.name == "MNIST, scattering features" and data.X.shape == (40, 12)
        np.testing.assert_array_equal(data.images, MNIST[:40])
        vectors = scattering_vectors(MNIST[:40], as_published=True)
        theirs = prepare(replace(load_known("mnist", tmp_path), X=vectors), pca=12)
        np.testing.assert_array_equal(data.X, theirs.X)
        distance = np.linalg.norm(vectors[0] - vectors[1])
        assert np.linalg.norm(data.X[0] - data.X[1]) <= distance * (1 + 1e-6)

    def test_ready_made_features_are_known_by_their_shape(self, tmp_path):
        X = RNG.random((300, 500)).astype(np.float16)
        np.savez(tmp_path / "features.npz", X=X, y=MNIST_Y)
        data = load_known("mnist_scattering", tmp_path)
        np.testing.assert_array_equal(data.X, X)


def arff(X, y, first=False, names="{0,1,2,3,4,5,6,7,8,9}"):
    """As OpenML sends it: a comment, columns, lines; the class last, or first and called int0."""
    pixels = [f"@ATTRIBUTE pixel{k} REAL" for k in range(X.shape[1])]
    label = "@attribute int0 numeric" if first else f"@attribute 'class' {names}"
    head = ["% a comment", "@RELATION digits", "", *([label] if first else []), *pixels]
    head += [*([] if first else [label]), "@DATA"]
    rows = [[f"{v:g}" for v in row] for row in X]
    quoted = [str(k) if first else f"'{k}'" for k in y]
    lines = [",".join([k, *r] if first else [*r, k]) for k, r in zip(quoted, rows, strict=True)]
    return ("\n".join([*head, *lines]) + "\n").encode()


@pytest.mark.parametrize("packed", [True, False])
def test_openmls_tables(tmp_path, monkeypatch, packed):
    """USPS has its class first and counts digits from 1; of MNIST the test part stands last."""
    monkeypatch.setattr(digits, "WHOLE", 200)
    monkeypatch.setattr(digits, "MNIST_TEST", 290)

    def write(path, content):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(content) if packed else content)

    write(tmp_path / "u" / "download", arff(USPS[:200], USPS_Y[:200] + 1, first=True))
    data = load_known("usps", tmp_path / "u")
    np.testing.assert_array_equal(data.labels, USPS_Y[:200])
    np.testing.assert_array_equal(data.X, (USPS[:200] + 1) / 2)
    write(tmp_path / "m" / "other.name", arff(MNIST.reshape(300, 784), MNIST_Y))
    data = load_known("mnist", tmp_path / "m")
    np.testing.assert_array_equal(data.images, MNIST[10:])
    np.testing.assert_array_equal(data.labels, MNIST_Y[10:])


def test_a_table_that_is_damaged_or_another_is_said(tmp_path):
    path = tmp_path / "mnist_784.arff"
    content = arff(np.zeros((4, 784)), np.arange(4))
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"'mnist_784.arff' ends too early"):
        load_known("mnist", tmp_path)
    path.write_bytes(content.replace(b"0,0,0", b"0,x,0", 1))
    with pytest.raises(ValueError, match="not made of numbers"):
        load_known("mnist", tmp_path)
    path.write_bytes(arff(np.zeros((4, 30)), np.arange(4)))
    assert known_file("mnist", tmp_path) is None


def test_what_is_none_of_them_is_passed_over(tmp_path):
    (tmp_path / "notes").write_text("1 house\n")
    (tmp_path / "half.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "half.bz2").write_bytes(b"BZh9 and no more")
    (tmp_path / "half.gz").write_bytes(b"\x1f\x8b and no more")
    np.savez(tmp_path / "mine.npz", X=np.ones((300, 256)), y=np.arange(300) % 10)
    for name in ("yaleb", "usps", "mnist", "mnist_scattering"):
        assert known_file(name, tmp_path) is None


@pytest.mark.parametrize("name", ["yaleb", "usps", "mnist", "mnist_scattering"])
def test_what_is_missing_is_said_with_where_to_get_it(name, tmp_path):
    said = missing_sentence(name, tmp_path)
    assert str(tmp_path) in said and "get " in said and "--data" in said and "SDSC_DATA" in said
