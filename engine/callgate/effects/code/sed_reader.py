"""Reads sed scripts: the commands that read, write or run something."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.spec import CallEffect, Reference
from callgate.effects.code.values import Call
from callgate.effects.shell.tree import Span, Word

__all__ = ["read_sed"]

_FIRST: Final = (Reference("argument", 0),)
_READ: Final = (CallEffect("read", {"path": _FIRST}),)
_WRITE: Final = (CallEffect("write", {"path": _FIRST}),)
_SHELL: Final = (CallEffect("shell", {"text": _FIRST}),)
_BLANK: Final = re.compile(r"[\s;{}!,~+]+")
_NUMBER: Final = re.compile(r"\d+|\$")
_LINE: Final = re.compile(r"[^\n]*")
_TEXT: Final = re.compile(r"(?:[^\\\n]|\\.)*", re.DOTALL)
_LABEL: Final = re.compile(r"[^;\n]*")
_FLAGS: Final = re.compile(r"[gpiIemM0-9]*")


def read_sed(text: str, maker: Maker) -> None:
    """Add the effects of a script."""
    at, end = 0, len(text)
    while at < end:
        if found := _BLANK.match(text, at) or _NUMBER.match(text, at):
            at = found.end()
            continue
        char = text[at]
        at += 1
        if char == "/":
            at = _after(text, at, "/")
            while at < end and text[at] in "IM":
                at += 1
        elif char == "\\" and at < end:
            at = _after(text, at + 1, text[at])
        elif char in "sy" and at < end:
            mark = text[at]
            at = _after(text, _after(text, at + 1, mark), mark)
            if char == "s":
                at = _flags(text, at, maker)
        elif char in "rRwW":
            at = _named(text, at, _READ if char in "rR" else _WRITE, maker)
        elif char == "e":
            at = _named(text, at, _SHELL, maker)
        elif char in "aic":
            at = _match_end(_TEXT, text, at)
        elif char in "btT:":
            at = _match_end(_LABEL, text, at)
        elif char == "#":
            at = _match_end(_LINE, text, at)


def _flags(text: str, at: int, maker: Maker) -> int:
    end = _match_end(_FLAGS, text, at)
    if "e" in text[at:end]:
        maker.opaque("text that sed makes runs as a command", (at, end))
    if text[end : end + 1] == "w":
        return _named(text, end + 1, _WRITE, maker)
    return end


def _named(text: str, at: int, effects: tuple[CallEffect, ...], maker: Maker) -> int:
    """The rest of the line is a file's name, or a command."""
    end = _match_end(_LINE, text, at)
    span: Span = (at, end)
    name = text[at:end].strip()
    if name:
        maker.call(effects, Call(None, "sed", span, None, [Word(name, span)]))
    elif effects is _SHELL:
        maker.opaque("lines that sed runs as commands", span)
    return end


def _after(text: str, at: int, mark: str) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == mark:
            return at + 1
        at += 1
    return len(text)


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
