"""What commands take from the configuration: the bundles to work on where none is given."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from callgate.cli import exits

if TYPE_CHECKING:
    from callgate.load.project import Project
    from callgate.model.diagnostic import Diagnostics

__all__ = ["bundles_of", "the_project"]


def the_project() -> Project:
    """The configuration that counts here. Where something is wrong with it, reports that and
    exits as for an invalid policy."""
    from callgate.load.project import find_project
    from callgate.model.diagnostic import Diagnostics

    found = Diagnostics()
    project = find_project(found)
    if found.has_errors:
        _refuse(project, found)
    return project


def bundles_of(
    paths: Sequence[str], project: Project | None = None, default: Sequence[str] = ("echo",)
) -> tuple[str, ...]:
    """The bundles of a command line: `paths`, else those of the configuration (None: it is looked
    for), else `default`."""
    if paths:
        return tuple(paths)
    return (project or the_project()).bundles or tuple(default)


def _refuse(project: Project, found: Diagnostics) -> NoReturn:
    from callgate.cli.paint import Painter
    from callgate.cli.reports import diagnostic_lines

    painter = Painter(sys.stderr)
    for item in found.sorted():
        lines = diagnostic_lines(item, lambda _: project.source_lines, painter.wrap)
        painter.write([*lines, []])
    painter.write([[("the configuration can't be used", "deny")]])
    raise click.exceptions.Exit(exits.FINDINGS)
