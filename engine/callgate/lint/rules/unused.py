"""What is defined and never used: definitions of a file, lists and facts, settings."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import conditions_in, names_read_in, reasons_in

__all__ = ["UnreadSetting", "UnusedDefine", "UnusedList"]


class UnusedDefine(Rule):
    """A condition under `define:` that no rule of its file uses."""

    code = "L305"
    name = "unused-define"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for document in subject.documents:
            defined = document.data.get("define") if document.kind in ("guards", "flow") else None
            if not isinstance(defined, dict):
                continue
            read = names_read_in(conditions_in([document]), reasons_in([document]))
            for name in defined:
                if name not in read:
                    yield self.found(
                        f"nothing in this file uses `{name}`",
                        document.span("define", name, key=True),
                        "remove it, or use it; a definition counts in its own file only",
                    )


class UnusedList(Rule):
    """A list or a fact of the vocabulary that nothing reads; also an inherited list, added to."""

    code = "L306"
    name = "unused-list"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        read = subject.names_read
        for document in subject.of_kind("vocabulary"):
            for key, what in (("lists", "list"), ("facts", "fact")):
                for name in document.data.get(key) or {}:
                    if name not in read:
                        yield self.found(
                            f"nothing reads the {what} `{name}`",
                            document.span(key, name, key=True),
                            f"remove it, or name it in the rule that the {what} was made for",
                        )


class UnreadSetting(Rule):
    """A setting that decides nothing: whoever sets it may believe that it does."""

    code = "L319"
    name = "unread-setting"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        read = subject.names_read
        settings = subject.policy.vocabulary.settings
        for document in subject.of_kind("vocabulary"):
            for name in document.data.get("settings") or {}:
                known = settings.get(name)
                if known is None or known.field.secret:
                    continue  # of a secret, the vocabulary says what is masked
                # `NAME in given` tells whoever sets it, if only that it has no effect.
                if f"settings.{name}" in read or name in read:
                    continue
                yield self.found(
                    f"nothing reads the setting `{name}`",
                    document.span("settings", name, key=True),
                    "remove it, or read it in a rule; if another program reads it, ignore this "
                    "line and say which",
                )
