"""The server with visitors who speak its protocol: freed sessions, turns, a class, the status."""

import asyncio
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.browser import Server
from tests.load import a_class, array, percentile, report
from tests.visitor import Visitor, address, play


@pytest.fixture(scope="module")
def served():
    """A server of its own, with its kernels ready."""
    with Server() as running:
        play(visit(running.url))
        yield running


async def visit(url, query=""):
    async with Visitor(url) as tab:
        await tab.open(query)
        assert not tab.problems
        return tab


def status(server):
    with urllib.request.urlopen(f"{server.url}/_stcore/status", timeout=10) as reply:
        return json.load(reply)


async def soon(server, condition, seconds):
    """Wait until the status is so; how long that took."""
    begun = time.monotonic()
    while not condition(status(server)):
        assert time.monotonic() - begun < seconds, status(server)
        await asyncio.sleep(0.1)
    return time.monotonic() - begun


def gone(found):
    memory = found["memory"]
    return not (found["sessions"]["with_account"] or memory["kept_by_sessions"])


def test_what_a_closed_session_held_is_freed_within_seconds(served):
    async def come_and_go():
        async with Visitor(served.url) as tab:
            await tab.open()
            found = status(served)
            assert found["sessions"]["open"] == 1
            assert found["memory"]["kept_by_sessions"] > 300_000
        await soon(served, gone, 8)

    play(come_and_go())


def test_a_broken_line_may_come_back(served):
    async def lose():
        tab = Visitor(served.url)
        await tab.__aenter__()
        await tab.open()
        tab.line.transport.abort()
        await soon(served, lambda s: s["sessions"]["open"] == 0, 5)
        await asyncio.sleep(3)
        assert status(served)["sessions"]["lost_but_kept"] == 1

    play(lose())


def test_heavy_work_has_a_place_in_the_queue_and_a_closed_tab_ends_it(served):
    """Two sessions with much to do, and a third whose move does not wait for them."""

    async def three():
        heavy = [Visitor(served.url) for _ in range(2)]
        light = Visitor(served.url)
        async with heavy[0], heavy[1], light:
            await light.open()
            for k, tab in enumerate(heavy):
                await tab.open(page="data")
                await tab.upload(f"much{k}.npz", array(16_000, 200, seed=k))
            for k, tab in enumerate(heavy):
                await tab.begin(address(data=f"much{k}.npz", residual="centred"))
            waiting = [asyncio.create_task(t.seen("in the queue", 60)) for t in heavy]
            done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            assert [task.result() for task in done], "one of them waits"
            assert status(served)["queue"] == {"at_work": 1, "waiting": 1}
            moved = await light.move("theta1", 0.7)
            assert moved < 5
            for task in rest:
                task.cancel()
        return await soon(served, lambda s: s["queue"] == {"at_work": 0, "waiting": 0}, 5)

    assert play(three()) < 4


def test_a_small_class(served):
    """`python -m tests.load` tries twenty for five minutes."""
    found = play(a_class(served, 3, 12, 0.8, 0, 0))
    assert not found.problems, report(found)
    assert len(found.moves) > 10 and percentile(found.moves, 0.95) < 5, report(found)


def test_status_from_the_command_line(served):
    command = [sys.executable, "-m", "sdsc_core.cli", "status", "--port"]
    said = subprocess.run([*command, str(served.port)], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    for line in ("version: ", "sessions open: ", "memory limit of a session: 2,000.0 MB", "queue"):
        assert line in said.stdout
    said = subprocess.run([*command, "1"], capture_output=True, text=True)
    assert said.returncode == 2 and "No server of the app answers" in said.stderr


def test_status_is_not_told_to_a_page_of_another_host(served):
    asked = urllib.request.Request(f"{served.url}/_stcore/status", headers={"Host": "evil.org"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked, timeout=10)


def test_the_log_has_a_line_for_each_event_and_no_names(served):
    async def load():
        async with Visitor(served.url) as tab:
            await tab.open(page="data")
            await tab.upload("secret.csv", b"height,weight\n1.5,2.5\n3.5,4.25\n5,7\n9,1\n")
            await tab.upload("secret.npy", b"nothing")
            assert any("npy" in text and "stays as it was" in text for text in tab.texts), tab.texts

    play(load())
    lines = [line for line in served.log().splitlines() if " sdsc: " in line]
    assert any(" upload .csv " in line and "X 4 × 2" in line for line in lines)
    assert any(" refused a file: " in line for line in lines)
    assert any(" run IMC-PCE, X " in line for line in lines)
    assert not any("secret" in line or "4.25" in line for line in lines)


def test_as_many_clusters_as_points_stop_within_a_second(served):
    async def begin_and_stop():
        async with Visitor(served.url) as tab:
            await tab.open(page="data")
            await tab.upload("many.npz", array(2_000))
            await tab.begin(address(data="many.npz", clusters="own", k=2000, gamma=5))
            await tab.seen("Eigenvectors of", 60)
            begun = time.monotonic()
            await tab.stop()
            await tab.seen("Stopped.", 10)
            taken = time.monotonic() - begun
            await tab.finished(10)
            assert not tab.problems
        await soon(served, lambda s: not s["queue"]["at_work"], 20)
        return taken

    assert play(begin_and_stop()) < 2


WORST = (
    "clusters=own&k=1000000", "gamma=20&dense=D3&theta1=nan", "pca=100000&each=1000000",
    "classes=999999.0.1", "point=999999999&pair=1.999999", "data=no%2F..%2Fsuch", "sheet=1000000",
    "seed=2147483647&draw=2147483647", "methods=A.B.C&stages=x&repeats=100",
)  # fmt: skip


def test_the_worst_addresses(served):
    async def open_all():
        async with Visitor(served.url) as tab:
            for query in WORST:
                await tab.open(query)
                assert not tab.problems, query

    play(open_all())
