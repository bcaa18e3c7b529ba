"""All screens on a phone, a tablet, a projector and at 150 % zoom: all of it can be read."""

from urllib.parse import urlsplit

from tests.browser import ROOT, faults, part, settled

PHONE, TABLET, ACROSS = (390, 844), (768, 1024), (1024, 768)
UPRIGHT = (820, 1180)  # a tablet whose sidebar stays open
ZOOMED = (960, 667)  # 1440 × 1000 at 150 %
# What a screen's link does not open by itself.
MORE = {"step": ("step=pair", "step=stage"), "": ("view=change&order=cluster",)}


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settled(page)


def addresses(page, app_url):
    """Every screen that the sidebar names, and some states of them."""
    links = page.locator(".st-key-screens a").all()
    paths = [urlsplit(link.get_attribute("href")).path.strip("/") for link in links]
    for path in paths:
        for query in ("", *MORE.get(path, ())):
            yield f"{app_url}/{path}?{query}".rstrip("?")


def test_nothing_is_cut_off_on_any_screen(page, app_url):
    page.goto(app_url)
    settled(page)
    seen = {}
    for url in list(addresses(page, app_url)):
        page.goto(url)
        settled(page)
        for size in (ACROSS, ZOOMED, UPRIGHT, TABLET, PHONE):
            resize(page, size)
            play = page.get_by_role("button", name="Play")
            if size == ACROSS and play.count():
                assert in_view(page, play.bounding_box()) == 1
            if size == PHONE and "/subspaces" in url:
                table = page.get_by_role("table").first
                assert table.evaluate("e => e.scrollWidth <= e.parentElement.clientWidth")
                assert table.bounding_box()["x"] + table.bounding_box()["width"] <= PHONE[0]
            if wrong := faults(page):
                seen[url.removeprefix(app_url), size] = wrong
        page.goto("about:blank")
        page.set_viewport_size({"width": ACROSS[0], "height": ACROSS[1]})
    assert not seen, "\n".join(f"{where}: {'; '.join(what)}" for where, what in seen.items())


def test_a_fault_is_found(page, app_url):
    page.goto(f"{app_url}/words")
    settled(page)
    assert not faults(page)
    text = part(page, "main").locator("p").first
    text.evaluate("e => { e.style.marginBottom = '-60px'; }")
    assert [f for f in faults(page) if f.startswith("overlap")]
    text.evaluate("e => { e.style.marginBottom = '0'; e.style.overflow = 'hidden'; }")
    text.evaluate("e => { e.style.width = '30px'; e.style.whiteSpace = 'nowrap'; }")
    assert [f for f in faults(page) if f.startswith("cut off")]
    text.evaluate("e => { e.style.width = '3000px'; }")
    assert [f for f in faults(page) if "beyond the page" in f or "too wide" in f]


def in_view(page, box):
    """How much of a box is in the window, from 0 to 1."""
    height = page.viewport_size["height"]
    return (min(height, box["y"] + box["height"]) - max(0, box["y"])) / box["height"]


def test_every_step_of_the_tour_can_be_read_in_every_window(page, app_url):
    seen = {}
    for n in range(1, 8):
        page.goto(f"{app_url}/?tour={n}")
        for size in (ACROSS, ZOOMED, UPRIGHT, PHONE, (1920, 1080)):
            resize(page, size)
            seen[n, size] = faults(page)
    bar = "e => getComputedStyle(e, '::-webkit-scrollbar').width"
    assert page.locator(".st-key-tour-words").evaluate(bar) == "7px", "more to read is seen"
    assert not {where: what for where, what in seen.items() if what}


def test_the_tour_shows_what_it_speaks_of(page, app_url):
    for n, key in ((1, "matrix"), (6, "embedding")):
        page.goto(f"{app_url}/?tour={n}")
        for size in (ACROSS, ZOOMED, (1920, 1080)):
            resize(page, size)
            canvas = page.locator(f".st-key-{key} canvas").bounding_box()
            canvas["height"] -= 80 * (key == "matrix")  # the legend
            assert in_view(page, page.locator(".st-key-tour-head").bounding_box()) == 1
            assert in_view(page, canvas) > (0.6 if key == "embedding" else 0.95), (n, size)
            for name in ("Back", "Next", "Leave"):
                assert page.get_by_role("button", name=name, exact=True).is_visible()
            assert not faults(page)


def test_projector_mode_is_one_click_away_and_back(page, app_url):
    page.goto(f"{app_url}/?data=motion")
    settled(page)
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    small, title = page.locator("body").evaluate(size), page.get_by_role("heading", name="Explore")
    assert title.count() == 1
    page.get_by_role("button", name="Projector mode", exact=True).click()
    settled(page)
    assert "projector=1" in page.url and title.count() == 0
    assert page.locator("body").evaluate(size) > 1.2 * small
    canvas, figures = page.locator(".st-key-matrix canvas"), page.locator(".st-key-figures")
    assert canvas.bounding_box()["y"] < 120 < canvas.bounding_box()["y"] + 300
    assert figures.bounding_box()["y"] > canvas.bounding_box()["y"]
    page.reload()
    settled(page)
    for wide in (ACROSS, (1920, 1080)):
        resize(page, wide)
        assert not faults(page)
    page.get_by_role("button", name="Leave projector mode").click()
    settled(page)
    assert "projector" not in page.url and title.count() == 1


def test_on_a_phone_matrices_stand_below_each_other(new_page, app_url):
    page = new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, device_scale_factor=2)
    page.goto(f"{app_url}/?data=motion")
    settled(page)
    canvas = page.locator(".st-key-matrix canvas")
    _, _, side, step = map(float, canvas.get_attribute("data-place").split(","))
    assert side > 250 and step == 0 and canvas.bounding_box()["height"] > 2 * side


def test_results_and_files_can_be_read_in_every_window(page, app_url):
    """Sweep and Compare with results, and Data with a table of columns, which begin empty."""
    small = "data=motion&grid_gamma=3:5&grid_theta1=0.7,0.8,0.9&grid_theta2=0.5,0.6"
    seen = {}
    for path, ready in ((f"sweep?{small}", "all done"), ("compare?data=motion", "Python script")):
        page.goto(f"{app_url}/{path}")
        settled(page)
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text(ready).first.wait_for()
        settled(page)
        for size in (ACROSS, ZOOMED, UPRIGHT, PHONE):
            resize(page, size)
            charts = part(page, "chart").all()
            assert min(chart.bounding_box()["width"] for chart in charts) > 280, (path, size)
            seen[path, size] = faults(page)
        resize(page, ACROSS)
    page.goto(f"{app_url}/data")
    settled(page)
    table = "id,dose_in_mg,temperature_of_the_room,leukocytes_per_microlitre,diagnosis\n"
    lines = (
        f"P-{k},{k % 7},{20 + k % 3},{5000 + 100 * k},{'ill' * (k % 2) or 'well'}\n"
        for k in range(40)
    )
    page.locator("input[type=file]").first.set_input_files(
        {
            "name": "patients.csv",
            "mimeType": "text/csv",
            "buffer": (table + "".join(lines)).encode(),
        }
    )
    settled(page)
    assert page.get_by_text("outweigh the rest").count() == 1
    for size in (ACROSS, ZOOMED, UPRIGHT, PHONE):
        resize(page, size)
        seen["data", size] = faults(page)
    wrong = {where: what for where, what in seen.items() if what}
    assert not wrong, "\n".join(f"{where}: {'; '.join(what)}" for where, what in wrong.items())


def test_a_text_that_is_cut_is_no_wider_than_its_room(browser):
    """The sign that it was cut is wider than an i: beside a matrix the first letter was cut off."""
    script = (ROOT / "pages" / "components" / "canvas.js").read_text()
    page = browser.new_page()
    shown = page.evaluate(
        """script => {
          const fit = new Function(script + "; return fit;")();
          const g = document.createElement("canvas").getContext("2d"), found = [];
          g.font = "12px sans-serif";
          for (const text of ["Millilitre, filling in still life", "iiiiiiiiiiiiiiii", "Wow"])
            for (let room = 15; room < 200; room++) {
              const cut = fit(g, text, room);
              found.push([text, cut, room, g.measureText(cut).width]);
            }
          return found;
        }""",
        script,
    )
    page.close()
    assert not [one for one in shown if one[3] > one[2]]
    assert {text for text, cut, *_ in shown if text == cut} == {text for text, *_ in shown}
