"""The picture at the head of the README: ``python -m tests.picture .github/explore.png``."""

import sys

from playwright.sync_api import sync_playwright

from tests.browser import Server, launch, settled


def main(path: str) -> None:
    """Start the app, wait for the first result, and take the Explore screen."""
    with Server() as server, sync_playwright() as playwright:
        page = launch(playwright).new_page(
            viewport={"width": 1440, "height": 1010}, device_scale_factor=1.25
        )
        page.goto(server.url)
        settled(page)
        page.screenshot(path=path)


if __name__ == "__main__":
    main(sys.argv[1])
