"""Which places and hosts a call touches, as marks by which calls that touch the same are told.

After a refusal, `mv build /tmp/x`, `rm -rf b?ild` and `rm -rf build/a` are not what `rm -rf build`
is, but near it. A path is near itself, what lies above it and what lies below it. A pattern counts
as the folder that it looks in, and a path that nobody knows as the one above all. A program that
nobody described is read where it is run by its path, as another program would read it (`./x.py`,
`python3 x.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from hashlib import sha256
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.canonical import canonical
from callgate.gate.patterns import is_active
from callgate.model.effect import EFFECT_GROUPS
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.model.effect import Effect

__all__ = ["are_near", "touched"]

_CLASSES: Final = {
    **dict.fromkeys(EFFECT_GROUPS["changes"][1], "changes"),
    "read": "reads",
    "connect": "reaches",
    "transfer": "reaches",
}
"""What kinds of effects have in common: who may not delete something may not move it, either."""

_REACHES: Final = "reaches"
_RUN: Final = "run"
_HERE: Final = "@"
_ABOVE: Final = "^"
_DEEPEST: Final = 32
_LONGEST: Final = 4096
"""A path with more components, or more characters, counts as the one above it that has so many."""


def touched(effects: Iterable[Effect]) -> frozenset[str]:
    """The marks of what some effects touch: a letter that says whether it is the place itself or
    one above it, and a sha256, in hex."""
    return frozenset(mark for effect in effects for mark in _marks(effect))


def are_near(some: Set[str], others: Set[str]) -> bool:
    """Whether two calls touch one place or host, or one what lies above or below the other's.
    `some`, `others`: marks, those that `touched` gave and any others."""
    here, there = _those(some, _HERE), _those(others, _HERE)
    return not (
        here.isdisjoint(there)
        and here.isdisjoint(_those(others, _ABOVE))
        and there.isdisjoint(_those(some, _ABOVE))
    )


def _those(marks: Set[str], letter: str) -> set[str]:
    return {mark[1:] for mark in marks if mark[0] == letter}


def _marks(effect: Effect) -> Iterator[str]:
    group = _CLASSES.get(effect.kind)
    if effect.kind == _RUN:
        path = _file_of(effect)
        if path is None:
            return
        group = _CLASSES["read"]
    elif group is None:
        return
    elif group == _REACHES:
        yield _HERE + _digest(group, effect.fields["host"])
        return
    else:
        path = effect.fields["path"]
    *above, here = _line(path)
    yield _HERE + _digest(group, here)
    for folder in above:
        yield _ABOVE + _digest(group, folder)


def _file_of(run: Effect) -> str | None:
    """The file of a program that is run by its path; None for one that is described, or looked up
    by its name, and where nobody knows in which folder."""
    path, folder = run.fields["program_path"], getattr(run.data, "cwd", UNKNOWN)
    if not isinstance(path, str) or "/" not in path or getattr(run.data, "program", None):
        return None
    if path.startswith("/"):
        return normpath(path)
    return normpath(join(folder, path)) if isinstance(folder, str) else None


def _line(path: Any) -> list[str]:
    """The places from the one above all down to a path's own."""
    line = [""]
    if not isinstance(path, str):
        return line
    parts = path[:_LONGEST].split("/")
    if len(path) > _LONGEST:
        parts.pop()
    place = ""
    for number, part in enumerate(parts[:_DEEPEST]):
        if is_active(part):
            break
        place = f"{place}/{part}" if number else part
        line.append(place or "/")
    return line


def _digest(group: str, place: Any) -> str:
    return sha256(canonical([group, place])).hexdigest()
