"""Results that ship, cells beside the paper's, verdicts, and the Paper screen that shows them."""

import json
import re

import numpy as np
import pytest

from pages.shared import settings
from sdsc_core import cli, datasets, experiments
from sdsc_core.experiments import beside, claims, hopkins, shipped, shipping, verdicts
from sdsc_core.experiments.keeping import Row
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
                   Row(5, 0, "SSC", "none", {}, message="Left out: 99 s at 2.")],
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
    assert experiments.lay_out("hopkins", tmp_path) == len(hopkins.read(hopkins.MEASURED))


def test_what_was_left_out_ships_with_its_message(folder, tmp_path):  # noqa: F811
    options = experiments.Options(folder=folder, sizes=[2, 5], methods=["KNN"], draws=1, limit=1)
    table = experiments.EXPERIMENTS["table2"]
    store = experiments.Store(tmp_path / "table2.jsonl")
    first = table.cells(options)[0]
    store.add(first, table.measure(options, first), 10.0)
    experiments.ship(tmp_path, tmp_path / "ship", options)
    *_, last = shipped("table2", tmp_path / "ship").rows
    assert last.where == 5 and not last.figures and last.message.startswith("Left out: 10 s at 2")


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
    assert beside.state("qratio", "USPS") is None


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
