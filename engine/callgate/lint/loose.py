"""What a glob or regular expression leaves open, where that can be seen in its text."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_address", "names_host", "open_ends", "open_host"]

_SIMPLE: Final = re.compile(r"\\([./:@-])|\[([.:/@-])\]")
_ANY: Final = r"(?:\.|\[\^[^\]]*\]|\\[DSW])"
_MANY: Final = r"(?:[*+]|\{\d*,\d*\})\??"
_OPEN: Final = re.compile(rf"(?<!\\){_ANY}{_MANY}")
_OPEN_START: Final = re.compile(rf"\^?(?:\(\?[a-z]+\)|\(\?[a-z]*:|\()*{_ANY}{_MANY}")
_OPEN_END: Final = re.compile(rf"(?<!\\){_ANY}{_MANY}\)*\$?\Z")
_ADDRESS: Final = re.compile(r"\^?(?:\(\?[a-z]+\))?\(?[a-z*][a-z?|)(+*]*:\\?/\\?/")
_DOT: Final = "\ue000"
"""Stands for a dot that is meant, so that those left are wildcards."""


def is_address(text: str) -> bool:
    """Whether a glob or regular expression begins as the address of a page does."""
    return _ADDRESS.match(text) is not None


def open_host(op: str, text: str) -> bool:
    """Whether a `like` or `matches` pattern for addresses, or for hosts, leaves open to which host
    they lead: it has a wildcard in the host, or before its end is settled by a `/`."""
    host = _host(op, text)
    return "*" in host if op == "like" else _OPEN.search(host) is not None


def names_host(op: str, text: str) -> bool:
    """Whether such a pattern says anything of the host, and not of the scheme alone."""
    return (
        re.search(r"\w", re.sub(r"\\\w|https?\??:?|\(\?[a-z]+\)", "", _host(op, text))) is not None
    )


def open_ends(op: str, text: str) -> tuple[bool, bool]:
    """Whether anything may stand before, and behind, what a pattern says."""
    if op == "contains":
        return True, True
    if op == "like":
        return text[:1] == "*", text[-1:] == "*"
    return _OPEN_START.match(text) is not None, _OPEN_END.search(text) is not None


def _host(op: str, text: str) -> str:
    plain = text if op == "like" else _literal(text)
    rest = plain.partition("://")[2] if "://" in plain else plain
    return re.split(r"/(?![^\[]*\])", rest, maxsplit=1)[0]


def _literal(text: str) -> str:
    """A regular expression with the signs that it escapes, or puts in brackets alone, as they
    are."""

    def plain(match: re.Match[str]) -> str:
        sign = match[1] or match[2]
        return _DOT if sign == "." else sign

    return _SIMPLE.sub(plain, text)
