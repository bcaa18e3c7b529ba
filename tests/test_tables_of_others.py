"""Tables and arrays as other programs write them: read as they are meant, or with a word on it."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from sdsc_core.datasets import load
from tests.test_tables import read

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(60, 12)).round(3)).assign(label=["a", "b", "c"] * 20)
WHOLE = "".join(f"{(k * 31 % 97) + 400};{k % 4}\n" for k in range(25))
THOUSANDS = "is read as a sign between thousands"


def arrays(*unnamed, **named):
    file = io.BytesIO()
    np.savez(file, *unnamed, **named)
    return load(io.BytesIO(file.getvalue()), name="a.npz")


@pytest.mark.parametrize(
    ("table", "first", "said"),
    [
        ('n\ta\n"1,234"\t2.5\n"12,345"\t3.25\n"987"\t4.5\n', [1234, 2.5], f"1,234 {THOUSANDS}"),
        ("n\ta\n1,234\tx\n12,345\ty\n987\tx\n", [1234], f"1,234 {THOUSANDS}"),
        ("n\ta\n1,234\tx\n2,345\ty\n", [1.234], "1,234 is read as a decimal comma"),
        ('n,a\n"1.234",2\n"12.345",3\n"987",4\n', [1.234, 2], "1.234 is read as a decimal point"),
        ("a;b\n1.234;10,5\n2.345;2,5\n", [1234, 10.5], f"1.234 {THOUSANDS}"),
        ("a;b;code\n1.250;2.5;1,2\n3.125;4.7;x\n5.5;1.1;y\n", [1.25, 2.5], "Left out: code"),
        (f"a;b\n{WHOLE}1.234;3\n", [400, 0], "1.234 is read as a decimal point"),
    ],
)
def test_signs_that_may_mean_two_things(table, first, said):
    data = read(table, id_column=False) if "code" in table else read(table)
    assert data.X[0].tolist() == first and said in data.note


@pytest.mark.parametrize("high", [2, 17, 256])
@pytest.mark.parametrize("width", [10, 64])
def test_whole_numbers_that_pandas_wrote(high, width):
    frame = pd.DataFrame(RNG.integers(0, high, (30, width)))
    np.testing.assert_array_equal(read(frame.to_csv(index=False)).X, frame)


@pytest.mark.parametrize("columns", [[1, 3, 4], [9, 3, 4, 0, 7, 1]])
@pytest.mark.parametrize("more", [[], ["label"]])
@pytest.mark.parametrize("index", [True, False])
def test_some_columns_of_a_frame(columns, more, index):
    if not index and not more:
        return  # numbers above numbers: nothing tells them from a sample
    data = read(FRAME[columns + more].to_csv(index=index))
    np.testing.assert_array_equal(data.X, FRAME[columns])
    assert data.class_names == (("a", "b", "c") if more else ())
    assert (data.identifiers is not None) == index


def test_an_index_of_two_levels():
    frame = FRAME[[0, 1, "label"]].copy()
    frame.index = pd.MultiIndex.from_product([range(20), range(3)])
    data = read(frame.to_csv())
    np.testing.assert_array_equal(data.X, frame[[0, 1]])
    assert "Left out: column 2" in data.note


def test_years_and_wavelengths_are_names():
    table = "country,2000,2005\nPeru,3.5,4\nChad,1,2\nCuba,3,4\n"
    assert read(table).feature_names == ("2000", "2005")
    assert read(table.replace("2000,2005", "2000,1990")).n_points == 4, "years rise"
    steps = ",".join(str(400 + 10 * k) for k in range(12))
    spectra = FRAME[list(range(12))].to_csv(index=False, header=False)
    assert read(f"{steps}\n{spectra}").n_points == 60
    ramps = "".join(",".join(str(k * (r + 1)) for k in range(12)) + "\n" for r in range(5))
    assert read(ramps).n_points == 5, "data that rises in every row"


@pytest.mark.parametrize("gap", ["", "NA"])
@pytest.mark.parametrize("name", ["{}", "P{}"])
def test_an_identifier_may_have_a_gap(name, gap):
    rows = "".join(
        f"{gap if k == 7 else name.format(k)},{np.sin(k)},{k * k % 7}\n" for k in range(12)
    )
    data = read("patient,a,b\n" + rows)
    assert data.feature_names == ("a", "b") and len(data.identifiers) == 12
    assert read("dose,a,b\n" + rows.replace("P", "")).feature_names == ("dose", "a", "b")


def test_none_is_a_class_among_texts_and_a_gap_among_numbers():
    rows = "".join(f"{k + 0.5},{['None', 'flu'][k % 2]},{'mf'[k // 2 % 2]}\n" for k in range(8))
    data = read("a,diagnosis,sex\n" + rows)
    assert data.class_names == ("None", "flu") and "few values, 2 of them" in data.note
    data = read("a,b,c\n1,None,x\n2,3.5,y\n3,1.5,x\n")
    assert np.isnan(data.X[0, 1]) and "missing values: “none” (1 ×)" in data.note


@pytest.mark.parametrize(
    "name",
    ["Outcome", "Class Label", "diagnosis", "ground_truth", "Type", "Klasse", "classe", "Diagnose",
     "catégorie", "grupo"],
)  # fmt: skip
def test_numbers_that_are_called_classes(name):
    """Between features, where nothing but the name says so."""
    rows = "".join(f"{k * 1.5},{k % 3},{k * k % 11}\n" for k in range(12))
    data = read(f"a,{name},b\n{rows}")
    assert data.feature_names == ("a", "b") and data.n_classes == 3
    assert f"“{name}” is taken for the label: its name says so" in data.note
    many = "".join(f"{k * 1.5},{k * 7 % 13},{k * k % 11}\n" for k in range(12))
    assert read(f"a,{name},b\n{many}").feature_names == ("a", name, "b"), "too many values"


def test_sodium_is_a_name():
    data = read("RI,Na,Mg\n1.5,13.2,3\n1.6,13.4,4\n")
    assert data.feature_names == ("RI", "Na", "Mg") and "read as names" not in data.note


def test_spaces_before_quotes():
    data = read('a, b, label\n1.5, 2, "x, y"\n2.5, 3, z\n')
    assert data.class_names == ("x, y", "z") and data.X.tolist() == [[1.5, 2], [2.5, 3]]


def test_letters_of_true_and_rows_without_values():
    assert read("a,label\n1.5,True\n2.5,true\n3.5,FALSE\n").class_names == ("False", "True")
    assert read("a,label\n1.5,TRUE\n2.5,TRUE\n3.5,FALSE\n").class_names == ("FALSE", "TRUE")
    data = read("a,b\n1.5,2\nNA,NA\n3.5,3\n\n")
    assert data.rows.tolist() == [2, 4] and "Left out: 1 row without any value" in data.note
    assert "Left out" not in read("a,b\n1.5,2\n3.5,3\n\n\n").note


class TestArrays:
    X, y = RNG.random((30, 2)), np.arange(30) % 3

    @pytest.mark.parametrize("name", ["y_train", "train_labels", "ytr", "y_test"])
    @pytest.mark.parametrize("letters", [False, True])
    def test_labels_of_a_part_beside_all_samples(self, name, letters):
        data = arrays(X=self.X, **{name: np.array(list("abc"))[self.y] if letters else self.y})
        assert data.labels.tolist() == self.y.tolist()

    def test_labels_of_another_part(self):
        data = arrays(X_train=self.X, y_test=self.y)
        assert data.labels is None and "y_test belongs to other samples" in data.note
        both = arrays(X=np.ones((30, 4)), y_train=self.y, y_test=self.y[:4])
        assert both.X.shape == (30, 4) and both.n_classes == 3

    @pytest.mark.parametrize("name", ["onehot", "arr_1", "labels_onehot", "y_one_hot"])
    def test_one_hot_rows_are_no_samples(self, name):
        hot = np.eye(3)[self.y]
        data = arrays(self.X, hot) if name == "arr_1" else arrays(points=self.X, **{name: hot})
        np.testing.assert_array_equal(data.X, self.X)
        assert data.labels.tolist() == self.y.tolist()

    def test_one_text_is_not_a_label_for_each(self):
        assert "y is one text" in arrays(X=self.X, y=np.array("abc" * 10)).note


def test_that_deep_pictures_were_scaled_is_said(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for name, values in (("a/1", np.uint16(900)), ("b/2", np.uint8(90))):
            file = io.BytesIO()
            Image.fromarray(np.arange(64).reshape(8, 8).astype(values.dtype) + values).save(
                file, "PNG"
            )
            archive.writestr(f"{name}.png", file.getvalue())
    assert "values of 16 bits divided by 256" in load(tmp_path / "p.zip").note


@pytest.mark.parametrize(
    "rows",
    [
        "0.1,0.2,0.3\n1.5,0.2,2.0\n0.9,1.9,0.3\n",
        "1e-9,3e-9,4e-9\n5e-9,2e-9,1e-9\n3e-9,1e-9,2e-9\n",
        "3,6,9\n17,2,4\n5,11,3\n",
    ],
)
def test_one_row_in_equal_steps_takes_no_names(rows):
    data = read("0,1,2\n" + rows)
    assert data.feature_names == ("0", "1", "2") and len(data.X) == 3
    assert len(read("1,2,3\n2,4,6\n3,6,9\n").X) == 3  # most rows do: a table of numbers


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("Country,1960,1970,1980", "Aruba,,,\nAngola,1.5,2.5,3.5\n"),
        ("Country,1960,1970,1980", "Aruba,..,..,2000\nAngola,1.5,2.5,3.5\n"),
        ("Country,1960,1970,1980", "Europe,,,\nAsia,,NA,\n" * 10 + "Angola,1.5,2.5,3.5\n"),
        (",".join(map(str, range(900, 1000, 10))), "," * 9 + "\n" + "5,3,8,1,2,9,4,7,6,0\n" * 2),
        ("well,0,1,2,4,8,24", "A1,.05,.07,.11,.25,.6,1.2\nA2,.04,.06,.09,.2,.55,1.1\n"),
    ],
)
def test_rows_without_numbers_and_rising_values_take_no_names(names, rows):
    data = read(f"{names}\n{rows}", label_column=False)
    assert data.feature_names == tuple(name for name in names.split(",") if name.isdigit())


UNEVEN = (120.4, 188.65, 318.1, 351.8, 392.2, 534.4, 559.0, 601.7, 755.5, 802.2, 803.1, 990.0)


@pytest.mark.parametrize(
    ("names", "index", "words"),
    [
        (np.linspace(4000, 400, 12).round(1), False, False),
        (np.linspace(400, 4000, 12).round(1), False, False),
        (UNEVEN[::-1], False, True),
        (UNEVEN, True, False),
        (UNEVEN[:5], True, False),
    ],
)
def test_wavenumbers_that_fall_or_stand_beside_names_of_rows(names, index, words):
    frame = pd.DataFrame(FRAME.to_numpy()[:, : len(names)].astype(float), columns=list(names))
    frame = frame.assign(kind=FRAME["label"]) if words else frame
    frame.index = [f"S{k}" for k in range(60)]
    data = read(frame.to_csv(index=index))
    assert data.n_points == 60 and data.feature_names == tuple(str(name) for name in names)


def test_numbers_that_fall_in_a_sample_are_no_names():
    rows = FRAME.to_csv(index=False, header=False)
    falling = ",".join(str(9 - k**1.1) for k in range(12))
    assert read(f"{falling},a\n{falling},b\n{rows}").n_points == 62
    short = "5.1,3.5,1.4,0.2,0.1,a\n4.9,3.1,1.5,0.1,0.3,b\n4.7,3.2,1.3,0.2,0.1,a\n"
    assert read(short).n_points == 3
    rows = "".join(",".join(str(k * r) for k in range(12, 0, -1)) + "\n" for r in range(1, 6))
    assert read(rows).n_points == 5


@pytest.mark.parametrize("names", ["1,2,kind", "0,1,kind", "kind,1,2"])
def test_two_numbers_beside_a_word_above_classes_are_names(names):
    at = names.split(",").index("kind")
    rows = [[f"{k * 0.37 % 1:.3f}", f"{k * 0.61 % 1:.3f}"] for k in range(10)]
    cells = [[*row[:at], "ab"[k % 2], *row[at:]] for k, row in enumerate(rows)]
    data = read("\n".join([names, *map(",".join, cells)]) + "\n")
    assert data.n_points == 10 and data.class_names == ("a", "b")
    other = read("\n".join(["1,2,c", *(",".join([*row, "a"]) for row in rows[:3])]) + "\n")
    assert other.n_points == 4, "three rows show no classes"


def test_a_first_row_that_may_be_names_is_told_of():
    rows = "A1,.05,.07,.11,.25,.6\nA2,.04,.06,.09,.2,.55\n"
    said = "The first row is read as a sample"
    assert said in read(f"dose,0.1,0.3,1,3,10\n{rows}").note
    assert said not in read(f"dose,0.1,0.3,1,3,10\n{rows}", header=True).note
    assert said not in read(f"dose,0.3,0.1,1,3,10\n{rows}").note
    spectra = FRAME[list(range(12))].to_csv(index=False, header=False)
    uneven = ",".join(map(str, UNEVEN))
    assert said in read(f"{uneven}\n{spectra}").note
    assert said not in read(f"{uneven}\n{uneven}\n{uneven}\n").note, "they do so in every row"


@pytest.mark.parametrize("name", ["ticket_no", "case"])
def test_an_identifier_has_most_of_its_cells(name):
    data = read(f"name,{name},a\nAnn,417,.2\nBob,,.4\nCyd,,.9\nDan,523,.5\n")
    assert data.identifiers.tolist() == ["Ann", "Bob", "Cyd", "Dan"]
    assert f"Left out: {name} (its name says so, and it differs wherever it is given)" in data.note
    alone = read(f"{name},a\n417,.2\n,.4\n,.9\n523,.5\n")
    assert alone.identifiers is None and alone.X.shape == (4, 1)
    assert read(f"{name},a\n417,.2\n31,.4\n,.9\n523,.5\n").identifiers[2] == ""


def test_names_of_arrays_that_say_one_hot_come_after_the_plain_ones():
    y = np.array(["cat", "dog", "dog", "cat", "dog"])
    hot, X = np.eye(2)[[0, 1, 1, 0, 1]], RNG.normal(size=(5, 4))
    for named in ({"X": X, "y_onehot": hot, "y": y}, {"X_onehot": hot, "X": X, "y": y}):
        data = arrays(**named)
        assert data.X.shape == (5, 4) and data.class_names == ("cat", "dog")


def test_labels_of_a_part_do_not_turn_a_whole():
    parts = {"y_train": np.arange(80) % 2, "y_test": np.arange(20) % 2}
    data = arrays(X=RNG.normal(size=(100, 20)), **parts)
    assert data.X.shape == (100, 20) and data.labels is None
    assert arrays(X=RNG.normal(size=(80, 20)), **parts).n_classes == 2


def test_a_late_number_settles_what_a_comma_means():
    rows = "1,137\t3\n2\t5\n2,411\t9\n" * 10
    assert read(f"a\tb\n{rows}0,567\t4\n").X[0].tolist() == [1.137, 3]
    assert read(f"a\tb\n{rows}567\t4\n").X[0].tolist() == [1137, 3]
    codes = "".join(f"D{k};{k % 7};{k % 5}\n" for k in range(20))
    late = read(f"code;a;b\nA4;1;2\n1,5;3;4\nB2;5;6\n{codes}C1;2,5;3,5\n")
    assert late.X[-1].tolist() == [2.5, 3.5]


@pytest.mark.parametrize("names", [",Unnamed: 0", "Unnamed: 0.1,Unnamed: 0"])
def test_a_table_that_pandas_saved_twice(names):
    data = read(f"{names},a,b\n0,0,.2,.7\n2,2,.4,.1\n5,5,.9,.3\n7,7,.5,.8\n")
    assert data.feature_names == ("a", "b") and data.identifiers.tolist() == ["0", "2", "5", "7"]


def test_sodium_is_a_class_and_not_missing():
    assert read("element,a\nNa,1\nK,2.5\nNa,4\nK,7\n").class_names == ("K", "Na")
    with pytest.raises(ValueError, match="no class in row 2"):
        read("label,a\nNA,1\nK,2.5\nNA,4\nK,7\n")


def test_missing_numbers_in_any_letters():
    data = read("a,b\n1.5 ,2.5 \nNA ,3.5 \n0.5 ,NAN\n2.5,na\n3,Null\n4,1\n")
    assert np.isnan(data.X).sum(axis=0).tolist() == [1, 3]
    assert "Read as missing values: “na” (2 ×), “nan” (1 ×), “null” (1 ×)" in data.note


def test_names_with_a_line_in_them_are_no_numbers():
    assert read("1_1,1_2\n0.5,1.5\n2.5,0.1\n").feature_names == ("1_1", "1_2")


def test_a_long_text_in_the_first_row():
    lines = "one more\n" * 30
    rows = "".join(f'{k},"{lines}{k}",0.{k}\n' for k in range(1, 5))
    data = read(f"id,text,a\n{rows}")
    assert data.X.ravel().tolist() == [0.1, 0.2, 0.3, 0.4]


def test_a_guessed_label_with_gaps_is_left_out():
    data = read("a,smoker\n1.5,True\n2,False\n4,\n7,True\n5,False\n")
    assert data.labels is None and "Left out: smoker (text with gaps)" in data.note


@pytest.mark.parametrize("line", ["sep=;\r\n", '"sep=;"\n'])
def test_the_line_of_excel_on_the_sign_between_cells(line):
    data = read(f"{line}a;b\n1,5;2,5\n2,5;1,5\n")
    assert data.X.tolist() == [[1.5, 2.5], [2.5, 1.5]] and data.rows.tolist() == [3, 4]
    assert read(f"{line}1,5;2,5\n2,5;1,5\n").rows.tolist() == [2, 3]


def test_no_features_says_which_column_is_the_label():
    with pytest.raises(ValueError, match="“s” is the label, by its name"):
        read("t,s\n0,3\n1,5\n2,1\n3,5\n4,2\n")


@pytest.mark.parametrize("units", ["cm,kg", "(cm),-", "cm,"])
def test_units_below_the_names_are_what_is_refused(units):
    """A sentence about the names in row 1 would send people to the wrong place."""
    unit = units.split(",")[0]
    with pytest.raises(ValueError, match=f"has '{re.escape(unit)}' in row 2 of column 'length'"):
        read(f"length,mass\n{units}\n2.5,3.5\n2.7,3.1\n2.9,3.2\n")


def test_units_beside_a_label_that_has_none():
    with pytest.raises(ValueError, match="has 'cm' in row 2 of column 'length'"):
        read("length,mass,kind\ncm,kg,\n2.5,3.5,a\n2.7,3.1,b\n2.9,3.2,a\n")


def test_two_rows_of_words_above_numbers_in_other_columns_are_samples():
    data = read("a,x,1\nb,y,2\nc,x,3.5\nd,y,4\n")
    assert data.n_points == 4 and data.X[:, -1].tolist() == [1, 2, 3.5, 4]
