"""Compare a decision with what a case expects of it, and with the policy's invariants."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from callgate.compiler.build import settings_fold
from callgate.compiler.memo import Memo, Under
from callgate.model.codec import encode_expr
from callgate.model.decision import Decision
from callgate.model.policy import Invariant, Policy
from callgate.policytest.cases import EXPECTED
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program

__all__ = ["InvariantChecker", "Mismatch", "mismatches", "told_of"]

_UNORDERED: Final = frozenset({"capabilities", "matched"})
_QUICK: Final = frozenset({"decision", "rule", "step", "risk", "pending", "error", "shown"})
_MOST_READY: Final = 64


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A part of a decision that is not as expected."""

    key: str
    expected: Any
    actual: Any


def mismatches(told: Mapping[str, Any], expect: Mapping[str, Any]) -> list[Mismatch]:
    """What differs between a decision's JSON form and what a case expects; only that is looked at.

    `matched` and `capabilities` are compared as sets, `effects` in order, each by its kind or by
    the fields that are given. Ids in `matched` are
    those of guards that count; a shadow, or what an exception held back, is there where a mapping
    expects it, and otherwise not looked at.
    """
    found = []
    for key in EXPECTED:
        if key in expect:
            actual, wanted = _actual(told, key), expect[key]
            if key == "matched" and isinstance(wanted, list):
                actual, wanted = _idle(told, actual, wanted)
            elif key == "effects" and isinstance(wanted, list):
                actual = _effects(told["effects"], wanted)
            if key in _UNORDERED and isinstance(wanted, list):
                same = sorted(actual) == sorted(map(str, wanted))
            elif key == "reason" and isinstance(wanted, Mapping):
                same = str(wanted["contains"]) in actual
            else:
                same = actual == wanted
            if not same:
                found.append(Mismatch(key, wanted, actual))
    return found


def _effects(effects: list[Mapping[str, Any]], wanted: list[Any]) -> list[Any]:
    """The effects by their kinds; where a mapping is expected, with the fields that it names."""
    found: list[Any] = []
    for number, effect in enumerate(effects):
        expected = wanted[number] if number < len(wanted) else None
        if isinstance(expected, Mapping):
            found.append({key: effect.get(key) for key in ("kind", *expected) if key in expected})
        else:
            found.append(effect["kind"])
    return found


def _actual(told: Mapping[str, Any], key: str) -> Any:
    value = told[key]
    if key == "matched":
        return [match["rule"] for match in value if not _is_idle(match)]
    if key == "effects":
        return [effect["kind"] for effect in value]
    if key == "pending":
        return value["consult"] if value else None
    if key == "error":
        return value["code"] if value else None
    return value


def _is_idle(match: Mapping[str, Any]) -> bool:
    """Whether something that matched decides nothing."""
    return "enforce" in match or "exception" in match


def _idle(
    told: Mapping[str, Any], actual: list[str], wanted: list[Any]
) -> tuple[list[str], list[str]]:
    """What matched and what should have, with the idle matches that mappings expect as texts."""
    idle = [match for match in told["matched"] if _is_idle(match)]
    expected = [item for item in wanted if isinstance(item, Mapping)]
    found = [
        _words(item) for item in expected if any(item.items() <= match.items() for match in idle)
    ]
    missing = len(expected) - len(found)
    others = [_words(match) for match in idle] if missing else found
    return [*actual, *others], [_words(i) if isinstance(i, Mapping) else str(i) for i in wanted]


def _words(match: Mapping[str, Any]) -> str:
    marks = [f"{key}: {match[key]}" for key in ("enforce", "exception") if key in match]
    return f"{match['rule']} ({', '.join(marks)})"


def told_of(decision: Decision, wanted: Collection[str]) -> dict[str, Any]:
    """A decision's JSON form, or a part of it that is quickly made, where no more is wanted."""
    if not _QUICK.issuperset(wanted):
        return decision.to_dict()
    failure, pending = decision.failure, decision.pending
    return {
        "decision": decision.decision,
        "rule": decision.rule,
        "step": decision.step,
        "risk": getattr(decision.frame, "risk", None),
        "pending": None if pending is None else {"consult": pending},
        "error": None if failure is None else {"code": failure.code},
    }


class InvariantChecker:
    """Says which invariants a decision violates; conditions are compiled once for all settings that
    agree on what they read."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._memo = Memo()
        self._ready: dict[int, tuple[Program, list[tuple[Invariant, Any]]]] = {}

    def violated(self, decision: Decision, settings: Mapping[str, Any]) -> Iterable[Invariant]:
        """The invariants whose condition holds for the call and that forbid the decision.

        `settings`: all of them, by dotted name.
        """
        frame = decision.frame
        if not isinstance(frame, Frame):
            return
        program = cast("Program", decision.source)
        known = self._ready.get(id(program))
        if known is None:
            if len(self._ready) >= _MOST_READY:
                self._ready.clear()
            # The program is kept, so that its id stays its own.
            known = self._ready[id(program)] = (program, self._compiled(program, settings))
        for invariant, test in known[1]:
            if invariant.never.value == decision.decision and test(frame) is True:
                yield invariant

    def _compiled(
        self, program: Program, settings: Mapping[str, Any]
    ) -> list[tuple[Invariant, Any]]:
        under = Under(self._memo, settings, settings_fold(self._policy, settings))
        codegen = program.codegen
        return [
            (item, codegen.later(encode_expr(under.condition(item.when))))
            for item in self._policy.invariants
        ]
