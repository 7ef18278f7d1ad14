"""Decisions on standard output, one after the other: JSON Lines, a JSON array, or a table."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Protocol

import orjson

from callgate.analysis.texts import counted
from callgate.cli.paint import MARKS, Line, Painter, cells, cut, pad
from callgate.runtime.masking import escape

__all__ = ["JsonArray", "JsonLines", "Table", "Writer", "json_text", "write_json"]

_UNUSUAL: Final = re.compile(r"[^\n -~]")

_HEADS: Final = ("CALL", "DECISION", "TOOL", "RULE")
_LIMITS: Final = (32, 8, 28, 44)
_SMALLEST: Final = (4, 8, 9, 12)

Told = Mapping[str, Any]


class Writer(Protocol):
    """Takes decisions in their JSON form as they are made."""

    def write(self, told: Told, where: str) -> None:
        """Add a decision; `where` names the call when it has no id."""
        ...

    def close(self) -> None:
        """Write what is still held back, and the end."""
        ...


def json_text(value: Any, indent: bool = False) -> str:
    """A value as JSON, in which no character acts on a terminal or can't be seen."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else 0).decode()
    except TypeError:
        # An integer of more than 64 bits, which only the slower one writes.
        return json.dumps(value, indent=2 if indent else None)
    return _UNUSUAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0] if escape(found[0]) == found[0] else json.dumps(found[0])[1:-1]


def write_json(value: Any) -> None:
    """One JSON document for people and programs, on standard output."""
    sys.stdout.write(json_text(value, indent=True) + "\n")


class JsonLines:
    """One decision per line; `live`: each line leaves at once."""

    def __init__(self, live: bool) -> None:
        self._live = live

    def write(self, told: Told, where: str) -> None:
        """See Writer."""
        sys.stdout.write(json_text(told) + "\n")
        if self._live:
            sys.stdout.flush()

    def close(self) -> None:
        """See Writer."""


class JsonArray:
    """An array, or the object alone when there is one call only."""

    def __init__(self) -> None:
        self._first: Told | None = None
        self._count = 0

    def write(self, told: Told, where: str) -> None:
        """See Writer."""
        self._count += 1
        if self._count == 1:
            self._first = told
            return
        if self._count == 2:
            sys.stdout.write("[" + json_text(self._first))
        sys.stdout.write(",\n" + json_text(told))

    def close(self) -> None:
        """See Writer."""
        if self._count == 0:
            sys.stdout.write("[]\n")
        elif self._count == 1:
            write_json(self._first)
        else:
            sys.stdout.write("]\n")


class Table:
    """Aligned columns. Rows of a file are held back in blocks, so that a block lines up; `live`
    rows leave at once. Columns only ever grow."""

    def __init__(self, painter: Painter, live: bool) -> None:
        self._painter = painter
        self._block = 1 if live else 200
        self._rows: list[tuple[str, str, str, str, str]] = []
        self._widths = list(_SMALLEST)
        self._counts: Counter[str] = Counter()
        self._failed = 0
        self._headed = False

    def write(self, told: Told, where: str) -> None:
        """See Writer."""
        name = told["id"] if told["id"] else where
        self._rows.append(
            (str(name), told["decision"], told["called_as"], told["rule"], told["reason"])
        )
        self._counts[told["decision"]] += 1
        self._failed += told["error"] is not None
        if len(self._rows) >= self._block:
            self._flush()

    def close(self) -> None:
        """See Writer."""
        self._flush()
        total = self._counts.total()
        words = ", ".join(f"{self._counts[word]} {word}" for word in MARKS if self._counts[word])
        failed = f" ({self._failed} not judged)" if self._failed else ""
        text = counted(total, "call") + (f": {words}{failed}" if total else "")
        self._painter.write([[], [(text, "strong")]])

    def _flush(self) -> None:
        for column in range(4):
            longest = max((cells(row[column]) for row in self._rows), default=0)
            limit = _LIMITS[column]
            self._widths[column] = max(self._widths[column], min(longest, limit))
        lines: list[Line] = []
        if not self._headed:
            self._headed = True
            heads = zip(_HEADS, self._widths, strict=True)
            lines.append(
                [(pad(head, width) + "  ", "dim") for head, width in heads] + [("REASON", "dim")]
            )
        lines.extend(self._line(row) for row in self._rows)
        self._rows.clear()
        self._painter.write(lines)
        if self._block == 1:
            self._painter.stream.flush()

    def _line(self, row: tuple[str, str, str, str, str]) -> Line:
        name, decision, tool, rule, reason = row
        widths = self._widths
        if self._painter.terminal:
            reason = cut(reason, max(20, self._painter.columns - sum(widths) - 11))
        return [
            (pad(cut(name, widths[0]), widths[0]) + "  ", "dim"),
            (pad(f"{MARKS[decision]} {decision}", widths[1]) + "  ", decision),
            (pad(cut(tool, widths[2]), widths[2]) + "  ", "strong"),
            (pad(cut(rule, widths[3]), widths[3]) + "  ", "name"),
            (reason, ""),
        ]
