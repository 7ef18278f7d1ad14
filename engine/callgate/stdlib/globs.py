"""Names with `*`, `?` and `[…]`, as a shell may take them for other names.

What a path with such a name means is known to the shell alone. Whether it may mean a certain place
is asked here, on the safe side: a class `[…]` stands for any character. A name of nothing but `*`
and `?`, or with no more than an ending as `*.json`, says nothing; of what it is compared with,
another component has to be named. `**` stands for any number of folders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

__all__ = ["active", "depths", "ends", "fits", "may_be"]

_MOST_FOLDERS: Final = 8

_ACTIVE: Final = re.compile(r"[*?\[]")


def active(path: str) -> bool:
    """Whether there is anything in a path that a shell may take for other names."""
    return _ACTIVE.search(path) is not None


def depths(path: str) -> list[str]:
    """A path, once for each number of folders that its `**` may stand for, none first; what they
    are called is not said, and a dot may be what they begin with."""
    if not any(name == "**" for name in path.split("/")[1:]):
        return [path]
    found = []
    for number in range(_MOST_FOLDERS + 1):
        names = (["?*"] * number if name == "**" else [name] for name in path.split("/"))
        found.append("/".join(name for some in names for name in some) or "/")
    return found


@lru_cache(maxsize=1024)
def _plain(pattern: str) -> str:
    """A pattern in `*` and `?` alone, which fits whatever it fits."""
    first, last = pattern.find("["), pattern.rfind("]")
    if not 0 <= first < last:
        return pattern
    inner = pattern[first + 1 : last]
    any_ = "*" if "[" in inner or "]" in inner else "?"
    return f"{pattern[:first]}{any_}{pattern[last + 1 :]}"


@lru_cache(maxsize=4096)
def fits(pattern: str, name: str) -> bool:
    """Whether a pattern may stand for a name. A dot that a name begins with is not what `*` stands
    for."""
    pattern = _plain(pattern)
    if name[:1] == "." and pattern[:1] == "*":
        return False
    at = here = 0
    star = mark = -1
    while here < len(name):
        letter = pattern[at : at + 1]
        if letter == "*":
            star, mark = at, here
            at += 1
        elif letter and letter in ("?", name[here]):
            at += 1
            here += 1
        elif star >= 0:
            mark += 1
            at, here = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")


def ends(pattern: str, ending: str) -> bool:
    """Whether a pattern may stand for an ending, or says that its names have it. One that ends in
    `*` says nothing of the names' ends."""
    if may_be([pattern], [ending]):
        return True
    pattern = _plain(pattern)
    tail = pattern.rpartition("*")[2]
    if not _says(f"*{tail}"):
        return False
    known = min(len(tail), len(ending))
    letters = zip(tail[len(tail) - known :], ending[len(ending) - known :], strict=True)
    return (known == len(ending) or "*" in pattern) and all(a in ("?", b) for a, b in letters)


def may_be(patterns: Sequence[str], names: Sequence[str]) -> bool:
    """Whether patterns may stand for as many names, and at least one of them says so itself."""
    return (
        len(patterns) == len(names)
        and all(map(fits, patterns, names))
        and any(_says(_plain(pattern)) for pattern in patterns)
    )


def _says(pattern: str) -> bool:
    rest = pattern.lstrip("*?")
    return bool(rest) and (len(rest) == len(pattern) or rest[0] != ".")
