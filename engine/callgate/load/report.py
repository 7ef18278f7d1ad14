"""How a diagnostic looks in a terminal: the place, the message, the line, the help.

policies/acme/guards/shell.yaml:14:26: error[T003]: `deletes` is not a field of `effects`
  14 |       each: d in effects.deletes
     |                          ^^^^^^^
  help: did you mean `delete`?
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

__all__ = ["PrivateLines", "SourceLines", "format_diagnostic"]

SourceLines = Callable[[str], list[str] | None]
"""Gives the lines of a file by the path it is shown under, or None when it is not known."""


class PrivateLines(list[str]):
    """The lines of a settings file, any of which may hold a secret."""


_WIDTH: Final = 100
_BEFORE: Final = 40
_OWN_KEY: Final = re.compile(r"[\s-]*[\w.-]+:\s+\[?|[\s-]*")


def format_diagnostic(diagnostic: Diagnostic, source_lines: SourceLines) -> str:
    """The text of a diagnostic, without colour and without a line feed at its end.

    Of a line of settings (`of_settings`, `PrivateLines`) no more is shown than the key and value
    that the finding is about, and nothing when it is not about a setting: the rest may be a secret.
    """
    setting = diagnostic.of_settings
    where = f"{diagnostic.span}: " if diagnostic.span else ""
    lines = [f"{where}{diagnostic.severity}[{diagnostic.code}]: {_visible(diagnostic.message)}"]
    if diagnostic.span:
        lines += _excerpt(diagnostic.span, source_lines, setting)
    for role, span in diagnostic.related:
        lines.append(f"  {span}: {_visible(role)}")
        lines += _excerpt(span, source_lines, setting)
    if diagnostic.help:
        lines.append(f"  help: {_visible(diagnostic.help)}")
    return "\n".join(lines)


def _excerpt(span: Span, source_lines: SourceLines, setting: bool) -> list[str]:
    """The line that a span begins in, with a line of carets below it."""
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
    line, start, end = _window(line, start, end)
    if not line.strip():
        return []
    before, marked = _shown(line[:start]), _shown(line[start:end])
    carets = "^" * max(_columns(marked), 1)
    number = str(span.line)
    return [
        f"  {number} | {before}{marked}{_shown(line[end:])}".rstrip(),
        f"  {' ' * len(number)} | {' ' * _columns(before)}{carets}",
    ]


def _only(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The marked part of a line with the key right before it, and nothing else."""
    if not _OWN_KEY.fullmatch(line, 0, start):
        return line[start:end], 0, end - start
    return line[:end], start, end


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """At most `_WIDTH` characters of a line, around the marked part."""
    if len(line) <= _WIDTH:
        return line, start, end
    first = max(0, min(start - _BEFORE, len(line) - _WIDTH))
    cut = line[first : first + _WIDTH]
    lead = "… " if first else ""
    tail = " …" if first + _WIDTH < len(line) else ""
    shift = len(lead) - first
    return lead + cut + tail, start + shift, min(end, first + _WIDTH) + shift


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
