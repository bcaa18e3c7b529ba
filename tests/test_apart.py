"""Files of others in a process of their own: right, or one sentence, and nobody else notices."""

import io
import json
import os
import signal
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sdsc_core.cli import main
from sdsc_core.cli.app import streamlit_arguments
from sdsc_core.datasets import Limits, apart, columns, inspect, load
from sdsc_core.datasets.apart import asking
from sdsc_core.datasets.safe import quoted
from tests.conftest import ROOT
from tests.fuzz_files import fuzz
from tests.hostile_files import hostile
from tests.odd_files import FULL, make, npz, table

pytestmark = pytest.mark.skipif(not apart.ISOLATED, reason="there is no fork here")
LIMITS = Limits()
FILES = sorted(p for p in (ROOT / "sample_data").iterdir() if p.suffix != ".md")
SLOW = (",".join(f"c{k}" for k in range(15_000)) + "\n" + 3 * ("x1," * 14_999 + "y\n")).encode()


def read(content, name="a.csv", limits=LIMITS, **options):
    return apart.load(io.BytesIO(content), name=name, limits=limits, **options)


def memory():
    """Bytes that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def at_work():
    """The readers of files that are alive, by their numbers."""
    server = asking._running().process.pid
    return list(map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split()))


def ended():
    """Whether all readers are gone, soon."""
    end = time.monotonic() + 10
    while at_work() and time.monotonic() < end:
        time.sleep(0.01)
    return not at_work()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_same_as_without(path):
    alone = apart.load(path, name=path.name, limits=LIMITS)
    direct = load(path)
    assert alone.digest == direct.digest
    assert (alone.name, alone.note, alone.kind) == (direct.name, direct.note, direct.kind)
    if path.suffix == ".csv":
        assert apart.columns(path, name=path.name, limits=LIMITS) == columns(path)
    assert apart.inspect(path, name=path.name, limits=LIMITS) == inspect(path)


def test_a_small_file_waits_for_nothing():
    """The process that reads is warm: a file costs at most 0.2 s more than without it."""

    def seconds(work):
        def once():
            begun = time.perf_counter()
            work()
            return time.perf_counter() - begun

        return min(once() for _ in range(5))

    read(table())  # started, if it was not
    alone = seconds(lambda: load(io.BytesIO(table()), name="a.csv"))
    assert seconds(lambda: read(table())) < alone + 0.2


def test_a_choice_of_columns_goes_along():
    options = {"label_column": False, "ignore": ["a", 1], "id_column": "label"}
    alone = read(table(), **options)
    direct = load(io.BytesIO(table()), name="a.csv", **options)
    assert alone.digest == direct.digest and alone.identifiers.tolist() == ["0", "1", "2"] * 4
    with pytest.raises(ValueError, match="correct it, or give") as caught:
        read(b"a,b,c\n1,2,x\n3,4,y\n", features=["c"])
    assert caught.value.column == "c" and "'x' in row 2" in caught.value.what


@pytest.fixture(scope="module")
def odd_files():
    first, second = make(), hostile()
    assert not first.keys() & second.keys()
    return first | second


def test_odd_files(odd_files):
    """All of them, one after the other: right or a sentence, and no memory is gone with them."""
    assert len(odd_files) >= 150
    before, most, wrong = memory(), 0, []
    for name, (content, expected) in odd_files.items():
        try:
            data = read(content, name)
            found = (data.n_points, data.n_features, data.n_classes)
        except ValueError as problem:
            found = str(problem)
            assert found.isprintable() and found.endswith(".") and len(found) < 700, found
        most = max(most, memory() - before)
        right = expected in found if isinstance(expected, str) and isinstance(found, str) else (
            found == expected or expected == "")  # fmt: skip
        if not right:
            wrong.append((name, found, expected))
    assert not wrong
    assert most < 300_000_000


def test_changed_files():
    tally, said = fuzz(500)
    assert tally.total() == 500 and tally["read"] and tally["refused"]
    vague = said["it is damaged or of another kind."]
    assert vague < tally["refused"] / 10, said.most_common()


class TestItDiesAlone:
    def kill(self, number):
        """Progress that ends the reader by a signal, once."""
        killed = []
        assert ended()

        def progress(done, total):
            if not killed and at_work():
                killed.extend(at_work())
                os.kill(killed[0], number)

        return progress

    @pytest.mark.parametrize(
        ("number", "says"),
        [(signal.SIGSEGV, "crashes its reader; save it again"), (signal.SIGKILL, "lack of memory")],
    )
    def test_a_crash(self, number, says):
        with pytest.raises(ValueError, match=f"^'slow.csv' .*{says}"):
            read(SLOW, "slow.csv", progress=self.kill(number))
        assert read(table()).n_points == FULL[0]

    def test_memory(self):
        tight = replace(LIMITS, memory=50_000_000)  # less than the array itself
        with pytest.raises(ValueError, match=r"^'a.npz' needs more .*memory.*; give fewer"):
            read(npz(X=np.zeros((10_000, 1000))), "a.npz", tight)

    def test_time(self):
        with pytest.raises(ValueError, match="takes more than 1 s to read and was given up"):
            read(SLOW, limits=replace(LIMITS, seconds=1))
        assert ended()

    def test_stop(self):
        class Stop(BaseException):
            pass

        assert ended()

        def progress(done, total):
            if at_work():
                raise Stop

        with pytest.raises(Stop):
            read(SLOW, progress=progress)
        assert ended()

    def test_the_process_that_waits_is_started_again(self):
        before = asking._running().process
        os.kill(before.pid, signal.SIGKILL)
        assert read(table()).n_points == FULL[0]
        assert asking._running().process.pid != before.pid

    def test_a_reader_that_cannot_be_started(self, monkeypatch):
        def never(*args, **options):
            raise OSError(12, "Cannot allocate memory")

        monkeypatch.setattr(asking, "_server", None)
        monkeypatch.setattr(asking.subprocess, "Popen", never)
        with pytest.raises(ValueError, match=r"^'a.csv' could not be read, because the server"):
            read(table())

    def test_a_killed_parent_leaves_nobody(self):
        server = asking._Server()
        server.control.close()
        assert server.process.wait(30) == 0


class Says:
    """A reader that answers what it likes."""

    def __init__(self, **words):
        self.words = json.dumps(words).encode()

    def receive(self, most):
        return self.words

    def receive_all(self, arrays):
        for array in arrays.values():
            array[...] = 0


@pytest.mark.parametrize(
    "array",
    [
        ("X", "|O", (2, 2)),
        ("X", "<f8", (-1, -8)),
        ("X", "<f8", (10**6, 10**6)),
        ("X", "<f4", (2, 2)),
        ("note", "<f8", (2, 2)),
        ("identifiers", "<U1000000", (2,)),
        ("identifiers", "|O", (2,)),
    ],
)
def test_a_reader_hands_back_arrays_and_nothing_else(array):
    words = {"name": "a", "note": "", "kind": "other", "class_names": [], "feature_names": []}
    plain = asking._answer("load", Says(words=words, arrays=[("X", "<f8", (2, 3))]), "'a'", LIMITS)
    assert plain.X.shape == (2, 3)
    with pytest.raises(ValueError, match=r"^'a' made its reader answer nonsense"):
        asking._answer("load", Says(words=words, arrays=[array]), "'a'", LIMITS)
    with pytest.raises(ValueError, match="nonsense"):
        asking._answer("load", Says(words=7, arrays=[]), "'a'", LIMITS)


class TestLimits:
    def test_in_words(self):
        assert Limits.of(["rows=50", "bytes=20M", "memory=3G"]) == replace(
            LIMITS, rows=50, bytes=20_000_000, memory=3_000_000_000
        )
        for wrong in ("rows", "rows=", "rows=0", "rows=-1", "rows=many", "lines=3", "rows=1.5"):
            with pytest.raises(ValueError, match="rows=50000"):
                Limits.of([wrong])

    def test_of_the_server(self, monkeypatch, capsys):
        monkeypatch.setenv("SDSC_LIMITS", "rows=50 columns=3")
        assert Limits.of_server() == replace(LIMITS, rows=50, columns=3)
        with pytest.raises(ValueError, match="6 columns; at most 3 are read"):
            read(table(), limits=Limits.of_server())
        assert main(["app", "--limit", "lines=3"]) == 2
        assert "--limit is 'lines=3'" in capsys.readouterr().err

    def test_of_an_upload(self):
        config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
        words = streamlit_arguments(None, limits=LIMITS)
        assert words[-1] == str(config["server"]["maxUploadSize"])
        for limits in (LIMITS, Limits.of(["bytes=20M"]), Limits.of(["bytes=50M"])):
            words = streamlit_arguments(None, limits=limits)  # what the uploader says of itself
            assert limits.sentence().startswith(f"At most {words[-1]} MB, ")
        with pytest.raises(ValueError, match=r"'a.csv' has 1\d\d bytes; files of at most 100"):
            read(table()[:150], limits=replace(LIMITS, bytes=100))

    @pytest.mark.parametrize(
        ("name", "file"),
        [("rows", "a.csv"), ("columns", "a.csv"), ("values", "a.csv"), ("classes", "a.csv"),
         ("letters", "a.csv"), ("members", "plain.zip"), ("images", "plain.zip"),
         ("pixels", "plain.zip"), ("variables", "plain.npz"), ("chunks", "chunks.mat"),
         ("cells", "cells73.mat")],
    )  # fmt: skip
    def test_each_of_them(self, name, file, odd_files):
        content = table() if file == "a.csv" else odd_files[file][0]
        with pytest.raises(ValueError, match="at most"):
            load(io.BytesIO(content), name=file, limits=replace(LIMITS, **{name: 1}))
        load(io.BytesIO(content), name=file)


def test_what_a_sentence_shows_of_a_file():
    assert quoted("a" * 100, 10) == "a" * 9 + "…"
    assert quoted("a\x00\n\u202e\ud800b") == "a����b"
    with pytest.raises(ValueError, match=r"^'a+…' is empty") as caught:
        read(b"", "a" * 5000 + ".csv")
    assert len(str(caught.value)) < 200
