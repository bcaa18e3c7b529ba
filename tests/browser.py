"""The app in a real browser: a server on a free port, Chromium, and when the page is at rest."""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
# Streamlit's own names for the parts of a page, which may change with its version.
PARTS = {
    "app": "stApp", "main": "stMain", "sidebar": "stSidebar", "header": "stHeader",
    "caption": "stImageCaption", "chart": "stPlotlyChart", "choices": "stButtonGroup",
    "code": "stCode", "collapse": "stSidebarCollapseButton", "column": "stColumn",
    "delta": "stMetricDelta", "download": "stDownloadButton", "exception": "stException",
    "frame": "stDataFrame", "html": "stHtml", "markdown": "stMarkdown", "metric": "stMetric",
    "popover": "stPopoverBody", "progress": "stProgress", "skeleton": "stSkeleton",
    "status": "stStatusWidget", "table": "stTable", "toolbar": "stElementToolbar",
    "uploader": "stFileUploader", "value": "stMetricValue",
}  # fmt: skip
QUIET = 320  # ms without a change; a slider waits 200 ms for the next key before it sends


def missing() -> str:
    """What the browser tests lack here, in a sentence; nothing where all is there."""
    if find_spec("playwright") is None:
        return "playwright is not installed; install the extra `test`"
    return "" if shutil.which("chromium") else "chromium is not installed"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """The app as `sdsc app` serves it; a context manager."""

    def __init__(
        self,
        env: dict[str, str] | None = None,
        *,
        port: int | None = None,
        options: tuple[str, ...] = (),
        before: Callable[[], None] | None = None,
        folder: Path = ROOT,
    ):
        port = port or free_port()
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.output = tempfile.NamedTemporaryFile()  # noqa: SIM115, closed in __exit__
        self.last_words = ""
        command = [sys.executable, "-m", "sdsc_core.cli", "app", "--port", str(port)]
        command += ["--server.headless", "true", "--server.fileWatcherType", "none", *options]
        self.folder = tempfile.TemporaryDirectory()  # its key for exercises is not the tester's own
        command += ["--exercise-key", str(Path(self.folder.name) / "exercise.key")]
        self.process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=self.output, stderr=subprocess.STDOUT,
            preexec_fn=before,
        )  # fmt: skip

    def __enter__(self) -> "Server":
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.__exit__(None, None, None)
        raise RuntimeError(f"The server did not start:\n{self.last_words}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.last_words = self.log()
        self.output.close()
        self.folder.cleanup()

    def log(self) -> str:
        """What the server wrote so far."""
        path = Path(self.output.name)  # opened anew: the server writes where its own handle stands
        return path.read_text(errors="replace") if path.exists() else self.last_words


# Notes when the page last spoke and heard, asked for a run of the script, and was told that none is
# under way: messages are protocol buffers, of which the numbers of the fields are read.
LISTEN = """{
  const fields = (bytes) => {
    const found = new Map();
    let at = 0;
    const varint = () => {
      let value = 0, shift = 0, byte;
      do { byte = bytes[at++]; value += (byte & 127) * 2 ** shift; shift += 7; } while (byte > 127);
      return value;
    };
    while (at < bytes.length) {
      const tag = varint(), wire = tag % 8;
      if (wire === 2) {
        const length = varint();
        found.set(tag >> 3, bytes.subarray(at, at + length));
        at += length;
      } else if (wire === 0) found.set(tag >> 3, varint());
      else at += wire === 1 ? 8 : 4;
    }
    return found;
  };
  const RERUN = 11, STATUS = 9, RUNNING = 2;
  const hear = (event) => {
    window.heardAt = performance.now();
    const status = fields(new Uint8Array(event.data)).get(STATUS);
    if (status && !fields(status).get(RUNNING)) window.restAt = window.heardAt;
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!this.heard) this.heard = this.addEventListener("message", hear) || true;
    window.spokeAt = performance.now();
    if (fields(new Uint8Array(data)).has(RERUN)) window.askedAt = window.spokeAt;
    return send.call(this, data);
  };
}"""


def named(text):
    """A selector, or a script with selectors, in which @main and the like stand for the parts."""
    return re.sub(r"@(\w+)", lambda found: f"[data-testid={PARTS[found[1]]}]", text)


def part(within, name):
    """All parts of a kind in a page, or within another part."""
    return within.locator(named(f"@{name}"))


def to_screen(page, name):
    """Click on a screen's link in the sidebar."""
    page.locator(".st-key-screens a", has_text=name).click()


def choose_row(page, table, number):
    """Choose a row of a table, from 0, by keys; the texts of its first two cells.

    A click gives it the keys: a table that was drawn again has the focus at times, yet hears none.
    One that is being drawn may lose a key, or mark the row and not tell the server: the keys are
    then pressed once more. On a marked row they take the mark away, so a third time too.
    """
    canvas = table.locator("canvas").first
    cell = [canvas.locator(f"#glide-cell-{k}-{number}") for k in (1, 2)]
    texts = [c.text_content() for c in cell]
    for _ in range(6):
        before = page.evaluate("() => window.askedAt || 0")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for key in ("Control+Home", *["ArrowDown"] * number, "Shift+Space"):
            page.keyboard.press(key)
        settled(page)
        told = page.evaluate("before => (window.askedAt || 0) > before", before)
        if told and cell[0].locator("xpath=..").get_attribute("aria-selected") == "true":
            break
    return texts


def click_when_there(page, selector):
    """From the next page on, click on the first thing of a kind as soon as it is drawn."""
    page.add_init_script(
        f"""new MutationObserver((_, watching) => {{
          const found = document.querySelector({selector!r});
          if (found) {{ watching.disconnect(); found.click(); }}
        }}).observe(document, {{ subtree: true, childList: true }});"""
    )


def launch(playwright):
    """Debian's Chromium, without a window."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)


def watch(page, app_url):
    """List of what goes wrong in a new page, filled as it happens.

    The app speaks to its own server alone: a request to any other host is a fault, had or not.
    Streamlit's search for its own root below the address of a screen is none.
    """
    problems = []
    page.add_init_script(LISTEN)

    def console(message):
        url = message.location.get("url", "")
        if message.type == "error" and not (
            "/_stcore/" in url and message.text.startswith("Failed to load resource")
        ):
            problems.append(f"console: {message.text} ({url})")

    def request(asked):
        if not asked.url.startswith((app_url, "data:", "blob:")):
            problems.append(f"request beyond the server: {asked.url}")

    page.on("request", request)
    page.on("console", console)
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
    return problems


def settled(page, timeout=120):
    """Wait until the app is at rest: connected, no run under way, nothing changing."""
    page.evaluate(
        """() => {
          if (!window.lastChange) {
            new MutationObserver(() => { window.lastChange = performance.now(); }).observe(
              document, { subtree: true, childList: true, attributes: true, characterData: true });
          }
          window.lastChange = performance.now();
        }"""
    )
    page.wait_for_function(
        named("""quiet => {
          const app = document.querySelector("@app");
          const idle = app && app.dataset.testScriptState === "notRunning"
            && app.dataset.testConnectionState === "CONNECTED"
            && !document.querySelector('[data-stale="true"], @skeleton');
          if (!idle) window.lastChange = performance.now();
          const answered = (window.restAt || 0) >= (window.askedAt || 0);
          return idle && performance.now() - window.lastChange > (answered ? quiet : 20 * quiet);
        }"""),
        arg=QUIET,
        polling=50,
        timeout=1000 * timeout,
    )


def faults(page):
    """What cannot be read on the page as it is: beyond its edge, cut off, or overlapping."""
    script = (ROOT / "tests" / "faults.js").read_text()
    return page.evaluate(named(script[script.index("() =>") :]))
