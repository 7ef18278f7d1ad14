"""Taking an item out of a YAML list without touching what stands around it."""

from __future__ import annotations

import re
from typing import Final

from callgate.lint.rule import Edit
from callgate.load.document import Document
from callgate.load.nodes import Sequence

__all__ = ["without_item"]

_COMMA: Final = re.compile(r"\s*,\s*")
_DASH: Final = re.compile(r"[ \t]*-[ \t]+")


def without_item(document: Document, path: tuple[str | int, ...], index: int) -> tuple[Edit, ...]:
    """The edit that takes an item that is not the first out of the list at a path.

    None where the item shares its lines with something else, such as a comment.
    """
    found = document.node(*path)
    if not isinstance(found, Sequence) or not 0 < index < len(found.items):
        return ()
    source, item = document.source, found.items[index]
    text = source.text
    if text[found.start] == "[":
        before = found.items[index - 1].end
        if _COMMA.fullmatch(text, before, item.start) is None:
            return ()
        return (Edit(source.span(before, item.end), ""),)
    start, _ = source.line_range(item.start)
    end = item.start + len(text[item.start : item.end].rstrip())
    _, stop = source.line_range(end)
    if _DASH.fullmatch(text, start, item.start) is None or text[end:stop].strip():
        return ()
    # With the line end: that of the line itself, or, of the last line of a file, the one before.
    after = stop + (2 if text.startswith("\r\n", stop) else 1)
    if after > len(text):
        return ()
    return (Edit(source.span(start, after), ""),)
