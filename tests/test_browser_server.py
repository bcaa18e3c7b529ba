"""The app speaks to its own server alone, on all of its screens, and is there after every start."""

from tests.browser import settled
from tests.starts import starts

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
