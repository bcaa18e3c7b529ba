"""The Compare screen and its number of clusters, beside the other screens' number."""

import pytest

from pages.compare import running
from pages.shared.background import SECONDS, Stopped
from pages.shared.streamlit_inside import StopException
from sdsc_core import compare, datasets


@pytest.fixture
def unlabelled(app):
    """The screen on data without classes."""
    made = datasets.make_subspaces(3, 3, 20, 20, noise=0.05)
    data = datasets.Dataset(made.X, None, "mine")
    app.session_state["loaded"] = {"mine": data}
    values = {"data": "mine", "methods": "KNN", "stages": "none", "gamma": "6"}
    app.query_params.update(values | {"grid_gamma": "3", "grid_theta1": "0.8"})
    app.switch_page("pages/compare/page.py")
    return data


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def texts(app):
    return " ".join(m.value for m in (*app.markdown, *app.info, *app.warning, *app.caption))


def number(app, data):
    return app.number_input(key=f"clusters {data.digest}").value


def test_a_stopped_suggestion_stays_stopped_and_sweep_makes_its_own(app, unlabelled, monkeypatch):
    asked = []

    def stop(*args, **options):
        asked.append(1)
        raise StopException

    with monkeypatch.context() as patch:
        patch.setattr(compare, "suggest_clusters", stop)
        run(app)
        run(app)
    assert len(asked) == 1 and "is suggested by the eigengap" not in texts(app)
    app.session_state["clusters"] = "gap"
    app.switch_page("pages/sweep/page.py")
    run(app)
    assert "3 clusters for every setting, as the eigengap" in texts(app)
    app.switch_page("pages/compare/page.py")
    run(app)
    assert "3 is suggested by the eigengap" in texts(app)


def test_a_question_leaves_no_number_where_none_can_be_suggested(app, unlabelled, monkeypatch):
    def fail(*args, **options):
        raise ValueError("no number")

    with monkeypatch.context() as patch:
        patch.setattr(compare, "suggest_clusters", fail)
        patch.setattr("pages.compare.advice.verdicts.try_out", lambda *a, **o: None)
        run(app)
        app.button(key="find out").click()
        run(app)
    app.session_state["clusters"] = "gap"
    app.switch_page("pages/sweep/page.py")
    run(app)
    assert "3 clusters for every setting, as the eigengap" in texts(app)


def test_the_number_of_clusters_is_the_one_of_the_other_screens(app, unlabelled):
    run(app)
    assert number(app, unlabelled) == 3
    app.switch_page("pages/explore/page.py")
    app.session_state["clusters"], app.session_state["k"] = "own", 5
    run(app)
    app.switch_page("pages/compare/page.py")
    run(app)
    assert number(app, unlabelled) == 5
    app.number_input(key=f"clusters {unlabelled.digest}").set_value(4)
    run(app)
    assert number(app, unlabelled) == app.session_state["k"] == 4
    app.session_state["clusters"] = "gap"
    run(app)
    assert number(app, unlabelled) == 3
    app.session_state["clusters"], app.session_state["k"] = "own", 1000
    run(app)
    assert number(app, unlabelled) == unlabelled.n_points


@pytest.mark.parametrize(
    ("was", "words"),
    [
        (None, "Stopped."),
        (Stopped("cell", "Compare", ""), "Stopped. Press Run to go on with the rest."),
        (Stopped("gone", "Compare", ""), "Stopped. Choose the same data and methods again"),
        (Stopped("grid", "Sweep", "settings"), "Stopped. Sweep goes on with the rest."),
        (Stopped("verdict", "Compare", SECONDS), "Stopped; what was tried is kept."),
    ],
)
def test_what_a_stop_says_goes_by_what_was_stopped(was, words):
    assert running._of_the_rest("Stopped.", was, {"cell"}).startswith(words)
