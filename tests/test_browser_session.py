"""A session in a browser: no click loses it, Back undoes, a reload says what it lost."""

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from sdsc_core import datasets
from tests.browser import part, settled, to_screen
from tests.clicker import MARKED, Clicker, marked_file


def address(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def load(page, app_url, file):
    page.goto(f"{app_url}/data")
    settled(page)
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_url("**data=**")
    settled(page)


@pytest.fixture
def loaded(page, app_url):
    """The Data screen with a file of our own."""
    load(page, app_url, marked_file())
    return page


def test_a_fragment_that_runs_by_itself_does_not_lose_the_session(page, app_url, tmp_path):
    """A fragment's run moves all settings to where a change of screen drops them."""
    data = datasets.make_subspaces(points_each=600)  # enough for its curves to take a while
    np.savez(tmp_path / "many.npz", X=data.X, y=data.labels)
    load(page, app_url, tmp_path / "many.npz")
    to_screen(page, "Step through")
    settled(page)
    page.get_by_role("radio", name="Whole stage").click()
    curves = page.get_by_text("The curves are being computed")
    first = curves.inner_text()
    page.wait_for_function(  # until the fragment has run once by itself
        "first => !document.body.innerText.includes(first)", arg=first, polling=20
    )
    to_screen(page, "Compare")
    settled(page)
    assert part(page, "exception").count() == 0
    assert address(page)["data"] == "many.npz" and address(page)["step"] == "stage"
    to_screen(page, "Explore")
    page.get_by_text("3,600 points in").wait_for()


def test_back_undoes_a_change_and_then_leaves_the_screen(page, app_url):
    dense = page.locator(".st-key-dense [role=radio][aria-checked=true]")

    def at(path, **query):
        settled(page)
        wanted = query | ({"gamma": "6"} if query else {})  # an address with anything names Γ
        assert urlsplit(page.url).path == path and address(page) == wanted
        assert dense.inner_text() == query.get("dense", "PCE")

    page.goto(app_url)
    at("/")
    page.get_by_role("radio", name="D1").click()
    at("/", dense="D1")
    to_screen(page, "Inspect")
    at("/densification", dense="D1")
    page.get_by_role("radio", name="D3").click()
    at("/densification", dense="D3")
    for path, query in (("/densification", "D1"), ("/", "D1"), ("/", None)):
        page.go_back()
        at(path, **({"dense": query} if query else {}))
    page.go_forward()
    at("/", dense="D1")


def test_a_screen_with_other_settings_is_one_step_of_back(new_page, app_url):
    page = new_page()

    def at(path, **query):
        settled(page)
        assert (urlsplit(page.url).path, address(page)) == (path, query)

    page.goto(f"{app_url}/?gamma=4")
    at("/", gamma="4")
    to_screen(page, "Tour")
    at("/tour", gamma="4")
    page.get_by_role("button", name="Start at 5").click()
    page.get_by_role("heading", name="Tour").wait_for(state="detached")
    settled(page)
    assert urlsplit(page.url).path == "/" and address(page) != {"gamma": "4"}
    for path in ("/tour", "/"):
        page.go_back()
        at(path, gamma="4")
    page.go_forward()
    at("/tour", gamma="4")


def test_a_reload_shows_no_other_figures_under_the_name_of_a_file(loaded):
    page = loaded
    for name in ("Explore", "Inspect", "Step through", "Compare"):
        to_screen(page, name)
        settled(page)
        page.reload()
        settled(page)
        assert page.get_by_text("must be loaded again").count() == 1
        assert part(page, "metric").count() == 0
        assert part(page, "main").locator("canvas").count() == 0
    page.get_by_role("button", name="Load it on the Data screen").click()
    page.get_by_role("tab", name="Upload a file").wait_for()
    settled(page)
    assert address(page) == {"data": MARKED, "gamma": "6"}
    page.go_back()
    settled(page)
    page.get_by_role("button", name="Use the sample").click()
    page.wait_for_function("!location.search.includes('data=')")


def test_a_random_clicker(page, server):
    Clicker(page, server.url, seed=1).run(40)
    assert "Traceback" not in server.log()
