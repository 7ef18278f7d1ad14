"""Text for terminals and pipes: pieces with a style, padded and cut by the cells they fill."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable
from typing import IO, Any, Final

import click

from callgate.runtime.masking import escape

__all__ = ["MARKS", "Line", "Painter", "cells", "cut", "pad", "shown", "wrapped"]

Line = list[tuple[str, str]]
"""Texts with the name of a style; "" is plain."""

MARKS: Final = {"allow": "✓", "ask": "?", "deny": "✕"}

_STYLES: Final[dict[str, dict[str, Any]]] = {
    "allow": {"fg": "green", "bold": True},
    "ask": {"fg": "yellow", "bold": True},
    "deny": {"fg": "red", "bold": True},
    "strong": {"bold": True},
    "dim": {"dim": True},
    "name": {"fg": "cyan"},
    # diagnostics (callgate.load.report)
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
    "place": {"bold": True},
    "gutter": {"dim": True},
    "related": {"fg": "blue"},
    "help": {"fg": "green"},
}
_WIDEST: Final = 100
_COMMAND: Final = re.compile(r"^(\s*):(?=:)|(?<=#)#(?=\[)")
"""What a line of a job's log begins a command of GitHub with, and what does it anywhere in one."""


class Painter:
    """Writes styled lines to a stream: with colour on terminals (unless NO_COLOR), else plain.

    Whatever a text holds, it stays in its line and acts on nothing: see `shown`.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stdout
        self.terminal = self.stream.isatty()
        self.colour = (
            self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )
        self.columns = _columns() if self.terminal else _WIDEST
        self.width = max(60, min(self.columns, _WIDEST))
        self.wrap = self.width if self.terminal else None
        """Where long texts are broken: nowhere in pipes, where programs read them."""

    def write(self, lines: Iterable[Line]) -> None:
        """Write the lines, without spaces at their ends."""
        for line in lines:
            if self.colour:
                pieces = ((escape(text), _STYLES.get(name, {})) for text, name in line)
                text = "".join(click.style(text, **style) for text, style in pieces)
            else:
                text = shown("".join(text for text, _ in line))
            self.stream.write(text.rstrip() + "\n")


def shown(line: str) -> str:
    """A line without line end, with what acts on a terminal as escapes, and so that a job's log
    takes it for no command."""
    line = escape(line)
    return _COMMAND.sub(_hidden, line) if "::" in line or "##[" in line else line


def _hidden(found: re.Match[str]) -> str:
    return f"{found[1] or ''}\\x{ord(found[0][-1]):02x}"


def _columns() -> int:
    """The width of the terminal; the variable COLUMNS counts first."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size().columns or _WIDEST
    except OSError:
        return _WIDEST


def cells(text: str) -> int:
    """How many terminal cells a text without control characters fills."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def pad(text: str, width: int) -> str:
    """The text with spaces up to `width` cells."""
    return text + " " * (width - cells(text))


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells, with `…` where something is missing."""
    return text if cells(text) <= width else _start(text, width - 1) + "…"


def _start(text: str, width: int) -> str:
    """As much of the text as fits `width` cells, but at least one character."""
    used = 0
    for index, char in enumerate(text):
        used += cells(char)
        if used > width:
            return text[: max(1, index)]
    return text


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken at spaces where there are any."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
        while cells(line) > width:
            head = _start(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line or not lines else lines
