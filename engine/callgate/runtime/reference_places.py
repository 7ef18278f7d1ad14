"""Places that must be protected, written the plainest way: the second half of the specification.

A place is compared letter by letter of its components with every item of the list, in every
reading; there is no index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec

from callgate.model.values import UNKNOWN, Unknown

__all__ = ["has_part", "holds", "named", "touches"]

Components = list[str]
Rest = ParamSpec("Rest")
Test = Callable[Concatenate[str, Rest], bool | Unknown]


def _plain(name: str) -> str:
    """A component as a file system that ignores spelling sees it."""
    visible = "".join(c for c in name if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", visible).casefold()
    found = unicodedata.normalize("NFKC", folded)
    if not found:
        return found
    short = found.rstrip(". ")
    stream = re.search(r"(::\$data|:(\$i30)?:\$index_allocation)\Z", short)
    if stream is not None:
        short = short[: stream.start()].rstrip(". ")
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


def _stars(name: str) -> str:
    """A pattern in `*` and `?` alone: a class `[…]` is any character, and several are anything."""
    start, _, rest = name.partition("[")
    inner, close, tail = rest.rpartition("]")
    if not close:
        return name
    return start + ("*" if "[" in inner or "]" in inner else "?") + tail


def _says(name: str) -> bool:
    """Whether there is more in a pattern than wildcards and an ending."""
    return re.fullmatch(r"[*?]*|[*?]+\..*", _stars(name), re.DOTALL) is None


def _fits(pattern: str, name: str) -> bool:
    """Whether a pattern may stand for a name; `*` for no dot that the name begins with."""
    letters = {"*": ".*", "?": "."}
    written = "".join(letters.get(c, re.escape(c)) for c in _stars(pattern))
    hidden = name.startswith(".") and _stars(pattern).startswith("*")
    return not hidden and re.fullmatch(written, name, re.DOTALL) is not None


def _may_end(pattern: str, ending: str) -> bool:
    """Whether a pattern may stand for an ending, or says that its names have it."""
    written = _stars(pattern)
    tail = written.split("*")[-1]
    if _says(pattern) and _fits(pattern, ending):
        return True
    if not _says("*" + tail) or (tail == written and len(tail) < len(ending)):
        return False
    pairs = zip(reversed(tail), reversed(ending), strict=False)
    return all(a in ("?", b) for a, b in pairs)


def _may_be(patterns: Components, names: Components) -> bool:
    """Whether a shell may make the names of patterns, of which one at least says something."""
    return (
        len(patterns) == len(names)
        and any(map(_says, patterns))
        and all(map(_fits, patterns, names))
    )


def _open(path: str, found: bool, may: bool) -> bool | Unknown:
    """True where it is so; not known where a shell may make it so."""
    return found or (UNKNOWN if may and any(c in path for c in "*?[") else False)


def _at_any_depth(test: Test[Rest]) -> Test[Rest]:
    """A relation of paths in which `**` is up to eight folders, whatever they are called."""

    @wraps(test)
    def relation(path: str, /, *rest: Rest.args, **named: Rest.kwargs) -> bool | Unknown:
        root, *names = path.split("/")
        if "**" not in names:
            return test(path, *rest, **named)
        found = []
        for folders in range(9):
            parts = ("?*/" * folders if name == "**" else f"{name}/" for name in names)
            deep = f"{root}/{''.join(parts)}".removesuffix("/")
            found.append(test(deep or "/", *rest, **named))
        if found[0] is not False:
            return found[0]
        return UNKNOWN if any(each is not False for each in found) else False

    return relation


def _within(inner: Components, outer: Components) -> bool:
    return outer == [""] or inner[: len(outer)] == outer


@_at_any_depth
def touches(path: str, place: str, home: str, homes: Sequence[str]) -> bool | Unknown:
    """Whether a path is the place or lies in it; everything lies in `/`."""
    # Of a path in a folder that nobody knows, only this many components tell where it is.
    least = {"": 3, "~": 2} if _plain(path.split("/")[0]) == "." else {}
    found = any(
        outer == [""] or (_within(inner, outer) and len(outer) >= least.get(inner[0], 0))
        for outer in _seen(place, "", ())
        for inner in (*_seen(path, home, homes), ["nowhere"])
    )
    may = any(
        inner[0] == outer[0] and _may_be(inner[1 : len(outer)], outer[1:])
        for outer in _seen(place, "", ())
        for inner in _seen(path, home, homes)
    )
    return _open(path, found, may)


@_at_any_depth
def holds(path: str, place: str, home: str, homes: Sequence[str]) -> bool | Unknown:
    """Whether a path is the place or holds it: the place may be in any home folder."""
    folder, slash, last = path.rpartition("/")
    if slash and last == "*":
        path = folder or "/"
    inside = list(_seen(place, "", ()))
    if any(root == "~" for root, *_ in inside):
        for folder in (home, *homes):
            if folder.startswith("/") and "\0" not in folder:
                inside += _readings(folder.partition("*")[0])
    outside = list(_seen(path, home, homes))
    found = any(_within(inner, outer) for outer in outside for inner in inside)
    may = any(
        inner[0] == outer[0] and _may_be(outer[1:], inner[1 : len(outer)])
        for outer in outside
        for inner in inside
    )
    return _open(path, found, may)


@_at_any_depth
def has_part(path: str, part: str) -> bool | Unknown:
    """Whether the components of a part stand in a path, one after the other."""
    wanted = [_plain(name) for name in part.split("/") if name]
    runs = [
        names[start : start + len(wanted)]
        for _, *names in _readings(path)
        for start in range(len(names))
        if wanted
    ]
    return _open(path, wanted in runs, any(_may_be(run, wanted) for run in runs))


@_at_any_depth
def named(path: str, name: str) -> bool | Unknown:
    """Whether the last component of a path is the name, or ends as `*name` says."""
    last = [names[-1] for _, *names in _readings(path) if names]
    if name.startswith("*"):
        ending = _plain(name[1:])
        found = any(own.endswith(ending) for own in last)
        return _open(path, found, any(_may_end(own, ending) for own in last))
    return _open(path, _plain(name) in last, any(_may_be([own], [_plain(name)]) for own in last))
