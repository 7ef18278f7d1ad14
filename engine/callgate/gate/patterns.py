"""Patterns of file names (`*.py`) as a shell may read them: what nobody knows for sure matches."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

__all__ = ["is_active", "may_match"]

_ACTIVE: Final = frozenset("*?[")
_SET: Final = re.compile(r"\[[!^]?\]?(?:\[[:=.].*?[:=.]\]|[^\]])*\]")
_UNSURE: Final = frozenset("-^![:\\")
"""What in a set of characters (`[a-z]`) shells and languages read in more ways than one."""


def is_active(text: str) -> bool:
    """Whether a path or name has characters that may make a pattern of it."""
    return not _ACTIVE.isdisjoint(text)


def may_match(name: str, part: str) -> bool:
    """Whether a pattern without slashes may match a name, or is that name: nobody knows whether
    somebody quoted it."""
    if name == part:
        return True
    if name[:1] == "." and part[:1] not in (".", "["):
        return False
    # Which bytes make up one character is another matter for each locale.
    return fnmatchcase(name, _wide(part, name.isascii()))


@lru_cache(maxsize=4096)
def _wide(part: str, ascii_: bool) -> str:
    """A pattern that matches at least the same names, with sets that all read alike."""
    if ascii_:
        return _SET.sub(_wide_set, part) if "[" in part else part
    return _SET.sub("*", part).replace("?", "*")


def _wide_set(found: re.Match[str]) -> str:
    text = found[0]
    return text if _UNSURE.isdisjoint(text[1:-1]) else "*" if "[" in text[1:] else "?"
