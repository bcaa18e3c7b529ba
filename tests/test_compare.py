"""The comparison of methods and dense stages, as a library and as a screen."""

import io
import math
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from pages.compare import choosing
from pages.shared import background
from pages.shared.text import escape_markdown
from sdsc_core import (
    METHODS,
    RunSettings,
    compare,
    datasets,
    densify,
    figures,
    spectral_clustering,
)
from sdsc_core.compare import Result, keep_everything
from sdsc_core.memory import check_memory
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def results():
    return [
        Result("IMC", "none", 0, 0.5, 0.4, 0.1, 0.0, 0.0, 1.0),
        Result("IMC", "none", 1, 0.7, 0.4, 0.1, 0.0, 0.0, 3.0),
        Result("IMC", "D3", 0, 0.8, 0.4, 0.3, 0.0, 0.0, 1.0),
        Result("LSR", "none", 0, 0.2, None, 0.2, 0.0, 0.0, 9.0, 'said "no", then'),
    ]


def test_rows_are_means_over_repeats(results):
    row = compare.table(results, "acc")[0]
    assert (row.method, row.dense, row.repeats) == ("IMC", "none", 2)
    assert row.mean == pytest.approx(0.6) and row.std == pytest.approx(0.1)
    assert len(compare.table(results, "nmi")) == 2  # a figure that is missing has no row


def test_best_is_highest_but_for_time(results):
    assert compare.best(results, "acc") == {("IMC", "D3")}
    assert compare.best(results, "seconds") == {("IMC", "D3")}
    assert compare.best([], "acc") == set()


def test_all_that_show_the_same_best_figure_are_marked(results):
    tied = [*results, replace(results[2], method="LSR", acc=0.8004)]  # shown as 80.0 too
    assert compare.best(tied, "acc") == {("IMC", "D3"), ("LSR", "D3")}
    assert compare.to_markdown(tied).count("**80.0**") == 2
    assert compare.to_latex(tied).count(r"\textbf{80.0}") == 2


NASTY = "50 % a_b & $x$ [c](d) {e}~^\\ #1"


def test_captions_hold_data_parameters_and_repeats_escaped(results):
    data = datasets.Dataset(np.eye(3), None, NASTY)
    about = compare.About.of(
        data, 2, {"IMC": {"n_iterations": 6}, "k-means": {}}, thetas=(0.8, 0.6)
    )
    plain = compare.caption(results, about=about)
    assert plain == (
        f"ACC (%) of methods and dense stages on {NASTY} (3 points, 3 features, 2 clusters), mean ±"
        " standard deviation over 1 to 2 repeats. Parameters: IMC (n_iterations = 6), PCE"
        " (θ₁ = 0.8, θ₂ = 0.6), seed 0"
    )
    assert "one run each" in compare.caption(results[2:], about=about)
    steps = {"only": "1-3", "classes": None, "per_class": 7, "centre": True, "unit_norm": True}
    prepared = datasets.steps_in_words({**steps, "random_state": 4}, labelled=False)
    assert prepared == "chosen points, at most 7 points (draw 4), centred, samples of unit norm"
    assert f"2 clusters; {prepared})" in replace(about, prepared=prepared).words()
    text = compare.to_markdown(results, about=about)
    assert escape_markdown(NASTY) in text and text.index("Parameters") < text.index("| method |")
    [line] = [x for x in compare.to_latex(results, about=about).splitlines() if "caption" in x]
    assert r"50 \% a\_b \& \$x\$ [c](d) \{e\}\textasciitilde{}\textasciicircum{}" in line
    assert r"\textbackslash{} \#1" in line and r"$\theta$$_1$ = 0.8" in line
    assert line.count("{") - line.count(r"\{") == line.count("}") - line.count(r"\}")


def test_the_comparison_of_the_library_is_cell_by_cell_that_of_the_parts():
    data, heard = datasets.make_subspaces(2, 2, 10, 12), []
    methods = {"KNN": {"n_neighbours": 4}, "k-means": {}}
    found = compare.compare_methods(
        data, methods, ["none", "PCE"], repeats=2, seed=3, theta1=0.9, on_result=heard.append
    )
    assert found == heard and [(r.method, r.dense, r.repeat) for r in found] == [
        ("KNN", "none", 0), ("KNN", "PCE", 0), ("KNN", "none", 1), ("KNN", "PCE", 1),
        ("k-means", "none", 0), ("k-means", "none", 1),
    ]  # fmt: skip
    settings = RunSettings(
        method="KNN", params=methods["KNN"], dense="PCE", theta1=0.9, n_clusters=2, seed=4
    )
    cell = compare.compare_cell(data, settings, repeat=1)[0]
    assert replace(found[3], seconds=0) == replace(cell, seconds=0)
    with pytest.raises(ValueError, match="SVM"):
        compare.compare_methods(data, ["SVM"])


def test_the_script_repeats_the_comparison(tmp_path):
    steps = {"classes": [0, 2], "per_class": 10, "scattering": False, "pca": None,
             "unit_norm": True, "centre": False, "random_state": 5}  # fmt: skip
    methods = {"IMC": {"n_iterations": 3}, "K-subspaces": {"dim": 2}}
    text = compare.comparison_script(
        methods, ["none", "PCE"], steps, load="data = datasets.make_subspaces(3, 2, 8, 20)",
        n_clusters=2, repeats=2, seed=1, theta1=0.9, theta2=0.5,
    )  # fmt: skip
    (tmp_path / "compare.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "compare.py"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "| K-subspaces |" in done.stdout
    said = (
        "over 2 repeats. Parameters: IMC (n_iterations = 3), K-subspaces (dim = 2), PCE (θ₁ = 0.9"
    )
    assert said in done.stdout and (
        "(20 points, 8 features, 2 clusters; 2 of the classes, at most 10 points of each (draw 5),"
        " samples of unit norm)" in done.stdout
    )
    raw = datasets.make_subspaces(3, 2, 8, 20)
    own = compare.compare_methods(
        lambda repeat: datasets.prepare(raw, **steps | {"random_state": 5 + repeat}),
        methods, ["none", "PCE"], n_clusters=2, repeats=2, seed=1, theta1=0.9, theta2=0.5,
    )  # fmt: skip
    kept = pd.read_csv(tmp_path / "results.csv")
    assert kept.acc.tolist() == pytest.approx([r.acc for r in own])


def test_the_csv_reads_back(results):
    table = pd.read_csv(io.StringIO(compare.to_csv(results)))
    assert table.acc.tolist() == [0.5, 0.7, 0.8, 0.2]
    assert table.method.tolist() == ["IMC", "IMC", "IMC", "LSR"]
    assert np.isnan(table.nmi[3])


def test_markdown_and_latex_mark_the_best_and_name_the_figure(results):
    text = compare.to_markdown(results)
    assert text.startswith("ACC (%) of methods and dense stages, mean ± standard deviation over 1 ")
    assert "| IMC | 60.0 ± 10.0 | **80.0** |" in text and "| LSR | 20.0 | – |" in text
    latex = compare.to_latex(results)
    assert r"IMC & 60.0 $\pm$ 10.0 & \textbf{80.0} \\" in latex and latex.count("&") == 6
    assert r"\caption{ACC (\%) of methods" in latex and "LSR & 20.0 & --" in latex


def test_the_median_is_in_the_tables_and_the_summary():
    results = [
        Result("IMC", "none", i, acc, None, 0.1, 0.0, float("nan"), 1.0)
        for i, acc in enumerate((0.1, 0.7, 0.7))
    ]
    assert "| IMC | **70.0 ± 28.3** |" in compare.to_markdown(results, "acc", "median")
    latex = compare.to_latex(results, "acc", "median")
    assert r"median $\pm$ standard deviation over 3 repeats" in latex
    table = pd.read_csv(io.StringIO(compare.summary_csv(results))).set_index("figure")
    assert (table["mean"]["acc"], table["median"]["acc"]) == pytest.approx((0.5, 0.7))
    assert "conn_whole" not in table.index  # not a number in any repeat
    assert "nan" not in compare.to_csv(results) + compare.to_markdown(results, "conn_whole")
    assert figures.method_bars(compare.table(results), "acc", "median").data[0].y == (70.0,)


def test_stages_have_one_order_however_they_came():
    results = [Result("IMC", d, 0, 0.5, 0.4, 0.1, 0.0, 0.0, 1.0) for d in ("D3", "none", "PCE")]
    assert compare.grid(results)[0] == ["none", "PCE", "D3"]
    assert [t.name for t in figures.method_bars(compare.table(results), "acc").data] == [
        "none", "PCE", "D3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "figure, after, shown",
    [("acc", 0.5004, ("0.0", 0)), ("acc", 0.4, ("-10.0", -1)), ("seconds", 0.25, ("-0.250", 1))],
)
def test_a_change_is_good_bad_or_none(figure, after, shown):
    base, row = (compare.Row("IMC", d, 1, v, v, 0) for d, v in (("none", 0.5), ("D1", after)))
    assert compare.change(row, base, figure) == shown


@pytest.mark.parametrize("seconds", [(0.3,), (0.05, 0.9), (0.002, 40.0), (1.0, 1.0)])
def test_ticks_of_the_time_axis_are_few_and_around_the_points(seconds):
    rows = [compare.Row(f"method {v}", "D1", 1, v, v, 0) for v in seconds]
    axis = figures.time_against(rows, rows, "conn").layout.xaxis
    assert axis.tickvals[0] <= min(seconds) <= max(seconds) <= axis.tickvals[-1]
    assert len(axis.tickvals) < 9 and axis.ticktext[0] == f"{axis.tickvals[0]:g}"


def test_a_cell_equals_the_stages_by_hand():
    data = datasets.make_subspaces(3, 3, 20, 30)
    keep = keep_everything()
    settings = RunSettings(method="OMP", params={"n_nonzero": 3}, dense="D3", n_clusters=3)
    result, run = compare.compare_cell(data, settings, keep=keep)
    W = METHODS["OMP"].affinity(METHODS["OMP"].solve(data.X, n_nonzero=3))
    star = densify(W, "D3")
    labels = spectral_clustering(star, 3)
    assert (star != run.after.W).nnz == 0 and run.after.labels.tolist() == labels.tolist()
    assert result.acc == np.mean(labels == data.labels) == 1
    # The method is solved once for all its stages, and its time counts in each.
    again, other = compare.compare_cell(data, replace(settings, dense=None), keep=keep)
    assert other.sparse is run.sparse
    assert min(result.seconds, again.seconds) > run.seconds["sparse"] > 0


def test_what_does_not_fit_is_refused_in_a_sentence():
    data = datasets.sample("motion")
    assert compare.fits(data, "BDR") == ""
    assert "GiB" in compare.fits(data, "BDR", limit=1000)


def test_memory_is_told_without_an_exponent():
    with pytest.raises(ValueError, match=r"BDR needs about 110 GiB of memory; at most 1\.5 GiB"):
        check_memory(111 << 30, "BDR", 10**5, 3 << 29)


def open_screen(app, **settings):
    """The Compare screen with these settings in its address."""
    for name, value in ({"methods": "IMC.KNN", "stages": "none.D3"} | settings).items():
        app.query_params[name] = value
    app.run()
    return visit(app, "compare")


def visit(app, name):
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    return app


def press(app, label):
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception


def done(app):
    return list(app.session_state.cells.values())


def said(app):
    return " ".join(e.value for kind in ("info", "warning", "caption") for e in app.get(kind))


def shown_table(app):
    """What the screen shows as a table, with the marks of its cells."""
    return next(e.proto.body for e in app.get("html") if "<tbody>" in e.proto.body)


def knn_cell(data, dense, **settings):
    """A cell of KNN, computed by the library."""
    params = METHODS["KNN"].presets[data.kind]  # as the screen takes them
    knn = {"method": "KNN", "params": params, "n_clusters": data.n_classes}
    return compare.compare_cell(data, RunSettings(**knn, dense=dense, **settings))


def test_the_screen_runs_what_is_chosen(app):
    open_screen(app, data="motion", stages="D3.none")
    press(app, "Run")
    assert [(r.method, r.dense) for r in done(app)] == [
        ("IMC", "none"), ("IMC", "D3"), ("KNN", "none"), ("KNN", "D3"),
    ]  # fmt: skip
    assert not app.session_state.background.busy
    assert shown_table(app).index(">none<") < shown_table(app).index(">D3<")
    assert done(app)[3].acc == knn_cell(datasets.sample("motion"), "D3")[0].acc


def test_baselines_are_rows_without_dense_stages(app):
    open_screen(app, data="motion", methods="KNN.k-means.K-subspaces.Spectral")
    assert "5 cells; estimated to take **" in (words := str([m.value for m in app.markdown]))
    assert "and the baselines' time" in words
    press(app, "Run")
    names = [(r.method, r.dense) for r in done(app)]
    assert names[2:] == [("k-means", "none"), ("K-subspaces", "none"), ("Spectral", "none")]
    data = datasets.sample("motion")
    own, _ = compare.baseline_cell(data, "K-subspaces", {"dim": 4}, n_clusters=data.n_classes)
    assert done(app)[3].acc == own.acc  # by the preset of such data
    assert shown_table(app).count(">–<") == 3
    assert len([b for b in app.button if b.label.startswith("Open")]) == 2


def test_the_estimate_counts_each_affinity_once_and_what_is_done_not_at_all(app, monkeypatch):
    asked = []

    def note(method, n_points, n_features, kind, parts, params):
        asked.append((method, n_points, n_features, kind, parts, params.get("n_neighbours")))
        return math.nan if len(asked) > 6 else 60.0

    def words():
        return next(m.value for m in app.markdown if " cell" in m.value)

    monkeypatch.setattr(choosing, "estimate", note)
    open_screen(app, data="motion", methods="KNN", stages="none")
    assert asked == [("KNN", 180, 60, "motion", ["W", "none"], 10)]
    assert words() == "1 cell; estimated to take **about 60 s** on this machine."
    press(app, "Run")
    assert words() == "1 cell, all done."
    asked.clear()
    app.pills(key="stages").set_value(["none", "D1", "D3"]).run()
    assert [parts for *_, parts, _ in asked] == [["D1"], ["D3"]]
    assert words() == (
        "3 cells, 1 of them done; estimated to take **about 2 min** on this machine."
    )
    asked.clear()
    app.pills(key="methods").set_value(["KNN", "IMC"]).run()
    assert [(m, parts) for m, *_, parts, _ in asked] == [
        ("IMC", ["W", "none"]), ("IMC", ["D1"]), ("IMC", ["D3"]), ("KNN", ["D1"]), ("KNN", ["D3"]),
    ]  # fmt: skip
    asked.extend(asked)
    app.run()  # a method that was never measured
    assert words() == "6 cells, 1 of them done."
    monkeypatch.setattr(choosing, "estimate", lambda *_: 0.02)
    app.run()
    assert words().endswith("estimated to take **less than a second** on this machine.")


@pytest.fixture
def held_up(monkeypatch):
    """The second cell waits for ``go``; the script does not wait for the run, as after a click."""
    compare_cell, calls, go = compare.compare_cell, [], threading.Event()

    def cell(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            go.wait(60)
        return compare_cell(*args, **options)

    monkeypatch.setattr(compare, "compare_cell", cell)
    monkeypatch.setattr(background, "_watch", lambda back, spot: None)
    yield go
    go.set()


def until(true):
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come about")


def idle(app):
    back = app.session_state.background
    until(lambda: not back.busy)


def test_a_run_goes_on_while_other_screens_are_open(app, held_up):
    open_screen(app, data="motion")
    press(app, "Run")
    until(lambda: len(done(app)) == 1)
    visit(app, "words")
    bars = [bar.proto.text for bar in app.get("progress")]
    assert bars == [escape_markdown(f"Comparing {datasets.sample('motion').name}: cell 2 of 4")]
    held_up.set()
    idle(app)
    visit(app, "words")
    assert not app.get("progress") and "What ran on Compare is done." in said(app)
    visit(app, "compare")
    assert len(done(app)) == 4 and shown_table(app)
    visit(app, "words")
    assert "What ran on Compare is done." not in said(app)


def test_a_run_can_be_stopped_from_another_screen(app, held_up):
    open_screen(app, data="motion")
    press(app, "Run")
    until(lambda: len(done(app)) == 1)
    visit(app, "words")
    press(app, "Stop")
    assert not app.session_state.background.busy
    held_up.set()
    visit(app, "compare")
    assert "Stopped; what was done is kept. Press Run to go on with the rest." in said(app)
    assert "4 cells, 1 of them done" in " ".join(m.value for m in app.markdown)
    press(app, "Run")
    idle(app)
    assert len(done(app)) == 4


def test_other_data_never_gets_the_results_of_a_run(app, held_up):
    open_screen(app, data="motion", methods="KNN", stages="none.D1.D3")
    press(app, "Run")
    until(lambda: len(done(app)) == 1)
    app.selectbox(key="data").select("digits").run()
    assert not app.exception and "3 cells" in " ".join(m.value for m in app.markdown)
    press(app, "Run")  # comes after what is under way
    held_up.set()
    idle(app)
    app.run()
    assert len(done(app)) == 6
    for name in ("digits", "motion"):
        app.selectbox(key="data").select(name).run()
        data = datasets.sample(name)
        assert f">{100 * knn_cell(data, 'D3')[0].acc:.1f}" in shown_table(app).replace("<b>", "")


def test_the_same_cell_does_not_wait_twice(app, held_up):
    open_screen(app, data="motion")
    press(app, "Run")
    press(app, "Run")
    assert app.session_state.background.work.total == 4


@pytest.mark.parametrize("where", ["a click", "a stop"])
def test_clicks_and_stops_while_the_screen_watches_a_run(app, monkeypatch, where):
    """A click ends the watching alone; Streamlit's own Stop ends the run, amid a silent cell."""
    compare_cell, draw, calls = compare.compare_cell, background._draw, []
    requests, free = [], threading.Event()

    def note(*args):
        requests.append(get_script_run_ctx().script_requests)
        return draw(*args)

    def cell(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            until(lambda: requests)
            if where == "a stop":
                requests[-1].request_stop()
                free.wait(60)
            else:
                requests[-1].request_rerun(RerunData(page_script_hash=app._page_hash))
        return compare_cell(*args, **options)

    open_screen(app, data="motion")
    monkeypatch.setattr(background, "_draw", note)
    monkeypatch.setattr(compare, "compare_cell", cell)
    press(app, "Run")
    free.set()
    if where == "a stop":
        assert len(done(app)) == 1 and not app.session_state.background.busy
        assert "Stopped; what was done is kept" in said(app) and shown_table(app)
    else:
        assert [r.dense for r in done(app)] == ["none", "D3", "none", "D3"]


def test_what_is_finished_is_shown_while_the_rest_runs(app, monkeypatch):
    compare_cell, tables = compare.compare_cell, []
    monkeypatch.setattr(background, "REFRESH", 0.0)
    monkeypatch.setattr(
        compare, "compare_cell", lambda *a, **o: (time.sleep(0.2), compare_cell(*a, **o))[1]
    )
    show = compare.caption
    monkeypatch.setattr(compare, "caption", lambda r, *a, **o: tables.append(len(r)) or show(r, *a))
    open_screen(app, data="motion")
    press(app, "Run")
    assert tables[-1] == 4 and len(set(tables)) > 2


def test_a_repeat_draws_other_samples(app):
    open_screen(app, data="digits", methods="KNN", stages="D1", each="20", pca="30", repeats="2")
    press(app, "Run")
    raw = datasets.sample("digits")
    for repeat, result in enumerate(done(app)):
        data = datasets.prepare(raw, per_class=20, pca=30, random_state=repeat)
        by_hand = knn_cell(data, "D1", seed=repeat)[0]
        assert (result.repeat, result.acc, result.conn) == (repeat, by_hand.acc, by_hand.conn)
    assert "standard deviation" in shown_table(app)  # in the title of the cell
    mean = shown_table(app)
    app.segmented_control(key="average").select("median").run()
    assert not app.exception and "median ± standard deviation over 2 repeats" in said(app)
    assert shown_table(app) == mean  # of two they are the same


def test_parameters_outlive_a_visit_to_another_screen(app):
    open_screen(app, data="motion")
    app.number_input(key="IMC n_iterations motion").set_value(4).run()
    visit(app, "words")
    visit(app, "compare")
    assert app.number_input(key="IMC n_iterations motion").value == 4
    app.pills(key="methods").set_value(["KNN"]).run()
    app.pills(key="methods").set_value(["IMC", "KNN"]).run()
    assert app.number_input(key="IMC n_iterations motion").value == 4


def test_theta_matters_for_pce_alone(app):
    open_screen(app, data="motion", methods="KNN", stages="none.PCE")
    press(app, "Run")
    visit(app, "explore")
    app.slider(key="theta1").set_value(0.9).run()
    visit(app, "compare")
    assert shown_table(app).count("<td") == 2  # the method's name and its figure without a stage
    assert "2 cells, 1 of them done" in " ".join(m.value for m in app.markdown)
    press(app, "Run")
    star = knn_cell(datasets.sample("motion"), "PCE", theta1=0.9)[1].after.W
    kept = list(app.session_state.matrices.values())[-1][1]
    assert np.allclose(kept.toarray(), star.toarray(), atol=1e-12)


def test_a_method_that_does_not_fit_comes_back(app, monkeypatch):
    fits = compare.fits
    monkeypatch.setattr(
        compare, "fits",
        lambda data, m: "too large" if m == "KNN" and data.n_points > 300 else fits(data, m),
    )  # fmt: skip
    open_screen(app, data="digits")
    assert app.session_state.methods == ["IMC"] and "KNN is not offered: too large" in said(app)
    app.selectbox(key="data").select("motion").run()
    assert app.session_state.methods == ["IMC", "KNN"]


def test_pictures_belong_to_the_cells_of_the_table(app):
    open_screen(app, data="motion", methods="IMC")
    press(app, "Run")
    assert {b.label for b in app.button if b.label.startswith("Open")} == {
        "Open IMC", "Open IMC-D3",
    }  # fmt: skip
    press(app, "Open IMC-D3")
    app.number_input(key="IMC n_iterations motion").set_value(4).run()
    assert not app.exception and not [b for b in app.button if b.label.startswith("Open")]


def test_a_failed_cell_is_told_only_where_it_belongs(app, monkeypatch):
    open_screen(app, data="motion", methods="KNN", stages="none")

    def fail(*args, **options):
        raise ValueError("Nothing works; try again.")

    monkeypatch.setattr(compare, "compare_cell", fail)
    press(app, "Run")
    assert "KNN: Nothing works; try again." in said(app)
    app.selectbox(key="data").select("digits").run()
    assert "Nothing works" not in said(app)


def test_without_classes_the_eigengap_suggests_a_number(app):
    data = datasets.make_subspaces(3, 3, 30, 30, noise=0.05)
    unlabelled = datasets.Dataset(data.X, None, "unlabelled")
    app.session_state["loaded"] = {"unlabelled": unlabelled}
    open_screen(app, data="unlabelled", methods="KNN", stages="none")
    assert app.number_input(key=f"clusters {unlabelled.digest}").value == 3
    words = "3 is suggested by the eigengap of IMC's affinity. KNN's suggests 3, LSR's 3, SSC's 3."
    assert words in said(app)
    press(app, "Run")
    assert done(app)[0].acc is None and "CONN, mean" in said(app)
    app.number_input(key=f"clusters {unlabelled.digest}").set_value(4).run()
    assert (app.session_state.clusters, app.session_state.k) == ("own", 4)
    assert "4" in app.query_params["k"]


def test_what_cannot_be_prepared_is_not_compared(app):
    open_screen(app, data="motion", each="1", pca="40")
    assert "pca" in said(app) and not [b for b in app.button if b.label == "Run"]
