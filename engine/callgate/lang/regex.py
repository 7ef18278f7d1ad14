"""Regular expressions: whether RE2 takes them, and if not, why, in a policy author's words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import re2

from callgate.lang.errors import ConditionError

__all__ = ["check_regex"]

_NO_BACKTRACKING = "expressions run in linear time, without backtracking"

# What other engines have and RE2 has not: how it begins, its name, what to do instead.
_FOREIGN: Final = (
    (r"\(\?=", "look-ahead", "write two conditions and join them with `and`"),
    (r"\(\?!", "negative look-ahead", "write two conditions and join them with `and not`"),
    (r"\(\?<=", "look-behind", "write the text before as a part of the expression"),
    (r"\(\?<!", "negative look-behind", "write two conditions and join them with `and not`"),
    (r"\(\?>", "an atomic group", f"write `(?:…)`: {_NO_BACKTRACKING}"),
    (r"\(\?P=\w*\)?", "a back-reference", f"{_NO_BACKTRACKING}"),
    (r"\(\?\(", "a conditional group", "write the cases as alternatives"),
    (r"\(\?#", "a comment", "put comments into YAML, before the rule"),
    (r"\\[1-9]", "a back-reference", f"{_NO_BACKTRACKING}"),
    (r"\\k[<{']", "a back-reference", f"{_NO_BACKTRACKING}"),
    (r"\\Z", "`\\Z`", "leave it out: the whole value is matched (or write `\\z`)"),
    (r"\\[uU]", "`\\u`", r"write the code point as `\x{…}`"),
    (r"[+*?}]\+", "a possessive repetition", f"leave out the last `+`: {_NO_BACKTRACKING}"),
)
_FOREIGN_START = re.compile("|".join(f"({start})" for start, _, _ in _FOREIGN))
_HARMLESS = re.compile(r"\\[^1-9kZuU]|\[\^?\]?(?:[^\]\\]|\\.)*\]")

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20  # as at run time, in callgate.stdlib.text


def check_regex(pattern: str) -> None:
    """Refuse an expression that RE2 can't compile: ConditionError P006, offsets in `pattern`."""
    problem = _problem(pattern)
    if problem:
        raise ConditionError("P006", *problem)


@lru_cache(maxsize=1024)
def _problem(pattern: str) -> tuple[str, int, int, str] | None:
    """Message, start, end and help; None when the expression is fine."""
    try:
        re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        reason = error.args[0]
    else:
        return None
    if isinstance(reason, bytes):
        reason = reason.decode("utf-8", "replace")
    # Hide what only looks foreign: escaped characters and character classes, same length.
    plain = _HARMLESS.sub(lambda found: "x" * len(found[0]), pattern)
    found = _FOREIGN_START.search(plain)
    if found and found.lastindex:
        _, name, help = _FOREIGN[found.lastindex - 1]
        return f"regular expressions here don't have {name}", *found.span(), help
    if "too large" in reason:
        help = "repeat less, or name a smaller class: `\\pL{100}` is 100 times all letters"
        return "this expression is too large", 0, len(pattern), help
    what, _, fragment = reason.partition(": ")
    start = pattern.find(fragment) if fragment else -1
    start, end = (0, len(pattern)) if start < 0 else (start, start + len(fragment))
    message = f"RE2 can't read this expression: {what}"
    return message, start, end, "see https://github.com/google/re2/wiki/Syntax"
