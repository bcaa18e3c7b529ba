"""Selection, history, session files and figures for papers in Chromium."""

import io
import json
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from PIL import Image

from sdsc_core.session import read_session
from tests.browser import ROOT, choose_row, part, settled


def address(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()
    settled(page)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def download(page, name):
    with page.expect_download() as saved:
        page.get_by_role("button", name=name, exact=True).click()
    return saved.value.path()


def points(page):
    return int(
        re.search(r"([\d,]+) points in", part(page, "main").inner_text())[1].replace(",", "")
    )


def around(page, key, way, corners):
    """Press a way to select, and drag along corners given as shares of a canvas."""
    canvas = page.locator(f".st-key-{key} canvas")
    canvas.scroll_into_view_if_needed()
    page.locator(f".st-key-{key}").get_by_role("button", name=way).click()
    box = canvas.bounding_box()
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*at[0])
    page.mouse.down()
    for spot in at[1:]:
        page.mouse.move(*spot, steps=3)
    page.mouse.up()
    settled(page)


def test_select_go_on_undo_and_why(page, app_url):
    page.goto(app_url)
    settled(page)
    around(page, "embedding", "Select points by a lasso",
           [(0.58, 0.09), (0.97, 0.09), (0.97, 0.87), (0.58, 0.87)])  # fmt: skip
    assert page.get_by_text("drawn around in the embedding").count() == 1
    around(page, "matrix", "Select the points of a block", [(0.1, 0.12), (0.16, 0.22)])
    told = page.get_by_text("in rows and columns of a block of the matrix").inner_text()
    n = int(re.match(r"(\d+) points of 384", told)[1])
    assert 3 <= n < 200
    rows = [line.split(",") for line in download(page, "Points (.csv)").read_text().splitlines()]
    assert rows[0] == ["point", "row", "class", "cluster_W", "cluster_W_star"]
    assert len(rows) == n + 1
    with np.load(download(page, "Points (.npz)")) as file:
        assert file["X"].shape[0] == n and file["row"].tolist() == [int(r[1]) for r in rows[1:]]
    press(page, "Only these")
    assert points(page) == n and "only" in address(page)
    press(page, "Undo the selection")
    assert points(page) == 384
    page.go_back()
    settled(page)
    assert points(page) == n
    page.go_back()
    settled(page)
    assert points(page) == 384 and "only" not in address(page)
    page.locator(".st-key-matrix").get_by_role(
        "button", name="Select the points of a block"
    ).click()
    page.locator(".st-key-matrix canvas").focus()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    settled(page)
    assert "pair" in address(page)
    press(page, "Why?")
    assert urlsplit(page.url).path == "/step" and address(page)["step"] == "pair"
    page.go_back()
    settled(page)
    assert points(page) == 384


def test_a_session_goes_to_another_browser(new_page, app_url, tmp_path):
    page = new_page()
    page.goto(f"{app_url}/data")
    settled(page)
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(ROOT / "sample_data" / "subspaces.csv")
    page.wait_for_url("**data=**")
    settled(page)
    page.locator(".st-key-screens a", has_text="Explore").click()
    settled(page)
    press(page, "Pin as A")
    page.get_by_role("radio", name="D3").click()
    settled(page)
    tab(page, "History")
    choose_row(page, part(page, "frame"), 1)
    press(page, "Return to it")
    assert "dense" not in address(page)
    page.go_back()
    settled(page)
    assert address(page)["dense"] == "D3"
    tab(page, "Download")
    file = tmp_path / "mine.sdsc"
    file.write_bytes(download(page, "Session (.sdsc)").read_bytes())
    assert read_session(file).settings["dense"] == "D3"
    notebook = json.loads(download(page, "Notebook").read_text())
    assert any("subspaces.csv" in line for c in notebook["cells"] for line in c["source"])
    shown = part(page, "metric").all_inner_texts()
    other = new_page()
    other.goto(f"{app_url}/data")
    settled(other)
    other.get_by_role("tab", name="Upload a file").click()
    other.locator("input[type=file]").set_input_files(file)
    other.wait_for_url("**dense=D3**")
    settled(other)
    assert other.get_by_text("1 data set, 2 runs, 1 pin").count() == 1
    other.locator(".st-key-screens a", has_text="Explore").click()
    settled(other)
    assert part(other, "metric").all_inner_texts() == shown
    assert address(other) == address(page)
    assert other.get_by_role("columnheader", name="now − A").count() == 1


def test_figures_for_papers_open(page, app_url):
    page.goto(f"{app_url}/?gamma=4")
    settled(page)
    tab(page, "Download")
    width = page.get_by_label("Width, mm", exact=True)
    width.fill("100")
    width.press("Enter")
    settled(page)
    pdf = download(page, "Figure").read_bytes()
    box = re.search(rb"/MediaBox \[ ?([^]]+)\]", pdf)[1].split()
    assert pdf[:5] == b"%PDF-" and float(box[2]) == pytest.approx(100 / 25.4 * 72, abs=0.1)
    page.get_by_role("radio", name="PNG").click()
    settled(page)
    dots = page.get_by_label("Dots per inch", exact=True)
    dots.fill("200")
    dots.press("Enter")
    settled(page)
    png = Image.open(io.BytesIO(download(page, "Figure").read_bytes()))
    assert abs(png.width - 100 / 25.4 * 200) <= 1 and "Γ = 4" in png.info["Description"]
    page.get_by_role("radio", name="SVG").click()
    settled(page)
    svg = download(page, "Figure").read_text()
    page.set_content(svg)
    assert page.locator("svg image").count() >= 2 and page.locator("svg path").count() > 50
