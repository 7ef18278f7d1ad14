"""The tables of a store in SQLite."""

from __future__ import annotations

from typing import Final

__all__ = ["COLUMNS", "SCHEMA", "SCHEMA_VERSION"]

SCHEMA_VERSION: Final = 1
"""The `user_version` of a file that this code reads and writes."""

COLUMNS: Final = {
    "tool": ("tool",),
    "decision": ("decision",),
    "rule": ("rule",),
    "sender": ("call.context.sender_id",),
    "time": ("timestamp", "at"),
    "decision_id": ("decision_id",),
}
"""Columns that SQLite makes of a line, each with an index, and where the record has what they
say: the first of these places that it has."""


def _generated(name: str, places: tuple[str, ...]) -> str:
    found = ", ".join(f"json_extract(line, '$.record.{place}')" for place in places)
    return f"{name} TEXT AS ({f'coalesce({found})' if len(places) > 1 else found}) VIRTUAL"


SCHEMA: Final = (
    f"""CREATE TABLE lines (
        id INTEGER PRIMARY KEY,
        chain TEXT NOT NULL,
        segment INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        line TEXT NOT NULL,
        {", ".join(map(_generated, COLUMNS, COLUMNS.values()))}
    )""",
    "CREATE UNIQUE INDEX lines_place ON lines (chain, segment, seq, bytes)",
    *(f"CREATE INDEX lines_{name} ON lines ({name})" for name in COLUMNS),
    # What may be deleted at the moment: retention, and what was written and not acknowledged.
    "CREATE TABLE removing (chain TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL)",
    # Against mistakes: whoever can write the file can drop these as well. The chain tells of that.
    """CREATE TRIGGER lines_change BEFORE UPDATE ON lines
       BEGIN SELECT RAISE(ABORT, 'records are never changed'); END""",
    """CREATE TRIGGER lines_go BEFORE DELETE ON lines WHEN NOT EXISTS (
           SELECT 1 FROM removing
           WHERE chain = OLD.chain AND OLD.seq BETWEEN first AND last)
       BEGIN SELECT RAISE(ABORT, 'records are removed by retention alone'); END""",
)
"""The statements that make the tables."""
