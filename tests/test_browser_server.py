"""The app speaks to its own server alone, on all of its screens, and is there after every start."""

import re

import numpy as np
import pytest

from tests.browser import named, part, settled, to_screen
from tests.starts import starts

SCREENS = ("", "data", "compare", "densification", "step", "words", "tour")


def test_no_screen_asks_another_host(page, app_url):
    """Every page of a browser test is watched for it; here all screens are opened and rerun."""
    for path in SCREENS:
        page.goto(f"{app_url}/{path}")
        settled(page)
    icon = page.locator("link[rel*=icon]").first.get_attribute("href")
    assert icon.startswith(("data:image/svg+xml", app_url, "/", "./"))
    to_screen(page, "Explore")
    settled(page)
    page.get_by_role("radio", name="D1").first.click()
    settled(page)


def test_a_move_sends_what_is_new_and_the_page_is_as_if_all_was_sent(page, app_url):
    heard = []
    page.on("websocket", lambda line: line.on("framereceived", lambda frame: heard.append(frame)))
    page.goto(f"{app_url}/?gamma=4")
    settled(page)
    whole = len(heard)
    slider = page.locator(".st-key-theta1 input")
    heard_of = []
    for key in ["ArrowLeft"] * 4 + ["Home"]:  # at last below θ₂: that moves too
        heard.clear()
        slider.focus()
        page.keyboard.press(key)
        settled(page)
        heard_of.append(len(heard))
    # By the first move the browser tells what every widget holds; by the last the page changes.
    assert max(heard_of[2:4]) < whole / 2
    page.get_by_role("radio", name="D2").first.click()
    settled(page)
    page.get_by_role("tab", name="Confusion").click()
    settled(page)
    page.locator(".st-key-gamma input").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    page.get_by_role("tab", name="Gallery").click()
    settled(page)
    moved = words(page)
    assert "Γ = 5" in moved
    for _ in range(2):  # a dialog that was closed comes again
        page.get_by_role("button", name="Presets").click()
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
    page.reload()
    settled(page)
    assert words(page) == moved


def words(page):
    """All that the page says, but for the time that it took."""
    return re.sub(r"IMC \(to Γ.*", "", page.locator("body").inner_text())


def test_the_server_starts_beside_a_busy_core(browser):
    """A few starts; `python -m tests.starts` tries fifty."""
    assert starts(browser, 3) == ["", "", ""]


@pytest.fixture
def at_work(page, app_url, tmp_path):
    """Explore with the result for a draw of a large data set, at work on all of it."""
    path = tmp_path / "large.npz"
    X = np.random.default_rng(0).standard_normal((14000, 200))
    np.savez(path, X=X, y=np.arange(14000) % 4)
    page.goto(f"{app_url}/data?data=large.npz&each=20")
    settled(page)
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("How large.npz is read").wait_for()
    settled(page)
    to_screen(page, "Explore")
    page.locator(".st-key-matrix canvas[data-drawn]").wait_for()
    to_screen(page, "Data")
    settled(page)
    page.get_by_role("button", name="Undo all preparation").click()
    page.wait_for_url(lambda url: "each=" not in url)
    settled(page)
    page.get_by_role("button", name="Explore this data").click()
    part(page.locator(".st-key-progress"), "progress").wait_for()
    return page


@pytest.mark.parametrize("place", [".st-key-progress", "@header"])
def test_either_stop_keeps_the_last_result_and_leaves_no_progress(at_work, place):
    at_work.locator(named(place)).get_by_role("button", name="Stop").click()
    at_work.get_by_text("Stopped. The last result is shown").wait_for()
    settled(at_work)
    assert part(at_work, "progress").count() == 0
    label = at_work.locator(".st-key-matrix canvas").get_attribute("aria-label")
    assert label.startswith("Affinity matrices of 80 points")
    assert at_work.get_by_role("button", name="Compute").is_visible()


def test_a_click_while_at_work_is_heeded(at_work):
    """Another screen at once; the session is as it was."""
    to_screen(at_work, "Words")
    at_work.get_by_role("heading", name="Words").wait_for()
    settled(at_work)
    assert part(at_work, "progress").count() == 0
