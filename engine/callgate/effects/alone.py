"""Whether the commands of a text stand alone: what a pattern that allows them must know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from callgate.effects.shell.tree import Block, Command, Node, Redirect, Sequence, Word

__all__ = ["Line"]

_DESCRIPTORS: Final = frozenset({">&", "<&"})


@dataclass(slots=True)
class Line:
    """The text that commands stand in. `nodes`: its parts, filled while the text is walked."""

    nodes: list[Node] = field(default_factory=list)
    _alone: bool | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing in the text acts on its commands beside their own words: no variable is
        set and no file redirected for all of them, no function is defined that may stand for a
        program, and nothing runs in the background."""
        if self._alone is None:
            self._alone = not any(map(_acts, _all_of(self.nodes)))
        return self._alone


def _acts(node: Node) -> bool:
    if isinstance(node, Command):
        return not node.words
    if isinstance(node, Sequence):
        return "&" in node.operators
    if isinstance(node, Block):
        # A loop's variable may be PATH.
        named = node.kind == "function" or bool(node.variable)
        return named or any(map(_matters, node.redirects))
    return False


def _matters(redirect: Redirect) -> bool:
    target = redirect.target.text
    joins = isinstance(target, str) and (target == "-" or target.rstrip("-").isdigit())
    return not (joins and redirect.operator in _DESCRIPTORS)


def _all_of(nodes: Iterable[Node]) -> Iterator[Node]:
    """The parts of a tree, with those of the substitutions in its words."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Command):
            todo += node.parts if isinstance(node, Block) else node.items
        for word in _words(node):
            todo += word.nested


def _words(node: Node) -> Iterator[Word]:
    if isinstance(node, Command):
        values = (assignment.value for assignment in node.assignments)
        yield from chain(node.words, values, (redirect.target for redirect in node.redirects))
    elif isinstance(node, Block):
        yield from chain(node.words, (redirect.target for redirect in node.redirects))
