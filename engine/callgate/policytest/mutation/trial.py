"""Whether a test notices that a policy was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.model.policy import Policy
from callgate.policytest.checks import InvariantChecker, mismatches
from callgate.policytest.mutation.mutant import Mutant
from callgate.policytest.mutation.recorded import (
    Group,
    Recorded,
    Shown,
    Tried,
    decide_again,
    seen_of,
)
from callgate.policytest.mutation.variants import Base, Variant, alone
from callgate.runtime.frame import Frame
from callgate.runtime.guards import GuardSet

__all__ = ["EQUIVALENT", "KILLED", "REFUSED", "SURVIVED", "Trial", "Verdict"]

KILLED: Final = "killed"
SURVIVED: Final = "survived"
EQUIVALENT: Final = "equivalent"
REFUSED: Final = "refused"

_Comes = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a mutant: `killed` by a test, `survived`, `equivalent` (no settings that were
    tried make another graph of it) or `refused` (it does not load). `by`: the test, in words."""

    status: str
    by: str = ""


class Trial:
    """Tries mutants of one policy. What its guards come to on each case is remembered."""

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.base = Base(recorded.policy)
        self._as_is = Variant(self.base, recorded.policy)
        for group in recorded.groups.values():
            self._as_is.graph(group)  # so that variants find most parts made
        self._known: dict[str, dict[int, _Comes]] = {}
        self._killers: dict[str, list[tuple[Group, Shown]]] = {}
        steps = (step.id for step in recorded.policy.flow.steps)
        self._steps = {id_: number for number, id_ in enumerate(steps)}

    def variant(self, policy: Policy) -> Variant:
        """A changed policy, ready to be tried."""
        return Variant(self.base, policy)

    def verdict(self, mutant: Mutant, variant: Variant) -> Verdict:
        """What the tests say of a mutant."""
        if variant.same:
            return Verdict(EQUIVALENT)
        killed = self._by_example(variant)
        if killed is not None:
            return Verdict(KILLED, _example(killed))
        if variant.only_guards:
            return self._by_guards(variant)
        return self._by_cases(mutant, variant)

    # -- examples

    def _by_example(self, variant: Variant) -> Tried | None:
        """The first example that a changed guard does not keep."""
        for id_ in variant.changed:
            sets: dict[int, GuardSet | None] = {}
            lone = not variant.reads_settings(id_)
            for tried in self.recorded.examples[id_] if id_ in variant.guards else ():
                key = 0 if lone else id(tried.group)
                if key not in sets:
                    sets[key] = alone(variant.form(id_, tried.group), tried.group)
                frame = tried.frame
                if variant.risk_changed:
                    program = variant.program(tried.group)
                    frame = program.checker.frame(dict(tried.call))
                    program.classifier.classify(frame)
                if _fires(sets[key], id_, frame, tried) is not tried.fires:
                    return tried
        return None

    # -- cases

    def _by_guards(self, variant: Variant) -> Verdict:
        """Cases on which a changed guard comes to something else, if there are any."""
        different = False
        affected: dict[int, tuple[Group, list[Shown]]] = {}
        for id_ in variant.changed:
            made: tuple[Any, Any] | None = None
            lone = not variant.reads_settings(id_)
            for group in self.recorded.groups.values():
                if made is None or not lone:
                    form = variant.form(id_, group)
                    was = self._as_is.form(id_, group)
                    changed = form != was
                    made = (alone(form, group), alone(was, group)) if changed else (None, None)
                if not changed:
                    continue
                different = True
                for shown in group.cases:
                    if shown.effects is None or shown.frame is None:
                        continue
                    if self._comes(id_, made[1], shown) != _comes(made[0], shown):
                        affected.setdefault(id(group), (group, []))[1].append(shown)
        for group, cases in affected.values():
            failed = self._failing(variant, group, _once(cases))
            if failed is not None:
                return Verdict(KILLED, f"case {failed.case.name}")
        return Verdict(SURVIVED if different else EQUIVALENT)

    def _comes(self, id_: str, guards: GuardSet | None, shown: Shown) -> _Comes:
        """What a guard as it is comes to on a case."""
        known = self._known.setdefault(id_, {})
        found = known.get(shown.number)
        if found is None:
            found = known[shown.number] = _comes(guards, shown)
        return found

    def _by_cases(self, mutant: Mutant, variant: Variant) -> Verdict:
        """Cases under all settings of which another graph comes, the likely ones first."""
        killers = self._killers.setdefault(f"{mutant.file} {mutant.rule}", [])
        for group, shown in killers:
            if self._failing(variant, group, [shown]) is not None:
                return Verdict(KILLED, f"case {shown.case.name}")
        different = False
        groups = [(g, self._concerned(variant, g)) for g in self.recorded.groups.values()]
        groups.sort(key=lambda item: (-sum(_near(mutant, s) for s in item[1]), -len(item[1])))
        for group, cases in groups:
            if variant.graph(group).document == self._as_is.graph(group).document:
                if not variant.invariants_changed:
                    continue
            else:
                different = True
            cases.sort(key=lambda shown: not _near(mutant, shown))
            failed = self._failing(variant, group, cases)
            if failed is not None:
                killers.insert(0, (group, failed))
                return Verdict(KILLED, f"case {failed.case.name}")
        return Verdict(SURVIVED if different else EQUIVALENT)

    def _concerned(self, variant: Variant, group: Group) -> list[Shown]:
        """The cases whose walk came as far as the first step that is changed."""
        first, end = variant.first_step, len(self._steps)
        return [s for s in group.cases if self._steps.get(s.step, end) >= first]

    def _failing(self, variant: Variant, group: Group, cases: Sequence[Shown]) -> Shown | None:
        """The first of these cases that the changed policy fails."""
        if not cases:
            return None
        program = variant.program(group)
        checker: InvariantChecker | None = None
        for shown in cases:
            case = shown.case
            decision = decide_again(program, case.call, shown.effects)
            code = ""
            if "shown" in case.expect:
                code = program.unseen.code_of(program.visibility(case.call))
            same = (*seen_of(decision), code) == shown.seen
            if same and not variant.invariants_changed:
                continue
            if not same:
                told = {**decision.to_dict(), "shown": code}
                if mismatches(told, case.expect):
                    return shown
            checker = checker or InvariantChecker(variant.policy)
            if any(True for _ in checker.violated(decision, group.values)):
                return shown
        return None


def _near(mutant: Mutant, shown: Shown) -> bool:
    """Whether a case was decided by the rule that is changed, or in its step."""
    return bool(mutant.rule) and (
        shown.step == mutant.rule or shown.rule == mutant.rule or shown.rule.startswith(mutant.rule)
    )


def _once(cases: Sequence[Shown]) -> list[Shown]:
    return list({shown.number: shown for shown in cases}.values())


def _fires(guards: GuardSet | None, id_: str, frame: Frame, tried: Tried) -> bool:
    if guards is None:
        return False
    frame.work = 0
    try:
        return guards.fires(id_, frame, tried.effects)
    except Exception:  # loading would refuse the example
        return not tried.fires


def _comes(guards: GuardSet | None, shown: Shown) -> _Comes:
    """What a guard alone comes to on every effect of a case."""
    frame, effects = shown.frame, shown.effects
    if guards is None or frame is None or effects is None:
        return ()
    frame.work = 0
    try:
        return tuple(
            (
                match.decide,
                match.approval,
                match.stands,
                match.unresolved,
                getattr(match, "exception", None),
                id(match.effect),
            )
            for match in guards.every(frame, effects)
            if match.guard >= 0
        )
    except Exception as error:
        return (type(error).__name__,)


def _example(tried: Tried) -> str:
    place = f"{tried.span.file}:{tried.span.line}" if tried.span else ""
    return f"example {place}".strip()
