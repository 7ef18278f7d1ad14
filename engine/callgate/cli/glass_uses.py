"""How often break-glass let a call pass, for whoever comes to look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from callgate.cli.state_record import at_text

if TYPE_CHECKING:
    from callgate.cli.paint import Line
    from callgate.gate.control import Control
    from callgate.gate.state import StateFolder

__all__ = ["glass_lines", "glass_uses"]


def glass_uses(folder: StateFolder, control: Control) -> dict[str, Any] | None:
    """The calls that passed by the break-glass that is in force, or was the last: `since` it began,
    their `count`, and when the `last` was, None before the first. None where there never was one;
    also where the events can't be read, which is said on standard error."""
    from callgate.gate.database import Database
    from callgate.gate.events import Events
    from callgate.gate.state import StateError

    if not folder.database.exists():
        return None
    try:
        database = Database(folder.database, create=False)
        try:
            events = Events(database)
            glass = control.state.break_glass
            if glass is not None:
                since = glass.at
                count, last = events.tally("break-glass.passed", since=since)
            else:
                begun = events.list("break-glass.on", limit=1, newest=True)
                if not begun:
                    return None
                since = begun[0].at
                count, last = events.tally("break-glass.passed", after=begun[0].id)
        finally:
            database.close()
    except StateError as error:
        click.echo(f"callgate: what break-glass let pass is not known: {error}", err=True)
        return None
    return {"since": at_text(since), "count": count, "last": last and at_text(last)}


def glass_lines(uses: dict[str, Any] | None) -> Iterator[Line]:
    """A line for what `glass_uses` gives, and how to see more."""
    if uses is None:
        return
    count = uses["count"]
    told = f"{count or 'no'} {'call' if count == 1 else 'calls'} since {uses['since']}"
    text = f"{told}, the last at {uses['last']}" if count else told
    yield [(f"  {'passed by it':<13}", "dim"), (text, "ask" if count else "")]
    if count:
        yield [(f"  {'':<13}`callgate events --kind break-glass` shows them", "dim")]
