"""One case: decide its call, and compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.diagnostic import PolicyError
from callgate.policytest.cases import Case
from callgate.policytest.checks import InvariantChecker, Mismatch, mismatches, told_of
from callgate.policytest.observer import Observer

__all__ = ["CaseRunner", "Failure"]


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


class CaseRunner:
    """Runs cases of one policy, each under the engine's settings with the case's laid over them.

    `engine`: as `Loaded.engine`, or any other of the same vocabulary. `observer` is told of every
    case that was decided.
    """

    def __init__(self, engine: Engine, observer: Observer | None = None) -> None:
        self.engine = engine
        self._checker = InvariantChecker(engine.policy)
        self.observer = observer

    def run(self, case: Case) -> Failure | None:
        """Decide a case's call; None when all is as expected."""
        try:
            under = self.engine.with_settings(case.settings)
        except PolicyError as error:
            return Failure(case, problem=f"settings: {error.diagnostics[0].message}")
        decision = under.decide(dict(case.call))
        shown = under.program.visibility(case.call) if "shown" in case.expect else None
        if self.observer is not None:
            self.observer.observe(case, under, decision, shown)
        told = told_of(decision, case.expect.keys())
        if "shown" in case.expect:
            told["shown"] = under.program.unseen.code_of(shown)
        wrong = tuple(mismatches(told, case.expect))
        broken = self._checker.violated(decision, under.settings)
        violated = tuple((item.id, item.title) for item in broken)
        if not wrong and not violated:
            return None
        return Failure(case, wrong, violated, "", decision, under.settings)
