"""A random clicker: no click at any moment may lose a session or bring a trace.

    python -m tests.clicker --seconds 300 --seed 1

It clicks through all screens and controls, most of the time while something is being computed, goes
back and forward, reloads, and looks whether the figures belong to the data set that is named. A
data set of its own, of a size that no sample has, tells a lost session.
"""

import argparse
import random
import re
import time
from contextlib import suppress

import numpy as np
from playwright.sync_api import Error

from tests.browser import Server, launch, named, part, settled, to_screen, watch

MARKED, POINTS, FEATURES = "marked.csv", 33, 7
PAUSES = (0.0, 0.0, 0.05, 0.1, 0.25, 0.6, 1.5)  # seconds; a run takes from 0.1 to some seconds
# Centres of all that can be clicked, in the order of the page; some things are left out: what
# removes the data on purpose, fetches from the internet, or opens a window of the system.
FIND = """left_out => {
  const found = [];
  const scope = '@main, @sidebar, [role=dialog], @popover, @status';
  const what = 'button, input, [role=slider], [role=tab], [role=radio], [role=checkbox],'
    + '[role=option], canvas, summary';
  for (const part of document.querySelectorAll(scope))
    for (const e of part.querySelectorAll(what)) {
      if (e.closest(left_out) || e.disabled || e.type === 'file') continue;
      const name = e.innerText || e.getAttribute('aria-label') || '';
      if (/^(Remove|Upload|Browse|Deploy)/.test(name.trim())) continue;
      const box = e.getBoundingClientRect();
      if (box.width < 3 || box.height < 3) continue;
      found.push([e.getAttribute('role') || e.type || e.tagName.toLowerCase(), name.slice(0, 40)]);
      e.dataset.clickable = found.length - 1;
    }
  return found;
}"""
LEFT_OUT = ", ".join(
    (
        "@uploader", "@toolbar", "@download", "@frame", "@collapse",
        ".modebar", '[class*="load-known"]', ".st-key-screens",
    )
)  # fmt: skip


def marked_file() -> dict[str, object]:
    """A table of three lines in space, with labels."""
    rng = np.random.default_rng(0)
    rows = [",".join([*(f"f{i}" for i in range(FEATURES)), "label"])]
    for k in range(3):
        direction = rng.standard_normal(FEATURES)
        for scale in rng.uniform(1, 2, POINTS // 3):
            sample = scale * direction + 0.05 * rng.standard_normal(FEATURES)
            rows.append(",".join([*(f"{v:.4f}" for v in sample), "abc"[k]]))
    return {"name": MARKED, "mimeType": "text/csv", "buffer": "\n".join(rows).encode()}


class Clicker:
    """One page that is clicked at random; ``log`` says what was done."""

    def __init__(self, page, url: str, seed: int):
        self.page, self.url, self.chance = page, url, random.Random(seed)
        self.sizes, self.log, self.checks = sizes(), [], 0

    def run(self, seconds: float) -> None:
        """Click for so long, then see whether all is still there."""
        self.page.goto(f"{self.url}/data")
        self.upload()
        end = time.monotonic() + seconds
        deeds = {self.click: 60, self.other_screen: 18, self.choose_data: 6, self.back: 6,
                 self.forward: 2, self.escape: 5, self.check: 6, self.reload: 1}  # fmt: skip
        while time.monotonic() < end:
            (deed,) = self.chance.choices(list(deeds), list(deeds.values()))
            self.tried(deed)
            self.page.wait_for_timeout(1000 * self.chance.choice(PAUSES))
            self.no_trace()
        self.find_marked()

    def tried(self, deed) -> None:
        """What vanishes before the click arrives is no fault: a person would miss it as well."""
        try:
            deed()
        except Error as error:
            gone = ("Timeout", "not attached", "not visible", "outside of the viewport")
            if not any(word in str(error) for word in gone):
                raise
            self.log.append(f"missed: {deed.__name__}")

    def click(self) -> None:
        """Any control: a press, a key, or a number."""
        found = self.page.evaluate(named(FIND), named(LEFT_OUT))
        if not found:
            return
        at = self.chance.randrange(len(found))
        kind, name = found[at]
        self.log.append(f"{kind} {name!r}")
        spot = self.page.locator(f'[data-clickable="{at}"]').first
        if kind in ("slider", "range"):
            spot.focus(timeout=1000)
            self.page.keyboard.press(self.chance.choice(["ArrowLeft", "ArrowRight", "PageUp"]))
        elif kind in ("number", "spinbutton"):
            spot.fill(str(self.chance.randint(1, 12)), timeout=1000)
            spot.press("Enter", timeout=1000)
        elif kind in ("text", "combobox"):
            spot.click(timeout=1000)
        else:
            spot.click(timeout=1000, force=kind in ("checkbox", "radio"))

    def other_screen(self) -> None:
        links = self.page.locator(".st-key-screens a")
        number = links.count()
        if number:
            link = links.nth(self.chance.randrange(number))
            self.log.append(f"screen {link.inner_text(timeout=1000)!r}")
            link.click(timeout=1000)

    def choose_data(self) -> None:
        self.escape()
        self.page.locator(".st-key-data input").click(timeout=2000)
        options = self.page.get_by_role("option")
        options.first.wait_for(timeout=2000)
        if not (number := options.count()):  # a run that ended meanwhile has closed the list
            return
        option = options.nth(self.chance.randrange(number))
        self.log.append(f"data {option.inner_text(timeout=1000)!r}")
        option.click(timeout=1000)

    def back(self) -> None:
        self.log.append("back")
        self.page.evaluate("history.length > 3 && history.back()")

    def forward(self) -> None:
        self.log.append("forward")
        self.page.evaluate("history.forward()")

    def escape(self) -> None:
        self.page.keyboard.press("Escape")

    def reload(self) -> None:
        """A new session: what was loaded is gone, and the page says so instead of other figures."""
        self.log.append("reload")
        marked = f"data={MARKED}" in self.page.url
        self.page.reload()
        if not self.at_rest(60):
            return
        if marked and f"data={MARKED}" in self.page.url and self.figures() != (None, None):
            assert self.page.get_by_text("loaded again").count() or self.on_data(), self.story()
        self.check()
        self.page.goto(f"{self.url}/data")
        self.upload()

    def upload(self) -> None:
        self.at_rest(60)
        self.page.get_by_role("tab", name="Upload a file").click()
        self.page.locator("input[type=file]").set_input_files(marked_file())
        self.page.wait_for_url(f"**data={MARKED}**")
        assert self.at_rest(60), self.story()
        self.check()

    def find_marked(self) -> None:
        """The data set of our own is still there, and is what it was."""
        self.escape()
        leave = self.page.get_by_role("button", name="Leave projector mode")
        if leave.count():  # where the sidebar is away
            leave.first.click()
            settled(self.page)
        to_screen(self.page, "Data")
        assert self.at_rest(180), f"It does not come to rest. {self.story()}"
        self.page.locator(".st-key-data input").click()
        option = self.page.get_by_role("option", name=MARKED, exact=True)
        with suppress(Error):
            option.wait_for(timeout=10_000)
        assert option.count(), f"The upload is lost. {self.story()}"
        option.click()
        assert self.at_rest(180), self.story()
        prepared = set(re.findall(r"[?&](\w+)=", self.page.url))
        assert f"data={MARKED}" in self.page.url, f"{prepared} {self.story()}"
        self.check()
        to_screen(self.page, "Explore")
        assert self.at_rest(180), self.story()
        self.check()

    def check(self) -> None:
        """Where the page is at rest: the figures are those of the data set that is named."""
        if not self.at_rest(15):
            return
        self.no_trace()
        chosen = self.page.locator(".st-key-data input")
        if not chosen.count():
            return
        named = chosen.input_value() or self.page.locator(".st-key-data").inner_text()
        named = named.split("\n")[-1].strip()
        title, size = self.figures()
        if title is not None:
            assert title == named, f"{title!r} is shown under {named!r}. {self.story()}"
        untouched = not re.search(r"[?&](only|classes|each|scattering|pca)=", self.page.url)
        if size is not None and untouched:
            expected = self.sizes.get(named) or made_size(named)
            assert size == expected, f"{size} is not {named!r}. {self.story()}"
            self.checks += 1

    def figures(self) -> tuple[str | None, tuple[int, int] | None]:
        """Name and size of the data that the page shows figures of, as far as it tells."""
        texts = self.page.locator(named("@main @markdown"))
        head = re.compile(r"^(.*): ([\d,]+) points in ([\d,]+) dimensions[, ]")
        for text in texts.all_inner_texts():
            if found := head.match(text.strip()):
                return found[1], (number(found[2]), number(found[3]))
        if self.on_data():
            values = part(self.page, "value").all_inner_texts()
            return None, (number(values[0]), number(values[1])) if len(values) > 1 else None
        return None, None

    def on_data(self) -> bool:
        return self.page.url.split("?")[0].endswith("/data")

    def at_rest(self, seconds: float) -> bool:
        from playwright.sync_api import TimeoutError

        try:
            settled(self.page, timeout=seconds)
        except TimeoutError:
            return False
        return True

    def no_trace(self) -> None:
        try:
            traces = part(self.page, "exception").all_inner_texts()
        except Error as problem:
            if "context was destroyed" not in str(problem):
                raise
            return  # another page comes; it is looked at after the next deed
        assert not traces, f"{traces[0]}\n{self.story()}"

    def story(self) -> str:
        return f"At {self.page.url} after {len(self.log)} deeds, the last: {self.log[-12:]}"


def number(text: str) -> int:
    return int(text.replace(",", ""))


def made_size(title: str) -> tuple[int, int] | None:
    """Points and dimensions of subspaces that were made on the Data screen; their title says them.

    >>> made_size("6 subspaces of dimension 4 in 10, 1,300 points, noise 0.05")
    (1300, 10)
    """
    said = re.search(r" in ([\d,]+), ([\d,]+) points", title)
    return (number(said[2]), number(said[1])) if said else None


def sizes() -> dict[str, tuple[int, int]]:
    """Points and dimensions of every data set that can be chosen, by its title."""
    from sdsc_core import datasets

    found = {MARKED: (POINTS, FEATURES)}
    for name, sample in datasets.SAMPLES.items():
        found[sample.title] = datasets.sample(name).X.shape
    return found


def main() -> None:
    """As a command: one seed for some minutes, on a server of its own."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with Server() as server, sync_playwright() as playwright:
        page = launch(playwright).new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(30_000)
        problems = watch(page, server.url)
        clicker = Clicker(page, server.url, options.seed)
        try:
            clicker.run(options.seconds)
        except BaseException:
            print(*clicker.log[-40:], *problems, server.log()[-4000:], sep="\n")
            print(page.evaluate(named("() => ({...document.querySelector('@app')?.dataset})")))
            raise
        assert not problems, "\n".join(problems)
        assert "Traceback" not in server.log(), server.log()[-4000:]
    print(f"Seed {options.seed}: {len(clicker.log)} deeds, {clicker.checks} checks, no fault.")


if __name__ == "__main__":
    main()
