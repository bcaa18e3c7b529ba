"""The Sweep screen in Chromium: run, stop, go on, click a setting into Explore, and Back."""

import pandas as pd

from tests.browser import part, settled

# Where on the page a cell of the heat map is, by the values of its axes.
PLACE = """(chart, [x, y]) => {
  const plot = chart.querySelector(".js-plotly-plot"), box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  const at = (axis, value) => axis._offset + axis.l2p(axis._categories.indexOf(value));
  return [box.left + at(xaxis, x), box.top + at(yaxis, y)];
}"""


def test_run_stop_go_on_and_click_a_setting_into_explore(new_page, app_url, tmp_path):
    page = new_page()
    grid = "grid_gamma=3:6&grid_theta1=0.7:0.9:0.05&grid_theta2=0.4:0.6:0.05"
    page.goto(f"{app_url}/sweep?data=faces&{grid}")
    settled(page)
    page.get_by_text("100 settings").first.wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("left: ").first.wait_for(timeout=60_000)
    part(page, "main").get_by_role("button", name="Stop", exact=True).click()
    settled(page)
    page.get_by_text("Stopped; what was done is kept.").wait_for()
    assert part(page, "progress").count() == 0
    assert page.get_by_text(" done;").count() == 1
    page.get_by_role("button", name="Go on", exact=True).click()
    page.get_by_text("100 settings, all done").wait_for(timeout=120_000)
    settled(page)
    with page.expect_download() as got:
        page.get_by_role("button", name="Results (.csv)").click()
    got.value.save_as(tmp_path / "sweep.csv")
    assert len(pd.read_csv(tmp_path / "sweep.csv")) == 100
    chart = part(page, "chart").first
    chart.scroll_into_view_if_needed()
    place = chart.evaluate(PLACE, ["4", "0.85"])
    page.mouse.move(*place)
    chart.locator(".hovertext").first.wait_for()  # Plotly chooses what it hovers over
    page.mouse.click(*place)
    chosen = page.locator(".st-key-chosen-setting")
    chosen.get_by_text("Γ = 4, PCE, θ₁ = 0.85").wait_for()
    settled(page)
    said = chosen.inner_text().split("ACC (%): ")[1].split()[0]
    chosen.get_by_role("button", name="Open in Explore").click()
    page.get_by_role("heading", name="Explore").wait_for()
    settled(page)
    assert "gamma=4" in page.url and "theta1=0.85" in page.url
    assert part(page, "value").first.inner_text().startswith(said)
    page.go_back()
    page.get_by_text("100 settings, all done").wait_for()
    settled(page)
    assert "/sweep" in page.url and "grid_gamma=3%3A6" in page.url
    assert part(page, "chart").count() == 2 and chosen.count() == 1
