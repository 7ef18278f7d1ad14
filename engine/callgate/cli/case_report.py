"""What `callgate test` says of a bundle's tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from callgate.analysis.explain import explain
from callgate.analysis.facts import open_settings
from callgate.analysis.texts import counted
from callgate.cli.paint import Line, Painter, pad
from callgate.cli.story import deciding_lines
from callgate.cli.writers import json_text
from callgate.model.policy import Policy
from callgate.policytest.coverage import Coverage
from callgate.policytest.run import Failure, Report

__all__ = ["show_report", "told_report"]


def show_report(painter: Painter, report: Report, coverage: bool) -> None:
    """Write the failures, the coverage when wanted, and the totals."""
    for failure in report.failures:
        painter.write([[], *_failure(failure, report.policy, painter.width)])
    if coverage:
        painter.write([[], *_coverage(report.coverage)])
    failed = len(report.failures)
    words = [f"{failed} failed"] if failed else []
    words += [f"{report.passed} passed", counted(report.examples, "guard example")]
    invariants = counted(len(report.policy.invariants), "invariant")
    words.append(f"{invariants} held" if not failed else "")
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
    return value if isinstance(value, str) and value else json_text(value)


def _deciding(failure: Failure, policy: Policy, width: int) -> Sequence[Line]:
    """The step that decided, as `callgate explain` tells it."""
    if failure.decision is None:
        return ()
    shown = open_settings(policy, failure.settings)
    return deciding_lines(explain(failure.decision, shown), width)


def _coverage(coverage: Coverage) -> list[Line]:
    rows = list(coverage.rules.values())
    width = max((len(row.rule) for row in rows), default=4)
    lines: list[Line] = [[(f"{pad('RULE', width)}  DECIDED   HELD  DID NOT HOLD", "dim")]]
    for row in rows:
        passed = str(row.passed) if row.conditional else "–"
        text = f"{pad(row.rule, width)}  {row.decided:>7}  {row.held:>5}  {passed:>12}"
        lines.append([(text, "" if row.covered else "ask")])
    covered = sum(row.covered for row in rows)
    text = f"{covered} of {counted(len(rows), 'rule')} covered: held, and did not hold if it can"
    lines.append([(text, "strong")])
    return lines


def told_report(report: Report, coverage: bool) -> dict[str, Any]:
    """The JSON form of a report."""
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
            {
                "rule": row.rule,
                "decided": row.decided,
                "held": row.held,
                "not_held": row.passed if row.conditional else None,
                "covered": row.covered,
            }
            for row in report.coverage.rules.values()
        ]
    return told
