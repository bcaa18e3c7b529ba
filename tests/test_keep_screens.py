"""Selection, history, pins and session files on the screens, without a browser."""

import io
import json

import numpy as np
import pytest

from pages.explore import downloads
from pages.keep import choosing, entries, session
from pages.shared import settings
from sdsc_core import misplaced
from sdsc_core.datasets import make_subspaces
from sdsc_core.session import read_session, write_session


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def press(app, label):
    next(b for b in app.button if b.label == label).click()
    return run(app)


def choose(app, **values):
    for name, value in values.items():
        kinds = (app.slider, app.segmented_control, app.selectbox, app.number_input)
        next(w for kind in kinds for w in kind if w.key == name).set_value(value)
    return run(app)


def load(app, data):
    run(app)
    app.session_state["loaded"] = {data.name: data}
    run(app)
    return choose(app, data=data.name)


def select(app, how):
    app.session_state["more"] = "Selection"
    run(app)
    return choose(app, **{"select group": how})


def points(app):
    return app.session_state["last"].data.n_points


def test_only_these_without_these_and_undo(app):
    select(run(app), "misplaced points of W*")
    before = app.session_state["last"]
    wrong = np.flatnonzero(misplaced(before.data.labels, before.after.labels))
    assert len(wrong)
    shown = app.dataframe[0].value
    assert shown["point"].tolist() == wrong.tolist()
    assert shown["row"].tolist() == (wrong + 1).tolist()
    assert shown["picture"].str.startswith("data:image/png;base64,").all()
    press(app, "Without these")
    left = app.session_state["last"].data
    assert left.n_points == 384 - len(wrong)
    assert not set(left.row_numbers) & set(before.data.row_numbers[wrong])
    assert app.query_params["only"] == app.session_state["only"]
    select(app, "class face 1")
    press(app, "Only these")
    first = app.session_state["last"].data
    assert first.class_names == ("face 1",) and first.n_points <= 64
    press(app, "Undo the selection")
    assert points(app) == left.n_points
    press(app, "Undo the selection")
    assert points(app) == 384 and "only" not in app.query_params
    assert "selection" not in app.session_state


def test_the_address_brings_the_points_back_or_says_that_it_cannot(app):
    app.query_params.update(only="1-60.101-130", gamma="5")
    assert points(run(app)) == 90
    app.query_params.update(only="~0123456789ab")
    fresh = type(app).from_file(app._script_path, default_timeout=120)
    fresh.query_params.update(only="~0123456789ab", gamma="5")
    run(fresh)
    assert points(fresh) == 384
    assert any("too many for an address" in w.value for w in fresh.warning)
    press(fresh, "Go on with all points")
    assert not fresh.warning and "only" not in fresh.query_params


def test_long_lists_of_points_have_a_name(app):
    data = make_subspaces(3, 3, 20, points_each=400, noise=0.1)
    load(app, data)
    state = app.session_state
    state["more"] = "Selection"
    run(app)
    result = state["last"]
    state["selection"] = choosing.Selection(
        result.data.digest, np.arange(0, 1200, 2), "every other"
    )
    run(app)
    press(app, "Only these")
    assert points(app) == 600 and app.query_params["only"].startswith("~")
    assert any("too many for the address" in m.value for m in app.markdown)
    chosen = {name: state[name] for name in settings.SETTINGS}
    chosen["only"] = settings.chosen_rows(state)
    text = downloads.python_script(state["last"], chosen, "data = mine")
    names = {"mine": data}
    exec(text.partition("# Algorithm 3")[0], names)
    assert names["data"].digest == state["last"].data.digest


def test_history_has_each_run_once_and_brings_it_back(app):
    run(app)
    first = dict(app.session_state["last"].settings.changed())
    choose(app, gamma=3)
    choose(app, dense="D3")
    choose(app, dense="PCE", gamma=6)
    kept = list(app.session_state["history"].values())
    assert [(e.number, e.run.get("gamma", 6), e.run.get("dense", "PCE")) for e in kept] == [
        (2, 3, "PCE"), (3, 3, "D3"), (1, 6, "PCE"),
    ]  # fmt: skip
    a = app.session_state["last"].after.summary
    assert kept[-1].figures["ACC"] == a.acc and kept[-1].figures["CONN, mean"] == a.conn.mean
    assert kept[-1].run == first and kept[-1].points == 384 and kept[-1].clusters == 6
    app.session_state["more"] = "History"
    table = run(app).dataframe[0].value
    assert table["run"].tolist() == ["1 (now)", "3", "2"]
    assert table["NMI"].iloc[0] == a.nmi and not table["Q"].isna().any()


def test_returning_sets_everything(app, monkeypatch):
    run(app)
    choose(app, gamma=3, dense="D1")
    entry = next(iter(app.session_state["history"].values()))
    state = {**{n: app.session_state[n] for n in settings.SETTINGS}, "settings": {}, "lock": []}
    monkeypatch.setattr(settings, "st", type("", (), {"session_state": Held(state)}))
    monkeypatch.setattr(entries, "st", settings.st)
    entries.go_back_to(entry)
    assert (settings.st.session_state.gamma, settings.st.session_state.dense) == (6, "PCE")


class Held(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def entry(number, **options):
    return entries.Entry(number, "t", "d", 3, 2, {}, {"seed": number}, **options)


def test_the_list_is_bounded_and_keeps_pins_and_names(app, monkeypatch):
    monkeypatch.setattr(entries, "MOST", 4)
    kept = {str(k): entry(k) for k in range(8)}
    kept["0"], kept["1"] = entry(0, pin="A"), entry(1, name="mine")
    entries._forget(kept)
    assert list(kept) == ["0", "1", "6", "7"]
    for k in range(6):
        kept[f"p{k}"] = entry(k, pin="B")
    entries._forget(kept)
    assert len(kept) == 4 and list(kept)[-1] == "p5"


def test_several_pins_are_compared(app):
    run(app)
    press(app, "Pin as A")
    choose(app, gamma=2)
    press(app, "Pin as B")
    choose(app, gamma=4)
    body = next(h.proto.body for h in app.html if "<table" in h.proto.body)
    assert all(f">{head}<" in body for head in ("A: W*", "B: W*")) and ">now − A<" not in body
    assert app.segmented_control(key="beside pin").value == "B"
    press(app, "Unpin all")
    body = next(h.proto.body for h in app.html if "<table" in h.proto.body)
    assert "A: W*" not in body


def upload(app, name, content):
    app.switch_page("pages/data/page.py")
    run(app)
    app.file_uploader(key="upload").upload(name, content, "application/octet-stream")
    return run(app)


def file_of(app, monkeypatch):
    """The bytes of the session file that Explore offers now."""
    kept = []
    original = session.gather
    monkeypatch.setattr(session, "gather", lambda: kept.append(original()) or kept[-1])
    app.session_state["more"] = "Download"
    run(app)
    return write_session(kept[-1])


def own():
    made = make_subspaces(3, 3, 20, points_each=20, noise=0.2, random_state=5)
    return type(made)(made.X, made.labels, "own.npz", made.class_names, note="Mine.")


def test_a_session_comes_back_in_another(app, monkeypatch):
    load(app, own())
    choose(app, gamma=4, dense="D3")
    press(app, "Pin as A")
    select(app, "cluster 0 of W*")
    press(app, "Without these")
    shown = app.session_state["last"]
    content = file_of(app, monkeypatch)
    fresh = type(app).from_file(app._script_path, default_timeout=120)
    from streamlit.util import calc_hash

    fresh._page_hash = calc_hash("data")
    run(fresh)
    fresh.file_uploader(key="upload").upload("renamed.zip", content, "application/zip")
    run(fresh)
    assert "1 data set, " in fresh.success[0].value and "1 pin" in fresh.success[0].value
    assert fresh.session_state["loaded"]["own.npz"].digest == own().digest
    fresh._page_hash = calc_hash("")
    run(fresh)
    again = fresh.session_state["last"]
    assert again.data.digest == shown.data.digest and again.settings == shown.settings
    assert (again.after.labels == shown.after.labels).all()
    keys = [e.key for e in app.session_state["history"].values()]
    assert [e.key for e in fresh.session_state["history"].values()] == keys
    assert [e.pin for e in fresh.session_state["history"].values() if e.pin] == ["A"]
    assert fresh.query_params == app.query_params


def test_settings_json_is_loaded_again(app, monkeypatch):
    app.query_params.update(gamma="3", theta1="0.9", only="1-100", pair="3.9", point="3", pca="20")
    run(app)
    chosen = {name: app.session_state[name] for name in settings.SETTINGS}
    text = downloads.settings_json(app.session_state["last"], chosen, "")
    fresh = type(app).from_file(app._script_path, default_timeout=120)
    from streamlit.util import calc_hash

    fresh._page_hash = calc_hash("data")
    run(fresh)
    fresh.file_uploader(key="upload").upload("settings.json", text.encode(), "application/json")
    run(fresh)
    assert fresh.success and not fresh.error
    assert fresh.query_params == app.query_params


BAD = {
    "s.sdsc": b"PK\x03\x04 nothing",
    "settings.json": b"[1, 2]",
    "other.json": json.dumps({"a": 1}).encode(),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_changes_nothing(app, name):
    app.query_params.update(gamma="3")
    run(app)
    before = {n: app.session_state[n] for n in settings.SETTINGS}
    upload(app, name, BAD[name])
    assert len(app.error) == 1 and "stays as it was" in app.error[0].value
    assert {n: app.session_state[n] for n in settings.SETTINGS} == before
    press(app, "Set this file aside")
    assert not app.error


def test_values_out_of_range_in_a_session_are_dropped(app):
    made = session.Session(settings={"gamma": "999", "theta1": "x", "hide": "1", "dense": "D2",
                                     "evil": "1", "lock": "data"})  # fmt: skip
    run(app)
    upload(app, "s.sdsc", write_session(made))
    assert app.session_state["dense"] == "D2" and app.session_state["gamma"] == 6
    assert app.session_state["theta1"] == 0.8 and not app.session_state["hide"]
    assert app.session_state["lock"] == [] and "evil" not in app.session_state


def test_a_hostile_run_in_the_list_is_left_out(app):
    good = entries.asdict(entry(1))
    changes = [{"run": {"gamma": -1}}, {"figures": {"ACC": "<b>"}}, {"pin": "Z"}, {"settings": 3}]
    bad = [{"number": 1}, {**good, "run": {"os": 1}}, *({**good, **one} for one in changes)]
    upload(run(app), "s.sdsc", write_session(session.Session(history=(*bad, good))))
    assert [e.number for e in app.session_state["history"].values()][:1] == [1]
    app.switch_page("pages/explore/page.py")
    app.session_state["more"] = "History"
    run(app)


def test_a_damaged_part_is_left_out_and_the_rest_comes(app):
    outcomes = [[0, {"gamma": 3}, "", 0, 0]]
    none = {"rows": np.zeros((0, 3), np.int64), "figures": np.zeros((0, 0))}
    none |= {"stability": np.zeros(0), "seed_stability": np.zeros(0)}
    for number, words in enumerate(
        [
            {"groups": [], "figures": [], "outcomes": outcomes},
            {"groups": [[["d"], [0], float("inf"), 1]], "figures": [], "outcomes": outcomes},
            {"groups": [], "figures": [], "outcomes": 3},
        ]
    ):
        made = session.Session(settings={"dense": "D2"}, parts={"sweep": session.Part(words, none)})
        upload(run(app), f"s{number}.sdsc", write_session(made))
        assert "“sweep” had could not be read and was left out" in app.success[0].value
        assert app.session_state["dense"] == "D2"


def test_a_pin_that_cannot_be_computed_is_said(app):
    data = make_subspaces(2, 2, 8, 6)
    load(app, type(data)(data.X, data.labels, "mine.csv", data.class_names))
    last = app.session_state["last"]
    pinned = entries.Entry(1, "mine.csv", last.data.digest, 12, 2, {}, {"gamma": 500}, pin="A")
    app.session_state["history"] = {pinned.key: pinned}
    run(app)
    assert "Run A cannot be computed again: gamma" in app.warning[0].value.replace("\\", "")


def test_an_exercise_gives_no_session_away(app):
    app.query_params.update(hide="1")
    run(app)
    app.session_state["more"] = "Download"
    run(app)
    names = [b.proto.label for b in app.get("download_button")]
    assert "Labels (.csv)" in names
    assert not {"Session (.sdsc)", "Notebook", "Settings (.json)", "Python script"} & set(names)
    app.session_state["more"] = "Selection"
    run(app)
    select(app, "cluster 0 of W*")
    assert next(b for b in app.button if b.label == "Only these").disabled
    assert "class" not in app.dataframe[0].value


def test_what_compare_found_comes_back(app):
    from pages.compare import keeping
    from sdsc_core import compare

    key = (
        "digest",
        (("classes", (0, 1)), ("pca", None)),
        "IMC",
        (("a", 0.5),),
        3,
        None,
        0,
        "D1",
        (),
    )
    result = compare.Result("IMC", "D1", 0, 0.5, None, 0.1, 0.0, 0.2, 1.5)
    content = write_session(
        session.Session(parts={"compare": keeping.Part({"cells": [[key, keeping.asdict(result)]]})})
    )
    found = read_session(io.BytesIO(content), name="s.sdsc").parts["compare"]
    upload(run(app), "s.sdsc", content)
    assert "1 cell of comparisons" in app.success[0].value
    assert app.session_state["cells"] == {key: result}
    found.words["cells"][0][1]["acc"] = "high"
    with pytest.raises(TypeError):
        keeping.unpack(found)


def test_what_was_swept_comes_back(app, monkeypatch):
    from pages.sweep import keeping, running
    from sdsc_core import sweep
    from sdsc_core.sweeping import Grid

    data, mine, other = make_subspaces(2, 2, 9, 12, noise=0.2), {}, {}
    grid = Grid(gamma=(3, 4), theta1=(0.8,), theta2=(0.6,), dense=("PCE", None))
    sweep([data, data], grid, seeds=(0, 1), n_clusters=2, kept=mine)
    sweep(data, grid, n_clusters=2, criteria=False, kept=mine)
    monkeypatch.setattr(running, "swept", lambda: mine)
    content = write_session(session.Session(parts={"sweep": keeping.pack()}))
    monkeypatch.setattr(running, "swept", lambda: other)
    found = read_session(io.BytesIO(content), name="s.sdsc").parts["sweep"]
    assert keeping.unpack(found) == "8 swept settings"
    assert list(other) == list(mine)
    for key, outcome in mine.items():
        again = other[key]
        assert again.settings == outcome.settings and again.message == outcome.message
        assert again.stability == outcome.stability and len(again.results) == len(outcome.results)
        for name in found.words["figures"]:
            assert np.array_equal(again.values(name), outcome.values(name)), name
    found.words["outcomes"][0][1] = {"gamma": -1}
    with pytest.raises(ValueError, match="gamma"):
        keeping.unpack(found)
