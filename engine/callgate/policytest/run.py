"""Run a bundle's policy tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from callgate.compiler.program_examples import check_program_examples
from callgate.engine import Engine
from callgate.load.bundle import load_bundle
from callgate.model.decision import Decision
from callgate.model.diagnostic import Diagnostics, PolicyError
from callgate.model.policy import Policy
from callgate.policytest.cases import Case, read_cases
from callgate.policytest.checks import InvariantChecker, Mismatch, mismatches
from callgate.policytest.coverage import Coverage

__all__ = ["Failure", "Report", "run_tests"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that is not as expected. `decision` is None, and `problem` says why, where the case
    could not be run; `violated` names invariants (id and title). `settings`: dotted name → value,
    the secret ones too."""

    case: Case
    mismatches: tuple[Mismatch, ...] = ()
    violated: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    decision: Decision | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What the tests of one bundle gave. `examples`: guard examples, which loading has checked."""

    policy: Policy
    cases: tuple[Case, ...]
    failures: tuple[Failure, ...]
    examples: int
    coverage: Coverage

    @property
    def passed(self) -> int:
        """How many cases are as expected."""
        return len(self.cases) - len(self.failures)


def run_tests(
    bundle: str | Path, done: Callable[[Case, bool], None] = lambda case, passed: None
) -> Report:
    """Load a bundle and run its cases, each under default settings with the case's laid over them.

    `done` is told of every case. Raises PolicyError when the bundle or a test file can't be used,
    or an example of a program does not behave.
    """
    engine = Engine.of_policy(bundle)
    found = Diagnostics()
    loaded = load_bundle(bundle, found)
    documents = loaded.documents if loaded else ()
    cases = read_cases(documents, found)
    check_program_examples(documents, found)
    found.raise_errors()
    policy = engine.policy
    checker = InvariantChecker(policy)
    coverage = Coverage(policy)
    failures = []
    for case in cases:
        failure = _run(engine, case, checker, coverage)
        if failure is not None:
            failures.append(failure)
        done(case, failure is None)
    examples = sum(len(guard.examples) for guard in policy.guards)
    return Report(policy, tuple(cases), tuple(failures), examples, coverage)


def _run(
    engine: Engine, case: Case, checker: InvariantChecker, coverage: Coverage
) -> Failure | None:
    """Decide a case's call; None when all is as expected."""
    try:
        under = engine.with_settings(case.settings)
    except PolicyError as error:
        return Failure(case, problem=f"settings: {error.diagnostics[0].message}")
    decision = under.decide(dict(case.call))
    coverage.add(decision)
    told = decision.to_dict()
    if "shown" in case.expect:
        shown = under.program.visibility(case.call)
        told["shown"] = under.program.unseen.code_of(shown)
        if shown is not None:
            coverage.add(shown)
    wrong = tuple(mismatches(told, case.expect))
    violated = tuple((item.id, item.title) for item in checker.violated(decision, under.settings))
    if not wrong and not violated:
        return None
    return Failure(case, wrong, violated, "", decision, under.settings)
