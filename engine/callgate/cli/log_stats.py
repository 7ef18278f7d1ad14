"""`callgate log stats`: how often what was decided, and how long people took to answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from callgate.cli.log_filters import filter_options
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

if TYPE_CHECKING:
    from callgate.record.query import Query
    from callgate.record.stats import By, Stats
    from callgate.record.store import Store

__all__ = ["command"]

_MEDIAN: Final = 0.5
_MOST_BUT_FEW: Final = 0.95


@click.command("stats", short_help="Count decisions by rule, tool, sender or decision.")
@click.option(
    "--by",
    type=click.Choice(["rule", "tool", "sender", "decision"]),
    default="rule",
    show_default=True,
    help="What to count by.",
)
@filter_options
@format_option("table", "json")
@records_option
def command(by: By, query: Query, format_: str, records: Path | None) -> int:
    """Count recorded decisions: how often each rule fired, what was allowed, asked for and denied,
    and how long it took until somebody answered.

    A decision counts for the rule that decided it and for each that matched. `asked` are those that
    somebody had to be asked for, however they ended. By rule, the rules of the newest policy that
    never fired are named.

    \b
      callgate log stats --by rule --since 7d
      callgate log stats --by sender --decision deny
      callgate log stats --by tool --format json | jq '.rows[] | select(.denied > 0)'

    Exit codes: 0 done; 1 not, or a damaged record was passed over.
    """
    from callgate.cli.log_damage import Damages
    from callgate.cli.log_progress import watched
    from callgate.record.find import find
    from callgate.record.stats import Stats

    damages, stats = Damages(), Stats(by)
    with opened(records) as store:
        entries = find(store, query, damages, newest_first=False, brief=True)
        for entry in watched(entries, store, query):
            stats.add(entry.record)
        never, why = _never(store, stats)
        form = _form(stats, never, why)
        if format_ == "json":
            from callgate.cli.writers import write_json

            write_json(form)
        else:
            from callgate.cli.log_stats_table import stats_lines
            from callgate.cli.paint import Painter

            painter = Painter()
            painter.write(stats_lines(form, painter))
    return damages.close()


def _never(store: Store, stats: Stats) -> tuple[list[str] | None, str]:
    """The rules of the policy of the newest decision that never fired, and why that can't be told;
    None where it was not asked."""
    from callgate.record.errors import RecordError
    from callgate.record.stats import rules_of

    if stats.by != "rule" or not stats.records:
        return None, ""
    try:
        return stats.never(rules_of(store.archive.load(stats.policy))), ""
    except RecordError as error:
        return None, str(error)


def _form(stats: Stats, never: list[str] | None, why: str) -> dict[str, Any]:
    return {
        "by": stats.by,
        "records": stats.records,
        "since": stats.since,
        "until": stats.until,
        "rows": [
            {
                stats.by: key,
                "fired": tally.fired,
                "decided": tally.decided,
                "allowed": tally.allowed,
                "asked": tally.asked,
                "denied": tally.denied,
                "answered": tally.answered,
                "median_us": tally.time(_MEDIAN),
                "p95_us": tally.time(_MOST_BUT_FEW),
            }
            for key, tally in stats.ordered()
        ],
        "others": stats.others,
        "policy": stats.policy,
        "never_fired": never,
        "never_fired_unknown": why,
    }
