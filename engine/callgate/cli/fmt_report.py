"""What `callgate fmt` tells: differences, diagnostics and a summary."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from typing import Final

import click

from callgate.analysis.texts import counted
from callgate.cli.paint import Painter, shown
from callgate.model.diagnostic import Diagnostic

__all__ = ["summary", "write_diagnostics", "write_difference"]

_COLOURS: Final[Mapping[str, str]] = {"+": "green", "-": "red", "@": "cyan"}


def write_difference(file: str, old: str, new: str) -> None:
    """A unified diff on standard output, coloured on terminals."""
    colour = Painter().colour
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), file, file
    )
    for line in lines:
        text = shown(line.removesuffix("\n"))
        if colour:
            head = text.startswith(("--- ", "+++ "))
            text = click.style(text, fg=None if head else _COLOURS.get(text[:1]), bold=head or None)
        sys.stdout.write(f"{text}\n")
        if not line.endswith("\n"):
            sys.stdout.write("\\ No newline at end of file\n")


def write_diagnostics(items: Iterable[Diagnostic], texts: Mapping[str, str]) -> None:
    """Diagnostics on standard error, each with the lines it is about. `texts`: the files' contents
    by the path that is shown."""
    from callgate.cli.reports import diagnostic_lines

    painter = Painter(sys.stderr)

    def lines(file: str) -> list[str] | None:
        return texts[file].splitlines() if file in texts else None

    for item in items:
        painter.write([*diagnostic_lines(item, lines, painter.wrap), []])


def summary(changed: int, same: int, failed: int, would: bool) -> None:
    """The last line, on standard error."""
    verb = "would be reformatted" if would else "reformatted"
    kept = "already formatted" if would else "left unchanged"
    told = [f"{counted(changed, 'file')} {verb}"] if changed else []
    told += [f"{counted(same, 'file')} {kept}"] if same else []
    told += [f"{counted(failed, 'file')} with errors"] if failed else []
    style = "deny" if failed or (would and changed) else "allow"
    Painter(sys.stderr).write([[(", ".join(told) or "no files", style)]])
