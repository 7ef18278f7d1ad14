"""Conditions, and parts of them, that say nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from callgate.lint.faults import Fault, Kind, faults
from callgate.lint.locating import distinct
from callgate.lint.pieces import Piece, pieces
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.span import Span

__all__ = ["AlwaysTrue", "ChangesNothing", "Contradiction", "NeverTrue"]


class _FaultRule(Rule):
    """A rule that tells of one kind of fault."""

    kind: ClassVar[Kind]

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        found = subject.once(faults)
        mine = (fault for fault in found if fault.kind == self.kind)
        yield from distinct(self._told(subject, fault) for fault in mine)

    def _told(self, subject: Subject, fault: Fault) -> Finding:
        where = subject.once(pieces)
        span = fault.looked.condition.span
        piece = where.at(span, fault.way)
        other = None if fault.other is None else where.at(span, fault.other)
        return self.tell(fault, piece, other, piece.span if piece else span)

    @abstractmethod
    def tell(
        self, fault: Fault, piece: Piece | None, other: Piece | None, span: Span | None
    ) -> Finding:
        """The finding; the pieces are None where they stand in no file of the bundle."""


def _shown(piece: Piece | None, fault: Fault) -> str:
    whole = piece is None or (not fault.way and len(piece.written.value) > len(piece.text))
    return fault.looked.what if whole or piece is None else f"`{piece.text}`"


class AlwaysTrue(_FaultRule):
    """A condition, or a part of one, that is true for every call, or unknown."""

    code = "L101"
    name = "always-true"
    kind = "always"

    def tell(
        self, fault: Fault, piece: Piece | None, other: Piece | None, span: Span | None
    ) -> Finding:
        """See _FaultRule."""
        what = "never false: it is true, or unknown" if fault.unknown else "always true"
        return self.found(
            f"{_shown(piece, fault)} is {what}",
            span,
            "leave it out, or correct it: it tells no call from another",
        )


class NeverTrue(_FaultRule):
    """A condition, or a part of one, that is true for no call."""

    code = "L102"
    name = "never-true"
    kind = "never"

    def tell(
        self, fault: Fault, piece: Piece | None, other: Piece | None, span: Span | None
    ) -> Finding:
        """See _FaultRule."""
        return self.found(
            f"{_shown(piece, fault)} is never true",
            span,
            "correct it, or remove what it stands in",
        )


class Contradiction(_FaultRule):
    """Parts of an `and` that can't all be true."""

    code = "L108"
    name = "contradiction"
    kind = "contradiction"

    def tell(
        self, fault: Fault, piece: Piece | None, other: Piece | None, span: Span | None
    ) -> Finding:
        """See _FaultRule."""
        help = "correct one of them, or write `or`"
        if piece is None or other is None:
            what = _shown(piece, fault)
            return self.found(f"the parts of {what} can't all be true", span, help)
        return self.found(
            f"`{piece.text}` and `{other.text}` can't both be true",
            span,
            help,
            related=(("the other part", other.span),),
        )


class ChangesNothing(_FaultRule):
    """A part of an `and` or `or` that another part makes idle."""

    code = "L114"
    name = "changes-nothing"
    kind = "idle"

    def tell(
        self, fault: Fault, piece: Piece | None, other: Piece | None, span: Span | None
    ) -> Finding:
        """See _FaultRule."""
        why = "is true wherever {} is" if fault.joined == "and" else "is true only where {} is"
        by = f"`{other.text}`" if other else "another part"
        return self.found(
            f"{_shown(piece, fault)} changes nothing: it {why.format(by)}",
            span,
            "leave it out, or correct one of the two",
            related=(("the other part", other.span),) if other else (),
        )
