"""Blocks of rows over threads, or over a Dask cluster, with progress and cancelling."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController

from sdsc_core.checks import check_count, shown
from sdsc_core.extras import require

T = TypeVar("T")

# Called with (done, total) in the caller's thread, with a total of 0 where it is not known.
# Raising anything in it, `Cancelled` for one, ends the work at the next block and passes through.
Progress = Callable[[int, int], None]


PAUSE = 0.1  # seconds; a screen hears of a block that takes long, and can be stopped
BLOCKS_A_THREAD = 4  # of a cluster, at least, so that no worker waits long for the last one
OVERRUN = 10_000  # rows, beyond which OpenBLAS's threads may write past a buffer of theirs
RETRIES = 3  # of a block whose worker fails in its middle; a lost worker's are not counted


class Cancelled(Exception):
    """Raised by a progress callback to stop the work."""


def tick(progress: Progress | None, done: int, total: int) -> None:
    """Report progress where somebody listens."""
    if progress is not None:
        progress(done, total)


def watched(
    work: Callable[[Progress | None], T],
    progress: Progress | None,
    meanwhile: Callable[[], None] | None = None,
) -> T:
    """``work(tell)`` in a thread of its own, while ``progress`` hears from it all the time.

    A product or a decomposition of large matrices takes long and tells nothing. Raising in
    ``progress`` ends the wait at once; the thread itself ends where it next calls ``tell``, and
    what it finds is lost. Without ``progress`` the work is done in the caller's thread.
    ``meanwhile`` is what the caller's thread has to do while the other is at work. See
    `all_work_within` for what a server does around it.

    >>> watched(lambda tell: 6 * 7, lambda done, total: None)
    42
    """
    if progress is None:
        if meanwhile is not None:
            meanwhile()
        return work(None)
    future: Future[T] = Future()
    cancelled, latest = threading.Event(), [(0, 0)]

    def tell(done: int, total: int) -> None:
        if cancelled.is_set():
            raise Cancelled
        latest[0] = (done, total)

    within = getattr(_ambient, "within", None)

    def run() -> None:
        _block.cancelled = cancelled
        try:
            with within(tell) if within else nullcontext():
                future.set_result(work(tell))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="watched", daemon=True).start()
    try:
        if meanwhile is not None:
            meanwhile()
        while not wait([future], PAUSE).done:
            tick(progress, *latest[0])
    except BaseException:
        cancelled.set()
        raise
    tick(progress, *latest[0])
    return future.result()


_block = threading.local()
_ambient = threading.local()


def all_work_within(enter: Callable[[Progress], AbstractContextManager[None]] | None) -> None:
    """From now on `watched` work that this thread asks for is done within ``enter(tell)``.

    A server counts its memory there, and lets heavy work wait for its turn.

    >>> all_work_within(lambda tell: nullcontext())
    >>> all_work_within(None)
    """
    _ambient.within = enter


def can_be_cancelled() -> bool:
    """Whether this thread is one of `watched` or `run_blocks`, whose work may be cancelled."""
    return hasattr(_block, "cancelled")


def end_if_cancelled() -> None:
    """Raise `Cancelled` in a thread of `watched` or `run_blocks` whose work was cancelled."""
    if can_be_cancelled() and _block.cancelled.is_set():
        raise Cancelled


@cache  # it reads the process's maps, which takes milliseconds
def _pools(api: str, with_kmeans: bool) -> ThreadpoolController:
    """The thread pools of BLAS or OpenMP loaded so far; scikit-learn's k-means brings one more."""
    return ThreadpoolController().select(user_api=api)


def _take_control() -> None:
    """Let this thread set BLAS's limit: threadpoolctl heeds the first that did, and no other."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


_limit: dict[str, Any] = {"users": 0, "limit": None}
_limit_lock = threading.Lock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread: where steps are short, or blocks run in threads of
    their own, several wait for each other, and on a busy machine long.

    BLAS's limit is the process's and sessions overlap: it is counted, and the last one out restores
    it. OpenMP's is the calling thread's own.
    """
    with_kmeans = "sklearn.cluster" in sys.modules
    outer = getattr(_block, "limited", None)
    if outer == with_kmeans:  # this thread is within one already
        yield
        return
    own = _pools("openmp", with_kmeans).limit(limits=1)
    with _limit_lock:
        _limit["users"] += 1
        if _limit["users"] == 1:
            _take_control()
            _limit["limit"] = _pools("blas", with_kmeans).limit(limits=1)
    _block.limited = with_kmeans
    try:
        yield
    finally:
        _block.limited = outer
        with _limit_lock:
            _limit["users"] -= 1
            if _limit["users"] == 0:
                _take_control()
                _limit["limit"].restore_original_limits()
        own.restore_original_limits()


def one_thread_for(n: int) -> AbstractContextManager[None]:
    """Around A Aᵀ with n rows, or the Cholesky factor of an n × n matrix, whatever n is.

    On several threads OpenBLAS ends the process there from some size on, which depends on the
    processor (numpy's issue 19685): 16,000 × 1,000 does on two cores.
    """
    return one_thread() if n > OVERRUN else nullcontext()


def gram(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """A Aᵀ, symmetric to the last bit.

    >>> gram(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[5.0, 6.0], [6.0, 9.0]]
    """
    with one_thread_for(len(A)):
        return A @ A.T


def n_threads(n_jobs: int | None) -> int:
    """Number of threads: all cores for None or -1.

    >>> n_threads(3)
    3
    """
    if n_jobs is None or (isinstance(n_jobs, Integral) and n_jobs == -1):
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    return check_count(n_jobs, "n_jobs", 1, None, ", or None for all cores")


def run_blocks(
    function: Callable[[int, int], T],
    n_rows: int,
    block_rows: int,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> list[T]:
    """Call ``function(start, stop)`` for each block of rows; results in the order of the rows.

    With a Dask ``client`` the workers of its cluster do it, and ``function`` must return all that
    it finds; a block does not depend on the others, so smaller ones give the same.

    >>> run_blocks(lambda start, stop: stop - start, 10, 4)
    [4, 4, 2]
    """
    if client is not None:
        block_rows = min(block_rows, -(-n_rows // (BLOCKS_A_THREAD * _worker_threads(client))))
    bounds = [(a, min(a + block_rows, n_rows)) for a in range(0, n_rows, block_rows)]
    if client is not None:
        return watched(lambda tell: _on_cluster(client, function, bounds, tell), progress)
    jobs = min(n_threads(n_jobs), len(bounds))
    tick(progress, 0, n_rows)
    with one_thread():
        if jobs > 1:
            return _threaded(function, bounds, jobs, progress)
        results = []
        for start, stop in bounds:
            end_if_cancelled()
            results.append(function(start, stop))
            tick(progress, stop, n_rows)
        return results


def _threaded(
    function: Callable[[int, int], T],
    bounds: list[tuple[int, int]],
    jobs: int,
    progress: Progress | None,
) -> list[T]:
    cancelled = threading.Event()
    mark = partial(setattr, _block, "cancelled", cancelled)
    with ThreadPoolExecutor(jobs, initializer=mark) as pool:
        futures = {pool.submit(function, *b): b for b in bounds}
        try:
            waiting, done = set(futures), 0
            while waiting:
                finished, waiting = wait(waiting, PAUSE, return_when=FIRST_COMPLETED)
                for future in finished:
                    start, stop = futures[future]
                    done += stop - start
                    future.result()
                end_if_cancelled()
                tick(progress, done, bounds[-1][1])
        except BaseException:
            cancelled.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        return [future.result() for future in futures]


def _worker_threads(client: Any) -> int:
    """Blocks that a cluster can work on at once."""
    if not hasattr(client, "nthreads"):
        raise ValueError(f"client is {shown(client)}; give a `distributed.Client`, or None.")
    threads = sum(client.nthreads().values())
    if not threads:
        raise ValueError(
            "The Dask cluster has no worker; start one with: dask worker ADDRESS, where ADDRESS is"
            " the scheduler's."
        )
    return threads


def _on_cluster(
    client: Any,
    function: Callable[[int, int], T],
    bounds: list[tuple[int, int]],
    progress: Progress | None,
) -> list[T]:
    """Blocks on the workers of a Dask cluster.

    What ``function`` holds, points and their search, is sent to each worker once, and from worker
    to worker. The scheduler gives the blocks of a lost worker to the others.
    """
    distributed = require("distributed", "client")
    tick(progress, 0, bounds[-1][1])
    held = client.scatter(function, broadcast=True, hash=False)
    starts, stops = zip(*bounds, strict=True)
    # Not pure: equal blocks of another run must not stand in for these.
    blocks = client.map(_block_of, starts, stops, held=held, pure=False, retries=RETRIES)
    places = {block.key: k for k, block in enumerate(blocks)}
    results: list[Any] = [None] * len(bounds)
    done = 0
    try:
        for block, result in distributed.as_completed(blocks, client.loop, True):
            if block.cancelled():  # what all blocks hold is lost, and comes as their result
                raise result
            k = places[block.key]
            results[k] = result
            done += stops[k] - starts[k]
            tick(progress, done, stops[-1])
    except (distributed.CancelledError, distributed.KilledWorker):
        raise ConnectionError(
            "The Dask cluster lost the workers that held the points; see their logs for why they"
            " ended, start workers anew, and run it again."
        ) from None
    finally:
        client.cancel([*blocks, held])
    return results


def _block_of(start: int, stop: int, held: Callable[[int, int], T]) -> T:
    """On a worker: one block."""
    with one_thread():
        return held(start, stop)
