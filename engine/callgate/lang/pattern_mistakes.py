"""Why a command pattern can't be parsed, in the words of somebody who writes policies."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from callgate.lang.errors import ConditionError
from callgate.lang.grammar import Failure

__all__ = ["explain"]

_SPACES: Final = " \t\r\n"
_ONE_COMMAND: Final = "a pattern describes one command: write a condition for each"
_NO_QUOTES: Final = r"write the words without quotes, a space as `\ `"
_SHELL: Final = {
    ";": _ONE_COMMAND,
    "&": _ONE_COMMAND,
    "`": _ONE_COMMAND,
    "<": "a pattern describes the words of a command; files that it reads are in `effects.read`",
    ">": "a pattern describes the words of a command; files that it writes are in `effects.write`",
    '"': _NO_QUOTES,
    "'": _NO_QUOTES,
    "|": "alternatives stand in parentheses: `(a|b)`",
    "$": "`$` stands at the end only; variables can't be matched",
}


def explain(failure: Failure) -> ConditionError:
    """What is wrong with a pattern that its grammar refuses."""
    text, start = failure.text, failure.at
    if failure.kind == "$END":
        return _ended(text, failure.accepts)
    while text[start] in _SPACES and start + 1 < len(text):
        start += 1
    message, help = _unexpected(text, start, failure.accepts)
    return ConditionError("P003", message, start, start + 1, help)


def _ended(text: str, accepts: Set[str]) -> ConditionError:
    end = len(text.rstrip(_SPACES))
    if not end:
        help = "it begins with a program: `git push`"
        return ConditionError("P003", "this command pattern is empty", 0, len(text), help)
    missing = "`)`" if "_CLOSE" in accepts else "`]`" if "_END_OPTIONAL" in accepts else "a word"
    return ConditionError("P003", f"{missing} is missing at the end", end - 1, end)


def _unexpected(text: str, at: int, accepts: Set[str]) -> tuple[str, str]:
    """Message and help for the character at `at`, which can't stand there."""
    char, before = text[at], text[at - 1 : at] or " "
    here = f"`{char}` can't stand here"
    if before == "=" and char in "([":
        return "the value of an option has no alternatives", "write a condition for each, or `*`"
    if char in "([" and before not in f"{_SPACES}(|[":
        return f"`{char}` can't stand inside a word", "write a space before it"
    if char == "=":
        help = "a value follows an option without spaces: `--output=*`, `(--output|-o)=*`"
        return here, help if before != ")" else "only an option has a value: `(--output|-o)=*`"
    if before in ")]" and char not in "|)]":
        return "a group is a word of its own", f"write a space after `{before}`"
    if char == "*" or text.startswith("-*", at):
        return "the name of an option can't hold `*`", "name the options: `(--force|-f)`"
    if "OPTION" in accepts and "WORD" not in accepts and char not in _SHELL:
        return "only an option can stand here", "a group holds words, or options, not both"
    if char == "-" and "WORD" in accepts and "OPTION" not in accepts:
        group = "_OPEN" not in accepts
        help = "a group holds words, or options, not both" if group else "the program comes first"
        return "an option can't stand here", help
    if char == "|" and "_END_OPTIONAL" in accepts:
        return here, "names of one option stand in parentheses: `[(--verbose|-v)]`"
    if char == "\\":
        return here, r"write a backslash as `\\`"
    if char in _SHELL:
        return here, f"{_SHELL[char]}; the character itself is `\\{char}`"
    return here, ""
