"""One row of a text with what is hung below it: underlines, and labels on vertical bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from callgate.cli.paint import Line, cells, cut

__all__ = ["Label", "Mark", "hung"]

_LINES: Final = {"deny": "━", "ask": "─"}
_ANCHORS: Final = {"deny": "┳", "ask": "┬"}
_PLAIN: Final = ("╌", "┬")
_STRONGEST: Final = ("deny", "ask", "")


@dataclass(frozen=True, slots=True)
class Label:
    """What is written on a bar: pieces with their styles, and the severity of what it names."""

    line: tuple[tuple[str, str], ...]
    severity: str


@dataclass(slots=True)
class Mark:
    """The underline of some columns, with its labels; without any, that of the row before it goes
    on."""

    start: int
    end: int
    labels: list[Label] = field(default_factory=list)
    severity: str = ""
    lane: int = 0
    anchor: int = -1

    @property
    def style(self) -> str:
        """The style that it is painted in."""
        return self.severity or "dim"


def hung(marks: Sequence[Mark], width: int) -> Iterator[Line]:
    """The rows below a row of text of at most `width` cells.

    Marks that overlap are underlined on rows of their own, the shortest next to the text. Labels
    are written right of their bars where they fit and hide no other bar, else left of them.
    """
    marks = _merged(marks)
    _into_lanes(marks)
    _anchored(marks)
    for lane in range(max((mark.lane for mark in marks), default=-1) + 1):
        yield _underlines(marks, lane, width)
    open_ = [mark for mark in marks if mark.labels]
    while open_:
        mark, right = _next(open_, width)
        last = len(mark.labels) == 1
        yield _labelled(open_, mark, right, width, last)
        del mark.labels[0]
        if last:
            open_.remove(mark)


def _merged(marks: Sequence[Mark]) -> list[Mark]:
    """Marks of the same columns are one with several labels."""
    found: dict[tuple[int, int], Mark] = {}
    for mark in marks:
        same = found.setdefault((mark.start, mark.end), Mark(mark.start, mark.end))
        same.labels += mark.labels
        same.severity = min(same.severity, mark.severity, key=_STRONGEST.index)
    for mark in found.values():
        mark.labels.sort(key=lambda label: _STRONGEST.index(label.severity))
    return list(found.values())


def _into_lanes(marks: list[Mark]) -> None:
    """Give overlapping marks lanes of their own, longer ones below shorter ones."""
    marks.sort(key=lambda mark: (mark.end - mark.start, mark.start))
    for number, mark in enumerate(marks):
        below = [
            other.lane + 1
            for other in marks[:number]
            if mark.start < other.end and other.start < mark.end
        ]
        mark.lane = max(below, default=0)


def _anchored(marks: list[Mark]) -> None:
    """Give every mark with labels a column for its bar; where none is free, the labels move to the
    mark that has it."""
    taken: dict[int, Mark] = {}
    for mark in marks:
        mark.anchor = -1
        if not mark.labels:
            continue
        first = mark.start + min(2, (mark.end - mark.start - 1) // 2)
        columns = (first, *range(mark.start, mark.end))
        free = next((column for column in columns if column not in taken), None)
        if free is None:
            taken[first].labels += mark.labels
            mark.labels = []
        else:
            mark.anchor = free
            taken[free] = mark


class _Row:
    """A row of cells, each with a style."""

    def __init__(self, width: int) -> None:
        self.chars = [" "] * width
        self.styles = [""] * width

    def put(self, at: int, text: str, style: str) -> None:
        for char in text:
            size = cells(char)
            if size == 0 and at:
                self.chars[at - 1] += char
                continue
            if at + size > len(self.chars):
                return
            self.chars[at], self.styles[at] = char, style
            if size == 2:
                self.chars[at + 1], self.styles[at + 1] = "", style
            at += size

    def line(self) -> Line:
        line: Line = []
        for char, style in zip(self.chars, self.styles, strict=True):
            if line and (line[-1][1] == style or char in (" ", "")):
                line[-1] = (line[-1][0] + char, line[-1][1])
            else:
                line.append((char, style))
        return line


def _underlines(marks: Sequence[Mark], lane: int, width: int) -> Line:
    row = _Row(width)
    for mark in marks:
        if mark.lane == lane:
            line, anchor = _LINES.get(mark.severity, _PLAIN[0]), _PLAIN[1]
            row.put(mark.start, line * (mark.end - mark.start), mark.style)
            if mark.anchor >= 0:
                row.put(mark.anchor, _ANCHORS.get(mark.severity, anchor), mark.style)
    for mark in marks:
        if mark.lane < lane and mark.anchor >= 0:
            crossed = row.chars[mark.anchor] != " "
            row.put(mark.anchor, "┼" if crossed else "│", mark.style)
    return row.line()


def _size(label: Label) -> int:
    return sum(cells(text) for text, _ in label.line)


def _next(open_: Sequence[Mark], width: int) -> tuple[Mark, bool]:
    """The mark whose next label is written now, and whether right of its bar."""
    by_place = sorted(open_, key=lambda mark: -mark.anchor)
    for mark in by_place:
        stop = mark.anchor + 3 + max(map(_size, mark.labels))
        if stop <= width and not any(mark.anchor < m.anchor <= stop for m in open_):
            return mark, True
    for mark in reversed(by_place):
        start = mark.anchor - 3 - max(map(_size, mark.labels))
        if start >= 0 and not any(start - 1 <= m.anchor < mark.anchor for m in open_):
            return mark, False
    mark = by_place[0]
    size = max(map(_size, mark.labels))
    room = width - mark.anchor
    return mark, size + 3 <= room or room > mark.anchor


def _labelled(open_: Sequence[Mark], mark: Mark, right: bool, width: int, last: bool) -> Line:
    row = _Row(width)
    for other in open_:
        row.put(other.anchor, "│", other.style)
    room = width - mark.anchor - 3 if right else mark.anchor - 2
    pieces = _fitted(mark.labels[0].line, max(room, 1))
    if right:
        row.put(mark.anchor, "╰─ " if last else "├─ ", mark.style)
        at = mark.anchor + 3
    else:
        size = sum(cells(text) for text, _ in pieces)
        row.put(mark.anchor - 2, " ─" + ("╯" if last else "┤"), mark.style)
        at = mark.anchor - 2 - size
        if at:
            row.put(at - 1, " ", "")
    for text, style in pieces:
        row.put(at, text, style)
        at += cells(text)
    return row.line()


def _fitted(line: Sequence[tuple[str, str]], room: int) -> Line:
    fitted: Line = []
    for text, style in line:
        if room <= 0:
            break
        shown = cut(text, room)
        fitted.append((shown, style))
        if shown != text:
            break
        room -= cells(text)
    return fitted
