"""Anchors and aliases of a settings file, within bounds."""

from __future__ import annotations

from typing import Any, Final

from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.load.source import Source
from callgate.model.diagnostic import Diagnostics

__all__ = ["MAX_EXPANDED", "Anchors"]

MAX_EXPANDED: Final = 10_000
"""How many values all aliases of a file may stand for."""


class Anchors:
    """The anchors of one file, and what following its aliases has cost so far.

    Messages do not repeat names: what looks like an alias may be a secret without quotes.
    """

    def __init__(self, source: Source, diagnostics: Diagnostics, max_depth: int) -> None:
        self._source = source
        self._diagnostics = diagnostics
        self._max_depth = max_depth
        self._names: dict[str, tuple[Node, int, int]] = {}
        self._open: dict[int, str] = {}
        self._expanded = 0

    def define(self, name: str, scalar: Scalar) -> None:
        """Take note of a scalar's anchor."""
        self._names[name] = (scalar, 1, 0)

    def open(self, name: str, node: Mapping | Sequence) -> None:
        """Take note of the anchor of a list or mapping that begins."""
        self._names.pop(name, None)
        self._open[id(node)] = name

    def close(self, node: Mapping | Sequence) -> None:
        """The list or mapping ends: from here on, aliases may name it."""
        if name := self._open.pop(id(node), None):
            self._names[name] = (node, *_measure(node))

    def follow(self, event: Any, depth: int) -> Node | None:
        """The value that an alias stands for, or None (Y005, Y012)."""
        name = event.anchor
        if name in self._open.values():
            return self._refuse("Y005", event, "this alias stands inside what it names")
        if name not in self._names:
            help = "nothing before it is marked with this name; put it in quotes if it is a text"
            return self._refuse("Y005", event, "this alias names nothing", help)
        node, size, height = self._names[name]
        self._expanded += size
        if self._expanded > MAX_EXPANDED:
            message = f"the aliases up to here stand for more than {MAX_EXPANDED} values"
            return self._refuse("Y005", event, message)
        if depth + height > self._max_depth:
            message = f"with this alias, values are nested more than {self._max_depth} deep"
            return self._refuse("Y012", event, message)
        return node

    def _refuse(
        self, code: str, event: Any, message: str, help: str = "write it out"
    ) -> Node | None:
        span = self._source.span(event.start_mark.index, event.end_mark.index)
        self._diagnostics.error(code, message, span, help)
        return None


def _measure(node: Node) -> tuple[int, int]:
    """How many values a tree has, and how many levels of lists and mappings."""
    if isinstance(node, Scalar):
        return 1, 0
    children = (
        [value for _, value in node.entries.values()] if isinstance(node, Mapping) else node.items
    )
    measures = [_measure(child) for child in children]
    return 1 + sum(size for size, _ in measures), 1 + max((h for _, h in measures), default=0)
