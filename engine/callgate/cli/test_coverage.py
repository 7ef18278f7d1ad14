"""The reports on coverage that `callgate test` was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from callgate.cli.coverage_report import falls_short, show
from callgate.cli.paint import Painter
from callgate.cli.project import the_project
from callgate.cli.test_options import Options
from callgate.cli.test_run import Outcome

__all__ = ["show_coverage"]


def show_coverage(outcomes: Sequence[Outcome], options: Options, painter: Painter | None) -> bool:
    """Write the reports, the table only where there is a `painter`; gives whether less is reached
    than is asked for, by the command line or else the configuration."""
    limit = options.fail_under
    if limit is None:
        limit = the_project().fail_under
    short = False
    for outcome in outcomes:
        coverage = outcome.coverage
        if coverage is None:
            continue
        several = outcome.summary.bundle if len(outcomes) > 1 else ""
        if painter is not None:
            painter.write([[]])
            show(coverage, painter)
        quiet = painter or Painter()
        for style, place in (
            ("html", options.coverage_html),
            ("lcov", options.coverage_lcov),
            ("annotated", options.coverage_annotate),
        ):
            if place is not None:
                show(coverage, quiet, style, _place(place, several))
        why = "" if limit is None else falls_short(coverage, limit)
        if why:
            short = True
            click.echo(f"callgate: {outcome.summary.bundle}: {why}", err=True)
    return short


def _place(place: Path, bundle: str) -> Path:
    """Where the report of a bundle goes, which is one of several where it is named."""
    if not bundle:
        return place
    name = f"{place.stem}-{bundle}{place.suffix}"
    return place.with_name(name) if place.suffix else place / bundle
