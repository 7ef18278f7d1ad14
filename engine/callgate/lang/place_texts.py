"""Texts that a policy gives for paths and hosts, and that would never hold of any."""

from __future__ import annotations

import re
from typing import Final

from callgate.model.values import UNKNOWN
from callgate.stdlib.hosts import normalise_host

__all__ = ["host_help", "is_host", "path_mistake"]

_PATTERN: Final = re.compile(r"[*?\[]")
_USER: Final = re.compile(r"~[^/]+")
_ALL_BELOW: Final = re.compile(r"(/[^*?\[]*)/\*{1,2}/?|(~[^*?\[]*)/\*{1,2}/?")
_PORT: Final = re.compile(r"[^:]+:[0-9]+")
_RANGE: Final = re.compile(r"[0-9A-Fa-f.:]+/[0-9]+")


def path_mistake(text: str) -> tuple[str, str, str] | None:
    """What is wrong with a text for a path, wherever it is read: code, message, help."""
    if _PATTERN.search(text):
        message = f"`{text}` is a pattern, and paths are compared as they are written"
        whole = _ALL_BELOW.fullmatch(text)
        if whole:
            folder = whole[1] or whole[2]
        else:
            folder = _PATTERN.split(text, maxsplit=1)[0].rpartition("/")[0]
        if folder:
            return "T024", message, f"write `{folder}`: what lies in it is meant as well"
        return "T024", message, _OTHERWISE
    if _USER.match(text):
        message = f"`{text}` begins with the home folder of a user whom only the system knows"
        return "T019", message, "write the path from `/`; `~/…` is the home folder of the call"
    return None


_OTHERWISE: Final = (
    "name each path; a condition compares the last part of one with "
    "`named(path, …)`, any part with `has_part(path, …)`"
)


def is_host(text: str) -> bool:
    """Whether a host can be equal to the text, or below it."""
    return normalise_host(text) is not UNKNOWN and "*" not in text and text[0] != "."


def host_help(text: str) -> str:
    """What to write instead of a text that is no host."""
    if _RANGE.fullmatch(text):
        return "ranges of addresses are not read: write each address, or compare `address_class`"
    meant = text.partition("://")[2] or text
    meant = meant.partition("/")[0]
    if _PORT.fullmatch(meant):
        meant = meant.partition(":")[0]
    meant = meant.lstrip("*.")
    if not meant or not is_host(meant):
        return "write the bare name, as in `example.org`"
    below = ": its sub-domains are meant as well" if text[:1] in "*." else ""
    return f"write `{meant}`{below}"
