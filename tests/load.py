"""A class at once: python -m tests.load [--sessions 20] [--minutes 5] [--think 4]

Sessions speak Streamlit's protocol directly (`tests.visitor`), each with data of its own whose name
is a mark; they go through all screens, move and upload, and think in between. Prints the median and
the 95th percentile of what they wait, errors, marks that stood on a wrong screen, and memory at the
start, its peak, and at the end. --large adds sessions with 20,000 points, --hostile one with odd
files, D3 on 10,000 points and 2,000 clusters; what both of these wait is not counted. With either,
the class works by itself first, for as long, and its median beside the others may be at most twice
that; --median gives that of an earlier run instead.
"""

import argparse
import asyncio
import io
import json
import random
import re
import statistics
import sys
import time
import urllib.request
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sdsc_core.datasets import make_subspaces
from tests.browser import ROOT, Server
from tests.odd_files import make
from tests.visitor import Visitor, address

# The addresses of all screens, as app.py lists them.
SCREENS = re.findall(r'^    \("\w+", "(\w*)", "', (ROOT / "app.py").read_text(), re.M)
MEDIAN, SLOWEST = 0.6, 2.0  # seconds, of moves, screens and uploads; 95 % of them are quicker
BESIDE = 2.0  # times the median by itself, beside large or hostile sessions
ARRIVE = 20.0  # seconds within which all of a class have come
LAG = 1.0  # seconds that this process itself may be late; what it measures then is its own


@dataclass
class Found:
    """What all sessions met."""

    moves: list[float] = field(default_factory=list)
    screens: list[float] = field(default_factory=list)
    uploads: list[float] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # bytes of the server's process
    readers: list[int] = field(default_factory=list)  # of the readers of files below it
    counted: list[int] = field(default_factory=list)  # kept by sessions and granted to stages
    turns: list[str] = field(default_factory=list)  # what hostile sessions did
    handshakes: list[float] = field(default_factory=list)  # seconds until a line stood
    lag: float = 0.0

    @property
    def waits(self) -> list[float]:
        """All that a class waited for: moves, screens and uploads."""
        return self.moves + self.screens + self.uploads

    async def open(self, tab: Visitor, page: str) -> None:
        """Go to a screen."""
        self.screens.append(await tab.open(page=page))
        self.visited.add(page)

    def look(self, tab: Visitor, who: str, mark: int) -> bool:
        """Note errors of a session and marks of others'; whether there were any."""
        wrong = tab.marks - {mark}
        self.problems += [f"{who} {mark}: {p}" for p in tab.problems]
        self.problems += [f"{who} {mark} saw the mark {w}" for w in wrong]
        return bool(wrong or tab.problems)


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
    screens = random.Random(mark).sample(SCREENS, len(SCREENS))  # each in turn, in its own order
    tab = Visitor(url)
    try:
        async with tab:
            found.handshakes.append(tab.handshake)
            await found.open(tab, "data")
            await asyncio.sleep(think * rng.random())
            found.uploads.append(await tab.upload(name, table(mark)))
            await found.open(tab, "")
            if mark not in tab.marks:
                found.problems.append(f"session {mark} does not show its own data")
            while time.monotonic() < until:
                await asyncio.sleep(think * (0.5 + rng.random()))
                if time.monotonic() < until:
                    await _one_move(tab, rng, found, mark, screens)
                if found.look(tab, "session", mark):
                    return
    except Exception as error:
        found.problems.append(f"session {mark}: {type(error).__name__} {error}")


async def _one_move(
    tab: Visitor, rng: random.Random, found: Found, mark: int, screens: list[str]
) -> None:
    if rng.random() < 0.15:
        screens.append(screens.pop(0))
        await found.open(tab, screens[-1])
    elif rng.random() < 0.05:
        await found.open(tab, "data")
        found.uploads.append(await tab.upload(f"mark-{mark}-more.csv", table(mark, 90)))
    if "gamma" not in tab.widgets:
        await found.open(tab, "")
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


async def large(url: str, mark: int, until: float, found: Found, points: bytes) -> None:
    """A session with 20,000 points, which moves Γ and θ as fast as it can."""
    while time.monotonic() < until:
        try:
            async with Visitor(url) as tab:
                await tab.open(page="data")
                await tab.upload(f"mark-{mark}-large.npz", points)
                await tab.open(page="")
                while time.monotonic() < until:
                    await tab.move("gamma", 2 + int(time.monotonic()) % 6)
                    if found.look(tab, "large session", mark):
                        return
        except TimeoutError:
            found.turns.append("a large session that gave up after two minutes")
        except Exception as error:
            found.problems.append(f"large session {mark}: {type(error).__name__} {error}")
            return


@dataclass
class Hostile:
    """What a hostile session brings, made before anybody comes."""

    files: list[tuple[str, bytes]]
    many: bytes  # 10,000 points for D3
    clusters: bytes  # 2,000 points for as many clusters

    @classmethod
    def made(cls) -> "Hostile":
        files = [(name, data) for name, (data, wanted) in make().items() if isinstance(wanted, str)]
        return cls(files, array(10_000, 50), array(2_000))


async def hostile(url: str, mark: int, until: float, found: Found, bag: Hostile) -> None:
    """Odd files, D3 on 10,000 points, as many clusters as points: one after the other, for ever."""
    turn = 0
    while time.monotonic() < until:
        turn += 1
        try:
            async with Visitor(url) as tab:
                await tab.open(page="data")
                if turn % 3 == 1:
                    name = f"mark-{mark}-k.npz"
                    await tab.upload(name, bag.clusters)
                    await tab.open(address(data=name, clusters="own", k=2000, gamma=5))
                    found.turns.append("2,000 clusters")
                elif turn % 3 == 2:
                    for name, data in bag.files[turn % 7 :: 7]:
                        if time.monotonic() < until:
                            await tab.upload(name, data)
                            found.turns.append("odd files")
                else:
                    name = f"mark-{mark}-ten.npz"
                    await tab.upload(name, bag.many)
                    await tab.open(address(data=name, dense="D3", gamma=20))
                    found.turns.append("D3 on 10,000 points")
                if found.look(tab, "hostile session", mark):
                    return
        except TimeoutError:
            found.turns.append("gave up after two minutes")
        except Exception as error:
            found.problems.append(f"hostile session: {type(error).__name__} {error}")
            return


def resident(pid: int) -> int:
    """Bytes of a process in memory; 0 where it has ended."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, IndexError):
        return 0


def readers(pid: int) -> int:
    """Bytes of the processes below: the one that waits for files, and its readers."""
    total, below = 0, [pid]
    while below:
        try:
            one = below.pop()
            found = Path(f"/proc/{one}/task/{one}/children").read_text().split()
        except OSError:
            continue
        below += map(int, found)
        total += sum(map(resident, map(int, found)))
    return total


def asked_status(server: Server, query: str = "") -> dict[str, Any]:
    """What the server tells whoever runs it."""
    with urllib.request.urlopen(f"{server.url}/_stcore/status{query}", timeout=60) as reply:
        found: dict[str, Any] = json.load(reply)
    return found


async def watch_memory(server: Server, until: float, found: Found) -> None:
    """Each second: bytes of the server and of its readers, and whether they are within limits."""
    while time.monotonic() < until:
        found.memory.append(resident(server.process.pid))
        found.readers.append(readers(server.process.pid))
        told = await asyncio.to_thread(asked_status, server)
        memory, sessions = told["memory"], told["sessions"]["with_account"]
        found.counted.append(memory["kept_by_sessions"] + memory["granted_to_stages"])
        most = min(memory["limit_of_all_sessions"], sessions * memory["limit_of_a_session"])
        if found.counted[-1] > most:
            found.problems.append(f"sessions hold {found.counted[-1]:,} bytes, above {most:,}")
        await asyncio.sleep(1)


async def watch_itself(until: float, found: Found) -> None:
    """How late this process is at worst: what it measures of the server is late by as much."""
    while time.monotonic() < until:
        begun = time.monotonic()
        await asyncio.sleep(0.1)
        found.lag = max(found.lag, time.monotonic() - begun - 0.1)


async def a_class(
    server: Server, sessions: int, seconds: float, think: float, n_large: int, n_hostile: int
) -> Found:
    """Let all of them come within a few seconds and work until the time is over."""
    found = Found()
    # Made before anybody comes: all visitors share this one process.
    points = [array(20_000, seed=k) for k in range(n_large)]
    bag = Hostile.made() if n_hostile else Hostile([], b"", b"")
    async with Visitor(server.url) as first:  # kernels and libraries are ready from here on
        await first.open()
    until = time.monotonic() + seconds
    apart = min(ARRIVE, seconds / 4) / sessions
    people = [
        later(k * apart, student(server.url, k, until, think, found)) for k in range(sessions)
    ]
    people += [large(server.url, 1000 + k, until, found, p) for k, p in enumerate(points)]
    people += [hostile(server.url, 2000 + k, until, found, bag) for k in range(n_hostile)]
    people += [watch_memory(server, until, found), watch_itself(until, found)]
    await asyncio.gather(*people)
    await asyncio.sleep(4)  # closed sessions are freed
    found.memory.append(resident(server.process.pid))
    return found


async def later(seconds: float, story: Coroutine[Any, Any, None]) -> None:
    """One who comes after a while."""
    await asyncio.sleep(seconds)
    await story


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of them lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def report(found: Found) -> str:
    """A line for each figure."""
    lines = []
    for name in ("waits", "moves", "screens", "uploads"):
        values = getattr(found, name)
        if values:
            lines.append(
                f"{name}: {len(values)}, median {statistics.median(values):.2f} s,"
                f" 95th percentile {percentile(values, 0.95):.2f} s, longest {max(values):.2f} s"
            )
    start, peak, end = found.memory[0], max(found.memory), found.memory[-1]
    lines += [
        f"memory: start {start / 1e6:,.0f} MB, peak {peak / 1e6:,.0f} MB, end {end / 1e6:,.0f} MB;"
        f" readers of files at most {max(found.readers, default=0) / 1e6:,.0f} MB",
        "kept by sessions and granted to stages: at most"
        f" {max(found.counted, default=0) / 1e6:,.0f} MB",
        f"{len(found.visited)} of {len(SCREENS)} screens; the slowest handshake took"
        f" {max(found.handshakes, default=0):.2f} s, and this process was late by at most"
        f" {found.lag:.2f} s",
    ]
    if found.turns:
        did = {what: found.turns.count(what) for what in dict.fromkeys(found.turns)}
        lines.append("beside the class: " + ", ".join(f"{n} × {what}" for what, n in did.items()))
    return "\n".join([*lines, *(found.problems or ["no error, no mark on a wrong screen"])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--think", type=float, default=4.0, help="seconds between moves, about")
    parser.add_argument("--large", type=int, default=0, help="sessions with 20,000 points")
    parser.add_argument("--hostile", type=int, default=0, help="hostile sessions")
    parser.add_argument("--median", type=float, help="seconds, of the class by itself")
    o = parser.parse_args()
    medians, good = [o.median] if o.median else [], True
    beside = bool(o.large or o.hostile)
    for others in [(0, 0)] * (not medians) + [(o.large, o.hostile)] * beside:
        with Server() as server:
            found = asyncio.run(a_class(server, o.sessions, 60 * o.minutes, o.think, *others))
        who = f" beside {others[0]} large and {others[1]} hostile" if any(others) else ""
        print(f"{o.sessions} sessions{who}\n{report(found)}", flush=True)
        medians.append(statistics.median(found.waits))
        good = good and not found.problems and found.lag < LAG
        good = good and set(SCREENS) == found.visited
        if not any(others):
            good = good and medians[0] <= MEDIAN and percentile(found.waits, 0.95) <= SLOWEST
    if len(medians) > 1:
        print(f"the median is {medians[1] / medians[0]:.2f} times that of the class by itself")
        good = good and medians[1] <= BESIDE * medians[0]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
