"""The text of a policy's file with what its tests came to beside each line."""

from __future__ import annotations

from typing import Final

from callgate.cli.paint import Line as Painted
from callgate.cli.paint import cut
from callgate.policytest.coverage.lines import File, Line
from callgate.runtime.masking import escape

__all__ = ["annotated"]

_STYLES: Final = {"covered": "allow", "partly": "ask", "never": "deny"}
_MARKS: Final = {"covered": " ", "partly": "~", "never": "!"}


def annotated(file: File, width: int = 0) -> list[Painted]:
    """A file's lines, each with how often it was reached; below those that miss something, what
    never happened. `width`: cells that a line may fill; 0 is no limit."""
    found = _figures(file)
    lines: list[Painted] = [[(file.name, "strong"), (f"  {found}", "dim")]]
    for number, text in enumerate(file.text.splitlines(), start=1):
        line = file.lines.get(number)
        shown = escape(text)
        lines.append(_line(number, line, cut(shown, width - 15) if width else shown))
        for note in line.notes if line is not None else ():
            style = _STYLES[line.state] if line is not None else ""
            lines.append([(f"{'':>14} ^ {escape(note)}", style)])
    return lines


def _figures(file: File) -> str:
    """How many of the lines that count were reached."""
    reached = sum(line.state == "covered" for line in file.lines.values())
    return f"{reached} of {len(file.lines)} lines fully reached"


def _line(number: int, line: Line | None, text: str) -> Painted:
    if line is None:
        return [(f"{'':>7} {number:>5}  ", "dim"), (text, "")]
    style = _STYLES[line.state]
    return [(f"{line.hits:>6}{_MARKS[line.state]} {number:>5}  ", style), (text, "")]
