"""Comparisons with names that nothing has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.lint.compared import Compared, compared
from callgate.lint.domains import logic
from callgate.lint.locating import distinct
from callgate.lint.logic_forms import Test, form
from callgate.lint.logic_values import among
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Place, Subject
from callgate.model.expr import Apply, Fact
from callgate.model.policy import AskLevel, GuardDecision, Policy
from callgate.model.suggest import closest

__all__ = ["NeverProduced", "UnknownCapability", "UnknownTool"]

_ORDER: Final = frozenset({"lt", "le", "gt", "ge"})
_TOOL_NAMES: Final = ("call.tool", "call.called_as")


def _own(subject: Subject, *facts: str) -> Iterator[tuple[Compared, str]]:
    """The comparisons in own files with these facts, by text."""
    for item in subject.once(compared):
        if item.own and item.fact in facts:
            for text in item.texts:
                yield item, text


class NeverProduced(Rule):
    """A comparison with a level of risk, or of asking, that nothing in the policy gives."""

    code = "L107"
    name = "never-produced"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._found(subject))

    def _found(self, subject: Subject) -> Iterator[Finding]:
        produced = {"risk": _levels(subject.policy), "guards.asks": _asks(subject.policy)}
        for item, text in _own(subject, *produced):
            if text not in produced[item.fact]:
                yield self._told(subject, item.part.place, item.fact, text)
        for part in subject.parts:
            expr = part.expr
            if type(expr) is Apply and expr.op in _ORDER:
                test = form(expr)
                if isinstance(test, Test) and isinstance(test.term, Fact) and test.values:
                    fact, left = test.term.name, test.values.listed
                    if left and fact in produced and left.isdisjoint(produced[fact]):
                        yield self._told(subject, part.place, fact, min(left))

    def _told(self, subject: Subject, place: Place, fact: str, text: str) -> Finding:
        span = subject.locator.span(place, text)
        if fact == "risk":
            return self.found(
                f"no tool and no rule of the risk map has the level `{text}`",
                span,
                "give it to a tool, or leave it out: only a call that declares it has it",
            )
        who = "asks for a person" if text == AskLevel.PERSON.value else "asks"
        return self.found(
            f"no guard {who}, so that guards.asks is never `{text}`",
            span,
            "let a guard ask, or leave it out",
        )


def _levels(policy: Policy) -> set[str]:
    """The levels of risk that the policy gives to calls."""
    risk = policy.risk
    if risk is None:
        return set()
    rules = (*risk.declared, *risk.raises)
    return {*risk.tools.values(), risk.default, *(rule.level for rule in rules)}


def _asks(policy: Policy) -> set[str]:
    """What `guards.asks` may be."""
    found = {AskLevel.NONE.value}
    for guard in policy.guards:
        if guard.shadow or guard.decide is GuardDecision.NOTE:
            continue
        if guard.decide is GuardDecision.ASK:
            found |= {AskLevel.ANY.value, guard.approval.value}
        elif guard.unresolved == "ask":
            found |= {level.value for level in AskLevel}
    return found


class UnknownTool(Rule):
    """A comparison of the call's tool with a text that is no tool's name."""

    code = "L110"
    name = "unknown-tool"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        policy = subject.policy
        aliases = {alias for tool in policy.tools.values() for alias in tool.aliases}
        known = {*policy.tools, *aliases}
        yield from distinct(self._found(subject, known))

    def _found(self, subject: Subject, known: set[str]) -> Iterator[Finding]:
        for item, text in _own(subject, *_TOOL_NAMES):
            if text in known or not text:
                continue
            near = closest(text, known)
            if _may_be_dynamic(subject, text) and closest(text, known, 1) is None:
                continue
            yield self.found(
                f"no tool is called `{text}`",
                subject.locator.span(item.part.place, text),
                f"did you mean `{near}`?" if near else "correct it, or describe the tool",
            )


def _may_be_dynamic(subject: Subject, text: str) -> bool:
    """Whether a tool of this name may be one of those that a condition recognises."""
    named = [Test(Fact(name), among((text,))) for name in _TOOL_NAMES]
    reasoning = subject.once(logic)
    return any(reasoning.possible(form(d.when.expr), *named) for d in subject.policy.dynamic)


class UnknownCapability(Rule):
    """A comparison with a capability that no tool has."""

    code = "L112"
    name = "unknown-capability"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        policy = subject.policy
        sources: tuple[tuple[str, ...], ...] = (
            *(tool.capabilities for tool in policy.tools.values()),
            *(item.capabilities for item in policy.dynamic),
        )
        had = {name for names in sources for name in names}
        yield from distinct(self._found(subject, had))

    def _found(self, subject: Subject, had: set[str]) -> Iterator[Finding]:
        for item, text in _own(subject, "capabilities"):
            if text not in had:
                near = closest(text, had)
                yield self.found(
                    f"no tool has the capability `{text}`",
                    subject.locator.span(item.part.place, text),
                    f"did you mean `{near}`?" if near else "correct it, or give it to a tool",
                )
