"""Decision records: what was decided, kept so that it can be trusted and decided again.

A `Recorder` writes to a store, `JsonLines` or `SqliteStore`; see docs/records.md. Everything is
imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callgate.record.errors import RecordError
    from callgate.record.json_lines import JsonLines
    from callgate.record.recorder import Recorder
    from callgate.record.sqlite_store import SqliteStore
    from callgate.record.store import Retention, open_store

__all__ = ["JsonLines", "RecordError", "Recorder", "Retention", "SqliteStore", "open_store"]

_MODULES = {
    "JsonLines": "json_lines",
    "RecordError": "errors",
    "Recorder": "recorder",
    "Retention": "store",
    "SqliteStore": "sqlite_store",
    "open_store": "store",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"callgate.record.{_MODULES[name]}"), name)
