"""Words that are added to a command from elsewhere: standard input (xargs) or `:::` (parallel)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from callgate.effects.shell.tree import Word, constant, unresolved
from callgate.effects.state import Stdin
from callgate.model.values import UNKNOWN

__all__ = ["MAX_FED", "divided", "fed_words", "replaced"]

MAX_FED: Final = 64
"""More words from standard input are not followed."""

_MARKS: Final = frozenset({":::", ":::+"})
_FILES: Final = frozenset({"::::", "::::+"})


def divided(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], list[Word] | None]:
    """The words of a command before `:::`, and the values after it; None where they aren't
    known."""
    for index, word in enumerate(words):
        if word.text in _FILES:
            return words[:index], None
        if word.text in _MARKS:
            values = [value for value in words[index + 1 :] if value.text not in _MARKS]
            known = len(values) <= MAX_FED and not any(v.text in _FILES for v in values)
            return words[:index], values if known else None
    return words, None


def fed_words(stdin: Stdin | None, lines: bool) -> list[Word] | None:
    """The words, or the `lines`, of standard input; None where it isn't known."""
    if stdin is None or stdin.kind == "file" or stdin.word is None:
        return None
    if stdin.word.below:
        return [stdin.word]
    text, span = stdin.word.text, stdin.word.span
    if not isinstance(text, str) or "\\" in text or len(text) > 100 * MAX_FED:
        return None
    try:
        found = [line.strip() for line in text.splitlines()] if lines else shlex.split(text)
    except ValueError:
        return None
    return [constant(item, span) for item in found if item] if len(found) <= MAX_FED else None


def replaced(
    word: Word, marks: Sequence[object], with_: list[Word], each: bool
) -> list[Word] | None:
    """The words that stand for a word in which something is replaced; None when nothing is.
    `each`: where a mark is a part of the word, it is replaced by each of the words."""
    if not marks or not isinstance(word.text, str):
        return None
    for mark in marks:
        if not isinstance(mark, str):
            return [unresolved(word.span, splits=True)]
        if mark and mark in word.text:
            if word.text == mark and with_:
                return with_
            head = word.text.partition(mark)[0]
            pieces = (head, UNKNOWN) if head else (UNKNOWN,)
            hidden = Word(UNKNOWN, word.span, pieces=pieces)
            if not each:
                return [hidden]
            return [
                constant(word.text.replace(mark, item.text), word.span)
                if isinstance(item.text, str)
                else hidden
                for item in with_
            ] or [hidden]
    return None
