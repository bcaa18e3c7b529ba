"""Progress of a command on stderr."""

import sys
import time

from sdsc_core.estimates import in_words


class Reporter:
    """Progress on stderr: one line kept up to date on a terminal, else one in ten seconds."""

    def __init__(self, stage: str = "") -> None:
        self.stage, self._begun = stage, time.monotonic()
        self._live = sys.stderr.isatty()
        self._pause = 0.1 if self._live else 10.0
        self._next = time.monotonic() + self._pause

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._pause
        share = f"{100 * done // total} %" if total else f"{done:,} products so far"
        text = f"{self.stage}: {share}{self._time_left(done, total)}"
        self._write(f"\r{text}\x1b[K" if self._live else f"{text}\n")

    def _time_left(self, done: int, total: int) -> str:
        """By what the share that is done took; nothing while that says little."""
        took = time.monotonic() - self._begun
        if not total or done < total / 50 or took < 30:
            return ""
        left = took * (total - done) / done
        return f", {in_words(left)} left"

    def named(self, stage: str) -> "Reporter":
        """This one, for another stage."""
        self.stage, self._begun = stage, time.monotonic()
        return self

    def clear(self) -> None:
        """Leave a terminal's line empty for what follows."""
        if self._live:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)
