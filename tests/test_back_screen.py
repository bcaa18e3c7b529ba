"""Back to a screen that was visited again meanwhile: the settings of the later visit."""

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.util import calc_hash

from pages.paper import figures
from pages.shared import settings


@pytest.fixture
def browser_bar(app, monkeypatch):
    """Opens screens with the path that a browser tells; ``back`` as its Back does."""
    history = [False]
    paths = {calc_hash(path): path for path in ("paper", "words", "tour")}

    def url(context):
        """With the path of the page that runs, also after `st.switch_page`, as Streamlit has it."""
        page = get_script_run_ctx().pages_manager.current_page_script_hash
        return f"http://here/{paths.get(page, '')}"

    monkeypatch.setattr(type(st.context), "url", property(url))
    monkeypatch.setattr(settings, "went_back", lambda: history[0])

    def to(page, back=None):
        history[0] = back is not None
        if back is not None:
            app.query_params.clear()
            app.query_params.update(back)
        app.switch_page(f"pages/{page}/page.py").run()
        assert not app.exception, app.exception[0].message
        return {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}

    return to


def test_back_leads_to_the_last_visit_of_a_screen(app, browser_bar, monkeypatch):
    app.query_params.update(part="figure1", gamma="3", data="motion")
    first = browser_bar("paper")
    clicks = [("IMC", "600")]
    monkeypatch.setattr(figures, "cells", lambda *a: clicks.pop() if clicks else None)
    browser_bar("paper")  # the click opens Explore with other settings
    opened = browser_bar("explore")
    assert opened["data"] != "motion" and len(app.session_state["passed"]) == 1
    browser_bar("paper", back=opened)  # the entry that Streamlit put there: as it was
    assert app.session_state["data"] == "motion"
    assert {name: settings.spell(app.session_state[name]) for name in first} == first
    clicks.append(("IMC", "600"))
    browser_bar("paper")
    opened = browser_bar("explore")
    again = browser_bar("paper")  # by a link: the same settings in their own right
    assert again == opened
    browser_bar("words")
    browser_bar("paper", back=again)
    assert app.session_state["data"] == opened["data"] != "motion"


def test_back_from_a_step_of_the_tour_undoes_its_settings(app, browser_bar):
    app.query_params.update(gamma="3", data="motion")
    first = browser_bar("tour")
    app.button(key="start 6").click()
    browser_bar("tour")
    opened = browser_bar("explore")
    assert opened["data"] == "noise" and opened["tour"] == "6"
    assert browser_bar("tour", back=opened) == first
    assert app.session_state["data"] == "motion" and app.session_state["tour"] == 0
