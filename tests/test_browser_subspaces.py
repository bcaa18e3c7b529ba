"""The Subspaces screen in a browser: open it, follow a point that fits badly, come back."""

import numpy as np

from sdsc_core import run_stages, subspaces
from sdsc_core.datasets import prepare, sample
from sdsc_core.settings import RunSettings
from tests.browser import part, settled

QUERY = "data=motion&each=20&gamma=4"


def test_a_point_that_fits_badly_is_one_click_from_its_steps(page, app_url):
    run = run_stages(prepare(sample("motion"), per_class=20), RunSettings(gamma=4))
    found = subspaces(run.data.X, run.after.labels)
    worst = int(found.worst(1)[0])
    page.goto(f"{app_url}/subspaces?{QUERY}")
    page.get_by_role("heading", name="Subspaces").wait_for(timeout=120_000)
    settled(page)
    rows = page.get_by_role("table", name="Subspaces of the found clusters").locator("tbody tr")
    shown = [row.locator("td").nth(3).inner_text() for row in rows.all()]
    assert shown == [str(s.dimension) for s in found.each]
    assert part(page, "chart").count() == 4  # values, angles, basis, distances
    line = page.locator(f".st-key-worst-{worst}")
    assert f"own {found.points.own[worst]:.4g}" in line.inner_text()
    line.get_by_role("button", name="Step through").click()
    page.get_by_role("heading", name="Step through").wait_for()
    settled(page)
    assert page.get_by_label("Point i, 0 to").first.input_value() == str(worst)
    page.go_back()
    page.get_by_role("heading", name="Subspaces").wait_for()
    settled(page)
    assert "/subspaces" in page.url and np.array_equal(shown, [
        row.locator("td").nth(3).inner_text() for row in rows.all()
    ])  # fmt: skip
