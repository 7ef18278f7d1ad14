"""How a diagnostic looks in a terminal: the place, the message, the line, the help.

policies/acme/guards/shell.yaml:14:26: error[T003]: `deletes` is not a field of `effects`
  14 |       each: d in effects.deletes
     |                          ^^^^^^^
  help: did you mean `delete`?

Other places that take part are underlined with `-`. A text is a list of lines, a line a list of
pieces, each with the name of a style: the severity, `place`, `strong`, `gutter`, `related`,
`help`, or "" for plain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

__all__ = ["Pieces", "PrivateLines", "SourceLines", "diagnostic_pieces", "format_diagnostic"]

Pieces = list[tuple[str, str]]
"""The pieces of a line, each with the name of its style."""

SourceLines = Callable[[str], list[str] | None]
"""Gives the lines of a file by the path it is shown under, or None when it is not known."""


class PrivateLines(list[str]):
    """The lines of a settings file, any of which may hold a secret."""


_WIDTH: Final = 100
_BEFORE: Final = 40
_OWN_KEY: Final = re.compile(r"[\s-]*[\w.-]+:\s+\[?|[\s-]*")
_HELP: Final = "  help: "


def format_diagnostic(diagnostic: Diagnostic, source_lines: SourceLines) -> str:
    """The text of a diagnostic, without colour and without a line feed at its end. Its message is
    one line, however long, for programs that read it."""
    lines = diagnostic_pieces(diagnostic, source_lines)
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def diagnostic_pieces(
    diagnostic: Diagnostic, source_lines: SourceLines, width: int | None = None
) -> list[Pieces]:
    """The lines of a diagnostic, with styles. `width`: columns that it has to fit (None: its texts
    are not broken).

    Of a line of settings (`of_settings`, `PrivateLines`) no more is shown than the key and value
    that the finding is about, and nothing when it is not about a setting: the rest may be a secret.
    """
    setting = diagnostic.of_settings
    kind = str(diagnostic.severity)
    head: Pieces = [(f"{_visible(str(diagnostic.span))}: ", "place")] if diagnostic.span else []
    head.append((f"{kind}[{diagnostic.code}]: ", kind))
    lines = _told(head, diagnostic.message, "strong", "  ", width)
    if diagnostic.span:
        lines += _excerpt(diagnostic.span, source_lines, setting, "^", kind, width)
    for role, span in diagnostic.related:
        lines += _told([(f"  {_visible(str(span))}: ", "place")], role, "related", "    ", width)
        lines += _excerpt(span, source_lines, setting, "-", "related", width)
    if diagnostic.help:
        lines += _told([(_HELP, "help")], diagnostic.help, "", " " * len(_HELP), width)
    return lines


def _told(head: Pieces, text: str, style: str, indent: str, width: int | None) -> list[Pieces]:
    """A text behind its head, in as many lines as `width` asks for."""
    text = _visible(text)
    if width is None:
        return [[*head, (text, style)]]
    used = sum(_columns(piece) for piece, _ in head)
    lines: list[Pieces] = []
    line = head
    for index, word in enumerate(text.split(" ")):
        gap = " " if index and line[-1][0] != indent else ""
        if used + len(gap) + _columns(word) > width and (index or used > len(indent)):
            lines.append(line)
            line, used, gap = [(indent, "")], len(indent), ""
        line = [*line, (gap + word, style)]
        used += len(gap) + _columns(word)
    return [*lines, line]


def _excerpt(
    span: Span,
    source_lines: SourceLines,
    setting: bool,
    mark: str,
    style: str,
    width: int | None,
) -> list[Pieces]:
    """The line that a span begins in, with a line of marks below it."""
    lines = source_lines(span.file)
    if lines is None or not 0 < span.line <= len(lines):
        return []
    if isinstance(lines, PrivateLines) and not setting:
        return []
    line = lines[span.line - 1]
    start = min(span.column - 1, len(line))
    end = len(line.rstrip()) if span.end_line > span.line else min(span.end_column - 1, len(line))
    end = max(end, start)
    if setting:
        line, start, end = _only(line, start, end)
    number = str(span.line)
    room = _WIDTH if width is None else max(20, width - len(number) - 9)
    line, start, end = _window(line, start, end, room)
    if not line.strip():
        return []
    before, marked = _shown(line[:start]), _shown(line[start:end])
    marks = mark * max(_columns(marked), 1)
    return [
        [(f"  {number} | ", "gutter"), (before, ""), (marked, style), (_shown(line[end:]), "")],
        [(f"  {' ' * len(number)} | ", "gutter"), (" " * _columns(before), ""), (marks, style)],
    ]


def _only(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The marked part of a line with the key right before it, and nothing else."""
    if not _OWN_KEY.fullmatch(line, 0, start):
        return line[start:end], 0, end - start
    return line[:end], start, end


def _window(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """At most `room` characters of a line, around the marked part."""
    if len(line) <= room:
        return line, start, end
    first = max(0, min(start - _BEFORE * room // _WIDTH, len(line) - room))
    cut = line[first : first + room]
    lead = "… " if first else ""
    tail = " …" if first + room < len(line) else ""
    shift = len(lead) - first
    return lead + cut + tail, start + shift, min(end, first + room) + shift


def _shown(text: str) -> str:
    """A piece of a line as it is printed: tabs are one space, the invisible is escaped."""
    return _visible(text.replace("\t", " "))


def _visible(text: str) -> str:
    """Control, bidirectional and other invisible characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)
