"""Start the server again and again beside a busy core: python -m tests.starts [--count 50]

Each start counts when a visitor's first page shows its result, and nothing went wrong in it.
"""

import argparse
import contextlib
import multiprocessing
import sys
import time
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

from tests.browser import Server, launch, part, settled, watch


def _spin() -> None:
    while True:
        pass


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    """A process that computes without end, beside what is tried."""
    process = multiprocessing.get_context("spawn").Process(target=_spin, daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def first_visit(browser) -> str:
    """What went wrong in a start and the first page of it, or nothing."""
    try:
        with Server() as server:
            page = browser.new_page()
            try:
                problems = watch(page, server.url)
                page.goto(server.url)
                page.locator(".st-key-matrix canvas[data-drawn]").wait_for(timeout=120_000)
                settled(page)
                problems += part(page, "exception").all_inner_texts()
                return "; ".join(problems)
            except Exception as error:
                return f"{error} {server.log()}"
            finally:
                page.close()
    except RuntimeError as error:
        return str(error)


def starts(browser, count: int) -> list[str]:
    """Try so many starts; what went wrong in each of them."""
    found = []
    with busy_core():
        for number in range(1, count + 1):
            begun = time.perf_counter()
            found.append(first_visit(browser))
            taken = time.perf_counter() - begun
            print(f"start {number}: {found[-1] or 'up'}, {taken:.1f} s", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50)
    count = parser.parse_args().count
    with sync_playwright() as playwright:
        failed = sum(map(bool, starts(launch(playwright), count)))
    print(f"{count - failed} of {count} starts up")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
