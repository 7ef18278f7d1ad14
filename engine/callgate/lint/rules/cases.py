"""Test cases: those that expect little, those written twice, those nobody confirmed."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.diagnostic import Severity
from callgate.policytest.cases import Case

__all__ = ["SameTest", "UnconfirmedTest", "VagueTest"]

_NAMED: Final = ("table", "matrix", "name")
_TABLES: Final = frozenset({"matrix", "table"})


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
    """Two tests of the same call under the same settings, with the same expectation.

    Rows of different tables are left alone: each table is complete by itself.
    """

    code = "L404"
    name = "same-test"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        tables = _Tables(subject)
        seen: dict[str, list[tuple[Case, int | None]]] = {}
        for case in subject.cases:
            told = json.dumps([case.call, case.settings, case.expect], sort_keys=True, default=str)
            table = tables.of(case)
            before = seen.setdefault(told, [])
            fitting = (c for c, t in before if table is None or t is None or t == table)
            other = next(fitting, None)
            before.append((case, table))
            if other is not None:
                yield self.found(
                    f"the test `{case.name}` is `{other.name}` once more",
                    case.span,
                    "leave one of them out, or change what was meant to differ",
                    related=((f"`{other.name}`", other.span),),
                )


class _Tables:
    """Knows in which table or matrix a case is a row."""

    def __init__(self, subject: Subject) -> None:
        self._starts: dict[str, list[tuple[int, int | None]]] = {}
        number = 0
        for document in subject.loaded.documents:
            if document.kind != "tests":
                continue
            for index, entry in enumerate(document.data.get("cases", ())):
                number += 1
                table = number if isinstance(entry, dict) and _TABLES & entry.keys() else None
                line = document.span("cases", index).line
                self._starts.setdefault(document.file, []).append((line, table))

    def of(self, case: Case) -> int | None:
        """A number for the table; None for a case that stands alone."""
        starts = self._starts.get(case.span.file, [])
        at = bisect_right(starts, case.span.line, key=lambda item: item[0])
        return starts[at - 1][1] if at else None


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
