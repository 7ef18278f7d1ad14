"""What the flow can do and no test expects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.policy import Consult, Decide, Guard, GuardDecision, Verdict
from callgate.model.policy import Rule as FlowRule
from callgate.model.span import Span
from callgate.runtime.answers import answer_of
from callgate.runtime.mask_patterns import re2_of

__all__ = ["UnexpectedDecision", "UngivenAnswer", "UntestedRule"]


@dataclass(slots=True)
class _Expected:
    """What the tests expect: ids of rules, of guards and exceptions among what matched, decisions,
    reason codes of hidden tools."""

    rules: set[str] = field(default_factory=set)
    matched: set[str] = field(default_factory=set)
    decisions: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)

    def has(self, rule: str) -> bool:
        """Whether a rule is expected, or, of one that consults, any of its answers."""
        return rule in self.rules or rule in self.matched


def _expected(subject: Subject) -> _Expected:
    found = _Expected()
    for case in subject.cases:
        expect = case.expect
        rule = str(expect.get("rule") or "")
        found.rules.update((rule, rule.rpartition(".")[0]))
        found.decisions.add(str(expect.get("decision")))
        found.shown.add(str(expect.get("shown")))
        if expect.get("pending"):
            found.decisions.add("ask")
        for match in expect.get("matched") or ():
            parts = match if isinstance(match, dict) else {"rule": match}
            found.matched.update(str(parts[key]) for key in ("rule", "exception") if key in parts)
    return found


class UntestedRule(Rule):
    """A rule of a flow, or an exception, that no test expects.

    Of a guard without examples L301 tells, of a bundle without any test L402.
    """

    code = "L401"
    name = "untested-rule"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        if not subject.cases:
            return
        expected = _expected(subject)
        places = {entry.id: entry.span() for entry in subject.entries}
        for what, id_, rule, span in _untested(subject, expected):
            if subject.own(span):
                help = (
                    "write a test with a call that it excuses, and under `expect` "
                    f"`matched: [{{rule: {rule}, exception: {id_}}}]`"
                    if what == "exception"
                    else "write a test with a call that it decides, and `rule` or `matched` under "
                    "`expect`"
                )
                yield self.found(f"no test expects the {what} `{id_}`", places.get(id_, span), help)


def _untested(subject: Subject, expected: _Expected) -> Iterator[tuple[str, str, str, Span | None]]:
    """What no test expects: what it is, its id, the rule that it belongs to, its place."""
    visibility = subject.policy.visibility
    codes = visibility.codes if visibility else {}
    for rule in subject.rules:
        if not expected.has(rule.id) and codes.get(rule.id) not in expected.shown:
            yield "rule", rule.id, rule.id, rule.span
    for step in subject.steps:
        if step.otherwise is not None and f"{step.id}.otherwise" not in expected.rules:
            yield "rule", f"{step.id}.otherwise", step.id, step.span
        denial = f"{step.id}.asks-become-deny"
        if step.asks_become_deny is not None and denial not in expected.rules:
            yield "rule", denial, step.id, step.span
    guards = [guard for guard in subject.policy.guards if not _shows_exceptions(guard)]
    holders: list[Any] = [*subject.rules, *guards]
    for holder in holders:
        for item in holder.exceptions:
            if not expected.has(item.id):
                yield "exception", item.id, holder.id, item.span


def _shows_exceptions(guard: Guard) -> bool:
    """Whether an example that the guard passes says what time it is, as exceptions need it."""
    return any(
        not example.fires and "time" in (example.call.get("observed") or {})
        for example in guard.examples
    )


class UnexpectedDecision(Rule):
    """A decision that the policy can come to and that no test expects."""

    code = "L402"
    name = "unexpected-decision"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        expected = _expected(subject).decisions
        missing = [word.value for word in Verdict if word.value in _possible(subject) - expected]
        if not subject.cases:
            yield self.found(
                "the bundle has no tests",
                subject.documents[0].span("files", key=True),
                "write some: a file of kind `tests` with calls, and what must be decided about "
                "them",
            )
        elif missing:
            yield self.found(
                f"no test expects {' or '.join(f'`{word}`' for word in missing)}",
                subject.documents[0].span("files", key=True),
                "write for each a call that ends so: what is never allowed, or never refused, is "
                "found by no other test",
            )


def _possible(subject: Subject) -> set[str]:
    policy = subject.policy
    found = {policy.flow.otherwise.effect.value}
    for step in policy.flow.steps:
        outcomes: list[Any] = [step.otherwise]
        for rule in step.rules:
            outcomes.extend(_outcomes(rule))
            if isinstance(rule.then, Consult):
                found.add(Verdict.ASK.value)
        if step.guards:
            found.update(guard.decide.value for guard in policy.guards)
        found.update(item.effect.value for item in outcomes if isinstance(item, Decide))
    return found - {GuardDecision.NOTE.value}


def _outcomes(rule: FlowRule) -> Iterator[Any]:
    if isinstance(rule.then, Consult):
        yield from rule.then.answers.values()
    else:
        yield rule.then


class UngivenAnswer(Rule):
    """Answers of a grant, the reviewer or a person that no test gives.

    Of a bundle without any test, L402 tells at once.
    """

    code = "L406"
    name = "ungiven-answer"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        if not subject.cases:
            return
        seen = _given(subject)
        for rule in subject.rules:
            if not isinstance(rule.then, Consult):
                continue
            who = rule.then.who.value
            missing = [answer for answer in rule.then.answers if (who, answer) not in seen]
            if not missing:
                continue
            seen.update((who, answer) for answer in missing)
            words = ", ".join(f"`{answer}`" for answer in missing)
            noun = "answer" if len(missing) == 1 else "answers"
            yield self.found(
                f"no test gives the {noun} {words} of `{who}`",
                _place(subject, rule, missing[0]),
                f"write a test in which `answers.{who}` says so",
            )


def _given(subject: Subject) -> set[tuple[str, str]]:
    """Who is answered for in the tests, with each answer."""
    consults = [rule.then for rule in subject.rules if isinstance(rule.then, Consult)]
    errors = [re2_of(text) for consult in consults for text in consult.unavailable_when]
    given: set[tuple[str, str]] = set()
    for case in subject.cases:
        answers = case.call.get("answers")
        if isinstance(answers, dict):
            given.update((who, answer_of(who, answers, errors) or "") for who in answers)
    return given


def _place(subject: Subject, rule: FlowRule, answer: str) -> Span | None:
    """Where an answer of a rule stands; where it can't be told, the rule."""
    for document in subject.of_kind("flow"):
        for index, step in enumerate(document.data.get("steps", ())):
            holders: list[tuple[tuple[str | int, ...], Any]] = [((), step)]
            holders += [(("rules", n), r) for n, r in enumerate(step.get("rules", ()))]
            for path, holder in holders:
                if holder.get("id") == rule.id and answer in (holder.get("answers") or {}):
                    return document.span("steps", index, *path, "answers", answer, key=True)
    return rule.span
