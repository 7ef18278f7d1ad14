"""Texts in code of which no call tells what they are for: what they may mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from callgate.effects.addresses import address_class, name_class
from callgate.effects.code.maker import Maker
from callgate.effects.code.values import Call
from callgate.effects.shell.tree import Span, Word

__all__ = ["Literal", "add_leftovers"]

Literal = tuple[str, int, int]
"""A text in code, and its place."""

_MAX_LENGTH: Final = 4096
_MAX_GUESSES: Final = 64
_URL: Final = re.compile(r"(?i)(?:https?|ftps?|wss?|file|gopher)://\S+")
_HOST: Final = re.compile(r"(?i)\[?(?=[0-9a-z-]*[.:][0-9a-z.:-])[0-9a-z.:-]+\]?")
_PATH: Final = re.compile(
    r"(?:~[\w.-]*|\.{0,2})/[^\n\r\t\"'<>|*{}]*|[\w.@+-]+(?:/[\w.@+-]+)+/?|\.\w[\w.-]*"
)
_GUESSED: Final = frozenset({"delete", "device", "permission", "read", "power", "connect"})
"""What a text that may be a command is looked at for."""


def add_leftovers(maker: Maker, literals: Iterable[Literal]) -> None:
    """Add what texts say that no call was told to do anything with: paths and hosts that are named,
    and, where something runs that nobody sees, what they would do as commands."""
    used = sorted(maker.used)
    reach = _reach(used)
    starts = [start for start, _ in used]
    at = replace(maker.state, certain=False)
    guesses = 0
    for text, start, end in literals:
        index = bisect_right(starts, start)
        if index and reach[index - 1] >= end:
            continue
        text = text.strip()
        if not 1 < len(text) <= _MAX_LENGTH:
            continue
        span = maker.span((start, end))
        if _URL.fullmatch(text):
            maker.sink.connect_url(Word(text, span), "https", span, at)
        elif _PATH.fullmatch(text):
            home = 0 if text[0] == "~" and text[1:2] in ("", "/") else -1
            maker.sink.make("mention", {"path": Word(text, span, home=home)}, span, at)
        elif _HOST.fullmatch(text) and _is_metadata(text):
            maker.sink.connect_host(text, "http", None, span, at)
        elif maker.unseen and " " in text and guesses < _MAX_GUESSES:
            guesses += 1
            _guess(maker, text, (start, end))


def _is_metadata(text: str) -> bool:
    host = text.strip("[]").lower()
    return (address_class(host) or name_class(host)) == "metadata"


def _reach(spans: list[Span]) -> list[int]:
    """How far the spans up to each one reach."""
    found: list[int] = []
    for _, end in spans:
        found.append(max(end, found[-1]) if found else end)
    return found


def _guess(maker: Maker, text: str, span: Span) -> None:
    sink = maker.sink
    kept, sink.only = sink.only, _GUESSED
    try:
        word = Word(text, span)
        state = replace(maker.state, certain=False)
        maker.shell_text(word, Call(None, "text", span), state)
    finally:
        sink.only = kept
