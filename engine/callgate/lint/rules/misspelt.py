"""Texts with which a call is compared, and that no call has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from callgate.lint.compared import Compared, compared
from callgate.lint.listed import members
from callgate.lint.locating import distinct
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS
from callgate.model.expr import Apply, Const, Fact
from callgate.model.policy import Policy
from callgate.model.span import Span
from callgate.model.suggest import closest, edit_distance
from callgate.model.types import STRING, Enum, ListOf, Optional, Type

__all__ = ["UnknownChannel"]

_SHORTEST: Final = 5
_DIGITS: Final = str.maketrans("", "", "0123456789")

_Uses = dict[str, list[Compared]]
"""Text → the comparisons with it."""


class UnknownChannel(Rule):
    """A channel, or another text that a call says, that nobody knows: it is not among those that
    the vocabulary lists, or nearly another one with which it is compared elsewhere."""

    code = "L111"
    name = "unknown-channel"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._found(subject))

    def _found(self, subject: Subject) -> Iterator[Finding]:
        fields = dict(_texts_of(subject.policy))
        known = _known(subject)
        begun = _begun(subject)
        uses: dict[str, _Uses] = {}
        for item in subject.once(compared):
            if item.fact in fields:
                for text in item.texts:
                    uses.setdefault(item.fact, {}).setdefault(text, []).append(item)
        for fact, texts in uses.items():
            if fact in known:
                yield from self._unlisted(subject, fact, texts, known[fact])
            else:
                listed = (*fields[fact], *begun.get(fact, ()))
                yield from self._alike(subject, fact, texts, listed)

    def _unlisted(
        self, subject: Subject, fact: str, texts: _Uses, known: set[str]
    ) -> Iterator[Finding]:
        for text, items in texts.items():
            for item in items:
                if item.own and text not in known:
                    near = closest(text, known)
                    yield self.found(
                        f"`{text}` is none of the texts that `{fact}` is known to have",
                        _span(subject, item, text),
                        f"did you mean `{near}`?" if near else f"add it to `known` of `{fact}`",
                    )

    def _alike(
        self, subject: Subject, fact: str, texts: _Uses, listed: tuple[str, ...]
    ) -> Iterator[Finding]:
        for text, other in _pairs([*texts, *(word for word in listed if word not in texts)]):
            mine, theirs = texts.get(text, []), texts.get(other, [])
            if _is_slip(other, text, len(theirs), len(mine), listed):
                text, other, mine, theirs = other, text, theirs, mine
            if not _swapped(text, other) and text.strip() != other.strip():
                if any(one.part is two.part for one in mine for two in theirs):
                    continue  # both are meant
            place = _span(subject, theirs[0], other) if theirs else None
            even = theirs and len(mine) == len(theirs) and len(text) == len(other)
            for item in mine:
                if item.own:
                    where = "is one elsewhere" if theirs else "is known"
                    yield self.found(
                        f"`{fact}` is compared with `{text}`, and `{other}` {where}",
                        _span(subject, item, text),
                        "one of the two is misspelt" if even else f"did you mean `{other}`?",
                        related=((f"`{other}`", place),) if place else (),
                    )


def _is_slip(text: str, other: str, uses: int, others: int, listed: tuple[str, ...]) -> bool:
    """Whether of two texts that are nearly the same the first one is the slip."""
    if (text in listed) is not (other in listed):
        return other in listed
    blank, other_blank = text != text.strip(), other != other.strip()
    if blank is not other_blank:
        return blank
    return (uses, len(text)) < (others, len(other))


def _texts_of(policy: Policy) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The fields of a call that are texts, or lists of them, with the members of their types."""
    context = {**CONTEXT_FIELDS, **policy.vocabulary.call}
    for root, fields in (("call", context), ("declared", DECLARED_FIELDS)):
        for name, field in fields.items():
            type_: Type = field.type
            while isinstance(type_, Optional | ListOf):
                type_ = type_.item
            if type_ == STRING:
                yield f"{root}.{name}", ()
            elif isinstance(type_, Enum) and type_.open:
                yield f"{root}.{name}", type_.members


def _known(subject: Subject) -> dict[str, set[str]]:
    """What hosts are known to give, or what the vocabulary says instead, by field."""
    found = {
        f"call.{name}": {str(field.default), *field.known}
        for name, field in CONTEXT_FIELDS.items()
        if field.known and name not in subject.policy.vocabulary.call
    }
    said: dict[str, set[str]] = {}
    for document in subject.loaded.documents:
        fields: Any = document.data.get("call") if document.kind == "vocabulary" else None
        for name, entry in fields.items() if isinstance(fields, dict) else ():
            known = entry.get("known") if isinstance(entry, dict) else None
            if isinstance(known, list):
                default = entry.get("default", "")
                said.setdefault(f"call.{name}", {str(default)}).update(map(str, known))
    return found | said


def _begun(subject: Subject) -> dict[str, tuple[str, ...]]:
    """The names with which globs begin that facts are compared with: `mail` of `mail-*`."""
    found: dict[str, dict[str, None]] = {}
    for part in subject.parts:
        match part.expr:
            case Apply(op="like", args=(Fact(name=name), Const(value=str(glob)))):
                word = glob.partition("*")[0].rstrip("-_.:/@ ")
                if len(word) >= _SHORTEST:
                    found.setdefault(name, {})[word] = None
    return {name: tuple(words) for name, words in found.items()}


def _span(subject: Subject, item: Compared, text: str) -> Span | None:
    """Where a text stands: in the condition, or in the list that it names."""
    span = subject.locator.span(item.part.place, text)
    if span != item.part.place.span:
        return span
    for found in subject.once(members).values():
        for member in found:
            if member.text == text and subject.own(member.span):
                return member.span
    return span


def _pairs(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Texts that differ by one letter, which is neither a digit nor at an end, or by blanks around
    them; the later first."""
    by_rest: dict[str, list[str]] = {}
    trimmed: dict[str, str] = {}
    for text in texts:
        first = trimmed.setdefault(text.strip(), text)
        if first is not text:
            yield text, first
        if len(text) < _SHORTEST:
            continue
        near: dict[str, None] = {}
        for key in dict.fromkeys((text, *(text[:at] + text[at + 1 :] for at in range(len(text))))):
            there = by_rest.setdefault(key, [])
            near |= dict.fromkeys(there)
            there.append(text)
        for other in near:
            if text.strip() != other.strip() and _slip(text, other):
                yield text, other


def _slip(one: str, other: str) -> bool:
    if one.startswith(other) or other.startswith(one):
        return False
    if one.endswith(other) or other.endswith(one):
        return False
    if one.translate(_DIGITS) == other.translate(_DIGITS):
        return False
    return edit_distance(one, other, 1) == 1


def _swapped(one: str, other: str) -> bool:
    """Whether two neighbours have changed places: nobody means both."""
    return len(one) == len(other) and sorted(one) == sorted(other)
