"""Measuring, wrapping and escaping text for drawings, without a font at hand."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["MONO", "SANS", "clean", "escape", "fit", "width_of", "wrap"]

SANS: Final = "sans"
MONO: Final = "mono"

_NARROW: Final = frozenset("iljtfrI.,:;'|!()[]{}/ ")
_BROAD: Final = frozenset("mwMWQOGCD@%")
_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    """The text in one line, with what can't be seen or is not XML written as an escape."""
    joined = " ".join(text.split())
    if joined.isprintable():
        return joined
    return "".join(
        f"\\u{ord(char):04x}" if unicodedata.category(char) in _UNSEEN else char for char in joined
    )


def escape(text: str) -> str:
    """Text as XML character data or attribute value."""
    safe = _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        safe = safe.replace(char, entity)
    return safe


def width_of(text: str, size: float, family: str = SANS, bold: bool = False) -> float:
    """About how wide the text is, in pixels at a font size in pixels; rather too wide."""
    em = sum(_em(char, family) for char in text)
    return em * size * (1.06 if bold else 1.0)


def _em(char: str, family: str) -> float:
    if ord(char) > 0x2E7F and unicodedata.east_asian_width(char) in "WF":
        return 1.05
    if family == MONO:
        return 0.605
    if char in _NARROW:
        return 0.34
    if char in _BROAD:
        return 0.86
    return 0.68 if char.isupper() else 0.565


def fit(text: str, size: float, width: float, family: str = SANS, bold: bool = False) -> str:
    """The text in one line of at most `width` pixels, with `…` where something is missing."""
    shown = clean(text)
    if width_of(shown, size, family, bold) <= width:
        return shown
    left = width - width_of("…", size, family, bold)
    end = 0
    for char in shown:
        left -= width_of(char, size, family, bold)
        if left < 0:
            break
        end += 1
    return shown[:end].rstrip() + "…"


def wrap(text: str, size: float, width: float, family: str = SANS) -> list[str]:
    """The text in lines that fit `width` pixels; words longer than a line are cut.

    In monospaced text, which is conditions, a line breaks before `and` and `or` where that leaves
    it at least half full.
    """
    lines: list[str] = []
    words = [piece for word in clean(text).split(" ") for piece in _cut(word, size, width, family)]
    line: list[str] = []
    for word in words:
        if line and width_of(" ".join([*line, word]), size, family) > width:
            keep = _break(line, size, width, family) if family == MONO else len(line)
            lines.append(" ".join(line[:keep]))
            line = line[keep:]
        line.append(word)
    if line:
        lines.append(" ".join(line))
    return lines


def _break(line: list[str], size: float, width: float, family: str) -> int:
    for at in range(len(line) - 1, 0, -1):
        if line[at] in ("and", "or"):
            if width_of(" ".join(line[:at]), size, family) >= width / 2:
                return at
            break
    return len(line)


def _cut(word: str, size: float, width: float, family: str) -> list[str]:
    pieces = []
    while width_of(word, size, family) > width:
        take = len(word)
        while take > 1 and width_of(word[:take], size, family) > width:
            take = max(1, min(take - 1, int(take * width / width_of(word[:take], size, family))))
        pieces.append(word[:take])
        word = word[take:]
    return [*pieces, word] if word or not pieces else pieces
