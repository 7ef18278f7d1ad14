"""Operators on literals: wider paths, looser globs, regular expressions and command patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from callgate.model.syntax import Binary, FunctionCall, PatternLiteral, RegexLiteral, Value
from callgate.policytest.mutation.conditions import Change, Operator, Seen
from callgate.policytest.mutation.page import spread

__all__ = ["LITERAL_OPERATORS", "globbed", "parent_of", "pathed", "patterned", "regexed"]

_TOKEN: Final = re.compile(r"\[[^\]]*\]|(?:\\.|\([^)]*\)|[^\s\[\]])+")
_PATH_OPERATORS: Final = ("under", "covers", "like", "==")


def parent_of(path: str) -> str | None:
    """The folder that a path is in; None for one that has none."""
    stem = path.rstrip("/")
    above, slash, _ = stem.rpartition("/")
    if not slash or not path.startswith(("/", "~")):
        return None
    return above or "/"


def pathed(seen: Seen) -> Iterator[Change]:
    """A path's parent in its place; `==` a path is `under` it."""
    node, around = seen.node, seen.around
    if not isinstance(node, Value) or not isinstance(node.value, str):
        return
    if not isinstance(around, Binary | FunctionCall):
        return
    above = parent_of(node.value)
    if above is not None and not (isinstance(around, Binary) and around.op == "like"):
        yield seen.replaced("path-widened", f"`{node.value}` is `{above}`", f'"{above}"')
    if above is not None and isinstance(around, Binary) and around.op == "==":
        between = seen.place(around.left)[1], seen.place(around.right)[0]
        yield Change("path-widened", "`==` is `under`", *between, " under ")


def globbed(seen: Seen) -> Iterator[Change]:
    """A glob behind `like` that is open at its beginning or end."""
    node, around = seen.node, seen.around
    if not isinstance(node, Value) or not isinstance(node.value, str):
        return
    if not isinstance(around, Binary) or around.op != "like" or around.right is not node:
        return
    text = seen.source(node)
    if not node.value.startswith("*"):
        yield seen.replaced(
            "pattern-loosened", "the glob is open at its beginning", f'"*{text[1:]}'
        )
    if not node.value.endswith("*"):
        yield seen.replaced("pattern-loosened", "the glob is open at its end", f'{text[:-1]}*"')


def regexed(seen: Seen) -> Iterator[Change]:
    """A regular expression that may begin or end with anything."""
    node = seen.node
    if not isinstance(node, RegexLiteral):
        return
    inner = seen.source(node)[2:-1]
    if not inner.startswith((".*", "(?s).*")):
        said = "the expression is open at its beginning"
        yield seen.replaced("pattern-loosened", said, f'r".*(?:{inner})"')
    if not inner.endswith(".*"):
        yield seen.replaced(
            "pattern-loosened", "the expression is open at its end", f'r"(?:{inner}).*"'
        )


def patterned(seen: Seen) -> Iterator[Change]:
    """A command pattern without one of its words, options, alternatives or its `$`."""
    node = seen.node
    if not isinstance(node, PatternLiteral):
        return
    text = seen.source(node)[1:-1]
    tokens = list(_TOKEN.finditer(text))
    for index, token in enumerate(tokens):
        for new, said in _loosened(seen, node, token[0], first=index == 0):
            left = text[: token.start()] + new + text[token.end() :]
            operator = "pattern-narrowed" if new else "pattern-loosened"
            yield seen.replaced(operator, said, f"`{' '.join(left.split())}`")


def _loosened(
    seen: Seen, node: PatternLiteral, token: str, first: bool
) -> Iterator[tuple[str, str]]:
    """What may take a token's place, and in words."""
    if not first:
        yield "", f"`{token}` left out"
    inside = token.startswith("(") and re.fullmatch(r"\(([^()]*)\)(=.*)?", token)
    if inside:
        words = inside[1].split("|")
        for index in spread(len(words)):
            word, rest = words[index], words[:index] + words[index + 1 :]
            if seen.spellings.stands_for(node.pattern, word, rest):
                continue
            alone = rest[0] if len(rest) == 1 else f"({'|'.join(rest)})"
            yield alone + (inside[2] or ""), f"`{word}` left out of `{token}`"


LITERAL_OPERATORS: Final[Sequence[Operator]] = (pathed, globbed, regexed, patterned)
"""What is tried on every literal of a condition."""
