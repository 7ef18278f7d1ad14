"""A condition and its parts: every boolean sub-expression as it was written, with its place.

The typed condition has its definitions written out; the text names them. Both are walked side by
side, so that a definition is one part of a condition that uses it, and has parts of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from callgate.lang import ConditionError, Positions, parse_condition, print_syntax
from callgate.load.document import ScalarText
from callgate.model.expr import And, CommandMatch, Const, Expr, Not, Or, Quant, children
from callgate.model.syntax import Binary, BoolOp, Member, NotTest, Quantifier, Syntax, Word
from callgate.policytest.coverage.places import Place, Places

__all__ = ["Definitions", "Part", "parts_of"]

_Kind = Literal["leaf", "not", "and", "or", "any", "none", "count", "use"]


@dataclass(slots=True, eq=False)
class Part:
    """A sub-expression. `number`: in its condition, the whole is 0; -1 for what is not counted,
    being `not` of what is, or a constant. `uses`: the key of the definition that it stands for.
    `children`: those that its value is made of; of a quantifier, the condition on an element."""

    kind: _Kind
    expr: Expr
    text: str
    place: Place
    number: int = -1
    children: tuple[Part, ...] = ()
    uses: str = ""

    def all(self) -> Iterator[Part]:
        """This and everything in it, in the order of evaluation; not what a definition has."""
        yield self
        for child in self.children:
            yield from child.all()


@dataclass(slots=True)
class Definitions:
    """The definitions that conditions use, each once: key → its parts."""

    places: Places
    found: dict[str, Part] = field(default_factory=dict)

    def key(self, file: str, name: str) -> str:
        """The key of what a name in a file's condition stands for; "" where it is none."""
        if (file, name) in self.places.defined:
            return f"define:{file}:{name}"
        return f"fact:{name}" if name in self.places.facts else ""

    def text(self, key: str) -> ScalarText:
        """The text of a definition."""
        kind, _, rest = key.partition(":")
        if kind == "fact":
            return self.places.facts[rest]
        file, _, name = rest.rpartition(":")
        return self.places.defined[file, name]

    def add(self, key: str, expr: Expr) -> None:
        """Take apart a definition that a condition uses."""
        if key not in self.found:
            text = self.text(key)
            self.found[key] = Part("leaf", expr, "", ("", 0))  # it can't use itself
            self.found[key] = parts_of(expr, text.value, text, text.span(0, 0).file, self)


def parts_of(
    expr: Expr, text: str, source: ScalarText | None, file: str, definitions: Definitions
) -> Part:
    """A condition's parts. `text`: as it was written, or its canonical form; `source`: the scalar
    that it stands in, for the parts' places; `file`: whose `define:`s it may use."""
    builder = _Builder(source, file, definitions)
    try:
        parsed = parse_condition(source.value if source is not None else text)
    except ConditionError:  # not a text that a person wrote
        root = Part("leaf", expr, text, (file, 0))
    else:
        builder.positions = parsed.positions
        root = builder.part(expr, parsed.tree)
    _number(root)
    return root


def _number(root: Part) -> None:
    inner = root
    while inner.kind == "not":  # the same as the whole, the other way round
        inner = inner.children[0]
    number = 0
    root.number = 0
    for part in root.all():
        if part is not root and part is not inner and part.kind != "not":
            if not isinstance(part.expr, Const):
                number += 1
                part.number = number


class _Builder:
    def __init__(self, source: ScalarText | None, file: str, definitions: Definitions) -> None:
        self.source = source
        self.file = file
        self.definitions = definitions
        self.positions: Positions | None = None

    def part(self, expr: Expr, tree: Syntax) -> Part:
        kind, inner = self._inside(expr, tree)
        part = Part(kind, expr, print_syntax(tree), self._place(tree), children=inner)
        if kind == "leaf" and isinstance(tree, Word | Member):
            key = self.definitions.key(self.file, print_syntax(tree))
            if key:
                self.definitions.add(key, expr)
                part.kind, part.uses = "use", key
        return part

    def _inside(self, expr: Expr, tree: Syntax) -> tuple[_Kind, tuple[Part, ...]]:
        match expr, tree:
            case ((And(items=items) | Or(items=items)), BoolOp(op=op, items=trees)) if len(
                items
            ) == len(trees):
                return op, tuple(map(self.part, items, trees))
            case Not(item=item), NotTest(item=inner):
                return "not", (self.part(item, inner),)
            case Quant(kind="count", where=where), Binary(left=left, right=right):
                count = left if isinstance(left, Quantifier) else right
                if isinstance(count, Quantifier) and not _open_pattern(expr):
                    return "count", (self.part(where, count.where),)
            case Quant(kind="any" | "none" as kind, where=where), Quantifier(where=inner):
                if not _open_pattern(expr):
                    return kind, (self.part(where, inner),)
        return "leaf", ()

    def _place(self, tree: Syntax) -> Place:
        if self.source is None or self.positions is None:
            return (self.file, 0)
        start, end = self.positions[tree.at]
        span = self.source.span(start, end)
        return (span.file, span.line)


def _open_pattern(expr: Expr) -> bool:
    """Whether commands are matched with patterns that settings give: they are read when settings
    are folded in, so such a quantifier is looked at as a whole."""
    if isinstance(expr, CommandMatch) and isinstance(expr.pattern, Expr):
        return True
    return any(map(_open_pattern, children(expr)))
