"""Files of strangers through the real uploader: one sentence, and a server that is as it was."""

import time
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from sdsc_core.compare.escaping import JOINER
from tests.browser import settled
from tests.conftest import ROOT
from tests.odd_files import X, bombs, changed, faces, mat, picture_files

SCREENS = ("Explore", "Sweep", "Compare", "Inspect", "Step through", "Subspaces", "Paper", "Words",
           "Tour", "Data")  # fmt: skip
# What Markdown, HTML or a browser would take for more than a name.
EVIL = (
    "![x](http://host.invalid/t.png)[y](http://host.invalid)[z](javascript:window.ran=1)"
    "<img src=http://host.invalid/u.png onerror=window.ran=1><script>window.ran=1</script>$a$"
    " http://host.invalid/v www.host.invalid a@host.invalid :smile: :material/home: -> b"
)
# Gives the uploader a file by the page itself, which may name it as no disk could.
GIVE = """([name, text]) => {
  const files = new DataTransfer(), input = document.querySelector("input[type=file]");
  files.items.add(new File([text], name));
  input.files = files.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}"""
# All that leads to the host in the name. A link to our own server that carries the name in its
# query, percent-encoded, does not.
AWAY = """() => [...document.querySelectorAll("*")].flatMap(node =>
  [...node.attributes]
    .filter(a => /^(src|srcset|href|xlink:href|action|formaction|poster|data|style)$/.test(a.name))
    .filter(a => a.value.includes("host.invalid"))
    .filter(a => a.name === "style"
      || new URL(a.value.split(" ")[0], document.baseURI).host !== location.host)
    .map(a => `${node.tagName} ${a.name}=${a.value}`))"""
# Words where numbers are expected take their time.
SLOW = (",".join(f"c{k}" for k in range(8000)) + "\n" + 3 * ("x1," * 7999 + "y\n")).encode()


@pytest.fixture
def screen(page, app_url):
    page.goto(f"{app_url}/data")
    settled(page)
    page.get_by_role("tab", name="Upload a file").click()
    return page


def give(page, name, content):
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text(f"How {name} is read").wait_for()


def leads_away(page):
    return page.evaluate(AWAY)


def children(pid):
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def at_work(server):
    """Readers of files below the server's process, which has one child that starts them."""
    return [reader for child in children(server.process.pid) for reader in children(child)]


def until(what):
    end = time.monotonic() + 30
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    assert what()


def test_files_that_once_ended_or_filled_the_server(screen, server):
    files = {
        "crash.mat": (changed(mat(packed=False, X=X), b177=0x80), "of an unknown type (32777)"),
        "commas.csv": (b"," * 6_000_000, "6,000,001 columns; at most 20,000"),
        "bombs.mat": (bombs(), "unpacks to more than 458 MB"),
    }
    process = server.process.pid
    for name, (content, says) in files.items():
        give(screen, name, content)
        screen.get_by_text(says).wait_for()
        settled(screen)
        assert screen.get_by_role("alert").count() == 1
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as answer:
        assert answer.read() == b"ok"
    assert server.process.poll() is None and server.process.pid == process
    give(screen, "blank.zip", picture_files()["blank.zip"][0])  # read one by one, and made small
    screen.wait_for_url("**data=blank.zip**")
    settled(screen)
    give(screen, "faces.zip", faces())
    screen.wait_for_url("**data=faces.zip**")
    settled(screen)
    assert screen.get_by_role("alert").count() == 0
    assert "At most 200 MB, 1,000,000 rows" in screen.locator("body").inner_text()


def test_stop_and_a_closed_tab_end_the_reader(screen, server):
    give(screen, "slow.csv", SLOW)
    until(lambda: at_work(server))
    screen.get_by_role("button", name="Stop").first.click()
    screen.get_by_text("Reading was stopped").wait_for()
    until(lambda: not at_work(server))
    give(screen, "again.csv", SLOW)
    until(lambda: at_work(server))
    screen.goto("about:blank")
    until(lambda: not at_work(server))


def test_names_from_files_are_only_names(new_page, app_url):
    """The page is watched: whatever it asks of another host fails this test."""
    page = new_page()
    for path in ("", "data"):
        page.goto(f"{app_url}/{path}?data={quote(EVIL)}")
        settled(page)
        assert leads_away(page) == []
    assert EVIL in page.locator("body").inner_text().replace(JOINER, "")
    page.get_by_role("tab", name="Upload a file").click()
    rows = [f"i{k}{EVIL},{k * 7 % 5},{k * 3 % 11},{k * k % 7},{k % 3}{EVIL}" for k in range(30)]
    page.evaluate(GIVE, [f"{EVIL}.csv", "\n".join([f"id,a{EVIL},b,c,label", *rows])])
    page.wait_for_url(lambda url: url.endswith(".csv") or ".csv&" in url)
    settled(page)
    assert EVIL in parse_qs(urlsplit(page.url).query)["data"][0]
    for name in SCREENS:
        page.get_by_role("link", name=name, exact=True).first.click()
        settled(page)
        assert leads_away(page) == [], name
        assert not page.evaluate("window.ran"), f"a script of a name ran on {name}"
    links = page.locator(".st-key-screens a").evaluate_all("all => all.map(a => a.href)")
    assert all(link.startswith(f"{app_url}/") for link in links)
    assert any("host.invalid" in link for link in links), "the address of a screen has the name"


def test_the_server_tells_nothing_of_itself(server):
    with urllib.request.urlopen(server.url) as answer:
        assert "img-src 'self' data: blob:;" in answer.headers["content-security-policy"]
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics") as answer:
        assert "openmetrics" not in answer.headers["content-type"]
    assert 'showErrorDetails = "none"' in (ROOT / ".streamlit" / "config.toml").read_text()
