"""Places that must be protected, written the plainest way: the second half of the specification.

A place is compared letter by letter of its components with every item of the list, in every
reading; there is no index.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["has_part", "holds", "named", "touches"]

Components = list[str]


def _plain(name: str) -> str:
    """A component as a file system that ignores spelling sees it."""
    visible = "".join(c for c in name if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", visible).casefold()
    found = unicodedata.normalize("NFKC", folded)
    if not found:
        return found
    short = found.rstrip(". ")
    if short.endswith("::$data"):
        short = short[: -len("::$data")].rstrip(". ")
    return short or found


def _walk(names: Iterable[str]) -> Components:
    """The components that are left when `.` and `..` are followed."""
    kept: Components = []
    for name in map(_plain, names):
        if name == "..":
            kept = kept[:-1]
        elif name not in ("", "."):
            kept = [*kept, name]
    return kept


def _readings(path: str) -> Iterator[Components]:
    """What a path begins with, and its components: as it stands, and with every backslash and
    everything that looks like `/` or `.` taken as such."""
    root, *names = path.split("/")
    root = _plain(root)
    yield [root, *filter(None, map(_plain, names))]
    other, *rest = "/".join([root, *map(_plain, names)]).replace("\\", "/").split("/")
    yield [_plain(other), *_walk(rest)]


def _pattern_fits(pattern: Components, names: Components) -> bool:
    return len(pattern) <= len(names) and all(
        pattern[i] in ("*", names[i]) for i in range(len(pattern))
    )


def _seen(path: str, home: str, homes: Sequence[str]) -> Iterator[Components]:
    """A path from `/` and, where it lies in a home folder, from `~`."""
    for root, *names in _readings(path):
        if root == ".":
            # Nobody knows where: in the home folder, or in `/` where more than one name says so.
            if names:
                yield ["~", *names]
            if len(names) > 1:
                yield ["", *names]
            continue
        yield [root, *names]
        for folder in (home, *homes):
            if root == "" and folder.startswith("/") and "\0" not in folder:
                pattern = _walk(folder.split("/")[1:])
                if _pattern_fits(pattern, names):
                    yield ["~", *names[len(pattern) :]]


def _within(inner: Components, outer: Components) -> bool:
    return outer == [""] or inner[: len(outer)] == outer


def touches(path: str, place: str, home: str, homes: Sequence[str]) -> bool:
    """Whether a path is the place or lies in it; everything lies in `/`."""
    # Of a path in a folder that nobody knows, only this many components tell where it is.
    least = {"": 3, "~": 2} if _plain(path.split("/")[0]) == "." else {}
    return any(
        outer == [""] or (_within(inner, outer) and len(outer) >= least.get(inner[0], 0))
        for outer in _seen(place, "", ())
        for inner in (*_seen(path, home, homes), ["nowhere"])
    )


def holds(path: str, place: str, home: str, homes: Sequence[str]) -> bool:
    """Whether a path is the place or holds it: the place may be in any home folder."""
    folder, slash, last = path.rpartition("/")
    if slash and last == "*":
        path = folder or "/"
    inside = list(_seen(place, "", ()))
    if any(root == "~" for root, *_ in inside):
        for folder in (home, *homes):
            if folder.startswith("/") and "\0" not in folder:
                inside += _readings(folder.partition("*")[0])
    return any(_within(inner, outer) for outer in _seen(path, home, homes) for inner in inside)


def has_part(path: str, part: str) -> bool:
    """Whether the components of a part stand in a path, one after the other."""
    wanted = [_plain(name) for name in part.split("/") if name]
    return bool(wanted) and any(
        names[start : start + len(wanted)] == wanted
        for _, *names in _readings(path)
        for start in range(len(names))
    )


def named(path: str, name: str) -> bool:
    """Whether the last component of a path is the name, or ends as `*name` says."""
    for _, *names in _readings(path):
        if names and name.startswith("*"):
            if names[-1].endswith(_plain(name[1:])):
                return True
        elif names and names[-1] == _plain(name):
            return True
    return False
