"""Run a bundle's policy tests."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter

from callgate.model.policy import Policy
from callgate.policytest.case_runner import CaseRunner, Failure
from callgate.policytest.cases import Case
from callgate.policytest.loaded import Loaded
from callgate.policytest.observer import Observer
from callgate.policytest.parallel import Result, can_fork, run_parallel

__all__ = ["CaseRunner", "Failure", "Report", "run_tests"]


@dataclass(frozen=True, slots=True)
class Report:
    """What the tests of one bundle gave. `cases`: those that ran, in order, with what each took in
    `seconds`; `examples`: guard examples, which loading has checked."""

    policy: Policy
    cases: tuple[Case, ...]
    failures: tuple[Failure, ...]
    examples: int
    seconds: tuple[float, ...] = ()

    @property
    def passed(self) -> int:
        """How many cases are as expected."""
        return len(self.cases) - len(self.failures)


def run_tests(
    loaded: Loaded,
    cases: Sequence[Case] | None = None,
    observer: Observer | None = None,
    done: Callable[[Case, bool], None] = lambda case, passed: None,
    *,
    jobs: int = 1,
    most_failures: int = 0,
) -> Report:
    """Run cases of a bundle that can be used, in order; those of the bundle by default.

    `done` is told of every case, in order. `jobs`: how many processes run cases; where none can be
    forked, one does. `most_failures`: stop at this many; 0 is never. Raises PolicyError with what
    `loaded` found when there is no engine.
    """
    engine = loaded.usable()
    runner = CaseRunner(engine, observer)
    chosen = loaded.cases if cases is None else tuple(cases)
    several = jobs > 1 and len(chosen) > 1 and can_fork()
    results = run_parallel(runner, chosen, jobs) if several else _one_by_one(runner, chosen)
    ran: list[Result] = []
    failures: list[Failure] = []
    with closing(results):
        for result in results:
            ran.append(result)
            if result.failure is not None:
                failures.append(result.failure)
            done(result.case, result.failure is None)
            if most_failures and len(failures) >= most_failures:
                break
    examples = sum(len(guard.examples) for guard in engine.policy.guards)
    return Report(
        engine.policy,
        tuple(result.case for result in ran),
        tuple(failures),
        examples,
        tuple(result.seconds for result in ran),
    )


def _one_by_one(runner: CaseRunner, cases: Sequence[Case]) -> Generator[Result]:
    for case in cases:
        start = perf_counter()
        failure = runner.run(case)
        yield Result(case, failure, perf_counter() - start)
