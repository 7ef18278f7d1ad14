"""Reads makefiles: their recipes are shell text."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.values import Call, Value, joined
from callgate.effects.shell.tree import Span, Word

__all__ = ["read_make"]

_RECIPE: Final = re.compile(
    r"(?m)^(?:\t|[^\t#\n=:]{1,200}:[^=\n;]{0,200};)[@+\- \t]*((?:[^\\\n]|\\.|\\\n)*)", re.DOTALL
)
_VARIABLE: Final = re.compile(r"\$(?:\$|\((?!shell\b)[^()$]*\)|\{[^{}$]*\}|[@<^?*+|%])")
_SHELL: Final = re.compile(
    r"\$\(shell\s+([^()]*)\)|^[A-Za-z_]\w*[ \t]*!=[ \t]*([^\n]*)", re.MULTILINE
)


def read_make(text: str, maker: Maker) -> None:
    """Add the effects of a makefile."""
    for pattern in (_RECIPE, _SHELL):
        for found in pattern.finditer(text):
            group = 1 if found.group(1) is not None else 2
            body = found.group(group)
            if body.strip():
                span = found.span(group)
                word = _expanded(body, span)
                maker.shell_text(word, Call(None, "recipe", span), maker.state)


def _expanded(text: str, span: Span) -> Word:
    """A recipe with what make puts into it: variables are unknown, `$$` is a `$`."""
    parts: list[Value] = []
    at = 0
    for found in _VARIABLE.finditer(text):
        parts.append(Word(text[at : found.start()], span))
        parts.append(Word("$", span) if found.group() == "$$" else None)
        at = found.end()
    parts.append(Word(text[at:], span))
    return joined(parts, span)
