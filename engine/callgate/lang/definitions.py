"""Definitions: derived facts and `define:`s, which may use each other.

They are typed in the order in which they need each other, then stand in the scope like any other
name. A definition that uses itself is refused, and so is one that is too large when everything it
uses is written out, because that is what conditions are made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from callgate.lang.check import Checker
from callgate.lang.check_context import Located
from callgate.lang.errors import ConditionError
from callgate.lang.parser import parse_condition
from callgate.lang.scope import Name
from callgate.model.span import Span
from callgate.model.syntax import Syntax, Word

__all__ = ["Definition", "add_definitions"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A named expression: where its name and its text stand. `condition`: it must be a bool."""

    name: str
    text: Located
    place: Span
    condition: bool


def add_definitions(
    checker: Checker, definitions: Mapping[str, Definition]
) -> dict[str, tuple[Name, str]]:
    """Type all definitions and add them to the checker's scope.

    Gives those without errors, each with its canonical text, in the order of `definitions`.
    """
    checker.scope.announced = frozenset(definitions)
    needs = {name: _uses(entry.text, definitions) for name, entry in definitions.items()}
    done: dict[str, tuple[Name, str]] = {}
    for name in _in_order(checker, definitions, needs):
        entry = definitions[name]
        typed = None
        if name not in checker.scope.broken:
            typed = checker.definition(entry.text, entry.condition)
        if typed is None:
            checker.scope.broken.add(name)
        else:
            checker.scope.add(name, typed[0])
            done[name] = typed
    return {name: done[name] for name in definitions if name in done}


def _uses(text: Located, definitions: Mapping[str, Definition]) -> list[str]:
    """The definitions that a text uses; none when it can't be parsed, which is reported later."""
    try:
        tree = parse_condition(text.value).tree
    except ConditionError:
        return []
    found = dict.fromkeys(node.name for node in _nodes(tree) if isinstance(node, Word))
    return [name for name in found if name in definitions]


def _nodes(tree: Syntax) -> Iterator[Syntax]:
    todo: list[object] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo.extend(node)
        elif isinstance(node, Syntax):
            yield node
            todo.extend(getattr(node, slot) for slot in _slots(type(node)))


_SLOTS: Final[dict[type[Syntax], tuple[str, ...]]] = {}


def _slots(kind: type[Syntax]) -> tuple[str, ...]:
    found = _SLOTS.get(kind)
    if found is None:
        found = tuple(name for name in kind.__dataclass_fields__ if name != "at")
        _SLOTS[kind] = found
    return found


def _in_order(
    checker: Checker, definitions: Mapping[str, Definition], needs: Mapping[str, list[str]]
) -> list[str]:
    """All names, each after those it uses. Names that use themselves are reported (T015) and
    marked as broken in the scope."""
    order: list[str] = []
    finished: set[str] = set()
    for start in definitions:
        path: list[str] = []
        on_path: set[str] = set()
        todo: list[tuple[str, bool]] = [(start, False)]
        while todo:
            name, leaving = todo.pop()
            if leaving:
                on_path.discard(path.pop())
                finished.add(name)
                order.append(name)
            elif name in on_path:
                _report_cycle(checker, definitions, path[path.index(name) :])
            elif name not in finished:
                path.append(name)
                on_path.add(name)
                todo.append((name, True))
                todo.extend((used, False) for used in reversed(needs[name]))
    return order


def _report_cycle(
    checker: Checker, definitions: Mapping[str, Definition], cycle: list[str]
) -> None:
    if checker.scope.broken.issuperset(cycle):
        return
    checker.scope.broken.update(cycle)
    way = " → ".join(f"`{name}`" for name in (*cycle, cycle[0]))
    checker.diagnostics.error(
        "T015",
        f"`{cycle[0]}` uses itself: {way}" if len(cycle) > 1 else f"`{cycle[0]}` uses itself",
        definitions[cycle[0]].place,
        "write out one of them without the others",
        tuple((f"`{name}` is defined here", definitions[name].place) for name in cycle[1:]),
    )
