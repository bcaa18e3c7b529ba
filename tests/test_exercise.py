"""Exercises: what a sealed address holds, what a student can change, how answers are checked."""

import base64
import json
import stat
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from pages.exercise import answers, making, sealing
from pages.exercise.sealing import Exercise, seal, unseal
from pages.shared import settings
from sdsc_core import datasets
from sdsc_core.cli.paths import EXERCISE_KEY_VARIABLE

ASKED = Exercise(
    {"data": "motion", "gamma": "4", "hide": "1", "lock": "gamma.dense", "theta1": "0.9"},
    "How many bodies move?", "3; three", "Each lies in a subspace of its own.", salt=7,
)  # fmt: skip


@pytest.fixture(autouse=True)
def key(tmp_path, monkeypatch):
    """A key of this test alone."""
    monkeypatch.setenv(EXERCISE_KEY_VARIABLE, str(tmp_path / "exercise.key"))
    return tmp_path / "exercise.key"


@pytest.mark.parametrize(
    ("given", "answer", "right"),
    [
        (" Three. ", "three; 3", True),
        ("3.0", "three; 3", True),
        ("4", "three; 3", False),
        ("", "; 3", False),
        ("3.4", "3", False),
        ("0.847", "0.85", True),
        ("0.8", "0.85", False),
        ("85 %", "0.85", True),
        ("0,85", "0.85", True),
        ("0.8", "0.8 to 0.9", True),
        ("0.91", "0.8 to 0.9", False),
        ("85 %", "0.8 – 0.9", True),
        ("2,304", "2304", True),
        ("−1.5", "-1.5", True),
        ("nan", "3", False),
        ("a b", "A  B", True),
        ("to", "to", True),
    ],
)
def test_answers(given, answer, right):
    assert answers.is_right(given, answer) is right


def test_a_sealed_exercise_comes_back_and_says_nothing(key):
    token = seal(ASKED)
    assert unseal(token) == ASKED and seal(ASKED) != token
    assert stat.S_IMODE(key.stat().st_mode) == 0o600, "only its owner reads the key"
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert not [word for word in (b"motion", b"three", b"bodies", b"hide") if word in raw]
    assert not set(token) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


@pytest.mark.parametrize("at", [0, 20, 60, -3])
def test_a_changed_token_does_not_open(at):
    token = list(seal(ASKED))
    token[at] = "A" if token[at] != "A" else "B"
    with pytest.raises(ValueError, match="damaged"):
        unseal("".join(token))


def test_a_token_of_another_server_does_not_open(key, monkeypatch):
    token = seal(ASKED)
    monkeypatch.setenv(EXERCISE_KEY_VARIABLE, str(key.with_name("other.key")))
    with pytest.raises(ValueError, match="another server"):
        unseal(token)


def test_the_key_outlives_the_server(key):
    token = seal(ASKED)
    sealing._read_or_make.cache_clear()  # as a server that starts anew
    assert unseal(token) == ASKED and sealing.lasting()


def test_a_server_that_cannot_keep_a_key_says_so(key, monkeypatch):
    key.write_text("no key")
    assert not sealing.lasting() and unseal(seal(ASKED)) == ASKED


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def text(app):
    return " ".join(m.value for kind in (app.markdown, app.success, app.warning) for m in kind)


def student(app, **more):
    app.query_params.update({"exercise": seal(ASKED)} | more)
    return run(app)


def test_a_student_sees_the_question_and_not_the_answer(app):
    student(app)
    assert "How many bodies move?" in text(app)
    shown = app.session_state["last"].data
    assert shown.labels is None and shown.name == "Exercise" and shown.n_points == 180
    assert app.session_state["gamma"] == 4 and app.session_state["theta1"] == 0.9
    assert list(app.query_params) == ["exercise"], "nothing of it stands in the address"
    mixed = np.random.default_rng(app.session_state["draw"]).permutation(shown.n_points)
    assert not np.array_equal(shown.X, datasets.sample("motion").X[mixed])


def test_a_question_keeps_its_lines_and_is_no_markdown(app):
    asked = replace(ASKED, question="How many\n# bodies *move*?")
    app.query_params["exercise"] = seal(asked)
    run(app)
    assert "**Question.** How many  \n\\# bodies \\*move\\*?" in [m.value for m in app.markdown]


def test_what_the_exercise_fixes_cannot_be_changed_by_the_address(app):
    changed = {"data": "digits", "hide": "0", "lock": "", "gamma": "9", "each": "5", "seed": "3"}
    student(app, **changed)
    state = app.session_state
    assert (state["data"], state["hide"], state["gamma"], state["each"]) == ("motion", True, 4, 0)
    assert state["lock"] == ["gamma", "dense"] and app.slider(key="gamma").disabled
    assert state["seed"] == 3 and app.query_params["seed"] == "3", "what is free can be moved"


def test_a_moved_control_goes_into_the_address(app):
    student(app)
    app.slider(key="theta1").set_value(0.95)
    run(app)
    assert set(app.query_params) == {"exercise", "theta1"} and app.query_params["theta1"] == "0.95"
    app.slider(key="theta1").set_value(0.9)
    run(app)
    assert list(app.query_params) == ["exercise"]


def test_an_answer_is_checked_on_the_server(app):
    student(app)
    check = next(b for b in app.button if b.label == "Check")
    app.text_input(key="answer given").set_value("4")
    check.click()
    run(app)
    assert "“4” is not right yet" in text(app) and ASKED.praise not in text(app)
    app.text_input(key="answer given").set_value("Three")
    next(b for b in app.button if b.label == "Check").click()
    run(app)
    assert "“Three” is right" in text(app).replace("\\", "")
    assert ASKED.praise in text(app).replace("\\", "")


def test_an_address_that_cannot_be_opened_shows_one_sentence(app):
    app.query_params["exercise"] = "gAAAAA"
    run(app)
    assert [e.value for e in app.error] == [sealing.DAMAGED] and not app.slider


def test_a_teacher_makes_an_exercise(app):
    app.query_params.update({"data": "digits", "gamma": "7", "point": "3", "projector": "1"})
    run(app)
    app.checkbox(key="exercise tell").check()
    app.multiselect(key="exercise lock").set_value(["Γ", "θ₁, θ₂, θ₃"])
    app.text_area(key="exercise question").set_value("How many?\n*Count*.")
    run(app)
    assert not app.code
    app.text_input(key="exercise answer").set_value("5")
    app.button(key="exercise make").click()
    run(app)
    query = dict(parse_qsl(urlsplit(app.code[0].value).query))
    assert list(query) == ["exercise"]
    made = unseal(query["exercise"])
    assert (made.question, made.answer, made.praise) == ("How many?\n*Count*.", "5", "")
    assert made.salt and made.settings == settings_of(made) | {
        "data": "digits", "gamma": "7", "hide": "1", "clusters": "own", "k": "5",
        "lock": "gamma.theta1.theta2.theta3",
    }  # fmt: skip
    app.slider(key="gamma").set_value(8)
    run(app)
    assert not app.code, "the address was of other settings"


def settings_of(made):
    """What every exercise says, so that it stays when a default changes."""
    usual = {name: settings.spell(value) for name, value in settings.defaults().items()}
    assert set(settings.METHOD) <= set(made.settings)
    return {name: usual[name] for name in settings.METHOD}


def test_somebody_s_own_file_makes_no_exercise(app):
    app.session_state["loaded"] = {"mine": datasets.make_subspaces(2, 2, 8, points_each=9)}
    app.query_params["data"] = "mine"
    run(app)
    assert not app.text_area and any("choose a sample" in i.value for i in app.info)


def test_points_that_no_address_holds_make_no_exercise(app):
    app.query_params.update(data="subspaces", gamma="6")
    app.session_state["long_rows"] = {"~0123456789ab": "1-2.4-5"}
    app.session_state["only"] = "~0123456789ab"
    app.run()
    app.session_state["only"] = "~0123456789ab"
    app.run()
    assert not app.exception and app.session_state["last"].data.n_points == 4
    assert any("too many for an address" in i.value for i in app.info)
    assert not [b for b in app.button if b.key == "exercise make"]
    app.session_state["only"] = "1-2.4-5"
    app.run()
    assert [b for b in app.button if b.key == "exercise make"]


def test_every_control_that_can_be_locked_is_a_setting():
    names = [name for group in making.LOCKS.values() for name in group]
    assert set(names) <= set(settings.SETTINGS) and len(names) == len(set(names))


def test_a_token_stays_short():
    most = Exercise(ASKED.settings, "x" * 1000, "y" * 200, "z" * 1000, salt=2**64 - 1)
    assert len(json.dumps(most.__dict__)) < sealing.LARGEST and len(seal(most)) < 2000
