"""The record of what an operator did: events in the gate's database."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callgate.gate.state import StateFolder

__all__ = ["at_text", "record"]


def record(state: StateFolder, kind: str, **detail: Any) -> None:
    """Add an event to the gate's database, which is made where there is none. `detail`: JSON
    values. Raises StateError."""
    from callgate.gate.database import Database
    from callgate.gate.events import Events

    database = Database(state.database)
    try:
        Events(database).add(kind, **detail)
    finally:
        database.close()


def at_text(time: datetime | None) -> str:
    """A time, UTC, to the second; `?` for None."""
    return "?" if time is None else f"{time:%Y-%m-%d %H:%M:%S} UTC"
