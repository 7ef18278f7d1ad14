"""Diagnostics as text, with the lines of source that they are about."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import click

from callgate.analysis.texts import counted
from callgate.cli import exits
from callgate.cli.paint import Line, Painter
from callgate.model.diagnostic import Diagnostic, Diagnostics, Severity

__all__ = ["SourceLines", "diagnostic_lines", "refuse", "source_lines"]

SourceLines = Callable[[str], list[str] | None]
"""The lines of a file by the path that diagnostics show, or None."""


def refuse(
    diagnostics: Iterable[Diagnostic], bundles: Sequence[str], settings: Path | None
) -> NoReturn:
    """Write all errors to standard error, and exit as for an invalid policy. Of warnings only the
    number is told."""
    painter = Painter(sys.stderr)
    lines = source_lines(bundles, settings)
    found = list(diagnostics)
    errors = [item for item in found if item.severity is Severity.ERROR]
    warnings = sum(item.severity is Severity.WARNING for item in found)
    for item in errors:
        painter.write([*diagnostic_lines(item, lines, painter.wrap), []])
    what = "settings" if all(_of_settings(item, settings) for item in errors) else "policy"
    told = f"the {what} can't be used: {counted(len(errors), 'error')}"
    if warnings:
        also = f" --settings {settings}" if settings else ""
        told += f", {counted(warnings, 'warning')}; see `callgate lint {' '.join(bundles)}{also}`"
    painter.write([[(told, "deny")]])
    raise click.exceptions.Exit(exits.FINDINGS)


def _of_settings(item: Diagnostic, settings: Path | None) -> bool:
    """Whether it is about the settings: what they say, or how their file is written."""
    return item.of_settings or (item.span is not None and item.span.file == str(settings))


def diagnostic_lines(item: Diagnostic, lines: SourceLines, width: int | None = None) -> list[Line]:
    """A diagnostic as people read it. `width`: columns that it has to fit, or None."""
    from callgate.load.report import diagnostic_pieces

    return diagnostic_pieces(item, lines, width)


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
