"""Examples of guards: none, on one side only, the same one twice."""

from __future__ import annotations

import json
from collections.abc import Iterator

from callgate.lint.removal import without_item
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import RuleEntry
from callgate.model.diagnostic import Severity
from callgate.model.policy import Guard
from callgate.model.span import Span

__all__ = ["NoExamples", "OneSidedExamples", "SameExample"]


def _guards(subject: Subject) -> Iterator[tuple[RuleEntry, Guard]]:
    """The bundle's own guards, as they were written and as they are meant."""
    typed = {guard.id: guard for guard in subject.policy.guards}
    for entry in subject.entries:
        if entry.document.kind == "guards" and entry.id in typed:
            yield entry, typed[entry.id]


class NoExamples(Rule):
    """A guard without examples: nobody sees what it is meant to hold and what not."""

    code = "L301"
    name = "no-examples"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for entry, guard in _guards(subject):
            if not guard.examples:
                yield self.found(
                    f"the guard `{guard.id}` has no examples",
                    entry.span(),
                    "give under `examples` calls that it must match, and others that it must pass",
                )


class OneSidedExamples(Rule):
    """Examples of calls that match, or of calls that pass, but not of both."""

    code = "L302"
    name = "one-sided-examples"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for entry, guard in _guards(subject):
            sides = {example.fires for example in guard.examples}
            if len(sides) != 1:
                continue
            if sides == {True}:
                if guard.when is None and guard.each is None and guard.tools is None:
                    continue  # it matches whatever comes
                help = "add a call under `pass` that is nearly the same, and harmless"
                message = f"no example says what `{guard.id}` must pass"
            else:
                help = "add a call under `match` that it is there for"
                message = f"no example says what `{guard.id}` must match"
            yield self.found(message, entry.document.span(*entry.path, "examples", key=True), help)


class SameExample(Rule):
    """The same call twice among a guard's examples."""

    code = "L316"
    name = "same-example"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for entry, guard in _guards(subject):
            first: dict[str, Span] = {}
            side, index = True, -1
            for example in guard.examples:
                index = index + 1 if example.fires is side else 0
                side = example.fires
                told = json.dumps([example.call, side], sort_keys=True, default=str)
                if example.span is None or first.setdefault(told, example.span) is example.span:
                    continue
                path = (*entry.path, "examples", "match" if side else "pass")
                yield self.found(
                    f"this example of `{guard.id}` stands above already",
                    example.span,
                    "leave it out, or try another spelling of the call",
                    related=(("the same call", first[told]),),
                    fix=without_item(entry.document, path, index),
                )
