"""Diagnostics as text, with the lines of source that they are about."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import click

from callgate.cli import exits
from callgate.cli.paint import Line, Painter
from callgate.model.diagnostic import Diagnostic, Diagnostics, Severity

__all__ = ["SourceLines", "diagnostic_lines", "refuse", "source_lines"]

SourceLines = Callable[[str], list[str] | None]
"""The lines of a file by the path that diagnostics show, or None."""

_STYLES: Final = {Severity.ERROR: "deny", Severity.WARNING: "ask", Severity.INFO: "name"}


def refuse(
    diagnostics: Iterable[Diagnostic], bundles: Sequence[str], settings: Path | None
) -> NoReturn:
    """Write all diagnostics to standard error, and exit as for an invalid policy."""
    painter = Painter(sys.stderr)
    lines = source_lines(bundles, settings)
    errors = 0
    for item in diagnostics:
        errors += item.severity is Severity.ERROR
        painter.write([*diagnostic_lines(item, lines), []])
    noun = "error" if errors == 1 else "errors"
    painter.write([[(f"the policy can't be used: {errors} {noun}", "deny")]])
    raise click.exceptions.Exit(exits.FINDINGS)


def diagnostic_lines(item: Diagnostic, lines: SourceLines) -> list[Line]:
    """A diagnostic as people read it."""
    from callgate.load.report import format_diagnostic

    first, *rest = format_diagnostic(item, lines).splitlines()
    return [[(first, _STYLES[item.severity])], *([(line, "")] for line in rest)]


def source_lines(bundles: Sequence[str], settings: Path | None) -> SourceLines:
    """Reads the bundles' files once more, for the places that diagnostics point to."""
    from callgate.load.bundle import bundle_lines
    from callgate.load.files import read_bundle_bytes

    files = [
        file for bundle in bundles for file in read_bundle_bytes(bundle, Diagnostics()) if file
    ]
    if settings is not None and settings.is_file():
        files.append((str(settings), settings.read_bytes()))
    return bundle_lines(files)
