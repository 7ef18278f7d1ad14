"""What functions on texts give: paths that are expanded, searches, texts cut into words."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import Final

from callgate.effects.code.values import Value, as_word, joined, path_joined
from callgate.effects.shell.tree import Span, Word

__all__ = ["cut", "expanded", "formatted", "searched"]

_PLACEHOLDER: Final = re.compile(r"%(?:%|[-+ #0-9.]*[a-zA-Z])")


def expanded(value: Value) -> Value:
    """A path in which `~` may mean the home folder."""
    if isinstance(value, Word) and isinstance(value.text, str) and value.text[:1] == "~":
        if value.text[1:2] in ("", "/"):
            return Word(value.text, value.span, home=0)
    return value


def searched(how: str, values: list[Value], span: Span) -> Word:
    """What a search for a pattern finds, or anything in the folder where there is none."""
    if how == "pattern":
        word = as_word(values[0], span)
    else:
        middle: list[Value] = [Word("**", span)] if how == "below" else []
        pattern = values[1] if len(values) > 1 else Word("*", span)
        word = path_joined([values[0], *middle, pattern], span)
    known = isinstance(word.text, str)
    return replace(word, glob=known, below=known and how == "below")


def formatted(form: Word, values: list[Value], span: Span) -> Value:
    """A format as printf has them, filled with values."""
    if not isinstance(form.text, str):
        return None
    rest = iter(values)
    parts: list[Value] = []
    at = 0
    for found in _PLACEHOLDER.finditer(form.text):
        parts.append(Word(form.text[at : found.start()], span))
        parts.append(Word("%", span) if found.group() == "%%" else next(rest, None))
        at = found.end()
    return joined([*parts, Word(form.text[at:], span)], span)


def cut(value: Value) -> Value:
    """A text cut at blanks, as a shell's words where it has quotes."""
    word = as_word(value, (0, 0))
    if not isinstance(word.text, str):
        return None
    try:
        parts = shlex.split(word.text)
    except ValueError:
        return None
    return tuple(Word(part, word.span) for part in parts)
