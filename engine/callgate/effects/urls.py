"""URLs and hosts: where a connection goes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.effects.addresses import address_class, name_class, strictest
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["DEFAULT_PORTS", "Hosts", "Target", "file_path", "parse_url", "read_host", "remote_name"]

DEFAULT_PORTS: Final[Mapping[str, int]] = {
    "http": 80,
    "https": 443,
    "ws": 80,
    "wss": 443,
    "ftp": 21,
    "ftps": 990,
    "ssh": 22,
    "sftp": 22,
    "scp": 22,
    "git": 9418,
    "rsync": 873,
    "telnet": 23,
    "ldap": 389,
    "gopher": 70,
}

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=//)")
_ODD: Final = re.compile(r"[\\\x00-\x20\x7f]")
_NO_HOST: Final = re.compile(r"[\s/\\?#@<>^|%\x00-\x20\x7f]")


@dataclass(slots=True)
class Target:
    """Where a URL leads. `path` is set for `file:` URLs. `odd`: programs read it differently."""

    url: str
    scheme: str
    host: str
    port: int | None
    path: str | None = None
    odd: str = ""


def parse_url(text: str, default_scheme: str = "") -> Target | None:
    """Read a URL as browsers do (WHATWG); None when it is none.

    `default_scheme` is put before a text that has no `scheme://`, as curl does; without it such a
    text is no URL.
    """
    from ada_url import URL

    odd = ""
    if _ODD.search(text.strip()):
        odd = "a backslash, blank or control character in a URL"
    if not _SCHEME.match(text.strip()):
        if not default_scheme:
            return None
        text = f"{default_scheme}://{text.lstrip('/')}"
    authority = text.partition("://")[2].partition("/")[0]
    if authority.count("@") > 1:
        odd = "more than one `@` in a URL"
    try:
        url = URL(text)
    except (ValueError, UnicodeError):
        return None
    scheme = url.protocol.rstrip(":")
    if scheme == "file":
        return Target(url.href, scheme, "", None, url.pathname, odd)
    host = read_host(url.hostname)
    if host is None:
        return None
    port = int(url.port) if url.port else DEFAULT_PORTS.get(scheme)
    return Target(url.href, scheme, host, port, None, odd)


def file_path(text: Any) -> str | None:
    """The path that a `file:` URL names, empty when it names none; None for any other text."""
    if not isinstance(text, str):
        return None
    bare = text.strip()
    if bare[:6].lower() != "file:/":
        return None
    from urllib.parse import unquote

    target = parse_url(bare if bare[5:7] == "//" else f"file://{bare[5:]}")
    return "" if target is None or target.path is None else unquote(target.path)


def remote_name(text: str) -> str | None:
    """The last name of a URL, a `host:path` or a path, as programs that fetch it call the file;
    None when that can't be known."""
    from urllib.parse import unquote

    bare = re.split(r"[?#]", text)[0] if "://" in text else text
    rest = bare.partition("://")[2].partition("/")[2] if "://" in text else bare
    if "://" not in text and ":" in rest.partition("/")[0]:
        rest = rest.partition(":")[2]
    name = unquote(rest).rstrip("/").rpartition("/")[2]
    return None if "{" in name or "\0" in name else name


def read_host(text: str) -> str | None:
    """A host name or address in its normal form: lower case, IPv4 in dotted decimal, IPv6 without
    brackets; None when the text is no host."""
    if not text or _NO_HOST.search(text):
        return None
    from ada_url import URL

    bare = text[1:-1] if text[0] == "[" and text[-1] == "]" else text
    try:
        host = str(URL(f"http://[{bare}]/" if ":" in bare else f"http://{bare}/").hostname)
    except (ValueError, UnicodeError):
        return None
    if host.startswith("["):
        return host[1:-1]
    return host.rstrip(".").lower() or None


def _by_host(dns: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """What was looked up, by the hosts' normal form."""
    found: dict[str, Sequence[str]] = {}
    for name, addresses in dns.items():
        host = read_host(name) or name
        known = found.get(host)
        found[host] = addresses if known is None else [*known, *addresses]
    return found


class Hosts:
    """Judges hosts by what was observed; `assumed` collects what nobody looked up."""

    def __init__(self, dns: Mapping[str, Sequence[str]], strict: bool) -> None:
        self.dns = _by_host(dns) if dns else {}
        self.strict = strict
        self.assumed: list[str] = []

    def address_class(self, host: str) -> str | Unknown:
        """The strictest class of all addresses of a host."""
        own = address_class(host)
        if own is not None:
            return own
        by_name = name_class(host)
        addresses: Any = self.dns.get(host)
        if addresses is not None:
            if not addresses:
                return strictest(["unresolved", by_name])
            classes = [address_class(str(item)) or "reserved" for item in addresses]
            return strictest([*classes, by_name])
        if by_name != "public":
            return by_name
        if self.strict:
            return UNKNOWN
        note = f"dns:{host}"
        if note not in self.assumed:
            self.assumed.append(note)
        return by_name
