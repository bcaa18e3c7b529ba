"""The app on 100,000 points and more, measured in Chromium: python tests/measure_large.py

The paper's setting (6 subspaces of dimension 6 in 10) as a file that a user uploads. From the press
on Explore to the first progress and to the first result; how long a Stop takes; what a move of θ
and of Γ takes; how long another session waits for its own move meanwhile; and the memory. Then a
million points, for which the app must name the command. Measure on a quiet machine.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sdsc_core import datasets
from tests.browser import LISTEN, Server, launch, part, settled
from tests.measure_latency import MOVES, move

LIMITS = {"first result": 15, "progress": 1, "stop": 1, "move": 3}  # seconds
TOO_MANY = 1_000_002


def written(size, folder):
    """A file with so many points of the paper's setting, labelled."""
    data = datasets.make_subspaces(points_each=size // 6)
    path = folder / f"points_{size}.npz"
    np.savez(path, X=data.X, y=data.labels)
    return path


def resident(process):
    """Bytes of memory of the server."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def told(what, seconds, limit=None):
    verdict = "" if limit is None else f"  (at most {limit} s: {_held(seconds <= limit)})"
    print(f"{what:<58}{seconds:8.2f} s{verdict}", flush=True)


def _held(so):
    return "holds" if so else "MISSED"


def load(page, url, path):
    """The file, read and chosen, on the Data screen."""
    page.goto(f"{url}/data")
    settled(page)
    begun = time.perf_counter()
    page.get_by_role("tab", name="Upload a file").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text(f"How {path.name} is read").wait_for(timeout=120_000)
    settled(page, timeout=300)
    told(f"{path.stem}: from the file to its preview", time.perf_counter() - begun)


def explore(page):
    """From the button to progress and to the first result."""
    begun = time.perf_counter()
    page.get_by_role("button", name="Explore this data").click()
    bar = part(page, "progress").first
    bar.wait_for()
    told("to the first progress", time.perf_counter() - begun, LIMITS["progress"] + 0.5)
    page.locator(".st-key-matrix canvas[data-drawn]").wait_for(timeout=600_000)
    told("to the matrices", time.perf_counter() - begun)
    page.get_by_role("table", name="Metrics of W and W*").wait_for(timeout=600_000)
    page.locator(".st-key-embedding canvas[data-drawn]").wait_for(timeout=600_000)
    told("first result, all of it", time.perf_counter() - begun, LIMITS["first result"])
    settled(page, timeout=600)
    for line in page.get_by_text("Time: IMC").all_inner_texts():
        print("   ", line.splitlines()[-1])


def stop(page, key="dense", name="D3"):
    """Ask for another dense stage, and press Stop while it is at work."""
    page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True).click()
    button = page.get_by_role("button", name="Stop", exact=True).first
    button.wait_for(timeout=60_000)
    page.wait_for_timeout(300)
    begun = time.perf_counter()
    button.click()
    page.get_by_text("Stopped.").wait_for(timeout=60_000)
    told("a Stop is heeded after", time.perf_counter() - begun, LIMITS["stop"])
    settled(page, timeout=600)
    page.get_by_role("button", name="Reset to the paper's values").click()
    settled(page, timeout=600)


def moves(page, other, repeats):
    """θ and Γ, each with what another session's move takes meanwhile."""
    for title, (key, first, press) in MOVES.items():
        for start in first:
            page.locator(f".st-key-{key} input").focus()
            page.keyboard.press(start)
            settled(page, timeout=600)
        times = [t["all"] for t in (move(page, key, press) for _ in range(repeats)) if t]
        if times:
            told(f"a move of {title}, median of {len(times)}", median(times) / 1000, LIMITS["move"])
            told("    the longest", max(times) / 1000)
        page.get_by_role("button", name="Reset to the paper's values").click()
        settled(page, timeout=600)
    page.locator(".st-key-dense").get_by_role("radio", name="D3", exact=True).click()
    waits = [t["all"] for t in (move(other, "theta1", "ArrowLeft") for _ in range(repeats)) if t]
    told("meanwhile a move at 384 points in another session, median", median(waits) / 1000)
    told("    the longest", max(waits) / 1000)
    settled(page, timeout=600)


def too_many(page, url, folder):
    """A million points: the command that does it."""
    load(page, url, written(TOO_MANY, folder))
    page.get_by_role("button", name="Explore this data").click()
    said = page.get_by_text("more than the").first
    said.wait_for(timeout=60_000)
    print("   ", said.inner_text(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=100_002)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--million", action="store_true", help="and a file of a million points")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with (
        sync_playwright() as playwright,
        Server() as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        browser = launch(playwright)
        page, other = (browser.new_page(viewport={"width": 1440, "height": 1000}) for _ in "ab")
        for one in (page, other):
            one.add_init_script(LISTEN)
        other.goto(server.url)
        settled(other)
        before = resident(server.process)
        load(page, server.url, written(chosen.size, Path(folder)))
        explore(page)
        stop(page)
        moves(page, other, chosen.repeats)
        grown = (resident(server.process) - before) / 1e6
        print(f"the server's memory: {before / 1e6:.0f} MB before, {grown:+.0f} MB since")
        if chosen.million:
            too_many(page, server.url, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
