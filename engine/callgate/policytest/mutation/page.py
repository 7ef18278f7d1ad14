"""Edits of a rule file's text, made at the nodes of its tree, so that a mutant is a small diff."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from callgate.load.document import Document, ScalarText
from callgate.load.nodes import Mapping, Node, Scalar, Sequence

__all__ = ["Edit", "Page", "edited", "spread"]

_BREAK: Final = re.compile(r"\r\n|\r|\n")
_UNSAFE: Final = re.compile(r": |:$|:\n| #|^[-!&*?|>%@`\"'#,\[\]{}]")
_UNSAFE_INSIDE: Final = re.compile(r"[,\[\]{}]")


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` takes the place of what stands from `start` to `end`, offsets in code points."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with the edits made; they do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def spread(count: int) -> list[int]:
    """Which members of an enumeration are changed: the first, the middle and the last one. The
    others stand for the same decision, and whoever lists two hundred names tests a few."""
    return sorted({0, count // 2, count - 1}) if count else []


class Page:
    """A document whose text can be edited."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.file = document.file
        self.text = document.source.text
        self._starts = [0, *(found.end() for found in _BREAK.finditer(self.text))]

    def value(self, node: Scalar) -> str:
        """The text of a scalar."""
        return node.text

    def is_flow(self, node: Node) -> bool:
        """Whether a mapping or list is written in brackets."""
        return self.text[node.start] in "[{"

    def end(self, node: Node) -> int:
        """Where a node ends, without the comments and blank lines behind it."""
        if isinstance(node, Scalar) or self.is_flow(node):
            return node.start + len(self.text[node.start : node.end].rstrip())
        last: Node | None = None
        if isinstance(node, Sequence) and node.items:
            last = node.items[-1]
        elif isinstance(node, Mapping) and node.entries:
            last = list(node.entries.values())[-1][1]
        return node.start if last is None else self.end(last)

    def source(self, node: Node) -> str:
        """A node as it is written."""
        return self.text[node.start : self.end(node)]

    # -- scalars

    def within(self, node: Scalar, start: int, end: int, new: str) -> Edit:
        """`new` in the place of a part of a scalar's value."""
        whole = node.text[:start] + new + node.text[end:]
        if node.style == '"':
            return self.word(node, whole)
        if node.style == "'":
            new = new.replace("'", "''")
        elif not node.style and self._unsafe(node, whole):
            return self.word(node, json.dumps(whole, ensure_ascii=False))
        span = ScalarText(self.document.source, node).span(start, end)
        first = self._starts[span.line - 1] + span.column - 1
        return Edit(first, self._starts[span.end_line - 1] + span.end_column - 1, new)

    def word(self, node: Node, new: str) -> Edit:
        """Another value in the place of a whole node: a word, or YAML in brackets."""
        if isinstance(node, Scalar) and node.style == '"' and not new.startswith(("{", '"')):
            new = json.dumps(new, ensure_ascii=False)
        return Edit(node.start, self.end(node), new)

    def _unsafe(self, node: Scalar, value: str) -> bool:
        """Whether a plain scalar of this value might be read as something else."""
        if _UNSAFE.search(value):
            return True
        line = self.text[self._line(node.start) : node.start]
        return bool(_UNSAFE_INSIDE.search(value)) and bool(re.search(r"[\[{]", line) or "," in line)

    # -- lists and mappings

    def without_item(self, items: Sequence, index: int) -> Edit:
        """A list without one of its items; `[]` where it was the only one."""
        node = items.items[index]
        if len(items.items) == 1:
            return Edit(items.start, self.end(items), "[]")
        if self.is_flow(items):
            return self._without_part([(n.start, self.end(n)) for n in items.items], index)
        return self._without_lines(node.start, self.end(node))

    def without_key(self, mapping: Mapping, key: str) -> Edit:
        """A mapping without a key that is not its only one."""
        name, value = mapping.entries[key]
        if self.is_flow(mapping):
            parts = [(name.start, self.end(value)) for name, value in mapping.entries.values()]
            return self._without_part(parts, list(mapping.entries).index(key))
        others = list(mapping.entries)
        if others[0] == key and len(others) > 1:  # the dash before it stays
            return Edit(name.start, mapping.entries[others[1]][0].start, "")
        return self._without_lines(name.start, self.end(value))

    def with_key(self, mapping: Mapping, after: str, text: str) -> Edit:
        """A mapping with `text` (`key: value`) behind the key `after`."""
        name, value = mapping.entries[after]
        end = self.end(value)
        if self.is_flow(mapping):
            return Edit(end, end, f", {text}")
        indent = " " * (name.start - self._line(name.start))
        return Edit(end, end, f"\n{indent}{text}")

    def with_item(self, items: Sequence, new: str) -> Edit:
        """A list with one more item at its end."""
        last = items.items[-1]
        end = self.end(last)
        if self.is_flow(items):
            return Edit(end, end, f", {new}")
        line = self._line(last.start)
        return Edit(end, end, "\n" + self.text[line : last.start] + new)

    def swapped(self, first: Node, second: Node) -> tuple[Edit, Edit]:
        """Two items of a list that change places."""
        return (
            Edit(first.start, self.end(first), self.source(second)),
            Edit(second.start, self.end(second), self.source(first)),
        )

    @staticmethod
    def _without_part(parts: list[tuple[int, int]], index: int) -> Edit:
        start, end = parts[index]
        if index:
            return Edit(parts[index - 1][1], end, "")
        return Edit(start, parts[1][0] if len(parts) > 1 else end, "")

    def _without_lines(self, start: int, end: int) -> Edit:
        after = _BREAK.search(self.text, end)
        return Edit(self._line(start), after.end() if after else len(self.text), "")

    def _line(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return max(at for at in (0, self.text.rfind("\n", 0, offset) + 1))
