"""An argument's text as it may be shown, by line, with the place that each character got.

Secrets are masked, control, bidirectional and invisible characters are escaped, tabs are spaces:
so what is shown may be longer or shorter than the text, and whoever marks a part of it asks here
where that part is now.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from callgate.effects.shell.tree import Span
from callgate.runtime.masking import MASK, escape

__all__ = ["Piece", "ShownLine", "ShownText", "shown_text"]

_TAB: Final = 4


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line. `start` and `end` are its places in the text, without the line's end; `places` says
    for each character of it, and for the end, where in `shown` it stands."""

    start: int
    end: int
    shown: str
    places: Sequence[int]


@dataclass(frozen=True, slots=True)
class Piece:
    """What a span covers of one line: from `start` to `end` in what is shown of it."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text, made by `shown_text`."""

    text: str
    lines: tuple[ShownLine, ...]
    starts: tuple[int, ...]
    hidden: tuple[Span, ...]

    def line_of(self, place: int) -> int:
        """The number of the line, from 0, that a place in the text is on."""
        return max(0, bisect_right(self.starts, place) - 1)

    def pieces(self, span: Span) -> tuple[Piece, Piece]:
        """What a span covers of the line that it begins on, and of the one that it ends on. An
        empty span covers what stands at its place."""
        start, end = max(0, span[0]), min(self._whole(span[1]), len(self.text))
        first = self.line_of(start)
        last = self.line_of(max(start, end - 1))
        begin = self._at(first, start)
        if first == last:
            piece = Piece(first, begin, max(begin + 1, self._at(last, end)))
            return piece, piece
        stop = len(self.lines[first].shown)
        return Piece(first, begin, max(begin + 1, stop)), Piece(last, 0, self._at(last, end))

    def slice(self, span: Span) -> str:
        """A part of the text on one line: line ends and what is around them are one `⏎`."""
        span = (span[0], min(self._whole(span[1]), len(self.text)))
        first, last = self.line_of(span[0]), self.line_of(max(span[0], span[1] - 1))
        parts = []
        for number in range(first, min(last, first + 8) + 1):
            line = self.lines[number].shown
            begin = self._at(first, span[0]) if number == first else 0
            end = self._at(last, span[1]) if number == last else len(line)
            parts.append(line[begin:end].strip())
        return " ⏎ ".join(filter(None, parts)) + (" ⏎ …" if last > first + 8 else "")

    def _whole(self, end: int) -> int:
        """Where something ends that may end in a secret: then it is shown with all of it."""
        index = bisect_right(self.hidden, (end - 1, len(self.text))) - 1
        if index < 0 or not self.hidden[index][0] < end < self.hidden[index][1]:
            return end
        return self.hidden[index][1]

    def _at(self, number: int, place: int) -> int:
        line = self.lines[number]
        return line.places[min(max(place, line.start), line.end) - line.start]


def shown_text(text: str, hidden: Sequence[Span]) -> ShownText:
    """A text with its secrets at `hidden`, which are in order and apart."""
    lines = []
    start = 0
    for line in text.split("\n"):
        lines.append(_line(line, start, hidden))
        start += len(line) + 1
    starts = tuple(line.start for line in lines)
    return ShownText(text, tuple(lines), starts, tuple(hidden))


def _line(line: str, start: int, hidden: Sequence[Span]) -> ShownLine:
    end = start + len(line)
    secrets = [span for span in _near(hidden, start, end) if span[0] < end and span[1] > start]
    if not secrets and line.isascii() and line.isprintable():
        return ShownLine(start, end, line, range(len(line) + 1))
    shown: list[str] = []
    places: list[int] = []
    width, at = 0, 0
    for begin, stop in [*((a - start, b - start) for a, b in secrets), (len(line), len(line))]:
        for char in line[at : max(at, begin)]:
            text = " " * (_TAB - width % _TAB) if char == "\t" else escape(char)
            places.append(width)
            shown.append(text)
            width += len(text)
        begin, stop = max(at, begin), min(stop, len(line))
        if begin < stop:
            shown.append(MASK)
            # Wherever in the secret something begins or ends, it is shown for all of it.
            places += [width] * (stop - begin)
            width += len(MASK)
        at = max(at, stop)
    return ShownLine(start, end, "".join(shown), [*places, width])


def _near(hidden: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """The spans that may reach into a line."""
    first = max(0, bisect_right(hidden, (start, start)) - 1)
    for index in range(first, len(hidden)):
        if hidden[index][0] >= end:
            return
        yield hidden[index]
