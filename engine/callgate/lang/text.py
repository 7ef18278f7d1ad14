"""What holds for every text of the language: its length, its characters and its escapes.

What a reviewer can't see (control, zero-width and bidirectional characters, unusual spaces) may
stand in a literal only as an escape, so that what is read is what is compiled.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from callgate.lang.errors import ConditionError

__all__ = ["INVISIBLE", "MAX_LENGTH", "check_text", "read_code_point", "write_code_point"]

MAX_LENGTH: Final = 16_384
"""Longer conditions, patterns and reasons, in code points, are refused."""

INVISIBLE: Final = (
    r"\x00-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    r"\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff"
)
"""Characters that don't show as what they are: the inside of a character class."""

_FORBIDDEN = re.compile(rf"(?![\t\r\n])[{INVISIBLE}]")


def check_text(text: str) -> None:
    """Refuse a text that is too long or holds characters that can't be seen.

    Tab, carriage return and line feed pass; the grammar says where they may stand.
    Raises ConditionError P005 or P001.
    """
    if len(text) > MAX_LENGTH:
        raise ConditionError(
            "P005",
            f"{len(text):,} characters are too many",
            MAX_LENGTH,
            len(text),
            f"at most {MAX_LENGTH:,} are read: name parts of it under `define:`, or use a list",
        )
    if text.isascii() and text.isprintable():
        return
    found = _FORBIDDEN.search(text)
    if found:
        code = ord(found[0])
        first = "put a plain space" if unicodedata.category(found[0]) == "Zs" else "remove it"
        raise ConditionError(
            "P001",
            f"the invisible character U+{code:04X} stands here",
            *found.span(),
            f"{first}, or write it in a text as `{write_code_point(found[0])}`",
        )


def write_code_point(char: str) -> str:
    r"""A character as `\u{…}`."""
    return f"\\u{{{ord(char):x}}}"


def read_code_point(digits: str) -> str | None:
    r"""The character of the hexadecimal digits in `\u{…}`; None if there is no such character."""
    code = int(digits, 16)
    return None if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)
