"""`callgate log tail`: the newest decisions, and those to come."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import click

from callgate.cli.log_filters import filter_options
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query

__all__ = ["command"]

_POLL_SECONDS: Final = 0.2


@click.command("tail", short_help="Show the newest decisions, and those to come.")
@click.option("-f", "--follow", is_flag=True, help="Go on with those to come, until Ctrl-C.")
@click.option(
    "-n",
    "count",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="How many of the newest.",
)
@filter_options
@format_option("table", "jsonl")
@records_option
def command(query: Query, follow: bool, count: int, format_: str, records: Path | None) -> int:
    """Show the newest decisions of all processes that record, the oldest of them first, and with -f
    those to come as they are written.

    \b
      callgate log tail -f
      callgate log tail -n 100 --decision deny
      callgate log tail -n 0 -f --format jsonl | jq -r .reason

    Exit codes: 0 done, 1 not, or a damaged record was passed over; 130 stopped by Ctrl-C.
    """
    from callgate.cli.log_damage import Damages
    from callgate.record.follow import Follower

    damages = Damages()
    rows = _rows(format_)
    with opened(records) as store:
        follower = Follower(store, query, damages, brief=format_ == "table")
        for entry in follower.newest(count):
            rows.write(entry)
        rows.flush()
        while follow:
            for entry in follower.new():
                rows.write(entry)
            rows.flush()
            time.sleep(_POLL_SECONDS)
    return damages.close()


class _Rows(Protocol):
    def write(self, entry: Entry) -> None: ...

    def flush(self) -> None: ...


class _JsonLines:
    def write(self, entry: Entry) -> None:
        from callgate.cli.writers import json_text

        sys.stdout.write(json_text(entry.form()) + "\n")

    def flush(self) -> None:
        sys.stdout.flush()


def _rows(format_: str) -> _Rows:
    if format_ == "jsonl":
        return _JsonLines()
    from callgate.cli.log_table import RecordTable
    from callgate.cli.paint import Painter

    return RecordTable(Painter())
