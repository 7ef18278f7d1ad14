"""What the words of a program that nobody described name: files, and commands in one word."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.shell.tree import Word
from callgate.effects.sink import Sink
from callgate.effects.state import State

__all__ = ["add_mentions", "quoted_commands"]

_LED: Final = re.compile(r"-[\w-]*=@?|-\w(?=[/~])|[\w.-]*[=:]@?(?=[/~.])|@")
"""What may stand in front of a path in a word: an option, a field's name, `@`."""

_DIVIDED: Final = re.compile(r";|&&?|\|\|?|\n")
_MAX_QUOTED: Final = 16
_MAX_TOKENS: Final = 32


def add_mentions(sink: Sink, words: tuple[Word, ...], state: State) -> None:
    """Add the paths that operands and values of options may be. Names without a slash count only
    in another folder than that in which the text starts, where they are most often files."""
    names = state.cwd != sink.paths.here
    for word in words[1:]:
        text = word.text
        if not isinstance(text, str) or "://" in text or " " in text or not text:
            continue
        led = _LED.match(text)
        if led is not None:
            text = text[led.end() :]
            home = 0 if text[:1] == "~" and text[1:2] in ("", "/") else -1
            named = Word(text, word.span, home=home)
        elif text[0] == "-":
            continue
        else:
            named = word
        if "/" in text or text[:1] in ("~", ".") or (names and text):
            sink.make("mention", {"path": named}, word.span, state)


def quoted_commands(words: tuple[Word, ...]) -> list[tuple[Word, ...]]:
    """The words of each command that one quoted word may be: `x 'rm -rf /'`. A text in which more
    stands than options and places is prose."""
    found: list[tuple[Word, ...]] = []
    for word in words[1:]:
        text = word.text
        if not isinstance(text, str) or " " not in text:
            continue
        for part in _DIVIDED.split(text, _MAX_QUOTED):
            tokens = part.split(None, _MAX_TOKENS)
            if 1 < len(tokens) <= _MAX_TOKENS:
                found.append(tuple(_token(token, word) for token in tokens))
        if len(found) >= _MAX_QUOTED:
            break
    return found[:_MAX_QUOTED]


def _token(text: str, word: Word) -> Word:
    home = 0 if text[0] == "~" and text[1:2] in ("", "/") else -1
    return Word(text, word.span, home=home)
