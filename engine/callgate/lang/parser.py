"""The parser of conditions: text in, syntax tree and positions out.

grammar/condition.lark is the grammar. Parsing is iterative and linear, equal text is parsed once,
and conditions of equal shape share one parse (see `callgate.lang.skeleton`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from callgate.lang.build import Builder
from callgate.lang.errors import ConditionError
from callgate.lang.grammar import Grammar
from callgate.lang.literals import LITERAL, LiteralValue, read_literal
from callgate.lang.mistakes import explain
from callgate.lang.skeleton import Positions, Skeleton, assemble, blank
from callgate.lang.text import check_text
from callgate.model.syntax import Syntax

__all__ = ["ParsedCondition", "ParsedEach", "parse_condition", "parse_each", "parse_expression"]

_GRAMMAR: Final = Grammar(
    "condition.lark", ["condition", "each"], Builder(), explain, keep_all_tokens=True
)


@dataclass(frozen=True, slots=True)
class ParsedCondition:
    """A condition or expression: its tree, and where the tree's nodes stand in the text."""

    tree: Syntax
    positions: Positions

    def moved(self, offset: int) -> ParsedCondition:
        """The same in a text that begins `offset` code points earlier."""
        return ParsedCondition(self.tree, self.positions.moved(offset))


class ParsedEach(NamedTuple):
    """What `each:` says: `binder in effects.kind`. Position 0 is the binder's, 1 the kind's."""

    binder: str
    kind: str
    positions: Positions


def parse_condition(text: str) -> ParsedCondition:
    """Parse a condition.

    Raises ConditionError: P001 (can't be parsed), P003 (a command pattern in it), P004 (a symbol
    of another language), P005 (too long or too deep), P006 (a regular expression in it).
    """
    return _parse(text)


def parse_expression(text: str) -> ParsedCondition:
    """Parse an expression of any type, such as a derived fact's; as `parse_condition`."""
    return _parse(text)


def parse_each(text: str) -> ParsedEach:
    """Parse what `each:` binds, `d in effects.delete`. Raises ConditionError."""
    check_text(text)
    try:
        binder, root, kind = _GRAMMAR.parse(text, "each")
    except ConditionError as error:
        error.help = "write it as `x in effects.delete`"
        raise
    if root != "effects":
        raise ConditionError(
            "P001",
            f"`each` goes over effects, not over `{root}`",
            root.start_pos,
            root.end_pos,
            f"write `{binder} in effects.{kind}`",
        )
    ranges = tuple(((name.start_pos, name.end_pos),) * 2 for name in (binder, kind))
    return ParsedEach(str(binder), str(kind), Positions(None, ranges))


@lru_cache(maxsize=2048)
def _parse(text: str) -> ParsedCondition:
    check_text(text)
    shape, literals = blank(text)
    skeleton = _skeleton(shape)
    if skeleton is None or skeleton.size != len(literals):
        # Nearly always a mistake: parse the text itself, for an error at the right place.
        skeleton = assemble(_GRAMMAR.parse(text, "condition"), {})
        return ParsedCondition(skeleton.fill(()), Positions(None, skeleton.ranges))
    tree = skeleton.fill(_values(text, literals))
    return ParsedCondition(tree, Positions(text if literals else None, skeleton.ranges))


@lru_cache(maxsize=512)
def _skeleton(shape: str) -> Skeleton | None:
    """The skeleton of a shape; None when it can't be parsed."""
    slots = {found.start(): slot for slot, found in enumerate(LITERAL.finditer(shape))}
    try:
        return assemble(_GRAMMAR.parse(shape, "condition"), slots)
    except ConditionError:
        return None


def _values(text: str, literals: list[str]) -> list[LiteralValue]:
    try:
        return [read_literal(literal) for literal in literals]
    except ConditionError:
        pass
    for found in LITERAL.finditer(text):
        try:
            read_literal(found[0])
        except ConditionError as error:
            raise error.moved(found.start()) from None
    raise AssertionError("a literal that could not be read was read")
