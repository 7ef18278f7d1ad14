"""`callgate log verify`: whether the records are as they were written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from callgate.cli import exits
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.cli.paint import Line
    from callgate.record.finding import Finding
    from callgate.record.verify import Report

__all__ = ["command"]

_HASH: Final = re.compile("[0-9a-f]{64}")
_LABEL: Final = 13


@click.command("verify", short_help="Check that no record was changed, removed or put elsewhere.")
@records_option
@click.option(
    "--expect-head",
    default="",
    metavar="HASH",
    help="The hash of a checkpoint or record, kept elsewhere, that has to be there still.",
)
@click.option(
    "--public-key",
    "keys",
    multiple=True,
    metavar="FILE|B64",
    help="Take only signatures by this Ed25519 key, and ask for one. Repeatable.",
)
@format_option("pretty", "json")
def command(records: Path | None, expect_head: str, keys: tuple[str, ...], format_: str) -> int:
    """Check the chains of records and their checkpoints, and name whatever is not as it was
    written: records that were changed, removed, put elsewhere or cut off.

    Whoever can write the files can write them all anew, so that they fit again. To notice that,
    give a hash that `callgate log checkpoint` told before, or a public key of its signatures. What
    is not proven is told.

    \b
      callgate log verify
      callgate log verify --expect-head "$(cat head.txt)"
      callgate log verify --public-key auditor.pub --format json | jq '.findings[].seq'

    Exit codes: 0 all is as it was written, 1 it can't be checked, 3 it is not.
    """
    from callgate.record.signing import public_key
    from callgate.record.verify import verify

    expected = expect_head.strip().lower()
    if expect_head and not _HASH.fullmatch(expected):
        raise click.UsageError("--expect-head takes a hash: 64 hex digits")
    with opened(records, tells=False) as store:
        from callgate.cli.log_progress import size_of
        from callgate.cli.progress import Progress

        trusted = tuple(dict.fromkeys(map(public_key, keys)))
        progress = Progress(size_of(store), "records")

        def advanced(lines: int, size: int) -> None:
            progress.advanced(size)
            progress.called(lines)

        try:
            report = verify(store, expected, trusted, advanced)
        finally:
            progress.clear()
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(_form(report))
    else:
        from callgate.cli.paint import Painter

        painter = Painter()
        painter.write(_lines(report, painter.width))
    return exits.OK if report.whole else exits.FINDINGS


def _form(report: Report) -> dict[str, Any]:
    return {
        "whole": report.whole,
        "records": report.records,
        "chains": report.chains,
        "segments": report.segments,
        "retired": report.retired,
        "since": report.since,
        "until": report.until,
        "checkpoints": report.checkpoints,
        "newest": report.newest,
        "signers": [
            {"key": key, "checkpoints": count, "trusted": key in report.trusted}
            for key, count in report.signers.items()
        ],
        "findings": [
            {
                "code": finding.code,
                "chain": finding.chain,
                "seq": finding.seq,
                "last": finding.last,
                "file": finding.place.file,
                "line": finding.place.line or None,
                "message": finding.message,
            }
            for finding in report.findings
        ],
        "more": report.more,
        "notices": report.notices,
        "unproven": report.unproven,
    }


def _lines(report: Report, width: int) -> list[Line]:
    from callgate.analysis.texts import counted

    lines: list[Line]
    if report.whole:
        lines = [[("✓ whole", "allow"), (": all is as it was written", "")]]
    else:
        total = counted(len(report.findings) + report.more, "finding")
        lines = [[(f"✕ {total}", "deny"), (": the records are not as they were written", "")]]
    where = f"in {counted(report.chains, 'chain')}, {counted(report.segments, 'segment')}"
    lines += _row("records", f"{report.records:,} {where}", width)
    if report.since:
        lines += _row("time", f"{report.since} to {report.until}", width)
    if report.retired:
        lines += _row("retention", f"removed {counted(report.retired, 'segment')}", width)
    newest = f", the newest {report.newest}" if report.checkpoints else ""
    lines += _row("checkpoints", f"{report.checkpoints:,}{newest}", width)
    for key, count in report.signers.items():
        known = "a key you trust" if key in report.trusted else "an unknown key"
        lines += _row("signed", f"{count:,} by {known}: {key}", width)
    if report.findings:
        lines.append([])
        widest = max(len(finding.code) for finding in report.findings)
        for finding in report.findings:
            lines += _finding(finding, widest, width)
        if report.more:
            lines.append([(f"  … and {report.more:,} more", "dim")])
    if report.notices or report.unproven:
        lines.append([])
    for notice in report.notices:
        lines += _row("note", notice, width)
    for unproven in report.unproven:
        lines += _row("not proven", unproven, width)
    return lines


def _row(label: str, text: str, width: int) -> list[Line]:
    from callgate.cli.paint import wrapped

    return [
        [(f"  {'' if index else label:<{_LABEL}}", "dim"), (part, "")]
        for index, part in enumerate(wrapped(text, width - _LABEL - 2))
    ]


def _finding(finding: Finding, widest: int, width: int) -> list[Line]:
    """What happened, to which records, where; then why this is known."""
    from callgate.cli.paint import wrapped

    which = "all"
    if finding.seq is not None:
        which = f"seq {finding.seq}"
        if finding.last is not None and finding.last > finding.seq:
            which += f" to {finding.last}"
    place = finding.place
    where = f"{place.file}:{place.line}" if place.line else place.file
    head: Line = [
        (f"  {finding.code:<{widest}}  ", "deny"),
        (f"{finding.chain or 'the records':<32}  ", "name"),
        (f"{which}  ", "strong"),
    ]
    indent = " " * (widest + 4)
    rest = [f"{indent}{part}" for part in wrapped(finding.message, width - widest - 4)]
    return [head, *([[(indent + where, "dim")]] if where else []), *([(r, "")] for r in rest)]
