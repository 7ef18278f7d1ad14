"""One tool's way through all the checks, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from callgate.analysis.explanation import Explanation
from callgate.analysis.tool_checks import ToolCheck
from callgate.analysis.tool_rows import ToolRow
from callgate.cli.paint import Line, pad, wrapped
from callgate.cli.story import step_lines
from callgate.cli.tool_table import APPROVAL_STYLES

__all__ = ["why_of"]

_WORDS: Final = {
    "holds": ("yes", "deny"),
    "unknown": ("?", "ask"),
    "no": ("no", "dim"),
    "off": ("off", "dim"),
    "not reached": ("", "dim"),
}
_INDENT: Final = 9
_WORD: Final = 5


def why_of(row: ToolRow, checks: Sequence[ToolCheck], met: Explanation, width: int) -> list[Line]:
    """The lines: what comes out, the rules that may hide the tool, the steps of approval."""
    lines = list(_head(row, width))
    if checks:
        lines += [[], [("Is it shown?", "strong")]]
        for number, check in enumerate(checks, start=1):
            lines += _check(number, check, width)
    lines += [[], [("What approval would a call meet, before its arguments are seen?", "strong")]]
    return [*lines, *step_lines(met, width)]


def _head(row: ToolRow, width: int) -> Iterator[Line]:
    name = row.name if row.name == row.called_as else f"{row.called_as} → {row.name}"
    word, style = ("✓ visible", "allow") if row.visible else ("– hidden", "deny")
    yield [(pad(word, _INDENT) + "  ", style), (name, "strong")]
    if not row.visible:
        yield [(" " * (_INDENT + 2), ""), (row.reason, "name")]
        yield from _indented(row.why, width, _INDENT + 2, "")
        if row.rule:
            place = f"  {row.file}:{row.line}" if row.file else ""
            yield [(" " * (_INDENT + 2) + "by ", "dim"), (row.rule, "name"), (place, "dim")]
    yield [
        (" " * (_INDENT + 2) + "approval ", "dim"),
        (row.approval, APPROVAL_STYLES[row.approval]),
        (f", by {row.approval_rule}", "dim"),
    ]
    can = ", ".join(row.capabilities) or "none"
    risk = f"risk {row.risk} · " if row.risk else ""
    yield from _indented(f"{risk}capabilities {can}", width, _INDENT + 2, "dim")


def _check(number: int, check: ToolCheck, width: int) -> Iterator[Line]:
    word, style = _WORDS[check.state]
    quiet = check.state in ("off", "not reached")
    yield [
        (f"{number:>4}     ", "dim"),
        (pad(word, _WORD), style),
        (check.title, "dim" if quiet else "strong" if check.state == "holds" else ""),
    ]
    deep = _INDENT + _WORD
    if check.state in ("holds", "unknown"):
        calls = "calls are denied" if check.calls == "deny" else "calls pass"
        yield from _indented(f"hides the tool: {check.code}; {calls}", width, deep, style)
    if not quiet:
        yield from _indented(check.condition, width, deep, "")
        facts = " · ".join(f"{name} = {value}" for name, value in check.facts)
        yield from _indented(facts, width, deep + 2, "dim")
    note = check.why or ("not reached" if check.state == "not reached" else "")
    yield from _indented(note, width, deep + 2, "dim")
    place = f"  {check.file}:{check.line}" if check.file else ""
    yield from _indented(check.rule + place, width, deep + 2, "dim")


def _indented(text: str, width: int, indent: int, style: str) -> Iterator[Line]:
    if text:
        for line in wrapped(text, width - indent):
            yield [(" " * indent, ""), (line, style)]
