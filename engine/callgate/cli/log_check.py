"""`callgate log check`: whether recorded decisions come out the same once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from callgate.cli import exits
from callgate.cli.log_filters import filter_options
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.cli.paint import Line
    from callgate.record.query import Query
    from callgate.record.recheck import Differing, Rechecked
    from callgate.record.rewalk import Difference
    from callgate.record.store import Store

__all__ = ["command"]

_LABEL: Final = 15
_LONGEST: Final = 300
_MANY: Final = 12 * 2**20
"""Bytes of records from which on other processes are worth their start."""


@click.command("check", short_help="Walk each recorded decision again on its own graph.")
@filter_options
@format_option("pretty", "json")
@records_option
def command(query: Query, format_: str, records: Path | None) -> int:
    """Walk each recorded decision again, on the graph that decided it and with what was observed
    and answered then, and name every decision that comes out otherwise: by another rule, on
    another way, or with another end.

    A difference means that a record or a graph was changed, or that this version of callgate
    decides otherwise than the one that wrote the record. What can't be walked again, such as a call
    that hung on a secret, is told with the reason.

    \b
      callgate log check
      callgate log check --rule shell.recursive-delete --since 7d
      callgate log check --format json | jq '.differing[].decision_id'

    Exit codes: 0 all came out the same, 1 the records can't be read, 3 some did not, or the graph
    of some is missing.
    """
    from callgate.record.query import Query
    from callgate.record.recheck import recheck

    with opened(records) as store:
        from callgate.cli.log_progress import size_of
        from callgate.cli.progress import Progress

        total = size_of(store)
        progress = Progress(total, "records")

        def advanced(lines: int, size: int) -> None:
            progress.advanced(size)
            progress.called(lines)

        try:
            wanted = None if query == Query() else query
            found = recheck(store, wanted, total > _MANY, advanced)
        finally:
            progress.clear()
        if format_ == "json":
            from callgate.cli.writers import write_json

            write_json(_form(found, store))
        else:
            from callgate.cli.paint import Painter

            painter = Painter()
            painter.write(_lines(found, store, painter.width))
    return exits.OK if found.whole else exits.FINDINGS


def _form(found: Rechecked, store: Store) -> dict[str, Any]:
    differing = []
    for item in found.differing:
        file, line = _where(store, item.chain, item.seq)
        differing.append(
            {
                "decision_id": item.decision_id,
                "timestamp": item.timestamp,
                "chain": item.chain,
                "seq": item.seq,
                "file": file,
                "line": line or None,
                "engine": item.engine,
                "differences": [
                    {"key": each.key, "recorded": _told(each, 1), "now": _told(each, 2)}
                    for each in item.differences
                ],
            }
        )
    return {
        "whole": found.whole,
        "decisions": found.decisions,
        "equal": found.equal,
        "differing": differing,
        "more": found.more,
        "unwalked": [{"why": why, "count": count} for why, count in found.unwalked.items()],
        "graphs": [
            {"digest": digest, "count": count, "why": why}
            for digest, (count, why) in found.graphs.items()
        ],
        "unreadable": [
            {"chain": chain, "seq": None if seq < 0 else seq, "why": why}
            for chain, seq, why in found.unreadable
        ],
        "unlisted": found.unlisted,
    }


def _where(store: Store, chain: str, seq: int) -> tuple[str, int]:
    from callgate.record.recorded import place_of

    place = place_of(store, chain, seq)
    return place.file, place.line


def _told(difference: Difference, side: int) -> Any:
    """A side of a difference as JSON, in the words of the record."""
    value = difference[side]
    if difference.key == "matched":
        keys = ("rule", "decide", "enforce", "exception")
        return [
            {key: part for key, part in zip(keys, match, strict=True) if part is not None}
            for match in value
        ]
    if difference.key == "trace":
        return [{"node": each[0], "value": each[1]} for each in value]
    return value


def _lines(found: Rechecked, store: Store, width: int) -> list[Line]:
    from callgate.analysis.texts import counted

    lines: list[Line]
    if found.whole:
        lines = [[("✓ the same", "allow"), (": what was walked again came out as recorded", "")]]
    else:
        lines = [[("✕ not the same", "deny"), (": see below", "")]]
    lines += _row("decisions", f"{found.decisions:,}", width)
    lines += _row("the same", f"{found.equal:,}", width)
    if found.differences:
        lines += _row("otherwise", f"{found.differences:,}", width)
    for why, count in found.unwalked.items():
        lines += _row("not walked", f"{counted(count, 'decision')}: {why}", width)
    for count, why in found.graphs.values():
        lines += _row("graph", f"{counted(count, 'decision')}: {why}", width)
    for chain, seq, why in found.unreadable:
        where = f"chain {chain}, seq {seq}" if chain else "a line that names no chain"
        lines += _row("unreadable", f"{where}: {why}", width)
    if found.unlisted:
        lines += _row("unreadable", f"… and {counted(found.unlisted, 'more line')}", width)
    for item in found.differing:
        lines += _differing(item, store, width)
    if found.more:
        lines += [[], [(f"… and {found.more:,} more that came out otherwise", "dim")]]
    return lines


def _row(label: str, text: str, width: int) -> list[Line]:
    from callgate.cli.paint import wrapped

    return [
        [(f"  {'' if index else label:<{_LABEL}}", "dim"), (part, "")]
        for index, part in enumerate(wrapped(text, width - _LABEL - 2))
    ]


def _differing(item: Differing, store: Store, width: int) -> list[Line]:
    """A decision that came out otherwise: which one, where it stands, and each part."""
    from callgate import __version__
    from callgate.runtime.masking import escape

    file, line = _where(store, item.chain, item.seq)
    head = [("✕ ", "deny"), (escape(item.decision_id), "strong")]
    told = f"  {escape(item.timestamp)}  seq {item.seq}"
    if item.engine != __version__:
        told += f"  by callgate {escape(item.engine)}, this is {__version__}"
    lines: list[Line] = [[], [*head, (told, "dim")], [(f"  {file}:{line}", "dim")]]
    for each in item.differences:
        for side, label, style in ((1, "recorded", "allow"), (2, "now", "deny")):
            text = _text(each, side)
            name = each.key if side == 1 else ""
            lines.append([(f"  {name:<10}", ""), (f"{label:<10}", "dim"), (text, style)])
    return lines


def _text(difference: Difference, side: int) -> str:
    """A side of a difference in one line: of a trace, where the ways part. What a record says may
    be anything."""
    from callgate.cli.paint import cut
    from callgate.cli.writers import json_text
    from callgate.runtime.masking import escape

    value = difference[side]
    if difference.key == "matched":
        text = ", ".join(" ".join(map(str, filter(None, match))) for match in value) or "nothing"
    elif difference.key == "trace":
        other = difference[3 - side]
        same = 0
        while same < min(len(value), len(other)) and value[same] == other[same]:
            same += 1
        rest = value[same : same + 3]
        text = ", ".join(f"node {each[0]}: {json_text(each[1])}" for each in rest) or "ends"
        text += ", …" if len(value) > same + 3 else ""
    else:
        text = value if isinstance(value, str) else json_text(value)
    return cut(escape(text), _LONGEST)
