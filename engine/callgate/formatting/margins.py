"""The comments and blank lines of a file, taken in order as the values around them are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from callgate.formatting.trivia import FORMAT_OFF, FORMAT_ON, find_trivia, scalar_end
from callgate.load.nodes import Mapping, Node, Scalar

__all__ = ["Margins", "Part", "joined"]

_END: Final = 1 << 62
_COMMENT: Final = re.compile(r"#[^\n]*")

Part = tuple[list[str], list[str]]
"""What stands above some lines (comments without indentation, "" for a blank line), and those."""


def joined(parts: Iterable[Part], indent: int = 0) -> list[str]:
    """The lines of the parts with what stands above them, one blank line at most in between (none
    where a block of text keeps its own)."""
    lines: list[str] = []
    margin = " " * indent
    for lead, own in parts:
        blank = False
        for text in lead:
            if text and blank and lines and lines[-1]:
                lines.append("")
            if text:
                lines.append(margin + text)
            blank = not text
        if blank and own and lines and lines[-1]:
            lines.append("")
        lines += own
    return lines


class Margins:
    """What stands between the values of `text`. `next`: where the next of it begins."""

    def __init__(self, text: str, root: Node) -> None:
        self._text = text
        self._items = find_trivia(text, root)
        self._at = 0
        self.next = 0
        self._move(0)

    def _move(self, at: int) -> None:
        self._at = at
        self.next = self._items[at].start if at < len(self._items) else _END

    def column(self, offset: int) -> int:
        """How far what begins at an offset is indented."""
        return offset - self._text.rfind("\n", 0, offset) - 1

    def indent(self, offset: int) -> int:
        """How far the line is indented on which what begins at an offset stands; -1 at the end."""
        if offset >= len(self._text):
            return -1
        start = at = self._text.rfind("\n", 0, offset) + 1
        while self._text[at] == " ":
            at += 1
        return at - start

    def before(self, offset: int) -> list[str]:
        """Take everything up to an offset."""
        if self.next >= offset:
            return []
        first = self._at
        while self.next < offset:
            self._move(self._at + 1)
        return [item.text for item in self._items[first : self._at]]

    def comments_before(self, offset: int) -> list[str]:
        """Take everything up to an offset, without its blank lines."""
        return [text for text in self.before(offset) if text] if self.next < offset else []

    def trailing(self, end: int, until: int) -> list[str]:
        """Take the comment before `until` on the line on which something ends, if there is one."""
        if self.next >= until or self._items[self._at].alone:
            return []
        if self.next < end or self._text.find("\n", end, self.next) >= 0:
            return []
        self._move(self._at + 1)
        return [self._items[self._at - 1].text]

    def commented(self, end: int) -> bool:
        """Drop the blank lines that come next; whether then a comment comes before `end`."""
        while self.next < end and not self._items[self._at].text:
            self._move(self._at + 1)
        return self.next < end

    def tail(self, until: int, column: int) -> list[str]:
        """Take the comments before `until` that are indented by `column` at least: they belong to
        what has just ended there."""
        if self.next >= until:
            return []
        first = last = self._at
        for at in range(first, len(self._items)):
            item = self._items[at]
            if item.start >= until or (item.text and not (item.alone and item.column >= column)):
                break
            if item.text:
                last = at + 1
        self._move(last)
        return [item.text for item in self._items[first:last]]

    @property
    def taken(self) -> int:
        """How many comments and blank lines were taken."""
        return self._at

    def off_since(self, first: int, start: int, dash: bool) -> int | None:
        """The number of the last `# fmt: off` that counts, of what was taken since `first`, before
        an entry whose key or value begins at `start`. `dash`: whether it is an item of a list."""
        for at in range(self._at - 1, first - 1, -1):
            item = self._items[at]
            if item.text == FORMAT_ON and item.alone:
                return None
            if item.text == FORMAT_OFF and item.alone:
                # Behind the dash it comes too late.
                gap = _COMMENT.sub("", self._text[item.start : start])
                return at if not dash or "-" in gap else None
        return None

    def verbatim(
        self, starts: Sequence[int], ends: Sequence[Node], off: int, until: int, shift: int
    ) -> tuple[int, list[str]]:
        """The lines from a `# fmt: off` (see `off_since`) up to the next `# fmt: on` between two
        entries, or to the end, and the entry after them.

        `starts`, `ends`: where the entries begin, and their values; `shift`: by how much the lines
        are indented more.
        """
        text, items = self._text, self._items
        begin = text.rfind("\n", 0, items[off].start) + 1
        for place in range(self._at, len(items)):
            item = items[place]
            if item.start >= until:
                break
            if item.text != FORMAT_ON or not item.alone:
                continue
            after = sum(start < item.start for start in starts)
            last = _end(text, ends[after - 1])
            # Between a dash and what stands behind it, it is not between two entries.
            if last <= item.start and "-" not in _COMMENT.sub("", text[last : item.start]):
                blank = items[place - 1]
                place -= not blank.text and blank.start >= last
                self._move(place)
                end = items[place].start if not items[place].text else item.start - item.column
                return after, _shifted(text[begin:end], shift)
        end = _end(text, ends[-1])
        line = text.find("\n", end)
        if text[end - 1] != "\n":
            end = line if line >= 0 else len(text)
        self.before(end)
        return len(starts), _shifted(text[begin:end], shift)


def _end(text: str, node: Node) -> int:
    """Where the last value in a node ends."""
    while not isinstance(node, Scalar) and text[node.start] not in "[{":
        node = list(node.entries.values())[-1][1] if isinstance(node, Mapping) else node.items[-1]
    return scalar_end(text, node) if isinstance(node, Scalar) else node.end


def _shifted(chunk: str, shift: int) -> list[str]:
    lines = chunk.removesuffix("\n").split("\n")
    if shift >= 0:
        return [" " * shift + line if line else line for line in lines]
    return [line[min(-shift, len(line) - len(line.lstrip(" "))) :] for line in lines]
