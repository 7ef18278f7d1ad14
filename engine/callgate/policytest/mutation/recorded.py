"""What the tests see of a policy as it is: every case's call, decided once, and every example.

Their calls are read and their effects found here, once; a mutant's guards and flow run on these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.effect import EffectSet
from callgate.model.span import Span
from callgate.policytest.cases import Case
from callgate.policytest.checks import InvariantChecker, mismatches
from callgate.runtime.check import CallError
from callgate.runtime.frame import Frame, IdleMatch
from callgate.runtime.guards import built_in_rule
from callgate.runtime.interpreter import Program

__all__ = ["Group", "Recorded", "Seen", "Shown", "Tried", "decide_again", "seen_of"]

Seen = tuple[Any, ...]
"""All of a decision that a case can expect, apart from what a mutant leaves alone: equal where no
test can tell two decisions apart."""


@dataclass(slots=True)
class Shown:
    """A case: its call, what it was decided to, and the effects of the call, None where the walk
    did not need them."""

    case: Case
    number: int
    seen: Seen
    rule: str
    step: str
    frame: Frame | None
    effects: EffectSet | None


@dataclass(slots=True)
class Tried:
    """An example of a guard: whether the guard must fire on this frame."""

    fires: bool
    call: Mapping[str, Any]
    span: Span | None
    group: Group
    frame: Frame
    effects: EffectSet


@dataclass(slots=True)
class Group:
    """The cases that run under the same settings. `values`: all settings by dotted name."""

    overlay: Mapping[str, Any]
    engine: Engine
    cases: list[Shown] = field(default_factory=list)

    @property
    def program(self) -> Program:
        """The policy as it is, under these settings."""
        return self.engine.program

    @property
    def values(self) -> Mapping[str, Any]:
        """Every setting by its dotted name."""
        return self.engine.settings


class Recorded:
    """The cases and examples of a policy, all of them run once. `failing`: names of the cases that
    do not pass on the policy as it is; they are left out."""

    def __init__(self, engine: Engine, cases: Sequence[Case]) -> None:
        self.engine = engine
        self.policy = engine.policy
        self.groups: dict[bytes, Group] = {}
        self.failing: list[str] = []
        self.examples: dict[str, list[Tried]] = {}
        self._checker = InvariantChecker(self.policy)
        self.group({})
        for number, case in enumerate(cases):
            self._run(number, case)
        for guard in self.policy.guards:
            self.examples[guard.id] = [
                self._tried(example.call, example.fires, example.span) for example in guard.examples
            ]

    def group(self, overlay: Mapping[str, Any]) -> Group:
        """The group of these settings. Raises PolicyError for such as can't be used."""
        key = orjson.dumps(overlay, option=orjson.OPT_SORT_KEYS)
        found = self.groups.get(key)
        if found is None:
            found = self.groups[key] = Group(overlay, self.engine.with_settings(overlay))
        return found

    def _run(self, number: int, case: Case) -> None:
        group = self.group(case.settings)
        program, values = group.program, group.values
        decision = program.decide(dict(case.call))
        told = decision.to_dict()
        shown = ""
        if "shown" in case.expect:
            shown = told["shown"] = program.unseen.code_of(program.visibility(case.call))
        wrong = mismatches(told, case.expect)
        if wrong or any(True for _ in self._checker.violated(decision, values)):
            self.failing.append(case.name)
            return
        frame = decision.frame if isinstance(decision.frame, Frame) else None
        effects = None if frame is None else frame.effects
        group.cases.append(
            Shown(
                case,
                number,
                (*seen_of(decision), shown),
                decision.rule,
                decision.step,
                frame,
                effects,
            )
        )

    def _tried(self, call: Mapping[str, Any], fires: bool, span: Span | None) -> Tried:
        rest = {key: value for key, value in call.items() if key != "settings"}
        group = self.group(call.get("settings") or {})
        program = group.program
        frame = program.checker.frame(rest)
        program.classifier.classify(frame)
        return Tried(fires, rest, span, group, frame, program.effects_of(frame))


def seen_of(decision: Decision) -> Seen:
    """What a case could tell of a decision."""
    frame, failure = decision.frame, decision.failure
    matched: tuple[Any, ...] = ()
    risk = ""
    if isinstance(frame, Frame):
        risk = getattr(frame, "risk", "")
        forms = decision.source.guards.forms  # type: ignore[attr-defined]
        matched = tuple(
            (
                forms[match.guard]["id"] if match.guard >= 0 else built_in_rule(match),
                match.decide,
                match.approval,
                (match.shadow, match.exception) if isinstance(match, IdleMatch) else None,
            )
            for match in frame.matches
        )
    code = failure.code if failure is not None else ""
    outcome = decision.outcome
    return (outcome.decision, outcome.rule, outcome.step, outcome.pending, code, risk, matched)


def decide_again(program: Program, call: Mapping[str, Any], effects: EffectSet | None) -> Decision:
    """What another policy decides of a call whose effects are known."""
    try:
        frame = program.checker.frame(dict(call))
        program.classifier.classify(frame)
    except CallError as error:
        return program.refuse(call, error.code, error.message)
    frame.effects = effects
    return program.walk(frame)
