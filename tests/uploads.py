"""All odd files through the real uploader: python -m tests.uploads

Each is read right or refused with its sentence, within ten seconds; the server grows by no more
than 300 MB, answers, and reads a plain file as ever.
"""

import asyncio
import sys
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from tests.browser import Server
from tests.hostile_files import hostile
from tests.load import resident
from tests.odd_files import make, table
from tests.visitor import Visitor

REFUSED = "stays as it was"  # what the page says of its data when a file is refused
SLOWEST, GROWTH = 10.0, 300_000_000


@dataclass
class Taken:
    """What came of files: seconds by name, the server's growth in bytes, and what was wrong."""

    seconds: dict[str, float] = field(default_factory=dict)
    growth: int = 0
    wrong: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        slowest = max(self.seconds, key=self.seconds.__getitem__)
        return (
            f"{len(self.seconds)} files, the slowest {slowest} in {self.seconds[slowest]:.1f} s;"
            f" the server grew by at most {self.growth / 1e6:,.0f} MB; {len(self.wrong)} wrong"
        )


async def give(tab: Visitor, name: str, content: bytes) -> tuple[str, str]:
    """What the page then says, without the backslashes of Markdown, and which data it shows."""
    tab.said = {}
    await tab.upload(name, content)
    shown = parse_qs(tab.query).get("data", [""])[0]
    return " ".join(tab.texts).replace("\\", ""), shown


def on_the_page(expected: object) -> object:
    """What a file must give there: a single sample or feature is read, but is too few for a run."""
    too_few = isinstance(expected, tuple) and expected and min(expected[:2]) < 2
    return "at least 2; choose another" if too_few else expected


async def through(server: Server, files: dict[str, tuple[bytes, object]]) -> Taken:
    """One file after the other in one session, and a plain one at the end."""
    taken, before = Taken(), resident(server.process.pid)
    async with Visitor(server.url) as tab:
        await tab.open(page="data")
        for name, (content, expected) in {**files, "plain at last.csv": (table(), ())}.items():
            begun = time.monotonic()
            said, shown = await give(tab, name, content)
            taken.seconds[name] = time.monotonic() - begun
            taken.growth = max(taken.growth, resident(server.process.pid) - before)
            expected = on_the_page(expected)
            refused = isinstance(expected, str)
            if refused and expected.replace("\\", "") not in said:
                taken.wrong.append(f"{name}: “{expected}” is not said: {said[:300]}")
            if not refused and shown != name and REFUSED in said:  # or the page asks for more
                taken.wrong.append(f"{name} is refused: {said[-300:]}")
            if tab.problems:
                taken.wrong.append(f"{name}: {tab.problems}")
                tab.problems = []
    if server.process.poll() is not None:
        taken.wrong.append("the server ended")
    slow = [name for name, seconds in taken.seconds.items() if seconds > SLOWEST]
    taken.wrong += [f"{name} took {taken.seconds[name]:.1f} s" for name in slow]
    if taken.growth > GROWTH:
        taken.wrong.append(f"the server grew by {taken.growth:,} bytes")
    return taken


def main() -> int:
    files = make() | hostile()
    with Server() as server:
        taken = asyncio.run(through(server, files))
    print(taken.sentence())
    print("\n".join(taken.wrong))
    return 1 if taken.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
