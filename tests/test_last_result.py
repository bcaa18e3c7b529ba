"""When a run cannot be made, the last one is shown as what it is, and its files are its own."""

import contextlib
import io
import json
from dataclasses import replace

import pytest

from pages.explore import downloads
from pages.keep import entries
from sdsc_core.datasets import make_subspaces

SHOWN = "The last result is shown."


@pytest.fixture
def files(monkeypatch):
    """What makes the files that Explore offers, by their names."""
    made, original = {}, downloads._files

    def spy(run, kept):
        offered = original(run, kept)
        made.update({name: make for _, name, _, make in offered})
        return offered

    monkeypatch.setattr(downloads, "_files", spy)
    return made


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def open_downloads(app, **address):
    app.query_params.update(gamma="6", **address)
    app.session_state["more"] = "Download"
    return run(app)


def printed(script):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, "reproduce.py", "exec"), {})
    return json.loads(out.getvalue())


def test_the_files_of_the_last_result_are_its_own(app, files, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    open_downloads(app, data="subspaces", unit="1")
    first = app.session_state["last"]
    app.session_state["each"], app.session_state["pca"] = 1, 10
    app.session_state["gamma"], app.session_state["order"] = 9, "cluster"
    run(app)
    assert app.warning[0].value.endswith(SHOWN) and app.session_state["last"] is first
    kept = json.loads(files["settings.json"]())
    told = {name: kept["settings"][name] for name in ("each", "pca", "gamma", "unit", "order")}
    assert told == {"each": 0, "pca": 0, "gamma": 6, "unit": True, "order": "cluster"}
    again = printed(files["reproduce.py"]())
    assert again["W*"]["ACC"] == kept["result"]["ACC"] == first.after.summary.acc


def test_a_pin_of_the_last_result_has_its_settings(app):
    app.query_params.update(data="subspaces", gamma="6")
    run(app)
    app.session_state["history"] = {}
    app.session_state["each"], app.session_state["pca"] = 1, 10
    run(app)
    app.button(key="pin").click()
    run(app)
    [pinned] = [e for e in app.session_state["history"].values() if e.pin]
    assert entries.read_settings(pinned.settings)["each"] == 0


def test_other_data_of_the_same_name_is_not_the_last(app):
    first = replace(make_subspaces(3, 2, 20, 10), name="a.csv")
    other = replace(make_subspaces(4, 3, 30, 25), name="a.csv")
    app.session_state["loaded"] = {"a.csv": first}
    app.query_params.update(data="a.csv", gamma="6")
    run(app)
    assert app.metric
    app.session_state["loaded"] = {"a.csv": other}
    app.session_state["each"], app.session_state["pca"] = 1, 10
    run(app)
    assert not app.metric and not any("30 points" in m.value for m in app.markdown)
    assert "pca is 10" in app.warning[0].value and SHOWN not in app.warning[0].value


def test_a_stop_says_it_once(app):
    run(app)
    app.session_state["stopped"] = app.session_state["wanted"]
    run(app)
    assert app.warning[0].value.count("last result is shown") == 1
    assert [b.label for b in app.button].count("Compute") == 1


def test_a_stopped_preparation_can_be_taken_up_again(app):
    run(app)
    app.session_state["pca"] = 20
    run(app)
    key = app.session_state["prepared"][0]
    app.session_state["pca"] = 0
    run(app)
    app.session_state["pca"], app.session_state["stopped_one"] = 20, key
    run(app)
    assert app.warning[0].value.endswith(SHOWN)
    assert [b.label for b in app.button].count("Compute") == 1


def test_the_script_leaves_out_what_the_address_asked_for_in_vain(
    app, files, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    open_downloads(app, data="motion", classes="99", scattering="1")
    again = printed(files["reproduce.py"]())
    assert again["W*"]["ACC"] == app.session_state["last"].after.summary.acc
    kept = json.loads(files["settings.json"]())["settings"]
    assert kept["classes"] == [] and kept["scattering"] is False


def test_the_data_screen_does_not_promise_all_data(app):
    app.query_params.update(data="subspaces", each="1", pca="10", gamma="6")
    app.switch_page("pages/data/page.py")
    run(app)
    assert "Until then nothing is computed." in app.error[0].value
