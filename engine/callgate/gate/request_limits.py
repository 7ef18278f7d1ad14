"""How many requests there may be: more than a person reads are refused, old ones are forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.gate.answerers import RequestError

if TYPE_CHECKING:
    from callgate.gate.connection import Connection

__all__ = [
    "MAX_PENDING",
    "MAX_PENDING_IN_SESSION",
    "MAX_PENDING_OF_USER",
    "FloodError",
    "check_flood",
    "prune",
]

MAX_PENDING: Final = 200
MAX_PENDING_OF_USER: Final = 20
MAX_PENDING_IN_SESSION: Final = 10
"""More than these at a time nobody reads: what comes then is refused. A user's are few of all, so
that one does not keep the others from asking."""

# On both sides, as it cuts a name with a NUL in it. What is damaged is nobody's.
_OF_USER: Final = (
    "CASE WHEN json_valid(question)"
    " THEN json_extract(question, '$.user') = json_extract(?, '$.user') END"
)

_KEPT: Final = 1000
_KEPT_FOR: Final = 30 * 86_400_000_000


class FloodError(RequestError):
    """Too many requests wait for an answer."""


def check_flood(connection: Connection, session: str, question: str) -> None:
    """Raises FloodError when one more request in a session would be too many. `question`: what is
    to be asked, as it is stored; it says which user asks."""
    all_, mine, theirs = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE session = ?),"
        f" count(*) FILTER (WHERE {_OF_USER}) FROM requests WHERE status = 'pending'",
        (session, question),
    ).fetchone()
    for count, most, whose in (
        (mine, MAX_PENDING_IN_SESSION, "requests of this session"),
        (theirs, MAX_PENDING_OF_USER, "requests of this user"),
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
