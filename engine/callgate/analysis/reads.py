"""Which parts of a call a walk has read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Any, Final

from callgate.analysis.facts import leaf_name, leaves
from callgate.model.codec import decode_expr
from callgate.model.decision import Decision
from callgate.model.graph import DecisionGraph

__all__ = ["PLACES", "Reads", "path_of"]

Path = tuple[str, ...]

PLACES: Final = {"call": "context", "args": "args", "declared": "declared", "observed": "observed"}
"""Where in a call the facts stand, by the first word of their name."""

_KEY: Final = re.compile(r'\["(.*?)"\]|([^.\[]+)')
_EFFECTS: Final[tuple[Path, ...]] = (("args",), ("observed",), ("tool",))


def path_of(name: str) -> Path | None:
    """The path in a call of the fact with that name, or None for what is derived."""
    if name in ("call.tool", "call.called_as"):
        return ("tool",)
    root, _, rest = name.partition(".")
    if root not in PLACES or not rest:
        return None
    return (PLACES[root], *(key or word for key, word in _KEY.findall(rest)))


class Reads:
    """The reads of walks through one graph, as paths in a call; a short path covers all below."""

    def __init__(self, graph: DecisionGraph) -> None:
        self._nodes = graph.nodes
        self._cache: dict[int, frozenset[Path]] = {}
        self._guards = frozenset(_EFFECTS) | frozenset(
            path
            for guard in graph.document["guards"]
            for when in (guard["when"], *(test for _, test in guard["exceptions"]))
            for path in _paths(decode_expr(when))
        )

    def of(self, decision: Decision) -> frozenset[Path]:
        """What a walk read."""
        return frozenset[Path]().union(*(self._at(abs(number)) for number in decision.trace))

    @staticmethod
    def covers(read: Set[Path], path: Path) -> bool:
        """Whether a path is among what was read, or below it."""
        return any(path[:length] in read for length in range(1, len(path) + 1))

    def _at(self, number: int) -> frozenset[Path]:
        if number not in self._cache:
            self._cache[number] = frozenset(self._read_by(self._nodes[number - 1]))
        return self._cache[number]

    def _read_by(self, node: list[Any]) -> Iterable[Path]:
        match node[0]:
            case "branch" | "switch":
                return _paths(decode_expr(node[2]))
            case "guards":
                return self._guards
            case "consult":
                return (("answers", node[3]),)
        return ()


def _paths(expr: Any) -> Iterator[Path]:
    for name in map(leaf_name, leaves(expr)):
        path = path_of(name)
        root = name.partition(".")[0]
        if path is not None:
            yield path
        elif root == "tool":
            yield ("tool",)
        elif root == "risk":
            yield from (("tool",), ("declared",), ("args",))
        elif root == "capabilities":
            yield from (("tool",), ("declared",))
        else:
            yield from _EFFECTS
