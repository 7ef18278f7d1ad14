"""The text of an argument with its effects hung below what caused them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from callgate.analysis.effect_text import ShownLine, ShownText
from callgate.analysis.effect_view import ArgumentView, EffectView, TreeNode
from callgate.analysis.texts import counted
from callgate.cli.effect_row import Label, Mark, hung
from callgate.cli.paint import MARKS, Line, cells

__all__ = ["picture_of", "severity_style"]

_MOST_ROWS: Final = 24
_MOST_LABELS: Final = 12
_ALL_SHOWN: Final = 16
_AROUND: Final = 1
_BAR: Final = 5
_MOST_CONTINUED: Final = 3
_ORDER: Final = ("deny", "ask", "note", "")


def severity_style(effect: EffectView) -> str:
    """The style of an effect by the strictest guard on it; "" where none minds."""
    return effect.severity if effect.severity in MARKS else ""


@dataclass(slots=True)
class _Row:
    """A part of a line that fits the width: from `start` to `end` in what is shown of it."""

    line: int
    start: int
    end: int
    text: str
    marks: list[Mark] = field(default_factory=list)
    left_out: int = 0

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The cells of a part of the line that begins in this row."""
        begin = cells(self.text[: max(0, start - self.start)])
        stop = cells(self.text[: max(0, min(end, self.end) - self.start)])
        return begin, max(stop, begin + 1)


def picture_of(argument: ArgumentView, effects: Sequence[EffectView], width: int) -> Iterator[Line]:
    """The lines of an argument's text, numbered, with what was found in it."""
    text = argument.text
    gutter = len(str(len(text.lines))) + 4
    room = width - gutter
    worth = _worth_it(argument, effects)
    rows = _rows(argument, worth, room)
    drawn = _mark(rows, text, worth, room)
    if len(rows) > 1 and not text.lines[-1].shown and not rows[-1].marks:
        # What stands behind the last line end.
        rows.pop()
    total = len(rows)
    kept = [
        index
        for index in range(total)
        if total <= _ALL_SHOWN
        or any(row.marks for row in rows[max(0, index - _AROUND) : index + _AROUND + 1])
        or index == 0
    ]
    last = -1
    for index in kept:
        if index > last + 1:
            yield _gap(rows[last + 1 : index], gutter)
        last = index
        yield from _drawn(rows, index, gutter, room)
    if last + 1 < total:
        yield _gap(rows[last + 1 :], gutter)
    left = len(worth) - drawn
    if left:
        yield [(" " * gutter + f"… and {counted(left, 'effect')} more, in the list below", "dim")]


def _worth_it(argument: ArgumentView, effects: Sequence[EffectView]) -> list[EffectView]:
    """The effects to draw: that a program runs is drawn where a guard minds, or where nothing else
    is known of the command."""
    busy: set[int] = set()
    todo = [argument.tree] if argument.tree else []
    while todo:
        node = todo.pop()
        if len(node.effects) > 1 or node.children:
            busy.update(node.effects)
        todo += node.children
    return [
        effect
        for effect in effects
        if effect.form["kind"] != "run" or severity_style(effect) or effect.id not in busy
    ]


def _rows(argument: ArgumentView, effects: Sequence[EffectView], room: int) -> list[_Row]:
    """The text in rows. Where a label would not fit beside its bar, its line is broken earlier, so
    that there is room for it."""
    text = argument.text
    labels: dict[int, list[tuple[int, int]]] = {}
    for effect in effects:
        assert effect.span is not None
        first, _ = text.pieces(effect.span)
        size = sum(cells(piece) for piece, _ in _label(effect, 0).line) + _BAR
        labels.setdefault(first.line, []).append((first.start, size))
    places: dict[int, list[int]] = {}
    for start in _commands(argument.tree):
        first, _ = text.pieces((start, start))
        places.setdefault(first.line, []).append(first.start)
    rows: list[_Row] = []
    for number, line in enumerate(text.lines):
        ends = sorted(places.get(number, ()))
        rows += _broken(number, line, room, ends, sorted(labels.get(number, ())))
    return rows


def _commands(tree: TreeNode | None) -> Iterator[int]:
    """Where the commands of the text begin that follow another."""
    todo = [tree] if tree else []
    while todo:
        node = todo.pop()
        if node.operator:
            yield node.span[0]
        todo += node.children


def _broken(
    number: int,
    line: ShownLine,
    room: int,
    places: Sequence[int],
    labels: Sequence[tuple[int, int]],
) -> Iterator[_Row]:
    """A line in rows that fit, broken where a command begins, or else after a space. `labels`:
    where they hang, and how much room each needs from there."""
    shown, start = line.shown, 0
    while True:
        end = min(len(shown), start + room)
        while end > start + 1 and cells(shown[start:end]) > room:
            end -= max(1, (cells(shown[start:end]) - room) // 2)
        inside = labels[bisect_left(labels, (start, 0)) : bisect_left(labels, (end, 0))]
        tight = next((at for at, size in inside if at > start and at - start + size > room), 0)
        if tight or end < len(shown):
            # From where on the row had better be broken, and where it must be.
            last = tight or end
            first = start + 1 if tight else start + room // 4
            index = bisect_right(places, last)
            place = places[index - 1] if index else 0
            space = shown.rfind(" ", start + room // 2, min(end, start + room * 3 // 5) + 1) + 1
            if place >= first:
                end = place
            elif tight > start + room * 3 // 5 or end < len(shown):
                end = space or shown.rfind(" ", start + room // 2, end) + 1 or end
        yield _Row(number, start, end, shown[start:end])
        start = end
        if start >= len(shown):
            return


def _mark(rows: Sequence[_Row], text: ShownText, effects: Sequence[EffectView], room: int) -> int:
    """Put the marks of effects under their rows; gives how many have a label."""
    first_row: dict[int, int] = {}
    for index, row in enumerate(rows):
        first_row.setdefault(row.line, index)
    drawn = 0
    used: set[int] = set()
    for effect in sorted(effects, key=lambda item: _ORDER.index(item.severity)):
        assert effect.span is not None
        first, last = text.pieces(effect.span)
        labels = [_label(effect, last.line + 1 if last.line > first.line else 0)]
        index = first_row[first.line]
        while rows[index].end <= first.start and index + 1 < len(rows):
            if rows[index + 1].line != first.line:
                break
            index += 1
        row = rows[index]
        if index not in used and len(used) >= _MOST_ROWS:
            continue
        used.add(index)
        if sum(len(mark.labels) for mark in row.marks) >= _MOST_LABELS:
            row.left_out += 1
            drawn += 1
            continue
        drawn += 1
        at = first.start
        for _ in range(_MOST_CONTINUED):
            begin, stop = rows[index].columns(at, first.end)
            style = severity_style(effect)
            rows[index].marks.append(Mark(min(begin, room - 1), min(stop, room), labels, style))
            at, labels = rows[index].end, []
            index += 1
            if at >= first.end or index >= len(rows) or rows[index].line != first.line:
                break
    return drawn


def _label(effect: EffectView, to_line: int) -> Label:
    style = severity_style(effect)
    mark = f"{MARKS[style]} " if style else ""
    phrase = f"{mark}{effect.phrase}" + (f" (to line {to_line})" if to_line else "")
    return Label(((f"{effect.id} ", "dim"), (phrase, style)), style)


def _drawn(rows: Sequence[_Row], index: int, gutter: int, room: int) -> Iterator[Line]:
    row = rows[index]
    first = index == 0 or rows[index - 1].line != row.line
    number = str(row.line + 1) if first else ""
    if index and rows[index - 1].marks:
        yield [(" " * (gutter - 2) + "│", "dim")]
    yield [(f"{number:>{gutter - 3}} │ ", "dim"), (row.text, "")]
    if not row.marks:
        return
    for line in hung(row.marks, room):
        yield [(" " * (gutter - 2) + "│ ", "dim"), *line]
    if row.left_out:
        text = f"… and {counted(row.left_out, 'effect')} more here, in the list below"
        yield [(" " * (gutter - 2) + "│ ", "dim"), (text, "dim")]


def _gap(rows: Sequence[_Row], gutter: int) -> Line:
    lines = rows[-1].line - rows[0].line + 1
    columns = sum(len(row.text) for row in rows)
    text = counted(lines, "line") if lines > 1 else f"{columns:,} columns"
    return [(" " * (gutter - 2) + "⋮ ", "dim"), (text, "dim")]
