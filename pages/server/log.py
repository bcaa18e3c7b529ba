"""What whoever runs the server reads: a line for an upload, a refusal, a run, an error.

Lines tell the shape of data, never its values or names. The last refusals are kept for the status.
"""

import logging
import re
import time
import traceback
from collections import Counter, deque
from typing import NamedTuple

LOGGER = logging.getLogger("sdsc")
LAST = 20
QUOTED = re.compile(r"['“\"].*['”\"]", re.DOTALL)


class Refusal(NamedTuple):
    """When, whose, of what, and why."""

    at: float
    session: int
    what: str
    why: str


refusals: deque[Refusal] = deque(maxlen=LAST)
counts: Counter[str] = Counter()


def upload(session: int, suffix: str, size: int, shape: tuple[int, ...]) -> None:
    """A file that was read."""
    counts["upload"] += 1
    LOGGER.info("session %d upload %s %d bytes, X %s", session, suffix, size, _shape_text(shape))


def run(session: int, method: str, shape: tuple[int, ...], seconds: float) -> None:
    """A result that was computed, and the seconds that it took."""
    counts["run"] += 1
    LOGGER.info("session %d run %s, X %s, %.2f s", session, method, _shape_text(shape), seconds)


def refusal(session: int, what: str, why: str) -> None:
    """Something that was not done, and why; what a sentence quotes is left out."""
    counts["refusal"] += 1
    why = QUOTED.sub("…", " ".join(why.split()))[:300]
    refusals.append(Refusal(time.time(), session, what, why))
    LOGGER.warning("session %d refused %s: %s", session, what, why)


def fault(session: int, error: Exception, shape: tuple[int, ...] | None) -> None:
    """A fault of ours, with its trace; what it says is left out, as it may hold values."""
    counts["error"] += 1
    kind, of = type(error).__name__, _shape_text(shape) if shape else "none"
    LOGGER.error("session %d error %s, X %s", session, kind, of)
    for line in traceback.format_tb(error.__traceback__):
        LOGGER.error(line.rstrip())


def _shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
