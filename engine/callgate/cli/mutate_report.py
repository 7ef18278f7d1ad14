"""What `callgate test --mutate` says: survivors as diffs, and the score by operator."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

from callgate.analysis.texts import counted
from callgate.cli.paint import Line, Painter, pad
from callgate.cli.writers import json_text
from callgate.policytest.mutation.mutant import diff_of, line_of
from callgate.policytest.mutation.run import Report, Tried
from callgate.policytest.mutation.telling import Telling
from callgate.policytest.mutation.trial import EQUIVALENT, KILLED, REFUSED, SURVIVED

__all__ = ["show_mutation", "told_mutation"]

_STATUSES: Final = (KILLED, SURVIVED, EQUIVALENT, REFUSED)


def show_mutation(painter: Painter, report: Report, texts: Mapping[str, str], where: str) -> None:
    """Write every survivor that is not accepted, and the table. `texts`: file → text; `where`: the
    bundle, as it is named on the command line."""
    for tried in report.survivors:
        if not tried.reason:
            painter.write([[], *_survivor(tried, texts[tried.mutant.file], where)])
    painter.write([[], *_table(report)])
    kept = [tried for tried in report.survivors if tried.reason]
    for tried in kept:
        place = f"{tried.mutant.file}:{line_of(texts[tried.mutant.file], tried.mutant)}"
        text = f"  {place}: {tried.mutant.description}: {tried.reason}"
        painter.write([[("accepted", "dim"), (text, "")]])
    killed, survived = report.count(KILLED), report.count(SURVIVED)
    words = [f"{killed} of {counted(killed + survived, 'mutant')} killed"]
    if len(report.tried) < report.found:
        words.append(f"a sample of {len(report.tried):,} of {report.found:,}")
    style = "ask" if survived else "allow"
    painter.write([[], [(f"score {report.score:.1f} %: {', '.join(words)}", style)]])


def _survivor(tried: Tried, text: str, where: str) -> list[Line]:
    mutant = tried.mutant
    lines: list[Line] = [
        [
            ("SURVIVED ", "ask"),
            (f"{mutant.file}:{line_of(text, mutant)}  ", "strong"),
            (f"{mutant.rule}: {mutant.description}" if mutant.rule else mutant.description, ""),
            (f"  ({mutant.operator})", "dim"),
        ]
    ]
    for line in diff_of(text, mutant).splitlines()[2:]:
        style = {"+": "allow", "-": "deny"}.get(line[:1], "dim")
        lines.append([(f"  {line}", style)])
    return [*lines, *_how(tried.telling, where)]


def _how(telling: Telling | None, where: str) -> list[Line]:
    """What would kill a survivor."""
    if telling is None:
        text = "no call that was tried tells the two apart: they may be equivalent"
        return [[(f"  {text}", "dim")]]
    before, after = (" by ".join(said) for said in (telling.before, telling.after))
    call = shlex.quote(json_text(telling.call))
    if telling.before != telling.after:
        told = f"a case that expects {before} kills it; now: {after}"
    else:
        told = f"a case that expects `matched` kills it: both decide {before}"
    return [
        [(f"  {told}", "")],
        [(f"  callgate eval --bundle {shlex.quote(where)} {call}", "name")],
    ]


def _table(report: Report) -> list[Line]:
    operators = sorted({tried.mutant.operator for tried in report.tried})
    width = max((len(name) for name in operators), default=0) + 2
    head = "".join(f"{name.upper():>12}" for name in _STATUSES)
    lines: list[Line] = [[(f"{pad('OPERATOR', width)}{head}", "dim")]]
    for name in operators:
        counts = [report.count(status, name) for status in _STATUSES]
        row = "".join(f"{count:>12,}" for count in counts)
        lines.append([(f"{pad(name, width)}{row}", "ask" if counts[1] else "")])
    row = "".join(f"{report.count(status):>12,}" for status in _STATUSES)
    lines.append([(f"{pad('all', width)}{row}", "strong")])
    return lines


def told_mutation(report: Report, texts: Mapping[str, str]) -> dict[str, Any]:
    """The JSON form of a report."""
    operators = sorted({tried.mutant.operator for tried in report.tried})
    return {
        "score": round(report.score, 2),
        "found": report.found,
        "tried": len(report.tried),
        **{status: report.count(status) for status in _STATUSES},
        "operators": {
            name: {status: report.count(status, name) for status in _STATUSES} for name in operators
        },
        "survivors": [_told(tried, texts[tried.mutant.file]) for tried in report.survivors],
    }


def _told(tried: Tried, text: str) -> dict[str, Any]:
    mutant, telling = tried.mutant, tried.telling
    return {
        "operator": mutant.operator,
        "description": mutant.description,
        "rule": mutant.rule or None,
        "file": mutant.file,
        "line": line_of(text, mutant),
        "diff": diff_of(text, mutant),
        "accepted": tried.reason or None,
        "telling": None
        if telling is None
        else {
            "call": dict(telling.call),
            "decision": telling.before[0],
            "rule": telling.before[1],
            "mutant_decision": telling.after[0],
            "mutant_rule": telling.after[1],
        },
    }
