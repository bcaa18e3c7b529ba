"""A session as the server sees it: the bytes that it keeps, and how heavy its work is."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from math import isnan
from typing import Any, TypeVar
from weakref import ref

import streamlit as st

from pages.server import log
from pages.server.turns import TURNS, lower_priority
from pages.shared.memory import Memory, held
from sdsc_core.blocks import Progress, all_work_within
from sdsc_core.datasets import Dataset, Limits
from sdsc_core.estimates import AFFINITY, PARTS, estimate
from sdsc_core.memory import BUDGET, TooLarge, check_memory, working_for
from sdsc_core.methods import KINDS
from sdsc_core.settings import RunSettings

T = TypeVar("T")
FAULT = (
    "This could not be computed because of a fault in the program, which is noted in the log of the"
    " server. Change a setting; what was there before stays."
)
HEAVY = 1.5  # estimated seconds, from which on work waits for its turn
LONG = 0.3  # from which on it gives way to that of others
RESULTS = 4  # a session's results may fill this part of its budget; the rest is for stages at work
SLOT = "server session"  # of st.session_state
_numbers = count(1)


class Session:
    """One visitor: results, what else is kept, and the estimated seconds of the work at hand."""

    def __init__(self, limits: Limits):
        self.number = next(_numbers)
        self.results = Memory(limits.session_memory // RESULTS)
        self.beside = 0  # bytes of data sets and the like
        self.files: Mapping[str, Any] = {}  # as they were sent, by what Streamlit names them
        self.seconds = 0.0
        own = ref(self)  # an account that held its session would keep it for good
        self.account = BUDGET.open(partial(_kept, own), partial(_let_go, own))

    def measure(self, state: Any) -> None:
        """Note what is kept beside the results: data sets, the last run, matrices."""
        values = [value for name, value in state.items() if name != SLOT]
        parts = held(values)
        self.beside = sum(n for i, n in parts.items() if not self.results.holds(i))

    def file_refused(self, files: Mapping[str, Any], size: int) -> str:
        """Why one more file is not taken, or nothing; ``files`` are those that were sent before."""
        self.files = files
        try:
            with working_for(self.account):
                check_memory(size, "What files hold", None, instead="give fewer or smaller ones")
        except TooLarge as problem:
            log.refusal(self.number, "a file", str(problem))
            return str(problem)
        return ""

    @contextmanager
    def at_work(self, tell: Progress, seconds: float | None = None) -> Iterator[None]:
        """Around all that is computed for this session, in the thread that does it.

        ``seconds`` is what it may take, where that is not what the screen waits for.
        """
        wanted = self.seconds if seconds is None else seconds
        with working_for(self.account):
            if wanted > LONG:
                lower_priority()
            if wanted <= HEAVY:
                yield
                return
            with TURNS.turn(self.number, tell):
                yield

    def place(self) -> int:
        """Place in the queue, 0 where nothing waits."""
        return TURNS.place(self.number)


def _kept(session: "ref[Session]") -> int:
    own = session()
    if own is None:
        return 0
    return own.results.nbytes + own.beside + sum(len(f.data) for f in [*own.files.values()])


def _let_go(session: "ref[Session]") -> None:
    own = session()
    if own is not None:
        own.results.let_go()


_configured = threading.Event()


def session() -> Session:
    """The session of the script at work; what it computes from here on counts as its own."""
    found: Session | None = st.session_state.get(SLOT)
    if found is None:
        limits = Limits.of_server()
        if not _configured.is_set():
            BUDGET.session, BUDGET.server = limits.session_memory, limits.server_memory
            _configured.set()
        found = st.session_state[SLOT] = Session(limits)
    all_work_within(found.at_work)
    return found


def begin() -> None:
    """Once for each run of the script: what the session keeps is measured anew."""
    session().measure(st.session_state.to_dict())


def expected(data: Dataset, settings: RunSettings, known: bool, n_clusters: int) -> float:
    """Seconds that a run may take, by which it waits for its turn; ``known``: C is there."""
    kind = data.kind if data.kind in KINDS else KINDS[1]
    dense = settings.dense or "none"
    after = dense if dense in PARTS else PARTS[-2]  # one that was never measured
    parts = [after] if known else [AFFINITY, after]
    params = {"n_iterations": min(settings.gamma, 50)} if settings.method == "IMC" else {}
    seconds = estimate(settings.method, data.n_points, data.n_features, kind, parts, params)
    if isnan(seconds):
        seconds = data.n_points / 1000
    # All starts of k-means, and a decomposition of the whole where clusters are many.
    return seconds + data.n_points * float(n_clusters) ** 2 / 1e9


class Fault(Exception):
    """An error of ours, of which the log has the trace: what it says may hold values or names."""


@contextmanager
def faults_noted() -> Iterator[None]:
    """Lines of the log for an error of ours; Streamlit, which writes all that it is told, hears
    nothing of it.

    What would take too much memory is none: a sentence ends the page where it would have stood.
    """
    try:
        with drawn("This page"):
            yield
    except Exception as error:
        last = st.session_state.get("last")
        shape = last.data.X.shape if last else None
        log.fault(session().number, error, shape)
        raise Fault("The page could not be drawn; the trace is noted in the log.") from None


@contextmanager
def drawn(what: str) -> Iterator[None]:
    """Around a chart: it counts as work of this session, or a sentence stands in its place."""
    try:
        with working_for(session().account):
            yield
    except (TooLarge, MemoryError) as problem:
        st.warning(refused(what, problem), icon=":material/info:")


def problem_of(check: Callable[[], None]) -> str:
    """Why a file cannot be made now, or nothing; asked before its button is shown."""
    try:
        with working_for(session().account):
            check()
    except TooLarge as problem:
        return str(problem)
    return ""


def counted(make: Callable[[], T]) -> Callable[[], T]:
    """A file that is made later, in a thread of the server, as work of this session."""
    account = session().account

    def made() -> T:
        with working_for(account):
            return make()

    return made


@contextmanager
def noted_run(
    data: Dataset, settings: RunSettings
) -> Iterator[Callable[[Callable[[], T]], Callable[[], T]]]:
    """A line of the log for a run of which a stage was computed: what it gives notes that."""
    begun, computed = time.perf_counter(), []

    def noting(work: Callable[[], T]) -> Callable[[], T]:
        def noted() -> T:
            computed.append(True)
            return work()

        return noted

    yield noting
    if computed:
        name = f"{settings.method}-{settings.dense}" if settings.dense else settings.method
        log.run(session().number, name, data.X.shape, time.perf_counter() - begun)


def failed(fault: Exception, data: Dataset) -> str:
    """The sentence of a fault of ours; its trace goes to the log."""
    log.fault(session().number, fault, data.X.shape)
    return FAULT


def refused(what: str, problem: Exception) -> str:
    """The sentence of a refusal, which is also noted for whoever runs the server."""
    sentence = str(problem) or "There is not enough memory for this; choose fewer points."
    log.refusal(session().number, what, sentence)
    return sentence
