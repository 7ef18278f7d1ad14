"""Takes comments out of shell text, where two readers agree on what is one.

A comment tells a reviewer what the agent wants it to think. But a `#` may also stand in a word, in
quotes or in a here-document, and whoever takes text that runs for a comment hides it. So what a
linear scan and the grammar don't both call a comment stays in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from callgate.effects.shell.bounds import refusal
from callgate.effects.shell.grammar import TooMuchWorkError, syntax_tree
from callgate.effects.shell.heredocs import mask
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import Span

__all__ = ["without_shell_comments", "without_spans"]

_BEFORE: Final = " \t\n;&|("
"""What a word never goes on after; after a `)` it may."""


def without_shell_comments(text: str) -> str:
    """The text without its comments; a text that is not understood from end to end, as it is.
    Never raises."""
    if "#" not in text or refusal(text) is not None:
        return text
    try:
        masked = mask(text)
        root = syntax_tree(masked.text)
    except (ScanError, TooMuchWorkError):
        return text
    if root.has_error:
        return text
    scanned = set(masked.comments)
    found: list[Span] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "comment":
            start = node.start_byte
            if start == 0 or text[start - 1] in _BEFORE:
                found.append((start, node.end_byte))
        else:
            stack += node.children
    return without_spans(text, [span for span in found if span in scanned])


def without_spans(text: str, spans: Iterable[Span], blank: str = "") -> str:
    """The text with `blank` in the place of each span; spans do not overlap."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        parts += (text[at:start], blank)
        at = end
    return "".join((*parts, text[at:]))
