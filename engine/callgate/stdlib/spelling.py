"""Paths that name one file in several spellings.

Many file systems take `.SSH`, `.ssh.` and a composed or decomposed `é` for one name, and ignore
characters that have no width. A *reading* of a path is its components without such differences,
led by what the path begins with: `""` for `/`, `~`, or `.` for a folder that nobody knows. Most
paths have one reading; a path with a backslash, or with a character that only looks like `/` or
`.`, has two: as it stands, and as the other system would take it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from unicodedata import category, normalize

__all__ = ["Reading", "component", "placed", "readings", "spots", "whole"]

Reading = tuple[str, ...]

_ANY: Final = "*"
_STREAMS: Final = (":$i30:$index_allocation", "::$index_allocation", "::$data")
"""How NTFS writes a file, or a folder, as a stream of itself."""


@lru_cache(maxsize=1024)
def component(text: str) -> str:
    """A component without differences of spelling: case, form, width, what is invisible, dots and
    spaces at the end."""
    if text.isascii():
        found = text.lower()
    else:
        seen = "".join(letter for letter in text if category(letter) != "Cf")
        found = normalize("NFKC", normalize("NFKC", seen).casefold())
    bare = found.rstrip(". ")
    for stream in _STREAMS:
        if bare.endswith(stream):
            bare = bare.removesuffix(stream)
            break
    return bare.rstrip(". ") or found


@lru_cache(maxsize=1024)
def readings(path: str) -> tuple[Reading, ...]:
    """The readings of a path in normal form."""
    if path.isascii() and not ("\\" in path or "./" in path or " /" in path or "//" in path):
        if path[-1:] not in (".", " ") and ":" not in path:
            return (_parts(path.lower().split("/")),)
    root, *names = path.split("/")
    first = (component(root), *(name for name in map(component, names) if name))
    second = _resolved("/".join(first).replace("\\", "/"))
    return (first,) if second == first else (first, second)


def _parts(names: list[str]) -> Reading:
    return tuple(names if names[-1] else names[:-1] or names)


def _resolved(text: str) -> Reading:
    """The reading of a text in which `..` may stand; it never leads above its root."""
    root, *names = text.split("/")
    root = component(root)
    kept: list[str] = []
    for name in map(component, names):
        if name == "..":
            kept = kept[:-1]
        elif name not in ("", "."):
            kept.append(name)
    return (root, *kept)


@lru_cache(maxsize=512)
def spots(path: str, home: str, homes: tuple[str, ...], depth: int) -> tuple[str, ...]:
    """Every place that a path is at or in, from all its readings, seen from `/` and from `~`, of
    at most so many components.

    A path in a folder that nobody knows is taken to be in the home folder, and in `/` as far as
    two components of it tell.
    """
    found = ["/"]
    for reading in _views(path, home, homes):
        place, names = reading[0], reading[1 : depth + 1]
        if place == ".":
            found += ["/" + "/".join(names[:end]) for end in range(2, len(names) + 1)]
            place = "~"
        elif place:
            found.append(place)
        for name in names:
            place = f"{place}/{name}"
            found.append(place)
    return tuple(found)


def placed(path: str, home: str, homes: tuple[str, ...]) -> list[Reading]:
    """The readings of a path, seen from `/` and from `~`; of one in a folder that nobody knows as
    in `spots`."""
    found: list[Reading] = []
    for reading in _views(path, home, homes):
        if reading[0] != ".":
            found.append(reading)
        elif len(reading) > 1:
            found.append(("~", *reading[1:]))
            if len(reading) > 2:
                found.append(("", *reading[1:]))
    return found


def whole(path: str, home: str, homes: tuple[str, ...]) -> set[str]:
    """The place that a path is at, from all its readings, seen from `/` and from `~`."""
    found: set[str] = set()
    for root, *names in _views(path, home, homes):
        text = "/".join(names)
        if root != ".":
            found.add(f"{root}/{text}" if names else root or "/")
        elif names:
            found.update({f"~/{text}", f"/{text}"} if len(names) > 1 else {f"~/{text}"})
    return found


def _views(path: str, home: str, homes: tuple[str, ...]) -> list[Reading]:
    """The readings of a path, and those that start with the home folder for a path in one."""
    found: list[Reading] = []
    for reading in readings(path):
        found.append(reading)
        if not reading[0]:
            patterns = _patterns(home, homes)
            for pattern in patterns.get(reading[1] if len(reading) > 1 else "", patterns[_ANY]):
                if _fits(pattern, reading):
                    found.append(("~", *reading[len(pattern) :]))
    return found


def _fits(pattern: Reading, reading: Reading) -> bool:
    return len(pattern) <= len(reading) and all(
        want in (have, _ANY) for want, have in zip(pattern, reading, strict=False)
    )


@lru_cache(maxsize=256)
def _patterns(home: str, homes: tuple[str, ...]) -> dict[str, list[Reading]]:
    """What home folders look like, the call's own among them, by the first component of paths that
    they may fit; under `*` those for any other path."""
    folders = [text for text in (home, *homes) if text[:1] == "/" and "\0" not in text]
    patterns = [_resolved(text) for text in folders]
    first = [pattern[1] if len(pattern) > 1 else _ANY for pattern in patterns]
    return {
        word: [p for p, own in zip(patterns, first, strict=True) if own in (word, _ANY)]
        for word in (_ANY, *first)
    }
