"""Reading rule files: a cursor into a document that knows where everything stands.

The schema check has reported what has the wrong shape already; here such parts read as missing,
so that assembly goes on and finds the other mistakes too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callgate.load import nodes
from callgate.load.document import Document, ScalarText
from callgate.model.span import Span

__all__ = ["Entry"]

_NOTHING: Final[Mapping[str, Any]] = {}


class Entry:
    """A value of a document, with its node and its path from the root.

    `data` is None, and so is `node`, where there is no such value.
    """

    __slots__ = ("_fields", "data", "document", "node", "path")

    def __init__(
        self, document: Document, path: tuple[str | int, ...], data: Any, node: nodes.Node | None
    ) -> None:
        self.document = document
        self.path = path
        self.data = data
        self.node = node
        self._fields: Mapping[str, Any] = data if isinstance(data, dict) else _NOTHING

    @classmethod
    def of(cls, document: Document) -> Entry:
        """The root of a document."""
        return cls(document, (), document.data, document.root)

    def __contains__(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def child(self, key: str) -> Entry:
        """The value at a key."""
        return Entry(self.document, (*self.path, key), self._fields.get(key), self._node(key))

    def mapping(self, key: str) -> list[tuple[str, Entry]]:
        """The entries of the mapping at a key."""
        return self.child(key).items() if key in self._fields else []

    def items(self) -> list[tuple[str, Entry]]:
        """The entries of this mapping."""
        return [(key, self.child(key)) for key in self._fields]

    def elements(self, key: str) -> list[Entry]:
        """The elements of the list at a key."""
        data, node = self._fields.get(key), self._node(key)
        if not isinstance(data, list) or not isinstance(node, nodes.Sequence):
            return []
        path = (*self.path, key)
        return [
            Entry(self.document, (*path, index), item, part)
            for index, (item, part) in enumerate(zip(data, node.items, strict=True))
        ]

    def word(self, key: str, default: str = "") -> str:
        """The text at a key."""
        found = self._fields.get(key)
        return found if isinstance(found, str) else default

    def words(self, key: str) -> list[tuple[str, Entry]]:
        """The texts in the list at a key, each with its place."""
        return [(item.data, item) for item in self.elements(key) if isinstance(item.data, str)]

    def flag(self, key: str) -> bool:
        """Whether the value at a key is `true`."""
        return self._fields.get(key) is True

    def text(self, key: str) -> ScalarText | None:
        """The scalar at a key with its place, for the parsers; None when there is none."""
        return self._text(self._node(key)) if self._fields.get(key) is not None else None

    def own_text(self) -> ScalarText | None:
        """This scalar with its place; None when this is no scalar."""
        return None if self.data is None else self._text(self.node)

    def span(self, *path: str | int) -> Span:
        """Where the value at a path below this one stands."""
        return self.document.span(*self.path, *path)

    def name_span(self) -> Span:
        """Where the key of this entry stands."""
        return self.document.span(*self.path, key=True)

    def _text(self, node: nodes.Node | None) -> ScalarText | None:
        if not isinstance(node, nodes.Scalar):
            return None
        return ScalarText(self.document.source, node)

    def _node(self, key: str) -> nodes.Node | None:
        if not isinstance(self.node, nodes.Mapping):
            return None
        found = self.node.entries.get(key)
        return None if found is None else found[1]
