"""`callgate lint`: what loading a policy finds, and what its authors should look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from callgate.cli import exits
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.cli.lint_outcome import Outcome

__all__ = ["command"]

_LEVELS = ("error", "warning", "info")


@click.command("lint", short_help="Check policies and settings; mend what can be mended.")
@format_option("pretty", "json", "sarif", "github", "junit")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the result to this file (not with `pretty`).",
)
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check this settings file, too, against the policy's vocabulary.",
)
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing a decision.")
@click.option("--diff", is_flag=True, help="Show what `--fix` would change, and change nothing.")
@click.option(
    "--fail-on",
    type=click.Choice(_LEVELS),
    default="error",
    show_default=True,
    help="The least level of a finding that makes the exit code 3.",
)
@click.option("--no-cache", is_flag=True, help="Check also what has not changed since last time.")
@click.option("--rules", is_flag=True, help="List the rules with their levels, and check nothing.")
@click.option("--explain", metavar="CODE|NAME", help="Explain a finding, and check nothing.")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(
    format_: str,
    output: Path | None,
    settings: Path | None,
    fix: bool,
    diff: bool,
    fail_on: str,
    no_cache: bool,
    rules: bool,
    explain: str | None,
    paths: tuple[str, ...],
) -> int:
    """Check policies: YAML, schema, conditions, types, rules and their examples, and the rules of
    the lint catalogue.

    PATH is a bundle's folder or the name of a bundle that comes with callgate. Without one, the
    bundles of the nearest .callgate.yaml or pyproject.toml are checked, or else echo.

    \b
      callgate lint policies/acme
      callgate lint policies/acme --fix
      callgate lint policies/acme --settings config.yaml --format json
      callgate lint --explain L202

    Exit codes: 0 without errors (there may be warnings), 3 with errors (see --fail-on).
    """
    if explain is not None:
        from callgate.cli.lint_explain import explain_finding

        return explain_finding(explain, paths)
    if rules:
        from callgate.cli.lint_rules import list_rules

        return list_rules(format_)
    if output is not None and format_ == "pretty":
        raise click.UsageError("-o goes with a --format for programs, such as sarif")
    from callgate.cli.lint_outcome import check_all

    outcome = check_all(paths, settings, mend=fix or diff, cache=not no_cache)
    if diff:
        from callgate.cli.lint_fix import show_changes

        show_changes(outcome)
    elif fix:
        from callgate.cli.lint_fix import write_changes

        outcome = write_changes(outcome, quiet=format_ != "pretty")
    if not diff:
        _write(outcome, format_, output, fail_on)
    return exits.FINDINGS if outcome.fails(fail_on) else exits.OK


def _write(outcome: Outcome, format_: str, output: Path | None, fail_on: str) -> None:
    from callgate.cli.lint_show import show_pretty, summary
    from callgate.cli.whole_file import write_report

    if format_ == "pretty":
        show_pretty(outcome)
        return
    text = _text(outcome, format_, fail_on)
    if output is None:
        click.echo(text, nl=False)
        return
    write_report(output, text)
    click.echo(f"callgate: {summary(outcome)}; see {output}", err=True)


def _text(outcome: Outcome, format_: str, fail_on: str) -> str:
    if format_ == "sarif":
        from callgate.cli.lint_sarif import sarif_text

        return sarif_text(outcome)
    if format_ == "github":
        from callgate.cli.lint_github import github_text

        return github_text(outcome)
    if format_ == "junit":
        from callgate.cli.lint_junit import junit_text

        return junit_text(outcome, fail_on)
    from callgate.cli.lint_show import lint_json

    return lint_json(outcome)
