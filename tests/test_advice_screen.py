"""What helps on this data?, on the Compare screen and as ``sdsc verdict``."""

import json
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pages.compare import advice, choosing
from pages.shared import background
from sdsc_core import BASELINES, METHODS, cli, datasets
from sdsc_core.dense import PARAMETERS
from sdsc_core.verdict import Candidate, Findings, judge, report
from tests.test_compare import open_screen, press, said, visit
from tests.test_verdict import FLOOR, IMC_P, KNN, KNN_D3, core_alone, findings, steady

__all__ = ["core_alone"]  # a fixture


def texts(app):
    return " ".join(m.value for m in app.markdown) + said(app)


@pytest.fixture
def told(monkeypatch):
    """Makes the screen find these findings at once."""

    def tell(found):
        def fill(data, seconds, *, findings, lead, **rest):
            findings.__dict__.update(found.__dict__ | {"data": data, "budget": seconds})

        monkeypatch.setattr(advice.verdicts, "try_out", fill)

    return tell


def test_the_answer_comes_within_its_time_and_is_kept(app):
    open_screen(app, data="motion", budget="3")
    begun = time.monotonic()
    press(app, "Find out")
    assert time.monotonic() - begun < 30
    [found] = app.session_state.verdicts.values()
    assert found.trials and found.ended in ("time", "done") and found.budget == 3
    first = report(judge(found)).answer[0]
    assert advice.escape_markdown(first) in texts(app)
    visit(app, "words")
    visit(app, "compare")
    assert advice.escape_markdown(first) in texts(app)
    app.selectbox(key="data").select("digits").run()
    assert advice.escape_markdown(first) not in texts(app)


def test_the_setting_of_imc_is_taken_to_explore(app, told):
    best = Candidate("IMC", (("n_iterations", 12), ("residual", "centred")), "D3")
    told(findings({best: steady(0.9), FLOOR: steady(0.5), KNN: steady(0.6)}))
    open_screen(app, data="motion", self_weight="0.01")
    press(app, "Find out")
    assert "IMC\\-D3 \\(Γ = 12, residual centred\\) does best" in texts(app)
    assert (
        "sdsc cluster sample:motion --gamma 12 --residual centred --dense D3" in app.code[0].value
    )
    press(app, "Take this setting to Explore")
    state = app.session_state
    assert (state.gamma, state.residual, state.dense, state.clusters) == (
        12, "centred", "D3", "known",
    )  # fmt: skip
    assert [t.value for t in app.title] == ["Explore"]
    assert state.self_weight == PARAMETERS["self_weight"].default  # not what was set for others


def test_another_method_goes_into_the_comparison(app, told):
    told(findings({KNN_D3: steady(0.9), IMC_P: steady(0.7), FLOOR: steady(0.5)}))
    open_screen(app, data="motion", methods="LSR", stages="none")
    press(app, "Find out")
    press(app, "Compare KNN-D3 below")
    state = app.session_state
    assert state.methods == ["IMC", "KNN"] and state.stages == ["none", "D3"]
    assert app.number_input(key="KNN n_neighbours motion").value == 6  # 10 is the preset
    assert [b.label for b in app.button if b.label.startswith("Take")] == [
        "Take IMC-P (Γ = 6) to Explore"
    ]


def test_nothing_tried_is_said_and_nothing_is_offered(app, told):
    told(findings({}, ended="time"))
    open_screen(app, data="motion")
    press(app, "Find out")
    assert "Nothing could be tried within 30 s" in texts(app).replace("\\", "")
    assert not [b for b in app.button if b.label.startswith("Take")]


def test_unequal_units_are_one_click_from_another_question(app, told):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) * [1, 1, 500]
    labels = np.repeat([0, 1], 30)
    names = ("creatinine", "age", "platelets")
    loaded = datasets.Dataset(X, labels, "mine.csv", ("ill", "well"), feature_names=names)
    told(replace(findings({KNN: steady(0.9, 1), FLOOR: steady(0.5, 1)}), rounds=0))
    app.session_state["loaded"] = {"mine.csv": loaded}
    open_screen(app, data="mine.csv")
    press(app, "Find out")
    assert "standardise them and ask again" in texts(app)
    assert "2 settings, one draw of" in texts(app)  # though not all are through it
    press(app, "Standardise the columns")
    assert app.session_state.standardise
    assert not [b for b in app.button if b.label == "Standardise the columns"]


def test_many_that_do_not_fit_are_named_in_a_line(app, monkeypatch):
    monkeypatch.setattr(
        choosing.compare, "fits", lambda data, m: "" if m in ("IMC", "KNN") else "too large"
    )
    open_screen(app, data="motion")
    n = len(METHODS) + len(BASELINES) - 2
    [reasons] = [e for e in app.expander if "do not fit" in e.label]
    assert reasons.label.startswith(f"{n} methods do not fit this data: SSC, OMP")
    assert len(reasons.caption) == n and not reasons.proto.expanded


def test_a_stop_keeps_what_is_done(app, monkeypatch):
    monkeypatch.setattr(background, "_watch", lambda back, spot: None)
    open_screen(app, data="motion", budget="60")
    press(app, "Find out")
    [found] = app.session_state.verdicts.values()
    for _ in range(600):
        if len(found.trials) > 2:
            break
        time.sleep(0.05)
    app.session_state.background.stop()
    for _ in range(200):
        if found.ended:
            break
        time.sleep(0.05)
    app.run()
    assert found.ended == "stopped" and "It was stopped before all was tried" in texts(app)


def test_a_stopped_question_is_not_called_a_comparison_and_loses_nothing(app, monkeypatch):
    """The trials stay on the screen when it is asked again and stopped before there are more."""
    go, made = threading.Event(), findings({IMC_P: steady(0.9), FLOOR: steady(0.5)}).trials

    def try_out(data, seconds, *, findings, progress, **rest):
        findings.trials += made if not go.is_set() else []
        findings.n_drawn, findings.n_clusters = 30, 3
        while True:
            time.sleep(0.01)
            progress(0, 0)

    monkeypatch.setattr(advice.verdicts, "try_out", try_out)
    monkeypatch.setattr(background, "_watch", lambda back, spot: None)
    open_screen(app, data="motion", budget="60")
    for label in ("Find out", "Try again"):
        press(app, label)
        [found] = app.session_state.verdicts.values()
        for _ in range(500):
            if found.n_drawn:
                break
            time.sleep(0.02)
        app.session_state.background.stop()
        go.set()
        app.run()
        assert "Stopped; what was tried is kept." in said(app)
        assert "Press Run to go on with the rest" not in said(app)
        assert f"So far, after {len(made)} trials" in texts(app)
        assert not [b for b in app.button if b.label == "Find out"]


def test_the_thread_of_a_verdict_holds_no_session(monkeypatch):
    """Its task has the findings alone."""
    seen, go = [], threading.Event()

    def note(data, seconds, **rest):
        seen.append(rest["findings"])
        go.set()

    monkeypatch.setattr(advice.verdicts, "try_out", note)
    found = Findings(datasets.sample("motion"), 5.0)
    advice._work(found, None, lambda done, total: None)
    assert go.is_set() and seen == [found]


def test_the_command_prints_sentences_table_and_labels(tmp_path, capsys):
    data = datasets.make_subspaces(3, 2, 12, points_each=20, noise=0.05)
    np.savez(tmp_path / "points.npz", X=data.X, y=data.labels)
    argv = ["verdict", str(tmp_path / "points.npz"), "--seconds", "5", "--unit-norm"]
    out, trials = tmp_path / "labels.csv", tmp_path / "trials.csv"
    assert cli.main([*argv, "--output", str(out), "--csv", str(trials)]) == 0
    printed = capsys.readouterr().out
    assert "ACC" in printed and "What to doubt:" in printed and "Nadeau" in printed
    assert "--unit-norm" in printed  # in the command to run
    assert len(pd.read_csv(trials)) >= 1
    if "was not written" not in printed:
        assert pd.read_csv(out).cluster.nunique() == 3


def test_the_command_as_json_without_labels(tmp_path, capsys, core_alone):
    data = datasets.make_subspaces(2, 2, 12, points_each=25, noise=0.05)
    np.save(tmp_path / "points.npy", data.X)
    argv = ["verdict", str(tmp_path / "points.npy"), "--seconds", "90", "--clusters", "2", "--json"]
    assert cli.main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["measure"] == "consistency" and found["n_clusters"] == 2
    assert "no classes to check against" in " ".join(found["doubts"])
    assert cli.main([*argv[:3], "0"]) == 2
    assert "--seconds" in capsys.readouterr().err
