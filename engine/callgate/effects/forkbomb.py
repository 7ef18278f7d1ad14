"""Functions and loops that start processes without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.effects.shell.tree import Block, Command, Node, Pipeline, Sequence

__all__ = ["bomb", "endless"]

_ALWAYS: Final = frozenset({":", "true", "1"})
"""What a loop that never ends has for its condition."""

_MAX_NODES: Final = 2000


def bomb(function: Block) -> bool:
    """Whether a function starts itself again whenever it runs, twice or in the background, or
    twice in one pipeline."""
    name = function.variable
    calls = 0
    for node, background, doubtful in _inside(function.parts, 0):
        if isinstance(node, Pipeline) and sum(_calls(item, name) for item in node.items) > 1:
            return True
        if isinstance(node, Command) and _names(node, name) and not doubtful:
            if background:
                return True
            calls += 1
    return calls > 1


def endless(loop: Block) -> bool:
    """Whether a loop never ends and does nothing but to start processes in the background."""
    parts = loop.parts
    while len(parts) == 1 and isinstance(parts[0], Sequence):
        parts = parts[0].items
    if len(parts) != 2 or loop.words:
        return False
    condition, body = parts
    if not isinstance(condition, Command) or len(condition.words) != 1:
        return False
    if str(condition.words[0].text) not in _ALWAYS:
        return False
    while isinstance(body, Block) and body.kind == "group" and len(body.parts) == 1:
        body = body.parts[0]
    if not isinstance(body, Sequence):
        return False
    # After the last `&` stands an empty group.
    *items, last = body.items
    closed = isinstance(last, Block) and not last.parts
    return closed and bool(items) and all(operator == "&" for operator in body.operators[1:])


def _names(command: Command, name: str) -> bool:
    return bool(command.words) and command.words[0].text == name


def _calls(node: Node, name: str) -> bool:
    return any(isinstance(n, Command) and _names(n, name) for n, _, _ in _inside((node,), 0))


def _inside(
    nodes: tuple[Node, ...], depth: int, background: bool = False, doubtful: bool = False
) -> Iterator[tuple[Node, bool, bool]]:
    """What a function runs: each node, whether in the background, and whether only perhaps."""
    stack = [(node, background, doubtful) for node in reversed(nodes)]
    left = _MAX_NODES
    while stack and left:
        left -= 1
        node, behind, perhaps = stack.pop()
        yield node, behind, perhaps
        if isinstance(node, Pipeline):
            stack += [(item, behind, perhaps) for item in reversed(node.items)]
        elif isinstance(node, Sequence):
            operators = (*node.operators[1:], "")
            entries = []
            for index, item in enumerate(node.items):
                starts = behind or operators[index] == "&"
                entries.append((item, starts, perhaps))
            stack += reversed(entries)
        elif isinstance(node, Block) and node.kind != "function":
            sure = node.parts[: node.conditions] if node.kind == "branch" else node.parts
            stack += [(part, behind, perhaps) for part in sure]
            stack += [(part, behind, True) for part in node.parts[len(sure) :]]
        elif isinstance(node, Command):
            stack += [(item, behind, perhaps) for word in node.words for item in word.nested]
