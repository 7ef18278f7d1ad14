"""Literals: finding them in a condition, reading their values and writing them down.

A literal here is a text `"…"`, a regular expression `r"…"`, a command pattern between backticks
or an integer: what differs between conditions of the same shape.
"""

from __future__ import annotations

import re
from typing import Final

from callgate.lang.command_pattern import parse_pattern
from callgate.lang.errors import ConditionError
from callgate.lang.regex import check_regex
from callgate.lang.text import INVISIBLE, read_code_point, write_code_point
from callgate.model.pattern import CommandPattern
from callgate.model.syntax import PatternLiteral, RegexLiteral, Value

__all__ = ["LITERAL", "LiteralValue", "literal_class", "quote_regex", "quote_text", "read_literal"]

LiteralValue = int | str | CommandPattern

# The first character is tested alone, so that the search skips all others quickly.
LITERAL: Final = re.compile(
    r"""(
    ["`r0-9-]
    (?: (?<=")     [^"\\\r\n]* (?: \\. [^"\\\r\n]* )* "
      | (?<=`)     [^`\\\r\n]* (?: \\. [^`\\\r\n]* )* `
      | (?<! [A-Za-z0-9_-] . )  # not inside a word
        (?: (?<=r) " [^"\\\r\n]* (?: \\. [^"\\\r\n]* )* "
          | (?<=[0-9]) [0-9]* (?! [A-Za-z0-9_-] )
          | (?<=-)     [0-9]+ (?! [A-Za-z0-9_-] )
        )
    )
    )""",
    re.VERBOSE,
)
"""Finds the literals of condition.lark (TEXT, REGEX, PATTERN, NUMBER) without parsing."""

_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))")
_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_TO_ESCAPE = re.compile(rf'["\\{INVISIBLE}]')
_WRITTEN: Final = {char: f"\\{name}" for name, char in _ESCAPES.items()}
_QUOTE_OR_PAIR = re.compile(r'\\?"|\\.', re.DOTALL)
_MAX_INTEGER: Final = 2**63 - 1


def literal_class(literal: str) -> type[Value | RegexLiteral | PatternLiteral]:
    """The syntax node that the literal becomes."""
    return {"r": RegexLiteral, "`": PatternLiteral}.get(literal[0], Value)


def read_literal(literal: str) -> LiteralValue:
    """The value of a literal as written: int, decoded text, RE2 expression or pattern.

    Raises ConditionError (P001 for texts and integers, P006, P003) with offsets in the literal.
    """
    first = literal[0]
    if first == '"':
        body = literal[1:-1]
        return _ESCAPE.sub(_read_escape, literal)[1:-1] if "\\" in body else body
    if first == "r":
        return _read_regex(literal)
    if first == "`":
        try:
            return parse_pattern(literal[1:-1])
        except ConditionError as error:
            where = error.moved(1)
            if where.start == where.end:  # nothing to point at but the backticks
                where.start, where.end = 0, len(literal)
            raise where from None
    return _read_integer(literal)


def _read_escape(found: re.Match[str]) -> str:
    digits, name = found.groups()
    char = read_code_point(digits) if digits else _ESCAPES.get(name)
    if char is not None:
        return char
    if digits:
        raise ConditionError("P001", f"there is no character `{found[0]}`", *found.span())
    help = r"texts have `\\`, `\"`, `\n`, `\r`, `\t` and `\u{1f600}`; a backslash is `\\`"
    raise ConditionError("P001", f"there is no escape `{found[0]}`", *found.span(), help)


def _read_regex(literal: str) -> str:
    pattern = _QUOTE_OR_PAIR.sub(
        lambda found: '"' if found[0] == '\\"' else found[0],
        literal[2:-1],
    )
    try:
        check_regex(pattern)
    except ConditionError as error:
        # Each quote in the pattern was written with a backslash.
        start, end = (at + pattern.count('"', 0, at) + 2 for at in (error.start, error.end))
        raise ConditionError(error.code, error.message, start, end, error.help) from None
    return pattern


def _read_integer(literal: str) -> int:
    digits = literal.lstrip("-")
    if digits[0] == "0" and len(digits) > 1:
        raise ConditionError(
            "P001",
            f"the number `{literal}` begins with `0`",
            0,
            len(literal),
            f'write `{digits.lstrip("0") or "0"}`, or `"{literal}"` if it is a text',
        )
    if len(digits) < 20 and -_MAX_INTEGER - 1 <= int(literal) <= _MAX_INTEGER:
        return int(literal)
    help = f"integers lie between {-_MAX_INTEGER - 1} and {_MAX_INTEGER}"
    raise ConditionError("P001", "this number is too large", 0, len(literal), help)


def quote_text(value: str) -> str:
    """A text as a literal; what can't be seen is escaped."""
    return f'"{_TO_ESCAPE.sub(_write_escape, value)}"'


def _write_escape(found: re.Match[str]) -> str:
    return _WRITTEN.get(found[0]) or write_code_point(found[0])


def quote_regex(pattern: str) -> str:
    """An RE2 expression as a literal."""
    written = _QUOTE_OR_PAIR.sub(
        lambda found: '\\"' if found[0] == '"' else found[0],
        pattern,
    )
    return f'r"{written}"'
