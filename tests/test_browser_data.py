"""The Data screen in a real browser: uploads, screens, keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser import part, settled
from tests.conftest import DATA, ROOT

FILES = {
    "subspaces.csv": ("200", "12", "5"),
    "noisy_subspaces.npy": ("200", "30", "–"),
    "digits.npz": ("400", "64", "5"),
    "motion.mat": ("180", "60", "3"),
    "overlapping_subspaces_v73.mat": ("160", "15", "4"),
    "shaded_faces.zip": ("64", "2,016", "4"),
}
REAL = {
    "yaleb_48x42.npz": ("2,414", "2,016", "38"),
    "usps.npz": ("9,298", "256", "10"),
    "mnist_t10k.npz": ("10,000", "784", "10"),
    "mnist_t10k_scattering_pca500.npz": ("10,000", "500", "10"),
}


@pytest.fixture
def screen(page, app_url):
    page.goto(f"{app_url}/data")
    settled(page)
    return page


def upload(page, file):
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(file)
    name = file["name"] if isinstance(file, dict) else file.name
    page.get_by_text(f"How {name} is read").wait_for()
    settled(page)


def size(page):
    values = part(page, "value").all_inner_texts()
    return tuple(value.strip() for value in values[:3])


def test_each_format(screen):
    for name, shape in FILES.items():
        upload(screen, ROOT / "sample_data" / name)
        assert size(screen) == shape
        assert f"data={name}" in screen.url
    assert screen.get_by_role("figure", name="Pictures of each class").is_visible()


def test_subspaces_are_made_and_come_back_by_the_address(screen):
    screen.get_by_role("tab", name="Make subspaces").click()
    for label, number in (("Points on each", "30"), ("Noise", "0.1")):
        field = screen.get_by_role("spinbutton", name=label)
        field.fill(number)
        field.press("Enter")
        settled(screen)
    screen.get_by_text("6 subspaces of dimension 6 in 10, 180 points, noise 0.1.").wait_for()
    screen.get_by_role("button", name="Make", exact=True).click()
    settled(screen)
    assert size(screen) == ("180", "10", "6") and "data=made%3A6-6-10-30-0.1-0" in screen.url
    screen.reload()
    settled(screen)
    assert size(screen) == ("180", "10", "6")
    screen.go_back()
    settled(screen)
    assert size(screen) == ("384", "2,016", "6")


def test_real_data(screen, real_data):
    for name, shape in REAL.items():
        real_data(name)
        upload(screen, DATA / name)
        for k, value in enumerate(shape):  # between two runs of the script the last file is shown
            expect(part(screen, "value").nth(k)).to_have_text(value, timeout=60_000)


def test_it_stays_between_screens(screen):
    upload(screen, ROOT / "sample_data" / "motion.mat")
    screen.get_by_role("button", name="Explore this data").click()
    screen.get_by_text("180 points in 60 dimensions").wait_for()
    settled(screen)
    screen.get_by_role("link", name="Data", exact=True).click()
    screen.get_by_text("How motion.mat is read").wait_for()
    settled(screen)
    assert size(screen) == FILES["motion.mat"]


def test_a_bad_file_changes_nothing(screen):
    upload(screen, ROOT / "sample_data" / "digits.npz")
    upload(screen, {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"})
    sentence = screen.get_by_role("alert").first.inner_text()
    assert "'notes.txt' has none of the endings" in sentence
    assert "“digits.npz” stays as it was." in sentence
    assert size(screen) == FILES["digits.npz"]


def test_missing_values_are_asked_for(screen):
    rows = b"a,b,c\n1,2,3\n,5,7\n4,4,1\n2,,9\n"
    upload(screen, {"name": "gaps.csv", "mimeType": "text/csv", "buffer": rows})
    assert "data=" not in screen.url
    screen.get_by_role("radio", name="Drop these samples").click()
    screen.wait_for_url("**data=gaps.csv**")
    settled(screen)
    assert size(screen) == ("2", "3", "–")


def test_keyboard(screen):
    """A sample, a source and a number by keys alone."""
    screen.get_by_role("button", name="Unequal classes").focus()
    screen.keyboard.press("Enter")
    screen.wait_for_url("**data=unequal**")
    settled(screen)
    screen.get_by_role("tab", name="Samples").focus()
    screen.keyboard.press("ArrowRight")
    screen.keyboard.press("Enter")
    assert screen.get_by_role("tab", name="Upload a file").get_attribute("aria-selected") == "true"
    screen.get_by_role("spinbutton", name="Samples of each class").fill("20")
    screen.keyboard.press("Enter")
    screen.wait_for_url("**each=20**")
    settled(screen)
    assert "80" in part(screen, "table").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_out_of_the_page(new_page, app_url, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(f"{app_url}/data")
    charts = page.get_by_role("figure")
    for width in (1440, 1100):
        page.set_viewport_size({"width": width, "height": 900})
        charts.nth(4).wait_for()
        settled(page)
        assert charts.count() == 5
        main = part(page, "main")
        assert main.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_no_table_is_saved_past_our_own_files(page, app_url):
    """Streamlit's own CSV of a table would hold names that a spreadsheet takes for formulas."""
    page.goto(f"{app_url}/data?data=motion")
    settled(page)
    table = part(page, "frame").first
    table.hover()
    tools = part(page, "toolbar").get_by_role("button")
    tools.first.wait_for()
    assert tools.count() >= 2
    names = [tool.get_attribute("aria-label") for tool in tools.all() if tool.is_visible()]
    assert names and not any("CSV" in name for name in names)
