"""What lint found, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from callgate.analysis.texts import counted
from callgate.cli.lint_outcome import Outcome
from callgate.cli.paint import Painter
from callgate.cli.reports import diagnostic_lines
from callgate.cli.writers import json_text
from callgate.model.diagnostic import Diagnostic, Severity

__all__ = ["lint_json", "show_findings", "show_pretty", "summary"]


def lint_json(outcome: Outcome) -> str:
    """The findings as a JSON array."""
    return json_text([_told(item.diagnostic) for item in outcome.findings], indent=True) + "\n"


def _told(item: Diagnostic) -> dict[str, Any]:
    span = item.span
    return {
        "code": item.code,
        "severity": item.severity.value,
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
        "message": item.message,
        "help": item.help,
    }


def show_pretty(outcome: Outcome) -> None:
    """Write the findings with their lines of source, and the summary."""
    painter = Painter()
    show_findings(outcome, painter)
    if outcome.refused:
        painter.write([[(f"nothing is kept for next time: {outcome.refused}", "ask")]])
    text = summary(outcome)
    if painter.terminal and all(bundle.cached for bundle in outcome.bundles):
        text += " (cached)"  # to others, the same input says the same
    painter.write([[(text, "deny" if outcome.fails("error") else "allow")]])


def show_findings(outcome: Outcome, painter: Painter) -> None:
    """Write the findings with their lines of source."""
    if not outcome.findings:
        return
    from callgate.load.bundle import bundle_lines

    lines = bundle_lines(outcome.files)
    project = outcome.project.document

    def source(file: str) -> list[str] | None:
        return project.source.lines if project and project.file == file else lines(file)

    for finding in outcome.findings:
        item = finding.diagnostic
        told = diagnostic_lines(item, source, painter.wrap)
        # Where there is nothing to do, one line will do.
        brief = item.severity is Severity.INFO and not item.help
        painter.write(told[:1] if brief else [*told, []])


def summary(outcome: Outcome) -> str:
    """How much was found, in one line."""
    counts = Counter(item.diagnostic.severity for item in outcome.findings)
    words = [counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    read = sum(bool(bundle.layers) for bundle in outcome.bundles)
    bundles = counted(read, "bundle") if read else "no bundle"
    text = f"{bundles} checked: {', '.join(words) or 'no findings'}"
    fixable = sum(bool(item.fix) for item in outcome.findings)
    more = [f"{fixable} can be mended with `--fix`"] if fixable else []
    more += [f"{outcome.ignored} ignored"] if outcome.ignored else []
    return "; ".join([text, *more])
