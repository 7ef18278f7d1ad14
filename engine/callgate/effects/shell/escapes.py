"""The escapes of `$'…'`."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ansi_c"]

_SIMPLE: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_LITERAL: Final = re.compile(r"[^\\']+")
_OCTAL: Final = re.compile(r"[0-7]{1,3}")
_HEX: Final = {
    "x": re.compile(r"[0-9A-Fa-f]{1,2}"),
    "u": re.compile(r"[0-9A-Fa-f]{1,4}"),
    "U": re.compile(r"[0-9A-Fa-f]{1,8}"),
}


def ansi_c(text: str, start: int, end: int) -> tuple[str | None, int]:
    """Decode the inside of `$'…'` from `start` on.

    Gives the value and the position after the closing quote; the value is None when there is no
    closing quote or a number is no character. As in bash, a NUL ends the value.
    """
    parts: list[str] = []
    at = start
    while at < end:
        if found := _LITERAL.match(text, at, end):
            parts.append(found.group())
            at = found.end()
        elif text[at] == "'":
            return "".join(parts).partition("\0")[0], at + 1
        else:
            value, at = _escape(text, at + 1, end)
            if value is None:
                return None, at
            parts.append(value)
    return None, at


def _escape(text: str, at: int, end: int) -> tuple[str | None, int]:
    char = text[at] if at < end else ""
    if char in _SIMPLE:
        return _SIMPLE[char], at + 1
    if char in _HEX and (found := _HEX[char].match(text, at + 1, end)):
        return _character(int(found.group(), 16), byte=char == "x"), found.end()
    if found := _OCTAL.match(text, at, end):
        return _character(int(found.group(), 8) & 0xFF, byte=True), found.end()
    if char == "c" and at + 1 < end:
        return chr(ord(text[at + 1]) & 0x1F), at + 2
    return "\\" + char, at + len(char)


def _character(number: int, *, byte: bool) -> str | None:
    # A byte over 0x7F is a part of some character: which one can't be said here.
    if (byte and number > 0x7F) or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return None
    return chr(number)
