"""The Compare screen in Chromium: run, stop midway, go on behind other screens, download."""

import pandas as pd
from playwright.sync_api import expect

from tests.browser import part, settled, to_screen


def test_run_stop_go_on_and_download(new_page, app_url, tmp_path):
    page = new_page()
    page.goto(f"{app_url}/compare?data=subspaces&methods=IMC.OMP.LSR.MSR&stages=none.D1.D3")
    settled(page)
    run = page.get_by_role("button", name="Run", exact=True)
    run.click()
    # MSR comes last and takes seconds; by then the others are done.
    page.get_by_text("of 12: MSR").first.wait_for(timeout=90_000)
    part(page, "main").get_by_role("button", name="Stop", exact=True).click()
    settled(page)
    page.get_by_text("Stopped; what was done is kept.").wait_for()
    table = page.get_by_role("table", name="ACC of methods and dense stages")
    assert "LSR" in table.inner_text()
    run.click()
    page.get_by_role("cell", name="MSR").wait_for(timeout=120_000)
    settled(page)
    rows = table.get_by_role("row").all_inner_texts()
    assert [r.split()[0] for r in rows] == ["method", "IMC", "OMP", "LSR", "MSR"]
    assert table.get_by_text("★").count() >= 1
    page.get_by_role("button", name="Open IMC", exact=True).click()
    settled(page)
    matrix = page.locator("canvas[data-drawn]")
    assert matrix.count() == 1
    box = matrix.bounding_box()  # where one looks: below its row, and scrolled into sight
    below = page.get_by_role("button", name="Close IMC", exact=True).bounding_box()
    assert 0 <= box["y"] - below["y"] < 400 and box["y"] < 1000 - 0.5 * box["height"]
    page.get_by_role("radio", name="NMI").click()
    settled(page)
    files = {
        "results.csv": "Results (.csv)",
        "summary.csv": "Summary (.csv)",
        "table.md": "Table (.md)",
        "table.tex": "Table (.tex)",
        "compare.py": "Python script",
    }
    for name, title in files.items():
        with page.expect_download() as got:
            page.get_by_role("button", name=title).click()
        got.value.save_as(tmp_path / name)
    results = pd.read_csv(tmp_path / "results.csv")
    assert len(results) == 12 and set(results.dense) == {"none", "D1", "D3"}
    shown = float(rows[3].split()[1])
    lsr = results[(results.method == "LSR") & (results.dense == "none")]
    assert abs(100 * lsr.acc.iloc[0] - shown) < 0.051
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert {"mean", "median", "std"} < set(summary.columns) and len(summary) == 6 * 12
    text = (tmp_path / "table.md").read_text()
    assert text.startswith("NMI (%)") and "| LSR |" in text
    assert r"\caption{NMI (\%)" in (tmp_path / "table.tex").read_text()
    script = (tmp_path / "compare.py").read_text()
    assert "datasets.sample('subspaces')" in script and "'MSR': {" in script


def test_a_run_ends_by_streamlits_stop_and_goes_on_behind_other_screens(new_page, app_url):
    page = new_page(viewport={"width": 1024, "height": 768})
    page.goto(f"{app_url}/compare?data=subspaces&methods=LSR.MSR&stages=none.D1")
    settled(page)
    run = page.get_by_role("button", name="Run", exact=True)
    run.click()
    page.get_by_text(": MSR").first.wait_for(timeout=90_000)
    part(page, "header").get_by_role("button", name="Stop").click()
    settled(page)
    page.get_by_text("Stopped; what was done is kept.").wait_for()
    assert part(page, "progress").count() == 0
    part(page, "main").get_by_text("D2", exact=True).click()
    settled(page)
    assert page.get_by_text("6 cells, 2 of them done").count() == 1
    picture = page.get_by_role("img", name="Affinity of LSR-D1")
    assert picture.bounding_box()["width"] > 100
    open_it = page.get_by_role("button", name="Open LSR-D1", exact=True)
    assert open_it.evaluate("b => b.scrollWidth <= b.clientWidth")
    run.click()
    page.get_by_text(": MSR").first.wait_for(timeout=90_000)
    to_screen(page, "Explore")
    sidebar = part(page, "sidebar")
    sidebar.get_by_text("Comparing").wait_for()
    settled(page)
    page.get_by_role("heading", name="Explore").wait_for()
    sidebar.get_by_text("What ran on Compare is done.").wait_for(timeout=120_000)
    to_screen(page, "Compare")
    page.get_by_text("6 cells, all done.").wait_for()
    settled(page)
    assert "MSR" in page.get_by_role("table").inner_text()
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="Motion").click()
    settled(page)
    page.get_by_text("Nothing has been compared for this data").wait_for()
    assert page.get_by_role("table").count() == 0


def test_a_verdict_from_the_question_to_explore(new_page, app_url):
    page = new_page(viewport={"width": 1440, "height": 1000})
    page.goto(f"{app_url}/compare?data=motion&budget=5&gamma=6")
    settled(page)
    page.get_by_role("button", name="Find out").click()
    trying = part(page, "progress").get_by_text("Trying what helps on")
    trying.wait_for()
    asked = page.get_by_role("button", name="Find out").bounding_box()
    assert 0 < trying.bounding_box()["y"] - asked["y"] < 150  # where one has clicked
    page.get_by_role("button", name="Try again").wait_for(timeout=60_000)
    settled(page)
    table = page.get_by_role("table", name="Settings that were tried, the best first")
    assert "k-means" in table.inner_text() and "KNN" in table.inner_text()
    assert page.get_by_text("What to doubt:").count() == 1
    taken = page.get_by_role("button", name="to Explore")
    taken.click()
    page.get_by_role("heading", name="Explore").wait_for()
    settled(page)
    assert "/compare" not in page.url
    page.go_back()
    page.get_by_role("heading", name="Compare").wait_for()
    settled(page)
    assert "k-means" in table.inner_text()  # the answer is still there


def test_no_result_stays_under_other_data_while_a_run_goes_on(new_page, app_url):
    many = "LSR.BDR.SSC.LRSSC.L0-SSC.SSSC.LRR"
    page = new_page()
    page.goto(f"{app_url}/compare?data=faces&methods={many}&stages=none.D1.D2.D3&repeats=20")
    settled(page)
    page.get_by_role("button", name="Run", exact=True).click()
    table = page.get_by_role("table", name="ACC of methods and dense stages")
    expect(table).to_have_count(1, timeout=60_000)
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="Motion").click()
    expect(table, "of the data set before").to_have_count(0)
    expect(part(page, "main").locator("img")).to_have_count(0)
    stop = part(page, "main").get_by_role("button", name="Stop", exact=True)
    expect(stop, "all that while the run goes on").to_be_visible()
    expect(part(page, "progress")).to_contain_text("aces")
    stop.click()
    settled(page)
