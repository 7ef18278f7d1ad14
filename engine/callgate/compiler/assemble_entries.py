"""Reading rule files: a cursor into a document that knows where everything stands.

The schema check has reported what has the wrong shape already; here such parts read as missing,
so that assembly goes on and finds the other mistakes too.
"""

from __future__ import annotations

from typing import Any

from callgate.load.document import Document, ScalarText
from callgate.model.span import Span

__all__ = ["Entry"]


class Entry:
    """A value of a document, with its path from the root."""

    __slots__ = ("data", "document", "path")

    def __init__(self, document: Document, path: tuple[str | int, ...], data: Any) -> None:
        self.document = document
        self.path = path
        self.data = data

    def __contains__(self, key: str) -> bool:
        return isinstance(self.data, dict) and self.data.get(key) is not None

    def child(self, key: str) -> Entry:
        """The value at a key; its data is None when there is none."""
        data = self.data.get(key) if isinstance(self.data, dict) else None
        return Entry(self.document, (*self.path, key), data)

    def mapping(self, key: str) -> list[tuple[str, Entry]]:
        """The entries of the mapping at a key."""
        return self.child(key).items()

    def items(self) -> list[tuple[str, Entry]]:
        """The entries of this mapping."""
        if not isinstance(self.data, dict):
            return []
        return [
            (key, Entry(self.document, (*self.path, key), value))
            for key, value in self.data.items()
        ]

    def elements(self, key: str) -> list[Entry]:
        """The elements of the list at a key."""
        data = self.data.get(key) if isinstance(self.data, dict) else None
        if not isinstance(data, list):
            return []
        path = (*self.path, key)
        return [Entry(self.document, (*path, index), item) for index, item in enumerate(data)]

    def word(self, key: str, default: str = "") -> str:
        """The text at a key."""
        data = self.data.get(key) if isinstance(self.data, dict) else None
        return data if isinstance(data, str) else default

    def words(self, key: str) -> list[tuple[str, Entry]]:
        """The texts in the list at a key, each with its place."""
        return [(item.data, item) for item in self.elements(key) if isinstance(item.data, str)]

    def flag(self, key: str) -> bool:
        """Whether the value at a key is `true`."""
        return isinstance(self.data, dict) and self.data.get(key) is True

    def text(self, key: str) -> ScalarText | None:
        """The scalar at a key with its place, for the parsers; None when there is none."""
        data = self.data.get(key) if isinstance(self.data, dict) else None
        if data is None or isinstance(data, dict | list):
            return None
        return self.document.text(*self.path, key)

    def own_text(self) -> ScalarText | None:
        """This scalar with its place; None when this is no scalar."""
        if self.data is None or isinstance(self.data, dict | list):
            return None
        return self.document.text(*self.path)

    def span(self, *path: str | int) -> Span:
        """Where the value at a path below this one stands."""
        return self.document.span(*self.path, *path)

    def name_span(self) -> Span:
        """Where the key of this entry stands."""
        return self.document.span(*self.path, key=True)
