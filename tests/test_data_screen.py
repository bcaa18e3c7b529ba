"""The Data screen without a browser: sources, choices, preview, preparation, and bad input."""

import io
import json
import os
import re

import numpy as np
import pytest
import sklearn.datasets

from pages.explore import downloads
from pages.shared import settings
from sdsc_core import datasets
from sdsc_core.datasets import KNOWN, prepare
from tests.conftest import ROOT

FILES = {
    "subspaces.csv": (200, 12, 5),
    "noisy_subspaces.npy": (200, 30, 0),
    "digits.npz": (400, 64, 5),
    "motion.mat": (180, 60, 3),
    "overlapping_subspaces_v73.mat": (160, 15, 4),
    "shaded_faces.zip": (64, 2016, 4),
}


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


@pytest.fixture
def screen(app, monkeypatch):
    """The Data screen of a new session, on a server without an open folder."""
    monkeypatch.delenv("SDSC_DATA", raising=False)
    return to_data(app)


def to_data(app):
    app.switch_page("pages/data/page.py")
    return run(app)


def upload(app, name, content=None):
    content = (ROOT / "sample_data" / name).read_bytes() if content is None else content
    app.file_uploader[0].upload(name, content)
    return run(app)


def choose(app, label, value):
    widgets = (*app.selectbox, *app.number_input, *app.multiselect, *app.toggle)
    next(w for w in (*widgets, *app.segmented_control) if w.label == label).set_value(value)
    return run(app)


def role_boxes(app):
    """The boxes of the columns of a table by their names."""
    boxes = [w for w in app.selectbox if list(w.options) == list(datasets.ROLES)]
    return {w.label.split("**")[1].replace("\\", ""): w for w in boxes}


def give(app, column, role):
    role_boxes(app)[column].set_value(role)
    return run(app)


def press(app, label):
    next(b for b in app.button if b.label == label).click()
    return run(app)


def size(app):
    """Points, dimensions and classes of the preview."""
    shown = {m.label: m.value.replace(",", "") for m in app.metric}
    return tuple(int(shown[k].replace("–", "0")) for k in ("Points", "Dimensions", "Classes"))


def prepared(app):
    return app.table[0].value["prepared"].to_dict()


def errors(app):
    return [e.value.replace("\\", "") for e in app.error]


def labels_of(app):
    return [w.label for w in (*app.selectbox, *app.segmented_control)]


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def csv(rows):
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


class TestPreview:
    def test_a_stranger_sees_a_sample_and_the_five_sources(self, screen):
        assert [t.label for t in screen.tabs][:5] == [
            "Samples",
            "Upload a file",
            "Folder of the server",
            "Known sets",
            "Make subspaces",
        ]
        assert size(screen) == (384, 2016, 6)
        assert [h.value for h in screen.subheader] == ["1 · Choose", "2 · Look", "3 · Prepare"]

    def test_every_chart_has_names_and_an_alternative_text(self, screen):
        charts = screen.get("plotly_chart")
        assert len(charts) == 5
        for chart in charts:
            layout = json.loads(chart.proto.spec)["layout"]
            assert chart.proto.alt.endswith(".")
            for part in (layout, layout["xaxis"], layout["yaxis"]):
                assert part["title"]["text"]

    def test_samples(self, screen):
        for name, sample in datasets.SAMPLES.items():
            press(screen, sample.title)
            assert screen.session_state.data == name
            data = datasets.sample(name)
            assert size(screen) == (data.n_points, data.n_features, data.n_classes)

    def test_first_rows(self, screen):
        upload(screen, "subspaces.csv")
        data = datasets.load(ROOT / "sample_data" / "subspaces.csv")
        table = next(f.value for f in screen.dataframe)
        np.testing.assert_array_equal(table.drop(columns=["row", "class"]), data.X[:10])
        assert table["row"].tolist() == list(range(2, 12))
        assert set(table["class"]) == {"subspace 1"}

    def test_units_that_differ_are_told_at_once_and_a_click_mends_it(self, screen):
        X = np.random.default_rng(0).standard_normal((30, 3)) * [1, 1, 5000]
        upload(screen, "units.csv", csv([["age", "dose", "cells"], *X.tolist()]))
        assert "“cells” varies by" in screen.warning[0].value
        press(screen, "Standardise")
        assert screen.session_state.standardise and not screen.warning

    def test_samples_without_variance_are_named(self, screen):
        X = np.random.default_rng(0).standard_normal((12, 4))
        X[[2, 5]] = 7
        upload(screen, "flat.npz", npz(X=X))
        assert any("2 samples have the same value" in w.value for w in screen.warning)


class TestUploads:
    def test_each_format(self, screen):
        for name, shape in FILES.items():
            upload(screen, name)
            assert size(screen) == shape
            assert screen.session_state.data == name
            assert not screen.error and not screen.warning
        assert list(screen.session_state.loaded) == list(FILES)

    def test_it_stays_between_screens_and_is_read_once(self, screen, monkeypatch):
        calls = []

        def load(*args, **options):
            calls.append(options)
            return original(*args, **options)

        original = datasets.apart.load
        monkeypatch.setattr(datasets.apart, "load", load)
        upload(screen, "motion.mat")
        choose(screen, "Unit norm", True)
        screen.switch_page("pages/explore/page.py")
        assert r"motion\.mat**: 180 points in 60 dimensions" in run(screen).markdown[0].value
        to_data(screen)
        assert size(screen) == FILES["motion.mat"]
        assert screen.session_state.unit is True
        assert "Samples are" in labels_of(screen)
        assert len(calls) == 1

    def test_the_choice_of_variables_and_orientation(self, screen):
        rng = np.random.default_rng(0)
        arrays = {"A": rng.random((30, 6)), "B": rng.random((4, 20)), "u": np.arange(20) % 3}
        upload(screen, "several.npz", npz(**arrays))
        assert size(screen) == (30, 6, 0)
        choose(screen, "Samples X", "B")
        assert size(screen) == (4, 20, 0)
        choose(screen, "Labels", "u")
        assert size(screen) == (20, 4, 3)
        choose(screen, "Labels", "none")
        choose(screen, "Samples are", "in columns")
        assert size(screen) == (20, 4, 0)
        assert list(screen.session_state.loaded) == ["several.npz"]

    def test_the_script_reads_it_the_same_way(self, screen, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(0)
        arrays = {"A": rng.random((30, 6)), "B": rng.random((4, 20)), "u": np.arange(20) % 3}
        arrays["B"][1, 5] = np.nan
        content = npz(**arrays)
        (tmp_path / "several.npz").write_bytes(content)
        upload(screen, "several.npz", content)
        choose(screen, "Samples X", "B")
        choose(screen, "Labels", "u")
        choose(screen, "Missing values", "mean")
        names = {"datasets": datasets}
        exec(downloads.load_lines("several.npz", screen.session_state.read_as), names)
        taken = screen.session_state.loaded["several.npz"]
        assert names["data"].digest == taken.digest and taken.X.shape == (20, 4)

    def test_the_choice_of_a_header_and_a_column(self, screen):
        upload(screen, "t.csv", csv([[1, 2, 3, 0], [4, 5, 7, 1], [7, 8, 8, 0], [2, 1, 0, 1]]))
        assert size(screen) == (4, 4, 0)
        give(screen, "column 4", "label")
        assert size(screen) == (4, 3, 2)
        choose(screen, "The first row holds", "names")
        assert size(screen) == (3, 4, 0)
        choose(screen, "The first row holds", "data")
        choose(screen, "Samples are", "in columns")
        assert size(screen) == (4, 4, 0)

    def test_every_column_has_a_role_that_a_click_changes(self, screen, tmp_path, monkeypatch):
        rng = np.random.default_rng(0)
        rows = [["patient", "age", "pulse", "iron", "diagnosis"]]
        rows += [[f"P{k:04}", *rng.random(3).round(3), f"d{k % 2}"] for k in range(1, 13)]
        upload(screen, "patients.csv", csv(rows))
        found = {name: box.value for name, box in role_boxes(screen).items()}
        assert found == {"patient": "identifier", "age": "feature", "pulse": "feature",
                         "iron": "feature", "diagnosis": "label"}  # fmt: skip
        assert size(screen) == (12, 3, 2)
        assert "patient” is taken for the identifier" in screen.session_state.loaded[
            "patients.csv"].note  # fmt: skip
        give(screen, "iron", "left out")
        assert size(screen) == (12, 2, 2)
        give(screen, "diagnosis", "identifier")
        assert role_boxes(screen)["patient"].value == "left out"
        assert size(screen) == (12, 2, 0)
        give(screen, "pulse", "label")
        give(screen, "iron", "feature")
        data = screen.session_state.loaded["patients.csv"]
        assert data.feature_names == ("age", "iron") and data.identifiers[0] == "d1"
        screen.switch_page("pages/explore/page.py")
        run(screen)
        to_data(screen)
        assert role_boxes(screen)["pulse"].value == "label"
        # The script gives the same roles.
        monkeypatch.chdir(tmp_path)
        (tmp_path / "patients.csv").write_bytes(csv(rows))
        lines = downloads.load_lines("patients.csv", screen.session_state.read_as)
        assert "label_column='pulse', id_column='diagnosis'" in lines
        names = {"datasets": datasets}
        exec(lines, names)
        assert names["data"].digest == data.digest

    def test_a_text_as_a_feature_is_refused_with_a_way_out(self, screen):
        upload(screen, "t.csv", csv([["a", "b", "c"], [1, 2, "x"], [3, 5, "x"], [4, 4, "y"]]))
        give(screen, "c", "feature")
        assert "'x' in row 2 of column 'c'" in errors(screen)[0]
        assert "choose another role for the column" in errors(screen)[0]
        give(screen, "c", "left out")
        assert not screen.error and size(screen) == (3, 2, 0)

    def test_many_columns_come_in_pages(self, screen):
        rng = np.random.default_rng(0)
        rows = [[*(f"g{k}" for k in range(400)), "kind"]]
        rows += [[*rng.random(400).round(3), f"d{k % 2}"] for k in range(6)]
        upload(screen, "wide.csv", csv(rows))
        assert len(role_boxes(screen)) == 12 and next(iter(role_boxes(screen))) == "kind"
        screen.text_input[0].set_value("g399")
        run(screen)
        assert list(role_boxes(screen)) == ["g399"]
        give(screen, "g399", "left out")
        assert size(screen) == (6, 399, 2)

    def test_choices_come_back_with_the_screen(self, screen):
        upload(screen, "motion.mat")
        choose(screen, "Labels", "none")
        assert size(screen) == (60, 180, 0)
        screen.switch_page("pages/explore/page.py")
        run(screen)
        to_data(screen)
        assert size(screen) == (60, 180, 0)

    def test_other_names_for_the_same_numbers_are_other_data(self, screen):
        arrays = {"X": np.random.default_rng(0).random((20, 4)), "y": np.arange(20) % 2}
        for names in (("cat", "dog"), ("dog", "cat")):
            upload(screen, "pets.npz", npz(**arrays, names=np.array(names)))
            assert screen.session_state.prepared[1].class_names == names

    def test_another_file_of_the_same_name_replaces_nothing(self, screen):
        upload(screen, "a.npz", npz(X=np.eye(4)))
        upload(screen, "a.npz", npz(X=np.eye(5)))
        upload(screen, "a.npz", npz(X=np.eye(4)))
        assert list(screen.session_state.loaded) == ["a.npz", "a (2).npz"]
        assert screen.session_state.data == "a.npz"

    def test_other_data_can_be_chosen_while_a_file_is_there(self, screen):
        upload(screen, "motion.mat")
        choose(screen, "Data set", "faces")
        assert size(screen) == (384, 2016, 6)
        assert "Samples are" not in labels_of(screen)
        assert screen.session_state.data == "faces"

    def test_the_address_forgets_what_stood_in_for_labels(self, screen):
        upload(screen, "noisy_subspaces.npy")
        screen.switch_page("pages/explore/page.py")
        run(screen)
        run(screen)
        assert screen.session_state.clusters == "gap"
        assert screen.query_params == {"data": "noisy_subspaces.npy", "gamma": "6"}
        choose(screen, "Data set", "digits")
        assert screen.session_state.last.n_clusters_from == "known"
        assert screen.query_params == {"data": "digits", "gamma": "6"}

    def test_huge_values_are_refused(self, screen):
        upload(screen, "huge.csv", csv(np.random.default_rng(0).random((20, 4)) * 1e308))
        assert "too large to compute with" in errors(screen)[0]
        assert size(screen) == (384, 2016, 6)

    def test_remove_and_undo(self, screen):
        upload(screen, "digits.npz")
        choose(screen, "Samples of each class", 20)
        press(screen, "Remove “digits\\.npz”")
        assert screen.session_state.data == "faces"
        assert "digits.npz" not in screen.session_state.loaded
        press(screen, "Undo")
        assert screen.session_state.data == "digits.npz"
        assert prepared(screen)["Points"] == "100"

    def test_names_are_shown_as_they_are(self, screen):
        upload(screen, "a*b_$x$_[c].npz", npz(X=np.eye(4)))
        assert "**a\\*b\\_\\$x\\$\\_\\[c\\]\\.npz**" in "".join(m.value for m in screen.markdown)


class TestMissing:
    ROWS = ((1.0, 2.0, 3.0), ("", 5.0, 7.0), (4.0, 4.0, 1.0), (1.0, "", ""), (0.0, 2.0, 5.0))

    @pytest.mark.parametrize(
        ("how", "n", "mean"), [("mean", 5, 1.5), ("drop", 3, None)], ids=["mean", "drop"]
    )
    def test_is_asked_for_before_the_data_is_taken(self, screen, how, n, mean):
        upload(screen, "gaps.csv", csv(self.ROWS))
        assert "3 values are missing or infinite, in 2 of 5 samples" in screen.warning[0].value
        assert "“Shaded faces” stays in use until then" in screen.warning[0].value
        assert screen.session_state.data == "faces"
        waits = "is not in use yet, see *How it is read* above: these open “Shaded faces”."
        assert any(waits in c.value for c in screen.caption)
        choose(screen, "Missing values", how)
        assert not any("stays in use" in w.value for w in screen.warning)
        assert not any("is not in use yet" in c.value for c in screen.caption)
        assert size(screen) == (n, 3, 0)
        data = screen.session_state.loaded["gaps.csv"]
        assert np.isfinite(data.X).all()
        assert mean is None or data.X[1, 0] == mean
        assert "3 missing values were" in data.note


BAD_FILES = [
    ("broken.mat", b"no", "'broken.mat' could not be read as a MATLAB file"),
    ("notes.txt", b"hello", "'notes.txt' has none of the endings"),
    ("one.csv", b"a,label\n1,x\n2,y\n", "It has 1 feature for each of its 2 samples"),
    ("point.csv", b"1,2,3\n", "It has 1 sample, but clustering needs at least 2"),
    ("words.csv", b"a,b\n1,2\n3,cat\n", "'cat' in row 3 of column 'b'"),
    ("empty.csv", b"", "'empty.csv' is empty"),
    ("list.npz", npz(y=np.arange(5)), "holds no table of numbers"),
    ("none.zip", b"PK", "'none.zip' could not be read as a zip archive"),
]


class TestBadInput:
    def test_one_sentence_and_nothing_is_lost(self, screen):
        upload(screen, "digits.npz")
        choose(screen, "Samples of each class", 20)
        choose(screen, "PCA dimensions", 10)
        for name, content, says in BAD_FILES:
            upload(screen, name, content)
            assert len(screen.error) == 1
            assert says in errors(screen)[0]
            assert errors(screen)[0].endswith("“digits.npz” stays as it was.")
            assert screen.session_state.data == "digits.npz"
            assert prepared(screen)["Points"] == "100"
            assert prepared(screen)["Dimensions"] == "10"
        press(screen, "Set this file aside")
        assert not screen.error

    def test_a_choice_that_does_not_fit_leaves_the_data(self, screen):
        upload(screen, "motion.mat")
        choose(screen, "Samples are", "in rows")
        assert "does not go with 180 labels" in errors(screen)[0]
        assert size(screen) == FILES["motion.mat"]
        choose(screen, "Samples are", "automatic")
        assert not screen.error

    @pytest.mark.parametrize(
        "address",
        [{"classes": "3.77", "each": "1", "pca": "9999", "unit": "1"}, {"pca": "1"}],
        ids=["out of range", "one dimension"],
    )
    def test_an_address_may_hold_anything(self, app, address):
        for name, value in address.items():
            app.query_params[name] = value
        to_data(app)
        assert app.error or app.warning

    def test_an_impossible_preparation_says_why(self, screen):
        press(screen, "Five digits")
        choose(screen, "PCA dimensions", 40)
        choose(screen, "Samples of each class", 2)
        assert "pca is 40; give a whole number from 2 to 10" in errors(screen)[0]
        choose(screen, "PCA dimensions", 10)
        assert not screen.error


class TestPrepare:
    def test_the_effect_is_that_of_the_library(self, screen):
        press(screen, "Five digits")
        choose(screen, "Classes", [1, 3])
        choose(screen, "Samples of each class", 30)
        choose(screen, "Seed of the draw", 7)
        choose(screen, "PCA dimensions", 12)
        choose(screen, "Centre", True)
        choose(screen, "Unit norm", True)
        raw = datasets.sample("digits")
        wanted = prepare(
            raw, classes=[1, 3], per_class=30, pca=12, unit_norm=True, centre=True, random_state=7
        )
        np.testing.assert_array_equal(screen.session_state.prepared[1].X, wanted.X)
        shown = prepared(screen)
        assert (shown["Points"], shown["Dimensions"], shown["Classes"]) == ("60", "12", "2")
        assert (shown["Points of a class"], shown["Norms"]) == ("30", "1")
        chosen = prepare(raw, classes=[1, 3], per_class=30, random_state=7)
        kept = datasets.pca_variance(chosen.X, 12)[-1]
        assert shown["Variance kept by PCA"] == f"{100 * kept:.1f} %"
        assert size(screen) == (400, 64, 5)
        press(screen, "Undo all preparation")
        assert prepared(screen)["Points"] == "400"

    def test_other_data_starts_afresh(self, screen):
        press(screen, "Five digits")
        choose(screen, "Classes", [1, 3])
        press(screen, "Ten digits")
        assert screen.session_state.classes == []

    def test_many_points_say_what_they_cost_and_offer_fewer(self, screen):
        X = np.random.default_rng(0).standard_normal((25_000, 3))
        upload(screen, "many.npz", npz(X=X, y=np.arange(25_000) % 5))
        assert any("25,000 points are many" in w.value for w in screen.warning)
        press(screen, "Draw 200 of each class")
        assert prepared(screen)["Points"] == "1,000"
        assert not screen.warning


class TestAddress:
    def test_an_awaited_file_gets_the_settings_of_the_address(self, app):
        app.query_params.update({"data": "digits.npz", "each": "30", "classes": "1.2"})
        to_data(app)
        assert any("speaks of “digits\\.npz”" in i.value for i in app.info)
        assert not app.metric
        upload(app, "digits.npz")
        assert prepared(app)["Points"] == "60"

    def test_an_awaited_file_that_asks_something_is_not_said_to_be_missing(self, app):
        app.query_params["data"] = "gaps.csv"
        to_data(app)
        upload(app, "gaps.csv", csv(TestMissing.ROWS))
        assert "choose what to do" in app.warning[0].value
        assert "stays" not in app.warning[0].value, "there is no other data"
        said = [i.value for i in app.info]
        assert any("gaps\\.csv is not in use yet" in text for text in said)
        assert not any("Load it above" in text for text in said)
        app.switch_page("pages/explore/page.py")
        run(app)
        assert "“gaps\\.csv” is not in use yet" in app.warning[0].value
        assert "must be loaded again" not in app.warning[0].value

    @pytest.mark.parametrize(
        ("name", "source"),
        [("faces", "Samples"), ("mine.csv", "Upload a file"), ("yaleb", "Known sets")],
    )
    def test_the_screen_begins_with_the_source_of_its_data(self, app, monkeypatch, name, source):
        monkeypatch.delenv("SDSC_DATA", raising=False)
        app.query_params["data"] = name
        to_data(app)
        assert app.session_state.first_source == source
        app.switch_page("pages/explore/page.py")
        run(app)
        if source != "Samples":
            assert "how a table's columns are read is chosen anew" in app.warning[0].value

    def test_an_exercise_gives_no_class_away(self, app, monkeypatch):
        monkeypatch.setattr(settings, "in_exercise", lambda: False)  # else the screen is left out
        app.query_params.update({"data": "unequal", "hide": "1"})
        to_data(app)
        assert size(app) == (375, 20, 0)
        everything = " ".join(str(element.proto) for element in app.main)
        assert "Hidden in this exercise" in everything
        assert not re.search("subspace [1-4]|200 points", everything)

    def test_an_exercise_keeps_its_data(self, app, monkeypatch):
        monkeypatch.setattr(settings, "in_exercise", lambda: False)
        app.query_params.update({"data": "digits", "lock": "data.each"})
        to_data(app)
        assert not app.file_uploader
        assert next(w for w in app.number_input if w.key == "each").disabled
        assert not next(w for w in app.number_input if w.key == "pca").disabled

    def test_a_known_set_comes_by_itself_where_the_server_has_it(self, app, known_folder):
        app.query_params.update({"data": "usps", "each": "3"})
        run(app)
        assert "**USPS**: 30 points in 256 dimensions" in app.markdown[0].value


@pytest.fixture
def known_folder(tmp_path, monkeypatch):
    """An open folder with a small file in place of USPS, and something outside of it."""
    folder = tmp_path / "open"
    folder.mkdir()
    X = np.random.default_rng(0).uniform(-1, 1, (60, 256)).astype(np.float32)
    np.savez(folder / "usps.npz", X=X, y=np.arange(60) % 10, image_shape=(16, 16))
    (folder / "below").mkdir()
    (folder / "below" / "t.csv").write_bytes(csv([[1, 2, 4], [3, 4, 1], [5, 6, 2]]))
    (tmp_path / "secret.csv").write_text("1,2\n3,4\n")
    os.symlink(tmp_path / "secret.csv", folder / "link.csv")
    monkeypatch.setenv("SDSC_DATA", str(folder))
    return folder


class TestFolder:
    def test_none_is_open_by_default(self, screen):
        assert any("No folder is open" in i.value for i in screen.info)
        assert "File" not in labels_of(screen)

    def test_a_file_by_its_name(self, app, known_folder):
        to_data(app)
        files = next(s for s in app.selectbox if s.label == "File")
        assert list(files.options) == ["usps.npz", "below/t.csv"]
        choose(app, "File", "below/t.csv")
        next(b for b in app.button if b.key == "load file").click()
        assert size(run(app)) == (3, 3, 0)
        assert app.session_state.data == "t.csv"
        press(app, "Remove “t\\.csv”")
        next(b for b in app.button if b.key == "load file").click()
        assert size(run(app)) == (3, 3, 0)

    def test_a_folder_that_is_gone(self, app, tmp_path, monkeypatch):
        monkeypatch.setenv("SDSC_DATA", str(tmp_path / "gone"))
        assert any("not there any more" in i.value for i in to_data(app).info)


class TestKnown:
    def load(self, app, name):
        app.radio[0].set_value(name)
        run(app)
        next(b for b in app.button if b.key == "load known").click()
        return run(app)

    def test_from_the_folder(self, app, known_folder):
        self.load(to_data(app), "usps")
        assert size(app) == (60, 256, 10)
        assert app.session_state.loaded["usps"].X.min() >= 0
        assert "USPS" in next(s for s in app.selectbox if s.label == "Data set").options

    def test_out_of_reach(self, screen, monkeypatch):
        def fetch(**options):
            raise OSError("no route")

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        self.load(screen, "mnist")
        assert (
            "MNIST could not be fetched from OpenML (OSError); get t10k-images" in errors(screen)[0]
        )
        assert size(screen) == (384, 2016, 6)

    def test_neither_here_nor_there(self, screen):
        assert "CroppedYale" in screen.radio[0].proto.captions[0]
        assert next(b for b in screen.button if b.key == "load known").disabled
        assert KNOWN["yaleb"].openml is None
