"""Files that are unlike the usual ones: read right, or refused with the reason."""

import io
import re
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from PIL import Image
from scipy.io import savemat

from sdsc_core.datasets import columns, inspect, load
from tests.test_datasets import GREY, X, Y, as_file, hdf5, mat, npz, pictures, refused

rng = np.random.default_rng(0)
BYTES = rng.integers(0, 256, (4, 5), dtype=np.uint8)
SAVE = pytest.mark.parametrize("save", [npz, mat])


def encoded(picture, kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


class TestComplex:
    @pytest.mark.parametrize(
        "file",
        [
            lambda: mat(X=X + 1j, W=np.ones((9, 9))),
            lambda: npz(X=X + 1j, W=np.ones((9, 9))),
            lambda: mat(X=sp.csc_array(X + 1j)),
            lambda: as_file(lambda f: savemat(f, {"X": X + 1j}, format="4"), "a.mat"),
            lambda: hdf5(lambda root: root.__setitem__("X", _real_and_imaginary(X.T, 1))),
        ],
    )
    def test_an_imaginary_part_is_not_dropped(self, file):
        refused("X in 'a....' holds complex numbers; save real", file())

    @pytest.mark.parametrize(
        "file",
        [
            lambda: mat(X=X + 0j),
            lambda: npz(X=X + 0j),
            lambda: hdf5(lambda root: root.__setitem__("X", _real_and_imaginary(X.T, 0))),
        ],
    )
    def test_without_one_they_are_numbers(self, file):
        np.testing.assert_array_equal(load(file()).X, X)

    def test_labels(self):
        refused("y in 'a.mat' holds complex", mat(X=X, y=Y + 1j))


def _real_and_imaginary(real, imaginary):
    both = np.zeros(real.shape, dtype=[("real", "f8"), ("imag", "f8")])
    both["real"], both["imag"] = real, imaginary
    return both


class TestGreys:
    @pytest.mark.parametrize("dtype", [np.uint16, np.int32])
    @pytest.mark.parametrize("factor", [1, 256])
    def test_deep_pictures_that_hold_bytes(self, dtype, factor):
        kind = "PNG" if dtype is np.uint16 else "TIFF"
        pixels = [BYTES.astype(dtype) * factor, BYTES[::-1].astype(dtype) * factor]
        files = {f"{k}.{kind.lower()}": encoded(Image.fromarray(p), kind)
                 for k, p in enumerate(pixels)}  # fmt: skip
        data = load(pictures(files))
        np.testing.assert_array_equal(data.X, [BYTES.ravel(), BYTES[::-1].ravel()])
        np.testing.assert_array_equal(data.images, [BYTES, BYTES[::-1]])

    def test_twelve_bits_keep_all_of_them(self):
        deep = rng.integers(0, 4096, (4, 5), dtype=np.uint16)
        deep[0, :2] = 0, 4095
        data = load(pictures({"1.png": deep, "2.png": deep}))
        np.testing.assert_array_equal(data.X[0] * 256, deep.ravel())
        assert data.images.min() == 0 and data.images.max() == 255

    def test_deep_numbers_that_are_no_greys(self):
        for number, top in ((-1000, 300), (70_000, 300), (-1000, 200)):
            wrong = np.full((4, 5), number, np.int32)
            wrong[0, 0] = top
            file = pictures({"1.tif": encoded(Image.fromarray(wrong), "TIFF")})
            refused("beyond 0 to 65,535", file)

    @pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
    def test_black_on_transparent(self, mode):
        black = Image.new("L", (5, 4))
        if mode == "P":
            picture = Image.fromarray((BYTES < 128).astype(np.uint8)).convert("P")
            picture.putpalette([0, 0, 0, 0, 0, 0])
            file, grey = encoded(picture, "PNG", transparency=0), np.where(BYTES < 128, 0, 255)
        else:
            picture = black.convert(mode)
            picture.putalpha(Image.fromarray(255 - BYTES))
            file, grey = encoded(picture, "PNG"), BYTES
        data = load(pictures({"1.png": file, "2.png": file}))
        np.testing.assert_allclose(data.X[0], grey.ravel(), atol=1)
        assert "transparent parts as white" in data.note

    def test_white_on_transparent(self):
        picture = Image.new("RGBA", (5, 4), "white")
        picture.putalpha(Image.fromarray(BYTES))
        refused("all blank on white ground", pictures({"1.png": encoded(picture, "PNG")}))

    def test_an_alpha_that_hides_nothing(self):
        picture = Image.fromarray(BYTES).convert("RGBA")
        data = load(pictures({"1.png": encoded(picture, "PNG")}))
        np.testing.assert_array_equal(data.images, [BYTES])
        assert "transparent" not in data.note

    def test_deep_colours_that_hold_bytes(self):
        refused("16 bits whose upper 8 bits", pictures({"1.png": _colour_png(BYTES)}))
        data = load(pictures({"1.png": _colour_png(BYTES.astype(np.uint16) * 256)}))
        np.testing.assert_array_equal(data.images, [BYTES])

    @pytest.mark.parametrize("plain", [True, False])
    def test_deep_colours_of_netpbm(self, plain):
        def file(values, most):
            colours = np.repeat(values, 3).astype(">u2")
            body = " ".join(map(str, colours)).encode() if plain else colours.tobytes()
            return pictures({"1.ppm": b"P%d 5 4 %d\n" % (3 if plain else 6, most) + body})

        for dark in (BYTES, BYTES.astype(int) * 16):
            refused("16 bits whose upper 8 bits", file(dark, 65535))
        data = load(file(BYTES.astype(int) * 257, 65535))
        np.testing.assert_array_equal(data.images, [BYTES])

    @pytest.mark.parametrize("kind", ["GIF", "TIFF", "PNG"])
    def test_several_pictures_in_a_file(self, kind):
        first, second = Image.fromarray(BYTES), Image.fromarray(255 - BYTES)
        file = encoded(first, kind, save_all=True, append_images=[second])
        refused("holds 2 pictures", pictures({f"1.{kind.lower()}": file}))

    def test_a_camera_held_on_its_side(self):
        smooth = np.linspace(0, 255, 64 * 48).reshape(64, 48).astype(np.uint8)
        exif = Image.Exif()
        exif[274] = 6  # to be turned clockwise
        file = encoded(Image.fromarray(smooth), "JPEG", exif=exif, quality=100)
        data = load(pictures({"1.jpg": file}))
        np.testing.assert_allclose(data.images[0], np.rot90(smooth, -1), atol=3)

    @SAVE
    @pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
    def test_one_odd_value_leaves_the_pictures(self, save, odd):
        stack = rng.integers(0, 256, (4, 5, 6)).astype(float)
        stack[0, 0, :2] = 0, 255
        stack[2, 3, 4] = odd
        data = load(save(images=stack, y=Y))
        whole = np.isfinite(stack)
        np.testing.assert_array_equal(data.images[whole], stack[whole])
        assert data.images[2, 3, 4] == (255 if odd == np.inf else 0)

    def test_the_largest_numbers(self):
        stack = np.zeros((4, 2, 2))
        stack[0, 0] = -1.7e308, 1.7e308
        assert load(npz(images=stack)).images[0].tolist() == [[0, 255], [128, 128]]


def _colour_png(values):
    """A PNG with 16 bits for each of three colours, which Pillow does not write."""
    import struct
    import zlib

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    h, w = values.shape
    rows = np.repeat(values.astype(">u2")[:, :, None], 3, axis=2).reshape(h, -1)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", w, h, 16, 2, 0, 0, 0)
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    return start + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


class TestFolders:
    def test_backslashes(self):
        file = pictures({"set\\cat\\1.png": GREY, "set\\dog\\1.png": GREY + 1})
        data = load(file)
        assert data.class_names == ("cat", "dog") and data.labels.tolist() == [0, 1]

    def test_names_in_utf8_that_do_not_say_so(self):
        file = pictures({"Zoë/1.png": GREY, "b/1.png": GREY})
        with zipfile.ZipFile(file) as archive:
            flags = [info.flag_bits for info in archive.infolist()]
        assert flags[0] & 0x800
        whole = file.getvalue()
        for mark, place in ((b"PK\3\4", 7), (b"PK\1\2", 9)):  # the upper byte of the flags
            for found in list(re.finditer(re.escape(mark), whole)):
                at = found.start() + place
                whole = whole[:at] + b"\0" + whole[at + 1 :]
        assert load(io.BytesIO(whole), name="a.zip").class_names == ("Zoë", "b")

    def test_classes_around_folders_of_one_name(self):
        members = {
            f"set/{name}/images/{k}.png": GREY + k for name in ("cat", "dog") for k in (0, 1)
        }
        assert load(pictures(members)).class_names == ("cat", "dog")
        assert [v.name for v in inspect(pictures(members))] == ["cat", "dog"]
        assert load(pictures({f"set/images/{k}.png": GREY + k for k in (0, 1)})).labels is None

    def test_what_is_left_out_or_merged_is_said(self):
        members = {f"{part}/{name}/1.png": GREY for part in ("train", "test") for name in "ab"}
        note = load(pictures(members | {"a/1.webp": b"x", "notes.txt": b"x"})).note
        assert "without 2 other files" in note and "folders of one name taken as one" in note
        assert "other file" not in load(pictures({"a/1.png": GREY, "b/1.png": GREY})).note


class TestLabels:
    @SAVE
    @pytest.mark.parametrize("low", [0, -1])
    @pytest.mark.parametrize("turned", [False, True])
    def test_one_hot(self, save, low, turned):
        hot = np.full((6, 3), low)
        hot[np.arange(6), [2, 0, 0, 2, 2, 0]] = 1
        names = np.array(["p", "q", "r"])
        values = rng.random((6, 4))
        data = load(save(X=values, y=hot.T if turned else hot, class_names=names))
        np.testing.assert_array_equal(data.X, values)
        assert data.labels.tolist() == [1, 0, 0, 1, 1, 0] and data.class_names == ("p", "r")
        assert load(save(X=values, hot=hot), y="hot").class_names == ("0", "2")
        assert load(save(Z=rng.random((6, 2)), y=hot)).n_features == 2

    @SAVE
    def test_several_ones_are_not_one_hot(self, save):
        several = np.ones((4, 2))
        several[0, 0] = 0
        data = load(save(X=X, y=several))
        assert data.labels is None and "y has shape (4, 2), not one label a sample" in data.note
        refused("y is 'y', which has shape", save(X=X, y=several), y="y")

    def test_arrays_without_names(self):
        for arrays in ((X, Y), (Y, X)):
            data = load(as_file(lambda f, a=arrays: np.savez(f, *a), "a.npz"))
            np.testing.assert_array_equal(data.X, X)
            assert data.class_names == ("3", "8")
        two = load(as_file(lambda f: np.savez(f, X, Y, Y), "a.npz"))
        assert two.labels is None and "arr_1 has one entry a sample" in two.note
        assert load(as_file(lambda f: np.savez(f, X, Y / 2), "a.npz")).labels is None

    @SAVE
    @pytest.mark.parametrize(
        ("x", "y", "rest"),
        [
            ("X_train", "y_train", "X_test"),
            ("Xtrain", "ytrain", "Xtest"),
            ("train_x", "train_labels", "test_x"),
            ("trainX", "trainY", "testX"),
            ("X_tr", "Y_tr", "X_te"),
            ("Xtr", "Ytr", "Xte"),
        ],
    )
    def test_parts(self, save, x, y, rest):
        test_labels = y.replace("tr", "te").replace("teain", "test")
        file = save(**{rest: np.zeros((8, 3)), test_labels: np.arange(8), x: X, y: Y})
        data = load(file)
        np.testing.assert_array_equal(data.X, X)
        assert data.class_names == ("3", "8")
        assert f"{rest} left out" in data.note

    def test_a_word_that_ends_like_a_part(self):
        assert load(npz(X=X, strain=Y)).labels is None

    @SAVE
    def test_texts_are_names_already(self, save):
        data = load(save(X=X, y=np.array(["dog", "cat", "cat", "dog"]), names=["dog", "cat"]))
        assert data.class_names == ("cat", "dog") and data.labels.tolist() == [1, 0, 0, 1]

    @pytest.mark.parametrize(
        ("labels", "names"),
        [([0, 2, 2, 0], ("p", "r")), ([2, 3, 3, 2], ("q", "r")), ([1, 2, 1, 2], ("1", "2"))],
    )
    def test_classes_without_samples(self, labels, names):
        file = npz(X=X, y=np.array(labels), class_names=np.array(["p", "q", "r"]))
        assert load(file).class_names == names

    def test_blanks_and_gaps(self):
        data = load(npz(X=X, y=np.array(["a", "a ", " b", "b"])))
        assert data.class_names == ("a", "b") and data.labels.tolist() == [0, 0, 1, 1]
        refused("labels that are empty", npz(X=X, y=np.array(["a", "", "b", "b"])))
        refused("missing or infinite", npz(X=X, y=np.array([1, np.nan, 2, 2])))

    def test_bytes_of_another_alphabet_stay_apart(self):
        data = load(npz(X=X, y=np.array([b"M\xfcller", b"M\xf6ller", b"a", b"a"])))
        assert data.class_names == ("Möller", "Müller", "a")

    def test_numbers_too_large_to_count(self):
        assert load(npz(X=X, y=Y * 1e300)).class_names == ("3e+300", "8e+300")
        file = npz(X=X, y=Y * 1e300, class_names=np.array(["p", "q", "r"]))
        assert load(file).class_names == ("3e+300", "8e+300")

    def test_names_of_features_are_no_classes(self):
        values, labels = rng.random((6, 2)), np.array([1, 1, 2, 2, 1, 2])
        assert load(npz(X=values, y=labels, columns=np.array(["p", "q"]))).class_names == ("1", "2")

    def test_names_with_a_folder(self):
        assert load(npz(**{"set/X": X, "set/y": Y})).class_names == ("3", "8")

    def test_what_could_be_labels_is_said(self):
        assert "y is neither numbers nor text" in load(mat(X=X, y={"values": Y})).note
        assert "y holds fractions" in load(npz(X=X, y=Y / 2)).note
        assert "subject_id has one entry a sample" in load(npz(X=X, subject_id=Y)).note
        assert "(" not in load(npz(X=X)).note


class TestShapes:
    @pytest.mark.parametrize("axis", [1, 3])
    def test_pictures_with_one_channel(self, axis):
        stack = rng.integers(0, 256, (4, 5, 6), dtype=np.uint8)
        data = load(npz(X=np.expand_dims(stack, axis), y=Y))
        np.testing.assert_array_equal(data.images, stack)

    @SAVE
    def test_colours(self, save):
        file = save(X=np.zeros((4, 5, 6, 3)), other=np.ones((9, 9)))
        refused(r"X in 'a....' has shape \(4, 5, 6, 3\)", file)

    def test_sparse_truth_values(self):
        np.testing.assert_array_equal(load(mat(X=sp.csc_array(X > 0.5))).X, X > 0.5)

    @pytest.mark.parametrize(
        ("file", "says"),
        [
            (lambda: mat(X=np.array([X, X, None], dtype=object)[:2], W=X), "X is a cell array"),
            (lambda: npz(X=X.astype(object), W=X), "X is neither numbers nor text"),
            (lambda: hdf5(lambda root: (root.create_group("X"), root.update(W=X))), "X is neither"),
        ],
    )
    def test_nothing_else_is_read_in_place_of_X(self, file, says):
        refused(says, file())
        np.testing.assert_allclose(np.sort(load(file(), x="W").X.ravel()), np.sort(X.ravel()))

    def test_two_of_one_name(self):
        file = npz(X=X)
        with pytest.warns(UserWarning), zipfile.ZipFile(file, "a") as archive:
            archive.writestr("X.npy", as_file(lambda f: np.save(f, X + 1), "X.npy").getvalue())
        refused("two variables of one name", file)

    def test_reasons(self):
        refused("X.toarray", as_file(lambda f: sp.save_npz(f, sp.csr_array(X)), "a.npz"))
        refused("data is neither numbers nor text", mat(data={"X": X, "y": Y}))
        refused(r"X has shape \(4,\)", npz(X=Y))
        refused("X is text", npz(X=X.astype(str)))

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("a.npy", lambda: npz(X=X).getvalue(), "is a zip archive by its content, not .npy"),
            ("a.csv", lambda: pictures({"xl/a.xml": b"x"}).getvalue(), "call it .npz or .zip"),
            ("a.npz", lambda: as_file(lambda f: np.save(f, X), "a").getvalue(), "call it .npy"),
            ("a.zip", lambda: mat(X=X).getvalue(), "is a MATLAB file by its content"),
            ("a.mat", lambda: b"\x1f\x8b\x08" + bytes(50), "packed with gzip"),
            ("a.npz", lambda: pictures({"word/document.xml": b"x"}).getvalue(), "a Word document"),
            ("a.csv", lambda: b"%PDF-1.7", "is a PDF by its content"),
            ("a.tsv", lambda: b" <HTML>", "is a web page by its content"),
            ("a.csv", lambda: b"\x80\x04\x95" + bytes(9), "that could run a program"),
        ],
    )
    def test_another_kind_than_its_name_says(self, name, content, says):
        refused(says, io.BytesIO(content()), name=name)
        looks = (inspect, columns) if name.endswith(("csv", "tsv")) else (inspect,)
        for look in looks:  # the Data screen asks for the columns of a table first
            with pytest.raises(ValueError, match=says):
                look(io.BytesIO(content()), name=name)

    def test_what_a_file_of_an_unknown_ending_is(self, tmp_path):
        for content, says in (
            (b"\x89PNG", "; it is a PNG picture: put"),
            (b"a,b", r"a table, call it \.csv\.$"),
        ):
            (tmp_path / "a.dat").write_bytes(content)
            refused(says, tmp_path / "a.dat")
            refused(says, io.BytesIO(content), name="a.dat")

    @pytest.mark.parametrize(
        ("content", "name", "says"),
        [
            (npz(X=X).getvalue()[30:], "a.npz", "points outside of itself"),
            (as_file(lambda f: np.save(f, X), "a").getvalue()[:-9], "a.npy", "ends too early"),
        ],
        ids=["npz", "npy"],
    )
    def test_a_part_of_a_file(self, content, name, says, tmp_path):
        (tmp_path / name).write_bytes(content)
        refused(says, tmp_path / name)

    def test_an_empty_variable_of_version_73(self):
        def fill(root):
            root["X"] = X[:2].T
            empty = root.create_dataset("y", data=np.array([0, 0], dtype=np.uint64))
            empty.attrs["MATLAB_empty"] = np.uint8(1)

        assert load(hdf5(fill)).labels is None
