"""`callgate test`: run the policy tests of bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.paint import Painter

if TYPE_CHECKING:
    from callgate.policytest.cases import Case
    from callgate.policytest.run import Report

__all__ = ["command"]


@click.command("test", short_help="Run policy tests.")
@format_option("pretty", "json")
@click.option("--coverage", is_flag=True, help="Show which rules the tests put to use.")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(format_: str, coverage: bool, paths: tuple[str, ...]) -> int:
    """Run policy tests: the cases of a bundle's `kind: tests` files, its guards' examples, and its
    invariants on every case.

    PATH is a bundle's folder or the name of a bundle that comes with callgate (default: echo).

    \b
      callgate test policies/acme
      callgate test policies/acme --coverage

    Exit codes: 0 when all pass, 3 when one fails or a bundle can't be loaded.
    """
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
