"""Looks where symbolic links lead: every link on the way of a path, one component at a time.

What the kernel makes up for each process (`/proc`, `/dev/stdin`) leads somewhere else for the tool
than for the gate, so it is not followed; the paths of a policy know these places by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from stat import S_ISLNK
from typing import Final

__all__ = ["links_of", "straight"]

_MAX_HOPS: Final = 40
_MAX_MATCHES: Final = 2_000
_ACTIVE: Final = frozenset("*?[")
_NO_LINK: Final = ""
_OWN: Final = "\0"
"""A link that is another one for each process."""

_O_PATH: Final[int] = getattr(os, "O_PATH", 0)


def straight(paths: Iterable[str]) -> bool:
    """Whether all these paths are there without a link on their way: the quick answer to most
    calls. False says nothing."""
    return all(map(_straight, paths))


def links_of(paths: Iterable[str]) -> dict[str, str]:
    """The links on the way of absolute paths, which may hold `..` and patterns of names: the
    place of each link → where it leads, absolute; "" where nobody could look.

    It blocks while the file system answers. A pattern (`dir/*.py`) that a link matches leads to "".
    """
    found: dict[str, str] = {}
    known: dict[str, str] = {}
    for path in paths:
        if path[:1] != "/" or "\0" in path:
            found[path] = ""
        elif _ACTIVE.isdisjoint(path):
            if not _straight(path):
                _follow("", path, found, known)
        else:
            _pattern(path, found, known)
    return found


def _straight(path: str) -> bool:
    """Whether a path is there without a link on its way: then the system itself calls the file by
    that path. It is opened without being read, in three system calls however long the path is.
    (Of one that was deleted the system says so in parentheses at the end.)"""
    if "*" in path or "?" in path or "[" in path or path[-1:] == ")" or not _O_PATH:
        return False
    try:
        handle = os.open(path, _O_PATH)
    except (OSError, ValueError):
        return False
    try:
        return os.readlink(f"/proc/self/fd/{handle}") == path  # noqa: PTH115 - many times a second
    except OSError:
        return False
    finally:
        os.close(handle)


def _follow(current: str, rest: str, found: dict[str, str], known: dict[str, str]) -> str | None:
    """Walk on from a place that is no link: the place where the walk ends, or None."""
    parts = rest.split("/")
    parts.reverse()
    hops = 0
    while parts:
        part = parts.pop()
        if part == "" or part == ".":
            continue
        if part == "..":
            current = current.rpartition("/")[0]
            continue
        place = f"{current}/{part}"
        if place == "/proc":
            return None
        target = known.get(place)
        if target is None:
            target = known[place] = _look(place, current, found)
        if target == _NO_LINK:
            current = place
            continue
        if target == _OWN:
            return None
        hops += 1
        if target == place or hops > _MAX_HOPS:
            found[place] = ""
            return None
        current = ""
        parts += reversed(target.split("/"))
    return current


def _look(place: str, folder: str, found: dict[str, str]) -> str:
    """Where a place leads: `_NO_LINK`, `_OWN`, the target, or the place itself when nobody can
    tell."""
    try:
        if not S_ISLNK(os.lstat(place).st_mode):
            return _NO_LINK
        target = os.readlink(place)  # noqa: PTH115 - as above
    except (FileNotFoundError, NotADirectoryError):
        return _NO_LINK
    except (OSError, ValueError):
        return place
    if folder == "/dev" and target.startswith("/proc/"):
        return _OWN
    if ".." in target.split("/"):
        # Another link may stand before the `..`.
        target = os.path.realpath(place)
    elif target[:1] != "/":
        target = f"{folder}/{target}"
    found[place] = target
    return target


def _pattern(path: str, found: dict[str, str], known: dict[str, str]) -> None:
    """Look at all that a path with patterns of names matches."""
    parts = path.split("/")
    first = next(i for i, part in enumerate(parts) if not _ACTIVE.isdisjoint(part))
    folder = _follow("", "/".join(parts[:first]), found, known)
    named = "/".join(parts[: first + 1])
    if folder is None:
        return
    place = f"{folder}/{parts[first]}"
    budget = [_MAX_MATCHES]
    if ".." in parts[first:] or not _plain(folder, parts[first:], budget):
        found[place] = found[named] = ""


def _plain(folder: str, parts: list[str], budget: list[int]) -> bool:
    """Whether nothing that the parts match below a folder is a link, or leads through one."""
    if not parts:
        return True
    part, rest = parts[0], parts[1:]
    deep = part == "**"
    try:
        with os.scandir(folder or "/") as entries:
            for entry in entries:
                budget[0] -= 1
                if budget[0] < 0:
                    return False
                name = entry.name
                if not (deep or fnmatchcase(name, part)) or (name[0] == "." and part[0] != "."):
                    continue
                if entry.is_symlink():
                    return False
                below = entry.is_dir(follow_symlinks=False)
                if rest and below and not _plain(f"{folder}/{name}", rest, budget):
                    return False
                if deep and below and not _plain(f"{folder}/{name}", parts, budget):
                    return False
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return not deep or not rest or _plain(folder, rest, budget)
