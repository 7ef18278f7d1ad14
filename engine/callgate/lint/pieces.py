"""Where a piece of a typed condition stands in its file.

A typed condition follows the text that it was made from, with facts and definitions written out. A
way down the one is a way down the other, which may lead into the text of a definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callgate.lint.rule import Edit
from callgate.lint.trees import chain
from callgate.lint.written import Written
from callgate.model.span import Span
from callgate.model.syntax import Binary, BoolOp, Member, NotTest, Quantifier, Syntax, Word

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Piece", "Pieces", "Way", "pieces"]

Way = tuple[int, ...]
"""From a condition down: which item of an `and`, `or`, `not`; 0 also leads into a quantifier."""

_LONGEST: Final = 70
_JOINT: Final = re.compile(r"((?:\s*\))*)\s*\b(?:and|or)\b\s*((?:\(\s*)*)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a condition: the text that holds it, and its node there."""

    written: Written
    node: Syntax

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.written.span(self.node)

    @property
    def text(self) -> str:
        """How it is written, on one line; cut where it is long."""
        text = " ".join(self.written.piece(self.node).split())
        return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + " …"


class Pieces:
    """Finds pieces. `written`: all conditions of the bundle's own files."""

    def __init__(self, written: Iterable[Written]) -> None:
        self._by_start: dict[tuple[str, int, int], Written] = {}
        self._facts: dict[str, Written] = {}
        self._defined: dict[tuple[str, str], Written] = {}
        for item in written:
            span = item.text.span()
            self._by_start[span.file, span.line, span.column] = item
            if item.path[0] == "facts":
                self._facts[str(item.path[1])] = item
            elif item.path[0] == "define":
                self._defined[item.document.file, str(item.path[1])] = item

    def at(self, condition: Span | None, way: Way) -> Piece | None:
        """The piece of the condition at a place; None where it is not in the bundle's own files."""
        if condition is None:
            return None
        written = self._by_start.get((condition.file, condition.line, condition.column))
        if written is None:
            return None
        piece: Piece | None = Piece(written, written.tree)
        for step in way:
            piece = self._down(self._defined_by(piece), step) if piece else None
        return piece

    def _defined_by(self, piece: Piece) -> Piece:
        """What a name stands for."""
        for _ in range(len(self._facts) + len(self._defined) + 1):
            if not isinstance(piece.node, Word | Member):
                break
            name = chain(piece.node)
            key = (piece.written.document.file, name)
            found = self._defined.get(key) or self._facts.get(name)
            if found is None:
                break
            piece = Piece(found, found.tree)
        return piece

    def _down(self, piece: Piece, step: int) -> Piece | None:
        match piece.node:
            case BoolOp(items=items) if step < len(items):
                return Piece(piece.written, items[step])
            case NotTest(item=item):
                return Piece(piece.written, item)
            case Binary(op="not in"):
                return piece
            case Quantifier(where=where):
                return Piece(piece.written, where)
            case Binary(left=Quantifier(where=where)) | Binary(right=Quantifier(where=where)):
                return Piece(piece.written, where)
        return None

    def without(self, group: Piece, index: int) -> tuple[Edit, ...]:
        """The edit that takes an item, not the first one, out of an `and` or `or`."""
        if not isinstance(group.node, BoolOp):
            return ()
        positions, value = group.written.positions, group.written.value
        before, item = (positions[node.at] for node in group.node.items[index - 1 : index + 1])
        joint = _JOINT.fullmatch(value, before[1], item[0])
        if joint is None:
            return ()
        start, end = joint.end(1), item[1]
        for _ in range(joint[2].count("(")):
            closing = re.compile(r"\s*\)").match(value, end)
            if closing is None:
                return ()
            end = closing.end()
        return (Edit(group.written.text.span(start, end), ""),)


def pieces(subject: Subject) -> Pieces:
    """The pieces of a subject's conditions (for `Subject.once`)."""
    return Pieces(subject.written)
