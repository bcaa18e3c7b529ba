"""A cache with a limit in bytes; what was not used for longest is let go."""

import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass
class Entry:
    """A value, the memory it holds by identity, and the number of the run that used it last."""

    value: Any
    parts: dict[int, int]
    run: int


class Memory:
    """Values by key within a budget of bytes; what several of them share counts once.

    What the present run of the script has used stays, whatever its size: it is on the screen, and
    would be computed again at the next click. Safe where an old run still computes beside a new
    one.
    """

    def __init__(self, budget: int):
        self.budget, self.run, self.nbytes = budget, 0, 0
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._users: Counter[int] = Counter()  # how many entries hold a part, by its identity
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of a key, computed where it is not kept."""
        with self._lock:
            entry = self._entries.get(key)
        if entry is None:
            value = compute()
            entry = Entry(value, held(key) | held(value), self.run)
        with self._lock:
            if key not in self._entries:
                self._entries[key] = entry
                self._count(entry, 1)
                self._make_room(key)
            entry = self._entries[key]
            entry.run = self.run
            self._entries.move_to_end(key)
        return entry.value

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def _count(self, entry: Entry, by: int) -> None:
        """``nbytes``, the bytes of everything that is kept, with one entry more or less."""
        for part, nbytes in entry.parts.items():
            self._users[part] += by
            if self._users[part] == max(0, by):  # the first to hold it, or the last that did
                self.nbytes += by * nbytes
                if by < 0:
                    del self._users[part]

    def _make_room(self, new: Hashable) -> None:
        while self._entries and self.nbytes > self.budget:
            oldest = next(iter(self._entries))
            if oldest == new or self._entries[oldest].run == self.run:
                return
            self._count(self._entries.pop(oldest), -1)

    def let_go(self) -> None:
        """Keep no more than what the present run has used."""
        with self._lock:
            budget, self.budget = self.budget, 0
            self._make_room(None)
            self.budget = budget

    def holds(self, identity: int) -> bool:
        """Whether an object is part of what is kept."""
        return identity in self._users


def held(value: Any) -> dict[int, int]:
    """Bytes of all that a value holds, by identity: arrays, matrices, data classes, containers."""
    found: dict[int, int] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, np.ndarray) and isinstance(one.base, np.ndarray):
            one = one.base  # a view keeps all of it alive
        if id(one) in found:
            continue
        found[id(one)] = one.nbytes if isinstance(one, np.ndarray) else sys.getsizeof(one)
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set)):
            waiting += one
        elif is_dataclass(one) and not isinstance(one, type):
            waiting += [getattr(one, f.name) for f in fields(one)]
        elif hasattr(one, "__dict__"):  # a sparse matrix
            waiting += [a for a in vars(one).values() if isinstance(a, np.ndarray)]
    return found
