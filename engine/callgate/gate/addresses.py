"""Looks up the addresses of hosts, with a time-out, off the event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Mapping
from typing import Final

from callgate.effects.addresses import address_class
from callgate.gate.workers import Workers

__all__ = ["Addresses", "look_up", "needs_look_up"]

Addresses = Mapping[str, tuple[str, ...]]
"""Host → its addresses, sorted; empty for a host that has none."""

_WORKERS: Final = Workers("callgate-dns", 16)
"""Of their own, so that a resolver that hangs holds up look-ups alone."""

_GONE: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


def needs_look_up(host: str) -> bool:
    """Whether a host is a name and no address."""
    return address_class(host) is None


async def look_up(hosts: Iterable[str], timeout_seconds: float) -> dict[str, tuple[str, ...]]:
    """The addresses of hosts; one that could not be looked up in time is left out, one that does
    not exist has none. Never raises but when cancelled."""
    names = list(hosts)
    found = await asyncio.gather(*(_one(name, timeout_seconds) for name in names))
    return {name: have for name, have in zip(names, found, strict=True) if have is not None}


async def _one(host: str, timeout_seconds: float) -> tuple[str, ...] | None:
    try:
        async with asyncio.timeout(timeout_seconds):
            return await _WORKERS.do(_resolve, host)
    except (TimeoutError, OSError, UnicodeError, RuntimeError):
        return None


def _resolve(host: str) -> tuple[str, ...] | None:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        return () if error.errno in _GONE else None
    return tuple(sorted({str(row[4][0]) for row in rows}))
