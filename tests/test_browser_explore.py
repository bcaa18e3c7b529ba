"""The Explore screen in Chromium: every control, every view, every file."""

import json
import os
import re
import subprocess
import sys
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import pytest
import scipy.sparse as sp

from sdsc_core import datasets, imc, misplaced, pce, spectral_clustering, summarise
from tests.browser import ROOT, named, part, settled


@pytest.fixture(scope="module")
def faces():
    """What the first picture shows, from the library alone."""
    data = datasets.sample("faces")
    W = imc(data.X, 6).affinity()
    star = pce(W, 0.8, 0.6)
    labels = spectral_clustering(star, 6)
    return data, W, star, labels, summarise(star, labels, data.labels)


def start(page, app_url, query=""):
    page.goto(f"{app_url}/?{query}")
    settled(page)


def address(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def figures(page):
    """Large figures and the table of metrics, as text."""
    cards = part(page, "metric")
    table = page.get_by_role("table", name="Metrics of W and W*")
    return cards.all_inner_texts(), table.get_by_role("row").all_inner_texts()


def control(page, key):
    return page.locator(f".st-key-{key}")


def pick(page, key, name):
    """Press one of the segments of a control."""
    control(page, key).get_by_role("radio", name=name, exact=True).click()
    settled(page)


def slide(page, key, press):
    control(page, key).locator("input").focus()
    page.keyboard.press(press)
    settled(page)


def value(page, key):
    return float(control(page, key).locator("input").input_value())


def canvas(page):
    return page.locator(".st-key-matrix canvas")


def embedding(page):
    return page.locator(".st-key-embedding canvas")


def drawn(page, key="matrix"):
    return page.locator(f".st-key-{key} canvas").get_attribute("data-drawn")


def window(page):
    return [float(v) for v in canvas(page).get_attribute("data-window").split(",")]


def cell(page, row, column, panel=0):
    """Where a cell of a matrix lies in the page."""
    box = canvas(page).bounding_box()
    left, top, side, step = (float(v) for v in canvas(page).get_attribute("data-place").split(","))
    x0, y0, x1, y1 = window(page)
    x = left + panel * step + (column + 0.5 - x0) * side / (x1 - x0)
    return box["x"] + x, box["y"] + top + (row + 0.5 - y0) * side / (y1 - y0)


def drag(page, start, stop):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*stop, steps=4)
    page.mouse.up()


def test_opens_with_a_result_and_follows_every_control(page, app_url, faces):
    start(page, app_url)
    check_first_picture(page, faces)
    fresh = figures(page)
    move_sliders(page)
    page.get_by_role("button", name="Reset to the paper's values").click()
    settled(page)
    assert figures(page) == fresh and address(page) == {}
    press_segments(page)


def check_first_picture(page, faces):
    data, _, star, _, s = faces
    cards, rows = figures(page)
    assert f"{100 * s.acc:.1f} %" in cards[0].splitlines()
    assert rows[1].split("\t")[2] == f"{s.acc:.4f}"
    assert (
        canvas(page)
        .get_attribute("aria-label")
        .startswith(f"Affinity matrices of {data.n_points} points")
    )
    assert f"W* {star.nnz};" in canvas(page).get_attribute("aria-label")
    bad = misplaced(data.labels, spectral_clustering(star, 6)).sum()
    assert f"{bad} points, marked by crosses," in embedding(page).get_attribute("aria-label")


def move_sliders(page):
    for key, press, written in (
        ("gamma", "ArrowRight", {"gamma": "7"}),
        ("theta1", "ArrowLeft", {"theta1": "0.79"}),
        ("theta2", "ArrowLeft", {"theta2": "0.59"}),
    ):
        before, picture = figures(page), drawn(page)
        slide(page, key, press)
        assert written.items() <= address(page).items()
        assert figures(page) != before and drawn(page) != picture
    slide(page, "theta3", "ArrowRight")
    assert address(page)["theta3"] == "0.31"
    for key, press in (
        *[("theta1", "Home")] * 4,  # each time it is set back to 0.02
        ("theta3", "End"),
        ("theta2", "Home"),
        ("theta2", "End"),
    ):
        slide(page, key, press)  # one pushes the others along
        assert value(page, "theta1") > value(page, "theta2") > value(page, "theta3")
        assert float(address(page)["theta1"]) == value(page, "theta1")


def press_segments(page):
    for key, name, written in (
        *(("dense", stage, stage) for stage in ("none", "D1", "D2", "D3")),
        ("residual", "centred", "centred"),
        ("similarity", "of the pair", "pair"),
        ("clusters", "eigengap", "gap"),
        ("clusters", "own", "own"),
    ):
        before = figures(page)
        pick(page, key, name)
        assert address(page)[key] == written
        assert key == "clusters" or figures(page) != before
    for key, number in (("k", "4"), ("seed", "11")):
        control(page, key).locator("input").fill(number)
        page.keyboard.press("Enter")
        settled(page)
        assert address(page)[key] == number
    assert page.get_by_text("4 clusters (chosen)").count() == 1


def test_data_sets_presets_and_views(page, app_url):
    start(page, app_url)
    control(page, "data").get_by_role("combobox").click()
    page.keyboard.type("Rigid motions")
    page.keyboard.press("Enter")
    settled(page)
    assert address(page) == {"data": "motion", "gamma": "6"}
    for preset in ("Digits", "Noise", "Faces"):
        page.get_by_role("button", name="Presets").click()
        page.get_by_role("button", name=preset, exact=True).click()
        settled(page)
        assert page.get_by_role("dialog").count() == 0  # it would hide what there is to see
        assert address(page).get("data", "faces") == preset.lower()
    picture = drawn(page)
    pick(page, "view", "W* − W")
    assert drawn(page) != picture and address(page) == {"view": "change", "gamma": "5"}
    pick(page, "view", "W and W*")
    assert drawn(page) == picture
    for order in ("found cluster", "as loaded"):
        pick(page, "order", order)
    assert address(page).items() >= {"order": "loaded"}.items()
    before = canvas(page).screenshot()
    pick(page, "colour", "log")
    assert canvas(page).screenshot() != before
    control(page, "matrix").get_by_role("button", name="Save as PNG").focus()
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


def tip(page):
    """What the matrix says about the entry under the mouse."""
    text = page.locator(".st-key-matrix .tip").inner_text()
    found = re.match(r"i = (\d+), (.*)\nj = (\d+), (.*)\nw = (\S+)\nw\* = (\S+)", text)
    assert found, text
    i, name_i, j, name_j, w, star = found.groups()
    return int(i), name_i, int(j), name_j, float(w), float(star)


def test_zoom_and_choose_in_matrix_and_embedding(page, app_url, faces):
    start(page, app_url)
    zoom(page)
    choose_entry(page, faces)
    choose_point(page, faces)


def zoom(page):
    whole = [0, 0, 384, 384]
    assert window(page) == whole
    drag(page, cell(page, 64, 64, panel=1), cell(page, 127, 127, panel=1))
    boxed = window(page)
    assert boxed == pytest.approx([64, 64, 128, 128], abs=1)
    assert all(v.is_integer() for v in boxed)  # whole cells
    toolbar = control(page, "matrix")
    toolbar.get_by_role("button", name="Zoom out").click()
    assert window(page)[2] - window(page)[0] == 2 * (boxed[2] - boxed[0])
    toolbar.get_by_role("button", name="Zoom in").click()
    toolbar.get_by_role("button", name="Whole matrix").click()
    assert window(page) == whole
    canvas(page).focus()
    page.keyboard.press("+")
    assert window(page) == [96, 96, 288, 288]
    page.keyboard.press("-")
    assert window(page) == whole
    page.keyboard.press("+")
    slide(page, "theta1", "ArrowLeft")
    assert window(page) == [96, 96, 288, 288]  # a new picture keeps the view
    slide(page, "theta1", "ArrowRight")
    page.mouse.dblclick(*cell(page, 100, 110))
    assert window(page) == whole
    settled(page)
    assert "pair" not in address(page)  # only zoomed out


def choose_entry(page, faces):
    data, W, star, _, _ = faces
    raised = sp.coo_array(sp.triu(star - W, 1))
    inside = (raised.data > 0) & (raised.row > 68) & (raised.col < 100)
    i, j = int(raised.row[inside][0]), int(raised.col[inside][0])
    drag(page, cell(page, 64, 64), cell(page, 104, 104))
    names = [data.class_names[data.labels[k]] for k in (i, j)]
    told = (i, names[0], j, names[1], round(W[i, j], 4), round(star[i, j], 4))
    for panel in (0, 1):
        page.mouse.move(*cell(page, i, j, panel))
        assert tip(page) == told
    page.mouse.click(*cell(page, i, j))
    settled(page)
    assert page.get_by_text(
        f"Pair i = {i} ({names[0]}), j = {j} ({names[1]}): w = {W[i, j]:.4f}, w* = {star[i, j]:.4f}"
    ).is_visible()
    assert address(page)["point"] == str(i)
    page.mouse.move(0, 0)
    canvas(page).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    a, _, b, _, w, w_star = tip(page)
    assert (w, w_star) == (round(W[a, b], 4), round(star[a, b], 4))
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Unmark").click()
    settled(page)
    assert "point" not in address(page)


def choose_point(page, faces):
    toolbar, plain = control(page, "embedding"), drawn(page, "embedding")
    embedding(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    tip = toolbar.locator(".tip")
    assert tip.inner_text() == "point 2\nface 1"
    box = embedding(page).bounding_box()
    x, y = tip.evaluate("t => [parseFloat(t.style.left) - 14, parseFloat(t.style.top) - 10]")
    page.mouse.click(box["x"] + x, box["y"] + y)
    settled(page)
    point = int(address(page)["point"])
    name = faces[0].class_names[faces[0].labels[point]]
    assert page.get_by_text(f"Point {point} ({name}) is marked in every view.").is_visible()
    pick(page, "paint", "cluster")
    assert toolbar.get_by_role("button", name="cluster 0").get_attribute("aria-pressed") == "true"
    pick(page, "dims", "3-D")
    marks = {"point": str(point), "paint": "cluster", "dims": "3-D", "gamma": "6"}
    assert address(page) == marks
    assert drawn(page, "embedding") != plain
    turned = embedding(page).screenshot()
    x, y = box["x"] + 150, embedding(page).bounding_box()["y"] + 150
    drag(page, (x, y), (x + 60, y + 40))
    assert embedding(page).screenshot() != turned
    toolbar.get_by_role("button", name="cluster 0").click()
    toolbar.get_by_role("button", name="All points").click()
    pick(page, "dims", "2-D")


def test_marking_and_progress_move_nothing(page, app_url):
    start(page, app_url)
    place = named("e => e.getBoundingClientRect().top + e.closest('@main').scrollTop")
    before = control(page, "embedding").evaluate(place)
    embedding(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    assert "point" in address(page)
    assert control(page, "embedding").evaluate(place) == before
    for path in ("", "densification", "step"):
        page.goto(f"{app_url}/{path}")
        settled(page)
        spot = page.locator(".st-key-progress")
        assert spot.evaluate("e => getComputedStyle(e).position") == "fixed", path


# Whatever lies beyond the right edge, a line of choices that is longer than its place, and what
# hides a part of itself.
CUT = """() => {
  const all = (what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent);
  const right = (e) => e.getBoundingClientRect().right, edge = right(document.querySelector("@main"));
  const cut = [
    ...all("@main :is(button, th, td, p, @delta)").filter((e) => right(e) > edge),
    ...all("@choices").filter(
      (e) => right([...e.querySelectorAll("button")].at(-1)) > right(e) + 1),
    ...all("@html, @main button, @metric *").filter(
      (e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible"),
  ];
  return cut.map((e) => `${e.tagName}: ${e.textContent}`);
}"""  # noqa: E501


@pytest.mark.parametrize("size", [(1440, 1000), (1280, 720), (1024, 768)], ids=str)
def test_nothing_is_cut_off_in_a_small_window(page, app_url, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    start(page, app_url)
    page.get_by_role("button", name="Pin as A").click()
    settled(page)
    pick(page, "view", "W* − W")
    assert page.evaluate(named(CUT)) == []
    rows = {
        key: {control(page, key).get_by_role("radio").nth(k).bounding_box()["y"] for k in (0, -1)}
        for key in ("clusters", "view", "order", "colour")  # the dense stages need two lines
    }
    assert all(len(tops) == 1 for tops in rows.values()), rows  # each in one line


def test_an_address_shows_the_same_to_somebody_else(page, new_page, app_url):
    start(page, app_url, "data=digits&gamma=7")
    slide(page, "theta1", "ArrowRight")
    pick(page, "order", "found cluster")
    other = new_page()
    other.goto(page.url)
    settled(other)
    assert address(other) == address(page)
    assert figures(other) == figures(page) and drawn(other) == drawn(page)


def test_dark_theme(new_page, app_url):
    page = new_page(color_scheme="dark")
    start(page, app_url)
    shown = part(page, "app").evaluate("e => getComputedStyle(e).backgroundColor")
    assert max(int(v) for v in re.findall(r"\d+", shown)[:3]) < 60
    corner = canvas(page).evaluate("c => [...c.getContext('2d').getImageData(2, 2, 1, 1).data]")
    assert max(corner[:3]) < 60


def download(page, name):
    with page.expect_download() as saved:
        page.get_by_role("button", name=name, exact=True).click()
    return saved.value.path()


def test_pin_tabs_and_files(page, app_url, tmp_path, faces):
    start(page, app_url)
    pin(page)
    open_tabs(page)
    read_files_back(page, faces)
    run_script(page, tmp_path)


def pin(page):
    page.get_by_role("button", name="Pin as A").click()
    settled(page)
    slide(page, "gamma", "ArrowLeft")
    rows = [row.split("\t") for row in figures(page)[1]]
    assert rows[0][-2:] == ["A: W*", "now − A"]
    assert float(rows[6][5]) == pytest.approx(float(rows[6][2]) - float(rows[6][4]), abs=1.01e-4)
    page.get_by_role("button", name="Unpin").click()
    settled(page)
    assert "now − A" not in figures(page)[1][0]
    slide(page, "gamma", "ArrowRight")


def open_tabs(page):
    for name, inside in (
        ("Eigenvalues", ".js-plotly-plot .bars"),
        ("Gallery", "img"),
        ("Confusion", "table.sdsc td"),
    ):
        page.get_by_role("tab", name=name).click()
        settled(page)
        assert page.get_by_role("tabpanel").locator(inside).count() > 0, name


def read_files_back(page, faces):
    data, W, star, labels, s = faces
    page.get_by_role("tab", name="Download").click()
    settled(page)
    table = pd.read_csv(download(page, "Labels (.csv)"))
    assert table["cluster_W_star"].tolist() == labels.tolist()
    assert table["class"].tolist() == [data.class_names[c] for c in data.labels]
    for name, matrix in (("W (.npz)", W), ("W* (.npz)", star)):
        assert abs(sp.load_npz(download(page, name)) - matrix).max() == 0
    kept = json.loads(download(page, "Settings (.json)").read_text())
    assert kept["settings"]["theta1"] == 0.8 and kept["result"]["ACC"] == s.acc
    for name in ("Affinity (.html)", "Embedding (.html)"):
        assert "Plotly.newPlot" in download(page, name).read_text()


def run_script(page, folder):
    script = folder / "reproduce.py"
    script.write_bytes(download(page, "Python script").read_bytes())
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    again = json.loads(done.stdout)
    rows = {row.split("\t")[0]: row.split("\t")[1:3] for row in figures(page)[1][1:]}
    for name, row in (("ACC", "ACC"), ("NMI", "NMI"), ("CONN", "CONN, whole graph"),
                      ("CONN mean", "CONN, mean"), ("Ncut", "Ncut")):  # fmt: skip
        assert rows[row] == [f"{again[side][name]:.4f}" for side in ("W", "W*")]
