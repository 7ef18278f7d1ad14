"""Comments that ask to leave findings out, and should not stand as they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from callgate.lint.catalogue import find_code
from callgate.lint.rule import Edit, Finding, Rule
from callgate.lint.subject import Subject
from callgate.load.ignore_comments import IgnoreComment, ignore_comments
from callgate.model.diagnostic import Severity
from callgate.model.span import Span

__all__ = [
    "EndedIgnore",
    "IgnoreWithoutReason",
    "UnknownIgnore",
    "UnreadableIgnore",
    "UnusedIgnore",
]


class IgnoreWithoutReason(Rule):
    """An ignore that does not say why, or of which rule; it does not count."""

    code = "L501"
    name = "ignore-without-reason"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for comment in _comments(subject):
            if comment.unread:
                continue  # see L505
            if not comment.words:
                yield self.found(
                    "the ignore names no rule, and does not count",
                    comment.span,
                    "write `# callgate: ignore[rule] why`",
                )
            elif not comment.reason:
                yield self.found(
                    "the ignore says no reason, and does not count",
                    comment.span,
                    "write behind it why the finding may stay",
                )


class EndedIgnore(Rule):
    """An ignore whose day has come; it does not count."""

    code = "L502"
    name = "ended-ignore"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for comment in _comments(subject):
            if comment.ended(subject.now.date()):
                yield self.found(
                    f"the ignore ended at {comment.until}, and does not count",
                    comment.span,
                    "remove it, or say until when it is needed",
                )


class UnusedIgnore(Rule):
    """An ignore of findings that are not there."""

    code = "L503"
    name = "unused-ignore"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Nothing: only when all rules were applied is it known which ignores ask in vain. See
        `unused`."""
        return iter(())

    def unused(self, comment: IgnoreComment, positions: Iterable[int]) -> Iterator[Finding]:
        """Findings for those words of a comment that left nothing out. The fix removes the comment
        where none of them did, unless it only stands in the wrong place."""
        vain = list(positions)
        if comment.too_late:
            yield self.found(
                "the ignore of a whole file must stand before everything else, and does not count",
                comment.span,
                "move it to the top of the file",
            )
            return
        whole = len(vain) == len(comment.words)
        words = ", ".join(f"`{comment.words[position][0]}`" for position in vain)
        place: Span = comment.span if whole else comment.words[vain[0]][1]
        fix = (Edit(comment.removal, ""),) if whole else ()
        yield self.found(
            f"there is no finding of {words} to ignore here", place, "remove it", fix=fix
        )


class UnknownIgnore(Rule):
    """An ignore of a rule that does not exist."""

    code = "L504"
    name = "unknown-ignore"
    severity = Severity.WARNING
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for comment in _comments(subject):
            for word, span in comment.words:
                try:
                    find_code(word)
                except LookupError as error:
                    message, _, help = str(error.args[0]).partition("; ")
                    yield self.found(message, span, help or "see `callgate lint --rules`")


class UnreadableIgnore(Rule):
    """A comment for callgate that says something else than it seems to; it does not count."""

    code = "L505"
    name = "unreadable-ignore"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for comment in _comments(subject):
            if comment.unread == "until":
                yield self.found(
                    "the ignore says until when, but not as a date before the reason, and does not "
                    "count",
                    comment.span,
                    "for example `ignore[rule] until 2027-01-31 why`; if it is for good, say why "
                    "without `until`",
                )
            elif comment.unread:
                yield self.found(
                    f"`{comment.unread}` is no word for callgate, and does nothing",
                    comment.span,
                    "write `# callgate: ignore[rule] why`, `ignore-file[rule] why` or `mutant why`",
                )


def _comments(subject: Subject) -> Iterator[IgnoreComment]:
    for document in subject.documents:
        yield from ignore_comments(document)
