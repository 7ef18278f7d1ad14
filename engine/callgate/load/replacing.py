"""Taking replaced things out of inherited documents, and putting steps in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from callgate.load import nodes
from callgate.load.document import Document
from callgate.load.named import COMBINATIONS, Named

__all__ = ["Flows", "same_flow", "take_out"]

_ONCE: Final = frozenset({"steps", "otherwise"})
"""Keys of a flow that only one of its parts may hold."""


def take_out(document: Document, gone: Iterable[Named]) -> Document:
    """The document without these things. A row of a table leaves an empty place, so that the others
    keep their numbers; a case of a matrix, which stands nowhere, is noted there under `without`."""
    doomed: dict[int, tuple[nodes.Node, set[int]]] = {}
    for item in gone:
        if item.path[-2:-1] == (COMBINATIONS,):
            _leave_out(document.node(*item.path[:-2]), item.name)
            continue
        holder, node = document.node(*item.path[:-1]), document.node(*item.path)
        if len(item.path) > 2 and item.path[-2] == "rows":
            assert isinstance(holder, nodes.Sequence) and isinstance(item.path[-1], int)
            holder.items[item.path[-1]] = nodes.Scalar("null", "", node.start, node.start)
        else:
            doomed.setdefault(id(holder), (holder, set()))[1].add(id(node))
    for holder, parts in doomed.values():
        if isinstance(holder, nodes.Mapping):
            entries = holder.entries.items()
            holder.entries = {key: pair for key, pair in entries if id(pair[1]) not in parts}
        elif isinstance(holder, nodes.Sequence):
            holder.items = [item for item in holder.items if id(item) not in parts]
    return Document(document.kind, document.source, document.root, document.incomplete)


def _leave_out(matrix: nodes.Node, name: str) -> None:
    assert isinstance(matrix, nodes.Mapping)
    at = matrix.start
    empty = (nodes.Scalar("without", "", at, at), nodes.Sequence(at, at))
    _, names = matrix.entries.setdefault("without", empty)
    assert isinstance(names, nodes.Sequence)
    names.items.append(nodes.Scalar(name, '"', at, at))


class Flows:
    """The own flow documents of a bundle, whose steps go where those stand that they replace.

    `replaced`: the inherited steps by their names, for those that have a successor.
    """

    def __init__(self, documents: Sequence[Document], replaced: Mapping[str, Named]) -> None:
        self._documents = documents
        self._successors: dict[int, tuple[Document, nodes.Node]] = {}
        self._moved: set[int] = set()
        for document in documents:
            if document.kind == "flow":
                for step in _steps(document):
                    name = _id(step)
                    old = replaced.get(name)
                    if old is not None and same_flow(old.document, document):
                        node = old.document.node(*old.path)
                        if id(node) not in self._successors:
                            self._successors[id(node)] = (document, step)
                            self._moved.add(id(step))

    def placed(self, document: Document, gone: Sequence[Named]) -> list[Document]:
        """An inherited document without what is gone, in parts, with the new steps between."""
        if not gone:
            return [document]
        if document.kind != "flow" or not self._successors:
            return [take_out(document, gone)]
        moving = [item for item in gone if id(document.node(*item.path)) in self._successors]
        rest = [item for item in gone if item not in moving]
        places = {id(document.node(*item.path)) for item in moving}
        document = take_out(document, rest) if rest else document
        parts: list[Document] = []
        steps: list[nodes.Node] = []
        for step in _steps(document):
            if id(step) not in places:
                steps.append(step)
                continue
            if steps:
                parts.append(_part(document, steps, last=False))
                steps = []
            own, successor = self._successors[id(step)]
            parts.append(_part(own, [successor], last=False))
        return [*parts, _part(document, steps, last=True)]

    def rest(self) -> list[Document]:
        """The own documents without the steps that went elsewhere."""
        return [
            _part(document, [s for s in _steps(document) if id(s) not in self._moved], last=True)
            if document.kind == "flow" and self._moved
            else document
            for document in self._documents
        ]


def _steps(document: Document) -> list[nodes.Node]:
    pair = document.root.entries.get("steps")
    return pair[1].items if pair and isinstance(pair[1], nodes.Sequence) else []


def _id(step: nodes.Node) -> str:
    pair = step.entries.get("id") if isinstance(step, nodes.Mapping) else None
    return pair[1].text if pair and isinstance(pair[1], nodes.Scalar) else ""


def same_flow(one: Document, other: Document) -> bool:
    """Whether two documents are about the same flow."""
    return one.data.get("flow") == other.data.get("flow")


def _part(document: Document, steps: Sequence[nodes.Node], last: bool) -> Document:
    """A document of which only these steps are left; what it says once stands in the last part."""
    root = document.root
    entries = {k: pair for k, pair in root.entries.items() if last or k not in _ONCE}
    if "steps" in root.entries:
        key, old = root.entries["steps"]
        lost = isinstance(old, nodes.Sequence) and old.lost
        entries["steps"] = (key, nodes.Sequence(old.start, old.end, list(steps), lost))
    part = nodes.Mapping(root.start, root.end, entries, root.lost)
    return Document(document.kind, document.source, part, document.incomplete)
