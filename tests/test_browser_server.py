"""The app speaks to its own server alone, on all of its screens, and is there after every start."""

import numpy as np
import pytest

from tests.browser import settled
from tests.starts import starts

pytestmark = pytest.mark.skip(
    reason="not yet verified since the screens moved into folders; run by hand before a release"
)

SCREENS = ("", "data", "compare", "densification", "step", "words", "tour")


def test_no_screen_asks_another_host(page, app_url):
    """Every page of a browser test is watched for it; here all screens are opened and rerun."""
    for path in SCREENS:
        page.goto(f"{app_url}/{path}")
        settled(page)
    icon = page.locator("link[rel*=icon]").first.get_attribute("href")
    assert icon.startswith(("data:image/svg+xml", app_url, "/", "./"))
    page.get_by_test_id("stSidebarNavLink").first.click()
    settled(page)
    page.get_by_role("radio", name="D1").first.click()
    settled(page)


def test_the_server_starts_beside_a_busy_core(browser):
    """A few starts; `python -m tests.starts` tries fifty."""
    assert starts(browser, 3) == ["", "", ""]


@pytest.fixture
def at_work(page, app_url, tmp_path):
    """Explore with the result for one data set, at work on a large one."""
    path = tmp_path / "large.npz"
    X = np.random.default_rng(0).standard_normal((8000, 200))
    np.savez(path, X=X, y=np.arange(8000) % 4)
    page.goto(f"{app_url}/data")
    settled(page)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Explore").click()
    page.locator(".st-key-matrix canvas[data-drawn]").wait_for()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Data").click()
    settled(page)
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("How large.npz is read").wait_for()
    settled(page)
    page.get_by_role("button", name="Explore this data").click()
    page.locator(".st-key-progress").get_by_test_id("stProgress").wait_for()
    return page


@pytest.mark.parametrize("place", [".st-key-progress", "[data-testid=stHeader]"])
def test_either_stop_keeps_the_last_result_and_leaves_no_progress(at_work, place):
    at_work.locator(place).get_by_role("button", name="Stop").click()
    at_work.get_by_text("Stopped. The last result is shown").wait_for()
    settled(at_work)
    assert at_work.get_by_test_id("stProgress").count() == 0
    label = at_work.locator(".st-key-matrix canvas").get_attribute("aria-label")
    assert label.startswith("Affinity matrices of 384 points")
    assert at_work.get_by_role("button", name="Compute").is_visible()


def test_a_click_while_at_work_is_heeded(at_work):
    """Another screen at once; the session is as it was."""
    at_work.get_by_test_id("stSidebarNavLink").filter(has_text="Words").click()
    at_work.get_by_role("heading", name="Words").wait_for()
    settled(at_work)
    assert at_work.get_by_test_id("stProgress").count() == 0
