"""Recorded decisions as rows, for terminals and pipes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.cli.paint import MARKS, Line, Painter, cells, cut, pad
from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.record.entry import Entry

__all__ = ["ID_DIGITS", "RecordTable", "safe"]

ID_DIGITS: Final = 16
"""So many digits of an id are shown."""

_HEADS: Final = ("TIME", "DECISION", "TOOL", "RULE", "SENDER", "ID")
_LEAST: Final = (4, 8, 6, 8, 6, ID_DIGITS)
_MOST: Final = (19, 8, 18, 32, 20, ID_DIGITS)
_NARROW: Final = (8, 8, 10, 18, 10, ID_DIGITS)
_NARROWEST: Final = 80
"""Columns that `_NARROW` fills; what a terminal has besides is for the rule."""
_RULE: Final = 3
_WIDE: Final = 140
"""Columns of a terminal from which on the reason stands in the row."""
_INDENT: Final = 10
_BLOCK: Final = 200
_LONGEST: Final = 2000


def safe(text: Any, most: int = _LONGEST) -> str:
    """A text of a record without anything that a terminal would obey, and no longer than `most`
    characters; "" for what is no text."""
    if type(text) is not str:
        return ""
    return escape(text if len(text) <= most else text[: most - 1] + "…")


class RecordTable:
    """Rows with aligned columns that only ever grow. On a terminal the day stands above its rows
    and, where that is narrow, each reason below its row, cut; a pipe gets a row for each decision
    with its whole reason. `live`: rows leave at once."""

    def __init__(self, painter: Painter, *, live: bool = False) -> None:
        self._painter = painter
        self._block = 1 if live else _BLOCK
        self._wide = not painter.terminal or painter.columns >= _WIDE
        self._limits = list(_MOST if self._wide else _NARROW)
        if not self._wide:
            self._limits[_RULE] += max(0, painter.columns - _NARROWEST)
        self._widths = list(_LEAST)
        self._rows: list[tuple[str, ...]] = []
        self._headed = False
        self._day = ""

    def write(self, entry: Entry) -> None:
        """Add a decision."""
        self._rows.append(_row(entry.record, entry.part("context")))
        if len(self._rows) >= self._block:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are held back."""
        for column, limit in enumerate(self._limits):
            longest = max((cells(row[column]) for row in self._rows), default=0)
            self._widths[column] = max(self._widths[column], min(longest, limit))
        if self._painter.terminal:
            self._widths[0] = 8
        if self._rows and not self._headed:
            self._headed = True
            heads = zip(_HEADS, self._widths, strict=True)
            line: Line = [(pad(head, width) + "  ", "dim") for head, width in heads]
            self._painter.write([[*line, ("REASON" if self._wide else "", "dim")]])
        for row in self._rows:
            self._painter.write(self._lines(row))
        self._rows.clear()
        self._painter.stream.flush()

    def _lines(self, row: tuple[str, ...]) -> list[Line]:
        time, decision, tool, rule, sender, id_, reason = row
        widths, lines = self._widths, []
        if self._painter.terminal:
            day, _, time = time.partition(" ")
            if day != self._day:
                self._day = day
                lines.append([(f"{day} UTC", "dim")])
            room = self._painter.columns - (sum(widths) + 12 if self._wide else _INDENT)
            reason = cut(reason, max(20, room))
        line: Line = [
            (pad(time, widths[0]) + "  ", "dim"),
            (pad(f"{MARKS[decision]} {decision}", widths[1]) + "  ", decision),
            (pad(cut(tool, widths[2]), widths[2]) + "  ", "strong"),
            (pad(cut(rule, widths[3]), widths[3]) + "  ", "name"),
            (pad(cut(sender, widths[4]), widths[4]) + "  ", ""),
            (pad(id_, widths[5]) + "  ", "dim"),
        ]
        if self._wide:
            return [*lines, [*line, (reason, "")]]
        return [*lines, line, [(" " * _INDENT + reason, "dim")]]


def _row(record: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        record["timestamp"][:19].replace("T", " "),
        record["decision"],
        safe(record["tool"]),
        safe(record["rule"]),
        safe(context.get("sender_id")),
        record["decision_id"][:ID_DIGITS],
        safe(record["reason"]),
    )
