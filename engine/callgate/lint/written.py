"""What stands in rule files, as it was written: conditions with their syntax trees, reasons, and
the entries that have an id, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from callgate.lang import ConditionError, Positions, parse_condition, parse_template
from callgate.lang.literals import LITERAL
from callgate.lint.layout import CONDITIONS, REASONS, RULES, Path, standing
from callgate.lint.rule import Edit
from callgate.lint.trees import chain, walk
from callgate.load.document import Document, ScalarText
from callgate.load.nodes import Scalar
from callgate.load.scalars import core_value
from callgate.model.span import Span
from callgate.model.syntax import (
    Binary,
    BoolOp,
    HasTest,
    Member,
    NotTest,
    Otherwise,
    Syntax,
    Word,
)

__all__ = [
    "Reason",
    "RuleEntry",
    "Written",
    "conditions_in",
    "names_read_in",
    "reasons_in",
    "rules_in",
]

_LOOSE: Final = BoolOp | NotTest | Binary | HasTest | Otherwise
"""What is put in brackets beside an operator, because it binds no tighter or seems not to."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A condition or expression. `nodes`: all of its tree, the root first; `path`: where it stands
    in its document."""

    document: Document
    path: Path
    value: str
    tree: Syntax
    positions: Positions
    nodes: tuple[Syntax, ...]

    @property
    def text(self) -> ScalarText:
        """The scalar that holds it."""
        return self.document.text(*self.path)

    def piece(self, node: Syntax) -> str:
        """The text of a part of it."""
        start, end = self.positions[node.at]
        return self.value[start:end]

    def operand(self, node: Syntax) -> str:
        """The same as a side of a comparison."""
        text = self.piece(node)
        return f"({text})" if isinstance(node, _LOOSE) else text

    def span(self, node: Syntax | None = None) -> Span:
        """Where a part of it stands; None is all of it."""
        return self.text.span(*self.positions[node.at]) if node else self.text.span()

    def replaced(self, first: Syntax, last: Syntax, by: str) -> tuple[Edit, ...]:
        """The edit that writes a text in place of the nodes from `first` to `last`; none where the
        scalar could not be written like that."""
        start, end = self.positions[first.at][0], self.positions[last.at][1]
        scalar = self.document.node(*self.path)
        brackets = "".join(LITERAL.split(self.value[start:end])[::2])
        if brackets.count("(") != brackets.count(")"):
            return ()
        whole = self.value[:start] + by + self.value[end:]
        if not isinstance(scalar, Scalar) or not _may_stand(scalar.style, by, whole, start):
            return ()
        return (Edit(self.text.span(start, end), _escaped(scalar.style, by)),)


def _may_stand(style: str, by: str, whole: str, start: int) -> bool:
    """Whether a text may stand in a scalar of this style without being quoted anew."""
    if "\n" in by or not isinstance(core_value(whole), str):
        return False
    if style in ("'", '"'):
        return by.isprintable()
    if style:
        return True
    if start == 0 and not (by[:1].isalpha() or by[:1] == "("):
        return False
    return not any(part in by for part in (": ", " #", ",", "[", "]", "{", "}"))


def _escaped(style: str, by: str) -> str:
    """A text as it is written in a scalar of this style."""
    if style == '"':
        return by.replace("\\", r"\\").replace('"', r"\"")
    return by.replace("'", "''") if style == "'" else by


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """A text with slots. `path`: where it stands in its document."""

    document: Document
    path: Path
    value: str

    @property
    def slots(self) -> tuple[tuple[Syntax, Positions], ...]:
        """The expressions in its slots; positions are offsets in `value`."""
        if "{" not in self.value:
            return ()
        parts = parse_template(self.value)
        return tuple((part.tree, part.positions) for part in parts if not isinstance(part, str))

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Where a part of it stands."""
        return self.document.text(*self.path).span(start, end)


@dataclass(frozen=True, slots=True, eq=False)
class RuleEntry:
    """A rule as it was written: its mapping, and where it stands."""

    document: Document
    path: Path
    data: dict[str, Any]

    @property
    def id(self) -> str:
        """Its id; "" where it has none."""
        return str(self.data.get("id", ""))

    def span(self, *path: str | int) -> Span:
        """Where something of it stands; without a path, its id."""
        return self.document.span(*self.path, *(path or ("id",)))


def conditions_in(documents: Iterable[Document]) -> Iterator[Written]:
    """Every condition and expression of these files, but `true`, `false` and numbers."""
    for document, path, value in standing(documents, CONDITIONS):
        if isinstance(value, str):
            # What a settings check selects, `NAME in LIST where CONDITION`, is no expression alone.
            before, after = ("any(", ")") if path[-1] == "select" else ("", "")
            try:
                parsed = parse_condition(before + value + after).moved(-len(before))
            except ConditionError:
                continue  # it was reported
            nodes = tuple(walk(parsed.tree))
            yield Written(document, path, value, parsed.tree, parsed.positions, nodes)


def reasons_in(documents: Iterable[Document]) -> Iterator[Reason]:
    """Every reason of these files, and the texts of settings checks."""
    for document, path, value in standing(documents, REASONS):
        if isinstance(value, str):
            yield Reason(document, path, value)


def rules_in(documents: Iterable[Document]) -> Iterator[RuleEntry]:
    """The rules of these files that have an id of their own."""
    for document, path, value in standing(documents, RULES):
        if isinstance(value, dict):
            yield RuleEntry(document, path, value)


def names_read_in(written: Iterable[Written], reasons: Iterable[Reason]) -> set[str]:
    """The words and dotted names in these conditions and reasons; of `a.b.c` also `a` and `a.b`."""
    found: set[str] = set()
    for item in written:
        found.update(_names(item.nodes))
    for reason in reasons:
        for tree, _ in reason.slots:
            found.update(_names(walk(tree)))
    return found


def _names(nodes: Iterable[Syntax]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Word | Member) and (name := chain(node)):
            yield name
