"""Which places and hosts a call touches, as marks by which calls that touch the same are told.

After a refusal, `mv build /tmp/x`, `rm -rf b?ild` and `rm -rf build/a` are not what `rm -rf build`
is, but near it. A path is near itself, what lies above it and what lies below it. A pattern counts
as the folder that it looks in, and a path that nobody knows as the one above all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.canonical import canonical
from callgate.gate.patterns import is_active
from callgate.model.effect import EFFECT_GROUPS

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
    if group is None:
        return
    if group == _REACHES:
        yield _HERE + _digest(group, effect.fields["host"])
        return
    *above, here = _line(effect.fields["path"])
    yield _HERE + _digest(group, here)
    for folder in above:
        yield _ABOVE + _digest(group, folder)


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
