"""Data that a name spells out: the library, the command, the address, the Data screen."""

import io
import json
import runpy

import numpy as np
import pytest
from scipy.io import savemat

from pages.address.readers import data_name
from pages.explore import downloads
from pages.keep import session
from pages.shared import loading
from sdsc_core import cli, datasets, experiments
from sdsc_core.datasets import Limits, MadeSubspaces, make_motion, make_subspaces
from sdsc_core.experiments import beside, shipped
from sdsc_core.experiments.figures_of_paper import SIZES, draw_named
from sdsc_core.run import run_stages
from sdsc_core.session import Session, read_session, write_session
from sdsc_core.settings import RunSettings

MADE = "made:3-2-8-20-0.05-4"


class TestMade:
    def test_a_name_is_the_data(self):
        made = MadeSubspaces(3, 2, 8, 20, 0.05, 4)
        assert made.name == MADE and MadeSubspaces.read(MADE) == made
        assert made.title == "3 subspaces of dimension 2 in 8, 60 points, noise 0.05, seed 4"
        data = datasets.load_named(MADE)
        assert data.name == made.title and data.kind == "subspaces"
        assert data.digest == make_subspaces(3, 2, 8, 20, noise=0.05, random_state=4).digest

    @pytest.mark.parametrize(
        "text",
        ["made:", "made:3-2-8-20-0.05", "made:3-2-8-20-0.05-4-1", "made:3-9-8-20-0-0",
         "made:0-2-8-20-0-0", "made:1-2-8-1-0-0", "made:3-2-8-20--1-0", "made:3-2-8-20-1e9-0",
         "made:3-2-8-20-nan-0", "made:3-2-8-20-0-9999999999", "made:3-2-1-20-0-0",
         "made:٣-2-8-20-0-0x", "hopkins:", "hopkins:../etc/passwd", "hopkins:a b"],
    )  # fmt: skip
    def test_a_wrong_name_is_refused_with_a_sentence(self, text):
        assert datasets.spelled(text) and datasets.named(text) is None
        with pytest.raises(ValueError, match=r"\w.*\.$|as in"):
            datasets.read_named(text)
        with pytest.raises(ValueError):
            data_name(text)

    def test_odd_arguments_get_a_sentence(self):
        for odd in (
            lambda: MadeSubspaces(noise="x"),
            lambda: MadeSubspaces(2.5),
            lambda: MadeSubspaces(noise=float("nan")),
            lambda: datasets.read_named(5),
            lambda: datasets.MotionSequence("../x"),
            lambda: datasets.spelled(None),
        ):
            with pytest.raises(ValueError, match="; give "):
                odd()

    def test_one_spelling(self):
        assert data_name("made:03-2-8-20-0.050-04") == MADE
        assert data_name("of mine.csv") == "of mine.csv"

    @pytest.mark.parametrize(
        ("numbers", "words"),
        [
            ((6, 6, 10, 10**6), "60,000,000 values, and at most 30,000,000"),
            ((2000, 1, 2, 1), "2,000 subspaces are as many classes"),
            ((1, 5000, 5000, 2), "would take long to make"),
        ],
    )
    def test_limits_of_a_server(self, numbers, words):
        with pytest.raises(ValueError, match=words):
            MadeSubspaces(*numbers).load(limits=Limits())
        if numbers[0] == 6:
            MadeSubspaces(*numbers).check()  # on one's own machine

    def test_memory_is_asked_for_before_it_is_taken(self, monkeypatch):
        asked = []
        monkeypatch.setattr(
            "sdsc_core.datasets.by_name.made.check_memory", lambda size, *a, **k: asked.append(size)
        )
        MadeSubspaces(2, 2, 5, 100).load()
        assert asked[0] >= 4 * 8 * 200 * 5

    def test_the_command(self, capsys, tmp_path):
        out = tmp_path / "labels.csv"
        assert cli.main(["cluster", MADE, "--output", str(out), "--json"]) == 0
        run = run_stages(datasets.load_named(MADE), RunSettings())
        found = json.loads(capsys.readouterr().out)
        assert str(run.after.summary.acc) in json.dumps(found)
        assert len(out.read_text().splitlines()) == 61
        assert cli.main(["cluster", "made:3-2"]) == 2
        assert "as in made:6-6-10-500-0-0" in capsys.readouterr().err


class TestFigure1:
    @pytest.mark.parametrize("size", [300, 3000])
    @pytest.mark.parametrize("draw", [0, 3])
    def test_the_state_is_the_experiments_draw(self, size, draw, monkeypatch):
        """Bit for bit what `measure` hands to the method."""
        figure, seen = experiments.EXPERIMENTS["figure1"], []
        monkeypatch.setattr(figure, "row", lambda cell, data, *a, **k: seen.append(data))
        options = experiments.Options(seed=draw, draws=1, sizes=[size], methods=["LSR"])
        figure.measure(options, figure.cells(options)[0])
        data = datasets.load_named(beside.state("figure1", size, draw)["data"])
        assert data.digest == seen[0].digest
        own = make_subspaces(6, 6, 10, size // 6, random_state=draw)
        assert np.array_equal(data.X, own.X) and np.array_equal(data.labels, own.labels)

    def test_every_size_and_the_ratio_have_one(self):
        for size in SIZES:
            made = datasets.read_named(beside.state("figure1", size)["data"]).check(Limits())
            assert made.n_points == size
        data = datasets.load_named(beside.state("qratio", "synthetic", 2)["data"])
        assert data.digest == draw_named("synthetic", experiments.Options(), 2).digest
        assert data.digest == make_subspaces(6, 6, 10, 200, random_state=2).digest

    def test_what_opens_has_the_acc_that_ships(self):
        figure = experiments.EXPERIMENTS["figure1"]
        data = datasets.load_named(beside.state("figure1", 600)["data"])
        params = figure.params(experiments.Options(), "IMC")
        run = run_stages(data, RunSettings.of_method("IMC", params, dense="PCE"))
        found = {
            r.stage: r.figures["acc"]
            for r in shipped("figure1").rows
            if (r.where, r.draw, r.method) == (600, 0, "IMC")
        }
        assert run.before.summary.acc == pytest.approx(found["none"], abs=1e-4)
        assert run.after.summary.acc == pytest.approx(found["PCE"], abs=1e-4)


class TestScreens:
    def open(self, app, page="explore", **query):
        app.switch_page(f"pages/{page}/page.py")
        app.query_params.update(query)
        return self.run(app)

    def run(self, app):
        app.run()
        assert not app.exception, app.exception[0].message
        return app

    def text(self, app):
        parts = (*app.markdown, *app.caption, *app.warning, *app.info, *app.error)
        return "\n".join(p.value for p in parts).replace("\\", "")

    def test_an_address_brings_it(self, app):
        self.open(app, data=MADE)
        assert app.session_state["data"] == MADE
        assert "3 subspaces of dimension 2 in 8, 60 points, noise 0.05, seed 4" in self.text(app)
        run = app.session_state["last"]
        assert run.data.digest == datasets.load_named(MADE).digest

    @pytest.mark.parametrize("bad", ["made:3-9-8-20-0-0", "made:<b>", "hopkins:.."])
    def test_a_bad_one_is_the_default_without_a_trace(self, app, bad):
        self.open(app, data=bad)
        assert app.session_state["data"] == "faces" and not app.warning and not app.error

    @pytest.mark.parametrize("page", ["explore", "compare", "data"])
    def test_beyond_the_limits_one_sentence(self, app, page):
        self.open(app, page, data="made:6-6-10-1000000-0-0")
        said = self.text(app)
        assert "60,000,000 values" in said and "give fewer points" in said
        assert "must be loaded again" not in said and "speaks of" not in said

    def test_a_million_points_get_the_command(self, app):
        data = beside.state("figure1", 1_000_002)["data"]
        self.open(app, data=data, gamma="6", dense="none")
        assert f"sdsc cluster {data} " in self.text(app) and "1,000,002 points" in self.text(app)

    def test_an_exercise_does_not_tell_how_many_subspaces(self, app, monkeypatch):
        bars, bar = [], loading.ProgressBar
        monkeypatch.setattr(loading, "ProgressBar", lambda *a: bars.append(a[0]) or bar(*a))
        self.open(app, data="made:6-6-10-90000-0-0", hide="1", gamma="6")
        assert bars == ["Loading the data"]
        said = self.text(app)
        assert "540,000 points, more than" in said and "ask whoever gave" in said
        assert "made:" not in said and "subspaces of" not in said

    def test_made_on_the_data_screen(self, app):
        self.open(app, "data")
        numbers = {n.label: n for n in app.number_input}
        assert numbers["Subspaces"].value == 6
        numbers["Points on each"].set_value(20)
        numbers["Dimension of each"].set_value(30)
        self.run(app)
        assert "The dimension of the subspaces is 30" in self.text(app)
        button = next(b for b in app.button if b.key == "make subspaces")
        assert button.disabled and app.session_state["data"] == "faces"
        next(n for n in app.number_input if n.label == "Dimension of each").set_value(3)
        self.run(app)
        next(b for b in app.button if b.key == "make subspaces").click()
        self.run(app)
        assert app.session_state["data"] == "made:6-3-10-20-0-0"
        assert dict(app.query_params)["data"] == "made:6-3-10-20-0-0"
        assert app.session_state["loaded"]["made:6-3-10-20-0-0"].n_points == 120
        next(n for n in app.number_input if n.label == "Noise").set_value(0.1)
        self.run(app)
        next(b for b in app.button if b.key == "make subspaces").click()
        self.run(app)
        # The other comes back by its name: it is not kept beside this one.
        assert list(app.session_state["loaded"]) == ["made:6-3-10-20-0.1-0"]

    def test_the_numbers_are_those_of_the_address(self, app):
        self.open(app, "data", data=MADE)
        labels = ["Subspaces", "Dimension of each", "Dimension of the space", "Points on each"]
        found = {n.label: n.value for n in app.number_input}
        assert [found[label] for label in labels] == [3, 2, 8, 20]
        assert (found["Noise"], found["Seed of the data"]) == (0.05, 4)

        def subspaces():
            return next(n for n in app.number_input if n.label == "Subspaces")

        subspaces().set_value(9)
        self.run(app)
        assert subspaces().value == 9  # until it is made, or other data comes
        for name, shown in (("faces", 9), (MADE, 3)):
            app.selectbox(key="data").set_value(name)
            self.run(app)
            assert subspaces().value == shown

    def test_the_script_makes_the_same(self, app, tmp_path, monkeypatch, capsys):
        self.open(app, data=MADE)
        run = app.session_state["last"]
        load = downloads.load_lines(MADE, {})
        assert load == "data = datasets.make_subspaces(3, 2, 8, 20, noise=0.05, random_state=4)"
        chosen = {name: app.session_state[name] for name in downloads.SETTINGS}
        (tmp_path / "reproduce.py").write_text(downloads.python_script(run, chosen, load))
        monkeypatch.chdir(tmp_path)
        runpy.run_path("reproduce.py")
        result = json.loads(capsys.readouterr().out)
        assert result["W*"]["ACC"] == run.after.summary.acc
        assert result["W"]["CONN"] == run.before.summary.conn.whole

    def test_a_session_file_has_its_name_alone(self, app, monkeypatch):
        kept, gather = [], session.gather
        monkeypatch.setattr(session, "gather", lambda: kept.append(gather()) or kept[-1])
        self.open(app, data=MADE)
        app.session_state["more"] = "Download"
        self.run(app)
        again = read_session(io.BytesIO(write_session(kept[-1])), name="s.sdsc")
        assert again.settings["data"] == MADE and not again.sets
        assert "and they see the same" in self.text(app)

    def test_a_session_file_brings_it_and_nothing_else_of_its_name(self, app):
        other = Session({MADE: make_subspaces(2, 2, 5, 9)}, {"data": MADE, "gamma": "3"})
        self.open(app, "data")
        uploader = app.file_uploader(key="upload")
        uploader.upload("s.sdsc", write_session(other), "application/octet-stream")
        self.run(app)
        assert app.session_state["data"] == MADE and app.session_state["gamma"] == 3
        assert app.session_state["loaded"][MADE].digest == datasets.load_named(MADE).digest

    def test_an_exercise_can_be_made_of_it(self, app):
        self.open(app, data=MADE)
        assert any(b.key == "exercise make" for b in app.button)


class TestSequences:
    @pytest.fixture
    def folder(self, tmp_path):
        """Two sequences in one file, the second with three motions."""
        made = {"cars": make_motion(2, 12, 5), "arm_g12": make_motion(3, 9, 6, random_state=2)}
        arrays = {f"X_{n}": d.X.astype(np.float32) for n, d in made.items()}
        arrays |= {f"y_{n}": d.labels for n, d in made.items()}
        np.savez(tmp_path / "hopkins155.npz", names=list(made), **arrays)
        return tmp_path

    def test_a_name_is_a_sequence_of_the_experiment(self, folder, monkeypatch):
        monkeypatch.setenv("SDSC_DATA", str(folder))
        for name, data in experiments.hopkins.sequences():
            one = datasets.load_named(f"hopkins:{name}")
            assert one.digest == data.digest and one.name == f"{name} of Hopkins155"
        assert one.note == "Tracks of points on 3 rigid motions over 6 frames."

    def test_the_authors_folders(self, tmp_path):
        made = make_motion(2, 12, 5)
        x = np.concatenate([np.moveaxis(made.X.reshape(24, 5, 2), 2, 0), np.ones((1, 24, 5))])
        (tmp_path / "cars").mkdir()
        savemat(tmp_path / "cars" / "cars_truth.mat", {"x": x, "s": made.labels + 1})
        one = datasets.load_named("hopkins:cars", tmp_path)
        assert one.digest == dict(experiments.hopkins.sequences(tmp_path))["cars"].digest
        with pytest.raises(ValueError, match="Hopkins155 is not in"):
            datasets.load_named("hopkins:bus", tmp_path)

    def test_what_is_missing_is_said(self, folder, tmp_path, monkeypatch):
        monkeypatch.delenv("SDSC_DATA", raising=False)
        assert "no folder of data is given" in datasets.named("hopkins:cars").missing()
        assert datasets.named("hopkins:cars").missing(folder) == ""
        with pytest.raises(ValueError, match="has no sequence 'bus'"):
            datasets.load_named("hopkins:bus", folder)

    def test_a_damaged_file_is_one_sentence(self, tmp_path):
        (tmp_path / "hopkins155.npz").write_bytes(b"PK nothing")
        with pytest.raises(ValueError, match=r"hopkins155.npz' could not be read"):
            datasets.load_named("hopkins:cars", tmp_path)
        assert "could not be read" in datasets.named("hopkins:cars").missing(tmp_path)

    def test_an_address_brings_it(self, app, folder, monkeypatch):
        monkeypatch.setenv("SDSC_DATA", str(folder))
        TestScreens().open(app, data="hopkins:cars", gamma="3")
        assert app.session_state["last"].data.n_points == 24
        assert downloads.load_lines("hopkins:cars", {}) == (
            "data = datasets.load_named('hopkins:cars')"
        )

    def test_an_address_without_the_data_says_what_to_get(self, app, tmp_path, monkeypatch):
        monkeypatch.setenv("SDSC_DATA", str(tmp_path))
        TestScreens().open(app, data="hopkins:cars")
        said = app.warning[0].value.replace("\\", "")
        assert "get hopkins155.npz" in said and "SDSC_DATA" in said
