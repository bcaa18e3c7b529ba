"""How the text of an address is read: each reader gives a value or raises ValueError."""

import re
from collections.abc import Callable

from sdsc_core.datasets import read_named, spelled
from sdsc_core.datasets.prepare import ROWS
from sdsc_core.sweeping import read_axis


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reader of a whole number in a range."""

    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """Reader of a number in a range, to two places."""

    def read(text: str) -> float:
        value = round(float(text), 2)
        if not low <= value <= high:
            raise ValueError
        return value

    return read


def one_of(*names: str) -> Callable[[str], str]:
    """Reader of one of a few names."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return read


def indices(text: str) -> list[int]:
    """Reader of class numbers, as 0.2.5."""
    return [whole(0, 10**6)(part) for part in text.split(".")] if text else []


def point_pair(text: str) -> tuple[int, int]:
    """Reader of two different points, as 3.17."""
    i, j = indices(text)
    if i == j:
        raise ValueError
    return i, j


def flag(text: str) -> bool:
    """Reader of 0 or 1."""
    return bool(whole(0, 1)(text))


def words(text: str) -> list[str]:
    """Reader of any names, as SSC.OMP; the screen drops those it does not know."""
    return [part for part in text.split(".") if part]


def axis(name: str) -> Callable[[str], str]:
    """Reader of the values of a sweep's axis, which stay text, as 3:12."""

    def read(text: str) -> str:
        read_axis(name, text)
        return text

    return read


def data_name(text: str) -> str:
    """Reader of a data set's name; where the name spells the data, in the one way to spell it."""
    return read_named(text).name if spelled(text) else text


def rows(text: str) -> str:
    """Reader of row numbers, as 1-3.7, or of the name of a list; see `shorten_rows`."""
    if text and not ROWS.fullmatch(text) and not re.fullmatch("~[0-9a-f]{12}", text):
        raise ValueError
    return text
