"""What of a policy its tests reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, cast

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.policy import Guard, Policy
from callgate.policytest.cases import Case
from callgate.policytest.coverage.counts import Counts
from callgate.policytest.coverage.places import Places
from callgate.policytest.coverage.plan import Plan, plan_of
from callgate.policytest.coverage.rules import RuleCounts, RuleCoverage
from callgate.policytest.coverage.walk import Walk
from callgate.policytest.loaded import Loaded
from callgate.runtime.check import CallError
from callgate.runtime.interpreter import Program

__all__ = ["Coverage"]


class Coverage:
    """Counts what tests come to, as an observer of their run (see `Observer`).

    `plan`: what there is to reach; `counts`: how often it was; `texts`: of the policy's files, by
    their paths as shown.
    """

    def __init__(self, policy: Policy, plan: Plan, texts: Mapping[str, str]) -> None:
        self.policy = policy
        self.plan = plan
        self.texts = texts
        self.counts = Counts()
        self._rules = RuleCounts(policy)
        self._walk: Walk | None = None

    @classmethod
    def of(cls, loaded: Loaded) -> Coverage:
        """The coverage of a bundle by the examples of its guards, and by its tests when it has
        observed them. Raises PolicyError with what `loaded` found when there is no engine."""
        engine = loaded.usable()
        documents = loaded.documents
        texts = {document.file: document.source.text for document in documents}
        found = cls(engine.policy, plan_of(engine.policy, Places(documents)), texts)
        found.examples(engine)
        return found

    @property
    def rules(self) -> dict[str, RuleCoverage]:
        """How often each rule decided, held and did not hold, by its id."""
        return self._rules.rules

    def observe(
        self, case: Case, engine: Engine, decision: Decision, shown: Decision | None
    ) -> None:
        """Count what a case came to."""
        self.add(engine, decision)
        if shown is not None:
            self.add_shown(engine, shown)

    def add(self, engine: Engine, decision: Decision) -> None:
        """Count what a decision of this engine came to."""
        self._rules.add(decision)
        self._walker(engine).call(cast("Program", decision.source), engine.settings, decision)

    def add_shown(self, engine: Engine, shown: Decision) -> None:
        """Count what a walk of the second flow came to."""
        self._rules.add(shown)
        self._walker(engine).shown(engine.program, engine.settings, shown)

    def examples(self, engine: Engine) -> None:
        """Count the examples of guards, each for its guard alone. `engine`: under default
        settings."""
        for guard in self.policy.guards:
            for example in guard.examples:
                call = dict(example.call)
                under = engine.with_settings(call.pop("settings", None) or {})
                fires = self.add_alone(under, guard, call)
                if fires is not None:
                    self._rules.example(guard, example.fires)

    def add_alone(self, engine: Engine, guard: Guard, call: Mapping[str, Any]) -> bool | None:
        """Count what a guard comes to on a call, as if there were no other; gives whether it fires,
        or None where the call can't be judged."""
        program = engine.program
        try:
            frame = program.checker.frame(call)
        except CallError:
            return None
        program.classifier.classify(frame)
        fires = program.guards.fires(guard.id, frame, program.effects_of(frame))
        self._walker(engine).alone(program, engine.settings, guard, frame, fires)
        return fires

    def blank(self) -> Self:
        """One for the same policy that has counted nothing."""
        return type(self)(self.policy, self.plan, self.texts)

    def merge(self, other: Coverage) -> None:
        """Add what another one of the same policy counted."""
        self.counts.merge(other.counts)
        self._rules.merge(other._rules)

    def _walker(self, engine: Engine) -> Walk:
        if self._walk is None:
            self._walk = Walk(self.policy, self.plan, self.counts, engine.program)
        return self._walk

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_walk": None, "texts": {}}
