"""Network addresses: what kind of place an address or a name leads to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import ipaddress

__all__ = ["address_class", "name_class", "strictest"]

_STRICTNESS: Final = (
    "public",
    "unresolved",
    "reserved",
    "private",
    "loopback",
    "link_local",
    "metadata",
)
_IPV4: Final = (
    ("169.254.169.254/32", "metadata"),
    ("169.254.170.2/32", "metadata"),
    ("100.100.100.200/32", "metadata"),
    ("168.63.129.16/32", "metadata"),
    ("0.0.0.0/32", "loopback"),
    ("0.0.0.0/8", "reserved"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "private"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link_local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "reserved"),
    ("192.88.99.0/24", "reserved"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "reserved"),
    ("198.51.100.0/24", "reserved"),
    ("203.0.113.0/24", "reserved"),
    ("224.0.0.0/3", "reserved"),
)
# In order; what none of these holds is reserved.
_IPV6: Final = (
    ("fd00:ec2::254/128", "metadata"),
    ("fd20:ce::254/128", "metadata"),
    ("::1/128", "loopback"),
    ("::/128", "loopback"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link_local"),
    ("fec0::/10", "private"),
    ("64:ff9b:1::/48", "private"),
    ("2001:db8::/32", "reserved"),
    ("2001::/23", "reserved"),
    ("3fff::/20", "reserved"),
    ("2000::/3", "public"),
)
_METADATA_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data"}
)
_LOCAL_NAMES: Final = {"localhost": "loopback", "internal": "private", "local": "private"}


@lru_cache(maxsize=2)
def _networks(version: int) -> list[tuple[Any, str]]:
    from ipaddress import ip_network

    return [(ip_network(text), name) for text, name in (_IPV4 if version == 4 else _IPV6)]


@lru_cache(maxsize=4096)
def address_class(text: str) -> str | None:
    """The class of an IPv4 or IPv6 address in its usual form, IPv6 without brackets; None when the
    text is no address. Of an IPv6 address that wraps IPv4 addresses, theirs count: the wrapping
    says nothing about where the packets go."""
    # Imported when the first address is looked at.
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    inner = _inside(address) if isinstance(address, IPv6Address) else []
    return strictest(map(_of, inner)) if inner else _of(address)


def _of(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    for network, name in _networks(address.version):
        if address in network:
            return name
    return "public" if address.version == 4 else "reserved"


def _inside(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address wraps: mapped, compatible, NAT64, 6to4, Teredo."""
    from ipaddress import IPv4Address

    number = int(address)
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if number >> 32 == 0x64FF9B << 64 or (number >> 32 == 0 and number > 1):
        return [IPv4Address(number & 0xFFFFFFFF)]
    return []


def name_class(host: str) -> str:
    """The class of a host name that nobody looked up, by the name alone."""
    if host in _METADATA_NAMES or host.startswith("instance-data."):
        return "metadata"
    return _LOCAL_NAMES.get(host.rpartition(".")[2], "public")


def strictest(classes: Iterable[str]) -> str:
    """The strictest of some classes; `unresolved` when there is none."""
    return max(classes, key=_STRICTNESS.index, default="unresolved")
