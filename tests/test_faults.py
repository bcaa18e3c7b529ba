"""Faults from outside: a sentence each, the server answers, settings and last result stay."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import urllib.request

import pytest

from pages.shared import run as shared_run
from sdsc_core import _jit
from sdsc_core.datasets.apart import asking
from sdsc_core.memory import check_memory
from tests.browser import Server
from tests.load import array
from tests.test_jit import INNER
from tests.visitor import Visitor, address, play

KEPT = """
if __name__ == "__main__":
    from sdsc_core.inner import inner as kept
    print(kept(0))
"""


def healthy(server):
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=10) as reply:
        return reply.status == 200


def test_kill_and_restart():
    """Whoever comes back by the address finds the same settings and the same result."""

    async def look(server, query):
        async with Visitor(server.url) as tab:
            await tab.open(query)
            assert not tab.problems
            texts = [t for t in tab.texts if "ACC" in t or "%" in t]
            return tab.query, texts

    wanted = address(data="motion", gamma=4, theta1=0.7)
    with Server() as first:
        before = play(look(first, wanted))
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        with Server(port=first.port) as second:
            assert healthy(second)
            assert play(look(second, wanted)) == before
    assert "gamma=4" in before[0] and "theta1=0.7" in before[0]


def test_tight_memory():
    """With little memory left a large run is refused with its figure; the server goes on."""

    def little():
        resource.setrlimit(resource.RLIMIT_DATA, (1_500_000_000,) * 2)

    async def ask(server):
        async with Visitor(server.url) as tab:
            await tab.open("gamma=5")
            assert not tab.problems
            await tab.open(page="data")
            await tab.upload("many.npz", array(40_000, 300))
            await tab.open(address(data="many.npz", dense="D3", gamma=20))
            refusal = [t for t in tab.texts if "memory" in t]
            assert not tab.problems and refusal, tab.texts
            await tab.open(address(data="motion", gamma=5))
            assert not tab.problems and "gamma" in tab.widgets
            return refusal[0]

    with Server(before=little, options=("--limit", "session_memory=300M")) as server:
        assert "GiB" in play(ask(server))
        assert healthy(server)


@pytest.fixture
def package(tmp_path):
    """A copy of what compiles kernels, with one kernel."""
    folder = tmp_path / "sdsc_core"
    folder.mkdir()
    shutil.copy(_jit.__file__, folder)
    (folder / "__init__.py").write_text("")
    (folder / "inner.py").write_text(INNER + KEPT)
    return tmp_path


def compiled(package, before=None, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, "-m", "sdsc_core.inner"], cwd=package, env=clean | env,
        capture_output=True, text=True, preexec_fn=before,
    )  # fmt: skip


def test_full_disk(package):
    """Kernels are compiled though no file can be written, and a warning says what to do."""

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    said = compiled(package, full)
    assert said.stdout.split() == ["1"], said.stderr
    assert "cannot be kept on disk" in said.stderr and "NUMBA_CACHE_DIR" in said.stderr


def test_full_disk_below_the_server(tmp_path):
    """While kernels compile that cannot be kept, the page says so and the health check answers;
    the log has one warning, whatever number of kernels there is."""

    def full():  # room for a few lines of the log, not for a kernel
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    async def come(server):
        async with Visitor(server.url) as tab:
            await tab.begin("gamma=4")
            for done in (0, 1):  # so many steps of `warm_up`, of several kernels each
                await tab.seen(f"compiled once on a new machine): {done} of", patience=600)
                assert healthy(server)
            assert not tab.problems

    with Server(os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, before=full) as server:
        play(come(server))
        assert server.log().count("cannot be kept on disk") == 1
        assert not list(tmp_path.rglob("*.nbc")), "the disk was not full"


def test_read_only_cache(package):
    (package / "sdsc_core" / "__pycache__").write_text("no folder can be made in its place")
    said = compiled(package, NUMBA_CACHE_DIR="/proc/nothing", HOME="/proc/nothing")
    assert said.stdout.split() == ["1"], said.stderr
    assert "cannot be kept on disk" in said.stderr


def test_a_stage_that_raises(app, monkeypatch, caplog):
    """A fault of ours: one sentence, the last result and the settings stay; the log has it."""
    app.run()
    before = app.session_state["last"]

    def broken(data, *args, **options):
        raise KeyError(data.X[0, 0])

    monkeypatch.setattr(shared_run, "run_stages", broken)
    app.slider(key="gamma").set_value(3).run()
    assert not app.exception
    assert "because of a fault in the program" in app.warning[0].value
    assert app.session_state["last"] is before and app.session_state["gamma"] == 3
    assert "error KeyError" in caplog.text and "in broken" in caplog.text
    assert str(before.data.X[0, 0]) not in caplog.text
    monkeypatch.undo()
    app.run()
    assert not app.warning and app.session_state["last"].settings.gamma == 3


def test_a_page_that_raises_tells_nothing_of_the_server(app, monkeypatch, caplog):
    """The trace goes to the log; the page has neither it nor what the fault says."""
    from streamlit import config

    from pages.explore import headline

    def broken(run):
        raise KeyError("/etc/secret", run.data.X[0, 0])

    monkeypatch.setattr(headline, "show", broken)
    before = config.get_option("client.showErrorDetails")
    config.set_option("client.showErrorDetails", "none")
    try:
        app.run()
    finally:
        config.set_option("client.showErrorDetails", before)
    [shown] = app.exception
    assert "secret" not in shown.message and not shown.stack_trace
    assert "error KeyError, X " in caplog.text and "in broken" in caplog.text


def test_the_log_has_nothing_of_what_a_fault_says(app, monkeypatch, caplog):
    """It may speak of values or names, and Streamlit writes to the log what it is told."""
    from pages.explore import headline

    name = "a name of a patient"

    def broken(run):
        raise KeyError(name)

    monkeypatch.setattr(headline, "show", broken)
    assert app.run().exception
    assert "noted in the log" in caplog.text and name not in caplog.text


def test_what_would_fill_the_memory_is_a_sentence_on_the_page(app, monkeypatch):
    """A chart that does not fit has a sentence in its place, and the rest of the page stands."""
    from pages.explore import embedding

    def broken(run):
        check_memory(10**15, "its embedding", run.data.n_points, instead="choose fewer clusters")

    monkeypatch.setattr(embedding, "show", broken)
    app.run()
    assert not app.exception
    [said] = [w.value for w in app.warning]
    assert "its embedding needs about" in said and said.endswith("so choose fewer clusters.")
    assert app.metric or app.html, "what comes after it is there"


def test_a_reader_that_dies(app, monkeypatch):
    """The process that waits for files is killed: the next file is read all the same."""
    asking.start()
    first = asking._running()
    os.kill(first.process.pid, signal.SIGKILL)
    app.query_params["data"] = "motion"
    app.switch_page("pages/data/page.py").run()
    app.file_uploader(key="upload").upload("t.csv", b"a,b\n1,2\n3,5\n8,1\n").run()
    assert not app.exception and app.session_state["data"] == "t.csv"
    assert asking._running() is not first
