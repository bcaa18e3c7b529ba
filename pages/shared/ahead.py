"""The longest path of IMC that a session has, and picks ahead of the slider while nobody waits.

A path is made as long as Γ asks for. Where the rest of the slider is cheap, it is made meanwhile in
a thread; where it is not, the path goes on when the slider does.
"""

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import Dataset
from sdsc_core.imc_path import ImcPath, imc
from sdsc_core.run import Run

CHEAP = 5.0  # seconds of one core that may go into picks nobody asked for


@dataclass
class Longest:
    """A path with the seconds that it took, for the data and readings it is of."""

    of: Hashable = None
    found: tuple[ImcPath, float] | None = None
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def known(self, of: Hashable) -> tuple[ImcPath, float] | None:
        """The path for these data and readings, where there is one."""
        with self.lock:
            return self.found if self.of == of else None

    def keep(self, of: Hashable, path: ImcPath, seconds: float) -> None:
        """Keep the path if it is of other data and readings, or longer."""
        with self.lock:
            kept = self.found if self.of == of else None
            if kept is None or kept[0].picks.shape[1] < path.picks.shape[1]:
                self.of, self.found = of, (path, seconds)

    def go_ahead(self, of: Hashable, run: Run, gamma: int) -> None:
        """Begin to lengthen the path to ``gamma``, if that is cheap and not under way."""
        path, seconds = self.known(of) or (run.path, run.seconds["IMC"])
        made, wanted = path.picks.shape[1], min(gamma, run.data.n_points - 1)
        busy = self.thread is not None and self.thread.is_alive()
        if busy or made >= wanted or seconds / made * (wanted - made) > CHEAP:
            return
        how = {"residual": run.settings.residual, "similarity": run.settings.similarity}
        # It must not keep what a closed session had.
        work = (ref(self), of, run.data, how, wanted)
        self.thread = threading.Thread(target=_work, args=work, name="ahead", daemon=True)
        self.thread.start()


def _work(
    session: "ref[Longest]", of: Hashable, data: Dataset, how: dict[str, Any], gamma: int
) -> None:
    def wanted() -> Longest:
        longest = session()
        if longest is None or longest.of != of:
            raise Cancelled
        return longest

    def end_if_not_wanted(done: int, total: int) -> None:
        wanted()

    try:
        path, before = wanted().known(of) or (None, 0.0)
        begun = time.perf_counter()
        # One thread: the other core is for whoever moves a slider.
        path = imc(data.X, gamma, **how, start=path, n_jobs=1, progress=end_if_not_wanted)
        wanted().keep(of, path, before + time.perf_counter() - begun)
    except (Cancelled, ValueError, MemoryError):
        return  # whoever asks for these picks will hear why there are none
