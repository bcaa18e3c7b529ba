"""A cache with a limit in bytes; what was not used for longest is let go."""

import sys
import threading
from collections import OrderedDict
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
        self.budget, self.run = budget, 0
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._shared: dict[int, list[int]] = {}  # bytes, and the number of entries that hold them
        self._nbytes = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of a key, computed where it is not kept."""
        with self._lock:
            entry = self._entries.get(key)
        if entry is None:
            value = compute()
            entry = Entry(value, held((key, value)), self.run)
        with self._lock:
            new = key not in self._entries
            entry = self._entries.setdefault(key, entry)
            entry.run = self.run
            self._entries.move_to_end(key)
            if new:
                self._count(entry)
                self._make_room(self.budget)
        return entry.value

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        return self._nbytes

    def holds(self, identity: int) -> bool:
        """Whether an object is part of what is kept."""
        return identity in self._shared

    def let_go(self) -> None:
        """Keep no more than what the present run has used."""
        with self._lock:
            self._make_room(0)

    def _make_room(self, most: int) -> None:
        for key in list(self._entries):
            if self._entries[key].run == self.run or self._nbytes <= most:
                return
            for part in self._entries.pop(key).parts:
                shared = self._shared[part]
                shared[1] -= 1
                if not shared[1]:
                    self._nbytes -= self._shared.pop(part)[0]

    def _count(self, entry: Entry) -> None:
        for part, size in entry.parts.items():
            shared = self._shared.setdefault(part, [size, 0])
            if not shared[1]:
                self._nbytes += size
            shared[1] += 1


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
