"""What Lark calls while it parses: builds drafts of syntax nodes, bottom up.

A draft knows its place in the text and its depth. `callgate.lang.skeleton` numbers drafts and
turns them into syntax trees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from callgate.lang.errors import ConditionError
from callgate.model.syntax import (
    Binary,
    BoolOp,
    Choice,
    FunctionCall,
    HasTest,
    ListLiteral,
    Lookup,
    Member,
    NotTest,
    Otherwise,
    Quantifier,
    Syntax,
    Value,
    Word,
)

if TYPE_CHECKING:
    from lark import Token

__all__ = ["MAX_DEPTH", "Builder", "Draft"]

MAX_DEPTH: Final = 64
"""Trees nested deeper are refused. Parentheses alone do not count."""


Items = list[Any]
"""What Lark hands to a method: tokens and drafts."""


class Draft:
    """A node in the making.

    `make` builds it from `parts`: constants, drafts and tuples of drafts. A literal has `make`
    None and its text as only part. `span` is the node's own range, `name` the range of what names
    it (operator, field, function, binder), `outer` its range with the parentheses around it.
    """

    __slots__ = ("depth", "make", "name", "outer", "parts", "span")

    def __init__(
        self,
        make: Callable[..., Syntax] | None,
        parts: tuple[Any, ...],
        span: tuple[int, int],
        name: tuple[int, int] | None = None,
    ) -> None:
        self.make = make
        self.parts = parts
        self.span = self.outer = span
        self.name = name or span
        self.depth = 1 + max(map(_depth, parts), default=0)
        if self.depth > MAX_DEPTH:
            raise ConditionError(
                "P005",
                f"this is nested more than {MAX_DEPTH} deep",
                *span,
                "name parts of it under `define:`",
            )


def _depth(part: Any) -> int:
    if isinstance(part, Draft):
        return part.depth
    if isinstance(part, tuple):
        return max(map(_depth, part), default=0)
    return 0


def _span(item: Token | Draft) -> tuple[int, int]:
    """The range of a token or, with its parentheses, of a draft."""
    if isinstance(item, Draft):
        return item.outer
    return item.start_pos or 0, item.end_pos or 0


def _around(items: Items) -> tuple[int, int]:
    return _span(items[0])[0], _span(items[-1])[1]


def _drafts(items: Items) -> tuple[Draft, ...]:
    return tuple(item for item in items if isinstance(item, Draft))


class Builder:
    """One method per rule of condition.lark; each takes the rule's tokens and drafts in order."""

    def each(self, items: Items) -> tuple[Token, Token, Token]:
        """`d in effects.delete`: the three names."""
        binder, _, root, _, kind = items
        return binder, root, kind

    def disjunction(self, items: Items) -> Draft:
        """`a or b or c`."""
        return Draft(BoolOp, ("or", _drafts(items)), _around(items), _span(items[1]))

    def conjunction(self, items: Items) -> Draft:
        """`a and b and c`."""
        return Draft(BoolOp, ("and", _drafts(items)), _around(items), _span(items[1]))

    def negation(self, items: Items) -> Draft:
        """`not a`."""
        return Draft(NotTest, (items[1],), _around(items), _span(items[0]))

    def binary(self, items: Items) -> Draft:
        """`a == b`, `a under b` and the like."""
        left, operator, right = items
        return Draft(Binary, (str(operator), left, right), _around(items), _span(operator))

    def membership(self, items: Items) -> Draft:
        """`a in b`, `a not in b`."""
        operator = " ".join(str(item) for item in items[1:-1])
        name = _around(items[1:-1])
        return Draft(Binary, (operator, items[0], items[-1]), _around(items), name)

    def has(self, items: Items) -> Draft:
        """`has a.b`."""
        return Draft(HasTest, (items[1],), _around(items), _span(items[0]))

    def choice(self, items: Items) -> Draft:
        """`write|exec`: words and literals only."""
        members = _drafts(items)
        for member in members:
            if not _is_plain(member):
                raise ConditionError(
                    "P001",
                    "only words and literals can be joined with `|`",
                    *member.outer,
                    "use a list: `in [a, b]`",
                )
        return Draft(Choice, (members,), _around(items))

    def fallback(self, items: Items) -> Draft:
        """`a ?? b`."""
        return Draft(Otherwise, (items[0], items[2]), _around(items), _span(items[1]))

    def literal(self, items: Items) -> Draft:
        """A text, a number, an expression, a pattern, `true` or `false`."""
        (token,) = items
        if token.type == "BOOLEAN":
            return Draft(Value, (token == "true",), _span(token))
        return Draft(None, (str(token),), _span(token))

    def list(self, items: Items) -> Draft:
        """`["a", "b"]`."""
        return Draft(ListLiteral, (_drafts(items),), _around(items))

    def quantifier(self, items: Items) -> Draft:
        """`any(x in source where condition)`."""
        kind, _, binder, _, source, _, where, _ = items
        parts = (str(kind), str(binder), source, where)
        return Draft(Quantifier, parts, _around(items), _span(binder))

    def word(self, items: Items) -> Draft:
        """A bare word."""
        return Draft(Word, (str(items[0]),), _span(items[0]))

    def call(self, items: Items) -> Draft:
        """`name(arguments)`."""
        parts = (str(items[0]), _drafts(items))
        return Draft(FunctionCall, parts, _around(items), _span(items[0]))

    def member(self, items: Items) -> Draft:
        """`base.name`."""
        base, _, name = items
        return Draft(Member, (base, str(name)), _around(items), _span(name))

    def lookup(self, items: Items) -> Draft:
        """`base[key]`."""
        base, _, key, _ = items
        return Draft(Lookup, (base, key), _around(items), _span(key))

    def group(self, items: Items) -> Draft:
        """`(condition)`: parentheses leave no node."""
        draft: Draft = items[1]
        draft.outer = _around(items)
        return draft


def _is_plain(draft: Draft) -> bool:
    """Whether it is a literal or a dotted word."""
    while draft.make is Member:
        draft = draft.parts[0]
    return draft.make in (Word, Value) or (draft.make is None and draft.parts[0][0] not in "r`")
