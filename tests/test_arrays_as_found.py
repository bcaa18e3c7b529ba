"""Arrays and pictures as archives and colleagues give them: read, or refused with what to do."""

import io
import zipfile

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from sdsc_core import cli
from sdsc_core.datasets import load
from tests.odd_files import hdf5

RNG = np.random.default_rng(0)
X, CODES = RNG.random((40, 48)), np.repeat(np.arange(1, 6), 8)


def mat(**arrays):
    file = io.BytesIO()
    savemat(file, arrays)
    return load(file, name="m.mat")


def pictures(*names, ending="PNG", **others):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            picture = io.BytesIO()
            grey = RNG.integers(0, 255, (8, 6), dtype=np.uint8)
            Image.fromarray(grey).save(picture, "WEBP" if name.endswith("webp") else ending)
            archive.writestr(name, picture.getvalue())
        for name, content in others.items():
            archive.writestr(name.replace("_", "."), content)
    return load(file, name="p.zip")


@pytest.mark.parametrize("dtype", [float, int])
def test_classes_of_another_name_are_told_of(dtype):
    note = mat(fea=X, cids=CODES[:, None].astype(dtype)).note
    assert "no labels (cids has one entry a sample: choose it if it holds the classes)" in note
    assert "weights" not in mat(fea=X, weights=RNG.random(40)).note
    assert "order" not in mat(fea=X, order=RNG.permutation(40).astype(float)).note


def test_classes_of_columns_belong_to_no_other_samples():
    note = mat(NewTrain_DAT=X.T, trainlabels=CODES).note
    assert "trainlabels goes with the columns: choose it if it has the classes" in note


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        ({"data": {"fea": X, "gnd": CODES}}, "of a struct save the fields, by save with '-struct'"),
        ({"X": np.array([X, X, None], dtype=object)[:2]}, r"save one matrix, as vertcat\(X\{:\}\)"),
        ({"Y": np.zeros((6, 8, 4, 5))}, r"shape \(6, 8, 4, 5\): give two dimensions, or three"),
    ],
)
def test_what_matlab_has_beside_matrices(arrays, what):
    with pytest.raises(ValueError, match=what):
        mat(**arrays)


@pytest.mark.parametrize("name", ["X", "S"])
@pytest.mark.parametrize(
    ("mark", "what"),
    [
        ({}, "of a struct save the fields, by save with '-struct'"),
        ({"MATLAB_sparse": np.uint64(40)}, "a sparse matrix of MATLAB 7.3: save it in full, by"),
        ({"MATLAB_object_decode": 3}, "object of MATLAB alone: save numbers, for instance by dou"),
    ],
)
def test_what_matlab_7_3_has_beside_matrices(mark, what, name):
    """Whatever it is called; a cause that is another's would send people to the wrong place."""
    file = hdf5(lambda root: root.create_group(name).attrs.update(mark))
    with pytest.raises(ValueError, match=f"; {name} is .*{what}"):
        load(io.BytesIO(file), name="a.mat")


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (CODES.astype(object), "a cell array of other things than text; save numbers, by cell2mat"),
        ({"a": CODES}, "y in 'm.mat' is neither numbers nor text; save it as either"),
    ],
)
def test_labels_that_are_not_read(labels, what):
    file = io.BytesIO()
    savemat(file, {"X": X, "y": labels})
    with pytest.raises(ValueError, match=what):
        load(io.BytesIO(file.getvalue()), name="m.mat", y="y")


def test_objects_of_python_are_saved_as_what_they_are():
    file = io.BytesIO()
    np.savez(file, X=X, y=CODES.astype(str).astype(object))
    with pytest.raises(ValueError, match=r"y in 'a.npz' holds object; .*, as y.astype\(str\) is"):
        load(io.BytesIO(file.getvalue()), name="a.npz")


def test_a_struct_is_of_matlab_alone():
    file = io.BytesIO()
    np.savez(file, X=np.zeros(3, dtype=[("a", "f8")]))
    with pytest.raises(ValueError, match="neither numbers nor text: save an array of numbers"):
        load(file, name="a.npz")


class TestPictures:
    def test_classes_in_the_names_alone(self):
        for folder in ("", "coil-20/"):
            data = pictures(*(f"{folder}obj{k % 2}__{k}.png" for k in range(4)))
            assert "8×6 pixels, all in one folder, no labels" in data.note

    def test_folders_in_folders(self):
        data = pictures("cat/old/1.png", "dog/new/2.png", "dog/big/3.png")
        assert "each inner folder taken as a class" in data.note and data.n_classes == 3
        assert "inner" not in pictures("set/cat/1.png", "set/dog/2.png").note

    def test_pictures_of_other_kinds_are_named(self):
        data = pictures("a/1.png", "b/2.png", "b/3.webp")
        assert "without 1 other file (.webp)" in data.note
        with pytest.raises(ValueError, match=r"no pictures of the kinds that are read \(.png"):
            pictures("a/1.webp", "b/2.webp")

    @pytest.mark.parametrize("name", ["iris_data", "t_csv", "X_npy"])
    def test_an_archive_of_a_table(self, name):
        with pytest.raises(ValueError, match=f"but {name.replace('_', '.')}; unpack it"):
            pictures(**{name: b"1,2", "Index": b"x"})


@pytest.mark.parametrize("ending", ["data", "txt", "dat"])
def test_a_table_of_another_ending(ending):
    with pytest.raises(ValueError, match=r"if it is a table, call it \.csv"):
        load(io.BytesIO(b"1,2\n3,4\n"), name=f"iris.{ending}")
    with pytest.raises(ValueError, match=r"a NumPy array: call it \.npy"):
        load(io.BytesIO(b"\x93NUMPY"), name=f"iris.{ending}")


def test_a_table_of_weka():
    with pytest.raises(ValueError, match="is a table of Weka by its content"):
        load(io.BytesIO(b"@RELATION iris\n@DATA\n1,2\n"), name="iris.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--header", "data"], "'a' in row 1 of column 'column 1', where a number is needed if the"
         " first row is a sample (else give --header names)"),
        (["--label-column", "3"], "--label-column is '3'; 't.csv' has the columns a, b, c: give a"
         " name, or a number from 0 to 2."),
        (["--header", "data", "--ignore", "0"], "'b' in row 1 of column 'column 2'"),
    ],
)  # fmt: skip
def test_the_command_line_names_the_option(words, said, tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,c\n1.5,2,3\n2.5,3,1\n3,1,2\n4,4,4\n")
    assert cli.main(["cluster", str(tmp_path / "t.csv"), "--clusters", "2", *words]) != 0
    assert said in capsys.readouterr().err
