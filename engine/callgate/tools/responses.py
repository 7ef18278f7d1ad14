"""What kind of failure an HTTP response tells of, by its status and headers alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from callgate.tools.kinds import ErrorKind

__all__ = ["kind_of_response"]


class _Mark(NamedTuple):
    """A header by which a site's guard says that it wants proof of a human visitor. `values`: in
    lower case, those that say so; with none, each does. `statuses`: with none, it counts in each.
    """

    header: str
    values: Collection[str] = ()
    statuses: Collection[int] = ()


_MARKS: Final = (
    _Mark("cf-mitigated", ("challenge",)),  # Cloudflare
    _Mark("cf-chl-bypass", (), (403, 503)),  # Cloudflare, before `cf-mitigated`
    _Mark("x-vercel-mitigated", ("challenge",)),
    _Mark("x-amzn-waf-action", ("challenge", "captcha")),  # with status 202 or 405
    _Mark("x-datadome", (), (403,)),
    _Mark("x-kpsdk-ct", (), (429,)),  # Kasada
    _Mark("server", ("ddos-guard",), (403, 503)),
)
_LATE: Final = frozenset({408, 504})
_TOO_MANY: Final = 429


def kind_of_response(status: int, headers: Mapping[str, str]) -> ErrorKind | None:
    """The kind of failure that a response tells of, or None where it tells of none.

    `headers`: by their names, in any case. A page that wants proof of a human visitor is a
    challenge, whatever its status. Else 408 and 504 are a time-out, 429 and what is 500 or more a
    service that is not there for now, and what is left of 400 or more is the site's own no.
    """
    given = {name.lower(): value.strip().lower() for name, value in headers.items()}
    if any(_holds(mark, status, given) for mark in _MARKS):
        return ErrorKind.CHALLENGE
    if status in _LATE:
        return ErrorKind.TIMEOUT
    if status == _TOO_MANY or status >= 500:
        return ErrorKind.DEPENDENCY
    return ErrorKind.BUSINESS if status >= 400 else None


def _holds(mark: _Mark, status: int, given: Mapping[str, str]) -> bool:
    value = given.get(mark.header)
    return (
        value is not None
        and (not mark.values or value in mark.values)
        and (not mark.statuses or status in mark.statuses)
    )
