"""The Data screen when a file of the server's folder goes away after it was chosen."""

import numpy as np
import pytest

from pages.shared import loading
from sdsc_core.datasets.known import FOLDER_VARIABLE


@pytest.fixture
def folder(app, tmp_path, monkeypatch):
    """The screen on a server with an open folder, and the one file in it."""
    file = tmp_path / "a.csv"
    np.savetxt(file, np.random.default_rng(0).normal(size=(20, 4)), delimiter=",")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    app.switch_page("pages/data/page.py")
    run(app)
    app.selectbox(key="file").set_value("a.csv")
    run(app)
    return file


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def test_what_was_read_stays(app, folder):
    app.button(key="load file").click()
    run(app)
    assert app.session_state["data"] == "a.csv"
    folder.unlink()
    run(app)
    assert app.session_state["loaded"]["a.csv"].n_points == 20 and not app.error
    header = next(s for s in app.selectbox if s.label == "The first row holds")
    header.set_value("names")
    run(app)
    [said] = [e.value.replace("\\", "") for e in app.error]
    assert "a.csv" in said and "stays as it was" in said


def test_what_was_not_read_yet_is_set_aside(app, folder):
    folder.unlink()  # between the click and the run that would read it
    app.session_state["draft"] = loading.Draft("a.csv", folder, "a.csv of the folder")
    app.session_state["draft_name"] = None
    run(app)
    [said] = [e.value.replace("\\", "") for e in app.error]
    assert "a.csv" in said and "“Shaded faces” stays as it was" in said
    next(b for b in app.button if b.label == "Set this file aside").click()
    run(app)
    assert not app.error and app.session_state["data"] == "faces"
