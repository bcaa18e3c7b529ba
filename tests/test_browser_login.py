"""A login by OpenID, with a provider of our own: nobody sees a screen without it."""

import json
import tomllib
from importlib.metadata import requires
from pathlib import Path
from urllib.error import HTTPError

import pytest
from packaging.requirements import Requirement

from tests.browser import LISTEN, Server, free_port, part, settled, to_screen
from tests.provider import Provider
from tests.visitor import Visitor, play

PATHS = ("", "data", "compare", "densification", "paper", "?data=faces&gamma=4", "no-such-screen")


@pytest.fixture(scope="module")
def provider():
    with Provider() as running:
        yield running


@pytest.fixture(scope="module")
def guarded(provider, tmp_path_factory, browser):
    """The app of a folder whose secrets name the provider."""
    folder, port = tmp_path_factory.mktemp("guarded"), free_port()
    secrets = folder / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text(provider.secrets_file(f"http://127.0.0.1:{port}"))
    with Server(port=port, options=("--login",), folder=folder) as server:
        yield server


@pytest.fixture
def tab(browser, guarded, provider):
    """A visitor whom the browser does not know yet; the provider lets all in."""
    provider.refuses = provider.forges = False
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    page.add_init_script(LISTEN)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    yield page
    page.context.close()
    ours = (guarded.url, provider.url, "data:", "blob:")
    assert not [url for url in asked if not url.startswith(ours)]


def nothing_is_shown(page):
    """No screen, no link to one: a title, a button, and at most one sentence."""
    settled(page)
    assert not page.locator(".st-key-screens a").count() and not page.locator("canvas").count()
    assert part(page, "exception").count() == 0
    lines = [line for line in part(page, "main").inner_text().splitlines() if line.strip()]
    assert lines[0] == "SDSC Explorer" and lines[-1] == "Log in" and len(lines) <= 3
    return lines[1:-1]


def log_in(page):
    page.get_by_role("button", name="Log in").click()


def test_nothing_is_shown_before_login(tab, guarded):
    for path in PATHS:
        tab.goto(f"{guarded.url}/{path}")
        assert nothing_is_shown(tab) == []


def test_login_and_logout(tab, guarded, provider):
    tab.goto(guarded.url)
    with tab.expect_request(f"{provider.url}/authorize?*"):
        log_in(tab)
    tab.locator(".st-key-matrix canvas[data-drawn]").wait_for()
    settled(tab)
    assert tab.url.startswith(f"{guarded.url}/")
    to_screen(tab, "Words")
    tab.get_by_role("heading", name="Words").wait_for()
    tab.goto(f"{guarded.url}/data?data=faces")  # the next visit of the same browser
    tab.get_by_role("tab", name="Upload a file").wait_for()
    settled(tab)
    with tab.expect_request(f"{provider.url}/end?*"):
        tab.get_by_role("button", name="Log out").click()
    tab.get_by_role("button", name="Log in").wait_for()
    assert nothing_is_shown(tab) == []
    tab.goto(f"{guarded.url}/data")
    assert nothing_is_shown(tab) == []


@pytest.mark.parametrize("how", ["refuses", "forges"])
def test_who_is_not_let_in_reads_one_sentence(tab, guarded, provider, how):
    """The provider refuses, or what it sends is not signed by it."""
    setattr(provider, how, True)
    tab.goto(guarded.url)
    log_in(tab)
    tab.get_by_text("You were not logged in").wait_for()
    assert len(nothing_is_shown(tab)) == 1
    setattr(provider, how, False)
    log_in(tab)
    tab.locator(".st-key-matrix canvas[data-drawn]").wait_for()


def test_no_file_is_taken_before_login(guarded):
    async def send():
        async with Visitor(guarded.url) as tab:
            await tab.open()
            with pytest.raises(HTTPError, match="413"):
                tab._put(f"/_stcore/upload_file/{tab.session}/1", "a.csv", b"a,b\n1,2\n")

    play(send())


def test_a_cookie_of_ones_own_making_opens_nothing(tab, guarded):
    made = json.dumps({"is_logged_in": True, "origin": guarded.url, "email": "ada@example.org"})
    for value in (made.encode().hex(), made.replace('"', "%22")):
        tab.context.add_cookies([{"name": "_streamlit_user", "value": value, "url": guarded.url}])
        tab.goto(guarded.url)
        assert nothing_is_shown(tab) == []


def test_without_a_provider_nobody_passes(browser, tmp_path):
    """One sentence for whoever runs the server, in place of a button that leads nowhere."""
    page = browser.new_context().new_page()
    page.add_init_script(LISTEN)
    with Server(options=("--login",), folder=tmp_path) as server:
        page.goto(f"{server.url}/data")
        settled(page)
        text = part(page, "main").inner_text()
        assert not page.locator(".st-key-screens a").count()
        assert "no provider is named" in text and part(page, "exception").count() == 0
        assert page.get_by_role("button", name="Log in").count() == 0
    page.context.close()


def test_the_extra_holds_what_streamlit_asks_for():
    """Its own extra `auth` says what a login needs."""
    theirs = map(Requirement, requires("streamlit"))
    needed = {r.name.lower() for r in theirs if r.marker and r.marker.evaluate({"extra": "auth"})
              and not r.marker.evaluate({"extra": ""})}  # fmt: skip
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    ours = {Requirement(r).name for r in project["optional-dependencies"]["login"]}
    assert needed and needed <= ours
