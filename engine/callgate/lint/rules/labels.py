"""What a rule says of itself: its title, owner and severity."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import RuleEntry
from callgate.model.diagnostic import Severity

__all__ = ["NoOwner", "NoSeverity", "SameTitle"]


class NoOwner(Rule):
    """A rule without an owner, in a bundle whose other rules have one.

    An `owner` of the file or of the bundle is that of all its rules. A bundle that says nothing of
    owners is left alone.
    """

    code = "L310"
    name = "no-owner"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        documents = subject.documents
        if documents and documents[0].data.get("owner"):
            return
        without = [entry for entry in subject.entries if not _owner(entry)]
        if len(without) == len(subject.entries):
            return
        for entry in without:
            yield self.found(
                f"nobody is named who answers for `{entry.id}`",
                entry.span(),
                "write `owner` at the rule, at the top of the file, or in bundle.yaml",
            )


def _owner(entry: RuleEntry) -> object:
    return entry.data.get("owner") or entry.document.data.get("owner")


class SameTitle(Rule):
    """A title that two rules have: in a trace or a table nobody tells them apart.

    Rules of a flow are told apart by their steps.
    """

    code = "L311"
    name = "same-title"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        first: dict[tuple[object, ...], RuleEntry] = {}
        for entry in subject.entries:
            title = " ".join(str(entry.data.get("title") or "").casefold().split())
            document = entry.document
            scope: tuple[object, ...] = (document.kind,)
            if document.kind == "flow":
                scope = (document.file, *entry.path[:2])
            other = first.setdefault((title, *scope), entry)
            if title and other is not entry:
                yield self.found(
                    f"the title of `{entry.id}` is that of `{other.id}`",
                    entry.span("title"),
                    "say in it what this rule holds and the other does not",
                    related=((f"the title of `{other.id}`", other.span("title")),),
                )


class NoSeverity(Rule):
    """A guard that denies and does not say how bad it would be."""

    code = "L317"
    name = "no-severity"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for entry in subject.entries:
            if entry.document.kind != "guards" or entry.data.get("decide") != "deny":
                continue
            if "severity" not in entry.data:
                yield self.found(
                    f"the guard `{entry.id}` denies and has no severity",
                    entry.document.span(*entry.path, "decide"),
                    "write `severity: critical`, `high`, `medium` or `low`, by which records and "
                    "reports are sorted",
                )
