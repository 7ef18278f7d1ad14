"""URLs and hosts, read as browsers read them (WHATWG).

A host value is lower case, without a final dot; IPv4 addresses are dotted decimal, IPv6 addresses
are without brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import ada_url

from callgate.model.types import BOOL, HOST, JSON, STRING, URL, ListOf
from callgate.model.values import UNKNOWN
from callgate.stdlib.alternatives import one_of
from callgate.stdlib.operation import example, operation, signature

__all__ = ["host", "normalise_host", "normalise_url", "under_host", "url"]

_NOT_IN_A_HOST: Final = re.compile(r"[\s/\\?#@<>^|%\x00-\x20\x7f]")


def normalise_url(text: Any) -> Any:
    """An absolute URL in its normal form; UNKNOWN for anything else."""
    if type(text) is not str:
        return UNKNOWN
    try:
        return str(ada_url.URL(text).href)
    except (ValueError, UnicodeError):
        return UNKNOWN


def normalise_host(text: Any) -> Any:
    """A host name or address in its normal form; UNKNOWN for text that is neither."""
    if type(text) is not str or not text or _NOT_IN_A_HOST.search(text):
        return UNKNOWN
    bare = text[1:-1] if text[0] == "[" and text[-1] == "]" else text
    if ":" in bare:
        bare = f"[{bare}]"
    try:
        found = ada_url.URL(f"http://{bare}/").hostname
    except (ValueError, UnicodeError):
        return UNKNOWN
    return _shown(found)


def _shown(hostname: str) -> Any:
    if hostname.startswith("["):
        return hostname[1:-1].lower()
    return hostname.rstrip(".").lower() or UNKNOWN


def _host_under(name: str, domain: str) -> bool:
    domain = domain.rstrip(".").lower()
    if name == domain:
        return True
    # An address has no sub-domains: 10.0.0.1 is not under "0.1".
    return bool(domain) and name.endswith("." + domain) and not domain[-1].isdigit()


@operation(
    signature(BOOL, host=HOST, domain=HOST),
    signature(BOOL, host=HOST, domains=ListOf(HOST)),
    symbol="under",
    examples=(
        example("api.example.org", "example.org", gives=True),
        example("example.org", "example.org", gives=True),
        example("badexample.org", "example.org", gives=False),
        example("a.b.example", ("example.org", "b.example"), gives=True),
    ),
)
def under_host(host: str, domain: str | Sequence[Any]) -> Any:
    """Whether a host is the domain or one of its sub-domains, in any case, with or without a final
    dot. With a list: of one of the domains."""
    name = host.rstrip(".").lower()
    return one_of(_host_under, name, domain)


@operation(
    signature(URL, text=STRING),
    signature(URL, text=JSON),
    unknown=True,
    examples=(
        example("HTTP://Example.org:80/a/../b", gives="http://example.org/b"),
        example("example.org", gives=UNKNOWN),
    ),
)
def url(text: Any) -> Any:
    """The URL that a text holds, in its normal form. Unknown when it is no absolute URL."""
    return normalise_url(text)


@operation(
    signature(HOST, url=URL),
    signature(HOST, name=STRING),
    signature(HOST, name=JSON),
    unknown=True,
    examples=(
        example("https://u@Example.org:8443/x", gives="example.org"),
        example("Example.ORG.", gives="example.org"),
        example("http://0x7f.1/", gives="127.0.0.1"),
        example("not a host", gives=UNKNOWN),
    ),
)
def host(text: Any) -> Any:
    """The host of a URL, or the host that a text names, in its normal form. Unknown when there is
    none."""
    if type(text) is str and "://" in text:
        try:
            return _shown(ada_url.URL(text).hostname)
        except (ValueError, UnicodeError):
            return UNKNOWN
    return normalise_host(text)
