"""What `callgate ci` found, check by check, for terminals and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from callgate.cli.paint import MARKS, Line, pad
from callgate.runtime.masking import escape

__all__ = ["Check", "markdown", "result_lines", "told"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one bundle. `summary`: what it came to, in a line; `details`: what failed, as
    (place, text). `cached`: it was taken from an earlier run of the same files."""

    bundle: str
    name: str
    passed: bool
    summary: str
    details: tuple[tuple[str, str], ...] = ()
    cached: bool = False
    data: dict[str, Any] = field(default_factory=dict)


def result_lines(checks: Sequence[Check]) -> Iterable[Line]:
    """The checks by bundle, aligned."""
    width = max((len(check.name) for check in checks), default=0)
    bundle = ""
    for check in checks:
        if check.bundle != bundle:
            bundle = check.bundle
            yield [(escape(bundle), "strong")]
        style = "allow" if check.passed else "deny"
        cached = [("  (cached)", "dim")] if check.cached else []
        yield [
            (f"  {MARKS[style]} ", style),
            (f"{pad(check.name, width)}  ", ""),
            (check.summary, "" if check.passed else "deny"),
            *cached,
        ]


def markdown(checks: Sequence[Check]) -> str:
    """The summary for a job's page."""
    failed = [check for check in checks if not check.passed]
    head = "All checks passed" if not failed else f"{len(failed)} of {len(checks)} checks failed"
    lines = [f"## Policies: {head}", "", "| bundle | check | | result |", "|---|---|---|---|"]
    for check in checks:
        mark = ":white_check_mark:" if check.passed else ":x:"
        lines.append(f"| {_cell(check.bundle)} | {check.name} | {mark} | {_cell(check.summary)} |")
    for check in failed:
        if check.details:
            lines += ["", f"<details><summary>{_cell(check.bundle)}: {check.name}</summary>", ""]
            lines += [f"- {_cell(place)}: {_cell(text)}" for place, text in check.details[:_MOST]]
            if len(check.details) > _MOST:
                lines.append(f"- and {len(check.details) - _MOST} more")
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


_MOST = 50


def told(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The JSON form."""
    return [
        {
            "bundle": check.bundle,
            "check": check.name,
            "passed": check.passed,
            "summary": check.summary,
            "cached": check.cached,
            "details": [{"place": place, "message": text} for place, text in check.details],
            **check.data,
        }
        for check in checks
    ]


def _cell(text: str) -> str:
    """A text on one line in which nothing is markup: no sign, no link, no mention."""
    return "".join(
        c if c.isalnum() or c in " /-" else f"&#{ord(c)};" if c.isprintable() else " " for c in text
    )
