"""A report of lint as JSON, and back: so that it can be kept for unchanged input."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from callgate.lint.report import Report
from callgate.lint.rule import Edit, Finding
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span

__all__ = ["from_plain", "to_plain"]


def to_plain(report: Report) -> Any:
    """A report without the times of its rules, made of what JSON has."""
    return {
        "findings": [_plain(item) for item in report.findings],
        "ignored": report.ignored,
        "used": sorted(report.used_entries),
    }


def from_plain(value: Any) -> Report:
    """The report that `to_plain` made this of. Raises ValueError, KeyError or TypeError for
    anything else."""
    findings = tuple(map(_finding, value["findings"]))
    return Report(findings, int(value["ignored"]), frozenset(value["used"]))


def _plain(item: Finding) -> list[Any]:
    found = item.diagnostic
    return [
        found.code,
        found.message,
        None if found.span is None else astuple(found.span),
        found.help,
        found.severity.value,
        [[role, astuple(span)] for role, span in found.related],
        [[astuple(edit.span), edit.text] for edit in item.fix],
    ]


def _finding(form: list[Any]) -> Finding:
    code, message, place, help, severity, related, fix = form
    return Finding(
        Diagnostic(
            code,
            message,
            place and Span(*place),
            help,
            Severity(severity),
            tuple((role, Span(*span)) for role, span in related),
        ),
        tuple(Edit(Span(*span), text) for span, text in fix),
    )
