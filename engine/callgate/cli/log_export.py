"""`callgate log export`: decisions in formats that other programs read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from callgate.cli.log_filters import filter_options
from callgate.cli.log_store import opened, records_option

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query

__all__ = ["command"]


@click.command("export", short_help="Write decisions as OPA, OCSF or CloudEvents.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["opa", "ocsf", "cloudevents"]),
    required=True,
    help="OPA's decision log, OCSF API Activity (6003), or CloudEvents 1.0.",
)
@filter_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file, which only its owner may read where it is new.",
)
@records_option
def command(format_: str, query: Query, output: Path | None, records: Path | None) -> int:
    """Write recorded decisions, the oldest first, as JSON Lines in a format that other programs
    read. Secrets have been replaced by hashes before they were recorded.

    \b
      callgate log export --format ocsf --since 1d | vector
      callgate log export --format opa --decision deny -o denied.jsonl
      callgate log export --format cloudevents --since 2026-12-01 | jq .subject

    Exit codes: 0 done; 1 not, or a damaged record was passed over.
    """
    from callgate.cli.log_damage import Damages
    from callgate.cli.log_progress import watched
    from callgate.cli.writers import json_text
    from callgate.record.find import find

    damages, event = Damages(), _event(format_)
    with opened(records) as store, _stream(output) as stream:
        entries = find(store, query, damages, newest_first=False)
        for entry in watched(entries, store, query):
            stream.write(json_text(event(entry)) + "\n")
    return damages.close()


def _event(format_: str) -> Callable[[Entry], dict[str, Any]]:
    if format_ == "opa":
        from callgate.record.export_opa import opa_event

        return opa_event
    if format_ == "ocsf":
        from callgate.record.export_ocsf import ocsf_event

        return ocsf_event
    from callgate.record.export_cloudevents import cloud_event

    return cloud_event


@contextmanager
def _stream(output: Path | None) -> Iterator[IO[str]]:
    if output is None:
        yield sys.stdout
        return
    # What was called, and by whom, is not everybody's business.
    handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        yield stream
