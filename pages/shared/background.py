"""Work that goes on whichever screen is open: tasks of a session, one after another in a thread.

The session holds a `Background`, the thread only the `Work` within it. When the session ends, the
`Background` goes, which ends the work: at its next tick of progress the thread lets go of data and
results. A task has all that it computes on and puts what it finds under a key of its own, so it
does not matter what the screen shows by then.
"""

import logging
import math
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from pages.server.sessions import Session, session
from pages.shared.stop import heed_stop
from pages.shared.text import escape_markdown
from sdsc_core.blocks import Cancelled, Progress, all_work_within
from sdsc_core.estimates import in_words

PAUSE = 0.1  # seconds between two looks at what is under way
REFRESH = 2.0  # seconds after which the screen shows what was finished meanwhile
STOPPED = "Stopped; what was done is kept."
WATCHING = ("Compare", "Sweep")  # screens that show a run themselves
SECONDS = "s"  # the unit of steps that are seconds of a stated time
MOST_PARTS = 24  # of a screen that stand below one another


@dataclass(frozen=True)
class Task:
    """Something to compute: ``work`` keeps what it finds by itself."""

    key: Hashable
    title: str
    work: Callable[[Progress], None]
    what: str = "Comparing"  # with the data set, what a note on another screen says
    of: str = ""
    unit: str = (
        ""  # of its steps where they are told by themselves: settings, or s of a stated time
    )
    seconds: float = 0.0  # that it may take, by which it waits for its turn
    screen: str = "Compare"  # that shows what it finds


class Stopped(NamedTuple):
    """What is known of a task that was stopped, without what it held."""

    key: Hashable
    screen: str
    unit: str


@dataclass
class Work:
    """What waits, what is under way, and what failed; all that the thread knows."""

    waiting: list[Task] = field(default_factory=list)
    current: Task | None = None
    busy: bool = False
    total: int = 0
    finished: int = 0
    step: tuple[int, int] = (0, 0)
    begun: float = 0.0  # when the present task began
    screen: str = "Compare"  # of the last task
    session: Session | None = None  # whose budget and turn it is
    number: int = 0  # of the run; a stop or a new session ends all that was begun under another
    failed: dict[Hashable, str] = field(default_factory=dict)
    ended: set[Hashable] = field(default_factory=set)  # keys of this run's tasks that are done
    lock: threading.Lock = field(default_factory=threading.Lock)

    def end(self) -> Task | None:
        """Let go of what waits and of what is under way, and give the first of it."""
        with self.lock:
            first = self.current or next(iter(self.waiting), None)
            self.number += 1
            self.waiting, self.current, self.busy = [], None, False
            return first

    def next(self, number: int) -> Task | None:
        """The next task of a run, None where the run is over."""
        with self.lock:
            if number != self.number:
                return None
            self.current = self.waiting.pop(0) if self.waiting else None
            self.busy, self.step = self.current is not None, (0, 0)
            self.begun = time.monotonic()
            if self.current is not None:
                self.screen = self.current.screen
            return self.current

    def run(self, number: int) -> None:
        """All tasks of one run, in the thread."""

        def tell(done: int, total: int) -> None:
            if number != self.number:
                raise Cancelled
            self.step = (done, total)

        while (task := self.next(number)) is not None:
            if self.session is not None:
                all_work_within(partial(self.session.at_work, seconds=task.seconds))
            try:
                task.work(tell)
            except Cancelled:
                return
            except (ValueError, MemoryError) as error:
                words = str(error) or "There is not enough memory; choose fewer points."
                self.failed[task.key] = words
            except Exception:
                logging.getLogger(__name__).exception("a task in the background")
                self.failed[task.key] = "An error of the program ended it; the server's log has it."
            if number == self.number:
                self.ended.add(task.key)
                self.finished += 1


class Background:
    """A session's work in the background."""

    def __init__(self, of: Session | None = None) -> None:
        self.work = Work(session=of)
        self.note = ""  # why a run ended early, said once
        self.stopped: Stopped | None = None  # what that was
        self.unseen = False  # whether a run ended that nobody has looked at
        weakref.finalize(self, self.work.end)

    @property
    def busy(self) -> bool:
        return self.work.busy

    @property
    def title(self) -> str:
        """The task, its number and its step, for a bar."""
        work, task = self.work, self.work.current
        if task is None:
            return f"{self.count} …"
        done, total = work.step
        place = work.session.place() if work.session else 0
        if place:
            which = task.title if task.unit else f"{self.count}: {task.title}"
            return f"{which} waits for its turn, place {place} in the queue"
        if task.unit:
            text = f"{task.title}: {done:,} of {total:,} {task.unit}"
            return f"{text}{self._left}" if total else f"{task.title} …"
        step = f", step {done:,}" + (f" of {total:,}" if total else "") if done else " …"
        return f"{self.count}: {task.title} on {task.of}{step}"

    @property
    def _left(self) -> str:
        """The time left by what the steps so far took, where it is not the steps themselves."""
        done, total = self.work.step
        if not done or done == total or (self.work.current and self.work.current.unit == SECONDS):
            return ""
        took = time.monotonic() - self.work.begun
        return f", {in_words(took * (total - done) / done)} left"

    @property
    def count(self) -> str:
        """Such as Cell 3 of 12."""
        return f"Cell {min(self.work.finished + 1, self.work.total)} of {self.work.total}"

    @property
    def share(self) -> float:
        """How much of the run is done, the present task's own steps counted."""
        done, total = self.work.step
        part = min(1.0, done / total) if total else 0.0
        return min(1.0, (self.work.finished + part) / max(1, self.work.total))

    def add(self, tasks: list[Task]) -> None:
        """Begin a run, or lengthen the one that is under way; a task that waits is not doubled."""
        work = self.work
        with work.lock:
            there = {t.key for t in [work.current, *work.waiting] if t is not None}
            if work.busy:  # one that ended just now is not on the screen yet
                there |= work.ended - work.failed.keys()
            new = [t for t in tasks if t.key not in there]
            if not new:
                return
            for task in new:
                work.failed.pop(task.key, None)
            if work.busy:
                work.waiting += new
                work.total += len(new)
                return
            work.number, work.ended = work.number + 1, set()
            work.waiting, work.busy, work.total, work.finished = new, True, len(new), 0
            number = work.number
        self.note, self.unseen = "", True
        threading.Thread(target=work.run, args=(number,), name="background", daemon=True).start()

    def stop(self, note: str = STOPPED) -> None:
        """End the run; what is done is kept."""
        task = self.work.end()
        self.note = note
        self.stopped = None if task is None else Stopped(task.key, task.screen, task.unit)

    def has(self, key: Hashable) -> bool:
        """Whether a task is at work or waits."""
        there = (self.work.current, *self.work.waiting)
        return any(task is not None and task.key == key for task in there)


def background() -> Background:
    """The session's own."""
    return st.session_state.setdefault("background", Background(session()))


def wait(spot: Any, was_busy: bool) -> None:
    """Last line of a screen that shows the results: watch a run, and show what it finished.

    Progress appears in ``spot``. A click ends the watching, not the run; either Stop ends the run.
    ``was_busy`` says whether one was under way when the screen began: if it ended since, what
    stands above is of the time before.
    """
    back = background()
    if back.busy:
        _clear_below()
        _watch(back, spot)
    elif was_busy:
        st.rerun()
    else:
        back.unseen = False


def _clear_below() -> None:
    """What the screen showed further down goes at once.

    Streamlit takes it away only when the script ends, and the script watches: results of the data
    before would stand, faded yet to be clicked, under the name of the data now.
    """
    for _ in range(MOST_PARTS):
        st.empty()


def _watch(back: Background, spot: Any) -> None:
    begun, finished, bar = time.monotonic(), back.work.finished, None
    with heed_stop(back.stop):
        while back.busy:
            _ = "wanted" in st.session_state  # here a click or a stop ends the script
            bar = _draw(bar, spot, back)
            if time.monotonic() - begun > _patience(back, finished):
                break
            time.sleep(PAUSE)
    st.rerun()  # what stands above the run speaks of the time before it


def _patience(back: Background, finished: int) -> float:
    """Seconds until the screen is drawn again: there is something new to see, or may be."""
    if back.work.finished > finished:
        return REFRESH
    task = back.work.current
    return 3 * REFRESH if task is not None and task.unit else math.inf


def _draw(bar: Any, spot: Any, back: Background) -> Any:
    """The bar, and a Stop button beside it."""
    share, title = back.share, escape_markdown(back.title)
    if bar is not None:
        bar.progress(share, title)
        return bar
    with spot.container():
        bar = st.progress(share, title)
        st.button("Stop", key="stop comparing", help="Keep what is done.", on_click=back.stop)
    return bar


def show_elsewhere() -> None:
    """In the sidebar of a screen that does not watch the run: that there is one, how far, Stop."""
    back: Background | None = st.session_state.get("background")
    if back is None or not (back.busy or back.unseen):
        return
    with st.sidebar.container(key="background"):
        if back.busy:
            _follow()
        else:
            st.caption(back.note or _done(back))


def _done(back: Background) -> str:
    return f"What ran on {back.work.screen} is done."


@st.fragment(run_every=REFRESH)
def _follow() -> None:
    """Looks by itself every few seconds; nothing else of the screen runs again for it."""
    back = background()
    task = back.work.current
    if task is None:
        st.caption(back.note or _done(back))
        return
    how_far = back.title if task.unit else f"{task.what} {task.of}: {back.count.lower()}"
    st.progress(back.share, escape_markdown(how_far))
    st.button("Stop", key="stop from afar", help="Keep what is done.", on_click=back.stop)
