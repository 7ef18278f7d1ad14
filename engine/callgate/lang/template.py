"""Reasons: text with `{expression}` slots."""

from __future__ import annotations

import re

from callgate.lang.errors import ConditionError
from callgate.lang.literals import LITERAL
from callgate.lang.parser import ParsedCondition, parse_expression
from callgate.lang.text import MAX_LENGTH

__all__ = ["parse_template"]

_BRACE = re.compile(r"\{\{|\}\}|[{}]")
_DOUBLE = "a brace that is meant as text is doubled: `{{`, `}}`"


def parse_template(text: str) -> tuple[str | ParsedCondition, ...]:
    """The parts of a reason in order: literal text (braces undoubled) and parsed expressions.

    Positions of the expressions are offsets in `text`. Raises ConditionError: P007 for braces
    that do not fit, P005 for a reason that is too long, and what `parse_expression` raises.
    """
    if len(text) > MAX_LENGTH:
        help = f"at most {MAX_LENGTH:,} are read"
        message = f"{len(text):,} characters are too many"
        raise ConditionError("P005", message, MAX_LENGTH, len(text), help)
    parts: list[str | ParsedCondition] = []
    literal, at = "", 0
    while found := _BRACE.search(text, at):
        literal += text[at : found.start()]
        at = found.end()
        if len(found[0]) == 2:
            literal += found[0][0]
        elif found[0] == "}":
            raise ConditionError("P007", "this `}` closes nothing", *found.span(), _DOUBLE)
        else:
            end = _slot_end(text, at)
            if literal:
                parts.append(literal)
            parts.append(_slot(text, at, end))
            literal, at = "", end + 1
    literal += text[at:]
    return (*parts, literal) if literal else tuple(parts)


def _slot_end(text: str, start: int) -> int:
    """The offset of the `}` that closes the slot whose expression begins at `start`."""
    at = start
    while at < len(text) and text[at] not in "{}":
        literal = LITERAL.match(text, at)
        at = literal.end() if literal else at + 1
    if at == len(text):
        raise ConditionError("P007", "this `{` is never closed", start - 1, start, _DOUBLE)
    if text[at] == "{":
        raise ConditionError("P007", "a slot can't hold a `{`", at, at + 1, _DOUBLE)
    return at


def _slot(text: str, start: int, end: int) -> ParsedCondition:
    if not text[start:end].strip():
        help = "write a fact, such as `{call.tool}`; " + _DOUBLE
        raise ConditionError("P007", "this slot is empty", start - 1, end + 1, help)
    try:
        return parse_expression(text[start:end]).moved(start)
    except ConditionError as error:
        raise error.moved(start) from None
