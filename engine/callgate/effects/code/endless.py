"""Loops without end in code that is read by its tokens."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from callgate.effects.code.token_values import Code, Range
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["in_endless_loop"]

_MAX_LOOPS: Final = 64
_LOOPS: Final = frozenset({"loop", "while", "for"})
_WORDS: Final = frozenset(
    {"do", "end", "loop", "while", "for", "next", "continue", "begin", "my", "let", "var", "const"}
    | {"true", "True", "and", "or", "not"}
)
_BORDERS: Final = frozenset({";", "{", "}"})


def in_endless_loop(code: Code, index: int, harmless: Collection[str]) -> bool | Unknown:
    """Whether the call whose name stands at an index is made again and again: True where nothing
    else happens in the loop than what `harmless` names, UNKNOWN where something does."""
    tokens = code.tokens
    loops = [at for at, token in enumerate(tokens) if token.kind == "name" and token.text in _LOOPS]
    quiet = {*_WORDS, *harmless, tokens[index].text}
    found: bool | Unknown = False
    for at in loops[:_MAX_LOOPS]:
        body = _endless(code, at, tokens[index].text)
        if body is None or not body[0] <= index < body[1]:
            continue
        names = {token.text for token in tokens[body[0] : body[1]] if token.kind == "name"}
        if names <= quiet:
            return True
        found = UNKNOWN
    return found


def _endless(code: Code, at: int, called: str) -> Range | None:
    """What a loop repeats, its condition with it; None where it comes to an end."""
    start = at + 1
    if code.tokens[at].text == "loop":
        return _body(code, at, start)
    if code.mark(start, "("):
        part, after = (start + 1, min(code.close[start], len(code.tokens))), code.close[start] + 1
    else:
        part, after = (start, _condition_end(code, start)), _condition_end(code, start)
    if code.tokens[at].text == "for":
        holds = part[1] - part[0] == 2 and code.mark(part[0], ";") and code.mark(part[0] + 1, ";")
        return _body(code, at, after) if holds else None
    if code.value(part) not in (None, False, 0):
        return _body(code, at, after)
    inside = [token for token in code.tokens[part[0] : part[1]] if token.kind != "mark"]
    if [token.text for token in inside] == [called]:
        return _body(code, at, after)
    return None


def _condition_end(code: Code, at: int) -> int:
    tokens = code.tokens
    while at < len(tokens) and tokens[at].kind != "line" and tokens[at].text != "do":
        if code.mark(at, *_BORDERS):
            break
        at += 1
    return at


def _body(code: Code, at: int, after: int) -> Range:
    """From the loop's word to the end of what it repeats; or the statement that it follows."""
    tokens = code.tokens
    while after < len(tokens) and tokens[after].kind == "line":
        after += 1
    if code.mark(after, "{"):
        return at, min(code.close[after], len(tokens))
    first = at
    while first and tokens[first - 1].kind != "line" and not code.mark(first - 1, *_BORDERS):
        first -= 1
    if first < at:
        return first, after
    return at, len(tokens)
