"""Where the conditions, definitions and words of a bundle's files stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from callgate.load.document import Document, ScalarText
from callgate.load.nodes import Mapping as MappingNode
from callgate.load.nodes import Node, Scalar
from callgate.load.nodes import Sequence as SequenceNode
from callgate.model.condition import Condition
from callgate.model.span import Span

__all__ = ["Place", "Places"]

Place = tuple[str, int]
"""File as shown, and line."""

_CONDITIONS = frozenset({"when", "deny"})


class Places:
    """Finds texts again. `documents`: those of the bundle; of none, nothing is found."""

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self._texts: dict[tuple[str, int, int], ScalarText] = {}
        self.facts: dict[str, ScalarText] = {}
        """The derived facts of the vocabulary, by name."""
        self.defined: dict[tuple[str, str], ScalarText] = {}
        """The `define:`s, by file and name."""
        self._words: dict[str, Place] = {}
        for document in documents:
            self._read(document)

    def text(self, condition: Condition) -> ScalarText | None:
        """The scalar that a condition was read from."""
        span = condition.span
        return None if span is None else self._texts.get((span.file, span.line, span.column))

    def word(self, rule: str, otherwise: Span | None) -> Place:
        """Where what decides as `rule` (an answer, an `otherwise`) stands, or else `otherwise`."""
        return self._words.get(rule) or _place(otherwise)

    def _read(self, document: Document) -> None:
        for scalar in _conditions(document.root):
            text = ScalarText(document.source, scalar)
            span = text.span(0, len(text.value))
            self._texts[span.file, span.line, span.column] = text
        for name, entry in _mapping(document.data.get("define")):
            if isinstance(entry, str):
                self.defined[document.file, name] = document.text("define", name)
        if document.kind == "vocabulary":
            for name, entry in _mapping(document.data.get("facts")):
                if isinstance(entry, dict) and isinstance(entry.get("is"), str):
                    self.facts[name] = document.text("facts", name, "is")
        if document.kind == "flow":
            self._flow(document)

    def _flow(self, document: Document) -> None:
        second = document.data.get("flow") == "visibility"
        if "otherwise" in document.data:
            self._keep(document, "visible" if second else "otherwise", "otherwise")
        for index, step in enumerate(document.data.get("steps") or ()):
            at: tuple[str | int, ...] = ("steps", index)
            name = str(step.get("id"))
            self._keep(document, f"{name}.otherwise", *at, "otherwise")
            self._keep(document, f"{name}.asks-become-deny", *at, "asks_become", "deny")
            self._answers(document, name, step, *at)
            for number, rule in enumerate(step.get("rules") or ()):
                self._answers(document, str(rule.get("id")), rule, *at, "rules", number)

    def _answers(
        self, document: Document, name: str, entry: Mapping[str, Any], *at: str | int
    ) -> None:
        for answer in entry.get("answers") or ():
            self._keep(document, f"{name}.{answer}", *at, "answers", answer)

    def _keep(self, document: Document, name: str, *path: str | int) -> None:
        span = document.span(*path, key=True)
        self._words.setdefault(name, (span.file, span.line))


def _place(span: Span | None) -> Place:
    return (span.file, span.line) if span else ("", 0)


def _mapping(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _conditions(node: Node) -> Iterator[Scalar]:
    """The scalars at keys that have conditions."""
    if isinstance(node, MappingNode):
        for key, (_, value) in node.entries.items():
            if isinstance(value, Scalar):
                if key in _CONDITIONS:
                    yield value
            else:
                yield from _conditions(value)
    elif isinstance(node, SequenceNode):
        for item in node.items:
            if not isinstance(item, Scalar):
                yield from _conditions(item)
