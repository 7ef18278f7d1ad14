"""`callgate log query`: the decisions that are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from callgate.cli.log_filters import filter_options
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query

__all__ = ["command"]

_LIMIT: Final = 50


@click.command("query", short_help="Find decisions by tool, decision, rule, sender and time.")
@filter_options
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=_LIMIT,
    show_default=True,
    metavar="N",
    help="How many at most; the newest.",
)
@click.option("--all", "everything", is_flag=True, help="All of them, however many.")
@click.option("--oldest-first", is_flag=True, help="The oldest first, and with a limit only those.")
@format_option("table", "json", "jsonl")
@records_option
def command(
    query: Query,
    limit: int,
    everything: bool,
    oldest_first: bool,
    format_: str,
    records: Path | None,
) -> int:
    """Find recorded decisions, the newest first.

    A tool is named as the policy knows it, a rule by its id: the one that decided, or any that
    matched. All that is asked for has to apply. Times are UTC.

    \b
      callgate log query --decision deny --since 12h
      callgate log query --rule shell.recursive-delete --sender user_123
      callgate log query --tool exec --since 2026-12-01 --until 2026-12-02 --all --format jsonl
      callgate log query --format json | jq -r '.[].decision_id'

    Exit codes: 0 done, also where nothing was found; 1 not, or a damaged record was passed over.
    """
    from callgate.cli.log_damage import Damages
    from callgate.record.find import find

    damages = Damages()
    most = None if everything else limit
    with opened(records) as store:
        # One more tells whether there are more.
        asked = replace(query, limit=None if most is None else most + 1)
        brief = format_ == "table"
        entries = find(store, asked, damages, newest_first=not oldest_first, brief=brief)
        count, more = _write(entries, format_, most)
        sys.stdout.flush()
        if more:
            which = "oldest" if oldest_first else "newest"
            click.echo(
                f"callgate: these are the {which} {most}; `--limit` and `--all` show more", err=True
            )
        elif not count:
            from callgate.cli.log_nothing import nothing

            click.echo(f"callgate: {nothing(store, query)}", err=True)
    return damages.close()


def _write(entries: Iterable[Entry], format_: str, most: int | None) -> tuple[int, bool]:
    """Write the decisions, at most so many; gives how many, and whether there are more."""
    from callgate.cli.writers import json_text

    table = None
    if format_ == "table":
        from callgate.cli.log_table import RecordTable
        from callgate.cli.paint import Painter

        table = RecordTable(Painter())
    count, more = 0, False
    for entry in entries:
        if count == most:
            more = True
            break
        count += 1
        if table is not None:
            table.write(entry)
        else:
            lead = "" if format_ == "jsonl" else "[" if count == 1 else ",\n"
            end = "\n" if format_ == "jsonl" else ""
            sys.stdout.write(lead + json_text(entry.form()) + end)
    if table is not None:
        table.flush()
    elif format_ == "json":
        sys.stdout.write("]\n" if count else "[]\n")
    return count, more
