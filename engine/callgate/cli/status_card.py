"""The state of a policy, told in a short card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from callgate.analysis.texts import counted
from callgate.analysis.tool_rows import ToolRow
from callgate.cli.paint import Line, cells, pad, wrapped
from callgate.cli.tool_table import summary_line
from callgate.model.graph import VISIBLE

__all__ = ["status_of"]

_LABEL = 12


def status_of(told: Mapping[str, Any], rows: Sequence[ToolRow], width: int) -> list[Line]:
    """The lines of a status in its JSON form."""
    policy, settings = told["policy"], told["settings"]
    lines: list[Line] = [[(f"{policy['bundle']} {policy['version']}", "strong")]]
    lines += _row("", policy["title"], width)
    for base in policy["extends"]:
        lines += _row("extends", f"{base['bundle']} {base['version']}", width)
    lines += _row("digest", policy["digest"][:23], width)
    lines += _row("engine", policy["engine"], width)
    given: Mapping[str, Any] = {}
    if settings is None:
        lines += _row("settings", "those that this version was made with", width)
    else:
        given = settings["set"]
        file = settings["file"] or "defaults, no file given"
        sets = f", which sets {counted(len(given), 'key')}" if settings["file"] else ""
        lines += _row("settings", file + sets, width)
    longest = max((cells(name) for name in given), default=0)
    for name, value in given.items():
        text = f"{pad(name, longest)}  {_shown(value)}"
        lines += _row("", text, width)
    lines += _row("tools", summary_line(rows), width)
    for code in told["summary"]:
        if code != VISIBLE:
            names = ", ".join(row.name for row in rows if row.reason == code)
            lines += _row("", f"{code}: {names}", width)
    approvals = Counter(row.approval for row in rows if row.visible)
    text = ", ".join(f"{count} {word}" for word, count in approvals.most_common())
    return [*lines, *_row("approval", f"of what is visible: {text}" if text else "", width)]


def _row(label: str, text: str, width: int) -> Iterator[Line]:
    if text:
        for number, line in enumerate(wrapped(text, width - _LABEL - 2)):
            yield [(f"  {'' if number else label:<{_LABEL}}", "dim"), (line, "")]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_shown(item)}' for key, item in value.items())}}}"
    return "null" if value is None else str(value) or '""'
