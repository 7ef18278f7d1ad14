"""Test cases: those that expect little, those written twice, those nobody confirmed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.diagnostic import Severity
from callgate.policytest.cases import Case

__all__ = ["SameTest", "UnconfirmedTest", "VagueTest"]

_NAMED: Final = ("table", "matrix", "name")


class VagueTest(Rule):
    """A test of which a decision is all that is expected.

    It passes as well where another rule decides the same, for another reason.
    """

    code = "L403"
    name = "vague-test"
    severity = None

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for case in subject.cases:
            if case.expect.keys() == {"decision"}:
                yield self.found(
                    f"the test `{case.name}` expects a decision and nothing else",
                    case.span,
                    "expect the `rule` that decides as well, or what `matched`",
                )


class SameTest(Rule):
    """Two tests of the same call under the same settings, with the same expectation."""

    code = "L404"
    name = "same-test"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        first: dict[str, Case] = {}
        for case in subject.cases:
            told = json.dumps([case.call, case.settings, case.expect], sort_keys=True, default=str)
            other = first.setdefault(told, case)
            if other is not case:
                yield self.found(
                    f"the test `{case.name}` is `{other.name}` once more",
                    case.span,
                    "leave one of them out, or change what was meant to differ",
                    related=((f"`{other.name}`", other.span),),
                )


class UnconfirmedTest(Rule):
    """A test that was proposed by a program: it expects what the policy does, right or wrong."""

    code = "L407"
    name = "unconfirmed-test"
    severity = Severity.WARNING
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for document in subject.of_kind("tests"):
            for index, entry in enumerate(document.data.get("cases", ())):
                if entry.get("confirmed") is False:
                    name = next(entry[key] for key in _NAMED if key in entry)
                    yield self.found(
                        f"nobody confirmed that `{name}` expects the right thing",
                        document.span("cases", index, "confirmed", key=True),
                        "look at what it expects; where that is right, remove `confirmed`",
                    )
