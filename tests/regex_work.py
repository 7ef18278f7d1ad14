"""How many steps a regular expression takes on a text, counted instead of timed.

A small engine goes back and forth through a text as Python's own does, and counts each look at a
character or a place. It knows what the patterns of the package are made of, and refuses the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

__all__ = ["Engine", "TooMuchWorkError", "characters", "work"]

op: Final = import_module("re._constants")
parser: Final = import_module("re._parser")
_FOR: Final = "\0\n\t -./:=@#'\"`\\[](){}<>~%$!?*+_0a\u00e9\u05d0"
"""Characters to try beside those that a pattern names itself."""
_FEW: Final = 4
"""What has a bound costs no more than that for each place, and counts as if the bound were low."""
_REPEATS: Final = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_SINGLE: Final = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_Rest = Callable[[int], bool]


class TooMuchWorkError(Exception):
    """The steps that were allowed are used up."""


def work(pattern: re.Pattern[str], how: str, text: str, most: int = 1_000_000) -> int:
    """The steps that `pattern` takes when a text is looked through by its method `how`. Raises
    TooMuchWorkError when there are more than `most`."""
    engine = Engine(pattern, text, most)
    if how in ("match", "fullmatch"):
        engine.at(0, whole=how == "fullmatch")
        return engine.steps
    place = 0
    while place <= len(text):
        stop = engine.at(place)
        if stop >= 0 and how == "search":
            break
        place = max(stop, place + 1)
    return engine.steps


def characters(pattern: re.Pattern[str]) -> list[str]:
    """Characters that a pattern tells apart, one of each sort."""
    named: set[str] = set(_FOR)
    atoms: list[tuple[Any, Any]] = []

    def look(items: Any) -> None:
        for kind, value in items:
            if kind in _SINGLE:
                atoms.append((kind, value))
                named.update(_named(kind, value))
            for part in _parts(kind, value):
                look(part)

    look(_tree(pattern))
    sorts: dict[tuple[bool, ...], str] = {}
    for char in sorted(named):
        sorts.setdefault(tuple(_fits(*atom, char, pattern.flags) for atom in atoms), char)
    return list(sorts.values())


def _tree(pattern: re.Pattern[str]) -> Any:
    return parser.parse(pattern.pattern, pattern.flags)


def _named(kind: Any, value: Any) -> Iterator[str]:
    if kind in (op.LITERAL, op.NOT_LITERAL):
        yield chr(value)
    elif kind is op.IN:
        for inner, given in value:
            if inner is op.LITERAL:
                yield chr(given)
            elif inner is op.RANGE:
                yield chr(given[0])


def _parts(kind: Any, value: Any) -> list[Any]:
    if kind in _REPEATS:
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.BRANCH:
        return list(value[1])
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is op.ATOMIC_GROUP else []


def _fits(kind: Any, value: Any, char: str, flags: int) -> bool:
    if flags & re.IGNORECASE and char.swapcase() != char:
        plain = flags & ~re.IGNORECASE
        return any(_fits(kind, value, one, plain) for one in {char, char.swapcase()})
    if kind is op.LITERAL:
        return bool(ord(char) == value)
    if kind is op.NOT_LITERAL:
        return bool(ord(char) != value)
    if kind is op.ANY:
        return char != "\n" or bool(flags & re.DOTALL)
    negated = value[0][0] is op.NEGATE
    return bool(negated) != any(_in(item[0], item[1], char, flags) for item in value)


def _in(kind: Any, value: Any, char: str, flags: int) -> bool:
    if kind is op.LITERAL:
        return bool(ord(char) == value)
    if kind is op.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if kind is not op.CATEGORY:
        return False
    name = str(value)
    inside = {
        "DIGIT": char.isdigit(),
        "SPACE": char.isspace(),
        "WORD": char.isalnum() or char == "_",
    }[name.rpartition("_")[2]]
    if flags & re.ASCII:
        inside = inside and char.isascii()
    return inside != ("_NOT_" in name)


class Engine:
    """Runs a pattern on a text; `steps` counts."""

    def __init__(self, pattern: re.Pattern[str], text: str, most: int) -> None:
        self._items = list(_tree(pattern))
        self._text = text
        self._flags = pattern.flags
        self._groups: dict[int, tuple[int, int]] = {}
        self._most = most
        self.steps = 0

    def at(self, place: int, *, whole: bool = False) -> int:
        """Where a match that begins at a place ends; -1 where there is none."""
        ends: list[int] = []

        def rest(end: int) -> bool:
            if whole and end != len(self._text):
                return False
            ends.append(end)
            return True

        return ends[0] if self._run(self._items, 0, place, rest) else -1

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self._most:
            raise TooMuchWorkError

    def _run(self, items: Any, index: int, at: int, rest: _Rest) -> bool:
        if index == len(items):
            return rest(at)
        self._step()
        kind, value = items[index]

        def go(end: int) -> bool:
            return self._run(items, index + 1, end, rest)

        if kind in _SINGLE:
            return self._one(kind, value, at) and go(at + 1)
        if kind is op.BRANCH:
            return any(self._run(list(part), 0, at, go) for part in value[1])
        if kind is op.SUBPATTERN:
            number = value[0]

            def keep(end: int) -> bool:
                if number is not None:
                    self._groups[number] = (at, end)
                return go(end)

            return self._run(list(value[3]), 0, at, keep)
        if kind in _REPEATS:
            least, most, part = value
            most = most if most == op.MAXREPEAT else min(most, least + _FEW)
            return self._repeat(kind, list(part), int(least), int(most), at, go)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            found = self._look(value[0], list(value[1]), at)
            return found == (kind is op.ASSERT) and go(at)
        if kind is op.GROUPREF:
            start, end = self._groups.get(value, (0, 0))
            said = self._text[start:end]
            return self._text.startswith(said, at) and go(at + len(said))
        if kind is op.AT:
            return self._place(str(value), at) and go(at)
        raise NotImplementedError(str(kind))

    def _one(self, kind: Any, value: Any, at: int) -> bool:
        self._step()
        return at < len(self._text) and _fits(kind, value, self._text[at], self._flags)

    def _look(self, direction: int, part: Any, at: int) -> bool:
        if direction > 0:
            return self._run(part, 0, at, lambda _: True)
        width = parser.SubPattern(parser.State(), part).getwidth()[0]
        return at >= width and self._run(part, 0, at - width, lambda end: end == at)

    def _repeat(self, kind: Any, part: Any, least: int, most: int, at: int, go: _Rest) -> bool:
        if len(part) == 1 and part[0][0] in _SINGLE:
            return self._row(kind, part[0], least, most, at, go)

        def more(count: int, place: int) -> bool:
            def again(end: int) -> bool:
                # What takes nothing is not taken again.
                return (end > place or count < least) and more(count + 1, end)

            if count < least:
                return self._run(part, 0, place, again)
            if kind is op.MIN_REPEAT:
                return go(place) or (count < most and self._run(part, 0, place, again))
            return (count < most and self._run(part, 0, place, again)) or go(place)

        return more(0, at)

    def _row(self, kind: Any, single: Any, least: int, most: int, at: int, go: _Rest) -> bool:
        """Repeats of one character, which take no depth."""
        count = 0
        if kind is op.MIN_REPEAT:
            while count < least or not go(at + count):
                if count >= most or not self._one(single[0], single[1], at + count):
                    return False
                count += 1
            return True
        while count < most and self._one(single[0], single[1], at + count):
            count += 1
        if kind is op.POSSESSIVE_REPEAT:
            return count >= least and go(at + count)
        return any(go(at + taken) for taken in range(count, least - 1, -1))

    def _place(self, name: str, at: int) -> bool:
        self._step()
        text, lines = self._text, self._flags & re.MULTILINE
        if name == "AT_BEGINNING" or name == "AT_BEGINNING_STRING":
            line = lines and name == "AT_BEGINNING" and at > 0 and text[at - 1] == "\n"
            return at == 0 or bool(line)
        if name == "AT_END_STRING":
            return at == len(text)
        if name == "AT_END":
            last = at == len(text) or (at == len(text) - 1 and text[at] == "\n")
            return last or bool(lines and text[at] == "\n")
        word = [
            0 <= place < len(text) and (text[place].isalnum() or text[place] == "_")
            for place in (at - 1, at)
        ]
        return (word[0] != word[1]) == (name == "AT_BOUNDARY")
