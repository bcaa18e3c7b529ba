"""Tables as people have them: what each column is for, and where each point was in its file."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

from sdsc_core import SDSC, cli, clustering_accuracy, datasets
from sdsc_core.datasets import Dataset, columns, fill_missing, load, prepare


def file(content, name="t.csv"):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    stream.name = name
    return stream


def read(content, **options):
    return load(file(content), **options)


def roles(content, **options):
    return {c.name: c.role for c in columns(file(content), **options)}


def refused(words, content, **options):
    with pytest.raises(ValueError, match=words) as error:
        read(content, **options)
    return str(error.value)


@pytest.fixture(scope="module")
def made():
    return datasets.make_subspaces(3, 3, 8, points_each=20, random_state=3)


def numbers(data, **more):
    names = ("age", "weight", "pulse", "iron", "sugar", "salt", "fat", "water")
    return pd.DataFrame(dict(zip(names, data.X.T, strict=True)) | more)


def patients(data):
    """A text identifier, numbers, and a diagnosis in words, in an order of no meaning."""
    frame = numbers(data)
    frame.insert(0, "patient", [f"P{k:04}" for k in range(1, len(frame) + 1)])
    frame["diagnosis"] = np.array(["flu", "healthy", "None"])[data.labels]
    return frame.sample(frac=1, random_state=0)


class TestRoles:
    @pytest.mark.parametrize(
        ("names", "label"),
        [(("sex", "site", "diagnosis"), "diagnosis"), (("sex", "site"), None),
         (("species", "diagnosis"), None)],
    )  # fmt: skip
    def test_of_several_texts_the_one_named_as_classes_are(self, made, names, label):
        frame = numbers(made)
        for k, name in enumerate(names):
            frame[name] = np.array(["a", "b", "c"])[(made.labels + k) % 3]
        data = read(frame.to_csv(index=False))
        said = f"“{label}” is taken for the label" if label else "is taken for the label"
        assert (said in data.note) == bool(label) and bool(data.n_classes) == bool(label)
        others = [name for name in names if name != label]
        assert all(name in data.note.partition("Left out: ")[2] for name in others)

    def test_patients(self, made):
        frame = patients(made)
        data = read(frame.to_csv(index=False))
        assert data.feature_names == tuple(frame.columns[1:-1])
        np.testing.assert_array_equal(data.X, frame.iloc[:, 1:-1])
        assert data.identifiers.tolist() == frame["patient"].tolist()
        assert [data.class_names[k] for k in data.labels] == frame["diagnosis"].tolist()
        assert data.rows.tolist() == list(range(2, 62))
        assert "patient” is taken for the identifier: it is text that differs" in data.note
        assert "diagnosis” is taken for the label: it is the only text with few" in data.note
        clusters = SDSC(3).fit_predict(data.X)
        assert clustering_accuracy(data.labels, clusters) > 0.95

    def test_numbers_that_count_are_no_feature(self, made):
        plain = numbers(made, target=made.labels)
        counted = plain.assign(nr=range(1001, 1061))[["nr", *plain.columns]]
        for frame in (counted, counted.sample(frac=1, random_state=1)):
            data = read(frame.to_csv(index=False))
            assert data.X.shape == (60, 8)
            assert data.identifiers.tolist() == [str(k) for k in frame["nr"]]
            assert "it counts the rows from 1001 to 1060" in data.note

    @pytest.mark.parametrize(
        ("name", "is_id"),
        [
            ("ID", 1),
            ("patient_id", 1),
            ("SampleID", 1),
            ("case no", 1),
            ("patientid", 1),
            ("USERID", 1),
            ("No.", 1),
            ("mrn", 1),
            ("rownames", 1),
            ("Patientennummer", 1),
            ("KundenNr.", 1),
            ("Patient", 1),
            ("humid", 0),
            ("acid", 0),
            ("recorded", 0),
            ("dose", 0),
        ],
    )
    def test_a_name_says_it(self, name, is_id):
        table = f"{name},a,b\n71,1,2.5\n12,3,4\n90,5,6\n33,7,9\n"
        assert roles(table)[name] == ("identifier" if is_id else "feature")

    def test_whole_numbers_of_whom_may_come_again(self):
        rows = "".join(f"{k // 2 + 70},{k * k % 7},{k}\n" for k in range(8))
        for name in ("subject_id", "subjectid"):
            assert roles(f"{name},a,b\n{rows}")[name] == "identifier"
        assert roles("key,a,b\n" + rows)["key"] == "feature"
        assert "“id” is taken for the identifier" in refused("no column of numbers", "id\n1\n1\n")

    def test_a_label_of_fractions_is_said_to_be_none(self):
        data = read("a,y\n1,1.5\n3,2.5\n5,2\n")
        assert data.labels is None and data.feature_names == ("a", "y")
        assert "“y” is taken for a feature: it holds fractions" in data.note
        assert "taken" not in read("a,y\n1,1.5\n3,2.5\n5,2\n", label_column=False).note

    def test_columns_of_one_name_go_by_number(self):
        table = "a,a,b,label\n1,2,3,p\n4,6,6,q\n7,8,8,q\n"
        words = refused("ignore is 'a'; 't.csv' has 2 columns of that name", table, ignore=["a"])
        assert words.endswith("give the number of one, 0, 1.")
        for number in (1, "1", -3):
            assert read(table, ignore=[number]).X[0].tolist() == [1, 3]
        assert read("1,0\n4,2\n7,9\n2,2\n", header=True, ignore=["0"]).X.shape == (3, 1)

    def test_why_nothing_is_a_feature(self):
        assert "one column: commas, semicolons, tabs" in refused("no column", "1 2\n3 4 1\n5 6\n")
        counting = refused("no column of numbers", "a\n1\n2\n3\n4\n5\n")
        assert "“a” is taken for the identifier: it counts the rows from 1 to 5" in counting

    def test_what_pandas_writes(self, made):
        frame = pd.DataFrame(made.X)
        for index in (True, False):
            data = read(frame.to_csv(index=index))
            np.testing.assert_array_equal(data.X, made.X)
            assert data.feature_names == tuple("01234567")
            assert (data.identifiers is not None) == index
            assert "The first row (0, 1, 2, …) is read as names" in data.note
        labelled = frame.assign(label=made.labels).sample(frac=1, random_state=0)
        for index in (True, False):
            data = read(labelled.to_csv(index=index))
            assert data.X.shape == (60, 8) and data.n_classes == 3
        assert read(labelled.to_csv()).identifiers.tolist() == [str(k) for k in labelled.index]
        # Written twice, the first index has a name by now.
        again = pd.read_csv(io.StringIO(labelled.to_csv()))
        assert read(again.to_csv()).X.shape == (60, 8)

    def test_like_iris(self):
        rows = ["5.1,3.5,1.4,setosa", "7.0,3.2,4.7,versicolor", "6.3,3.3,6.0,virginica"] * 4
        data = read("\n".join(rows))
        assert data.X.shape == (12, 3) and data.class_names == ("setosa", "versicolor", "virginica")
        assert data.feature_names == () and data.rows[0] == 1
        data = read("sepal,petal,width,species\n" + "\n".join(rows))
        assert data.feature_names == ("sepal", "petal", "width") and data.rows[0] == 2

    def test_several_texts_leave_the_label_open(self):
        table = "sex,a,b,town\nm,1,2,X\nf,2,4,Y\nm,3,3,X\nf,4,1,Y\n"
        assert roles(table) == {"sex": "left out", "a": "feature", "b": "feature",
                                "town": "left out"}  # fmt: skip
        data = read(table)
        assert data.labels is None and "Left out: sex (text), town (text)." in data.note
        assert read(table, label_column="town").class_names == ("X", "Y")

    def test_told(self):
        table = "nr,a,b,c,kind\n" + "\n".join(
            f"{k},{k % 3},{k % 4},{k % 5},k{k % 2}" for k in range(9)
        )
        assert list(roles(table).values()) == ["identifier", *["feature"] * 3, "label"]
        data = read(table, ignore=["b", 3], features=["nr"], label_column=False, id_column="kind")
        assert data.feature_names == ("nr", "a") and data.labels is None
        assert data.identifiers.tolist() == [f"k{k % 2}" for k in range(9)]
        assert read(table, id_column=False).feature_names == ("a", "b", "c")
        refused("ignore is 'z'; 't.csv' has the columns nr, a", table, ignore=["z"])
        refused("label_column is 'a', but that column .* left out already", table,
                label_column="a", ignore=["a"])  # fmt: skip
        refused("no column of numbers", table, ignore=["a", "b", "c"])

    def test_a_table_on_its_side(self):
        table = "gene,s1,s2,s3\nTP53,1,2,3\nMYC,4,5,6\nEGFR,7,8,1\nKRAS,0,1,2\n"
        data = read(table, transpose=True)
        assert data.X.shape == (3, 4) and data.identifiers.tolist() == ["s1", "s2", "s3"]
        assert data.feature_names == ("TP53", "MYC", "EGFR", "KRAS")
        assert data.rows.tolist() == [2, 3, 4]

    def test_gaps_and_empty_rows_and_columns(self):
        data = read("\nid,a,b,c,\nu,1,,3,\n\nv,,5,6,\nw,7,8,9,\n,,,,\n")
        assert data.X.shape == (3, 3) and np.isnan(data.X).sum() == 2
        assert data.rows.tolist() == [3, 5, 6] and data.identifiers.tolist() == ["u", "v", "w"]
        assert fill_missing(data, "drop").rows.tolist() == [6]
        refused("'x' in row 6 of column 'a'", "\na,b\n1,2\n\n3,4\nx,5\n6,7\n")
        refused("no class in row 4", "a,b,label\n1,2,p\n3,4,q\n5,6,\n")

    def test_signs_for_missing_numbers(self):
        lines = ["time (s);a;b;result", "0;1,5;2;-", "10;-;?;+", "25;0,5;7;+", "30;-;3;-"]
        data = read("\n".join([*lines, "40;2,5;.;+"]))
        assert np.isnan(data.X).tolist() == [
            [False, False], [True, True], [False, False], [True, False], [False, True]
        ]  # fmt: skip
        assert data.class_names == ("+", "-"), "signs in a column of texts are texts"
        assert data.identifiers.tolist() == ["0", "10", "25", "30", "40"]
        assert "“time (s)” is taken for the identifier: its name says time" in data.note
        assert "Read as missing values: “-” (2 ×), “?” (1 ×), “.” (1 ×)." in data.note
        shown = {c.name: c.examples for c in columns(file("\n".join(lines)))}
        assert shown["a"] == ("1.5", "0.5"), "numbers are shown alike in all columns"

    def test_time_that_does_not_rise_is_measured(self):
        rows = "".join(f"{t},{k % 3}\n" for k, t in enumerate((5, 3, 9, 1, 2, 8)))
        assert roles("time,b\n" + rows) == {"time": "feature", "b": "feature"}
        sorted_rows = "".join(f"{t},{k % 3}\n" for k, t in enumerate((1, 2, 3, 5, 8, 9)))
        assert roles("reaction_time,b\n" + sorted_rows)["reaction_time"] == "feature"
        assert roles("time,b\n" + sorted_rows)["time"] == "identifier"
        assert roles("time,b\n" + sorted_rows, features=["time"])["time"] == "feature"

    def test_a_header_above_numbers_and_signs(self):
        assert read("height\n-\n2\n3\n4\n").feature_names == ("height",)


class TestHeaders:
    @pytest.mark.parametrize("word", ["y", "s", "label", "class"])
    @pytest.mark.parametrize("rest", [("n", "{}"), ("n", "n"), ("n", "m")])
    def test_a_value_that_is_called_like_a_label(self, word, rest):
        table = f"1,2,{word}\n3,4,{rest[0]}\n5,6,{rest[1].format(word)}\n"
        assert read(table, label_column="last").X.tolist() == [[1, 2], [3, 4], [5, 6]]

    def test_the_one_of_the_report(self):
        data = load(b"1,2,y\n3,4,n\n5,6,y\n")
        assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]] and data.class_names == ("n", "y")

    @pytest.mark.parametrize(
        "table",
        [
            "0,1\n1,0\n1,1\n",
            "0,1,2\n1,2,0\n2,0,1\n",
            "1,2,3\n4,5,6\n7,8,9\n",
            "0,1\n3,4\n5,9\n",
            "?,2,3\n1,7,3\n2,1,4\n",
            "NA,2,3\n1,7,3\n2,1,4\n",
        ],
    )
    def test_values(self, table):
        try:
            assert len(read(table).X) == table.count("\n")
        except ValueError as problem:  # the mark for a missing value is named
            assert "'?' in row 1" in str(problem)

    @pytest.mark.parametrize(
        "table",
        [
            "0,1\n0.5,1.5\n2,4\n",
            "0,1,2\n17,3,8\n4,1,9\n",
            ",0,1\n0,5,6\n1,7,9\n",
            ",0,1,label\n0,5,6,u\n1,7,9,v\n",
            "name,2019,2020,2021\nA,17,12,8\nB,4,1,9\n",
            "class,400.5,402.5,404.5,406.5,408.5\nA,1,2,3,4,9\nB,2,2,3,4,7\n",
            "a,b,label\nx,y,z\n1,2,3\n",
            '"Height\n(cm)",Weight\n180,75.5\n170,60\n',
        ],
    )
    def test_names(self, table):
        variables = datasets.inspect(file(table))
        assert variables[-1].name == table.replace("\n(", " (").split("\n")[0].split(",")[-1]

    def test_a_name_with_a_line_break(self):
        data = read('"Height\n(cm)",Weight\n180,75.5\n170,60\n')
        assert data.X.tolist() == [[180, 75.5], [170, 60]]
        assert data.feature_names[0] == "Height\n(cm)"


class TestWriting:
    def test_letters(self):
        table = "ä,b,label\n1,2,Bär\n3,4,Bör\n5,6,Bür\n"
        for encoding in ("latin-1", "cp1252", "utf-8", "utf-8-sig"):
            data = read(table.encode(encoding))
            assert data.class_names == ("Bär", "Bör", "Bür") and data.feature_names == ("ä", "b")
            assert ("Windows-1252" in data.note) == (encoding in ("latin-1", "cp1252"))
        # Beyond the first megabyte as well.
        late = b"1,2,x\n" * 200_000 + "3,4,Bär\n3,4,Bör\n".encode("latin-1")
        assert read(late, label_column="last").n_classes == 3
        refused("neither UTF-8 nor Windows-1252", b"a,label\n1,\x81\n2,\x8d\n")

    def test_as_excel_writes_in_german(self):
        rows = ["P1;1.234;10,5;ja", "P2;999;1.000.000,25;nein", "P3;-12.345;7;ja", "P4;0,5;8;ja"]
        content = "Kürzel;Gehalt;Größe;krank\r\n" + "\r\n".join(rows) + "\r\n"
        data = read(content.encode("cp1252"))
        assert data.X.tolist() == [[1234, 10.5], [999, 1000000.25], [-12345, 7], [0.5, 8]]
        assert data.class_names == ("ja", "nein") and data.identifiers[0] == "P1"
        assert data.feature_names == ("Gehalt", "Größe")
        assert read("1.234;10,5\n2.345;1,5\n").X.tolist() == [[1234, 10.5], [2345, 1.5]]
        refused("'0.123' in row 1 of column 'column 1'", "0.123;10,5\n1.234;2,5\n")
        refused("'12.5' in row 2", "1.234;10,5\n12.5;2,5\n")

    def test_a_decimal_comma_far_down(self):
        rows = "".join(f"{k};{k % 2}\n" for k in range(2, 30))
        assert read(f"{rows}1,250;0\n2,251;1\n").X[-2:, 0].tolist() == [1.25, 2.251]
        assert read(f"{rows}a b,250;0\n", ignore=["column 1"]).X[-1].tolist() == [0]

    @pytest.mark.parametrize("late", ["1,2", "1,000", '"a; 1,2"', '"a\n1,2\nb"'])
    def test_a_comma_in_a_late_name_changes_no_number(self, late):
        rows = "".join(f"{k + 1}.500;{2 * k + 1}.250;a{k % 2}\n" for k in range(40))
        data = read(f"x;y;label\n{rows}3.500;4.500;{late}\n")
        assert data.X[0].tolist() == [1.5, 1.25] and data.n_classes == 3
        whole = "".join(f"{k};{k % 2}\n" for k in range(2, 30))
        assert read(f"{whole}1.5;0\n{late};1\n", ignore=["column 1"]).X[-1].tolist() == [1]

    def test_row_names_and_a_last_column_that_begins_empty(self):
        rows = "".join(f'"r{k}";{k}.5;{k * k};\n' for k in range(30))
        data = read(f'"a";"b";"c"\n{rows}"r99";1;2;3\n')
        assert data.feature_names == ("a", "b", "c") and data.identifiers[0] == "r0"

    def test_rows_that_end_with_a_delimiter(self):
        rows = "".join(f"{k / 2},{k % 2},{k + 0.5},\n" for k in range(9))
        data = read(f"a,b,c\n{rows}")
        assert data.feature_names == ("a", "b", "c") and data.X[1].tolist() == [0.5, 1, 1.5]

    def test_thousands_in_english(self):
        data = read('a,b\n"1,234",2\n"12,345.5",3\n')
        assert data.X.tolist() == [[1234, 2], [12345.5, 3]]
        assert "comma in 1,234 is read as a sign between thousands" in data.note
        data = read("a;b\n1.234;2.345\n5.678;1.000\n")
        assert data.X[0, 0] == 1.234 and "1.234 is read as a decimal point" in data.note

    def test_a_decimal_comma_in_quotes(self):
        data = read('a,b,label\n"1,5","1.234,25",p\n3,"0,125",q\n')
        assert data.X.tolist() == [[1.5, 1234.25], [3, 0.125]]
        assert read('a,b,c\n"48,1",1.5,2\n"48,1",2.5,3\n').X.tolist() == [[1.5, 2], [2.5, 3]]

    def test_german_millions_without_decimals(self):
        assert read("a;b\n1.234.567;10\n345.678;11\n").X.tolist() == [[1234567, 10], [345678, 11]]
        addresses = read("ip;b\n192.168.100.101;1.5\n192.168.100.102;2\n")
        assert addresses.X.tolist() == [[1.5], [2]]

    def test_a_semicolon_in_a_name(self):
        data = read("a,b;c,label\n1,2,p\n3,4,q\n")
        assert data.feature_names == ("a", "b;c") and data.X.tolist() == [[1, 2], [3, 4]]

    def test_empty_lines_below_the_header(self):
        data = read("a,b,label\n\n \n1,2,p\n\n3,4,q\n")
        assert data.X.tolist() == [[1, 2], [3, 4]] and data.rows.tolist() == [4, 6]
        assert data.class_names == ("p", "q")

    def test_labels_as_they_are_written(self):
        assert read("a,b,label\n1,2,01\n3,4,1\n5,6,10\n").class_names == ("01", "1", "10")
        assert read("a,b,label\n1,2,-1\n3,4,1\n5,6,10\n").class_names == ("-1", "1", "10")
        assert read("a,b,label\n1,2,2.0\n3,4,1.0\n5,6,10\n").class_names == ("1", "2", "10")
        assert read("a,b,label\n1,2,None\n3,4,flu\n5,6,1\n").class_names == ("1", "None", "flu")
        data = read("id,a,b\n007,1,2\n7,3,4\n12345678901234567890,5,6\n", id_column="id")
        assert data.identifiers.tolist() == ["007", "7", "12345678901234567890"]


class TestRows:
    def test_through_every_step(self, made):
        frame = patients(made).reset_index(drop=True)
        frame.loc[[4, 17], "age"] = np.nan
        content = frame.to_csv(index=False)
        data = fill_missing(read(content), "drop")
        data = prepare(data, classes=[0, 2], per_class=7, pca=4, unit_norm=True, centre=True)
        assert data.n_points == 14 and data.feature_names == ()
        lines = content.splitlines()
        for row, name, label in zip(data.rows, data.identifiers, data.labels, strict=True):
            cells = lines[row - 1].split(",")
            assert cells[0] == name and cells[-1] == data.class_names[label]

    def test_feature_names_go_with_the_features(self):
        data = Dataset(np.array([[1, np.nan, 3], [5, np.nan, 6]]), None, "two",
                       feature_names=("a", "b", "c"))  # fmt: skip
        assert fill_missing(data).feature_names == ("a", "c")
        assert prepare(data, per_class=1).feature_names == ("a", "b", "c")

    def test_do_not_fit(self):
        for field, value in (("rows", np.arange(2)), ("identifiers", np.array(["a"])),
                             ("feature_names", ("a",))):  # fmt: skip
            with pytest.raises(ValueError, match=field):
                Dataset(np.eye(3), None, "three", **{field: value})

    def test_the_digest_covers_them(self):
        one = Dataset(np.eye(3), None, "three")
        assert one.digest == Dataset(np.eye(3), None, "three", rows=np.arange(1, 4)).digest
        for field in ({"rows": np.arange(3)}, {"identifiers": np.array(list("abc"))},
                      {"feature_names": ("a", "b", "c")}):  # fmt: skip
            assert Dataset(np.eye(3), None, "three", **field).digest != one.digest

    def test_titles_of_points(self):
        data = read("who,a,b\nu,1,2\nv,3,5\n")
        assert data.titles() == ["point 0, row 2, u", "point 1, row 3, v"]


class TestCommandLine:
    def run(self, tmp_path, content, *argv):
        (tmp_path / "patients.csv").write_text(content)
        out = tmp_path / "labels.csv"
        code = cli.main(["cluster", str(tmp_path / "patients.csv"), "--output", str(out), *argv])
        if code:
            return code, []
        with out.open(newline="") as found:
            return code, list(csv.DictReader(found))

    def test_rows_match(self, made, tmp_path, capsys):
        frame = patients(made).reset_index(drop=True)
        frame.loc[[4, 17], "age"] = np.nan
        code, rows = self.run(tmp_path, frame.to_csv(index=False), "--missing", "drop")
        assert code == 0 and len(rows) == 58
        names = ["point", "row", "identifier", "class", "cluster_W", "cluster_W_star"]
        assert list(rows[0]) == names
        for row in rows:
            cells = frame.iloc[int(row["row"]) - 2]
            assert [cells["patient"], cells["diagnosis"]] == [row["identifier"], row["class"]]
        out = capsys.readouterr().out
        assert "58 points, 8 features" in out and "patient” is taken for the identifier" in out

    def test_options(self, made, tmp_path, capsys):
        content = patients(made).to_csv(index=False)
        options = ["--label-column", "none", "--id-column", "diagnosis", "--ignore", "age",
                   "--ignore", "fat", "--clusters", "3"]  # fmt: skip
        code, rows = self.run(tmp_path, content, *options)
        assert code == 0 and "60 points, 6 features" in capsys.readouterr().out
        assert "class" not in rows[0] and rows[0]["identifier"] in ("flu", "healthy", "None")

    def test_the_error_names_the_option(self, tmp_path, capsys):
        content = "a,b,c\n1,2,3\n4,5,oops\n6,7,8\n"
        assert self.run(tmp_path, content)[0] == 2
        said = capsys.readouterr().err
        assert re.search(r"'oops' in row 3 of column 'c'.*--ignore.*'c'\.\n$", said)
        assert (
            self.run(tmp_path, content, "--ignore", "c", "--clusters", "2", "--gamma", "1")[0] == 0
        )
        for option in ("--label-column", "--id-column", "--ignore", "--feature"):
            capsys.readouterr()
            assert self.run(tmp_path, content, option, "z")[0] == 2
            assert f"{option} is 'z'; 'patients.csv' has the columns a" in capsys.readouterr().err

        assert self.run(tmp_path, content, "--y", "c")[0] == 2
        assert "here --label-column has the labels" in capsys.readouterr().err

    def test_a_gap_is_named_by_the_row_of_the_file(self, tmp_path, capsys):
        assert self.run(tmp_path, "a,b,c\n1,2,3\n4,5,6\n6,,8\n", "--only", "3-4")[0] == 2
        assert "in 1 row(s), first in row 4; give --missing" in capsys.readouterr().err

    def test_the_first_row_as_told(self, tmp_path, capsys):
        content = "0,1,2\n1,2,0\n2,0,1\n"
        for header, n in (("auto", 3), ("data", 3), ("names", 2)):
            assert self.run(tmp_path, content, "--header", header, "--clusters", "2", "--gamma",
                            "1")[0] == 0  # fmt: skip
            assert f"{n} points" in capsys.readouterr().out


def test_a_choice_for_another_kind_of_file_is_refused(tmp_path, capsys):
    refused("y is 'a'; it is for .npz and .mat files", "a,b\n1,2\n3,4\n", y="a")
    np.savez(tmp_path / "a.npz", X=np.eye(4), y=[0, 0, 1, 1], z=[0, 1, 0, 1])
    for choice in ({"label_column": "z"}, {"ignore": ["z"]}):
        with pytest.raises(ValueError, match="it is for tables: here y has the labels"):
            load(tmp_path / "a.npz", **choice)
    assert cli.main(["cluster", str(tmp_path / "a.npz"), "--label-column", "z"]) == 2
    assert "it is for tables: here --y has the labels" in capsys.readouterr().err
