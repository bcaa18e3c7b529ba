"""The Sweep screen in Chromium: run, leave, stop, go on, take a setting to Explore, Back, keep."""

import re
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
from playwright.sync_api import expect

from tests.browser import part, settled, to_screen

# Where on the page a cell of the heat map is, by the values of its axes.
PLACE = """(chart, [x, y]) => {
  const plot = chart.querySelector(".js-plotly-plot"), box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  const at = (axis, value) => axis._offset + axis.l2p(axis._categories.indexOf(value));
  return [box.left + at(xaxis, x), box.top + at(yaxis, y)];
}"""


def address(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def click_cell(page, x, y):
    """One click on a cell of the heat map."""
    chart = part(page, "chart").first
    chart.evaluate("e => e.scrollIntoView({block: 'center'})")
    settled(page)
    place = chart.evaluate(PLACE, [x, y])
    page.mouse.move(*place)
    label = chart.locator(".hovertext").first  # Plotly chooses what it hovers over
    there = "([x, y]) => document.elementFromPoint(x, y)?.outerHTML.slice(0, 300)"
    expect(label, f"{place} {page.evaluate(there, place)}").to_be_visible()
    page.mouse.click(*place)


def test_run_leave_stop_go_on_take_a_setting_and_back(new_page, app_url, tmp_path):
    page = new_page()
    grid = "grid_gamma=3:14&grid_theta1=0.7:0.9:0.0125&grid_theta2=0.4:0.6:0.025&judge=1"
    page.goto(f"{app_url}/sweep?data=faces&gamma=6&{grid}")
    settled(page)
    page.get_by_text("1,836 settings").first.wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("of 1,836 settings").first.wait_for(timeout=60_000)
    to_screen(page, "Words")
    part(page, "sidebar").get_by_text("of 1,836 settings").wait_for()
    page.get_by_role("heading", name="Words").wait_for()
    to_screen(page, "Sweep")
    some_done = re.compile(r"[1-9]\d* of 1,836 settings")
    part(page, "main").get_by_text(some_done).first.wait_for(timeout=60_000)
    expect(part(page, "progress")).to_contain_text(" left", timeout=60_000)
    part(page, "main").get_by_role("button", name="Stop", exact=True).click()
    settled(page)
    page.get_by_text("Stopped; what was done is kept. Press Go on for the rest.").wait_for()
    assert part(page, "progress").count() == 0
    page.get_by_text(" done;").wait_for()
    page.get_by_role("button", name="Go on", exact=True).click()
    page.get_by_text("1,836 settings, all done").wait_for(timeout=300_000)
    settled(page)
    with page.expect_download() as got:
        page.get_by_role("button", name="Results (.csv)").click()
    got.value.save_as(tmp_path / "sweep.csv")
    results = pd.read_csv(tmp_path / "sweep.csv")
    assert len(results) == 1836
    before = address(page)
    click_cell(page, "4", "0.85")
    page.get_by_role("heading", name="Explore").wait_for()
    settled(page)
    taken = address(page)
    assert (taken["gamma"], taken["theta1"]) == ("4", "0.85")
    own = results[(results.gamma == 4) & (results.theta1 == 0.85)]
    shown = part(page, "value").first.inner_text()
    assert shown.startswith(f"{100 * own.acc.max():.1f}"), "the best of θ₂ is what the cell shows"
    page.go_back()
    page.get_by_text("1,836 settings, all done").wait_for()
    settled(page)
    assert urlsplit(page.url).path == "/sweep" and address(page) == before, "Γ and θ as before"
    chosen = page.locator(".st-key-chosen-setting")
    assert "Γ = 4, PCE, θ₁ = 0.85" in chosen.inner_text() and part(page, "chart").count() == 2
    to_screen(page, "Explore")
    page.get_by_role("heading", name="Explore").wait_for()
    settled(page)
    assert address(page)["gamma"] == "6"
    comes_back_elsewhere(page, new_page(), app_url, tmp_path / "mine.sdsc")


def comes_back_elsewhere(page, other, app_url, file):
    """The session file brings the sweep into a fresh browser."""
    page.get_by_role("tab", name="Download", exact=True).click()
    with page.expect_download() as got:
        page.get_by_role("button", name="Session (.sdsc)", exact=True).click()
    got.value.save_as(file)
    other.goto(f"{app_url}/data")
    settled(other)
    other.get_by_role("tab", name="Upload a file").click()
    other.locator("input[type=file]").set_input_files(file)
    other.get_by_text("1,836 swept settings").wait_for()
    settled(other)
    to_screen(other, "Sweep")
    other.get_by_text("1,836 settings, all done").wait_for()
    settled(other)
    assert part(other, "chart").count() == 2


def test_no_result_stays_under_other_data_while_a_sweep_goes_on(new_page, app_url):
    page = new_page()
    grid = "grid_gamma=3:14&grid_theta1=0.7:0.9:0.025&grid_theta2=0.4:0.6:0.05&draws=5&seeds=5"
    page.goto(f"{app_url}/sweep?data=faces&gamma=6&{grid}")
    settled(page)
    page.get_by_role("button", name="Run", exact=True).click()
    main = part(page, "main")
    expect(part(page, "chart")).to_have_count(2, timeout=60_000)
    stop = main.get_by_role("button", name="Stop", exact=True)
    stop.click()
    settled(page)
    page.get_by_role("button", name="Go on", exact=True).click()
    main.get_by_text(re.compile(r", .* left")).first.wait_for(timeout=60_000)
    results = main.get_by_role("button", name="Results (.csv)")
    expect(results, "not those of before below those of now").to_have_count(1)
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="Motion").click()
    expect(part(page, "chart"), "of the data set before").to_have_count(0)
    expect(results).to_have_count(0)
    expect(stop, "all that while the sweep goes on").to_be_visible()
    expect(part(page, "progress")).to_contain_text(re.compile("Sweeping .*aces.* settings"))
    stop.click()
    settled(page)
