"""The screen "Step through" in a browser: steps, pairs, θ that flips a condition, the animation."""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from sdsc_core import changes, imc, pce
from sdsc_core.datasets import prepare, sample
from sdsc_core.dense import rank_changes
from sdsc_core.tracing import sweep
from tests import naive
from tests.browser import choose_row, click_when_there, part, settled

GAMMA, POINT = 4, 7
DATA = "data=motion&each=20&gamma=4"


@dataclass
class Small:
    """What the screen shows under DATA, by the library itself."""

    X: np.ndarray
    labels: np.ndarray
    W: object

    @property
    def raised(self):
        return changes(self.W, pce(self.W, 0.8, 0.6))


@pytest.fixture(scope="module")
def small():
    data = prepare(sample("motion"), per_class=20)
    assert (np.diff(data.labels) >= 0).all()
    return Small(data.X, data.labels, imc(data.X, GAMMA).affinity())


@pytest.fixture
def step(page, app_url):
    """Opens the screen; ``sent`` counts what the browser tells the server afterwards."""
    page.sent = 0

    def count(socket):
        socket.on("framesent", lambda _: setattr(page, "sent", page.sent + 1))

    page.on("websocket", count)

    def open_screen(query):
        page.goto(f"{app_url}/step?{query}")
        page.get_by_role("heading", name="Step through").wait_for(timeout=120_000)
        settled(page)
        return page

    return open_screen


def rows(reading):
    """The table of steps, cell by cell."""
    return [
        [c.replace("−", "-") for c in row.locator("td").all_inner_texts()]
        for row in reading.locator("table.steps tbody tr").all()
    ]


def pair(page):
    return tuple(int(page.get_by_label(re.compile(f"Point {p}, 0 to")).input_value()) for p in "ij")


def metric(page, label):
    box = part(page, "metric").filter(has_text=label)
    return part(box, "value").inner_text().replace("\xa0", " ")


def test_a_point_is_stepped_to_its_end_in_both_readings(step, small):
    page = step(f"{DATA}&point={POINT}&beside=1")
    page.locator("section.reading").nth(1).wait_for()
    readings = page.locator("section.reading").all()
    assert [r.locator("h4").inner_text() for r in readings] == [
        "Residual as printed", "Residual centred",
    ]  # fmt: skip
    expected = [naive.imc(small.X, GAMMA, residual) for residual in ("as_printed", "centred")]
    said = page.sent
    for gamma in range(GAMMA + 1):
        assert page.locator("output.label").inner_text() == f"γ = {gamma} of Γ = {GAMMA}"
        for reading, (picks, values) in zip(readings, expected, strict=True):
            words = reading.locator(".words").inner_text()
            frame = reading.locator("figure").nth(2).get_attribute("class")
            if gamma == GAMMA:
                assert words.startswith(f"The end: Γ allows {GAMMA} picks") and "none" in frame
                continue
            j = picks[POINT, gamma]
            right = small.labels[j] == small.labels[POINT]
            assert f"point {j} correlates most" in words
            assert ("a right pick" in words) == right and ("right" in frame) == right
            shown = rows(reading)[gamma]
            assert shown[:2] == [str(gamma), str(j)]
            assert abs(float(shown[4])) == pytest.approx(values[POINT, gamma], abs=6e-5)
            kept = naive.coefficients(picks[:, : gamma + 1], values)[POINT, j]
            assert float(shown[5]) == pytest.approx(kept, abs=6e-5)
        if gamma < GAMMA:
            page.get_by_role("button", name="Next").click()
    assert page.get_by_role("button", name="Next").is_disabled()
    assert page.sent == said  # every step was drawn without asking the server


def test_steps_play_by_themselves_and_obey_the_keyboard(step):
    page = step(f"{DATA}&point={POINT}")
    label, slider = page.locator("output.label"), page.get_by_role("slider", name="the steps γ")
    slider.focus()
    slider.press("End")
    assert label.inner_text().startswith(f"γ = {GAMMA} ")
    slider.press("ArrowLeft")
    assert label.inner_text().startswith(f"γ = {GAMMA - 1} ")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("l => l.textContent.startsWith('γ = 4')", arg=label.element_handle())
    page.get_by_role("button", name="Play").wait_for()  # it stopped by itself
    page.locator("table.steps tbody tr").nth(1).click()
    assert label.inner_text().startswith("γ = 1 ")


def test_a_point_is_chosen_in_the_embedding_and_by_its_picture(step):
    page = step("data=digits")
    number = page.get_by_label(re.compile("Point i, 0 to"))
    page.get_by_text("Choose from the embedding or by picture").click()
    settled(page)
    sheet = page.locator(".box canvas")
    fourth = str(np.flatnonzero(sample("digits").labels == 0)[3])
    x, y = sheet.get_attribute("data-places").split()[3].split(",")
    sheet.click(position={"x": float(x), "y": float(y)})
    page.wait_for_function(
        "([n, value]) => n.value === value", arg=[number.element_handle(), fourth]
    )  # fmt: skip
    settled(page)
    assert f"point={fourth}" in page.url and sheet.get_attribute("data-chosen") == fourth
    page.locator(".st-key-step-embedding canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):  # to the chosen point, and one further
        page.keyboard.press(key)
    page.wait_for_function(
        "([n, value]) => n.value !== value", arg=[number.element_handle(), fourth]
    )  # fmt: skip
    settled(page)
    chosen = number.input_value()
    assert page.locator("figcaption").first.inner_text().startswith(f"Point i = {chosen},")


def test_pairs_are_chosen_by_number_by_click_and_by_row(step, small):
    page = step(f"{DATA}&step=pair")
    raised = small.raised
    for p, value in (("i", 5), ("j", 12)):
        box = page.get_by_label(re.compile(f"Point {p}, 0 to"))
        box.fill(str(value))
        box.press("Enter")
        settled(page)
    assert pair(page) == (5, 12)
    assert metric(page, "wᵢⱼ before") == f"{small.W[5, 12]:.4f}"

    canvas = page.locator("canvas[data-window]")
    left, top, side, _ = (float(v) for v in canvas.get_attribute("data-place").split(","))
    e = len(raised) // 2
    i, j = int(raised.i[e]), int(raised.j[e])
    cell = side / len(small.X)
    canvas.click(position={"x": left + (j + 0.5) * cell, "y": top + (i + 0.5) * cell})
    settled(page)
    assert pair(page) == (i, j)
    assert metric(page, "w*ᵢⱼ after") == f"{raised.after[e]:.4f}"
    assert metric(page, "Reason") == f"condition {raised.condition[e]}"
    assert metric(page, "Witness k") == str(raised.witness[e])

    first = rank_changes(raised, small.labels)[1]
    choose_row(page, part(page, "frame").last, 1)
    assert pair(page) == (int(raised.i[first]), int(raised.j[first]))
    assert metric(page, "w*ᵢⱼ after") == f"{raised.after[first]:.4f}"


def test_moving_theta_flips_the_condition(step, small):
    for i, j in zip(small.raised.i.tolist(), small.raised.j.tolist(), strict=True):
        pieces = sweep(small.W, i, j, 0.8, 0.6, "theta1")
        flips = [(a, b) for a, b in pairwise(pieces)
                 if 0.7 < a.high < 0.97 and 0 != a.condition != b.condition
                 and a.high - a.low > 0.02 and b.high - b.low > 0.02]  # fmt: skip
        if flips:
            break
    below, above = flips[0]
    theta = np.floor(100 * below.high) / 100
    page = step(f"{DATA}&step=pair&pair={i}.{j}&point={i}&theta1={theta:.2f}")
    names = {0: "none", 1: "condition 1", 2: "condition 2", 3: "condition 3"}
    assert metric(page, "Reason") == names[below.condition]
    assert metric(page, "w*ᵢⱼ after") == f"{below.value:.4f}"
    told = f"From {below.high:.4f} on it would be"
    assert told in part(page, "main").inner_text()
    slider = part(page, "sidebar").get_by_role("slider", name="θ₁")
    slider.focus()
    slider.press("ArrowRight")
    settled(page)
    assert metric(page, "Reason") == names[above.condition]
    assert metric(page, "w*ᵢⱼ after") == f"{above.value:.4f}"


def test_distances_and_the_functions_of_table_1_are_drawn(step):
    page = step(f"{DATA}&step=pair&dense=D3")
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length >= 4")
    titles = " ".join(page.locator(".gtitle").all_text_contents())
    for words in ("Which way is shorter", "From similarity to distance", "What the way over k"):
        assert words in titles


def test_the_animation_runs_in_the_browser(step):
    page = step(f"{DATA}&step=stage")
    page.locator("canvas.charts[data-computed='20']").wait_for(timeout=120_000)
    settled(page)
    matrix, said = page.locator("canvas.matrix"), page.sent
    drawn = lambda: matrix.evaluate("c => [c.dataset.drawn, c.toDataURL()]")  # noqa: E731
    first = drawn()
    assert first[0].split()[1:] == ["1", "0.00"]
    slider = page.get_by_role("slider", name="Γ", exact=True)
    slider.focus()
    for _ in range(17):
        slider.press("ArrowRight")
    middle = drawn()
    assert middle[0].split()[1] == "18" and middle[1] != first[1]
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "c => c.dataset.drawn.endsWith(' 20 1.00')", arg=matrix.element_handle(), timeout=20_000
    )
    last = drawn()
    assert last[1] not in (first[1], middle[1])
    assert page.get_by_label("Lay W* over it").is_checked()
    words = page.locator(".words p").all_inner_texts()
    assert words[0].startswith("Γ = 20: W has") and words[1].startswith("W* adds")
    page.get_by_role("button", name="First").click()
    assert drawn()[0].split()[1:] == ["1", "1.00"]
    assert page.sent == said


def test_curves_can_be_stopped_and_gone_on_with(page, app_url):
    """Even though they are computed in a fragment, in which clicks wait."""
    click_when_there(page, ".st-key-stop-curves button")
    page.goto(f"{app_url}/step?data=digits10&gamma=6&dense=D3&step=stage")
    page.get_by_text(re.compile(r"Stopped\. The curves go to Γ = \d+ of 20")).wait_for()
    settled(page)
    computed = int(page.locator("canvas.charts").get_attribute("data-computed"))
    assert 1 <= computed < 20 and part(page, "progress").count() == 0
    assert page.get_by_text(f"The curves go to Γ = {computed} of 20").count() == 1
    page.get_by_role("button", name="Go on").click()
    page.locator("canvas.charts[data-computed='20']").wait_for(timeout=120_000)
    settled(page)
    assert page.get_by_role("button", name=re.compile("^(Stop|Go on)$")).count() == 0
