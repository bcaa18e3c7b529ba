"""The server with visitors who speak its protocol: freed sessions, turns, a class, the status."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.browser import ROOT, Server
from tests.load import SCREENS, a_class, array, percentile, report
from tests.odd_files import make
from tests.test_browser_files import SLOW, at_work
from tests.uploads import through
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


def test_nothing_is_told_by_its_mark_alone(served):
    """A browser may have let go of it meanwhile, and then ends the session for good."""

    async def story():
        async with Visitor(served.url) as tab:
            for _ in range(2):  # the second time as Back does: all is told again
                await tab.open("gamma=5")
            assert tab.hashes and tab.by_mark == 0 and not tab.problems

    play(story())


def status(server):
    with urllib.request.urlopen(f"{server.url}/_stcore/status", timeout=10) as reply:
        return json.load(reply)


async def soon(server, condition, seconds):
    """Wait until the status is so; how long that took."""
    begun = time.monotonic()
    while not condition(await asyncio.to_thread(status, server)):
        assert time.monotonic() - begun < seconds, status(server)
        await asyncio.sleep(0.02)
    return time.monotonic() - begun


def idle(found):
    """Whether no heavy work is under way or waits."""
    return found["queue"] == {"at_work": 0, "waiting": 0}


def quickest(story, limit=1.0):
    """The shortest of at most three tries: a machine may have other work, but not each time."""
    taken = []
    while len(taken) < 3 and min(taken, default=limit) >= limit:
        taken.append(play(story()))
    return min(taken)


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


class Looking(Visitor):
    """Notes the addresses of pictures."""

    async def _receive(self):
        raw = await super()._receive()
        self.pictures = {*getattr(self, "pictures", ()), *re.findall(r"/media/\w+\.\w+", str(raw))}
        return raw


def test_a_picture_can_still_be_had_after_the_next_run(served):
    """Else a slow browser that is clicked on shows broken pictures."""

    async def look():
        async with Looking(served.url) as tab:
            await tab.open(address(data="faces"), "densification")
            shown = tab.pictures
            await tab.open(address(data="motion"))
            assert not tab.problems and tab.pictures == shown, "motion has no pictures"
            return shown

    shown = play(look())
    assert len(shown) >= 2
    for path in shown:
        with urllib.request.urlopen(f"{served.url}{path}", timeout=10) as reply:
            assert reply.status == 200 and reply.read(3)


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
                await tab.upload(f"much{k}.npz", array(32_000, 200, seed=k))
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
            await asyncio.gather(*(tab.close() for tab in heavy))
            return await soon(served, idle, 20)

    assert quickest(three) < 1


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


def test_other_sites_are_kept_out(served):
    """No line for a page of another site, and no upload without the token of our own cookie."""

    async def from_elsewhere():
        stream = served.url.replace("http", "ws", 1) + "/_stcore/stream"
        with pytest.raises(WebSocketException):
            async with connect(
                stream, origin="http://evil.example", subprotocols=["streamlit"]
            ) as line:
                await line.recv()

    play(from_elsewhere())
    asked = urllib.request.Request(
        f"{served.url}/_stcore/upload_file/a/b", b"x", method="PUT",
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )  # fmt: skip
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked, timeout=10)


def test_a_start_asks_no_host_for_its_address():
    code = (
        "import socket; socket.socket.connect = None; import urllib.request, requests.sessions;"
        "from pages.shared import streamlit_inside as inside; inside._say_nothing_to_others();"
        "from streamlit import net_util; print(net_util.get_external_ip())"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout.split() == ["None"], said.stderr


# Notes whatever Python asks of the network; to connect for datagrams sends nothing.
WATCH = """
import os, socket, sys
def note(event, given):
    if event == "socket.getaddrinfo" or event == "socket.connect" and (
        given[0].family != socket.AF_UNIX and given[0].type & socket.SOCK_STREAM
    ):
        host = given[0] if event == "socket.getaddrinfo" else given[1][0]
        os.write(2, f"asks the network: {event} {host}\\n".encode())
sys.addaudithook(note)
os.write(2, b"the network is watched\\n")
"""


def test_no_request_leaves_the_server(tmp_path):
    """From a start for all addresses through every screen and an upload; its readers too."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)

    async def look_around(server):
        async with Visitor(server.url) as tab:
            await tab.open()
            for screen in SCREENS:
                await tab.open(page=screen)
            await tab.open(page="data")
            await tab.upload("a.csv", b"a,b\n1.5,2.5\n3.5,4.25\n5,7\n9,1\n")
            assert not tab.problems

    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    with Server(env, options=("--server.address", "0.0.0.0")) as server:
        play(look_around(server))
        said = server.log()
    assert "the network is watched" in said
    asked = re.findall(r"asks the network: \S+ (.*)", said)
    assert set(asked) <= {"None", "0.0.0.0", "127.0.0.1", "localhost"}


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


@pytest.mark.parametrize(("how", "after"), [("stop", 0.2), ("close", 3.0)])
def test_as_many_clusters_as_points_end_within_a_second(served, how, after):
    """On the screen and on the server: in the decomposition, and in k-means after it."""
    many = array(2_000)

    async def begin_and_end():
        async with Visitor(served.url) as tab:
            await tab.open(page="data")
            await tab.upload("many.npz", many)
            await tab.begin(address(data="many.npz", clusters="own", k=2000, gamma=5))
            await tab.seen("Eigenvectors of")
            await asyncio.sleep(after)
            assert not idle(status(served))
            begun = time.monotonic()
            if how == "close":
                await tab.close()
                return await soon(served, idle, 20)
            await tab.stop()
            ended, _ = await asyncio.gather(soon(served, idle, 20), tab.seen("Stopped.", 10))
            taken = time.monotonic() - begun
            await tab.finished(10)
            assert not tab.problems
            return max(ended, taken)

    assert quickest(begin_and_end) < 1


@pytest.mark.parametrize("how", ["stop", "close"])
def test_a_reader_ends_within_a_second(served, how):
    """From Stop or a closed tab until its process is gone."""

    async def begin_and_end():
        async with Visitor(served.url) as tab:
            await tab.open(page="data")
            giving = asyncio.create_task(tab.upload("slow.csv", SLOW))
            while not at_work(served):
                await asyncio.sleep(0.01)
            begun = time.monotonic()
            await (tab.stop() if how == "stop" else tab.close())
            while at_work(served):
                await asyncio.sleep(0.01)
            taken = time.monotonic() - begun
            giving.cancel()
            return taken

    assert quickest(begin_and_end) < 1


def test_odd_files_through_the_real_uploader(served):
    """Some of them; `python -m tests.uploads` gives all."""
    every = make()
    files = dict(list(every.items())[::20]) | {n: every[n] for n in ("one_row.csv", "picture.csv")}
    taken = play(through(served, files))
    assert not taken.wrong, taken.sentence()


def test_files_that_no_screen_takes_fill_nothing():
    """Whoever sends them past the uploader is refused where the session's budget ends."""

    async def fill(server):
        def put(tab, k):
            path = f"/_stcore/upload_file/{tab.session}/{k}"
            return asyncio.to_thread(tab._put, path, "a.csv", bytes(30 << 20))

        async with Visitor(server.url) as tab:
            await tab.open(page="data")
            await put(tab, 0)
            kept = status(server)["memory"]["kept_by_sessions"]
            assert kept > 30 << 20
            with pytest.raises(urllib.error.HTTPError, match="413"):
                for k in range(1, 6):
                    await put(tab, k)
            assert status(server)["memory"]["kept_by_sessions"] < 120_000_000
            assert any("What files hold" in r["why"] for r in status(server)["last_refusals"])
            await tab.open(page="")
            assert not tab.problems

    with Server(options=("--limit", "session_memory=120M")) as server:
        play(fill(server))


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
