"""A class at once: python -m tests.load [--sessions 20] [--minutes 5] [--think 4]

Sessions speak Streamlit's protocol directly (`tests.visitor`), each with data of its own whose name
is a mark; they go through all screens, move and upload, and think in between. Prints the median and
the 95th percentile of a move, errors, marks that stood on a wrong screen, and memory at the start,
its peak, and at the end. --large adds sessions with 20,000 points, --hostile one with odd files, D3
on 10,000 points and 2,000 clusters; what both of these wait is not counted.
"""

import argparse
import asyncio
import io
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sdsc_core.datasets import make_subspaces
from tests.browser import Server
from tests.odd_files import make
from tests.visitor import Visitor, address

SCREENS = ("", "data", "compare", "densification", "step", "words")
MEDIAN, SLOWEST = 0.6, 2.0  # seconds that a move may take, at the median and the 95th percentile


@dataclass
class Found:
    """What all sessions met."""

    moves: list[float] = field(default_factory=list)
    screens: list[float] = field(default_factory=list)
    uploads: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)


def table(mark: int, n_points: int = 150) -> bytes:
    """A .csv of a few subspaces, whose classes carry the mark too."""
    data = make_subspaces(3, 3, 12, n_points // 3, noise=0.02, random_state=mark)
    text = io.StringIO()
    text.write(",".join([*(f"f{k}" for k in range(12)), "label"]) + "\n")
    for row, label in zip(data.X, data.labels, strict=True):
        text.write(",".join([*(f"{v:.5f}" for v in row), f"mark-{mark}-{label}"]) + "\n")
    return text.getvalue().encode()


async def student(url: str, mark: int, until: float, think: float, found: Found) -> None:
    """One session: loads its own data, moves settings, goes through the screens."""
    rng, name = random.Random(mark), f"mark-{mark}-data.csv"
    tab = Visitor(url)
    try:
        async with tab:
            found.screens.append(await tab.open(page="data"))
            await asyncio.sleep(think * rng.random())
            found.uploads.append(await tab.upload(name, table(mark)))
            found.screens.append(await tab.open(page=""))
            while time.monotonic() < until:
                await asyncio.sleep(think * (0.5 + rng.random()))
                if time.monotonic() < until:
                    await _one_move(tab, rng, found, mark)
                wrong = tab.marks - {mark}
                if wrong or tab.problems:
                    found.problems += [f"session {mark}: {p}" for p in tab.problems]
                    found.problems += [f"session {mark} saw the mark {w}" for w in wrong]
                    return
    except Exception as error:
        found.problems.append(f"session {mark}: {type(error).__name__} {error}")


async def _one_move(tab: Visitor, rng: random.Random, found: Found, mark: int) -> None:
    if rng.random() < 0.15:
        found.screens.append(await tab.open(page=rng.choice(SCREENS)))
    elif rng.random() < 0.05:
        found.screens.append(await tab.open(page="data"))
        found.uploads.append(await tab.upload(f"mark-{mark}-more.csv", table(mark, 90)))
    if "gamma" not in tab.widgets:
        found.screens.append(await tab.open(page=""))
    value: Any
    key = rng.choice(["gamma", "theta1", "theta2", "dense", "gamma", "theta1"])
    if key == "gamma":
        value = rng.randint(2, 12)
    elif key == "dense":
        value = rng.choice(["PCE", "PCE", "D1", "D3"])
    else:
        value = rng.choice([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    found.moves.append(await tab.move(key, value))


def array(n_points: int, n_features: int = 20, seed: int = 0) -> bytes:
    """A .npz with so many points."""
    data = make_subspaces(8, 4, n_features, n_points // 8, noise=0.02, random_state=seed)
    file = io.BytesIO()
    np.savez_compressed(file, X=data.X.astype(np.float32), y=data.labels)
    return file.getvalue()


async def large(url: str, mark: int, until: float, found: Found) -> None:
    """A session with 20,000 points, which moves Γ and θ as fast as it can."""
    try:
        async with Visitor(url) as tab:
            await tab.open(page="data")
            await tab.upload(f"mark-{mark}-large.npz", array(20_000, seed=mark))
            await tab.open(page="")
            while time.monotonic() < until:
                await tab.move("gamma", 2 + int(time.monotonic()) % 6)
                if tab.problems or tab.marks - {mark}:
                    found.problems.append(f"large session {mark}: {tab.problems} {tab.marks}")
                    return
    except Exception as error:
        found.problems.append(f"large session {mark}: {type(error).__name__} {error}")


async def hostile(url: str, mark: int, until: float, found: Found) -> None:
    """Odd files, D3 on 10,000 points, as many clusters as points: one after the other."""
    worst = [(name, data) for name, (data, wanted) in make().items() if isinstance(wanted, str)]
    try:
        turn = 0
        while time.monotonic() < until:
            async with Visitor(url) as tab:
                await tab.open(page="data")
                turn += 1
                if turn % 3 == 0:
                    await tab.upload(f"mark-{mark}-ten.npz", array(10_000, 50, seed=turn))
                    await tab.open(address(data=f"mark-{mark}-ten.npz", dense="D3", gamma=20))
                elif turn % 3 == 1:
                    await tab.upload(f"mark-{mark}-k.npz", array(2_000, seed=turn))
                    name = f"mark-{mark}-k.npz"
                    await tab.open(address(data=name, clusters="own", k=2000, gamma=5))
                else:
                    for name, data in worst[turn % 7 :: 7]:
                        await tab.upload(name, data)
                if tab.problems:
                    found.problems.append(f"hostile session: {tab.problems}")
                    return
    except TimeoutError:
        pass  # it waits in the queue, which is where it belongs
    except Exception as error:
        found.problems.append(f"hostile session: {type(error).__name__} {error}")


async def watch_memory(pid: int, until: float, found: Found) -> None:
    """Resident bytes of the server, each second."""
    while time.monotonic() < until:
        found.memory.append(resident(pid))
        await asyncio.sleep(1)


def resident(pid: int) -> int:
    """Bytes of a process in memory."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


async def a_class(
    server: Server, sessions: int, seconds: float, think: float, n_large: int, n_hostile: int
) -> Found:
    """Let all of them come within a few seconds and work until the time is over."""
    found = Found()
    async with Visitor(server.url) as first:  # kernels and libraries are ready from here on
        await first.open()
    until = time.monotonic() + seconds
    people = [student(server.url, k, until, think, found) for k in range(sessions)]
    people += [large(server.url, 1000 + k, until, found) for k in range(n_large)]
    people += [hostile(server.url, 2000 + k, until, found) for k in range(n_hostile)]
    people.append(watch_memory(server.process.pid, until, found))
    await asyncio.gather(*people)
    await asyncio.sleep(4)  # closed sessions are freed
    found.memory.append(resident(server.process.pid))
    return found


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of them lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def report(found: Found) -> str:
    """A line for each figure."""
    lines = []
    for name in ("moves", "screens", "uploads"):
        values = getattr(found, name)
        if values:
            lines.append(
                f"{name}: {len(values)}, median {statistics.median(values):.2f} s,"
                f" 95th percentile {percentile(values, 0.95):.2f} s, longest {max(values):.2f} s"
            )
    start, peak, end = found.memory[0], max(found.memory), found.memory[-1]
    lines.append(
        f"memory: start {start / 1e6:,.0f} MB, peak {peak / 1e6:,.0f} MB, end {end / 1e6:,.0f} MB"
    )
    return "\n".join([*lines, *(found.problems or ["no error, no mark on a wrong screen"])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--think", type=float, default=4.0, help="seconds between moves, about")
    parser.add_argument("--large", type=int, default=0, help="sessions with 20,000 points")
    parser.add_argument("--hostile", type=int, default=0, help="hostile sessions")
    o = parser.parse_args()
    with Server() as server:
        found = asyncio.run(
            a_class(server, o.sessions, 60 * o.minutes, o.think, o.large, o.hostile)
        )
    print(report(found))
    good = statistics.median(found.moves) <= MEDIAN and percentile(found.moves, 0.95) <= SLOWEST
    return 0 if good and not found.problems else 1


if __name__ == "__main__":
    sys.exit(main())
