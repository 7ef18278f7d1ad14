"""`callgate test`: run the policy tests of bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.paint import Line, Painter, pad

if TYPE_CHECKING:
    from callgate.model.policy import Policy
    from callgate.policytest.cases import Case
    from callgate.policytest.coverage import Coverage
    from callgate.policytest.run import Failure, Report

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
            _show(painter, report, coverage)
    else:
        from callgate.cli.writers import write_json

        told = [_told(report, coverage) for report in reports]
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


def _show(painter: Painter, report: Report, coverage: bool) -> None:
    for failure in report.failures:
        painter.write([[], *_failure(failure, report.policy, painter.width)])
    if coverage:
        painter.write([[], *_coverage(report.coverage)])
    failed = len(report.failures)
    words = [f"{failed} failed"] if failed else []
    words += [f"{report.passed} passed", f"{report.examples} guard examples"]
    words.append(f"{len(report.policy.invariants)} invariants held" if not failed else "")
    style = "deny" if failed else "allow"
    painter.write([[], [(f"{report.policy.name}: {', '.join(filter(None, words))}", style)]])


def _failure(failure: Failure, policy: Policy, width: int) -> list[Line]:
    case = failure.case
    lines: list[Line] = [
        [("FAILED ", "deny"), (f"{case.span.file}:{case.span.line}  ", "strong"), (case.name, "")]
    ]
    if failure.problem:
        return [*lines, [("  " + failure.problem, "")]]
    for item in failure.mismatches:
        lines.append(
            [
                (f"  {pad(item.key, 16)}", ""),
                ("expected ", "dim"),
                (_value(item.expected), "allow"),
                ("   got ", "dim"),
                (_value(item.actual), "deny"),
            ]
        )
    lines.extend(
        [(f"  {pad('invariant', 16)}", ""), (f"{name}: {title}", "deny")]
        for name, title in failure.violated
    )
    if failure.decision is not None and failure.decision.failure is not None:
        code, message, _ = failure.decision.failure
        lines.append([(f"  {pad('error', 16)}", ""), (f"{code}: {message}", "deny")])
    return [*lines, *_deciding(failure, policy, width)]


def _value(value: Any) -> str:
    from callgate.cli.writers import json_text

    return value if isinstance(value, str) and value else json_text(value)


def _deciding(failure: Failure, policy: Policy, width: int) -> Sequence[Line]:
    """The step that decided, as `callgate explain` tells it."""
    if failure.decision is None:
        return ()
    from callgate.analysis.explain import explain
    from callgate.analysis.facts import open_settings
    from callgate.cli.story import deciding_lines

    shown = open_settings(policy, failure.settings)
    return deciding_lines(explain(failure.decision, shown), width)


def _coverage(coverage: Coverage) -> list[Line]:
    rows = list(coverage.rules.values())
    width = max((len(row.rule) for row in rows), default=4)
    lines: list[Line] = [[(f"{pad('RULE', width)}  DECIDED   HELD  DID NOT HOLD", "dim")]]
    for row in rows:
        full = row.held and row.passed
        text = f"{pad(row.rule, width)}  {row.decided:>7}  {row.held:>5}  {row.passed:>12}"
        lines.append([(text, "" if full else "ask")])
    lacking = sum(not (row.held and row.passed) for row in rows)
    lines.append(
        [(f"{len(rows) - lacking} of {len(rows)} rules both held and did not hold", "strong")]
    )
    return lines


def _told(report: Report, coverage: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "bundle": report.policy.name,
        "passed": report.passed,
        "failed": len(report.failures),
        "examples": report.examples,
        "invariants": len(report.policy.invariants),
        "failures": [
            {
                "name": failure.case.name,
                "file": failure.case.span.file,
                "line": failure.case.span.line,
                "problem": failure.problem or None,
                "wrong": [
                    {"key": item.key, "expected": item.expected, "actual": item.actual}
                    for item in failure.mismatches
                ],
                "violated": [name for name, _ in failure.violated],
                "decision": failure.decision.to_dict() if failure.decision else None,
            }
            for failure in report.failures
        ],
    }
    if coverage:
        told["coverage"] = [
            {"rule": row.rule, "decided": row.decided, "held": row.held, "not_held": row.passed}
            for row in report.coverage.rules.values()
        ]
    return told
