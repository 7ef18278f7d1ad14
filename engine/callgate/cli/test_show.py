"""What `callgate test` writes: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callgate.analysis.texts import counted
from callgate.cli.paint import Line, Painter
from callgate.cli.test_run import Outcome
from callgate.policytest.summary import RanCase, Summary

if TYPE_CHECKING:
    from callgate.cli.case_report import FailureStory

__all__ = ["show_outcome", "stories_of", "told_outcome", "totals"]


def stories_of(outcome: Outcome) -> list[FailureStory]:
    """The failures of a bundle's tests, explained."""
    report = outcome.report
    if report is None or not report.failures:
        return []
    from callgate.cli.case_report import story_of_failure

    return [story_of_failure(failure, report.policy) for failure in report.failures]


def show_outcome(painter: Painter, outcome: Outcome, durations: int = 0) -> None:
    """Write the failures, and the slowest cases when wanted."""
    stories = stories_of(outcome)
    if stories:
        from callgate.cli.case_report import failure_lines
        from callgate.load.bundle import bundle_lines

        loaded = outcome.loaded
        lines = bundle_lines([file for files in loaded.files for file in files] if loaded else [])
        for story in stories:
            painter.write([[], *failure_lines(story, lines, painter.width)])
    if durations:
        painter.write([[], *_slowest(outcome.summary, durations)])


def totals(summary: Summary) -> Line:
    """How many cases passed and failed, in one line."""
    words = [f"{summary.failed} failed"] if summary.failed else []
    words.append(f"{summary.passed} passed")
    if summary.proposed:
        words.append(f"{summary.proposed} of them proposed")
    left = summary.total - len(summary.cases)
    if left:
        words.append(f"{left} not run")
    words.append(counted(summary.examples, "guard example"))
    if not summary.failed:
        words.append(f"{counted(len(summary.invariants), 'invariant')} held")
    cached = " (cached)" if summary.cached else ""
    style = "deny" if summary.failed else "allow"
    return [(f"{summary.bundle}: {', '.join(words)}{cached}", style)]


def _slowest(summary: Summary, count: int) -> list[Line]:
    rows: list[Line] = [[(f"slowest of {counted(len(summary.cases), 'case')}", "strong")]]
    for case in _by_time(summary)[:count]:
        rows.append(
            [
                (f"{1000 * case.seconds:9.1f} ms  ", ""),
                (f"{case.file}:{case.line}  ", "dim"),
                (case.name, ""),
            ]
        )
    return rows


def _by_time(summary: Summary) -> Sequence[RanCase]:
    return sorted(summary.cases, key=lambda case: -case.seconds)


def told_outcome(outcome: Outcome, durations: int = 0) -> dict[str, Any]:
    """The JSON form of what came of a bundle."""
    summary = outcome.summary
    stories = stories_of(outcome)
    failures = []
    if stories:
        from callgate.cli.case_report import told_failure

        failures = [told_failure(story) for story in stories]
    told: dict[str, Any] = {
        "bundle": summary.bundle,
        "passed": summary.passed,
        "failed": summary.failed,
        "proposed": summary.proposed,
        "not_run": summary.total - len(summary.cases),
        "examples": summary.examples,
        "invariants": len(summary.invariants),
        "cached": summary.cached,
        "failures": failures,
    }
    if durations:
        told["durations"] = [
            {"name": case.name, "file": case.file, "line": case.line, "seconds": case.seconds}
            for case in _by_time(summary)[:durations]
        ]
    if outcome.coverage is not None:
        from callgate.cli.coverage_report import told as told_coverage

        told["coverage"] = [
            {
                "rule": row.rule,
                "decided": row.decided,
                "held": row.held,
                "not_held": row.passed if row.conditional else None,
                "covered": row.covered,
            }
            for row in outcome.coverage.rules.values()
        ]
        told["reached"] = told_coverage(outcome.coverage)
    return told
