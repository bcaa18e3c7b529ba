"""Work in the background of a session: one after another, stopped, let go of with the session."""

import gc
import threading
import time
import weakref
from types import SimpleNamespace

import pytest

from pages.shared import background
from pages.shared.background import Background, Task


class Large:
    """What a task computes on."""


def until(true):
    for _ in range(400):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come about")


def endless(tell):
    while True:
        tell(1, 4)
        time.sleep(0.005)


def test_tasks_run_one_after_another_and_failures_are_told(caplog):
    back, order = Background(), []

    def fail(tell):
        raise ValueError("No good; try another.")

    def break_down(tell):
        raise KeyError("an error of ours")

    tasks = [
        Task("a", "A", lambda tell: order.append("a")),
        Task("b", "B", fail),
        Task("c", "C", break_down),
        Task("d", "D", lambda tell: order.append("d")),
    ]
    back.add(tasks)
    until(lambda: not back.busy)
    assert order == ["a", "d"] and back.work.finished == 4 and back.share == 1
    assert back.work.failed["b"] == "No good; try another."
    assert "error of the program" in back.work.failed["c"] and "an error of ours" in caplog.text
    back.add([Task("b", "B", lambda tell: order.append("b"))])  # tried again, and told no more
    until(lambda: not back.busy)
    assert order == ["a", "d", "b"] and "b" not in back.work.failed


def test_what_ended_while_the_screen_was_drawn_is_shown(monkeypatch):
    again, back = [], SimpleNamespace(busy=False, unseen=True)
    monkeypatch.setattr(background, "background", lambda: back)
    monkeypatch.setattr(background.st, "rerun", lambda: again.append(True))
    background.wait(None, was_busy=True)
    assert again and back.unseen, "the screen is drawn once more, and shows it then"
    background.wait(None, was_busy=False)
    assert len(again) == 1 and not back.unseen


def test_progress_is_that_of_all_tasks():
    back = Background()
    back.add([Task("a", "A", lambda tell: None), Task("b", "B", endless, of="sea")])
    until(lambda: back.work.step == (1, 4))
    assert back.title == "Cell 2 of 2: B on sea, step 1 of 4" and back.share == pytest.approx(0.625)
    back.add([Task("b", "B", endless), Task("c", "C", endless)])
    assert back.work.total == 3  # b is under way
    back.stop()
    assert not back.busy and back.note == "Stopped; what was done is kept."


def test_a_stop_is_heard_at_the_next_tick_and_leaves_room_for_another_run():
    back, ended, done = Background(), threading.Event(), []

    def watched_endless(tell):
        try:
            endless(tell)
        finally:
            ended.set()

    back.add([Task("a", "A", watched_endless), Task("b", "B", done.append)])
    until(lambda: back.work.step == (1, 4))
    back.stop()
    back.add([Task("c", "C", lambda tell: done.append("c"))])
    assert ended.wait(5)
    until(lambda: not back.busy)
    assert done == ["c"] and back.work.finished == 1  # what was ended counts in no other run


def test_the_end_of_a_session_ends_its_work_and_frees_what_it_held():
    back, large = Background(), Large()
    seen, threads = weakref.ref(large), set(threading.enumerate())

    def work(tell, held=large):
        endless(tell)

    back.add([Task("a", "A", work), Task("b", "B", work)])
    progress = back.work
    until(lambda: progress.step == (1, 4))
    [thread] = set(threading.enumerate()) - threads
    del back, work, large
    gc.collect()
    thread.join(5)
    gc.collect()
    assert not thread.is_alive() and seen() is None
