"""How many requests there may be: more than a person reads are refused, old ones are forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.gate.answerers import RequestError

if TYPE_CHECKING:
    from callgate.gate.connection import Connection

__all__ = ["MAX_PENDING", "MAX_PENDING_IN_SESSION", "FloodError", "check_flood", "prune"]

MAX_PENDING: Final = 50
MAX_PENDING_IN_SESSION: Final = 10
"""More than these at a time nobody reads: what comes then is refused."""

_KEPT: Final = 1000
_KEPT_FOR: Final = 30 * 86_400_000_000


class FloodError(RequestError):
    """Too many requests wait for an answer."""


def check_flood(connection: Connection, session: str) -> None:
    """Raises FloodError when one more request, in a session, would be too many."""
    all_, mine = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE session = ?) FROM requests"
        " WHERE status = 'pending'",
        (session,),
    ).fetchone()
    for count, most, whose in (
        (mine, MAX_PENDING_IN_SESSION, "requests of this session"),
        (all_, MAX_PENDING, "requests"),
    ):
        if count >= most:
            raise FloodError(f"{count} {whose} wait for an answer already")


def prune(connection: Connection, at: int) -> None:
    """Forget requests that ended long before a time or that nobody answered, but for the newest,
    and those by which a job still runs; the events tell of answers."""
    connection.execute(
        "DELETE FROM requests WHERE status <> 'pending' AND (decided < ? OR answer = '')"
        " AND made < (SELECT made FROM requests ORDER BY made DESC LIMIT 1 OFFSET ?)"
        " AND id NOT IN (SELECT request FROM cron_grants WHERE ended IS NULL)",
        (at - _KEPT_FOR, _KEPT),
    )
