"""Heavy work waits for its turn; the status tells of it to whoever runs the server alone."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from pages.server import log, sessions, status, turns
from pages.server.turns import Turns
from sdsc_core.blocks import Cancelled
from sdsc_core.cli.paths import TOKEN_VARIABLE
from sdsc_core.datasets import Limits


class Work:
    """A piece of heavy work in a thread, which lasts until it is told to end."""

    def __init__(self, line, owner):
        self.begun, self.end, self.cancelled = (threading.Event() for _ in range(3))
        self.thread = threading.Thread(target=self._work, args=(line, owner), daemon=True)
        self.thread.start()

    def _work(self, line, owner):
        try:
            with line.turn(owner, self._tell):
                self.begun.set()
                self.end.wait(10)
        except Cancelled:
            pass

    def _tell(self, done, total):
        if self.cancelled.is_set():
            raise Cancelled


def soon(condition):
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def waits(work):
    return not work.begun.wait(0.3)


class TestTurns:
    def test_one_after_the_other_in_the_order_of_arrival(self):
        line = Turns(1)
        one = Work(line, "a")
        assert one.begun.wait(5)
        two = Work(line, "b")
        soon(lambda: line.place("b") == 1)
        three = Work(line, "c")
        soon(lambda: line.place("c") == 2)
        assert waits(two) and waits(three)
        one.end.set()
        assert two.begun.wait(5) and waits(three)
        assert line.place("b") == 0 and line.place("c") == 1
        two.end.set()
        assert three.begun.wait(5)
        three.end.set()
        soon(lambda: not line.running and not line.waiting)

    def test_who_stops_leaves_the_queue(self):
        line = Turns(1)
        one = Work(line, "a")
        assert one.begun.wait(5)
        two = Work(line, "b")
        soon(lambda: line.place("b") == 1)
        two.cancelled.set()
        soon(lambda: line.place("b") == 0)
        assert not two.begun.is_set()
        one.end.set()

    def test_both_sides_of_a_run_count_as_one(self):
        line = Turns(1)
        one, other = Work(line, "a"), Work(line, "a")
        assert one.begun.wait(5) and other.begun.wait(5)
        another = Work(line, "b")
        one.end.set()
        assert waits(another), "the first session is still at work"
        other.end.set()
        assert another.begun.wait(5)
        another.end.set()

    def test_between_two_steps_whoever_waits_goes_first(self):
        line, steps, go = Turns(1), [], threading.Event()

        def long_work():
            with line.turn("a", lambda done, total: None):
                for step in range(3):
                    steps.append(step)
                    assert go.wait(5)
                    line.give_way(lambda done, total: None)

        thread = threading.Thread(target=long_work, daemon=True)
        thread.start()
        soon(lambda: steps == [0])
        two = Work(line, "b")
        soon(lambda: line.place("b") == 1)
        assert waits(two)
        go.set()
        assert two.begun.wait(5), "after the first of three steps"
        assert steps == [0] and line.place("a") == 1
        two.end.set()
        thread.join(5)
        assert steps == [0, 1, 2] and not line.running and not line.waiting

    def test_who_gives_way_can_be_stopped_meanwhile(self):
        line, ended = Turns(1), threading.Event()
        go = threading.Event()

        def stop(done, total):
            raise Cancelled

        def long_work():
            try:
                with line.turn("a", lambda done, total: None):
                    assert go.wait(5)
                    line.give_way(stop)
            except Cancelled:
                ended.set()

        threading.Thread(target=long_work, daemon=True).start()
        soon(lambda: line.running)
        two = Work(line, "b")
        soon(lambda: line.place("b") == 1)
        go.set()
        assert ended.wait(5) and two.begun.wait(5) and line.place("a") == 0
        two.end.set()
        soon(lambda: not line.running and not line.waiting)

    def test_nobody_waits_or_no_turn_is_needed(self):
        line = Turns(1)
        line.give_way(lambda done, total: None)
        with line.turn("a", lambda done, total: None):
            line.give_way(lambda done, total: None)
            assert len(line.running) == 1 and not line.waiting
        assert not line.running

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="priorities of threads")
    @pytest.mark.parametrize(
        ("seconds", "gives_way"),
        [(0.0, False), (sessions.LONG, False), (1.0, True), (2 * sessions.HEAVY, True)],
    )
    def test_what_takes_long_gives_way(self, seconds, gives_way):
        found, usual = [], os.getpriority(os.PRIO_PROCESS, 0)
        own = sessions.Session(Limits())

        def work():
            with own.at_work(lambda done, total: None, seconds):
                number = threading.get_native_id()
                found.append(os.getpriority(os.PRIO_PROCESS, number))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == [turns.NICE if gives_way else usual]
        assert os.getpriority(os.PRIO_PROCESS, 0) == usual < turns.NICE


class TestStatus:
    @pytest.mark.parametrize(
        ("client", "headers", "told"),
        [
            ("127.0.0.1", {"host": "127.0.0.1:8501"}, True),
            ("127.0.0.1", {"host": "localhost:8501"}, True),
            ("::1", {"host": "[::1]:8501"}, True),
            ("10.0.0.7", {"host": "localhost:8501"}, False),
            ("127.0.0.1", {"host": "explorer.example.org"}, False),
            ("127.0.0.1", {"host": "localhost", "x-forwarded-for": "10.0.0.7"}, False),
            ("10.0.0.7", {"authorization": "Bearer a-long-random-text"}, True),
            ("10.0.0.7", {"authorization": "Bearer another"}, False),
            ("10.0.0.7", {"authorization": "Bearer "}, False),
        ],
    )
    def test_it_is_told_to_whoever_runs_the_server(self, client, headers, told, monkeypatch):
        monkeypatch.setenv(TOKEN_VARIABLE, "a-long-random-text")
        assert status.answer(client, headers, 1, 0)[0] == (200 if told else 403)

    def test_without_a_token_nobody_elsewhere_is_told(self, monkeypatch):
        monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
        for given in ("", "Bearer", "Bearer "):
            assert status.answer("10.0.0.7", {"authorization": given}, 1, 0)[0] == 403

    def test_refusals_are_told_without_what_they_quote(self, monkeypatch):
        log.refusal(3, "a file", "'secret <b>.csv' holds 'a value' in row 2; correct it.")
        here = {"host": "localhost", "accept": "text/html"}
        code, kind, page = status.answer("::1", here, 2, 1)
        assert (code, kind) == (200, "text/html") and "… in row 2; correct it." in page
        assert "secret" not in page and "a value" not in page
        found = json.loads(status.answer("::1", {"host": "localhost"}, 2, 1, objects=True)[2])
        assert found["sessions"]["open"] == 2 and found["objects"] > 1000
        assert found["last_refusals"][0]["session"] == 3

    def test_a_token_that_can_be_guessed_is_refused(self, tmp_path):
        (tmp_path / "token").write_text("short\n")
        command = [sys.executable, "-m", "sdsc_core.cli", "app", "--status-token"]
        said = subprocess.run([*command, tmp_path / "token"], capture_output=True, text=True)
        assert said.returncode == 2 and "at least 16" in said.stderr
