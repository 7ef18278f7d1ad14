"""`callgate log show`: one decision, in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from callgate.cli import exits
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.store import Store

__all__ = ["command"]

_MOST: Final = 20


@click.command("show", short_help="Show one decision in full.")
@click.argument("decision_id", metavar="ID")
@format_option("pretty", "json")
@records_option
def command(decision_id: str, format_: str, records: Path | None) -> int:
    """Show a recorded decision: what was called and why it was decided so, who answered, what was
    observed, where the record stands in its chain, and whether it can be walked again.

    ID is the decision's id, or its first digits as the tables show them, 8 at least. Where several
    begin so, they are listed.

    \b
      callgate log show 019ad9a8f0d14c2b
      callgate log show 019ad9a8f0d14c2b --format json | jq .trace

    Exit codes: 0 it is shown; 1 it is not there, there are several, or it is damaged.
    """
    from callgate.cli.log_damage import Damages
    from callgate.record.find import with_id

    damages = Damages()
    with opened(records) as store:
        try:
            found = with_id(store, decision_id.strip().lower(), damages, _MOST + 1)
        except ValueError:
            said = "ID is 8 to 32 hex digits, as `callgate log query` shows them"
            raise click.UsageError(said) from None
        if len(found) == 1:
            _show(store, found[0], format_)
        elif found:
            _list(found, format_)
    code = damages.close()
    if len(found) > 1:
        many = f"more than {_MOST}" if len(found) > _MOST else str(len(found))
        click.echo(f"callgate: {many} decisions begin so: give more digits", err=True)
    elif not found and code == exits.OK:
        click.echo("callgate: no decision begins so", err=True)
    return code if len(found) == 1 else exits.FAILURE


def _show(store: Store, entry: Entry, format_: str) -> None:
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(entry.form())
        return
    from callgate.cli.log_card import record_lines
    from callgate.cli.paint import Painter

    painter = Painter()
    kept = entry.record["policy"].get("digest") in store.archive.digests()
    painter.write(record_lines(entry, kept, painter.width))


def _list(found: list[Entry], format_: str) -> None:
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json([entry.form() for entry in found[:_MOST]])
        return
    from callgate.cli.log_table import RecordTable
    from callgate.cli.paint import Painter

    table = RecordTable(Painter())
    for entry in found[:_MOST]:
        table.write(entry)
    table.flush()
