"""`callgate ci`: lint, layout, tests and coverage of the same bundles, with one summary."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from callgate.cli import exits
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.cli.ci_run import Run
    from callgate.cli.paint import Painter

__all__ = ["command"]

_MOST = 20
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("ci", short_help="Lint, fmt --check and test with coverage, in one summary.")
@format_option("pretty", "json", "github")
@click.option("--settings", type=_FILE, metavar="FILE", help="Check this settings file, too.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Fail where the tests reach less of the nodes and branches (default: what the "
    "configuration says, or nothing).",
)
@click.option("--summary", type=_FILE, metavar="FILE", help="Add the summary to it, as Markdown.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Findings and tests as JUnit XML.")
@click.option("--sarif", type=_FILE, metavar="FILE", help="Findings as SARIF 2.1.0.")
@click.option("--lcov", type=_FILE, metavar="FILE", help="Coverage as an lcov tracefile.")
@click.option("--no-cache", is_flag=True, help="Check also what has not changed since last time.")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(
    format_: str,
    settings: Path | None,
    fail_under: float | None,
    summary: Path | None,
    junit: Path | None,
    sarif: Path | None,
    lcov: Path | None,
    no_cache: bool,
    paths: tuple[str, ...],
) -> int:
    """Everything that a pipeline checks of policies: `lint`, `fmt --check`, and `test --coverage`.
    All of it is always run, so that one run tells everything.

    PATH is a bundle's folder. Without one, the bundles of the nearest .callgate.yaml or
    pyproject.toml are checked, or else echo.

    \b
      callgate ci
      callgate ci policies/acme --fail-under 100
      callgate ci --junit policies.xml --lcov policies.lcov --summary policies.md

    Exit codes: 0 all passed, 1 a report can't be written, 3 something did not pass.
    """
    from callgate.cli.ci_run import run
    from callgate.cli.whole_file import add_text, write_report

    done = run(paths, settings, fail_under, cache=not no_cache, tests_needed=bool(junit or lcov))
    _say(done)
    _write(done, format_)
    if summary is not None:
        from callgate.cli.ci_result import markdown

        add_text(summary, markdown(done.checks))
    if junit is not None:
        from callgate.cli.ci_files import junit_of

        write_report(junit, junit_of(done))
    if sarif is not None:
        from callgate.cli.lint_sarif import sarif_text

        write_report(sarif, sarif_text(done.lint))
    if lcov is not None:
        from callgate.cli.ci_files import lcov_of_all

        write_report(lcov, lcov_of_all(done))
    return exits.OK if all(check.passed for check in done.checks) else exits.FINDINGS


def _say(done: Run) -> None:
    """What else counts in the run, on standard error."""
    from callgate.cli.paint import shown

    if done.lint.project.document is not None:
        click.echo(shown(f"callgate: configuration: {done.lint.project.document.file}"), err=True)
    if done.lint.refused:
        click.echo(shown(f"callgate: nothing is kept for next time: {done.lint.refused}"), err=True)


def _write(done: Run, format_: str) -> None:
    from callgate.cli.ci_result import result_lines, told
    from callgate.cli.paint import Painter

    painter = Painter()
    if format_ == "json":
        from callgate.cli.writers import json_text

        click.echo(json_text(told(done.checks), indent=True))
    elif format_ == "github":
        from callgate.cli.ci_files import apart, github_annotations

        lines = io.StringIO()
        Painter(lines).write(result_lines(done.checks))
        click.echo(github_annotations(done) + apart(lines.getvalue()), nl=False)
    else:
        _details(done, painter)
        painter.write(result_lines(done.checks))


def _details(done: Run, painter: Painter) -> None:
    """What was found, and what failed."""
    from callgate.cli.lint_show import show_findings
    from callgate.runtime.masking import escape

    show_findings(done.lint, painter)
    for check in done.checks:
        if check.passed or check.name not in ("fmt", "coverage"):
            continue
        painter.write([[(f"{escape(check.bundle)}: {check.name}", "strong")]])
        shown = check.details[:_MOST]
        painter.write([[(f"  {escape(at)}  ", ""), (escape(what), "dim")] for at, what in shown])
        if len(check.details) > _MOST:
            painter.write([[(f"  and {len(check.details) - _MOST} more", "dim")]])
        painter.write([[]])
    for outcome in done.tests:
        if outcome.summary.failed:
            from callgate.cli.test_show import show_outcome

            show_outcome(painter, outcome)
            painter.write([[]])
