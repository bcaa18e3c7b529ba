"""Tables as archives, instruments and statistics programs give them, with nothing put right."""

import io

import numpy as np
import pytest

from tests.test_tables import read, refused

RNG = np.random.default_rng(0)
X = RNG.normal(5, 2, (24, 4)).round(3)
KIND = np.array(["cp", "im", "pp"]).repeat(8)
ROWS = "".join(",".join(map(str, x)) + "\n" for x in X)
LABELLED = "".join(f"{','.join(map(str, x))},{kind}\n" for x, kind in zip(X, KIND, strict=True))


def saved(**options):
    file = io.BytesIO()
    np.savetxt(file, X, **options)
    return file.getvalue().decode()


class TestBeginning:
    def test_a_comma_behind_the_names_alone(self):
        data = read(f"a,b,c,d,diagnosis,\n{LABELLED}")
        np.testing.assert_array_equal(data.X, X)
        assert data.feature_names == tuple("abcd") and data.class_names == ("cp", "im", "pp")

    def test_classes_in_front_of_the_rows_are_no_names(self):
        """The table of image segments in the UCI archive: its classes have no name above them."""
        rows = "".join(f"{k},{','.join(map(str, x))}\n" for x, k in zip(X, KIND, strict=True))
        data = read(f"a,b,c,d\n\n{rows}")
        assert data.class_names == ("cp", "im", "pp") and data.identifiers is None
        assert data.feature_names == tuple("abcd") and data.rows[0] == 3
        two = read("a,b\nr1,1,2.5\nr2,2,4\n")
        assert two.identifiers.tolist() == ["r1", "r2"] and two.labels is None

    @pytest.mark.parametrize("header", ["label,a,b,c", "a\nlabel,a,b,c"])
    def test_names_behind_a_sign_of_a_comment(self, header):
        values = np.column_stack([np.arange(24) % 3, X[:, 1:]])
        file = io.BytesIO()
        np.savetxt(file, values, delimiter=",", header=header, fmt="%.6g")
        data = read(file.getvalue())
        assert data.n_classes == 3 and data.feature_names == ("a", "b", "c")
        assert data.rows[0] == header.count("\n") + 2

    @pytest.mark.parametrize(
        ("above", "rows_above"),
        [
            ("# by Ann, 2020\n# two\n", 2),
            ("Weights of 2020\n", 1),
            ("Weights of 2020,,,,\n,,,,\n", 2),
            ("\nWeights of 2020\n\n\n", 4),
            ("% made by a program\n", 1),
            ("one,,,,\n", 1),
        ],
    )
    @pytest.mark.parametrize("comma", [",", ";", "\t"])
    def test_titles_and_comments(self, above, rows_above, comma):
        data = read((above + f"a,b,c,d,kind\n{LABELLED}").replace(",", comma))
        np.testing.assert_array_equal(data.X, X)
        assert data.feature_names == tuple("abcd") and data.n_classes == 3
        assert data.rows[0] == rows_above + 2 and "Left out above the table: “" in data.note

    def test_a_row_of_groups_above_the_names(self):
        data = read("left,,right,,,\na,b,c,d,e,f\n" + "1,2.5,3,4,5,7\n2,2,1,4,0,6\n" * 2)
        assert data.feature_names == tuple("abcdef") and data.rows[0] == 3
        data = read("World Bank,,,\nCountry,1960,1970,1980\nChad,1.5,2,3\nPeru,2.5,2,1\n")
        assert data.feature_names == ("1960", "1970", "1980")

    @pytest.mark.parametrize(
        "rows",
        [
            "Aruba,,,\nAngola,1.5,2.5,3.5\nPeru,2,3,4\n",
            "#ff0000,1,2,7\n#00ff00,3,4,1\nred,5,6,8\nblue,7,8,2\n",
            "A,,,\nB,x,y,1\nC,x,x,2\nD,y,y,3\n",
        ],
    )
    def test_samples_are_no_titles(self, rows):
        data = read(rows, label_column=False)
        assert data.n_points == rows.count("\n")
        assert "Left out above" not in data.note

    def test_names_that_begin_with_a_sign(self):
        assert read("#a,#b\n1.5,2\n2.5,1\n").feature_names == ("#a", "#b")
        assert "#" in read("a,#\n1.5,2\n2.5,1\n").feature_names

    def test_what_is_refused_says_what_to_do(self):
        refused("give row 1 a name for each column, or take away", "a,b\n1,2,3,4\n5,6,7,9\n")
        refused("give each row as many, and quotation marks", "a,b\n1,2\n3,4\n5,6,7\n")
        refused("one column", "| a | b |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n")


class TestSpaces:
    """What NumPy's savetxt and R's write.table write without being told otherwise."""

    @pytest.mark.parametrize("options", [{}, {"fmt": "%9.3f"}, {"fmt": "%.3f  "}])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_numbers(self, options, end):
        data = read(saved(**options).replace("\n", end) + end)
        np.testing.assert_allclose(data.X, X)
        assert data.rows.tolist() == [*range(1, 25)]

    def test_names_behind_a_sign(self):
        data = read(saved(header="by Ann\na b c d"))
        assert data.feature_names == tuple("abcd") and data.rows[0] == 3

    def test_a_name_in_front_and_a_class_behind(self):
        rows = "".join(
            f"G{k}_ECOLI  {'  '.join(map(str, x))}   {KIND[k]}\n" for k, x in enumerate(X)
        )
        data = read(rows)
        np.testing.assert_array_equal(data.X, X)
        assert data.identifiers[1] == "G1_ECOLI" and data.class_names == ("cp", "im", "pp")

    def test_as_r_writes_them(self):
        rows = "".join(
            f'"car {k}" {" ".join(map(str, x))} "{KIND[k]} x"\n' for k, x in enumerate(X)
        )
        data = read(f'"a" "b" "miles per gallon" "d" "Species"\n{rows}')
        np.testing.assert_array_equal(data.X, X)
        assert data.feature_names[2] == "miles per gallon" and data.identifiers[3] == "car 3"
        assert data.class_names == ("cp x", "im x", "pp x") and data.rows[0] == 2

    def test_a_comma_too_many_in_the_first_row_makes_no_name_of_a_number(self):
        """With an unnamed column in front, the numbers of b would go by the name of a."""
        table = "a,b,note\n1.5,2,bad, wrong\n3.5,4,good\n5.5,7,fine\n"
        refused("3 names in its header and 4 cells in the row after", table)
        refused("a text with a comma in it needs quotation marks", table)
        decimals = "a,b,c\n" + "".join(f"{k % 7},{k},5,{k % 3}\n" for k in range(30))
        refused("3 names in its header and 4 cells in the row after", decimals)
        assert read("a,b\n,1,2.5\n,2,4\n,4,1.5\n").X.tolist() == [[1, 2.5], [2, 4], [4, 1.5]]
        ended = read("a,b\nr1,1.5,2\nr2,3.5,4\nr3,5.5,7\n\nend\n")
        assert ended.feature_names == ("a", "b") and ended.identifiers[0] == "r1"

    def test_several_tabs(self):
        lines = ROWS.replace(",", "\t").split("\n")
        lines[7] = lines[7].replace("\t", "\t\t", 1)
        np.testing.assert_array_equal(read("\n".join(lines)).X, X)
        gaps = read("a\tb\tc\n1\t\t3\n4\t\t6\n7\t\t1\n")
        assert gaps.feature_names == ("a", "c"), "an empty column stays one"

    def test_words_in_one_column_are_no_cells(self):
        data = read("city,a\nNew York,1\nSan Jose,2.5\nLos Angeles,4\n")
        assert data.X.ravel().tolist() == [1, 2.5, 4]

    def test_upright_strokes(self):
        data = read(f"a,b,c,d,class\n{LABELLED}".replace(",", "|"))
        np.testing.assert_array_equal(data.X, X)
        assert data.n_classes == 3


class TestDoubts:
    """What the archives give without names: which column is what, nothing says but the numbers."""

    CLASSES = "if they are classes, choose it as the label"
    NAMES = "if they only name the rows, choose it as the identifier"
    codes = np.repeat([1, 2, 3], 8)

    def written(self, *columns, header=""):
        table = np.column_stack(columns)
        return header + "".join(",".join(f"{v:.10g}" for v in row) + "\n" for row in table)

    @pytest.mark.parametrize("first", [True, False])
    @pytest.mark.parametrize("header", ["", "a,b,c,d,e\n"])
    def test_classes_at_an_end_of_the_rows(self, first, header):
        content = self.written(*((self.codes, X) if first else (X, self.codes)), header=header)
        data = read(content)
        name = ("a" if first else "e") if header else f"column {1 if first else 5}"
        assert f"“{name}” is a feature of 3 whole numbers: {self.CLASSES}" in data.note
        place = 0 if first else "last"
        for options in ({"label_column": place}, {"label_column": False}):
            assert self.CLASSES not in read(content, **options).note

    def test_digits_among_whole_numbers(self):
        pixels = np.minimum(RNG.integers(0, 40, (200, 16)), 16)
        data = read(self.written(pixels, np.arange(200) % 10))
        assert f"“column 17” is a feature of 10 whole numbers: {self.CLASSES}" in data.note

    @pytest.mark.parametrize("high", [2, 6, 17, 256, 0])
    def test_tables_without_classes_raise_no_doubt(self, high):
        table = RNG.integers(0, high, (200, 12)) if high else RNG.normal(size=(200, 12))
        for end in (slice(None), slice(1), slice(2)):
            assert "choose it" not in read(self.written(table[:, end])).note

    def test_numbers_of_samples_in_front(self):
        numbers = RNG.permutation(np.arange(24)) * 3571 + 842302
        data = read(self.written(numbers, X))
        assert f"“column 1” is a feature of whole numbers that hardly come again: {self.NAMES}" in (
            data.note
        )
        assert self.NAMES not in read(self.written(numbers, X), id_column=0).note
        named = self.written(numbers, X, header="price,b,c,d,e\n")
        assert self.NAMES not in read(named).note, "a measurement has a name and its own order"
        rising = self.written(np.sort(numbers), X, header="entrez,b,c,d,e\n")
        assert f"“entrez” is a feature of whole numbers that hardly come again: {self.NAMES}" in (
            read(rising).note
        )

    @pytest.mark.parametrize("sign", [-99, -999, -9999])
    def test_a_number_that_may_say_missing(self, sign):
        values = X.copy()
        values[3, 1] = sign
        said = f"{sign} is read as a number in “b” (1 ×): if it says that one is missing"
        assert said in read(self.written(values, header="a,b,c,d\n")).note
        spread = np.linspace(sign, -sign, 24)
        assert "is missing" not in read(self.written(X, spread)).note


@pytest.mark.parametrize("y", ["label", "class"])
def test_a_second_column_of_classes_is_no_feature(y):
    table = "a,label,class\n" + "".join(f"{x},{k % 3},{k % 6}\n" for k, x in enumerate(X[:, 0]))
    data = read(table, **({} if y == "label" else {"label_column": "class"}))
    other = {"label": "class", "class": "label"}[y]
    assert data.feature_names == ("a",)
    assert f"Left out: {other} (its name says classes, as that of “{y}”)" in data.note
    told = read(table, label_column=y, features=[other])
    assert told.feature_names == tuple(sorted(("a", other)))


def test_y_beside_x_is_a_coordinate():
    points = "".join(f"{k * 7 % 11},{k * 3 % 5},{k * k % 13}\n" for k in range(24))
    data = read(f"x,y,z\n{points}")
    assert data.feature_names == ("x", "y", "z") and data.labels is None
    assert "“y” is taken for a feature: it stands beside “x”, as coordinates do" in data.note
    assert read(f"x1,x2,y\n{points}").n_classes == 7
    assert read("x,y\n" + "".join(f"{k}.5,{'ab'[k % 2]}\n" for k in range(8))).n_classes == 2
    assert read(f"x,y,z\n{points}", label_column="y").n_classes == 5


class TestNumbersOfOtherCountries:
    @pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f", "'", "’"])
    @pytest.mark.parametrize("point", [".", ","])
    def test_spaces_and_apostrophes_between_thousands(self, space, point):
        values = np.array([[1234.5, 2.25], [987.25, 4.5], [-12345678.0, 0.5], [1000.0, 7.75]])
        rows = [f"{a:,}".replace(",", space) + f";{b}" for a, b in values]
        table = "a;b\n" + "\n".join(rows).replace(".", point) + "\n"
        data = read(table)
        assert data.X.tolist() == values.tolist() and data.identifiers is None
        sign = "apostrophe" if space in "'’" else "space"
        assert f"The {sign} in 1" in data.note and "between thousands" in data.note

    def test_a_minus_sign_as_it_is_printed(self):
        data = read("a,b\n−1.5,2\n3.25,−4e-3\n−.5,−\n")
        np.testing.assert_array_equal(data.X, [[-1.5, 2], [3.25, -4e-3], [-0.5, np.nan]])
        assert read("−1,5;2,5\n−3,5;4\n").X.tolist() == [[-1.5, 2.5], [-3.5, 4]]

    def test_words_and_codes_stay_as_they_are(self):
        table = "code,a\n12 34,1\n12 345 6,2.5\n030 123,4\n1 234'567,5\n"
        data = read(table)
        assert data.identifiers.tolist() == ["12 34", "12 345 6", "030 123", "1 234'567"]
