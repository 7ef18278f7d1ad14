"""Tools as an aligned table, by the reason that shows or hides them."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from callgate.analysis.texts import counted
from callgate.analysis.tool_rows import ToolRow, summary_of
from callgate.cli.paint import Line, cells, cut, pad, wrapped
from callgate.model.graph import VISIBLE

__all__ = ["APPROVAL_STYLES", "summary_line", "table_of"]

APPROVAL_STYLES: Final = {
    "none": "allow",
    "reviewer": "ask",
    "person": "ask",
    "ask": "ask",
    "depends": "ask",
    "denied": "deny",
}
_HEADS: Final = ("TOOL", "RISK", "APPROVAL", "DECIDED BY")
_LONGEST_NAME: Final = 32


def table_of(rows: Sequence[ToolRow], width: int) -> list[Line]:
    """The lines of a table that fits `width`, with a summary at its end.

    What decided is of a tool that is shown the rule that its approval comes from, of a hidden one
    the rule that hides it.
    """
    folder = _folder(row.file for row in rows)
    cells_of = [_cells(row, folder) for row in rows]
    widths = [
        max([cells(_HEADS[column]), *(cells(found[column]) for found in cells_of)])
        for column in range(4)
    ]
    widths[0] = min(widths[0], _LONGEST_NAME)
    place = max([0, *(cells(found[4]) for found in cells_of)])
    widths[3] = max(12, min(widths[3], width - 2 - sum(widths[:3]) - 8 - place))
    lines: list[Line] = [_heads(widths)]
    for code, count in summary_of(rows).items():
        lines.append([(f"{code} ({count})", "name")])
        for row, texts in zip(rows, cells_of, strict=True):
            if row.reason == code:
                lines.append(_line(row, texts, widths))
    lines.append([])
    lines += [[(text, "strong")] for text in wrapped(summary_line(rows), width)]
    return [*lines, [(f"rules in {folder}", "dim")]] if folder else lines


def summary_line(rows: Sequence[ToolRow]) -> str:
    """How many tools there are, and how many of each reason."""
    counts = summary_of(rows)
    hidden = {code: count for code, count in counts.items() if code != VISIBLE}
    shown = counts.get(VISIBLE, 0)
    parts = ", ".join(f"{count} {code}" for code, count in hidden.items())
    rest = f", {sum(hidden.values())} hidden ({parts})" if hidden else ""
    return f"{counted(len(rows), 'tool')}: {shown} visible{rest}"


def _heads(widths: Sequence[int]) -> Line:
    heads = zip(_HEADS, widths, strict=True)
    return [("  " + "".join(pad(head, width) + "  " for head, width in heads), "dim")]


def _cells(row: ToolRow, folder: str) -> tuple[str, str, str, str, str]:
    name = row.name if row.name == row.called_as else f"{row.called_as} → {row.name}"
    rule, file, line = row.approval_rule, row.approval_file, row.approval_line
    if not row.visible:
        rule, file, line = row.rule or "", row.file, row.line
    place = f"{_short(file, folder)}:{line}" if file else ""
    return name, row.risk or "", row.approval, rule, place


def _line(row: ToolRow, texts: Sequence[str], widths: Sequence[int]) -> Line:
    name, risk, approval, rule, place = texts
    mark = ("✓ ", "allow") if row.visible else ("– ", "dim")
    return [
        mark,
        (pad(cut(name, widths[0]), widths[0]) + "  ", "strong" if row.visible else ""),
        (pad(risk, widths[1]) + "  ", ""),
        (pad(approval, widths[2]) + "  ", APPROVAL_STYLES[approval]),
        (pad(cut(rule, widths[3]), widths[3]) + "  ", "name"),
        (place, "dim"),
    ]


def _folder(files: Iterable[str | None]) -> str:
    """The folder that all the files lie in."""
    found = sorted({str(PurePosixPath(file).parent) for file in files if file})
    common = os.path.commonpath(found) if found else "."
    return "" if common == "." else common


def _short(file: str | None, folder: str) -> str:
    return (file or "").removeprefix(folder + "/") if folder else file or ""
