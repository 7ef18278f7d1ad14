"""Parsing by shape: conditions that differ only in their literals share one parse.

A condition's *shape* is its text with every literal blanked. The shape is parsed once into a
skeleton, from which a tree for given literals is made in a few microseconds. The tree is the one
that a parse of the text itself would give.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.lang.build import Draft
from callgate.lang.errors import ConditionError
from callgate.lang.literals import LITERAL, LiteralValue, literal_class, read_literal
from callgate.model.syntax import Syntax

__all__ = ["Positions", "Skeleton", "assemble", "blank"]

_BLANKS: Final = {'"': '""', "r": 'r""', "`": "``"}
_INTEGER_BLANK: Final = "0"

Values = Sequence[LiteralValue]
Ranges = tuple[tuple[int, int], tuple[int, int]]
"""A node's own range and the range of what names it."""


def blank(text: str) -> tuple[str, list[str]]:
    """The shape of a text, and its literals in order."""
    pieces = LITERAL.split(text)
    literals = pieces[1::2]
    pieces[1::2] = [_BLANKS.get(literal[0], _INTEGER_BLANK) for literal in literals]
    return "".join(pieces), literals


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A parsed shape: `fill` makes the tree from the values of its `size` literals; `ranges` are
    the nodes' places in the shape, by node number."""

    fill: Callable[[Values], Syntax]
    size: int
    ranges: tuple[Ranges, ...]


def assemble(draft: Draft, slots: Mapping[int, int]) -> Skeleton:
    """A skeleton from a parsed text.

    `slots` maps the offset of each literal to be filled in to its number; other literals keep the
    value they have. Raises ConditionError for a bad literal.
    """
    ranges: list[Ranges] = []
    made = _node(draft, slots, ranges)
    fill = made if not isinstance(made, Syntax) else lambda _values: made
    return Skeleton(fill, len(slots), tuple(ranges))


def _node(draft: Draft, slots: Mapping[int, int], ranges: list[Ranges]) -> Any:
    """The node, or, where it holds a slot, a function that makes it from the values."""
    at = len(ranges)
    ranges.append((draft.span, draft.name))
    if draft.make is None:
        return _literal(draft, slots, at)
    make = draft.make
    parts = [_part(part, slots, ranges) for part in draft.parts]
    holes = [(index, part) for index, part in enumerate(parts) if callable(part)]
    if not holes:
        return make(*parts, at=at)

    def fill(values: Values) -> Syntax:
        filled = parts.copy()
        for index, part in holes:
            filled[index] = part(values)
        return make(*filled, at=at)

    return fill


def _part(part: Any, slots: Mapping[int, int], ranges: list[Ranges]) -> Any:
    if isinstance(part, Draft):
        return _node(part, slots, ranges)
    if not isinstance(part, tuple):
        return part
    items = [_node(item, slots, ranges) for item in part]
    if not any(callable(item) for item in items):
        return tuple(items)
    return lambda values: tuple([item(values) if callable(item) else item for item in items])


def _literal(draft: Draft, slots: Mapping[int, int], at: int) -> Any:
    text: str = draft.parts[0]
    make: Callable[..., Syntax] = literal_class(text)
    start = draft.span[0]
    if start in slots:
        slot = slots[start]
        return lambda values: make(values[slot], at=at)
    try:
        return make(read_literal(text), at=at)
    except ConditionError as error:
        raise error.moved(start) from None


class Positions:
    """Where the nodes of a condition stand in its text: `positions[node.at]` is `(start, end)`.

    Offsets count code points. Worked out when asked for: they are needed for messages only.
    """

    __slots__ = ("_offset", "_ranges", "_steps", "_text")

    def __init__(self, text: str | None, ranges: tuple[Ranges, ...], offset: int = 0) -> None:
        """`text` is None when the ranges were taken from the text itself, not from its shape;
        `offset` is where the condition begins in a larger text."""
        self._text = text
        self._ranges = ranges
        self._offset = offset
        self._steps: tuple[list[int], list[int]] | None = None

    def __getitem__(self, at: int) -> tuple[int, int]:
        return self._place(self._ranges[at][0])

    def __len__(self) -> int:
        return len(self._ranges)

    def name(self, at: int) -> tuple[int, int]:
        """The part of the node that names it: the field of a member, the name of a function, the
        binder of a quantifier, the key of a lookup, an operator; else the whole node."""
        return self._place(self._ranges[at][1])

    def moved(self, offset: int) -> Positions:
        """The positions in a text that begins `offset` code points earlier."""
        return Positions(self._text, self._ranges, self._offset + offset)

    def _place(self, place: tuple[int, int]) -> tuple[int, int]:
        if self._text is None:
            return place[0] + self._offset, place[1] + self._offset
        if self._steps is None:
            self._steps = _steps(self._text)
        in_shape, in_text = self._steps
        start, end = (
            at - in_shape[step] + in_text[step] + self._offset
            for at, step in ((at, bisect_right(in_shape, at) - 1) for at in place)
        )
        return start, end


def _steps(text: str) -> tuple[list[int], list[int]]:
    """Matching offsets in the shape and in the text: the start, and both ends of each literal."""
    in_shape, in_text = [0], [0]
    for found in LITERAL.finditer(text):
        start = in_shape[-1] + found.start() - in_text[-1]
        in_shape += [start, start + len(_BLANKS.get(found[0][0], _INTEGER_BLANK))]
        in_text += found.span()
    return in_shape, in_text
