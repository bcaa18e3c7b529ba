"""What several test files share."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings
from numba import config

from tests import naive
from tests.browser import Server, launch, missing, part, watch

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SDSC_DATA") or ROOT.parent / "shared" / "data")

# A cold compile takes seconds and machines are noisy: no deadline; the same cases every time.
settings.register_profile("project", deadline=None, derandomize=True)
# A mutation run asks whether a test fails, not for the smallest case.
settings.register_profile(
    "mutation", settings.get_profile("project"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "project"))


def examples(number):
    """So many cases of a test; a tenth of them where kernels are not compiled."""
    return settings(max_examples=number // 10 if config.DISABLE_JIT else number)


@pytest.fixture(autouse=True, scope="session")
def plain_vectors():
    """Where nothing is compiled, what is written in vector instructions gets a plain twin."""
    if config.DISABLE_JIT:
        from sdsc_core.search import tree

        tree._within, tree._products_from = naive.within, naive.products_from
        tree.lowest_bit = naive.lowest_bit


@pytest.fixture(scope="session")
def real_data():
    """Loader of a research data set, by file name."""

    def load(name):
        if not (DATA / name).exists():
            pytest.skip(f"{name} is not in {DATA}; research data is not shipped")
        return np.load(DATA / name)

    return load


@pytest.fixture
def unconverged(monkeypatch):
    """No eigenvector converges: one solver gives up at once, the last resort after two steps."""
    from scipy.sparse.linalg import ArpackNoConvergence

    from sdsc_core import eigenpairs

    def never(*args, **kwargs):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(eigenpairs, "eigsh", never)
    monkeypatch.setattr(eigenpairs, "SMALL", 2)
    monkeypatch.setattr(eigenpairs, "MODERATE", 2)
    monkeypatch.setattr(eigenpairs, "MOST_STEPS", 2)


@pytest.fixture
def app(monkeypatch):
    """The app without a browser, from app.py on."""
    return without_browser(monkeypatch)


def without_browser(monkeypatch):
    """The app as AppTest runs it.

    AppTest takes a folder `pages` for pages that need no app.py, and would leave it out of every
    run but the first; the server does not, once navigation is set.
    """
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    def begin(self, *args, **options):
        PagesManager.uses_pages_directory = False
        original(self, *args, **options)

    original = PagesManager.__init__
    monkeypatch.setattr(PagesManager, "__init__", begin)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)

    def switch_page(file):
        """To the screen of a folder; before its first run AppTest goes by the file's name alone."""
        folder = Path(file).parent.name
        app._page_hash = calc_hash({"explore": "", "inspect": "densification"}.get(folder, folder))
        return app

    monkeypatch.setattr(app, "switch_page", switch_page)
    return app


@pytest.fixture(scope="session")
def browser():
    """Chromium; without it the tests skip, but on a build server they fail."""
    if missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing())
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(browser):
    """The app's own server, on a free port."""
    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def app_url(server):
    """Address of the app."""
    return server.url


@pytest.fixture
def new_page(browser, server):
    """Opens pages, each in a context of its own; an error in any of them fails the test."""
    opened = []

    def open_page(**options):
        options = {"viewport": {"width": 1440, "height": 1000}} | options
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(30_000)
        opened.append((page, watch(page, server.url)))
        return page

    yield open_page
    for page, problems in opened:
        boxes = part(page, "exception").all_inner_texts()
        page.context.close()
        assert not problems + boxes, "\n".join(problems + boxes)


@pytest.fixture
def page(new_page):
    """A fresh page."""
    return new_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """The end of the server's log belongs to a browser test that failed."""
    report = yield
    running = getattr(item, "funcargs", {}).get("server")
    if report.failed and running:
        report.sections.append(("Log of the app's server", running.log()[-4000:]))
    return report
