"""What a request of httpx is really for: read as browsers read it, or refused."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

import ada_url

from callgate.stdlib.hosts import normalise_host

if TYPE_CHECKING:
    import httpx

__all__ = ["Origin", "RequestRefusedError", "Target", "target_of"]

_PORTS: Final = {"http": 80, "https": 443}

Origin = tuple[str, str, int]
"""Scheme, host, port."""


class RequestRefusedError(Exception):
    """A request that is not for a host over HTTP, and why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. `url`: its text, to be judged. `host`: in the form of
    `stdlib/hosts.py`. `literal`: the host is an address. `netloc`: for the Host header."""

    url: str
    host: str
    literal: bool
    netloc: str
    origin: Origin


def target_of(request: httpx.Request) -> Target:
    """The target of a request. Raises RequestRefusedError for other schemes than http and https,
    for names and passwords in the address, and for a host that two readers of URLs read
    differently."""
    url = request.url
    if url.scheme not in _PORTS:
        raise RequestRefusedError("only http and https addresses are loaded")
    if url.userinfo:
        raise RequestRefusedError("an address with a user name in it is not loaded")
    text = str(url)
    try:
        read: Any = ada_url.URL(text)
        host = normalise_host(read.hostname)
    except (ValueError, UnicodeError):
        raise RequestRefusedError("this is no address that a browser would load") from None
    if not isinstance(host, str):
        raise RequestRefusedError("the address has no host")
    # httpx connects to what it read, the judge judges what it read: both must be the same.
    if normalise_host(url.raw_host.decode("ascii", "replace")) != host:
        raise RequestRefusedError("the address has a host that can be read in two ways")
    port = url.port or _PORTS[url.scheme]
    if (int(read.port) if read.port else _PORTS[url.scheme]) != port:
        raise RequestRefusedError("the address has a port that can be read in two ways")
    given = request.headers.get("host")
    netloc = url.netloc.decode("ascii")
    if given is not None and given.lower() != netloc.lower():
        raise RequestRefusedError("the Host header names another host than the address")
    return Target(text, host, _is_address(host), netloc, (url.scheme, host, port))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
