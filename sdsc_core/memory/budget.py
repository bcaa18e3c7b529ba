"""A refusal before memory runs out: for one program, and for the sessions of a server.

Every stage says what it needs before it runs (`check_memory`). On a server each session has an
`Account`; what stages at work have been granted is held until they end, so that two that start at
once count together. Results that a session keeps, but does not show, give way first.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from sdsc_core.memory import available

# Half of what is free stays for the rest of a run (affinity, eigenvectors) and for other users.
SHARE = 0.5
LATELY = 0.05  # seconds; a look at what is free reads a dozen files, which takes a millisecond


class TooLarge(ValueError):
    """What is asked for would take more memory than may be used."""


@dataclass(eq=False)
class Account:
    """One session: the bytes that it keeps, a way to keep less, and what its stages may take."""

    kept: Callable[[], int] = lambda: 0
    let_go: Callable[[], None] = lambda: None
    granted: int = 0


class Budget:
    """What each session, and all of them together, may keep and compute in; None for no limit."""

    def __init__(self, session: int | None = None, server: int | None = None):
        self.session, self.server = session, server
        self.lock = threading.RLock()
        self.accounts: WeakSet[Account] = WeakSet()  # an ended session no longer counts
        self.alone = Account()  # whoever works for no session: a program, a notebook
        self.looked: tuple[Any, float, int] = (None, 0.0, 0)

    def open(self, kept: Callable[[], int], let_go: Callable[[], None]) -> Account:
        """An account for a new session."""
        account = Account(kept, let_go)
        with self.lock:
            self.accounts.add(account)
        return account

    def kept(self) -> int:
        """Bytes that all sessions keep."""
        return sum(account.kept() for account in list(self.accounts))

    def granted(self) -> int:
        """Bytes that stages at work may take."""
        return self.alone.granted + sum(account.granted for account in list(self.accounts))

    def _free(self) -> int:
        """What is free by the last look, unless that was a while ago: a stage asks ten times."""
        look, now = available.available_memory, time.monotonic()
        if self.looked[0] is not look or now - self.looked[1] > LATELY:
            self.looked = (look, now, look())
        return self.looked[2]

    def room(self, account: Account, own: int = 0) -> tuple[int, str]:
        """Bytes that a stage of a session may take, and who else keeps it from more.

        ``own`` is what this very stage has been granted already.
        """
        others = self.granted() - own
        rooms = [(int(SHARE * self._free()) - others, "")]
        if account is not self.alone:
            if self.session is not None:
                left = self.session - account.kept() - account.granted + own
                rooms.append((left, " by this session"))
            if self.server is not None:
                rooms.append((self.server - self.kept() - others, " beside all other sessions"))
        least, who = min(rooms)
        return max(least, 0), who if who or not others else " beside what others compute"

    def make_room(self, account: Account, needed: int, own: int) -> tuple[int, str]:
        """`room` once results that are not shown gave way, as far as they had to."""
        room = self.room(account, own)
        for each in (account, *(a for a in list(self.accounts) if a is not account)):
            if room[0] >= needed:
                break
            each.let_go()
            self.looked = (None, 0.0, 0)
            room = self.room(account, own)
        return room


@dataclass
class _Stage:
    account: Account
    granted: int = 0


BUDGET = Budget()
_at_work = threading.local()


@contextmanager
def working_for(account: Account | None) -> Iterator[None]:
    """What this thread computes within is a stage of a session, or of nobody in particular.

    What `check_memory` grants it is held until its end.

    >>> with working_for(None):
    ...     check_memory(1000, "IMC", 10)
    ...     BUDGET.granted()
    1000
    >>> BUDGET.granted()
    0
    """
    before = getattr(_at_work, "stage", None)
    stage = _at_work.stage = _Stage(account or BUDGET.alone)
    try:
        yield
    finally:
        _at_work.stage = before
        with BUDGET.lock:
            stage.account.granted -= stage.granted


@contextmanager
def many_steps() -> Iterator[None]:
    """What this thread computes within is one stage, a part of the present one if there is any.

    >>> with many_steps(), many_steps():
    ...     check_memory(1000, "IMC", 10)
    ...     check_memory(500, "PCE", 10)
    ...     BUDGET.granted()
    1000
    """
    if getattr(_at_work, "stage", None) is not None:
        yield
        return
    with working_for(None):
        yield


def free_room() -> int:
    """Bytes that the stage at work in this thread may take."""
    stage: _Stage | None = getattr(_at_work, "stage", None)
    with BUDGET.lock:
        if stage is None:
            return BUDGET.room(BUDGET.alone)[0]
        return BUDGET.room(stage.account, stage.granted)[0]


def check_memory(
    needed: int,
    what: str,
    n_points: int,
    limit: int | None = None,
    *,
    name: str = "X",
    instead: str = "give fewer points or another method",
) -> None:
    """`TooLarge` where ``needed`` bytes exceed ``limit``, for None what may be used now."""
    stage: _Stage | None = getattr(_at_work, "stage", None)
    account, own = (stage.account, stage.granted) if stage else (BUDGET.alone, 0)
    if limit is None and needed <= own:
        return  # held for this stage already; to look again takes longer than short steps do
    who = ""
    with BUDGET.lock:
        if limit is None:
            limit, who = BUDGET.make_room(account, needed, own)
        if needed <= limit:
            if stage is not None and needed > own:
                account.granted += needed - own
                stage.granted = needed
            return
    raise TooLarge(
        f"{name} has {n_points} points, for which {what} needs about {_gib(needed)} GiB of"
        f" memory; at most {_gib(limit)} GiB may be used{who}, so {instead}."
    )


def _gib(size: int) -> str:
    """Two digits are enough, without an exponent.

    >>> _gib(111 << 30), _gib(3 << 29), _gib(0)
    ('110', '1.5', '0')
    """
    digits = float(f"{size / 2**30:.2g}")
    return f"{digits:,.0f}" if digits >= 10 else f"{digits:g}"
