"""Connections: what words say of a host, as `connect` effects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callgate.effects.shell.tree import Span, Word, constant, unresolved
from callgate.effects.urls import DEFAULT_PORTS, Hosts, Target, file_path, parse_url, read_host
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["At", "Connections", "Given", "has_host"]

Given = Word | bool | tuple[Any, ...] | None
"""What is known of a field: a word, true or false, texts, or nothing."""


@dataclass(slots=True)
class At:
    """Where an effect happens: the folder, the wrappers it came through, whether the text surely
    means it."""

    cwd: str | Unknown
    through: tuple[str, ...] = ()
    certain: bool = True


class Connections(ABC):
    """The part of a sink that makes `connect` effects."""

    hosts: Hosts

    @abstractmethod
    def add(self, kind: str, fields: Mapping[str, Any], span: Span | None, at: At) -> None:
        """Add an effect whose fields are ready."""

    @abstractmethod
    def make(self, kind: str, given: Mapping[str, Given], span: Span | None, at: At) -> None:
        """Add an effect of a kind of the language, made of what is known of its fields."""

    @abstractmethod
    def opaque(
        self,
        reason: str,
        span: Span | None,
        through: tuple[str, ...] = (),
        bound: bool = False,
    ) -> None:
        """Add what was not understood; `bound`: because it was too much to read."""

    def connect(self, given: Mapping[str, Given], span: Span | None, at: At) -> None:
        """Add a connection, of what is known of it."""
        scheme = given.get("scheme")
        word = given.get("url")
        if isinstance(word, Word):
            default = scheme.text if isinstance(scheme, Word) else ""
            # With a scheme that nobody knows it still leads to that host.
            self.connect_url(word, default if isinstance(default, str) else "https", span, at)
            return
        host = given.get("host")
        port = given.get("port")
        self.connect_host(
            host.text if isinstance(host, Word) else UNKNOWN,
            scheme.text if isinstance(scheme, Word) else UNKNOWN,
            port.text if isinstance(port, Word) else None,
            span,
            at,
        )

    def connect_url(self, word: Word, scheme: str, span: Span | None, at: At) -> None:
        """Add the connection to a URL; `scheme` is that of a text without one."""
        text, exact = word.text, True
        if not isinstance(text, str):
            # `https://example.org/$X`: the host is known, where the path begins before the unknown.
            text, exact = word.pieces[0] if word.pieces else UNKNOWN, False
            if not isinstance(text, str) or not has_host(text):
                text = ""
        path = file_path(text)
        if path is not None:
            # What takes `{` and `[` for patterns is not known here.
            given = constant(path, span or (0, 0))
            if not exact or "{" in path or "[" in path:
                given = unresolved(span or (0, 0))
            self.make("read", {"path": given}, span, at)
            return
        target = parse_url(text, scheme) if text else None
        if target is None:
            self._unknown_host(span, at)
            return
        if target.odd:
            self.opaque(target.odd, span, at.through)
        self._target(target, span, at, exact)

    def _target(self, target: Target, span: Span | None, at: At, exact: bool) -> None:
        fields = {
            "url": target.url if exact else UNKNOWN,
            "scheme": target.scheme,
            "host": target.host,
            "port": target.port,
            "address_class": self.hosts.address_class(target.host),
        }
        self.add("connect", fields, span, at)

    def connect_host(
        self,
        text: str | Unknown,
        scheme: str | Unknown,
        port: str | Unknown | None,
        span: Span | None,
        at: At,
    ) -> None:
        """Add the connection to `[user@]host[:port]`."""
        host: str | None = None
        number: int | Unknown | None = UNKNOWN
        if isinstance(text, str):
            bare = text.rpartition("@")[2]
            name, colon, tail = bare.rpartition(":")
            if colon and tail.isdigit() and ":" not in name.strip("[]"):
                bare, port = name, port or tail
            host = read_host(bare)
        if port is None:
            number = DEFAULT_PORTS.get(scheme) if isinstance(scheme, str) else None
        elif isinstance(port, str) and port.isdecimal() and len(port) <= 5:
            number = int(port)
        if host is None:
            self._unknown_host(span, at, scheme, number)
            return
        fields = {
            "url": None,
            "scheme": scheme,
            "host": host,
            "port": number,
            "address_class": self.hosts.address_class(host),
        }
        self.add("connect", fields, span, at)

    def _unknown_host(
        self,
        span: Span | None,
        at: At,
        scheme: str | Unknown = UNKNOWN,
        port: int | Unknown | None = UNKNOWN,
    ) -> None:
        fields = {
            "url": UNKNOWN,
            "scheme": scheme,
            "host": UNKNOWN,
            "port": port,
            "address_class": UNKNOWN,
        }
        self.add("connect", fields, span, at)


def has_host(text: str) -> bool:
    """Whether the beginning of a URL holds the whole host."""
    _, scheme, rest = text.partition("://")
    host, slash, _ = (rest if scheme else text).partition("/")
    return bool(slash) and host[-1:] not in ("", ":")
