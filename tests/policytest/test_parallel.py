"""Several processes come to the same as one."""

from __future__ import annotations

import os
from typing import Any, Self

import pytest

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.policytest.case import Case
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.parallel import can_fork
from callgate.policytest.run import Report, run_tests
from tests.acme import BUNDLE

pytestmark = pytest.mark.skipif(not can_fork(), reason="makes no processes of this kind")


class Names:
    """Keeps the names of the cases that it saw."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def observe(
        self, case: Case, engine: Engine, decision: Decision, shown: Decision | None
    ) -> None:
        self.names.append(case.name)

    def blank(self) -> Self:
        return type(self)()

    def merge(self, other: Self) -> None:
        self.names += other.names


class Ending(Names):
    """Ends the process that runs a case of this name."""

    def observe(self, case: Case, *others: Any) -> None:
        if case.name == "saving by place, row 3":
            os._exit(7)


class Raising(Names):
    """Fails in the process that runs a case of this name."""

    def observe(self, case: Case, *others: Any) -> None:
        if case.name == "saving by place, row 3":
            raise ValueError("in the way")


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load(BUNDLE)


def wrong(loaded: Loaded, *names: str) -> list[Case]:
    """The bundle's cases, of which these expect what does not come."""
    return [
        Case(c.name, c.call, c.settings, {"step": "nowhere"}, c.span) if c.name in names else c
        for c in loaded.cases
    ]


def told(report: Report) -> list[tuple[str, Any]]:
    return [
        (f.case.name, [(m.key, m.expected, m.actual) for m in f.mismatches] or f.problem)
        for f in report.failures
    ]


@pytest.mark.parametrize("jobs", [2, 3, 20])
def test_the_results_are_those_of_one_process(loaded: Loaded, jobs: int) -> None:
    cases = wrong(loaded, "looking is allowed", "saving by place, row 2", "settings, row 2")
    seen: list[tuple[str, bool]] = []
    names = Names()
    several = run_tests(
        loaded, cases, names, lambda case, ok: seen.append((case.name, ok)), jobs=jobs
    )
    assert told(several) == told(run_tests(loaded, cases))
    assert len(several.failures) == 3
    assert all(failure.decision is not None for failure in several.failures)
    assert [name for name, _ in seen] == names.names == [case.name for case in cases]
    assert [ok for _, ok in seen].count(False) == 3
    assert len(several.seconds) == len(cases)


def test_the_first_failures_end_the_run(loaded: Loaded) -> None:
    cases = wrong(loaded, "looking is allowed", "saving by place, row 2", "settings, row 2")
    for jobs in (1, 2):
        report = run_tests(loaded, cases, jobs=jobs, most_failures=2)
        assert [f.case.name for f in report.failures] == [
            "looking is allowed",
            "saving by place, row 2",
        ]
        assert report.cases[-1].name == "saving by place, row 2"


@pytest.mark.parametrize(
    ("observer", "problem"),
    [
        (Ending(), "the process that ran it ended before it told of it"),
        (Raising(), "ValueError in the process that ran it"),
    ],
)
def test_what_happens_to_a_process_is_a_failure(
    loaded: Loaded, observer: Names, problem: str
) -> None:
    report = run_tests(loaded, None, observer, jobs=2)
    assert len(report.cases) == len(loaded.cases)
    assert (("saving by place, row 3"), problem) in told(report)
