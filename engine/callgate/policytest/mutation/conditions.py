"""Operators on conditions: what is negated, joined, compared and counted otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from callgate.lang.errors import ConditionError
from callgate.lang.parser import ParsedCondition, parse_condition
from callgate.model.syntax import (
    Binary,
    BoolOp,
    Choice,
    FunctionCall,
    HasTest,
    ListLiteral,
    Member,
    NotTest,
    Quantifier,
    Syntax,
    Value,
    Word,
)
from callgate.policytest.mutation.page import spread
from callgate.policytest.mutation.spellings import Spellings

__all__ = ["CONDITION_OPERATORS", "Change", "Operator", "Seen", "changes"]

_OTHER_WORD: Final[Mapping[str, str]] = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "in": "not in",
    "not in": "in",
}
_PLAIN: Final = (HasTest, FunctionCall, Word, Member)


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a condition's text and what takes its place."""

    operator: str
    description: str
    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A node of a condition, the node around it, the enums that words may be members of, and how
    options of programs are written."""

    node: Syntax
    around: Syntax | None
    parsed: ParsedCondition
    text: str
    enums: Sequence[Sequence[str]]
    spellings: Spellings

    def place(self, node: Syntax) -> tuple[int, int]:
        """Where a node stands."""
        return self.parsed.positions[node.at]

    def outer(self, node: Syntax) -> tuple[int, int]:
        """Where a part of an `and`, a `not` or a comparison stands, with the parentheses around
        it."""
        start, end = self.place(node)
        while True:
            before, after = self.text[:start].rstrip(), self.text[end:].lstrip()
            if not before.endswith("(") or not after.startswith(")"):
                return start, end
            start, end = len(before) - 1, len(self.text) - len(after) + 1

    def source(self, node: Syntax) -> str:
        """A node as it is written, with the parentheses around it."""
        start, end = self.outer(node)
        return self.text[start:end]

    def replaced(self, operator: str, description: str, new: str) -> Change:
        """The node with another text in its place."""
        return Change(operator, description, *self.place(self.node), new)


Operator = Callable[[Seen], Iterator[Change]]


def changes(
    text: str,
    enums: Sequence[Sequence[str]],
    spellings: Spellings,
    operators: Sequence[Operator],
) -> Iterator[Change]:
    """Every change that the operators make of a condition; of equal ones only the first."""
    try:
        parsed = parse_condition(text)
    except ConditionError:
        return
    seen: set[tuple[int, int, str]] = set()
    for node, around in _walk(parsed.tree, None):
        for operator in operators:
            for change in operator(Seen(node, around, parsed, text, enums, spellings)):
                key = (change.start, change.end, change.new)
                if key not in seen:
                    seen.add(key)
                    yield change


def _walk(node: Syntax, around: Syntax | None) -> Iterator[tuple[Syntax, Syntax | None]]:
    yield node, around
    for item in fields(node):
        value = getattr(node, item.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Syntax):
                yield from _walk(part, node)


def negated(seen: Seen) -> Iterator[Change]:
    """A part that stands for itself, negated; a `not` left out."""
    node = seen.node
    start, end = seen.place(node)
    text = seen.text[start:end]
    if isinstance(node, NotTest):
        last = max(end, seen.outer(node.item)[1])
        yield Change("negation", "`not` left out", start, last, seen.source(node.item))
        return
    joined = seen.around is None or isinstance(seen.around, BoolOp)
    joined = joined or (isinstance(seen.around, Quantifier) and seen.around.where is node)
    if not joined or (isinstance(node, Binary) and node.op in _OTHER_WORD):
        return
    if isinstance(node, (Binary, *_PLAIN)) or (isinstance(node, BoolOp) and seen.around is None):
        new = f"not {text}" if isinstance(node, Word | Member) else f"not ({text})"
        yield seen.replaced("negation", "negated", new)


def joined(seen: Seen) -> Iterator[Change]:
    """`and` ↔ `or`, and each part of them left out."""
    node = seen.node
    if not isinstance(node, BoolOp):
        return
    other = "or" if node.op == "and" else "and"
    places = [seen.outer(item) for item in node.items]
    pieces = [seen.source(node.items[0])]
    for (_, end), item in zip(places, node.items[1:], strict=False):
        start, stop = seen.outer(item)
        pieces += [seen.text[end:start].replace(node.op, other), seen.text[start:stop]]
    start, end = places[0][0], places[-1][1]
    yield Change("and-or", f"`{node.op}` is `{other}`", start, end, "".join(pieces))
    for index, item in enumerate(node.items):
        said = f"`{_short(seen.source(item))}` left out of the `{node.op}`"
        if index:
            yield Change("part-dropped", said, places[index - 1][1], places[index][1], "")
        else:
            yield Change("part-dropped", said, places[0][0], places[1][0], "")


def compared(seen: Seen) -> Iterator[Change]:
    """`==` ↔ `!=`, `<` ↔ `<=`, `in` ↔ `not in`."""
    node = seen.node
    if not isinstance(node, Binary) or node.op not in _OTHER_WORD:
        return
    between = seen.outer(node.left)[1], seen.outer(node.right)[0]
    new = _OTHER_WORD[node.op]
    yield Change("comparison", f"`{node.op}` is `{new}`", *between, f" {new} ")


def bounded(seen: Seen) -> Iterator[Change]:
    """A number that something is compared with, one more and one less."""
    node = seen.node
    if isinstance(node, Value) and type(node.value) is int:
        for step in (1, -1):
            new = str(node.value + step)
            yield seen.replaced("bound", f"`{node.value}` is `{new}`", new)


def counted(seen: Seen) -> Iterator[Change]:
    """`any` ↔ `none`."""
    node = seen.node
    if isinstance(node, Quantifier) and node.kind in ("any", "none"):
        new = "none" if node.kind == "any" else "any"
        start, _ = seen.place(node)
        yield Change("quantifier", f"`{node.kind}` is `{new}`", start, start + len(node.kind), new)


def membered(seen: Seen) -> Iterator[Change]:
    """A member of a set left out, and one added."""
    node, around = seen.node, seen.around
    if isinstance(node, Choice):
        words = [seen.text[slice(*seen.place(item))] for item in node.items]
        for index in spread(len(words)):
            word, rest = words[index], words[:index] + words[index + 1 :]
            said = f"`{word}` left out"
            if len(rest) == 1 and isinstance(around, Binary):
                start, (_, end) = seen.outer(around.left)[1], seen.place(node)
                word = "==" if around.op == "in" else "!="
                yield Change("member", said, start, end, f" {word} {rest[0]}")
            else:
                yield seen.replaced("member", said, "|".join(rest))
        if (more := _more(seen, words)) is not None:
            yield seen.replaced("member", f"`{more}` added", "|".join([*words, more]))
    elif isinstance(node, ListLiteral) and len(node.items) > 1:
        words = [seen.text[slice(*seen.place(item))] for item in node.items]
        for index in spread(len(words)):
            word, rest = words[index], words[:index] + words[index + 1 :]
            yield seen.replaced("member", f"`{word}` left out", f"[{', '.join(rest)}]")


def _more(seen: Seen, words: Sequence[str]) -> str | None:
    """Another member of the enum that all these words belong to."""
    for members in seen.enums:
        if set(words) <= set(members):
            return next((m for m in members if m not in words and m.isidentifier()), None)
    return None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "…"


CONDITION_OPERATORS: Final[Sequence[Operator]] = (
    negated,
    joined,
    compared,
    bounded,
    counted,
    membered,
)
"""What is tried on every node of a condition."""
