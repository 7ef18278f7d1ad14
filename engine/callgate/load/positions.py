"""From offsets in a scalar's value to offsets in the file, whatever style it is written in.

A value is decoded a second time, now keeping for each of its characters the range of the file
that it came from. That is slow, and done for error messages only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["Ranges", "character_ranges"]

Ranges = list[tuple[str, int, int]]
"""A value's characters, each with start and end offset in the file."""

_BREAK: Final = re.compile(r"\r\n|\r|\n")
_HEADER: Final = re.compile(r"[|>]([-+0-9]*)[^\r\n]*")
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_NAMED: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def character_ranges(text: str, start: int, end: int, style: str, value: str) -> Ranges | None:
    """The characters of a scalar's value with their places in `text`.

    `start` and `end` enclose the scalar as it is written, `style` is that of a
    `callgate.load.nodes.Scalar`. None when the decoded text is not `value`.
    """
    if style in ("|", ">"):
        readings = _block(text, start, end, style)
    elif style:
        readings = iter([_flow(text, start + 1, end - 1, style)])
    else:
        readings = iter([_flow(text, start, end, style)])
    for ranges in readings:
        if len(ranges) == len(value) and "".join(piece for piece, _, _ in ranges) == value:
            return ranges
    return None


def _flow(text: str, start: int, end: int, style: str) -> Ranges:
    """Plain and quoted scalars: line breaks fold, quotes have their escapes."""
    result: Ranges = []
    at = start
    kept = 0  # characters of `result` that no line break may trim
    while at < end:
        character = text[at]
        if character in "\r\n":
            while len(result) > kept and result[-1][0] in " \t":
                result.pop()
            at = _fold(text, at, end, result, joined=False)
            kept = len(result)
        elif style == '"' and character == "\\":
            if text[at + 1 : at + 2] in ("\r", "\n"):
                at = _fold(text, at + 1, end, result, joined=True)
            else:
                escape = _ESCAPE.match(text, at, end)
                stop = escape.end() if escape else at + 1
                result.append((_unescape(text[at + 1 : stop]), at, stop))
                at = stop
            kept = len(result)
        else:
            width = 2 if style == "'" and character == "'" else 1
            result.append((character, at, at + width))
            if character not in " \t":
                kept = len(result)
            at += width
    return result


def _fold(text: str, at: int, end: int, result: Ranges, joined: bool) -> int:
    """Read line breaks and the white space around them; the offset where the text goes on.

    One break is a space (nothing after a backslash: `joined`), n breaks are n - 1 line feeds.
    """
    breaks: list[tuple[int, int]] = []
    first = at
    while at < end and text[at] in " \t\r\n":
        if found := _BREAK.match(text, at, end):
            breaks.append(found.span())
            at = found.end()
        else:
            at += 1
    if len(breaks) > 1:
        result.extend(("\n", *place) for place in breaks[1:])
    elif not joined:
        result.append((" ", first, at))
    return at


def _unescape(escape: str) -> str:
    if escape[:1] in ("x", "u", "U") and len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _NAMED.get(escape, escape)


def _block(text: str, start: int, end: int, style: str) -> Iterator[Ranges]:
    """The readings of a block scalar: one for each indentation that its header leaves open."""
    header = _HEADER.match(text, start, end)
    if header is None:
        return
    lines = list(_lines(text, header.end(), end))
    chomping = header[1].strip("0123456789")
    for indent in range(_deepest(text, lines), -1, -1):
        yield _block_reading(text, lines, indent, style, chomping)


def _lines(text: str, header_end: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The lines after a header: start, end, and end with the line break."""
    ending = _BREAK.match(text, header_end, end)
    while ending and ending.end() < end:
        start = ending.end()
        ending = _BREAK.search(text, start, end)
        yield (start, *(ending.span() if ending else (end, end)))


def _deepest(text: str, lines: list[tuple[int, int, int]]) -> int:
    """The most that can be indentation: what the lines up to the first with text begin with."""
    deepest = 0
    for start, end, _ in lines:
        deepest = max(deepest, _spaces(text[start:end]))
        if text[start:end].strip(" "):
            break
    return deepest


def _spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block_reading(
    text: str, lines: list[tuple[int, int, int]], indent: int, style: str, chomping: str
) -> Ranges:
    result: Ranges = []
    last: Ranges = []  # the line break after the last line with text
    blank: Ranges = []  # those of the empty lines since
    deep = False  # whether the last line with text was indented more than the others
    for start, end, stop in lines:
        margin = min(indent, _spaces(text[start:end]))
        at = start + margin
        broken: Ranges = [("\n", end, stop)] if stop > end else []
        if at == end:
            blank += broken
            continue
        if margin < indent:
            break
        deeper = text[at] in " \t"
        if style == ">" and last and not deep and not deeper:
            result += blank or [(" ", last[0][1], at)]
        else:
            result += last + blank
        result.extend((text[i], i, i + 1) for i in range(at, end))
        last, blank, deep = broken, [], deeper
    if chomping != "-":
        result += last
    if chomping == "+":
        result += blank
    return result
