"""What tests can reach in a policy: its nodes, and the conditions with both their outcomes.

It is made from the typed policy and not from a graph, which lacks what its settings fold away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from callgate.model.catalogue import DynamicTools, RiskRule
from callgate.model.condition import Condition
from callgate.model.expr import Const
from callgate.model.graph import VISIBLE
from callgate.model.policy import (
    Answer,
    AskLevel,
    Consult,
    Decide,
    Flow,
    Guard,
    Policy,
    Rule,
    Step,
    Verdict,
)
from callgate.model.span import Span
from callgate.policytest.coverage.parts import Definitions, Part, parts_of
from callgate.policytest.coverage.places import Place, Places

__all__ = ["LAST", "Item", "Plan", "constant", "plan_of"]

LAST: Final = "otherwise"
"""The key of the approval flow's last word."""

_UNREACHABLE: Final = "every call is decided before it"


@dataclass(slots=True, eq=False)
class Item:
    """A thing of the policy that calls come to.

    `key` is its id with its kind before it, `group` the step or file that it belongs to. `node`:
    there is something to reach. `branch`: it has two outcomes, those of its condition `root`, or,
    where it has none, whether it concerns a call at all. `each`: what its condition binds.
    `excluded`: why nothing can reach it.
    """

    key: str
    kind: str
    name: str
    group: str
    place: Place
    node: bool = True
    branch: bool = False
    root: Part | None = None
    each: str = ""
    excluded: str = ""

    @property
    def first(self) -> int:
        """The number of the first sub-expression that is counted: the whole of a condition is the
        branch; that of a definition is none."""
        return 0 if self.kind == "definition" else 1

    @property
    def counted(self) -> tuple[Part, ...]:
        """The sub-expressions that are counted."""
        parts = () if self.root is None else tuple(self.root.all())
        return tuple(part for part in parts if part.number >= self.first)


@dataclass(slots=True)
class Plan:
    """All items by their keys, in the order of the policy; definitions come last."""

    items: dict[str, Item]


def plan_of(policy: Policy, places: Places) -> Plan:
    """Everything that tests of a policy can reach."""
    builder = _Builder(policy, places)
    found = list(builder.items())
    for key, root in builder.definitions.found.items():
        name = key.rpartition(":")[2]
        found.append(Item(key, "definition", name, root.place[0], root.place, False, root=root))
    return Plan({item.key: item for item in found})


class _Builder:
    def __init__(self, policy: Policy, places: Places) -> None:
        self.policy = policy
        self.places = places
        self.definitions = Definitions(places)

    def items(self) -> Iterator[Item]:
        second = self.policy.visibility
        if second is not None:
            yield from self.flow(second.flow, VISIBLE)
        hidden = frozenset(() if second is None else second.codes)
        yield from self.flow(self.policy.flow, LAST, hidden)
        for guard in self.policy.guards:
            file = guard.span.file if guard.span else ""
            own = self.item("guard", guard.id, file, guard.span, guard.when, branch=_told(guard))
            for item in (own, *self.exceptions(guard, file)):
                item.each = guard.each[0] if guard.each else ""
                yield item
        for tools in self.policy.dynamic:
            yield self.rule_of("tools", tools)
        risk = self.policy.risk
        for rule in () if risk is None else (*risk.declared, *risk.raises):
            yield self.rule_of("risk", rule)

    def flow(self, flow: Flow, last: str, besides: frozenset[str] = frozenset()) -> Iterator[Item]:
        """A flow's items; `besides`: rules that are another flow's."""
        for step in flow.steps:
            yield self.item("step", step.id, step.id, step.span, step.when)
            if step.asks_become_deny is not None:
                name = f"{step.id}.asks-become-deny"
                place = self.places.word(name, step.span)
                yield self.item("becomes", name, step.id, step.span, step.asks_become_deny, place)
            for rule in step.rules:
                if rule.id not in besides:
                    yield from self.rule(rule, step)
            if step.otherwise is not None:
                yield self.word(f"{step.id}.otherwise", step.id, step.span)
        item = self.word(last, last, flow.span)
        if any(map(_always_ends, flow.steps)):
            item.excluded = _UNREACHABLE
        yield item

    def rule(self, rule: Rule, step: Step) -> Iterator[Item]:
        told = not constant(rule.when) or rule.tools is not None
        kind = "consult" if isinstance(rule.then, Consult) else "rule"
        yield self.item(kind, rule.id, step.id, rule.span, rule.when, branch=told)
        if isinstance(rule.then, Consult):
            for answer in rule.then.answers:
                yield self.word(f"{rule.id}.{answer}", step.id, rule.span, "answer")
        yield from self.exceptions(rule, step.id)

    def exceptions(self, rule: Guard | Rule, group: str) -> Iterator[Item]:
        for item in rule.exceptions:
            yield self.item("exception", item.id, group, item.span, item.when, branch=True)

    def rule_of(self, kind: str, rule: DynamicTools | RiskRule) -> Item:
        span = rule.when.span
        file = span.file if span else ""
        return self.item(kind, rule.id, file, span, rule.when, node=False)

    def word(self, name: str, group: str, span: Span | None, kind: str = "otherwise") -> Item:
        return Item(f"{kind}:{name}", kind, name, group, self.places.word(name, span))

    def item(
        self,
        kind: str,
        name: str,
        group: str,
        span: Span | None,
        when: Condition | None,
        place: Place | None = None,
        *,
        node: bool = True,
        branch: bool | None = None,
    ) -> Item:
        # One that says `true` or `false` has nothing to evaluate.
        root = None if when is None or constant(when) else self.parts(when, span)
        place = place or ((span.file, span.line) if span else ("", 0))
        told = root is not None if branch is None else branch
        return Item(f"{kind}:{name}", kind, name, group, place, node, told, root)

    def parts(self, when: Condition, span: Span | None) -> Part:
        source = self.places.text(when)
        file = when.span.file if when.span else span.file if span else ""
        return parts_of(when.expr, when.text, source, file, self.definitions)


def _told(guard: Guard) -> bool:
    """Whether there are calls that a guard has nothing to do with."""
    return not constant(guard.when) or guard.each is not None or guard.tools is not None


def constant(when: Condition | None) -> bool:
    """Whether there is no condition, or one that just says `true` or `false`."""
    return when is None or isinstance(when.expr, Const)


def _always_ends(step: Step) -> bool:
    """Whether no call comes out of a step again, whatever it is."""
    if step.when is not None:
        return False
    words: list[Sequence[Answer]] = [() if step.otherwise is None else (step.otherwise,)]
    for rule in step.rules:
        if rule.when is None and rule.tools is None and not rule.shadow and not rule.exceptions:
            then = rule.then
            words.append(tuple(then.answers.values()) if isinstance(then, Consult) else (then,))
    return any(word and all(map(_ends, word)) for word in words)


def _ends(answer: Answer) -> bool:
    """Whether an outcome ends the walk whatever asks are carried."""
    if not isinstance(answer, Decide):
        return False
    return answer.effect is not Verdict.ALLOW or answer.despite is AskLevel.PERSON
