"""The members of the vocabulary's lists, where each stands, and what the lists are used for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callgate.lint.faults import looked_at
from callgate.lint.rule import Edit
from callgate.load.document import Document
from callgate.load.nodes import Scalar, Sequence
from callgate.model.expr import Apply, Const, Expr, children
from callgate.model.span import Span
from callgate.model.types import HOST, PATH, Type
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Member", "holders", "members", "only_for_insides"]

_INSIDES: Final = frozenset({"under_path", "under_host", "touches"})
"""Operations that hold of all that is inside a member of the list as well."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a list: its text, the same in normal form, and where it stands."""

    list: str
    text: str
    value: str
    document: Document
    place: tuple[str | int, ...]

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.document.span(*self.place)

    @property
    def removal(self) -> tuple[Edit, ...]:
        """The edit that takes it out of its list; none where a comment would go with it."""
        items = self.document.node(*self.place[:-1])
        at = self.place[-1]
        if not isinstance(items, Sequence) or not isinstance(at, int) or at == 0:
            return ()
        before, item = items.items[at - 1], items.items[at]
        source = self.document.source
        if not isinstance(before, Scalar) or "#" in source.text[before.end : item.start]:
            return ()
        return (Edit(source.span(before.end, item.end), ""),)


def members(subject: Subject) -> dict[str, list[Member]]:
    """The members of every list of the vocabulary, inherited ones first, and of `homes` (for
    `Subject.once`)."""
    found: dict[str, list[Member]] = {}
    types = {name: type_ for name, (type_, _) in subject.policy.vocabulary.lists.items()}
    for key in ("items", "add"):
        for document in subject.loaded.documents:
            if document.kind != "vocabulary":
                continue
            lists = document.data.get("lists", {})
            for name, entry in lists.items() if isinstance(lists, dict) else ():
                if name in types and isinstance(entry, dict):
                    for member in _members(document, ("lists", name, key), entry, types[name]):
                        found.setdefault(name, []).append(member)
    return found


def _members(
    document: Document, path: tuple[str, ...], entry: dict[str, Any], type_: Type
) -> Iterator[Member]:
    items = entry.get(path[-1])
    for at, text in enumerate(items if isinstance(items, list) else ()):
        if isinstance(text, str):
            yield Member(path[1], text, _normal(text, type_), document, (*path, at))


def _normal(text: str, type_: Type) -> str:
    found: Any = text
    if type_ == PATH:
        found = OPERATIONS["path"].implementation(text, "")
    elif type_ == HOST:
        found = OPERATIONS["host"].implementation(text)
    return text if found is UNKNOWN else found


def holders(value: str, type_: Type) -> Iterator[str]:
    """What a path or host lies in, the nearest first."""
    if type_ == HOST:
        _, _, rest = value.partition(".")
        while rest and not value.replace(".", "").isdigit():
            yield rest
            _, _, rest = rest.partition(".")
    elif type_ == PATH:
        while "/" in value.rstrip("/"):
            value = value.rpartition("/")[0]
            yield value or "/"


def only_for_insides(subject: Subject, names: set[str]) -> set[str]:
    """Which of these lists are used, and only where what is inside a member counts as well."""
    lists = subject.policy.vocabulary.lists
    by_value: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        by_value.setdefault(lists[name][1], []).append(name)
    used: set[str] = set()
    otherwise: set[str] = set()
    for expr in _conditions(subject):
        for op, value in _listed(expr, ""):
            found = by_value.get(value, ())
            (used if op in _INSIDES else otherwise).update(found)
    return used - otherwise


def _conditions(subject: Subject) -> Iterator[Expr]:
    for place in subject.places:
        yield place.condition.expr
    for looked in looked_at(subject):
        yield looked.condition.expr
    for tool in subject.policy.tools.values():
        yield from (effect.when.expr for effect in tool.effects if effect.when is not None)
    for check in subject.policy.settings_checks:
        for item in (check.each, check.select):
            yield from (part for part in (item.source, item.where) if part) if item else ()


def _listed(expr: Expr, op: str) -> Iterator[tuple[str, Any]]:
    """The constant lists in an expression, each with the operation that it is an operand of."""
    if isinstance(expr, Const):
        if type(expr.value) is tuple:
            yield op, expr.value
        return
    if isinstance(expr, Apply) and expr.op != "expand_home":
        op = expr.op
    elif not isinstance(expr, Apply):
        op = ""
    for child in children(expr):
        yield from _listed(child, op)
