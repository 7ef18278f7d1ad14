"""Text: patterns, words and case."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import re2

from callgate.model.types import BOOL, STRING, ListOf
from callgate.model.values import UNKNOWN
from callgate.stdlib.operation import example, operation, signature

__all__ = ["begins", "blank", "calls", "contains", "like", "lower", "matches", "upper"]

_MAX_MEMORY: Final = 1 << 20
_BLANKS: Final = " \t\n\r\f\v"


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    return re2.compile(pattern, options)


def _encodable(text: str) -> str:
    """The text with U+FFFD for what UTF-8 has no form for (lone surrogates)."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@operation(
    signature(BOOL, text=STRING, glob=STRING),
    symbol="like",
    examples=(
        example("mcp_files_read", "mcp_*", gives=True),
        example("my_mcp_files", "mcp_*", gives=False),
        example("a.b.c", "a*c", gives=True),
    ),
)
def like(text: str, glob: str) -> bool:
    """Whether the whole text fits a glob, in which `*` stands for any text, also none; everything
    else stands for itself."""
    head, *pieces = glob.split("*")
    if not pieces:
        return text == head
    tail = pieces.pop()
    if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
        return False
    position, end = len(head), len(text) - len(tail)
    for piece in pieces:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


@operation(
    signature(BOOL, text=STRING, pattern=STRING),
    symbol="matches",
    examples=(
        example("v1.20", r"v\d+\.\d+", gives=True),
        example("v1.20-beta", r"v\d+\.\d+", gives=False),
    ),
)
def matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches an RE2 pattern, written `r"…"`. The time it takes grows with
    the length of the text, never faster."""
    expression = _compiled(pattern)
    try:
        return expression.fullmatch(text) is not None
    except UnicodeEncodeError:
        return expression.fullmatch(_encodable(text)) is not None


@operation(
    signature(BOOL, text=STRING),
    examples=(example("  ", gives=True), example("", gives=True), example(" ls", gives=False)),
)
def blank(text: str) -> bool:
    """Whether a text has nothing but blanks, tabs and line breaks, or nothing at all."""
    return not text.strip(_BLANKS)


@operation(
    signature(BOOL, text=STRING, part=STRING),
    examples=(
        example("git push origin", "git push", gives=True),
        example("git push", "GIT", gives=False),
    ),
)
def contains(text: str, part: str) -> bool:
    """Whether the part occurs in the text, exactly as it is; the empty part does. For a part that
    the condition itself spells out, `like` is the plainer way."""
    return part in text


@operation(
    signature(BOOL, program=STRING, words=ListOf(STRING), text=STRING),
    unknown=True,
    examples=(
        example("git", ("push", "origin"), "git push", gives=True),
        example("git", ("pull",), "git push", gives=False),
        example("git", (UNKNOWN, "origin"), "git push", gives=UNKNOWN),
    ),
)
def begins(program: str, words: Sequence[Any], text: str) -> Any:
    """Whether a program with its words begins as the text does, which is split at blanks: word by
    word, so that neither blanks nor quotes in the command make a difference. Unknown where a word
    that decides is not known; false for a text without words."""
    return _begins(program, words, text)


@operation(
    signature(BOOL, program=STRING, subcommand=STRING, operands=ListOf(STRING), text=STRING),
    unknown=True,
    examples=(
        example("git", "push", ("origin",), "git push", gives=True),
        example("npm", "", ("publish",), "npm publish", gives=True),
        example("git", "stash", ("push",), "git push", gives=False),
        example("git", UNKNOWN, ("origin",), "git push", gives=UNKNOWN),
    ),
)
def calls(program: str, subcommand: Any, operands: Sequence[Any], text: str) -> Any:
    """Whether a program is told what the text says, whatever options stand between: as `begins`,
    with the sub-command (empty where there is none) and the operands for the words."""
    return _begins(program, operands if subcommand == "" else (subcommand, *operands), text)


def _begins(program: str, words: Sequence[Any], text: str) -> Any:
    wanted = text.split()
    for given, word in zip(chain((program,), words), wanted, strict=False):
        if given is UNKNOWN:
            return UNKNOWN
        if given != word:
            return False
    return 0 < len(wanted) <= 1 + len(words)


@operation(signature(STRING, text=STRING), examples=(example("DELETE", gives="delete"),))
def lower(text: str) -> str:
    """The text in lower case."""
    return text.lower()


@operation(signature(STRING, text=STRING), examples=(example("delete", gives="DELETE"),))
def upper(text: str) -> str:
    """The text in upper case."""
    return text.upper()
