"""Heavy work waits for its turn, so that light moves of others go ahead of it."""

import os
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sdsc_core.blocks import Progress, n_threads

PAUSE = 0.1  # seconds between two looks whether it is one's turn
NICE = 10  # of a thread whose work takes long: whoever moves a slider comes first


@dataclass(eq=False)
class Ticket:
    """One piece of heavy work, and the session whose it is."""

    owner: Hashable


class Turns:
    """A queue in the order of arrival; all that one session has under way counts as one.

    A turn lasts until the work has really ended, not until nobody waits for it any more: who stops
    a long decomposition again and again has to wait for it too.
    """

    def __init__(self, at_once: int):
        self.at_once = at_once
        self.waiting: list[Ticket] = []
        self.running: list[Ticket] = []
        self._changed = threading.Condition()
        self._own = threading.local()  # the ticket of the work in this thread

    @contextmanager
    def turn(self, owner: Hashable, tell: Progress) -> Iterator[None]:
        """Wait until it is this work's turn; ``tell`` hears of it meanwhile, and may end it."""
        ticket = Ticket(owner)
        with self._changed:
            self.waiting.append(ticket)
        try:
            with self._changed:
                self._wait(ticket, tell)
            self._own.ticket = ticket
            yield
        finally:
            self._own.ticket = None
            with self._changed:
                for line in (self.waiting, self.running):
                    if ticket in line:
                        line.remove(ticket)
                self._changed.notify_all()

    def give_way(self, tell: Progress) -> None:
        """Between two steps of long work, in its thread: who waits goes first, then it goes on.

        Nothing where nobody waits, or where the work needed no turn.
        """
        ticket: Ticket | None = getattr(self._own, "ticket", None)
        if ticket is None or not self.waiting:
            return
        with self._changed:
            if ticket in self.running:
                self.running.remove(ticket)
                self.waiting.append(ticket)
                self._changed.notify_all()
                self._wait(ticket, tell)

    def _wait(self, ticket: Ticket, tell: Progress) -> None:
        while not self._is_next(ticket):
            self._changed.wait(PAUSE)
            tell(0, 0)
        self.waiting.remove(ticket)
        self.running.append(ticket)

    def _is_next(self, ticket: Ticket) -> bool:
        at_work = {t.owner for t in self.running}
        if ticket.owner in at_work:
            return True
        first = next(t for t in self.waiting if t.owner not in at_work)
        return len(at_work) < self.at_once and first is ticket

    def place(self, owner: Hashable) -> int:
        """Place of a session's work in the queue, from 1; 0 where none of it waits."""
        owners = list(dict.fromkeys(t.owner for t in list(self.waiting)))
        return owners.index(owner) + 1 if owner in owners else 0


def lower_priority() -> None:
    """Let this thread, and those that it starts, give way to others; where the system can."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, NICE)


TURNS = Turns(max(1, n_threads(None) // 2))
