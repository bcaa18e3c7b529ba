"""How long the app takes, measured in Chromium: python tests/measure_latency.py [--sizes 384 ...]

For each size and control: from the key that moves a slider to the new matrices, metrics and
embedding painted, two animation frames after the last of them changed. Every value of a slider is
new, so that nothing comes from the session's memory. Then the start of the app, with kernels to
compile and without. Measure on a quiet machine.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sdsc_core import datasets
from tests.browser import LISTEN, Server, launch, named, settled

LIMITS = {384: 150, 640: 150, 3000: 250, 100_002: 3000}  # ms
WARM_UP = 2
# The control, the keys that bring it to its start, and the key that moves it on.
MOVES = {
    "θ₁": ("theta1", (), "ArrowLeft"),
    "θ₂": ("theta2", (), "ArrowLeft"),
    "Γ": ("gamma", ("Home",), "ArrowRight"),
}
WATCH = """canvas => {
  if (window.seen) window.seen.watchers.forEach((w) => w.disconnect());
  const seen = (window.seen = { marks: {}, watchers: [] }), now = () => performance.now();
  const mark = (name) => requestAnimationFrame(() => requestAnimationFrame(() => {
    seen.marks[name] = now();
  }));
  const observe = (name, node, what) => {
    seen.watchers.push(new MutationObserver(() => mark(name)));
    seen.watchers.at(-1).observe(node, what);
  };
  const drawn = { attributes: true, attributeFilter: ["data-drawn"] };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observe("matrix", canvas, drawn);
  observe("embedding", window.embeddingCanvas, drawn);
  observe("metrics", document.querySelector("table.sdsc").closest("@column"), all);
  const start = () => { seen.start = now(); };
  document.addEventListener("keydown", start, { once: true, capture: true });
}"""
TIMES = """() => ({
  marks: window.seen.marks, start: window.seen.start, spoke: window.spokeAt, heard: window.heardAt
})"""


def made_up(size, folder):
    """A file with so many labelled points: ten faces, subspaces, or the paper's from 100,000 on."""
    if size == 640:
        data = datasets.make_faces(10)
    elif size >= 100_000:
        data = datasets.make_subspaces(points_each=size // 6)
    else:
        data = datasets.make_subspaces(10, 6, 64, points_each=size // 10, noise=0.1)
    path = folder / f"points_{size}.npz"
    np.savez(path, X=data.X, y=data.labels)
    return path


def upload(page, url, path):
    """From the file to the first picture on the Explore screen; seconds for each half."""
    page.goto(f"{url}/data")
    settled(page)
    begun = time.perf_counter()
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text(f"How {path.name} is read").wait_for()
    settled(page)
    loaded = time.perf_counter()
    page.get_by_role("button", name="Explore this data").click()
    page.locator(".st-key-matrix canvas[data-drawn]").wait_for(timeout=600_000)
    shown = time.perf_counter()
    settled(page, timeout=600)
    imc = re.search(r"IMC \(to Γ = \d+\): ([\d.]+ m?s)", page.inner_text("body"))
    print(
        f"{path.stem}: file to preview {loaded - begun:.1f} s, Explore to first picture"
        f" {shown - loaded:.1f} s, of it IMC {imc.group(1) if imc else '?'}",
        flush=True,
    )


def move(page, key, press):
    """One move: ms to the picture, to the message to the server, and to its last answer."""
    canvas = page.locator(".st-key-matrix canvas")
    embedding = page.locator(".st-key-embedding canvas")
    slider = page.locator(f".st-key-{key} input")
    slider.focus()
    drawn = canvas.get_attribute("data-drawn")
    embedding.evaluate("c => { window.embeddingCanvas = c; }")
    canvas.evaluate(named(WATCH))
    page.keyboard.press(press)
    settled(page, timeout=600)
    seen = page.evaluate(TIMES)
    if canvas.get_attribute("data-drawn") == drawn or not seen["marks"]:
        return None  # nothing changed, or the browser has not come to paint it
    parts = {name: at - seen["start"] for name, at in seen["marks"].items()}
    return parts | {
        "spoke": seen["spoke"] - seen["start"],
        "server": seen["heard"] - seen["spoke"],
        "all": max(parts.values()),
    }


def measure(page, size, repeats):
    """A line of the table for each control."""
    for name, (key, first, press) in MOVES.items():
        slider = page.locator(f".st-key-{key} input")
        for start in first:
            slider.focus()
            page.keyboard.press(start)
            settled(page, timeout=600)
        for _ in range(WARM_UP):
            move(page, key, press)
        times = []
        for _ in range(3 * repeats):
            taken = move(page, key, press)
            times += [taken] if taken else []
            if len(times) == repeats:
                break
        report(size, name, times)
        page.get_by_role("button", name="Reset to the paper's values").click()
        settled(page, timeout=600)


def report(size, name, times):
    if not times:
        print(f"{size:>7,}  {name:<3} nothing changed")
        return
    alls, limit = [t["all"] for t in times], LIMITS.get(size)
    parts = {p: median(t.get(p, 0) for t in times) for p in ("matrix", "metrics", "embedding")}
    verdict = (
        "" if limit is None else f"{limit:>6} {'holds' if median(alls) <= limit else 'MISSED'}"
    )
    print(
        f"{size:>7,}  {name:<3}{median(alls):>8.0f}{max(alls):>8.0f} {verdict:<14}"
        + "".join(f"{value:>10.0f}" for value in parts.values())
        + f"{median(t['spoke'] for t in times):>8.0f}{median(t['server'] for t in times):>8.0f}"
        + f"{len(times):>5}",
        flush=True,
    )


def moves(playwright, sizes, repeats):
    browser = launch(playwright)
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        print(
            "points  control  median   worst  limit          matrix   metrics embedding"
            "  to send  server   n   (ms)",
            flush=True,
        )
        for size in sizes:
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.add_init_script(LISTEN)
            if size == 384:
                page.goto(server.url)
                settled(page)
            else:
                upload(page, server.url, made_up(size, Path(folder)))
            measure(page, size, repeats)
            page.close()
    browser.close()


def starts(playwright):
    """First start with nothing compiled, and the second."""
    browser = launch(playwright)
    with tempfile.TemporaryDirectory() as cache:
        for name in ("first start, kernels to compile", "second start"):
            begun = time.perf_counter()
            with Server(os.environ | {"NUMBA_CACHE_DIR": cache}) as server:
                up = time.perf_counter()
                page = browser.new_page()
                page.goto(server.url)
                page.get_by_role("heading", name="Explore").wait_for()
                text = time.perf_counter()
                page.locator(".st-key-matrix canvas[data-drawn]").wait_for(timeout=600_000)
                shown = time.perf_counter()
                page.close()
            print(
                f"{name}: server up after {up - begun:.1f} s, then first text after"
                f" {text - up:.1f} s, result after {shown - up:.1f} s",
                flush=True,
            )
    browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[384, 640, 3000, 10_000])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--no-starts", action="store_true", help="leave the starts out")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}" + (" (not quiet!)" if load > 1.5 else ""))
    with sync_playwright() as playwright:
        if chosen.sizes:
            moves(playwright, chosen.sizes, chosen.repeats)
        if not chosen.no_starts:
            starts(playwright)


if __name__ == "__main__":
    main()
