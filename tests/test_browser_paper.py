"""The Paper screen in Chromium: its numbers are the files', a cell opens, a quick run stops."""

import pandas as pd
import pytest

from sdsc_core.datasets import known_file, named
from sdsc_core.experiments import hopkins, printed, shipped, shipping
from tests.browser import choose_row, part, settled

MAIN = "main"


@pytest.fixture
def table2():
    path = shipping.RESULTS / "table2.csv"
    assert path.exists(), "the results of Table 2 ship with the package"
    return pd.read_csv(path)


def test_a_table_and_its_cells(page, app_url, table2):
    page.goto(f"{app_url}/paper?part=table2")
    settled(page)
    known = table2[(table2["where"] == 2) & table2.acc.notna()]
    name = "IMC" if (known.method == "IMC").any() else known.method.iloc[0]
    own = known[(known.method == name) & (known.stage == "none")]
    named = page.get_by_role("table", name="ACC (%), mean over the draws, ours beside the paper's")
    named.wait_for()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
    cell = row.get_by_role("button").first
    shown, below = cell.inner_text().split("\n")
    error = 100 * own.acc.std() / len(own) ** 0.5
    assert shown == f"{100 * own.acc.mean():.1f} ± {error:.1f}"
    assert below.startswith(f"paper {printed.TABLE_2[name][2]:.1f}")
    page.get_by_role("radio", name="median").click()
    settled(page)
    assert "statistic=median" in page.url
    row.get_by_role("button").first.click()
    settled(page)
    if known_file("yaleb") is None:
        assert "CroppedYale" in part(page, MAIN).inner_text()
        return
    assert "data=yaleb" in page.url and "part=table2" in page.url
    if name == "IMC":
        first = 100 * own[own.draw == 0].acc.iloc[0]
        page.get_by_text(f"{first:.1f} %").first.wait_for()
    else:
        assert f"methods={name}" in page.url
    page.go_back()
    settled(page)
    assert page.get_by_role("table").count() == 1


def test_verdicts_then_a_quick_run_that_is_stopped(new_page, app_url):
    page = new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{app_url}/paper")
    settled(page)
    text = part(page, MAIN).inner_text()
    for claim in ("IMC is efficient and scales", "D3 is universal", "τ is about zero"):
        assert claim in text
    assert text.count("Rule: ") == 7
    page.goto(f"{app_url}/paper?part=figure1")
    settled(page)
    page.get_by_role("button", name="Run the quick version here").click()
    stop = part(page, MAIN).get_by_role("button", name="Stop", exact=True)
    stop.wait_for()
    stop.click()
    settled(page, timeout=20)
    page.get_by_text("Stopped: Synthetic data").wait_for()
    assert part(page, MAIN).evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def cell(page, line, column):
    """A cell of the table by the name of its line and the number of its column."""
    head = page.get_by_role("rowheader", name=line, exact=True)
    return page.get_by_role("row").filter(has=head).get_by_role("button").nth(column)


def test_synthetic_data_of_any_size_opens_and_stays(page, app_url):
    """The first draw of 300 points: its ACC as it ships, by a link and after a reload too."""
    [row] = [r for r in shipped("figure1").rows
             if (r.where, r.draw, r.name) == (300, 0, "IMC")]  # fmt: skip
    page.goto(f"{app_url}/paper?part=figure1")
    settled(page)
    cell(page, "IMC", 0).click()
    settled(page)
    assert "data=made%3A6-6-10-50-0-0" in page.url
    said = f"{100 * row.figures['acc']:.1f} %"
    for _ in range(2):
        main = part(page, MAIN)
        main.get_by_text("6 subspaces of dimension 6 in 10, 300 points").first.wait_for()
        main.get_by_text(said).first.wait_for()
        page.reload()
        settled(page)
    page.goto(f"{app_url}/paper?part=figure1")
    settled(page)
    cell(page, "IMC", -1).click()  # a million points: the command for them, at once
    settled(page)
    page.get_by_text("sdsc cluster made:6-6-10-166667-0-0").wait_for()


def test_a_sequence_of_hopkins_opens(page, app_url):
    page.goto(f"{app_url}/paper?part=hopkins")
    settled(page)
    cell(page, "LSR", 1).click()
    settled(page)
    name, error = choose_row(page, part(page, "frame"), 2)
    found = hopkins.by_sequence(shipped("hopkins").rows, "LSR", 3)
    assert name == list(found)[2] and float(error) == pytest.approx(found[name], abs=0.01)
    page.get_by_role("button", name=f"Open {name} in Compare").click()
    settled(page)
    if named(f"hopkins:{name}").missing():  # in the folder of the server
        page.get_by_text("Hopkins155 is not").wait_for()
        return
    assert f"data=hopkins%3A{name}" in page.url and "methods=LSR" in page.url
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("cell", name=f"{100 - found[name]:.1f}").first.wait_for()
    page.go_back()
    settled(page)
    page.get_by_text("LSR, three motions").wait_for()
