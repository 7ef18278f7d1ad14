"""Plain scalars as YAML 1.2's core schema reads them: `off`, `on`, `yes` and `no` are texts."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["core_value"]

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
    **dict.fromkeys(
        [sign + dots for sign in ("", "+") for dots in (".inf", ".Inf", ".INF")], float("inf")
    ),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
}
_NUMBER_FIRST: Final = frozenset(".+-0123456789")
_FIRST: Final = _NUMBER_FIRST | frozenset("~nNtTfF")
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MAX_DIGITS: Final = 1000


def core_value(text: str) -> Any:
    """The value of a plain scalar: None, a bool, an int, a float or the text itself.

    Numbers of more than 1000 characters stay texts: nothing here can mean them.
    """
    if text and text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_FIRST or len(text) > _MAX_DIGITS:
        return text
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if _OCTAL.fullmatch(text):
        return int(text, 8)
    return text
