"""Run cases in several processes, which begin as copies of this one: nothing is loaded twice.

What is not as expected is decided once more in this process, so that everything that can be told
of a failure is at hand; only numbers and what observers saw come back from the others.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from time import perf_counter
from typing import Any, Final, NamedTuple

from callgate.policytest.case_runner import CaseRunner, Failure
from callgate.policytest.cases import Case
from callgate.policytest.observer import Observer

__all__ = ["Result", "can_fork", "processors", "run_parallel"]

_CHUNKS: Final = 6
"""Chunks per process: so few that settings are seldom compiled twice, so many that none waits."""

_LOST: Final = "the process that ran it ended before it told of it"
_DIFFERENT: Final = "failed in another process, and passes here"

_Told = tuple[list[tuple[bool, float]], bytes]
"""Of each case of a chunk whether it passed and its seconds; and the observer, pickled."""


class Result(NamedTuple):
    """What came of a case, and how long it took."""

    case: Case
    failure: Failure | None
    seconds: float


def can_fork() -> bool:
    """Whether this system makes a process as a copy of another."""
    return "fork" in multiprocessing.get_all_start_methods()


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def run_parallel(runner: CaseRunner, cases: Sequence[Case], jobs: int) -> Generator[Result]:
    """The results in the cases' order. `jobs`: processes, at least 2. `runner`'s observer has what
    all of them saw once the last result is given. Needs `can_fork`."""
    size = max(1, -(-len(cases) // (jobs * _CHUNKS)))
    # Cases of the same settings stand together: each settings are compiled by one process.
    order = sorted(range(len(cases)), key=lambda number: str(cases[number].settings))
    numbers = [order[at : at + size] for at in range(0, len(cases), size)]
    chunks = [[cases[number] for number in chunk] for chunk in numbers]
    chunk_of = {number: at for at, chunk in enumerate(numbers) for number in chunk}
    ready: dict[int, Result] = {}
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("fork"), initializer=_begin, initargs=(runner, chunks)
    )
    try:
        futures = [pool.submit(_run_chunk, number) for number in range(len(chunks))]
        for number in range(len(cases)):
            if number not in ready:
                at = chunk_of[number]
                ready.update(
                    zip(numbers[at], _results(runner, chunks[at], futures[at]), strict=True)
                )
            yield ready.pop(number)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _results(runner: CaseRunner, chunk: Sequence[Case], future: Future[_Told]) -> Iterator[Result]:
    try:
        told, seen = future.result()
    except BrokenProcessPool:
        yield from (Result(case, Failure(case, problem=_LOST), 0.0) for case in chunk)
        return
    except Exception as error:
        problem = f"{type(error).__name__} in the process that ran it"
        yield from (Result(case, Failure(case, problem=problem), 0.0) for case in chunk)
        return
    observer = runner.observer
    if observer is not None:
        observer.merge(pickle.loads(seen))
    for case, (passed, seconds) in zip(chunk, told, strict=True):
        failure = None
        if not passed:
            again = CaseRunner(runner.engine).run(case)
            failure = again or Failure(case, problem=_DIFFERENT)
        yield Result(case, failure, seconds)


_here: dict[str, Any] = {}
"""What a process that runs cases was given when it began."""


def _begin(runner: CaseRunner, chunks: Sequence[Sequence[Case]]) -> None:
    # Ctrl-C is the first process's business: it ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here.update(runner=runner, chunks=chunks)


def _run_chunk(number: int) -> _Told:
    given: CaseRunner = _here["runner"]
    observer: Observer | None = None if given.observer is None else given.observer.blank()
    runner = CaseRunner(given.engine, observer)
    told = []
    for case in _here["chunks"][number]:
        start = perf_counter()
        passed = runner.run(case) is None
        told.append((passed, perf_counter() - start))
    return told, pickle.dumps(observer)
