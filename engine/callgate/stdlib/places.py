"""Whether a path is at a place that must be protected, however the path is spelt.

Unlike `under` and `covers`, which compare exactly, these err on the safe side: they are for rules
that deny or ask. A list is made into an index once; a path is then looked up by its ancestors, so
that the length of a list costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from callgate.model.types import BOOL, PATH, STRING, ListOf
from callgate.model.values import UNKNOWN
from callgate.stdlib.globs import active, depths, ends, may_be
from callgate.stdlib.operation import example, operation, signature
from callgate.stdlib.paths import normalise
from callgate.stdlib.spelling import component, placed, readings, spots, whole

__all__ = ["has_part", "holds", "named", "prepare", "telling", "touches"]

_HOMES: Final = ListOf(STRING)
_OF_PLACES: Final = (
    signature(BOOL, p=PATH, q=PATH, home=STRING, homes=_HOMES),
    signature(BOOL, p=PATH, q=ListOf(PATH), home=STRING, homes=_HOMES),
)
_MOST_HOMES: Final = 256
_MOST_PATHS: Final = 512
_USUAL_DEPTH: Final = 8
"""Lists share what is known of a path where none of their places is deeper."""

Test = Callable[[str, str], Any]
"""A relation of a path, and the call's home folder, to places that are known beforehand."""


def _keys(places: Sequence[Any]) -> tuple[frozenset[str], bool]:
    """The places as `spots` writes them, and whether one of them is not known."""
    found: set[str] = set()
    unknown = False
    for place in places:
        path = UNKNOWN if place is UNKNOWN else normalise(place, "")
        if path is UNKNOWN:
            unknown = True
        else:
            found |= whole(path, "", ())
    return frozenset(found), unknown


def _touching(places: Sequence[Any], homes: tuple[str, ...]) -> Test:
    keys, unknown = _keys(places)
    otherwise = UNKNOWN if unknown else False
    depth = max([_USUAL_DEPTH, *(key.count("/") for key in keys)])
    # A path in a place has the place's last name among its own, and most paths have none of them.
    last = {key.rpartition("/")[2] for key in keys}
    anywhere = not last.isdisjoint(("", "~"))

    by_first: dict[str, dict[str, list[list[str]]]] = {}
    for key in keys:
        root, *inner = key.split("/")
        if inner and key != "/":
            by_first.setdefault(root, {}).setdefault(inner[0], []).append(inner)

    def may_touch(path: str, home: str) -> bool:
        for root, *names in placed(path, home, homes):
            near = by_first.get(root)
            if not near or not names:
                continue
            first = near if active(names[0]) else (names[0],)
            for name in first:
                if any(may_be(names[: len(place)], place) for place in near.get(name, ())):
                    return True
        return False

    def test(path: str, home: str) -> Any:
        for reading in readings(path):
            if anywhere or not last.isdisjoint(reading):
                if not keys.isdisjoint(spots(path, home, homes, depth)):
                    return True
                break
        return UNKNOWN if active(path) and may_touch(path, home) else otherwise

    return test


def _all(place: str) -> tuple[str, ...]:
    """A place and every one that holds it."""
    return spots(place, "", (), place.count("/"))


def _above(places: Sequence[Any], homes: tuple[str, ...], home: str) -> frozenset[str]:
    """Every place that is, or holds, one of the places."""
    keys, _ = _keys(places)
    found = frozenset[str]().union(*(_all(key) for key in keys))
    if any(key == "~" or key[:2] == "~/" for key in keys):
        for folder in (home, *homes):
            if folder[:1] == "/" and "\0" not in folder:
                found |= set(_all(folder.partition("*")[0]))
    return found


def _holding(places: Sequence[Any], homes: tuple[str, ...]) -> Test:
    _, unknown = _keys(places)
    otherwise = UNKNOWN if unknown else False
    above: dict[str, frozenset[str]] = {}

    def test(path: str, home: str) -> Any:
        keys = above.get(home)
        if keys is None:
            keys = _above(places, homes, home)
            if len(above) < _MOST_HOMES:
                above[home] = keys
        if path.endswith("/*"):
            path = path[:-2] or "/"
        if not keys.isdisjoint(whole(path, home, homes)):
            return True
        return UNKNOWN if active(path) and _may_hold(path, home, homes, keys) else otherwise

    return test


def _may_hold(path: str, home: str, homes: tuple[str, ...], keys: frozenset[str]) -> bool:
    return any(
        root == place and may_be(names, inner)
        for root, *names in placed(path, home, homes)
        for place, *inner in (key.split("/") for key in keys)
    )


def _parts(parts: Sequence[Any], homes: tuple[str, ...] = ()) -> Test:
    wanted: dict[str, list[list[str]]] = {}
    for part in parts:
        names = [] if part is UNKNOWN else [component(name) for name in part.split("/") if name]
        if names:
            wanted.setdefault(names[0], []).append(names)
    first = frozenset(wanted)
    otherwise = UNKNOWN if UNKNOWN in parts else False

    def may_have(path: str) -> bool:
        return any(
            may_be(names[start : start + len(part)], part)
            for _, *names in readings(path)
            for start in range(len(names))
            for listed in wanted.values()
            for part in listed
        )

    def test(path: str, home: str) -> Any:
        for reading in readings(path):
            if not first.isdisjoint(reading):
                names = list(reading)
                for start in range(1, len(names)):
                    for part in wanted.get(names[start], ()):
                        if names[start : start + len(part)] == part:
                            return True
        return UNKNOWN if active(path) and may_have(path) else otherwise

    return test


def _names(names: Sequence[Any], homes: tuple[str, ...] = ()) -> Test:
    known = [name for name in names if name is not UNKNOWN]
    exact = frozenset(component(name) for name in known if name[:1] != "*")
    endings = tuple(component(name[1:]) for name in known if name[:1] == "*")
    otherwise = UNKNOWN if UNKNOWN in names else False

    def may_be_named(path: str) -> bool:
        last = [reading[-1] for reading in readings(path) if len(reading) > 1]
        return any(may_be([own], [name]) for own in last for name in exact) or any(
            ends(own, ending) for own in last for ending in endings
        )

    def test(path: str, home: str) -> Any:
        for reading in readings(path):
            if len(reading) > 1 and (reading[-1] in exact or reading[-1].endswith(endings)):
                return True
        return UNKNOWN if active(path) and may_be_named(path) else otherwise

    return test


_PREPARE: Final[dict[str, Callable[[Sequence[Any], tuple[str, ...]], Test]]] = {
    "touches": _touching,
    "holds": _holding,
    "has_part": _parts,
    "named": _names,
}


def telling(op: str, places: Sequence[Any]) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """Names of which a path without patterns has one, in each of its readings, or else a last name
    with one of these endings, where the operation is not false of it; None where that can't be
    said."""
    if UNKNOWN in places:
        return None
    if op == "touches":
        keys, unknown = _keys(places)
        last = frozenset(key.rpartition("/")[2] for key in keys)
        return None if unknown or not last.isdisjoint(("", "~")) else (last, ())
    if op == "has_part":
        parts = [[component(name) for name in part.split("/") if name] for part in places]
        return frozenset(names[0] for names in parts if names), ()
    if op == "named":
        exact = frozenset(component(name) for name in places if name[:1] != "*")
        return exact, tuple(component(name[1:]) for name in places if name[:1] == "*")
    return None


@lru_cache(maxsize=256)
def prepare(op: str, places: tuple[Any, ...], homes: tuple[str, ...] = ()) -> Test:
    """The operation with its list made ready, as a function of a path and the home folder."""
    near = _PREPARE[op](places, homes)

    def test(path: str, home: str) -> Any:
        if "/**" not in path:
            return near(path, home)
        first, *deeper = (near(each, home) for each in depths(path))
        return UNKNOWN if first is False and any(found is not False for found in deeper) else first

    return test


def _ready(op: str, places: str | Sequence[Any], homes: Sequence[Any] = ()) -> Test:
    listed = (places,) if isinstance(places, str) else tuple(places)
    return prepare(op, listed, tuple(home for home in homes if home is not UNKNOWN))


@operation(
    *_OF_PLACES,
    supplied=2,
    unknown=True,
    rising=(1,),
    exactly="{} under {}",
    examples=(
        example("/home/u/.SSH/id_rsa", ("/etc/shadow", "~/.ssh"), "/home/u", (), gives=True),
        example("/Users/ann/.ssh", ("~/.ssh",), "", ("/Users/*",), gives=True),
        example("/etc/shadowsocks", ("/etc/shadow",), "", (), gives=False),
        example("/etc/sha*", ("/etc/shadow",), "", (), gives=UNKNOWN),
    ),
)
def touches(p: str, q: str | Sequence[Any], home: str, homes: Sequence[str]) -> Any:
    """Whether path p is q or lies in it, however it is spelt: case, Unicode form, characters
    without width, dots and spaces at a name's end make no difference, a backslash may be a `/`,
    and `~` is any folder that `homes` of the vocabulary calls a home. With a list: in one of
    them. For rules that deny or ask."""
    return _ready("touches", q, homes)(p, home)


@operation(
    *_OF_PLACES,
    supplied=2,
    unknown=True,
    rising=(1,),
    exactly="{} covers {}",
    examples=(
        example("/home/u", ("~/.ssh",), "/home/u", (), gives=True),
        example("/Users/*", ("~/.ssh",), "", ("/Users/*",), gives=True),
        example("/home/u/work", ("~/.ssh",), "/home/u", (), gives=False),
    ),
)
def holds(p: str, q: str | Sequence[Any], home: str, homes: Sequence[str]) -> Any:
    """Whether path p is q or holds it, so that what is done to all of p is done to q; spelling and
    `~` as in `touches`, and `dir/*` counts as `dir`. With a list: one of them. For rules that
    deny or ask."""
    return _ready("holds", q, homes)(p, home)


@operation(
    signature(BOOL, p=PATH, parts=ListOf(STRING)),
    unknown=True,
    rising=(1,),
    exactly="{} under …",
    examples=(
        example("/srv/app/.git/hooks/pre-commit", (".git/hooks",), gives=True),
        example("/srv/app/.GIT/Hooks", (".git/hooks",), gives=True),
        example("/srv/app/git/hooks", (".git/hooks",), gives=False),
        example("/srv/app/.git/hook?", (".git/hooks",), gives=UNKNOWN),
    ),
)
def has_part(p: str, parts: Sequence[Any]) -> Any:
    """Whether components of path p that follow one another are one of the parts, wherever they
    stand; spelling as in `touches`. For rules that deny or ask."""
    return _ready("has_part", parts)(p, "")


@operation(
    signature(BOOL, p=PATH, names=ListOf(STRING)),
    unknown=True,
    rising=(1,),
    exactly="{} under …",
    examples=(
        example("/srv/app/.ENV", (".env",), gives=True),
        example("/srv/app/prod.env", ("*.env",), gives=True),
        example("/srv/app/.env.example", ("*.env",), gives=False),
    ),
)
def named(p: str, names: Sequence[Any]) -> Any:
    """Whether the last component of path p is one of the names; a name that begins with `*` stands
    for every name with that ending. Spelling as in `touches`. For rules that deny or ask."""
    return _ready("named", names)(p, "")
