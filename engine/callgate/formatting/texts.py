"""The texts of a file in their canonical form: what they say, and how YAML holds it."""

from __future__ import annotations

from typing import Final

from callgate.formatting.flow import WIDTH
from callgate.formatting.folding import fill, fill_condition, operator_lines
from callgate.formatting.scalars import (
    foldable,
    literal_block,
    one_line,
    paragraphs,
)
from callgate.formatting.shapes import Role
from callgate.formatting.words import canonical
from callgate.lang import ConditionError
from callgate.load.document import ScalarText
from callgate.load.nodes import Scalar
from callgate.load.source import Source
from callgate.model.diagnostic import Diagnostics

__all__ = ["Texts"]

_OF_LANGUAGE: Final = frozenset({Role.CONDITION, Role.EACH, Role.REASON})


class Texts:
    """Writes the texts of one file. Those that can't be read go to `diagnostics`."""

    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self._source = source
        self._text = source.text
        self._diagnostics = diagnostics
        self._refused = False  # what can't be read is not written

    def key(self, key: Scalar) -> str:
        """A key of a mapping in block form."""
        return one_line(key, key.text, self._text[key.start : key.end], flow=False)

    def between_brackets(self, scalar: Scalar, role: Role) -> str:
        """A text between brackets."""
        value = self._said(scalar, role)
        if not scalar.style and value == scalar.text and "\n" not in value:
            return value or "null"
        return one_line(scalar, value, self._text[scalar.start : scalar.end], flow=True)

    def lines(self, scalar: Scalar, role: Role, used: int, indent: int) -> list[str]:
        """A text in block form: what follows its key, `used` characters into the line, and its
        further lines, indented by `indent`."""
        style = scalar.style
        if style == "|":
            return literal_block(scalar.text, indent)
        value = self._said(scalar, role)
        if self._refused:
            return [value]
        if not style and not role and value == self._text[scalar.start : scalar.end]:
            return [value]
        raw = self._text[scalar.start : scalar.end]
        if "\n" in value:
            return self._paragraphs(scalar, value, raw, indent)
        broken: frozenset[int] = frozenset()
        if role is Role.CONDITION and style in ("", ">") and "\n" in raw:
            broken = operator_lines(raw if style else f"\n{raw}")
        line = one_line(scalar, value, raw, flow=False)
        kept = bool(broken) or (style == ">" and line != value)
        if not kept and used + len(line) <= WIDTH:
            return [line]
        if (role or style == ">" or "\n" in raw) and foldable(value):
            width = WIDTH - indent
            conditional = role is Role.CONDITION
            folded = fill_condition(value, width, broken) if conditional else fill(value, width)
            if kept or len(folded) > 1 or indent + len(folded[0]) <= WIDTH:
                return [">-", *(" " * indent + text for text in folded)]
        return [line]

    def _paragraphs(self, scalar: Scalar, value: str, raw: str, indent: int) -> list[str]:
        if scalar.style != ">":
            return [one_line(scalar, value, raw, flow=False)]
        found = paragraphs(value)
        if found is None:
            return literal_block(value, indent)
        lines = [">" if value.endswith("\n") else ">-"]
        for number, text in enumerate(found):
            lines += [""] * (number > 0)
            lines += [" " * indent + line for line in fill(text, WIDTH - indent)]
        return lines

    def _said(self, scalar: Scalar, role: Role) -> str:
        """What a text says, in the language's canonical form."""
        text = scalar.text
        if role not in _OF_LANGUAGE or not isinstance(scalar.data, str):
            return text
        try:
            return canonical(text, role)
        except ConditionError as error:
            span = ScalarText(self._source, scalar).span(error.start, error.end)
            self._refused = True
            self._diagnostics.error(error.code, error.message, span, error.help)
            return text
