"""Sessions that come and go for long: python -m tests.soak [--minutes 30]

What Python holds (objects that its collector follows, bytes that sessions keep) is asked from the
status while nobody is there, after five minutes and at the end: it must not have grown by 10 %. No
visitor waits for a line longer than a browser would; where one does though this process was late
itself, the machine had no time for either, and nothing is said about the server.
"""

import argparse
import asyncio
import random
import sys
import time

from tests.browser import Server
from tests.load import Found, asked_status, resident, student, watch_itself

EARLY = 5 / 30  # of the time, after which it is measured first
GROWTH = 1.1
HANDSHAKE = 10.0  # seconds that a browser's line may take


def holds(server: Server) -> tuple[int, int]:
    """Objects, and bytes that sessions keep."""
    found = asked_status(server, "?objects")
    return found["objects"], found["memory"]["kept_by_sessions"]


async def come_and_go(server: Server, until: float, found: Found, first: int) -> None:
    """One after the other, each for some seconds; a few at a time."""
    rng, mark = random.Random(first), first
    while time.monotonic() < until:
        end = min(until, time.monotonic() + rng.uniform(5, 25))
        await student(server.url, mark, end, 1.0, found)
        mark += 10


async def soak(server: Server, seconds: float, at_once: int = 3) -> tuple[Found, list[tuple]]:
    """Time, objects, bytes kept and bytes resident, when nobody was there."""
    found, measured = Found(), []
    begun = time.monotonic()
    for share in (EARLY, 0.4, 0.6, 0.8, 1.0):
        until = begun + share * seconds
        people = [come_and_go(server, until, found, k) for k in range(at_once)]
        await asyncio.gather(*people, watch_itself(until, found))
        await asyncio.sleep(5)  # all are gone, and freed
        state = await asyncio.to_thread(holds, server)
        measured.append((time.monotonic() - begun, *state, resident(server.process.pid)))
        print(
            "{:6.0f} s: {:,} objects, {:,} bytes kept, {:,} resident".format(*measured[-1]),
            flush=True,
        )
    return found, measured


def grown(measured: list[tuple]) -> float:
    """What is held at the end as a multiple of what was held early."""
    return measured[-1][1] / measured[0][1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args().minutes
    with Server() as server:
        found, measured = asyncio.run(soak(server, 60 * minutes))
    print(f"{len(found.uploads)} sessions, {len(found.moves)} moves; held {grown(measured):.3f} ×")
    slowest = max(found.handshakes, default=0.0)
    print(f"slowest handshake {slowest:.2f} s; this process was late by at most {found.lag:.2f} s")
    print("\n".join(found.problems or ["no error"]))
    good = slowest <= HANDSHAKE and grown(measured) <= GROWTH and not measured[-1][2]
    return 0 if good and not found.problems else 1


if __name__ == "__main__":
    sys.exit(main())
