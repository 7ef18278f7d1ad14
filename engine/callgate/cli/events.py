"""`callgate events`: what happened at the gates of a state folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.since import time_option
from callgate.cli.state_option import opened_database, state_option, told_state_errors

if TYPE_CHECKING:
    from callgate.cli.paint import Line
    from callgate.gate.events import Event

__all__ = ["command"]


@click.command("events", short_help="Show what happened: answers, grants, reloads, break-glass.")
@state_option
@click.option(
    "--kind", default="", metavar="PREFIX", help="Only those of a kind, as `grant` or `grant.made`."
)
@click.option(
    "--since",
    callback=time_option,
    metavar="TIME",
    help="Only later ones: a time (UTC, where it has no offset), or how long ago: 90m, 12h, 7d.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    metavar="N",
    help="How many at most; the newest.",
)
@format_option("pretty", "json", "jsonl")
def command(state: Path | None, kind: str, since: datetime | None, limit: int, format_: str) -> int:
    """Show what happened at the gates that share a state folder, oldest first: who answered what,
    which grants were made and revoked, which versions of the policy came and went, freezes, and
    every call that break-glass let pass. What the policy decided by itself is not recorded.

    \b
      callgate events
      callgate events --kind break-glass --since 12h
      callgate events --kind grant --since 2026-12-01 --format json
      callgate events --limit 100000 --format jsonl | jq 'select(.detail.user == "ann")'

    Exit codes: 0 done, also where nothing happened; 1 not.
    """
    from callgate.gate.events import Events

    with told_state_errors():
        events = Events(opened_database(state))
        found = events.list(kind, since=since, limit=limit + 1, newest=True)
    more = len(found) > limit
    _write(found[1:] if more else found, format_)
    if more:
        click.echo(f"callgate: these are the newest {limit}; `--limit` shows more", err=True)
    return exits.OK


def _write(events: list[Event], format_: str) -> None:
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json([_form(event) for event in events])
    elif format_ == "jsonl":
        from callgate.cli.writers import json_text

        for event in events:
            click.echo(json_text(_form(event)))
    elif not events:
        click.echo("no events")
    else:
        from callgate.cli.paint import Painter

        painter = Painter()
        painter.write(line for event in events for line in _lines(event, painter.width))


def _form(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "detail": dict(event.detail),
    }


def _lines(event: Event, width: int) -> Iterator[Line]:
    """An event for people; what somebody named is escaped, and what is empty left out."""
    from callgate.cli.paint import wrapped
    from callgate.cli.state_record import at_text
    from callgate.runtime.masking import escape

    yield [(at_text(event.at), ""), ("  ", ""), (escape(event.kind), "strong")]
    told = (
        f"{escape(name)} {escape(_shown(value))}"
        for name, value in event.detail.items()
        if value not in ("", None, [])
    )
    for line in wrapped(" · ".join(told), width - 2):
        yield [("  " + line, "dim")]


def _shown(value: Any) -> str:
    from callgate.cli.writers import json_text

    return value if isinstance(value, str) else json_text(value)
