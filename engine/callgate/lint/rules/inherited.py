"""What a bundle takes away from the one that it extends."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import RuleEntry, rules_in
from callgate.load.document import Document
from callgate.load.reader import guess_kind, read_document
from callgate.model.diagnostic import Diagnostics
from callgate.model.inheritance import Replacement
from callgate.model.span import Span

__all__ = ["RemovedGuard"]

_KINDS: Final = frozenset({"guards", "flow"})
_STRICT: Final = ("deny", "ask")
"""Decisions that hold a call, the stricter first."""


class RemovedGuard(Rule):
    """An inherited rule that denies or asks is removed, or replaced by one that is less strict."""

    code = "L221"
    name = "removed-guard"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        gone = [
            item
            for item in subject.policy.replacements
            if item.kind == "rule" and subject.own(item.span)
        ]
        if not gone:
            return
        names = {item.name for item in gone}
        inherited = {e.id: e for e in rules_in(_inherited(subject, names)) if e.id in names}
        own = {entry.id: entry for entry in subject.entries}
        for item in gone:
            old = inherited.get(item.name)
            if old is not None and old.data.get("decide") in _STRICT:
                yield from self._lost(item, old, own.get(item.name))

    def _lost(self, item: Replacement, old: RuleEntry, new: RuleEntry | None) -> Iterator[Finding]:
        was, now = _strictness(old.data), _strictness(new.data) if new else -1
        if now >= was:
            return
        decides = f"`{old.data['decide']}`"
        if new is None:
            message = f"`{item.name}` of `{item.base}` is removed, and with it its {decides}"
        else:
            word = new.data.get("decide", "nothing")
            message = f"`{item.name}` of `{item.base}` had {decides} and now has `{word}`"
            if word == old.data["decide"]:
                message = f"`{item.name}` of `{item.base}` decides {decides} less strictly now"
        related: tuple[tuple[str, Span], ...] = (("it was here", old.span()),)
        if new is not None:
            related = (*related, ("and is here now", new.span()))
        yield self.found(
            message,
            item.span,
            "keep it, and let an exception with an end say which calls it should leave alone",
            related=related,
        )


def _strictness(data: dict[str, Any]) -> int:
    """How much a rule holds: the more, the higher."""
    decide = data.get("decide")
    if decide not in _STRICT or data.get("enforce") == "shadow":
        return 0
    if decide == "deny":
        return 3
    return 2 if data.get("approval") == "person" else 1


def _inherited(subject: Subject, names: Collection[str]) -> list[Document]:
    """The files of the bundles that this one extends, the nearest last, in which these rules may
    be, before anything was taken out of them."""
    found = []
    words = [name.encode() for name in names]
    for layer in reversed(subject.loaded.files[1:]):
        for file, data in layer:
            if any(word in data for word in words) and guess_kind(data) in _KINDS:
                document = read_document(file, data, Diagnostics())
                if document is not None:
                    found.append(document)
    return found
