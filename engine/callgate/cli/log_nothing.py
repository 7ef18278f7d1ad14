"""What to say where no decision was found: perhaps a name was misspelt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query
    from callgate.record.store import Store

__all__ = ["nothing"]

_LOOKED_AT: Final = 10_000
"""Names are looked for in so many of the newest records."""


def nothing(store: Store, query: Query) -> str:
    """That nothing was found, with what the newest records have instead of a tool, rule or sender
    that none of them has. Raises RecordError."""
    from callgate.model.suggest import closest
    from callgate.record.find import find
    from callgate.record.query import Query
    from callgate.runtime.masking import escape

    asked = {name: getattr(query, name) for name in ("tool", "rule", "sender")}
    asked = {name: value for name, value in asked.items() if value}
    names: dict[str, set[str]] = {name: set() for name in asked}
    real: set[str] = set()
    empty = True
    for entry in find(store, Query(limit=_LOOKED_AT), lambda _: None, brief=True):
        empty = False
        for name, found in names.items():
            found.update(_names(entry, name))
        if query.tool and entry.record["called_as"] == query.tool:
            real.add(entry.record["tool"])
    if empty:
        return "nothing is recorded yet"
    for name, value in asked.items():
        if value in names[name]:
            continue
        said = f"nothing found: no new record has the {name} `{escape(value[:80])}`"
        if name == "tool" and real:
            return f"{said}; its calls are recorded as `{escape(min(real)[:80])}`"
        close = closest(value, names[name])
        return f"{said}; did you mean `{escape(close[:80])}`?" if close else said
    return "nothing found"


def _names(entry: Entry, name: str) -> Iterator[str]:
    record = entry.record
    if name == "tool":
        yield record["tool"]
    elif name == "rule":
        yield record["rule"]
        yield from (item["rule"] for item in record["matched"])
    else:
        sender: Any = entry.part("context").get("sender_id")
        if type(sender) is str:
            yield sender
