"""`callgate test`: run the policy tests of bundles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from callgate.cli import exits
from callgate.cli.log_store import records_option
from callgate.cli.options import format_option
from callgate.cli.paint import Painter

if TYPE_CHECKING:
    from callgate.policytest.cases import Case
    from callgate.policytest.run import Report

__all__ = ["command"]


@click.command("test", short_help="Run policy tests.")
@format_option("pretty", "json")
@click.option("--coverage", is_flag=True, help="Show which rules the tests put to use.")
@click.option(
    "--from-log", metavar="ID", help="Run nothing: make a test case of this recorded decision."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --from-log: a test file to add the case to, or a new one.",
)
@records_option
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(
    format_: str,
    coverage: bool,
    from_log: str | None,
    output: Path | None,
    records: Path | None,
    paths: tuple[str, ...],
) -> int:
    """Run policy tests: the cases of a bundle's `kind: tests` files, its guards' examples, and its
    invariants on every case.

    PATH is a bundle's folder or the name of a bundle that comes with callgate (default: echo).

    \b
      callgate test policies/acme
      callgate test policies/acme --coverage
      callgate test --from-log 019303a1 policies/acme -o policies/acme/tests/recorded.yaml

    With --from-log, a recorded decision becomes a case that expects the same again, to be pasted
    into a test file or added to one. It is tried in PATH at once, and said where it does not pass
    there: settings are not recorded. Secrets are what the record has in their place. A decision
    that would not come out the same as a test is refused.

    Exit codes: 0 when all pass or the case is written, 1 when none could be made, 3 when one fails
    or a bundle can't be loaded.
    """
    if from_log is not None:
        from callgate.cli.test_from_log import write_case

        if coverage or format_ != "pretty" or len(paths) > 1:
            raise click.UsageError("--from-log takes one PATH, --records and -o, and nothing else")
        return write_case(from_log, records, output, paths[0] if paths else None)
    if output is not None or records is not None:
        raise click.UsageError("-o and --records go with --from-log")
    from callgate.cli.case_report import show_report, told_report
    from callgate.cli.reports import refuse
    from callgate.model.diagnostic import PolicyError
    from callgate.policytest.run import run_tests

    painter = Painter()
    pretty = format_ == "pretty"
    reports: list[Report] = []
    for path in paths or ("echo",):
        dots = _Dots(painter)
        try:
            reports.append(run_tests(path, dots.done if pretty else _quiet))
        except PolicyError as error:
            refuse(error.diagnostics, [path], None)
        if pretty:
            dots.end()
    if pretty:
        for report in reports:
            show_report(painter, report, coverage)
    else:
        from callgate.cli.writers import write_json

        told = [told_report(report, coverage) for report in reports]
        write_json(told[0] if len(told) == 1 else told)
    return exits.FINDINGS if any(report.failures for report in reports) else exits.OK


def _quiet(case: Case, passed: bool) -> None:
    """Nothing to show while tests run."""


class _Dots:
    """A line per test file: its name, and a dot or an F per case."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._file = ""
        self._column = 0

    def done(self, case: Case, passed: bool) -> None:
        """One more case was run."""
        if case.span.file != self._file:
            self.end()
            self._file = case.span.file
            self._put(f"{self._file} ")
        if self._column >= self._painter.width:
            self._put("\n" + " " * 4)
        self._put("." if passed else "F")

    def end(self) -> None:
        """End the line."""
        if self._file:
            self._put("\n")
            self._file = ""

    def _put(self, text: str) -> None:
        self._painter.stream.write(text)
        self._painter.stream.flush()
        after = text.rpartition("\n")[2]
        self._column = len(after) if "\n" in text else self._column + len(text)
