"""`callgate test`: run the policy tests of bundles."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callgate.cli import exits
from callgate.cli.log_store import records_option
from callgate.cli.options import format_option
from callgate.cli.paint import Painter
from callgate.cli.test_options import modes, run_options

if TYPE_CHECKING:
    from callgate.cli.test_options import Options
    from callgate.cli.test_run import Outcome

__all__ = ["command"]


@click.command("test", short_help="Run policy tests.")
@format_option("pretty", "json", "junit")
@run_options
@click.option(
    "--from-log", metavar="ID", help="Run nothing: make a test case of this recorded decision."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the result to this file (not with `pretty`). With --from-log and --generate: a "
    "test file to add cases to, or a new one.",
)
@records_option
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(
    format_: str,
    from_log: str | None,
    output: Path | None,
    records: Path | None,
    paths: tuple[str, ...],
    **given: Any,
) -> int:
    """Run policy tests: the cases of a bundle's `kind: tests` files, its guards' examples, and its
    invariants on every case.

    PATH is a bundle's folder or the name of a bundle that comes with callgate. Without one, the
    bundles of the nearest .callgate.yaml or pyproject.toml are tested, or else echo. A run that
    passed is not repeated while nothing has changed: it is shown again, as cached.

    \b
      callgate test policies/acme
      callgate test policies/acme -k "push and not force" -x
      callgate test policies/acme --watch
      callgate test policies/acme --coverage --fail-under 90
      callgate test policies/acme --format junit -o results.xml
      callgate test --from-log 019303a1 policies/acme -o policies/acme/tests/recorded.yaml

    With --from-log, a recorded decision becomes a case that expects the same again, to be pasted
    into a test file or added to one. It is tried in PATH at once, and said where it does not pass
    there: settings are not recorded. Secrets are what the record has in their place. A decision
    that would not come out the same as a test is refused.

    Exit codes: 0 when all pass or the case is written, 1 when none could be made or -k selects
    none, 3 when one fails, a bundle can't be loaded or less is covered than --fail-under asks for.
    """
    options = modes(given)
    if from_log is not None:
        from callgate.cli.test_from_log import write_case

        if options.given or format_ != "pretty" or len(paths) > 1:
            raise click.UsageError("--from-log takes one PATH, --records and -o, and nothing else")
        return write_case(from_log, records, output, paths[0] if paths else None)
    if records is not None:
        raise click.UsageError("--records goes with --from-log")
    from callgate.cli.project import bundles_of

    bundles = bundles_of(paths)
    if options.generate or options.mutate:
        from callgate.cli.test_modes import run_mode

        return run_mode(bundles, options, format_, output)
    if output is not None and format_ == "pretty":
        raise click.UsageError("-o goes with --from-log, --generate, or a --format for programs")
    if options.watch:
        from callgate.cli.test_watch import watch

        if format_ != "pretty" or options.choice.coverage:
            raise click.UsageError("--watch shows results as they change: it takes no report")
        return watch(bundles, options.choice, Painter())
    return _run(bundles, options, format_, output)


def _run(bundles: tuple[str, ...], options: Options, format_: str, output: Path | None) -> int:
    from callgate.cli.test_dots import Dots, Silent
    from callgate.cli.test_run import nothing_selected, run_bundle
    from callgate.model.diagnostic import PolicyError

    painter = Painter()
    pretty = format_ == "pretty"
    dots = Dots(painter)
    progress = dots if pretty and not options.quiet else Silent()
    outcomes: list[Outcome] = []
    for path in bundles:
        try:
            outcomes.append(run_bundle(path, options.choice, progress))
        except PolicyError as error:
            from callgate.cli.reports import refuse

            dots.end()
            refuse(error.diagnostics, [path], None)
        if progress is dots and outcomes[-1].summary.cached:
            dots.again((case.file, case.confirmed) for case in outcomes[-1].summary.cases)
        dots.end()
    expression = options.choice.expression
    if expression and not any(outcome.summary.chosen for outcome in outcomes):
        nothing_selected(expression, outcomes)
    _write(outcomes, options, format_, output, painter)
    short = False
    if options.choice.coverage:
        from callgate.cli.test_coverage import show_coverage

        short = show_coverage(outcomes, options, painter if pretty else None)
    if pretty:
        from callgate.cli.test_show import totals

        for why in dict.fromkeys(outcome.refused for outcome in outcomes if outcome.refused):
            painter.write([[(f"nothing is kept for next time: {why}", "ask")]])
        painter.write([line for outcome in outcomes for line in ([], totals(outcome.summary))])
    return exits.FINDINGS if short or any(o.summary.failed for o in outcomes) else exits.OK


def _write(
    outcomes: list[Outcome],
    options: Options,
    format_: str,
    output: Path | None,
    painter: Painter,
) -> None:
    from callgate.cli.test_show import show_outcome, told_outcome

    if format_ == "pretty":
        for outcome in outcomes:
            show_outcome(painter, outcome, options.durations)
        return
    if format_ == "junit":
        from callgate.cli.test_junit import junit_text

        text = junit_text(outcomes)
    else:
        from callgate.cli.writers import json_text

        told = [told_outcome(outcome, options.durations) for outcome in outcomes]
        text = json_text(told[0] if len(told) == 1 else told, indent=True) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        from callgate.cli.whole_file import write_report

        write_report(output, text)
