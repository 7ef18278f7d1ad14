"""A page of the documentation for terminals: readable in 80 columns, files as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callgate.cli.paint import Line, wrapped

__all__ = ["page_lines"]

_WIDTH: Final = 80
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ITEM: Final = re.compile(r"(\s*(?:[-*]|\d+\.) )")
_TOLD: Final = re.compile(r"\s*(?:help: |\S+:\d+:\d+: )")
_CODE: Final = re.compile(r"(`[^`]*`)")


def page_lines(text: str) -> list[Line]:
    """The lines of a page of Markdown, with styles."""
    lines: list[Line] = []
    paragraph: list[str] = []
    fenced = told = False
    for line in text.splitlines():
        if line.startswith("```"):
            lines.extend(_flowing(paragraph))
            paragraph = []
            fenced = not fenced
            told = line == "```text"
            if fenced and (name := re.search(r"file=(\S+)", line)):
                lines.append([("    ", ""), (f"# {name[1]}", "dim")])
        elif fenced:
            found = _TOLD.match(line) if told else None
            lines.extend(_hanging(line) if found else [[("    " + line, "")]])
        elif line.startswith("#"):
            lines.extend(_flowing(paragraph))
            paragraph = []
            lines.append([(line.lstrip("#").strip(), "strong")])
        elif not line.strip() or line.startswith("|"):
            lines.extend(_flowing(paragraph))
            paragraph = []
            lines.append([(line, "")])
        elif _ITEM.match(line):
            lines.extend(_flowing(paragraph))
            paragraph = [line]
        else:
            paragraph.append(line)
    lines.extend(_flowing(paragraph))
    return lines


def _hanging(line: str) -> Iterator[Line]:
    """A line of a diagnostic in lines of at most 80 columns."""
    margin = " " * (4 + len(line) - len(line.lstrip()))
    for number, part in enumerate(wrapped(line.strip(), _WIDTH - len(margin) - 2)):
        yield [(margin + "  " * (number > 0) + part, "")]


def _flowing(paragraph: list[str]) -> Iterator[Line]:
    """A paragraph or item in lines of at most 80 columns."""
    if not paragraph:
        return
    text = _LINK.sub(r"\1", " ".join(line.strip() for line in paragraph))
    item = _ITEM.match(text)
    mark = item[1] if item else ""
    for number, line in enumerate(wrapped(text[len(mark) :], _WIDTH - len(mark))):
        head = mark if number == 0 else " " * len(mark)
        yield [(head, ""), *_pieces(line)]


def _pieces(line: str) -> Line:
    return [(part, "name" if part.startswith("`") else "") for part in _CODE.split(line) if part]
