"""Walking syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.model.syntax import Member, Syntax, Word

__all__ = ["chain", "walk"]

_SLOTS: Final[dict[type, tuple[str, ...]]] = {}


def walk(tree: Syntax) -> Iterator[Syntax]:
    """A tree's nodes, each before those below it, in the order of the text."""
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        kind = type(node)
        if kind is tuple:
            todo.extend(reversed(node))
        elif isinstance(node, Syntax):
            yield node
            slots = _SLOTS.get(kind)
            if slots is None:
                slots = tuple(name for name in kind.__dataclass_fields__ if name != "at")
                _SLOTS[kind] = slots
            todo.extend([getattr(node, slot) for slot in reversed(slots)])


def chain(node: Syntax) -> str:
    """The dotted name that a node spells, such as `call.tool`; "" where it is none."""
    words: list[str] = []
    while isinstance(node, Member):
        words.append(node.name)
        node = node.base
    return ".".join([node.name, *reversed(words)]) if isinstance(node, Word) else ""
