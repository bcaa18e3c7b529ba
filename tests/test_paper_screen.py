"""Results that ship, cells beside the paper's, verdicts, and the Paper screen that shows them."""

import json
import re

import numpy as np
import pytest

from pages.compare.choosing import kind_key
from pages.components import cells
from pages.paper import figures as paper_figures
from pages.paper import opening_cells
from pages.shared import settings
from sdsc_core import cli, datasets, experiments
from sdsc_core.experiments import beside, claims, hopkins, shipped, shipping, verdicts
from sdsc_core.experiments.chart import COLOURS
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.running import STATISTICS
from tests.conftest import DATA
from tests.test_experiments import folder  # noqa: F401, stand-ins for the research data


def rows(where, method, accs, stage="none", **more):
    return [
        Row(where, d, method, stage, {"acc": acc, **{k: v[d] for k, v in more.items()}})
        for d, acc in enumerate(accs)
    ]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results with figures of our own making."""
    found = {
        "table2": [*rows(2, "SSC", [0.9, 0.92]), *rows(2, "IMC", [0.99, 0.98]),
                   *rows(2, "IMC", [1.0, 0.999], "PCE"),
                   Row(5, 0, "SSC", "none", {},
                       message="Left out: 99 s at 2, over the limit of 40 s for a draw.")],
        "qratio": [Row("USPS", d, "IMC", "PCE", {"q": 0.7 + d / 100, "tau_share": 0.4})
                   for d in range(3)],
    }  # fmt: skip
    monkeypatch.setattr(shipping, "RESULTS", tmp_path)
    run = {"date": "2031-02-03", "machine": "A *fast* machine", "numpy": "9.9"}
    about = {n: {"runs": [run], "settings": {"IMC": "n_iterations=5"}} for n in found}
    for name, own in found.items():
        (tmp_path / f"{name}.csv").write_text(experiments.to_csv(own))
    (tmp_path / "about.json").write_text(json.dumps(about))
    return tmp_path


def test_results_ship_and_come_back(folder, tmp_path):  # noqa: F811
    out, ship = tmp_path / "out", tmp_path / "ship"
    argv = ["reproduce", "table4", "--data", str(folder), "--draws", "2", "--methods", "KNN", "IMC"]
    assert cli.main([*argv, "--out", str(out)]) == 0
    measured = experiments.Store(out / "table4.jsonl")
    options = experiments.Options(draws=2, methods=["KNN", "IMC"])
    assert experiments.ship(out, ship, options) == ["table4"]
    found = shipped("table4", ship)
    assert found is not None and found.n_draws == 2
    assert found.runs[0]["numpy"] == np.__version__ and "n_iterations=6" in found.settings["IMC"]
    kept = [row for cell in measured.cells.values() for row in cell.rows]
    assert len(found.rows) == len(kept)
    for ours, theirs in zip(found.rows, kept, strict=True):
        assert (ours.where, ours.draw, ours.name) == (theirs.where, theirs.draw, theirs.name)
        assert ours.figures["acc"] == pytest.approx(theirs.figures["acc"], rel=1e-4)
    assert shipped("table2", ship) is None


def test_a_run_goes_on_from_what_ships(folder, tmp_path, monkeypatch):  # noqa: F811
    out, ship, further = (tmp_path / name for name in ("out", "ship", "further"))
    argv = ["reproduce", "table4", "--data", str(folder), "--methods", "KNN", "IMC"]
    assert cli.main([*argv, "--draws", "1", "--out", str(out)]) == 0
    experiments.ship(out, ship, experiments.Options(draws=1, methods=["KNN", "IMC"]))
    monkeypatch.setattr(shipping, "RESULTS", ship)
    computed = []
    table = experiments.EXPERIMENTS["table4"]
    measure = table.measure
    monkeypatch.setattr(table, "measure", lambda o, c: computed.append(c.draw) or measure(o, c))
    assert cli.main([*argv, "--draws", "2", "--out", str(further), "--go-on"]) == 0
    assert computed == [1, 1]
    before, after = (experiments.Store(path / "table4.jsonl") for path in (out, further))
    assert len(after.runs) == 2 and len(after.cells) == 4
    for key, cell in before.cells.items():
        ours = after.cells[key]
        assert [r.figures["acc"] for r in ours.rows] == pytest.approx(
            [r.figures["acc"] for r in cell.rows], rel=1e-4
        )
        assert ours.seconds == pytest.approx(max(r.figures["seconds"] for r in cell.rows), abs=1e-3)
    assert experiments.lay_out("table4", further) == 0  # what a folder has is not touched
    assert experiments.lay_out("figure1", further) == 0  # nothing ships


def test_hopkins_goes_on_from_what_ships(tmp_path):
    """Without the data too; shipped again, not one error is lost, and each run is still told."""
    before = shipped("hopkins")
    assert experiments.lay_out("hopkins", tmp_path) == len(before.rows) > 2000
    assert experiments.ship(tmp_path, tmp_path / "ship", names=["hopkins"]) == ["hopkins"]
    after = shipped("hopkins", tmp_path / "ship")

    def told(results):
        return {(r.where, r.method): r.figures["error"] for r in results.rows}

    assert told(after) == pytest.approx(told(before), rel=1e-4)
    assert (after.runs, after.settings) == (before.runs, before.settings)


def test_what_was_left_out_ships_with_its_message(folder, tmp_path):  # noqa: F811
    options = experiments.Options(folder=folder, sizes=[2, 5], methods=["KNN"], draws=1, limit=1)
    table = experiments.EXPERIMENTS["table2"]
    store = experiments.Store(tmp_path / "table2.jsonl")
    first = table.cells(options)[0]
    store.add(first, table.measure(options, first), 10.0)
    experiments.ship(tmp_path, tmp_path / "ship", options)
    *_, last = shipped("table2", tmp_path / "ship").rows
    assert last.where == 5 and not last.figures and last.message.startswith("Left out: 10 s at 2")
    assert last.message.endswith("over the limit of 1 s for a draw.")


def test_ship_needs_a_folder(capsys):
    assert cli.main(["reproduce", "all", "--ship"]) == 2
    assert "--ship needs --out" in capsys.readouterr().err
    assert cli.main(["reproduce", "all", "--go-on"]) == 2
    assert "--go-on needs --out" in capsys.readouterr().err


def test_a_cell_stands_beside_the_papers():
    grid = beside.by_place("table2", rows(10, "SSC", [0.9, 0.92]))
    cell = grid.cells["SSC", "10"]
    assert cell.ours.value == pytest.approx(91) and cell.paper == pytest.approx(88.24)
    assert cell.difference == pytest.approx(91.0 - 88.2)
    assert cell.ours.error == pytest.approx(1.0)
    median = beside.by_place("table2", rows(10, "SSC", [0.9, 0.92]), statistic="median")
    assert median.cells["SSC", "10"].paper == pytest.approx(87.98)
    spread = beside.by_place("table2", rows(10, "SSC", [0.9, 0.92]), statistic="standard deviation")
    assert spread.cells["SSC", "10"].value == pytest.approx(1.0)
    stages = beside.by_stage("table3", rows(500, "OMP", [0.7], "D3"), 500)
    assert stages.cells["OMP", "D3"].paper == pytest.approx(70.57)


def test_only_what_can_be_better_has_a_colour():
    ours = Mean.of([0.9, 0.92])
    for statistic in STATISTICS:
        cell = beside.OursAndPrinted(ours, 10.0, 1, statistic)
        coloured = "class='up'" in cells._paper(cell) or "class='down'" in cells._paper(cell)
        assert coloured == (statistic != "standard deviation")


@pytest.mark.parametrize("name", ["table2", "table4"])
def test_the_state_of_a_cell_is_its_data(folder, name):  # noqa: F811
    """What `prepare` makes of the state is what the experiment draws."""
    table, place = experiments.EXPERIMENTS[name], {"table2": 5, "table4": 500}[name]
    data = datasets.load_known(table.data, folder)
    state = beside.state(name, place, 3)
    if name == "table2":  # the stand-in has fewer people
        state["classes"] = beside.random_classes(data.n_classes, place, 3)
    ours = datasets.prepare(
        data, classes=state["classes"], per_class=state.get("each"), pca=state.get("pca"),
        random_state=state.get("draw", 0),
    )  # fmt: skip
    assert ours.digest == table.draw(data, place, 3).digest
    assert beside.state("qratio", "MNIST", 3) == beside.state("table4", 500, 3)


def test_of_errors_less_is_better():
    """Green where a published error is undercut; a method that nobody published has none."""
    made = [
        Row(f"s{k}", 0, method, "none", {"error": error, "motions": 2})
        for method in ("SSC", "KNN")
        for k, error in enumerate((0.001, 0.002))
    ]
    grid = beside.by_motions(made)
    one = grid.cells["SSC", "two motions"]
    assert one.paper == 1.52 and one.value == pytest.approx(0.15)
    assert "class='up'>-1.37" in cells._paper(one)
    assert "published 1.52" in cells._paper(one)
    assert grid.cells["KNN", "two motions"].paper is None
    assert ("L0-SSC", "two motions") in grid.cells  # not measured, and said so
    assert grid.cells["SSC", "three motions"].ours is None


def test_imc_p_is_not_missing_beyond_the_paper():
    grid = beside.by_place("figure1", [])
    assert ("IMC", "1,000,002") in grid.cells and ("IMC-P", "100,002") in grid.cells
    assert ("IMC-P", "1,000,002") not in grid.cells


def test_each_line_of_a_chart_has_a_colour():
    names = len(experiments.EXPERIMENTS["table2"].methods) + 1  # IMC-P
    assert len(set(COLOURS)) == len(COLOURS) >= names


class TestVerdicts:
    def of(self, title, **found):
        return next(c for c in claims(found) if c.title == title)

    def test_nothing_measured(self):
        assert {c.verdict for c in claims({})} == {verdicts.UNKNOWN}
        assert len(claims({})) == 7

    def test_q_and_tau(self):
        ratio = [Row(name, d, "IMC", "PCE", {"q": q + d / 1000, "tau_share": tau})
                 for name, q, tau in (("USPS", 0.8, 0.5), ("MNIST", 1.2, 0.01))
                 for d in range(5)]  # fmt: skip
        q = self.of("Q < 1", qratio=ratio)
        assert q.verdict == verdicts.IN_PART and [s.true for s in q.statements] == [True, False]
        assert "0.802, below 1 in 5 of 5 draws" in q.statements[0].text
        assert self.of("Q < 1", qratio=ratio[:5]).verdict == verdicts.HOLDS
        tau = self.of("τ is about zero", qratio=ratio[:5])
        assert tau.verdict == verdicts.FAILS and "50 % of Nk²" in tau.statements[0].text

    def test_pce_counts_where_it_is_beyond_doubt(self):
        sure = rows(2, "IMC", [0.5, 0.6, 0.7]) + rows(2, "IMC", [0.6, 0.7, 0.81], "PCE")
        unsure = rows(5, "IMC", [0.5, 0.6, 0.7]) + rows(5, "IMC", [0.9, 0.3, 0.7], "PCE")
        claim = self.of("PCE improves ACC", table2=sure + unsure)
        assert [s.true for s in claim.statements[:2]] == [True, False]
        assert claim.verdict == verdicts.IN_PART and claim.n_missing == 8

    def test_d3_needs_every_size(self):
        up = rows(500, "SSC", [0.5, 0.6]) + rows(500, "SSC", [0.7, 0.81], "D3")
        down = rows(1000, "SSC", [0.5, 0.6]) + rows(1000, "SSC", [0.4, 0.51], "D3")
        assert self.of("D3 is universal", table3=up).statements[0].true
        assert not self.of("D3 is universal", table3=up + down).statements[0].true

    def test_more_accurate_names_the_best_rival(self):
        found = rows(2, "LRR", [0.99, 0.98]) + rows(2, "SSC", [0.5, 0.5])
        found += rows(2, "IMC", [0.9, 0.89], "PCE")
        claim = self.of("IMC is more accurate", table2=found)
        assert claim.statements[0].text == "2 subjects: IMC-P 89.5, LRR 98.5"
        assert claim.verdict == verdicts.FAILS

    def test_scaling(self):
        def timed(size, method, seconds):
            return [Row(size, 0, method, "none", {"acc": 1.0, "seconds": seconds})]

        found = [*timed(6000, "SSC", 500.0), *timed(6000, "IMC", 0.4), *timed(3000, "IMC", 0.2),
                 *timed(100_002, "IMC", 8.0)]  # fmt: skip
        claim = self.of("IMC is efficient and scales", figure1=found)
        assert [s.true for s in claim.statements] == [True, None, True, True, None]
        assert "1,250.0 times" in claim.statements[0].text
        found += [Row(9000, 0, "SSC", "none", {}, message="Left out: 500 s at 6,000.")]
        claim = self.of("IMC is efficient and scales", figure1=found)
        assert claim.statements[-1].true and "1 of 1, SSC to 6,000" in claim.statements[-1].text

    def test_densifying(self):
        counts = {"inside": 100.0, "inside_star": 300.0, "between": 10.0, "between_star": 20.0}
        claim = self.of("PCE densifies inside, and hardly between",
                        figure4=[Row(6, 0, "IMC", "PCE", counts)])  # fmt: skip
        assert claim.verdict == verdicts.HOLDS and "4.8 %" in claim.statements[1].text


class TestScreen:
    def open(self, app, **query):
        app.switch_page("pages/paper/page.py")
        app.query_params.update(query)
        app.run()
        assert not app.exception
        return app

    def texts(self, app):
        return [*(m.value for m in app.markdown), *(c.value for c in app.caption)]

    def test_verdicts_are_read_from_the_files(self, app, results):
        text = "\n".join(self.texts(self.open(app)))
        assert "holds" in text and "0\\.710, below 1 in 3 of 3 draws" in text
        assert "[holds]" in text and "[holds so far]" in text  # PCE: one place of ten
        assert "40 % of Nk²" in text and "Table 3" in text  # the last has no file yet
        changed = (results / "qratio.csv").read_text().replace("0.7,", "1.9,")
        (results / "qratio.csv").write_text(changed)
        app.run()
        assert "1\\.110, below 1 in 2 of 3 draws" in "\n".join(self.texts(app))

    def test_a_table_says_where_it_comes_from(self, app, results):
        text = "\n".join(self.texts(self.open(app, part="table2")))
        assert "2031\\-02\\-03" in text and "A \\*fast\\* machine" in text
        assert re.search(r"Ours reach 1 of 3 printed figures", text)
        assert "a draw would take over 40 s" in text and "The reading of IMC: Γ = 5" in text

    def test_a_spread_is_neither_reached_nor_missed(self, app, results):
        self.open(app, part="table2", statistic="standard deviation")
        text = "\n".join(self.texts(app))
        assert "standard deviation over the draws: ours, below it" in text
        assert "Ours reach" not in text and "in colour" not in text
        app.session_state["statistic"] = "median"
        app.run()
        text = "\n".join(self.texts(app))
        assert "median over the draws: ours, below it" in text and "Ours reach" in text

    def test_thetas_and_a_reading_are_said_where_there_is_one(self, app):
        for part, thetas, reading in (
            ("figure4", True, True), ("figure2", False, True), ("readings", False, False),
        ):  # fmt: skip
            app.session_state["part"] = part
            text = "\n".join(self.texts(self.open(app, part=part)))
            assert ("θ₁ = 0.8, θ₂ = 0.6 for PCE" in text) == thetas, part
            assert ("The reading of IMC:" in text) == reading, part

    def test_the_words_of_a_preset_do_not_go_with_a_cell(self, app, monkeypatch):
        clicks = [("IMC", "600")]
        monkeypatch.setattr(paper_figures, "cells", lambda *a: clicks.pop() if clicks else None)
        app.session_state["preset_words"] = "Words of a preset."
        self.open(app, part="figure1")
        app.run()
        app.switch_page("pages/explore/page.py")
        app.run()
        assert app.session_state["data"] == "made:6-6-10-100-0-0"
        assert not any("Words of a preset." in text for text in self.texts(app))

    @pytest.mark.parametrize(
        ("part", "clicked", "expected"),
        [
            ("figure2", ("θ₂ = 0.45", "ACC"), {"theta1": 0.8, "theta2": 0.45, "gamma": 5}),
            ("figure4", ("6", "inside"), {"theta1": 0.8, "theta2": 0.6, "gamma": 5}),
            ("qratio", ("USPS", "Q"), {"data": "usps", "each": 100, "pca": 200, "gamma": 5}),
        ],
    )
    def test_each_line_of_a_figure_opens(self, app, monkeypatch, part, clicked, expected):
        clicks, opened = [clicked], {}
        monkeypatch.setattr(paper_figures, "cells", lambda *a: clicks.pop() if clicks else None)
        monkeypatch.setattr(opening_cells, "_missing", lambda data: "")
        monkeypatch.setattr(opening_cells, "apply", opened.update)
        monkeypatch.setattr(opening_cells, "go_to", lambda page: opened.update(page=page))
        self.open(app, part=part)
        assert opened["page"] == "pages/explore/page.py" and opened["dense"] == "PCE"
        assert {name: opened[name] for name in expected} == expected
        size = {"figure2": 10, "figure4": 6, "qratio": 5}[part]
        assert len(opened["classes"]) == size

    def test_a_cell_opens_with_the_parameters_that_it_was_measured_with(self, app, monkeypatch):
        """OMP has 6 picks on the synthetic data, not the preset's 8, nor what was chosen before."""
        clicks = [("OMP", "600")]
        monkeypatch.setattr(paper_figures, "cells", lambda *a: clicks.pop() if clicks else None)
        app.session_state["OMP n_nonzero digits"] = 3
        app.session_state[kind_key(datasets.sample("subspaces"))] = "faces"
        self.open(app, part="figure1")
        app.switch_page("pages/compare/page.py")
        app.run()
        assert app.session_state["methods"] == ["OMP"]
        [control] = [n for n in app.number_input if n.key.startswith("OMP n_nonzero")]
        assert (control.key, control.value) == ("OMP n_nonzero digits", 6)

    def hopkins(self, app, monkeypatch, *clicked):
        clicks = [clicked]
        monkeypatch.setattr(paper_figures, "cells", lambda *a: clicks.pop() if clicks else None)
        return self.open(app, part="hopkins")

    def test_hopkins_shows_the_sequences_of_a_cell(self, app, monkeypatch):
        screen = self.hopkins(app, monkeypatch, "SSC", "two motions")
        text = "\n".join(self.texts(screen))
        assert "Measured 20" in text and "numpy" in text and "**SSC, two motions**: 120 seq" in text
        table = screen.dataframe[0].value
        errors = hopkins.errors(shipped("hopkins").rows, "SSC", 2)
        assert table["error"].tolist() == sorted(errors, reverse=True)
        assert table["sequence"].nunique() == 120
        screen.run()  # it stays
        assert len(screen.dataframe) == 1

    def test_a_sequence_that_is_not_here_says_what_to_get(self, app, monkeypatch, tmp_path):
        monkeypatch.setenv("SDSC_DATA", str(tmp_path))
        screen = self.hopkins(app, monkeypatch, "SSC", "three motions")
        next(b for b in screen.button if b.key == "open sequence").click()
        screen.run()
        said = screen.warning[0].value.replace("\\", "")
        assert "hopkins155.npz" in said and "*_truth.mat" in said and str(tmp_path) in said
        assert app.session_state["data"] == "faces"

    @pytest.mark.parametrize(("method", "screen"), [("LSR", "compare"), ("IMC", "explore")])
    def test_a_sequence_opens_and_gives_the_error_that_ships(
        self, app, monkeypatch, method, screen
    ):
        if not (DATA / hopkins.FILE).exists():
            pytest.skip(f"{hopkins.FILE} is not in {DATA}; research data is not shipped")
        monkeypatch.setenv("SDSC_DATA", str(DATA))
        self.hopkins(app, monkeypatch, method, "three motions")
        name = app.dataframe[0].value["sequence"][0]
        error = app.dataframe[0].value["error"][0]
        assert error > 5
        next(b for b in app.button if b.key == "open sequence").click()
        app.run()
        app.switch_page(f"pages/{screen}/page.py")
        app.run()
        assert not app.exception and app.session_state["data"] == f"hopkins:{name}"
        assert app.session_state["clusters"] == "known"
        if method == "IMC":
            assert app.session_state["dense"] == "none"
            acc = app.session_state["last"].after.summary.acc
        else:
            assert app.session_state["methods"] == [method]
            next(b for b in app.button if b.label == "Run").click()
            app.run()
            [result] = app.session_state["cells"].values()
            assert (result.method, result.dense) == (method, "none")
            acc = result.acc
        assert 100 * (1 - acc) == pytest.approx(error, abs=0.01)

    def test_the_best_setting_is_set_against_the_tables(self, app):
        for part, said in (
            ("table2", ["Table 2, IMC\\-P in its best", "at or above the paper at", "below it at"]),
            ("table3", ["Table 3, IMC in its best", "500 \\("]),
            ("readings", ["Table 2, IMC\\-P", "Table 3, IMC in", "--preset all-round", "Γ = 4"]),
        ):
            app.session_state["part"] = part
            text = "\n".join(self.texts(self.open(app, part=part)))
            assert all(words in text for words in said), (part, text)

    def test_verdicts_begin_with_their_number(self, app):
        found = {name: r.rows for name in experiments.EXPERIMENTS if (r := shipped(name))}
        held = sum(claim.verdict == verdicts.HOLDS for claim in claims(found))
        text = "\n".join(self.texts(self.open(app)))
        assert f"Of 7 claims: {held} {'holds' if held == 1 else 'hold'}, " in text

    def test_what_was_not_run_is_said(self, app, results):
        assert "sdsc reproduce table3" in self.open(app, part="table3").info[0].value

    def test_the_quick_version_says_what_is_missing(self, app, results, tmp_path, monkeypatch):
        monkeypatch.setenv("SDSC_DATA", str(tmp_path))
        screen = self.open(app, part="table2")
        next(b for b in screen.button if b.key == "quick").click()
        screen.run()
        assert "CroppedYale" in screen.warning[0].value

    def test_the_quick_version_runs(self, app, results):
        screen = self.open(app, part="figure1")
        monkey = experiments.EXPERIMENTS["figure1"]
        before = monkey.methods
        try:
            monkey.methods = ("IMC",)
            next(b for b in screen.button if b.key == "quick").click()
            screen.run()
        finally:
            monkey.methods = before
        assert any("Measured here just now" in s.value for s in screen.subheader)

    @pytest.mark.parametrize(
        "part", [p for p in settings.PAPER_PARTS if p not in ("claims", "table2")]
    )
    def test_every_part_opens_with_what_is_there(self, app, part):
        self.open(app, part=part)
