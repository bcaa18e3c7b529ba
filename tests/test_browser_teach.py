"""Inspect, the tour, the words and exercises in Chromium."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.tour.steps import STEPS
from sdsc_core import datasets, explain, imc
from tests.browser import Server, choose_row, faults, part, settled

ORANGE = """canvas => {
  const g = canvas.getContext("2d"), d = g.getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let k = 0; k < d.length; k += 4) if (d[k] === 213 && d[k + 1] === 94 && d[k + 2] === 0) n++;
  return n;
}"""


def address(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def shown_pair(page):
    text = page.get_by_text(re.compile(r"Pair i = \d+, j = \d+")).first.inner_text()
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


def orange(page):
    """Pixels of the mark on the matrices."""
    return page.locator('canvas[role="img"]').last.evaluate(ORANGE)


def test_a_row_marks_the_pair_everywhere(page, app_url):
    page.goto(f"{app_url}/densification?where=inside")
    settled(page)
    W = imc(datasets.sample("faces").X, 5).affinity()
    chosen = []
    for number in (1, 4):
        row = choose_row(page, part(page, "frame").first, number)
        page.get_by_text(f"Pair i = {row[0]}, j = {row[1]}").first.wait_for()
        settled(page)
        i, j = shown_pair(page)
        assert row == [str(i), str(j)]
        chosen.append((i, j))
        assert address(page)["pair"] == f"{i}.{j}" and address(page)["point"] == str(i)
        why = explain(W, i, j)
        captions = part(page, "caption").all_inner_texts()
        numbers = [int(re.search(r"= (\d+)", c)[1]) for c in captions]
        assert numbers == [i, why.witness, j]
        graph = part(page, "chart").filter(has_text="The graph around the pair")
        assert graph.get_by_text("raised by the dense stage").count() == 1
        assert orange(page) > 50
    assert chosen[0] != chosen[1]
    page.reload()
    settled(page)
    assert shown_pair(page) == chosen[1]


def test_a_cell_of_the_matrix_chooses_a_pair(page, app_url):
    page.goto(f"{app_url}/densification")
    settled(page)
    before = shown_pair(page)
    canvas = page.locator('canvas[role="img"]').last
    left, top, side, _ = (float(v) for v in canvas.get_attribute("data-place").split(","))
    canvas.click(position={"x": left + 0.15 * side, "y": top + 0.1 * side})
    settled(page)
    assert shown_pair(page) != before and "pair" in address(page)


def test_sums_and_pages(page, app_url):
    page.goto(f"{app_url}/densification?data=overlap")
    settled(page)
    page.get_by_role("button", name="›").click()
    settled(page)
    assert page.get_by_text("Rows 201–400 of").count() == 1
    page.get_by_role("tab", name="In sums").click()
    settled(page)
    assert page.get_by_text("the paper's argument fails here").count() == 1
    assert page.get_by_role("table", name="Raised pairs by cause").get_by_role("row").count() == 5
    assert page.get_by_role("table", name="Predictions of eq. 9 to 13").count() == 1


def test_the_tour_from_the_address_to_its_end(page, app_url):
    page.goto(f"{app_url}/?tour=1")
    settled(page)
    tops = []
    for n, step in enumerate(STEPS, 1):
        box = page.locator(".st-key-tour")
        assert f"Tour, step {n} of 7: {step.title}" in box.inner_text()
        assert box.locator(".katex-display").count() == 1, "the formula is set as a formula"
        assert box.locator(".katex-error").count() == 0 and "$" not in box.inner_text()
        wanted = {"gamma": "6"} | {k: str(v) for k, v in step.values.items()} | {"tour": str(n)}
        assert address(page) == wanted
        if step.shows == "matrices":
            tops.append(page.locator('canvas[role="img"]').first.bounding_box()["y"])
        page.get_by_role("button", name="Finish" if n == 7 else "Next").click()
        settled(page)
    assert page.locator(".st-key-tour").count() == 0 and "tour" not in address(page)
    assert max(tops) - min(tops) < 40, "the matrices hardly move from step to step"


def test_the_tour_s_page_leads_to_a_step_and_back(page, app_url):
    page.goto(f"{app_url}/tour")
    settled(page)
    page.get_by_role("button", name="Start at 6").click()
    settled(page)
    assert address(page) == {"data": "noise", "gamma": "6", "tour": "6"}
    page.get_by_role("button", name="Back").click()
    settled(page)
    assert address(page) == {"dense": "D3", "view": "change", "gamma": "6", "tour": "5"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_show_their_pictures(new_page, app_url, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(f"{app_url}/words")
    settled(page)
    part(page, "chart").locator("svg.main-svg").first.wait_for()
    assert part(page, "chart").count() == 14
    assert page.locator(".katex-error").count() == 0


def wire(page):
    """Everything that the server sends to the page, as it comes."""
    frames = []

    def keep(frame):
        frames.append(frame)

    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    return frames


def leaks(frames, words):
    text = b"".join(f if isinstance(f, bytes) else f.encode() for f in frames)
    return [word for word in words if word.encode() in text]


def make_exercise(page, app_url, query, *locks):
    page.goto(f"{app_url}/?{query}")
    settled(page)
    page.get_by_role("button", name="Make an exercise").click()
    field = page.get_by_role("combobox", name=re.compile("Lock"))
    for lock in locks:
        field.click()
        page.get_by_role("option", name=lock, exact=True).click()
        settled(page)
    page.get_by_role("textbox", name="Question").fill("How many bodies move?")
    page.get_by_role("textbox", name="Question").blur()
    settled(page)
    page.get_by_role("textbox", name="Answer", exact=True).fill("eleven bodies")
    page.get_by_role("textbox", name="Answer", exact=True).blur()
    settled(page)
    page.get_by_role("button", name="Make the address").click()
    settled(page)
    return part(page, "code").inner_text().strip()


def test_a_locked_address_gives_nothing_away(new_page, page, app_url):
    classes = datasets.sample("motion").class_names
    words = [*classes, "Rigid motions", "three moving", "Confusion", "ACC", "NMI"]
    teacher = new_page()
    open_book, frames = wire(teacher), wire(page)
    url = make_exercise(teacher, app_url, "data=motion&gamma=4", "Γ", "Dense stage")
    assert leaks(open_book, words) == words, "the words are there where nothing is hidden"
    words.append("eleven bodies")
    page.goto(url)
    settled(page)
    assert list(address(page)) == ["exercise"]
    answer = page.get_by_role("textbox", name="Your answer")
    answer.fill("three")
    answer.press("Enter")
    page.get_by_text("is not right yet").wait_for()
    settled(page)
    assert page.get_by_text("Exercise.").count() == 1
    links = [t.split()[-1] for t in page.locator(".st-key-screens a").all_inner_texts()]
    assert {"Data", "Tour", "Compare"}.isdisjoint(links) and "Inspect" in links
    for name in ("Eigenvalues", "Gallery", "Download"):
        page.get_by_role("tab", name=name).click()
        settled(page)
    buttons = part(page, "download").all_inner_texts()
    assert not [b for b in buttons if "script" in b or "Settings" in b]
    page.get_by_role("link", name="Inspect").click()
    settled(page)
    page.get_by_role("tab", name="In sums").click()
    settled(page)
    assert not leaks(frames, words)
    page.get_by_role("link", name="Step through").click()
    settled(page)
    assert not leaks(frames, classes)
    page.get_by_role("textbox", name="Your answer").fill("Eleven bodies.")
    page.get_by_role("textbox", name="Your answer").press("Enter")
    page.get_by_text("is right").wait_for()


def test_an_exercise_is_read_and_answered_in_every_window(new_page, page, app_url):
    """1024×768, 1920×1080, 150 % zoom of 1440 × 1000, a tablet and a phone."""
    url, seen = make_exercise(new_page(), app_url, "data=motion&gamma=4"), {}
    screens = ("", "densification", "step", "subspaces", "words")
    for width, height in ((1024, 768), (1920, 1080), (960, 667), (820, 1180), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for screen in screens:
            page.goto(url.replace("/?", f"/{screen}?"))
            settled(page)
            seen[screen, width, "question"] = faults(page)
        field = page.get_by_role("textbox", name="Your answer")
        assert field.bounding_box()["y"] + field.bounding_box()["height"] < height, "in view"
        for answer, told in (("two", "is not right yet"), ("eleven bodies", "is right")):
            field.fill(answer)
            field.press("Enter")
            page.get_by_text(told).wait_for()
            settled(page)
            seen[screen, width, answer] = faults(page)
    assert not {where: what for where, what in seen.items() if what}


def test_what_is_locked_cannot_be_moved(page, app_url):
    lock = "data.gamma.theta1.theta2.theta3.dense.residual.similarity.seed.clusters.k"
    page.goto(f"{app_url}/?lock={lock}&gamma=3")
    settled(page)
    sidebar = part(page, "sidebar")
    assert sidebar.locator("input, [role=radio]").count() > 10
    assert sidebar.locator("input:enabled, [role=radio]:enabled").count() == 0
    for name in ("Presets", "Make an exercise"):
        assert page.get_by_role("button", name=name).count() == 0
    assert page.get_by_role("button", name="Reset to the paper's values").is_disabled()


def test_a_screen_that_an_exercise_leaves_out_cannot_be_had(new_page, app_url):
    page = new_page()
    page.goto(f"{app_url}/words?data=motion&hide=1")
    settled(page)
    hrefs = [link.get_attribute("href") for link in page.locator(".st-key-screens a").all()]
    paths = [h.split("?")[0].rstrip("/") for h in hrefs]
    assert paths and not [p for p in paths if p.endswith(("data", "tour", "compare"))]


def test_the_first_visitor_of_a_server_may_come_straight_to_a_screen(browser):
    with Server() as fresh:
        page = browser.new_page()
        page.goto(f"{fresh.url}/densification?data=motion&gamma=4&hide=1")
        settled(page)
        assert part(page, "exception").count() == 0
        assert page.get_by_role("dialog").count() == 0, "Page not found"
        assert page.get_by_text("hidden in this exercise").count() == 1
        assert address(page) == {"data": "motion", "gamma": "4", "hide": "1"}
        page.close()
